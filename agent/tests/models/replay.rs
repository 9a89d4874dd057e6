//! Replay scripts.

use std::time::Duration;

use hookspec::Message;
use hookspec::model::{FinishReason, Request, Usage};
use hookspec::tool::CallFormat;
use hookspec_agent::models::{Model, ModelError, ModelOptions, Replay, open};
use serde_json::json;

use crate::{ask, hello, object, reasoning, text};

fn replay(script: &str) -> Replay {
    Replay::from_text("tour", script).unwrap()
}

async fn say(model: &Replay) -> String {
    ask(model, &hello()).await.0.unwrap().text
}

fn script_error(error: &ModelError) -> (usize, &str) {
    match error {
        ModelError::Script { script, line, reason } => {
            assert_eq!(script, "tour");
            (*line, reason)
        }
        other => panic!("{other:?} is no script error"),
    }
}

#[tokio::test]
async fn a_reply_comes_in_chunks_of_whole_characters() {
    let model = replay(
        r#"{"reasoning": "höm", "text": "ein Löwe", "chunk_size": 3, "delay_ms": 1,
            "usage": {"input_tokens": 4, "output_tokens": 2}}"#
            .replace('\n', " ")
            .as_str(),
    );
    let (answer, chunks) = ask(&model, &hello()).await;
    assert_eq!(chunks, [reasoning("höm"), text("ein"), text(" Lö"), text("we")]);
    let answer = answer.unwrap();
    assert_eq!(answer.text, "ein Löwe");
    assert_eq!(answer.reasoning, "höm");
    assert_eq!(answer.model, "replay/tour");
    assert_eq!(answer.finish_reason, FinishReason::Stop);
    assert_eq!(answer.usage, Some(Usage { input_tokens: 4, output_tokens: 2, ..Usage::default() }));
    assert!(!model.native_tools());
}

#[tokio::test]
async fn calls_have_ids_of_their_own_and_come_natively() {
    let model = replay(
        r#"{"tool_calls": [{"tool": "shell", "kwargs": {"command": "ls"}}, {"tool": "save", "args": ["a.rs"], "content": "x", "call_id": "mine"}], "repeat": true}"#,
    );
    assert!(model.native_tools());
    let first = ask(&model, &hello()).await.0.unwrap();
    assert_eq!(first.finish_reason, FinishReason::ToolCalls);
    assert_eq!(first.tool_uses[0].kwargs, object(json!({"command": "ls"})));
    assert_eq!(first.tool_uses[0].format, CallFormat::Tool);
    assert_eq!(first.tool_uses[1].args, ["a.rs"]);
    assert_eq!(first.tool_uses[1].content, "x");
    assert_eq!(first.tool_uses[1].call_id.as_deref(), Some("mine"));
    let second = ask(&model, &hello()).await.0.unwrap();
    assert_ne!(first.tool_uses[0].call_id, second.tool_uses[0].call_id);
}

#[tokio::test]
async fn the_end_of_a_script_says_what_to_do() {
    let model = replay("{\"text\": \"one\"}\n\n// the end\n");
    assert_eq!(say(&model).await, "one");
    let error = ask(&model, &hello()).await.0.unwrap_err();
    let (line, reason) = script_error(&error);
    assert_eq!(line, 3);
    assert!(reason.contains("after 1 replies") && reason.contains("\"repeat\": true"), "{reason}");
    assert!(!error.retryable());
}

#[tokio::test]
async fn a_failure_is_followed_by_the_next_line() {
    let model = replay(
        r#"{"error": {"kind": "rate_limited", "retry_after_s": 1.5}}
           {"text": "half a sen", "error": {"kind": "cut"}}
           {"text": "a whole one"}"#,
    );
    let error = ask(&model, &hello()).await.0.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_millis(1500)));
    let (error, chunks) = ask(&model, &hello()).await;
    assert_eq!(chunks, [text("half a sen")]);
    assert_eq!(error.unwrap_err().partial(), Some("half a sen"));
    assert_eq!(say(&model).await, "a whole one");
    assert_eq!(model.replies(), 1);
}

#[tokio::test]
async fn an_expectation_is_held_against_the_last_message() {
    let model = replay("// comment\n{\"expect\": \"Cargo.toml\", \"text\": \"Rust\"}");
    let error = ask(&model, &hello()).await.0.unwrap_err();
    let (line, reason) = script_error(&error);
    assert_eq!(line, 2);
    assert!(reason.contains("Cargo.toml") && reason.contains("hello"), "{reason}");
    let request = Request {
        messages: vec![Message::user("ls"), Message::system("Cargo.toml\nsrc")],
        ..Request::default()
    };
    assert_eq!(ask(&model, &request).await.0.unwrap().text, "Rust");
}

#[tokio::test]
async fn a_resumed_session_goes_on_where_it_was() {
    let script = r#"{"text": "one"}
        {"error": {"kind": "server"}}
        {"text": "two"}
        {"text": "three", "repeat": true}"#;
    for (replies, next) in [(0, "one"), (2, "three"), (3, "three"), (usize::MAX, "three")] {
        let model = replay(script);
        model.skip_to(replies);
        assert_eq!(say(&model).await, next);
    }
    let model = replay(script);
    say(&model).await;
    model.skip_to(1);
    assert!(ask(&model, &hello()).await.0.is_err());
    assert_eq!(say(&model).await, "two");
}

#[test]
fn a_wrong_line_is_named_with_the_remedy() {
    let cases = [
        ("{\"text\": \"ok\"}\n{\"txt\": \"\"}", 2, "unknown field `txt`"),
        ("\n{", 2, "not a reply"),
        ("{}", 1, "needs `text`, `tool_calls` or `error`"),
        (r#"{"text": "", "chunk_size": 0}"#, 1, "at least 1"),
        ("{\"text\": \"a\", \"repeat\": true}\n{\"text\": \"b\"}", 2, "line 1 repeats"),
        (r#"{"error": {"kind": "rate_limited", "retry_after_s": -1}}"#, 1, "retry_after_s"),
        (r#"{"error": {"kind": "gremlins"}}"#, 1, "gremlins"),
    ];
    for (script, line, part) in cases {
        let error = Replay::from_text("tour", script).unwrap_err();
        let (at, reason) = script_error(&error);
        assert_eq!(at, line, "{script}");
        assert!(reason.contains(part), "{reason}");
    }
}

#[tokio::test]
async fn a_script_is_opened_by_either_spelling() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tour.jsonl");
    std::fs::write(&path, "{\"text\": \"hi\"}\n").unwrap();
    for separator in [':', '/'] {
        let spec = format!("replay{separator}{}", path.display());
        let model = open(&spec, &ModelOptions::default()).unwrap();
        assert_eq!(model.name(), format!("replay/{}", path.display()));
        assert_eq!(ask(&*model, &hello()).await.0.unwrap().text, "hi");
    }
    let missing = open("replay:no/such/script", &ModelOptions::default()).unwrap_err();
    assert!(matches!(&missing, ModelError::ScriptFile { path, .. } if path.ends_with("script")));
}
