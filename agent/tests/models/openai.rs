//! OpenAI's chat completions.

use hookspec::ToolUse;
use hookspec::model::{FinishReason, Usage};
use hookspec_agent::models::{ModelError, ModelOptions, open_with_env};
use serde_json::{Value, json};

use crate::server::{Answer, Server};
use crate::{KEY, ask, busy, hello, model, model_with, object, reasoning, sse, text};

/// A chunk with one choice.
pub(crate) fn chunk(delta: Value, finish: Option<&str>) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "gpt-test-2026",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    })
}

pub(crate) fn done() -> Value {
    json!("[DONE]")
}

#[tokio::test]
async fn text_arrives_in_chunks_with_usage_and_reasoning() {
    let mut server = Server::start([sse(&[
        chunk(json!({"role": "assistant", "content": ""}), None),
        chunk(json!({"reasoning_content": "Hm."}), None),
        chunk(json!({"content": "Héllo"}), None),
        chunk(json!({"content": " world"}), None),
        chunk(json!({}), Some("stop")),
        json!({
            "id": "chatcmpl-1",
            "choices": [],
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 7,
                "total_tokens": 107,
                "prompt_tokens_details": {"cached_tokens": 60},
            },
        }),
        done(),
    ])])
    .await;
    let model = model("openai/gpt-test", &server);
    assert!(model.native_tools());
    let (answer, chunks) = ask(&*model, &hello()).await;
    let answer = answer.unwrap();
    assert_eq!(chunks, [reasoning("Hm."), text("Héllo"), text(" world")]);
    assert_eq!(answer.text, "Héllo world");
    assert_eq!(answer.reasoning, "Hm.");
    assert_eq!(answer.finish_reason, FinishReason::Stop);
    assert_eq!(answer.model, "openai/gpt-test");
    assert!(answer.ttft.is_some() && answer.tool_uses.is_empty() && answer.carry.is_empty());
    assert_eq!(
        answer.usage,
        Some(Usage { input_tokens: 40, output_tokens: 7, cache_read_tokens: 60, cache_creation_tokens: 0 })
    );
    let seen = server.seen().await;
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(seen.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(seen.body["model"], "gpt-test");
    assert_eq!(seen.body["stream"], true);
    assert_eq!(seen.body["stream_options"], json!({"include_usage": true}));
    assert_eq!(seen.body["messages"], json!([{"role": "user", "content": "hello"}]));
}

#[tokio::test]
async fn frames_and_characters_may_be_torn_anywhere() {
    let frames = format!(
        "data: {}\n\ndata: {}\n\ndata: [DONE]\n\n",
        chunk(json!({"content": "a—b"}), None),
        chunk(json!({}), Some("length"))
    );
    let mut answer = Answer::stream("text/event-stream");
    for byte in frames.into_bytes() {
        answer = answer.piece([byte]);
    }
    let server = Server::start([answer]).await;
    let (answer, _) = ask(&*model("openai/m", &server), &hello()).await;
    let answer = answer.unwrap();
    assert_eq!(answer.text, "a—b");
    assert_eq!(answer.finish_reason, FinishReason::Length);
    assert_eq!(answer.usage, None);
}

