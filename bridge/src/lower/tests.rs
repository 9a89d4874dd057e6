use super::*;
use crate::moment::Kind;
use serde_json::json;

/// An event of a client, with just enough in it to be judged.
fn event(client: Client, name: &str) -> Incoming {
    let map = json!({
        "tool_name": "Bash", "toolName": "Bash", "tool_input": {"command": "ls", "n": 1}, "toolArgs": "{\"command\":\"ls\"}",
        "prompt": "hi", "command": "ls", "file_path": "/a", "matcher_context": "ls", "message": "hi",
        "tool_response": "out", "stop_hook_active": false, "hook_event_name": name, "event": name,
        "extra": {"user_message": "hi"}
    });
    let Value::Object(map) = map else { unreachable!() };
    Incoming::read(client, map, Some(name))
}

fn answer(client: Client, name: &str, outcome: Outcome) -> (Value, Answer) {
    let incoming = event(client, name);
    let answer = lower(&incoming, Spelling::Snake, outcome);
    (answer.body.clone().map_or(Value::Null, Value::Object), answer)
}

/// The places where a client looks for a refusal.
fn refuses(body: &Value) -> Option<&str> {
    let inner = &body["hookSpecificOutput"];
    let found = if inner["permissionDecision"] == "deny" {
        &inner["permissionDecisionReason"]
    } else if inner["decision"]["behavior"] == "deny" {
        &inner["decision"]["message"]
    } else if body["permission"] == "deny" {
        &body["agent_message"]
    } else if body["permissionDecision"] == "deny" {
        &body["permissionDecisionReason"]
    } else if body["decision"] == "block" || body["decision"] == "deny" {
        &body["reason"]
    } else if body["behavior"] == "deny" || body["action"] == "block" {
        &body["message"]
    } else if body["continue"] == false {
        &body["user_message"]
    } else {
        &Value::Null
    };
    found.as_str()
}

/// Every event of every client that waits for a permission.
fn gates() -> impl Iterator<Item = (Client, &'static str)> {
    Client::ALL.into_iter().flat_map(|client| {
        let gates = Kind::table(client).iter().filter(|(_, kind)| kind.is_gate());
        gates.map(move |(name, _)| (client, *name))
    })
}

/// Gates whose client does not listen.
const DEAF: [(Client, &str); 4] = [
    (Client::Goose, "UserPromptSubmit"),
    (Client::Goose, "BeforeReadFile"),
    (Client::Goose, "BeforeShellExecution"),
    (Client::Hermes, "pre_llm_call"),
];

#[test]
fn a_refusal_arrives_at_every_gate_with_its_reason_whatever_else_hooks_want() {
    let mut seen = 0;
    for (client, name) in gates() {
        for busy in [false, true] {
            let mut outcome = Outcome::deny("not today");
            if busy {
                outcome.rewrite = Some(json!({"command": "shred x"}));
                outcome.context.push("note".into());
            }
            let (body, answer) = answer(client, name, outcome);
            if DEAF.contains(&(client, name)) {
                assert_eq!(answer.losses[0].what, "a refusal", "{client} {name}");
                continue;
            }
            seen += 1;
            assert_eq!(refuses(&body), Some("not today"), "{client} {name} {body}");
            assert_eq!((answer.code, answer.refusal.as_deref()), (0, Some("not today")), "{client} {name}");
            assert!(!body.to_string().contains("shred"), "{client} {name} {body}");
        }
    }
    assert_eq!(seen, 2 * (22 - DEAF.len()), "the gates of all clients");
}

#[test]
fn a_question_is_asked_where_the_client_can_and_refused_where_it_cannot() {
    for (client, name) in gates().filter(|gate| !DEAF.contains(gate)) {
        let outcome = Outcome { opinion: Some(Opinion::Ask(Reason::new("sure?"))), ..Outcome::default() };
        let (body, answer) = answer(client, name, outcome);
        let asked = match client {
            Client::Claude => name == "PreToolUse",
            Client::Copilot => name == "preToolUse",
            Client::Hermes => name == "pre_tool_call",
            Client::Cursor => name.ends_with("Execution"),
            Client::Codex | Client::Gemini | Client::Goose => false,
        };
        if asked {
            assert!(answer.refusal.is_none() && body.to_string().contains("sure?"), "{client} {name} {body}");
        } else {
            assert!(
                refuses(&body).is_some_and(|reason| reason.starts_with("sure? (")),
                "{client} {name} {body}"
            );
            assert_eq!(answer.losses[0].instead, "refused instead");
        }
    }
}

