#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::command::Command;

/// A handler of the corpus, as a process.
fn run(folder: &std::path::Path, hook: &Value, input: &[u8]) -> Result<Reply, CommandError> {
    let text = |key: &str| hook[key].as_str().unwrap_or_default().to_owned();
    let sleep = hook["sleep_s"].as_f64().map_or_else(String::new, |s| format!("sleep {s}; "));
    // One that drains nothing ends, or sleeps, with its input unread.
    let drain = if hook["drains_stdin"] == json!(false) { "" } else { "cat >/dev/null; " };
    let line = format!("{drain}{sleep}printf %s \"$OUT\"; printf %s \"$ERR\" >&2; exit {}", hook["exit"]);
    let timeout = hook["timeout"].as_u64().unwrap_or(60);
    let variables = [("OUT", text("stdout")), ("ERR", text("stderr"))];
    Command::shell(line, Duration::from_secs(timeout)).run(folder, &variables, input)
}

fn status(said: &Said) -> &'static str {
    match said.status {
        Status::Completed => "Completed",
        Status::Blocked => "Blocked",
        Status::Stopped => "Stopped",
        Status::Failed => "Failed",
    }
}

/// What we make of a case, in the words of the corpus.
fn aggregate(event: Event, all: Vec<Said>) -> BTreeMap<String, Value> {
    let mut told = BTreeMap::new();
    let statuses: Vec<_> = all.iter().map(status).collect();
    told.insert("runs".to_owned(), json!(statuses));
    let together = Together::of(all.into_iter().map(|said| ("a hook", said)));
    let mut put = |key: &str, value: Value| told.insert(key.to_owned(), value);
    let denial = together.denials.first().cloned();
    match event {
        Event::PreToolUse => {
            if let Some(reason) = denial {
                put("block", json!(true));
                put("reason", json!(reason));
            } else if let Some(input) = together.rewrite {
                put("updated_input", input);
            }
        }
        Event::PermissionRequest => {
            let word = match together.word {
                Some(Word::Deny(message)) => format!("Some(Deny {{ message: {message:?} }})"),
                Some(Word::Allow) => "Some(Allow)".to_owned(),
                _ => "None".to_owned(),
            };
            put("decision", json!(word));
        }
        Event::PostToolUse => {
            if let Some(reason) = denial {
                put("block", json!(true));
                put("feedback", json!(reason));
            } else if let Some(Some(text)) = together.stop {
                put("feedback", json!(text));
            }
        }
        Event::UserPromptSubmit => {
            let stopped = together.stop.is_some();
            if stopped || denial.is_some() {
                put("stop", json!(true));
            }
            if let Some(reason) = together.stop.flatten().or(denial) {
                put("reason", json!(reason));
            }
        }
        Event::Stop | Event::SubagentStop if together.stop.is_some() => {
            put("stop", json!(true));
            if let Some(reason) = together.stop.flatten() {
                put("stop_reason", json!(reason));
            }
        }
        _ => {
            if !together.denials.is_empty() {
                put("block", json!(true));
                put("reason", json!(together.denials.join("\n\n")));
            }
        }
    }
    if !together.contexts.is_empty() {
        put("context", json!(together.contexts));
    }
    told
}

fn observed(case: &Value) -> BTreeMap<String, Value> {
    let keys = ["block", "reason", "context", "updated_input", "decision", "feedback", "stop", "stop_reason"];
    let mut told: BTreeMap<String, Value> = keys
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), case["observed"].get(*key)?.clone())))
        .collect();
    let runs = case["observed"]["runs"].as_array().unwrap();
    told.insert("runs".to_owned(), runs.iter().map(|run| run["status"].clone()).collect());
    told
}

