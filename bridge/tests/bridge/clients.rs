//! The clients of which there are no recorded inputs: events as their documents show them, and what comes back.

use crate::common::Setup;
use hookspec::ask::Continue;
use hookspec::points as p;
use hookspec::{First, Fold, Gate, Hook, Message};
use hookspec_bridge::client::Client;
use serde_json::{Value, json};

/// Hooks that refuse `rm`, ask about `git push`, change `ls`, hide passwords, keep going once, and talk.
fn setup() -> Setup {
    Setup::new(
        crate::common::bare()
            .register(Hook::new(p::SESSION_START, "t.start", |_, _| Message::system("be brief")))
            .register(Hook::new(p::MESSAGE_PRE_PROCESS, "t.prompt", |event, _| {
                event.message.content.contains("password").then(|| Gate::deny("no passwords"))
            }))
            .register(Hook::new(p::TOOL_TRANSFORM, "t.change", |event, _| {
                (event.tool_use.text("command").as_deref() == Some("ls")).then(|| {
                    let mut changed = event.tool_use.clone();
                    changed.kwargs.insert("command".into(), json!("ls -l"));
                    Fold(changed)
                })
            }))
            .register(Hook::new(p::TOOL_PRE_EXECUTE, "t.gate", |event, _| {
                match event.tool_use.text("command").as_deref() {
                    Some("rm") => Some(Gate::deny("not that")),
                    Some("git push") => Some(Gate::ask("sure?")),
                    _ => None,
                }
            }))
            .register(Hook::new(p::TOOL_POST_EXECUTE, "t.post", |event, _| {
                Message::system(format!("it was {:?}", event.status))
            }))
            .register(Hook::new(p::TOOL_RESULT_TRANSFORM, "t.hide", |event, _| {
                let text = &event.result[0].content;
                text.contains("hunter2").then(|| Fold(vec![Message::system(text.replace("hunter2", "***"))]))
            }))
            .register(Hook::new(p::GENERATION_PRE, "t.model", |_, _| Message::system("answer in rhyme")))
            .register(Hook::new(p::MESSAGE_TRANSFORM, "t.shown", |event, _| {
                let text = &event.message.content;
                text.contains("hunter2").then(|| Fold(Message::assistant(text.replace("hunter2", "***"))))
            }))
            .register(Hook::new(p::LOOP_CONTINUE, "t.loop", |event, _| {
                (event.continued == 0).then(|| First(Continue::With(Message::user("test it"))))
            })),
    )
}

fn body(setup: &Setup, client: Client, event: &Value) -> Value {
    let (_, answer) = setup.send(client, event);
    assert_eq!(answer.code, 0);
    answer.body.map(Value::Object).unwrap_or_default()
}

fn with(base: &Value, fields: Value) -> Value {
    let mut event = base.clone();
    let Value::Object(fields) = fields else { unreachable!() };
    event.as_object_mut().unwrap().extend(fields);
    event
}