#[tokio::test]
async fn tool_calls_are_put_together_from_their_deltas() {
    let call = |index: u32, id: Option<&str>, name: Option<&str>, arguments: &str| {
        let mut call = json!({"index": index, "function": {"arguments": arguments}});
        if let Some(id) = id {
            call["id"] = json!(id);
            call["type"] = json!("function");
        }
        if let Some(name) = name {
            call["function"]["name"] = json!(name);
        }
        chunk(json!({"tool_calls": [call]}), None)
    };
    let mut server = Server::start([sse(&[
        call(0, Some("call_a"), Some("shell"), ""),
        call(0, None, None, "{\"comm"),
        call(0, None, None, "and\":\"ls -l\"}"),
        call(1, Some("call_b"), Some("now"), ""),
        chunk(json!({}), Some("tool_calls")),
        done(),
    ])])
    .await;
    let (answer, chunks) = ask(&*model("openai/m", &server), &busy()).await;
    let answer = answer.unwrap();
    assert_eq!(chunks, []);
    assert_eq!(answer.ttft, None);
    assert_eq!(answer.finish_reason, FinishReason::ToolCalls);
    assert_eq!(
        answer.tool_uses,
        [
            ToolUse::native("shell", "call_a", object(json!({"command": "ls -l"}))),
            ToolUse::native("now", "call_b", object(json!({}))),
        ]
    );

    let body = server.seen().await.body;
    assert_eq!(
        body["messages"],
        json!([
            {"role": "system", "content": "Be brief.\n\nToday is Monday."},
            {"role": "user", "content": "What is here?"},
            {
                "role": "assistant",
                "content": "Let me look.",
                "tool_calls": [{
                    "type": "function",
                    "id": "c1",
                    "function": {"name": "shell", "arguments": "{\"command\":\"ls\"}"},
                }],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "a.rs"},
            {"role": "system", "content": "The branch changed."},
            {"role": "system", "content": "stray"},
        ])
    );
    let function = &body["tools"][0]["function"];
    assert_eq!(body["tools"].as_array().map(Vec::len), Some(1));
    assert_eq!(function["name"], "shell");
    assert_eq!(function["description"], "Runs a command.");
    assert_eq!(function["parameters"]["required"], json!(["command"]));
    assert_eq!(body["max_tokens"], 50);
    assert_eq!(body["temperature"], 0.25);
    assert_eq!(body["top_p"], 0.5);
}

#[tokio::test]
async fn the_ends_of_names_are_left_alone() {
    let mut server = Server::start([sse(&[chunk(json!({"content": "x"}), Some("stop")), done()])]).await;
    ask(&*model("openai/org::coder-max", &server), &hello()).await.0.unwrap();
    let body = server.seen().await.body;
    assert_eq!(body["model"], "org::coder-max");
    assert_eq!(body.get("reasoning_effort"), None);
}

#[tokio::test]
async fn a_local_endpoint_needs_no_key_and_templates_may_want_folded_system_text() {
    let mut server = Server::start([sse(&[chunk(json!({"content": "x"}), Some("stop")), done()])]).await;
    let options = ModelOptions {
        base_url: Some(format!("http://{}/api/v2?tenant=7", server.address)),
        fold_system: Some(true),
        native_tools: Some(false),
        ..ModelOptions::default()
    };
    let model = open_with_env("openai/local", &options, &|_| None).unwrap();
    assert!(!model.native_tools());
    ask(&*model, &busy()).await.0.unwrap();
    let seen = server.seen().await;
    assert_eq!(seen.path, "/api/v2/chat/completions?tenant=7");
    assert_eq!(seen.headers.get("authorization"), None);
    assert_eq!(seen.body.get("tools"), None);
    let messages = seen.body["messages"].as_array().unwrap();
    let last = &messages[messages.len() - 1];
    assert_eq!(last, &json!({"role": "user", "content": "<system>\nstray\n</system>"}));
}

#[tokio::test]
async fn a_call_whose_arguments_are_no_object_is_malformed_unless_it_was_cut_short() {
    let broken = |finish: &str| {
        let call = json!({
            "index": 0, "id": "c", "function": {"name": "shell", "arguments": "{\"command\": "},
        });
        sse(&[chunk(json!({"tool_calls": [call]}), None), chunk(json!({}), Some(finish)), done()])
    };
    let server = Server::start([broken("tool_calls"), broken("length")]).await;
    let model = model_with("openai/m", &server, ModelOptions::default());
    let error = ask(&*model, &hello()).await.0.unwrap_err();
    assert!(
        matches!(&error, ModelError::Malformed { excerpt, .. } if excerpt.contains("\"command\":")),
        "{error}"
    );
    let answer = ask(&*model, &hello()).await.0.unwrap();
    assert_eq!(answer.finish_reason, FinishReason::Length);
    assert_eq!(answer.tool_uses, []);
}

#[tokio::test]
async fn calls_that_the_library_can_not_read_are_not_lost_in_silence() {
    let call = json!({"id": "c", "function": {"name": "shell", "arguments": "{}"}});
    let server = Server::start([sse(&[
        chunk(json!({"tool_calls": [call]}), None),
        chunk(json!({}), Some("tool_calls")),
        done(),
    ])])
    .await;
    let error = ask(&*model("openai/m", &server), &hello()).await.0.unwrap_err();
    assert!(matches!(error, ModelError::Malformed { .. }), "{error}");
}
