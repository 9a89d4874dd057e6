//! Anthropic's messages.

use hookspec::model::{FinishReason, Metadata, Request, Usage};
use hookspec::{Message, ToolUse};
use hookspec_agent::models::ModelError;
use serde_json::{Value, json};

use crate::server::Server;
use crate::{KEY, ask, busy, hello, model, object, reasoning, shell, sse, text};

fn start() -> Value {
    json!({
        "type": "message_start",
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test", "content": [],
            "stop_reason": null,
            "usage": {
                "input_tokens": 25, "output_tokens": 1,
                "cache_read_input_tokens": 300, "cache_creation_input_tokens": 40,
            },
        },
    })
}

fn block(index: u32, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u32, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u32) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn end(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 15}}),
        json!({"type": "message_stop"}),
    ]
}

fn thinking_then_calling() -> Vec<Value> {
    let mut frames = vec![
        start(),
        block(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, &json!({"type": "thinking_delta", "thinking": "Let me "})),
        delta(0, &json!({"type": "thinking_delta", "thinking": "think."})),
        delta(0, &json!({"type": "signature_delta", "signature": "c2ln"})),
        stop(0),
        json!({"type": "ping"}),
        block(1, &json!({"type": "text", "text": ""})),
        delta(1, &json!({"type": "text_delta", "text": "I will"})),
        delta(1, &json!({"type": "text_delta", "text": " look."})),
        stop(1),
        block(2, &json!({"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {}})),
        delta(2, &json!({"type": "input_json_delta", "partial_json": ""})),
        delta(2, &json!({"type": "input_json_delta", "partial_json": "{\"comm"})),
        delta(2, &json!({"type": "input_json_delta", "partial_json": "and\": \"ls\"}"})),
        stop(2),
    ];
    frames.extend(end("tool_use"));
    frames
}

#[tokio::test]
async fn text_thinking_calls_and_usage_are_read() {
    let mut server = Server::start([sse(&thinking_then_calling())]).await;
    let (answer, chunks) = ask(&*model("anthropic/claude-test", &server), &busy()).await;
    let answer = answer.unwrap();
    assert_eq!(chunks, [reasoning("Let me "), reasoning("think."), text("I will"), text(" look.")]);
    assert_eq!(answer.text, "I will look.");
    assert_eq!(answer.reasoning, "Let me think.");
    assert_eq!(answer.finish_reason, FinishReason::ToolCalls);
    assert_eq!(answer.tool_uses, [ToolUse::native("shell", "toolu_1", object(json!({"command": "ls"})))]);
    assert_eq!(
        answer.usage,
        Some(Usage {
            input_tokens: 25,
            output_tokens: 15,
            cache_read_tokens: 300,
            cache_creation_tokens: 40,
        })
    );

    let seen = server.seen().await;
    assert_eq!(seen.path, "/v1/messages");
    assert_eq!(seen.headers["x-api-key"], KEY);
    assert_eq!(seen.headers["anthropic-version"], "2023-06-01");
    let cached = json!({"type": "ephemeral"});
    assert_eq!(
        seen.body["system"],
        json!([{"type": "text", "text": "Be brief.\n\nToday is Monday.", "cache_control": cached}])
    );
    assert_eq!(
        seen.body["messages"],
        json!([
            {"role": "user", "content": "What is here?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Let me look."},
                    {"type": "tool_use", "id": "c1", "name": "shell", "input": {"command": "ls"}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "a.rs"}],
            },
            {"role": "user", "content": "<system>\nThe branch changed.\n</system>"},
            {
                "role": "user",
                "content": [{
                    "type": "text",
                    "text": "<system>\nstray\n</system>",
                    "cache_control": cached,
                }],
            },
        ])
    );
    assert_eq!(seen.body["tools"][0]["name"], "shell");
    assert_eq!(seen.body["tools"][0]["input_schema"]["required"], json!(["command"]));
    assert_eq!(seen.body["max_tokens"], 50);
    assert_eq!(seen.body["top_p"], 0.5);
}

#[tokio::test]
async fn signed_thinking_goes_back_with_the_next_request() {
    let mut server =
        Server::start([sse(&thinking_then_calling()), sse(&[&[start()][..], &end("end_turn")[..]].concat())])
            .await;
    let model = model("anthropic/claude-test", &server);
    let answer = ask(&*model, &hello()).await.0.unwrap();
    let mut said = Message::assistant(answer.text);
    said.metadata =
        Some(Box::new(Metadata { tool_calls: answer.tool_uses, other: answer.carry, ..Metadata::default() }));
    let next = Request {
        messages: vec![Message::user("hello"), said, Message::system("a.rs").answering("toolu_1")],
        tools: vec![shell()],
        ..Request::default()
    };
    ask(&*model, &next).await.0.unwrap();
    server.seen().await;
    let body = server.seen().await.body;
    assert_eq!(
        body["messages"][1]["content"][0],
        json!({"type": "thinking", "thinking": "Let me think.", "signature": "c2ln"})
    );
}

#[tokio::test]
async fn an_error_inside_the_stream_is_told_by_its_type() {
    let error =
        |kind: &str| sse(&[start(), json!({"type": "error", "error": {"type": kind, "message": "Sorry."}})]);
    let server =
        Server::start([error("overloaded_error"), error("rate_limit_error"), error("invalid_request_error")])
            .await;
    let model = model("anthropic/claude-test", &server);
    let busy = ask(&*model, &hello()).await.0.unwrap_err();
    assert!(matches!(&busy, ModelError::Server { status: None, body, .. } if body == "Sorry."), "{busy}");
    let limited = ask(&*model, &hello()).await.0.unwrap_err();
    assert!(matches!(limited, ModelError::RateLimited { .. }), "{limited}");
    let wrong = ask(&*model, &hello()).await.0.unwrap_err();
    assert!(matches!(wrong, ModelError::Request { .. }) && !wrong.retryable(), "{wrong}");
}

#[tokio::test]
async fn a_stream_without_its_end_is_cut() {
    let server = Server::start([sse(&thinking_then_calling()[..10])]).await;
    let error = ask(&*model("anthropic/claude-test", &server), &hello()).await.0.unwrap_err();
    assert_eq!(error.partial(), Some("I will look."), "{error}");
    assert!(matches!(error, ModelError::Cut { .. }) && error.retryable());
}