#[test]
fn the_216_outcomes_of_codex() {
    let folder = tempfile::tempdir().unwrap();
    let (mut seen, mut differences) = (0, BTreeMap::new());
    for line in include_str!("../../../tests/data/codex_outcomes.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let event = Event::named(case["event"].as_str().unwrap()).unwrap();
        let id = case["id"].as_str().unwrap();
        let input = if id == "pre.nodrain_big_sleep" { vec![b'x'; 300_000] } else { b"{}".to_vec() };
        let handlers = case["hooks"].as_array().unwrap();
        // A group whose matcher cannot be read is left out, as one that does not match.
        let tool = case["tool"].as_str().unwrap_or("Bash");
        let aliases = case["aliases"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let names: Vec<_> = std::iter::once(tool).chain(aliases).collect();
        let matcher = Matcher::new(Dialect::Codex, case["matcher"].as_str().unwrap_or_default());
        let handlers: &[Value] =
            if matcher.is_ok_and(|matcher| matcher.takes(&names)) { handlers } else { &[] };
        let handlers: Vec<_> = std::thread::scope(|scope| {
            let (folder, input) = (folder.path(), &input);
            let runs: Vec<_> = handlers
                .iter()
                .map(|hook| scope.spawn(move || Dialect::Codex.read(event, &run(folder, hook, input))))
                .collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        let ours = aggregate(event, handlers);
        if ours != observed(&case) {
            differences.insert(id.to_owned(), format!("ours {ours:?}, Codex {:?}", observed(&case)));
        }
        seen += 1;
    }
    assert_eq!(seen, 216);
    // Each difference has its row on the page, and each row is a difference.
    let page = include_str!("../../../../docs/clients/codex.md");
    let (_, page) = page.split_once("## Its hooks in ours").unwrap();
    let told: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .flat_map(|row| row.split(" | ").next().unwrap_or_default().split(", "))
        .filter_map(|id| id.strip_prefix('`')?.strip_suffix('`'))
        .collect();
    let found: BTreeSet<&str> = differences.keys().map(String::as_str).collect();
    assert_eq!(found, told, "{differences:#?}");
}

/// Rows of the table of Claude Code's responses, by their numbers.
#[test]
fn claude_codes_responses() {
    let read = |event: &str, code: i32, stdout: &str, stderr: &str| {
        let words = format!("exit code {code}");
        let reply =
            Reply { code: Some(code), words, stdout: stdout.into(), stderr: stderr.into(), cut: false };
        Dialect::Claude.read(Event::named(event).unwrap(), &Ok(reply))
    };
    let pre = |more: Value| {
        let Value::Object(mut inner) = more else { panic!() };
        inner.insert("hookEventName".into(), json!("PreToolUse"));
        json!({ "hookSpecificOutput": inner }).to_string()
    };
    let deny = |reason: &str| Some(Word::Deny(reason.to_owned()));
    assert_eq!(read("PreToolUse", 0, "", ""), Said::default(), "row 1");
    assert_eq!(read("UserPromptSubmit", 0, "hello\n", "").contexts, ["hello"], "row 2");
    assert_eq!(read("PreToolUse", 0, "hello", ""), Said::default(), "row 2");
    assert_eq!(read("PreToolUse", 0, "{oops}", "").status, Status::Failed, "row 3");
    assert_eq!(read("SessionStart", 0, "{ \"a\"", "").contexts, ["{ \"a\""], "row 4");
    let denied = pre(json!({ "permissionDecision": "deny", "permissionDecisionReason": "no" }));
    assert_eq!(read("PreToolUse", 0, &denied, "").word, deny("no"), "row 5");
    let allowed = pre(json!({ "permissionDecision": "allow" }));
    assert_eq!(read("PreToolUse", 0, &allowed, "").word, Some(Word::Allow), "row 6");
    let both = pre(json!({ "permissionDecision": "allow", "updatedInput": { "a": 1 } }));
    let said = read("PreToolUse", 0, &both, "");
    assert_eq!((said.word, said.rewrite), (Some(Word::Allow), Some(json!({ "a": 1 }))), "row 7");
    let ask = pre(json!({ "permissionDecision": "ask", "permissionDecisionReason": "sure?" }));
    assert_eq!(read("PreToolUse", 0, &ask, "").word, Some(Word::Ask("sure?".into())), "row 8");
    let defer = pre(json!({ "permissionDecision": "defer" }));
    assert!(matches!(read("PreToolUse", 0, &defer, "").word, Some(Word::Ask(_))), "row 9");
    let said = read("PreToolUse", 0, &pre(json!({ "updatedInput": {} })), "");
    assert_eq!((said.word, said.rewrite), (None, Some(json!({}))), "row 10");
    assert_eq!(read("PreToolUse", 0, r#"{"decision": "approve"}"#, "").word, Some(Word::Allow), "row 11");
    assert_eq!(
        read("PreToolUse", 0, r#"{"decision": "block", "reason": "r"}"#, "").word,
        deny("r"),
        "row 11"
    );
    let stop = read("PreToolUse", 0, r#"{"continue": false, "stopReason": "x"}"#, "").stop;
    assert_eq!(stop, Some(Some("x".into())), "row 12");
    assert_eq!(
        read("UserPromptSubmit", 0, r#"{"decision": "block", "reason": "r"}"#, "").word,
        deny("r"),
        "row 13"
    );
    let context =
        json!({ "hookSpecificOutput": { "hookEventName": "Stop", "additionalContext": "c" } }).to_string();
    assert_eq!(read("UserPromptSubmit", 0, &context, "").contexts, ["c"], "row 14");
    assert_eq!(read("Stop", 0, r#"{"decision": "block", "reason": "r"}"#, "").word, deny("r"), "row 15");
    assert_eq!(read("Stop", 0, &context, "").contexts, ["c"], "row 16");
    assert_eq!(read("Stop", 0, r#"{"decision": "block"}"#, "").status, Status::Failed, "row 17");
    assert_eq!(
        read("PostToolUse", 0, r#"{"decision": "block", "reason": "r"}"#, "").word,
        deny("r"),
        "row 18"
    );
    let output =
        json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "updatedToolOutput": "o" } })
            .to_string();
    assert_eq!(read("PostToolUse", 0, &output, "").replace, Some(json!("o")), "row 19");
    let permission = |decision: Value| {
        json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } })
            .to_string()
    };
    let said = read("PermissionRequest", 0, &permission(json!({ "behavior": "allow" })), "");
    assert_eq!(said.word, Some(Word::Allow), "row 20");
    let said = read("PermissionRequest", 0, &permission(json!({ "behavior": "deny", "message": "m" })), "");
    assert_eq!(said.word, deny("m"), "row 21");
    assert_eq!(
        read("PreToolUse", 0, r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#, "").status,
        Status::Failed,
        "row 22"
    );
    assert_eq!(read("PreToolUse", 0, r#"{"decision": "continue"}"#, "").status, Status::Failed, "row 23");
    for event in ["PreToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact", "PostToolUse"] {
        assert_eq!(read(event, 2, "", "reason").word, deny("reason"), "row 24: {event}");
    }
    assert_eq!(read("PermissionRequest", 2, "", "reason").word, None, "row 24");
    assert_eq!(read("PreToolUse", 2, &allowed, "no").word, deny("no"), "row 25");
    assert_eq!(read("PreToolUse", 2, &denied, "stderr").word, deny("no"), "row 25");
    assert!(matches!(read("PreToolUse", 2, "", "").word, Some(Word::Deny(_))), "row 26");
    assert_eq!(read("PreToolUse", 1, "", "boom").status, Status::Failed, "row 27");
    assert_eq!(read("PreToolUse", 1, &denied, "").word, deny("no"), "row 28");
    assert_eq!(read("PreToolUse", 127, "", "not found").word, None, "row 29");
    // Rows 30 and 35 are in `options_of_claude_code_count`.
    let together =
        |all: &[&str]| Together::of(all.iter().map(|text| ("h", read("PreToolUse", 0, text, "")))).word;
    assert_eq!(together(&[&allowed, &denied]), deny("no"), "row 31");
    assert_eq!(together(&[&ask, &allowed]), Some(Word::Ask("sure?".into())), "row 32");
    assert!(matches!(together(&[&defer, &ask]), Some(Word::Ask(_))), "row 33");
    let rewrite =
        |text: &str| read("PreToolUse", 0, &pre(json!({ "updatedInput": { "command": text } })), "");
    let both = Together::of([("a", rewrite("1")), ("b", rewrite("2"))]);
    assert_eq!(both.rewrite, Some(json!({ "command": "2" })), "row 34: the last that is configured");
    assert!(both.problems[0].contains("a and b rewrote the same call"), "{:?}", both.problems);
}

#[test]
fn hermes_responses() {
    let read = |event: Event, code: i32, stdout: &str, stderr: &str| {
        let words = format!("exit code {code}");
        Dialect::Hermes.read(
            event,
            &Ok(Reply { code: Some(code), words, stdout: stdout.into(), stderr: stderr.into(), cut: false }),
        )
    };
    let deny = |reason: &str| Some(Word::Deny(reason.to_owned()));
    let pre = |code: i32, stdout: &str, stderr: &str| read(Event::PreToolUse, code, stdout, stderr);
    assert_eq!(pre(0, r#"{"decision":"block","reason":"r"}"#, "").word, deny("r"));
    assert_eq!(pre(0, r#"{"action":"block","message":"m","reason":"r"}"#, "").word, deny("m"));
    assert_eq!(pre(1, r#"{"action":"block","message":"m"}"#, "").word, deny("m"));
    assert_eq!(pre(0, "log\n{\"action\":\"block\",\"message\":\"m\"}", "").word, deny("m"));
    assert_eq!(pre(2, "", "stderr").word, deny("stderr"));
    assert_eq!(pre(2, "{oops", "stderr").word, deny("stderr"));
    assert!(matches!(pre(2, "", "").word, Some(Word::Deny(_))));
    assert_eq!(pre(0, r#"{"action":"modify","args":{"a":1}}"#, "").rewrite, Some(json!({ "a": 1 })));
    assert_eq!(pre(0, r#"{"decision":"modify","tool_input":{"a":1}}"#, "").rewrite, Some(json!({ "a": 1 })));
    assert_eq!(pre(0, r#"{"decision":"approve"}"#, "").word, None, "not what Hermes takes it for");
    assert_eq!(pre(0, r#"{"action":"approve"}"#, "").word, Some(Word::Allow));
    assert_eq!(pre(0, "plain", ""), Said::default());
    assert_eq!(pre(0, "{oops", "").status, Status::Failed);
    let said = read(Event::UserPromptSubmit, 1, r#"{"context":"c"}"#, "");
    assert_eq!((said.contexts, said.status), (vec!["c".to_owned()], Status::Failed));
    assert_eq!(read(Event::Stop, 0, r#"{"action":"continue","message":"on"}"#, "").word, deny("on"));
    assert_eq!(read(Event::PostToolUse, 2, "", "x").word, None);
}