#[test]
fn gemini() {
    let setup = setup();
    let base =
        json!({"session_id": "s", "cwd": "/", "transcript_path": "/t", "timestamp": "2026-11-21T00:00:00Z"});
    let say = |fields| body(&setup, Client::Gemini, &with(&base, fields));
    assert_eq!(
        say(json!({"hook_event_name": "SessionStart", "source": "startup"}))["hookSpecificOutput"],
        json!({"hookEventName": "SessionStart", "additionalContext": "be brief"})
    );
    assert_eq!(
        say(json!({"hook_event_name": "BeforeAgent", "prompt": "my password"})),
        json!({"decision": "deny", "reason": "no passwords"})
    );
    let tool = |command| json!({"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": {"command": command}});
    assert_eq!(say(tool("rm")), json!({"decision": "deny", "reason": "not that"}));
    assert_eq!(say(tool("ls"))["hookSpecificOutput"]["tool_input"], json!({"command": "ls -l"}));
    assert_eq!(say(tool("git push"))["decision"], "deny", "it cannot ask");
    assert_eq!(say(tool("true")), json!({}));
    let after = say(json!({
        "hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "env"},
        "tool_response": {"llmContent": "PASS=hunter2", "returnDisplay": "x"}
    }));
    assert_eq!((&after["decision"], &after["reason"]), (&json!("deny"), &json!("PASS=***")));
    assert_eq!(after["hookSpecificOutput"]["additionalContext"], "it was Ok");
    let request = json!({"model": "gemini-2.5-pro", "messages": [{"role": "user", "content": "hi"}]});
    let before = say(json!({"hook_event_name": "BeforeModel", "llm_request": request}));
    assert_eq!(
        before["hookSpecificOutput"]["llm_request"],
        json!({"messages": [{"role": "user", "content": "hi"}, {"role": "user", "content": "answer in rhyme"}]})
    );
    let response = json!({"candidates": [{"content": {"role": "model", "parts": ["it is hunter2"]}, "finishReason": "STOP"}]});
    let shown = say(json!({"hook_event_name": "AfterModel", "llm_request": {}, "llm_response": response}));
    assert_eq!(
        shown["hookSpecificOutput"]["llm_response"]["candidates"][0]["content"]["parts"],
        json!(["it is ***"])
    );
    let stop = json!({"hook_event_name": "AfterAgent", "prompt": "x", "prompt_response": "y", "stop_hook_active": false});
    assert_eq!(say(stop.clone()), json!({"decision": "deny", "reason": "test it"}));
    assert_eq!(say(with(&stop, json!({"stop_hook_active": true}))), json!({}));
}

#[test]
fn cursor() {
    let setup = setup();
    let base = json!({"conversation_id": "s", "generation_id": "g", "workspace_roots": ["/"], "model": "m"});
    let say = |fields| body(&setup, Client::Cursor, &with(&base, fields));
    assert_eq!(say(json!({"hook_event_name": "sessionStart"})), json!({"additional_context": "be brief"}));
    assert_eq!(
        say(json!({"hook_event_name": "beforeSubmitPrompt", "prompt": "my password"})),
        json!({"continue": false, "user_message": "no passwords"})
    );
    let tool = |command| json!({"hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": {"command": command}, "cwd": "/tmp"});
    let refused = say(tool("rm"));
    assert_eq!((&refused["permission"], &refused["agent_message"]), (&json!("deny"), &json!("not that")));
    assert_eq!(say(tool("ls"))["updated_input"], json!({"command": "ls -l"}));
    assert_eq!(say(tool("git push"))["permission"], "deny", "it takes an ask here and does not ask");
    let shell = json!({"hook_event_name": "beforeShellExecution", "command": "git push", "cwd": "/"});
    assert_eq!(say(shell)["permission"], "ask");
    let mcp = json!({
        "hook_event_name": "postToolUse", "tool_name": "MCP:vault", "tool_input": {},
        "tool_output": "{\"text\":\"hunter2\"}", "duration": 12.5
    });
    let told = say(mcp);
    assert_eq!(
        (&told["updated_mcp_tool_output"], &told["additional_context"]),
        (&json!("***"), &json!("it was Ok"))
    );
    let stop = json!({"hook_event_name": "stop", "status": "completed", "loop_count": 0});
    assert_eq!(say(stop.clone()), json!({"followup_message": "test it"}));
    assert_eq!(say(with(&stop, json!({"loop_count": 1}))), json!({}));
    assert_eq!(say(with(&stop, json!({"status": "aborted"}))), json!({}), "who broke off is not nagged");
}