#[test]
fn a_changed_call_never_runs_unchanged() {
    for (client, name) in gates() {
        let kind = Kind::of(client, name);
        if kind == Kind::Prompt || DEAF.contains(&(client, name)) {
            continue;
        }
        // Only an edited answer to a question changes a call there, and it allows it.
        let opinion = (kind == Kind::ToolConfirm).then_some(Opinion::Allow);
        let rewrite = Some(json!({"command": "ls -l", "n": 1}));
        let (body, answer) = answer(client, name, Outcome { rewrite, opinion, ..Outcome::default() });
        assert!(body.to_string().contains("ls -l"), "{client} {name} {body}");
        if can(&event(client, name)).rewrite == Rewrite::No {
            assert!(refuses(&body).is_some() && answer.losses.len() == 1, "{client} {name} {body}");
        }
    }
    // Laid over the old arguments, a missing one would stay.
    for (client, name) in [(Client::Gemini, "BeforeTool"), (Client::Hermes, "pre_tool_call")] {
        let outcome = Outcome { rewrite: Some(json!({"command": "ls -l"})), ..Outcome::default() };
        assert!(refuses(&answer(client, name, outcome).0).is_some(), "{client}");
    }
    // A question about other arguments fits into none of Hermes's answers.
    let outcome = Outcome {
        rewrite: Some(json!({"command": "ls -l", "n": 1})),
        opinion: Some(Opinion::Ask(Reason::new("sure?"))),
        ..Outcome::default()
    };
    assert!(refuses(&answer(Client::Hermes, "pre_tool_call", outcome).0).is_some());
}

#[test]
fn no_opinion_is_silence_or_an_empty_object_and_a_bare_allow_is_never_told_to_codex() {
    for client in Client::ALL {
        for (name, _) in Kind::table(client) {
            let (body, answer) = answer(client, name, Outcome::default());
            let silent =
                if matches!(client, Client::Gemini | Client::Cursor) { json!({}) } else { Value::Null };
            assert_eq!((body, answer.losses.len()), (silent, 0), "{client} {name}");
        }
    }
    let allow = Outcome { opinion: Some(Opinion::Allow), ..Outcome::default() };
    assert_eq!(answer(Client::Codex, "PreToolUse", allow.clone()).0, Value::Null);
    let body = answer(Client::Claude, "PreToolUse", allow).0;
    assert_eq!(body["hookSpecificOutput"]["permissionDecision"], "allow");
}

#[test]
fn what_the_model_shall_know_is_told_or_held_back_and_never_lost() {
    for client in Client::ALL {
        for (name, _) in Kind::table(client) {
            let outcome = Outcome { context: vec!["remember".into()], ..Outcome::default() };
            let (body, answer) = answer(client, name, outcome);
            let told = body.to_string().contains("remember");
            assert_eq!(told, can(&event(client, name)).context, "{client} {name}");
            assert_eq!(answer.held.len(), usize::from(!told), "{client} {name}");
        }
    }
}

#[test]
fn going_on_and_ending_are_told_where_they_can_be() {
    for (client, name) in [
        (Client::Codex, "Stop"),
        (Client::Claude, "Stop"),
        (Client::Gemini, "AfterAgent"),
        (Client::Cursor, "stop"),
        (Client::Copilot, "agentStop"),
        (Client::Goose, "Stop"),
        (Client::Hermes, "pre_verify"),
    ] {
        let outcome = Outcome { go_on: Some(Reason::new("test it")), ..Outcome::default() };
        assert!(answer(client, name, outcome.clone()).0.to_string().contains("test it"), "{client}");
        let halted = Outcome { halt: Some(Reason::new("enough")), ..outcome };
        let (body, answer) = answer(client, name, halted);
        if can(&event(client, name)).halt {
            assert_eq!(
                (&body["continue"], &body["stopReason"]),
                (&json!(false), &json!("enough")),
                "{client}"
            );
            assert!(!body.to_string().contains("test it"), "{client}");
        } else {
            assert_eq!(answer.losses[0].what, "that the session shall end", "{client}");
        }
    }
    // Where the end cannot be told and something waits, it is refused.
    let halted = Outcome { halt: Some(Reason::new("enough")), ..Outcome::default() };
    let body = answer(Client::Codex, "PreToolUse", halted).0;
    assert_eq!(refuses(&body), Some("the session shall end: enough"));
}

#[test]
fn results_are_replaced_where_they_can_be() {
    let replaced = Outcome { replace: Some("***".into()), ..Outcome::default() };
    let body = |client, name| answer(client, name, replaced.clone()).0;
    assert_eq!(body(Client::Codex, "PostToolUse"), json!({"decision": "block", "reason": "***"}));
    assert_eq!(body(Client::Claude, "PostToolUse")["hookSpecificOutput"]["updatedToolOutput"], "***");
    assert_eq!(body(Client::Gemini, "AfterTool"), json!({"decision": "deny", "reason": "***"}));
    assert_eq!(body(Client::Copilot, "postToolUse")["modifiedResult"]["textResultForLlm"], "***");
    assert_eq!(
        answer(Client::Goose, "PostToolUse", replaced.clone()).1.losses[0].instead,
        "the original stands"
    );
    // An empty text would be a block without a reason, which Codex does not take.
    let emptied = Outcome { replace: Some(String::new()), ..Outcome::default() };
    assert!(!answer(Client::Codex, "PostToolUse", emptied).0["reason"].as_str().unwrap().is_empty());
}

#[test]
fn long_texts_are_cut_before_the_client_cuts_them() {
    let (body, _) = answer(Client::Claude, "PreToolUse", Outcome::deny("ä".repeat(1_000_000)));
    let reason = refuses(&body).unwrap();
    assert!(reason.len() < 10_000 && reason.ends_with("bytes more]"), "{}", reason.len());
}