#[test]
fn copilot_in_both_spellings() {
    let setup = setup();
    let say = |event: Value| body(&setup, Client::Copilot, &event);
    let camel = |command: &str| {
        let args = json!({"command": command}).to_string();
        let event =
            json!({"sessionId": "s", "timestamp": 1, "cwd": "/", "toolName": "bash", "toolArgs": args});
        let event = hookspec_bridge::bridge::Event::read(
            Client::Copilot,
            event.as_object().unwrap().clone(),
            Some("preToolUse"),
        );
        setup.bridge.answer(&event).body.map(Value::Object).unwrap_or_default()
    };
    assert_eq!(camel("rm"), json!({"permissionDecision": "deny", "permissionDecisionReason": "not that"}));
    assert_eq!(camel("git push")["permissionDecision"], "ask");
    assert_eq!(camel("ls"), json!({"modifiedArgs": {"command": "ls -l"}}));
    let snake = |command: &str| {
        say(json!({
            "session_id": "s", "hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "bash",
            "tool_input": {"command": command}
        }))
    };
    let refused = snake("rm");
    assert_eq!(refused["permissionDecision"], "deny");
    assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(refused["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    let changed = snake("ls");
    assert_eq!(changed["modifiedArgs"], json!({"command": "ls -l"}));
    assert_eq!(changed["hookSpecificOutput"]["updatedInput"], json!({"command": "ls -l"}));
    let stop = say(json!({"session_id": "s", "hook_event_name": "Stop", "cwd": "/"}));
    assert_eq!(stop, json!({"decision": "block", "reason": "test it"}));
}

#[test]
fn goose() {
    let setup = setup();
    let tool = |command| {
        let event = json!({
            "event": "PreToolUse", "session_id": "s", "working_dir": "/", "tool_name": "developer__shell",
            "tool_input": {"command": command}, "tool_call_id": "c"
        });
        body(&setup, Client::Goose, &event)
    };
    assert_eq!(tool("rm"), json!({"decision": "block", "reason": "not that"}));
    assert!(tool("ls")["reason"].as_str().unwrap().contains("\"ls -l\""), "the call to make instead");
    assert_eq!(tool("true"), Value::Null);
    let stop =
        json!({"event": "Stop", "session_id": "s", "working_dir": "/", "last_assistant_message": "done"});
    assert_eq!(body(&setup, Client::Goose, &stop), json!({"decision": "block", "reason": "test it"}));
    // It does not tell that it goes on because of us, so we count ourselves.
    assert_eq!(body(&setup, Client::Goose, &stop), Value::Null);
    let prompt =
        json!({"event": "UserPromptSubmit", "session_id": "s", "working_dir": "/", "message": "my password"});
    let (_, answer) = setup.send(Client::Goose, &prompt);
    assert_eq!((answer.body, answer.losses[0].what), (None, "a refusal"));
}

#[test]
fn hermes() {
    let setup = setup();
    let base =
        json!({"session_id": "s", "cwd": "/", "profile": "default", "tool_name": null, "tool_input": null});
    let say = |fields| body(&setup, Client::Hermes, &with(&base, fields));
    let tool = |command| {
        json!({
            "hook_event_name": "pre_tool_call", "tool_name": "terminal", "tool_input": {"command": command},
            "extra": {"tool_call_id": "c"}
        })
    };
    assert_eq!(say(tool("rm")), json!({"action": "block", "message": "not that"}));
    assert_eq!(say(tool("git push")), json!({"action": "approve", "message": "sure?"}));
    assert_eq!(say(tool("ls")), json!({"action": "modify", "args": {"command": "ls -l"}}));
    // What is said after a tool waits for the next prompt.
    let post = json!({
        "hook_event_name": "post_tool_call", "tool_name": "terminal", "tool_input": {"command": "x"},
        "extra": {"result": "boom", "status": "error"}
    });
    assert_eq!(say(post), Value::Null);
    let prompt =
        json!({"hook_event_name": "pre_llm_call", "extra": {"user_message": "hi", "is_first_turn": false}});
    assert_eq!(say(prompt), json!({"context": "it was Error"}));
    let verify = |attempt| json!({"hook_event_name": "pre_verify", "extra": {"attempt": attempt, "final_response": "done"}});
    assert_eq!(say(verify(0)), json!({"action": "continue", "message": "test it"}));
    assert_eq!(say(verify(1)), Value::Null);
}
