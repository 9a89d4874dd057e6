//! The real providers' client, against a server on this machine that speaks their documented wire formats.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request as HttpRequest, State};
use axum::http::StatusCode;
use axum::response::Response as HttpResponse;
use futures_util::{StreamExt, stream};
use hookspec::{BoxFuture, ChunkKind, FinishReason, Message, Request, ToolSpec, Usage};
use hookspec_agent::models::{ChunkSink, ModelError, ModelOptions, Response, open};
use serde_json::{Value, json};

/// What the server answers, and what it was asked.
#[derive(Clone)]
struct Script {
    status: u16,
    headers: Vec<(&'static str, String)>,
    pieces: Vec<String>,
    cut: bool,
    asked: Arc<Mutex<Vec<(String, String, Value)>>>,
}

async fn answer(State(script): State<Script>, request: HttpRequest) -> HttpResponse {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let header = |name: &str| parts.headers.get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let key = header("authorization").or(header("x-api-key")).unwrap_or_default();
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    script.asked.lock().unwrap().push((parts.uri.path().to_owned(), key, body));
    let mut response = HttpResponse::builder().status(StatusCode::from_u16(script.status).unwrap());
    for (name, value) in &script.headers {
        response = response.header(*name, value);
    }
    let pieces: Vec<_> = script.pieces.iter().map(|piece| Ok(Bytes::from(piece.clone()))).collect();
    let end = stream::iter(script.cut.then_some(())).then(|()| async {
        // What came before shall have left the machine's buffers when the line is cut.
        tokio::time::sleep(Duration::from_millis(200)).await;
        Err(std::io::Error::other("cut"))
    });
    response.body(Body::from_stream(stream::iter(pieces).chain(end))).unwrap()
}

struct Server {
    base: String,
    asked: Arc<Mutex<Vec<(String, String, Value)>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(status: u16, headers: Vec<(&'static str, String)>, pieces: Vec<String>, cut: bool) -> Server {
    let asked = Arc::<Mutex<Vec<_>>>::default();
    let script = Script { status, headers, pieces, cut, asked: Arc::clone(&asked) };
    let app = Router::new().fallback(answer).with_state(script);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        axum::serve(listener, app).await.unwrap();
    });
    Server { base, asked, task }
}

fn sse(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

fn event_stream() -> Vec<(&'static str, String)> {
    vec![("content-type", "text/event-stream".to_owned())]
}

#[derive(Default)]
struct Heard {
    text: Vec<String>,
    reasoning: String,
    most: Option<usize>,
}

impl ChunkSink for Heard {
    fn chunk<'a>(&'a mut self, text: &'a str, kind: ChunkKind) -> BoxFuture<'a, ControlFlow<()>> {
        match kind {
            ChunkKind::Text => self.text.push(text.to_owned()),
            ChunkKind::Reasoning => self.reasoning.push_str(text),
        }
        let enough = self.most.is_some_and(|most| self.text.len() >= most);
        Box::pin(async move { if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) } })
    }
}

fn request() -> Request {
    Request {
        messages: vec![Message::system("be brief"), Message::user("list the files")],
        tools: vec![ToolSpec {
            name: "shell".into(),
            description: "Runs a command.".into(),
            parameters: json!({ "type": "object", "properties": { "command": { "type": "string" } } }),
        }],
        ..Request::default()
    }
}

async fn ask(name: &str, base: String, heard: &mut Heard) -> Result<Response, ModelError> {
    let options = ModelOptions {
        api_key: Some(hookspec::Secret::new("sk-very-secret")),
        base_url: Some(base),
        timeout: Some(Duration::from_secs(20)),
    };
    open(name, &options)?.generate(&request(), heard).await
}

fn openai_chunk(delta: Value, finish: Value) -> Value {
    json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

fn openai_answer() -> Vec<String> {
    let call =
        |arguments: &str| json!({ "tool_calls": [{ "index": 0, "function": { "arguments": arguments } }] });
    let mut events = sse(&[
        openai_chunk(json!({ "role": "assistant", "content": "I'll " }), Value::Null),
        openai_chunk(json!({ "content": "look." }), Value::Null),
        openai_chunk(
            json!({ "tool_calls": [{ "index": 0, "id": "call_1", "type": "function",
                "function": { "name": "shell", "arguments": "" } }] }),
            Value::Null,
        ),
        openai_chunk(call("{\"comm"), Value::Null),
        openai_chunk(call("and\": \"ls\"}"), Value::Null),
        openai_chunk(json!({}), json!("tool_calls")),
        json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [],
            "usage": { "prompt_tokens": 120, "completion_tokens": 9, "total_tokens": 129,
                "prompt_tokens_details": { "cached_tokens": 100 } } }),
    ]);
    events.push("data: [DONE]\n\n".to_owned());
    events
}

#[tokio::test]
async fn openai_streams_text_calls_and_usage() {
    let server = serve(200, event_stream(), openai_answer(), false).await;
    let mut heard = Heard::default();
    let response = ask("openai/gpt-test", format!("{}/v1", server.base), &mut heard).await.unwrap();
    assert_eq!(heard.text, ["I'll ", "look."]);
    assert_eq!(response.text, "I'll look.");
    assert_eq!(response.finish_reason, FinishReason::ToolCalls);
    let call = &response.tool_uses[0];
    assert_eq!((call.tool.as_str(), call.text("command")), ("shell", Some("ls")));
    assert_eq!(call.call_id.as_deref(), Some("call_1"));
    let expected =
        Usage { input_tokens: 20, output_tokens: 9, cache_read_tokens: 100, cache_creation_tokens: 0 };
    assert_eq!(response.usage, Some(expected));

    let asked = server.asked.lock().unwrap();
    let (path, key, body) = &asked[0];
    assert_eq!((path.as_str(), key.as_str()), ("/v1/chat/completions", "Bearer sk-very-secret"));
    assert_eq!(body["model"], "gpt-test");
    assert_eq!(body["messages"][0], json!({ "role": "system", "content": "be brief" }));
    assert_eq!(body["tools"][0]["function"]["name"], "shell");
    assert_eq!(body["stream"], true);
}

#[tokio::test]
async fn anthropic_streams_thinking_text_calls_and_usage() {
    let event = |value: Value| format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap());
    let pieces = [
        json!({ "type": "message_start", "message": { "id": "m", "type": "message", "role": "assistant",
            "model": "c", "content": [], "stop_reason": null,
            "usage": { "input_tokens": 20, "output_tokens": 1, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 7 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "hm" } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "I'll look." } }),
        json!({ "type": "content_block_stop", "index": 1 }),
        json!({ "type": "content_block_start", "index": 2, "content_block": { "type": "tool_use", "id": "toolu_1", "name": "shell", "input": {} } }),
        json!({ "type": "content_block_delta", "index": 2, "delta": { "type": "input_json_delta", "partial_json": "{\"command\":" } }),
        json!({ "type": "content_block_delta", "index": 2, "delta": { "type": "input_json_delta", "partial_json": "\"ls\"}" } }),
        json!({ "type": "content_block_stop", "index": 2 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use", "stop_sequence": null }, "usage": { "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ]
    .map(event);
    let server = serve(200, event_stream(), pieces.to_vec(), false).await;
    let mut heard = Heard::default();
    let response = ask("anthropic/claude-test", format!("{}/v1", server.base), &mut heard).await.unwrap();
    assert_eq!((heard.text.concat().as_str(), heard.reasoning.as_str()), ("I'll look.", "hm"));
    assert_eq!(response.tool_uses[0].text("command"), Some("ls"));
    assert_eq!(response.finish_reason, FinishReason::ToolCalls);
    let usage = response.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (20, 9), "{usage:?}");
    assert_eq!((usage.cache_read_tokens, usage.cache_creation_tokens), (100, 7));
    let asked = server.asked.lock().unwrap();
    assert_eq!((asked[0].0.as_str(), asked[0].1.as_str()), ("/v1/messages", "sk-very-secret"));
}

#[tokio::test]
async fn ollama_streams_text() {
    let line = |value: Value| format!("{value}\n");
    let pieces = vec![
        line(
            json!({ "model": "l", "created_at": "2026-01-01T00:00:00Z", "message": { "role": "assistant", "content": "Hel" }, "done": false }),
        ),
        line(
            json!({ "model": "l", "created_at": "2026-01-01T00:00:00Z", "message": { "role": "assistant", "content": "lo" }, "done": false }),
        ),
        line(
            json!({ "model": "l", "created_at": "2026-01-01T00:00:00Z", "message": { "role": "assistant", "content": "" }, "done": true,
            "done_reason": "stop", "prompt_eval_count": 11, "eval_count": 2 }),
        ),
    ];
    let server = serve(200, vec![("content-type", "application/x-ndjson".into())], pieces, false).await;
    let mut heard = Heard::default();
    let response = ask("ollama/llama-test", server.base.clone(), &mut heard).await;
    let asked = server.asked.lock().unwrap().clone();
    let response = response.unwrap_or_else(|error| panic!("{error:?}; asked {asked:?}"));
    assert_eq!(response.text, "Hello");
    assert_eq!(response.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((11, 2)));
    assert_eq!(asked[0].0, "/api/chat");
}

async fn failure(
    status: u16,
    headers: Vec<(&'static str, String)>,
    pieces: Vec<String>,
    cut: bool,
) -> ModelError {
    let server = serve(status, headers, pieces, cut).await;
    let error =
        ask("openai/gpt-test", format!("{}/v1", server.base), &mut Heard::default()).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("sk-very-secret"), "{error:?}");
    error
}

fn json_body(value: &Value) -> (Vec<(&'static str, String)>, Vec<String>) {
    (vec![("content-type", "application/json".into())], vec![value.to_string()])
}

#[tokio::test]
async fn a_refused_key_is_not_tried_again() {
    let (headers, body) = json_body(&json!({ "error": { "message": "bad key sk-very-secret" } }));
    let error = failure(401, headers, body, false).await;
    assert!(matches!(error, ModelError::Authentication { status: 401, .. }), "{error:?}");
    assert!(!error.retryable());
}

#[tokio::test]
async fn too_many_requests_say_when_to_come_back() {
    for (header, value, wait) in [("retry-after", "7", 7_000), ("retry-after-ms", "250", 250)] {
        let (mut headers, body) = json_body(&json!({ "error": { "message": "slow down" } }));
        headers.push((header, value.to_owned()));
        let error = failure(429, headers, body, false).await;
        assert_eq!(error.retry_after(), Some(Duration::from_millis(wait)), "{error:?}");
        assert!(error.retryable());
    }
}

#[tokio::test]
async fn a_broken_server_is_tried_again_and_its_words_are_shown() {
    let (headers, body) = json_body(&json!({ "error": { "message": "out of cheese" } }));
    let error = failure(500, headers, body, false).await;
    assert!(
        matches!(&error, ModelError::Server { status: 500, body, .. } if body.contains("out of cheese")),
        "{error:?}"
    );
    assert!(error.retryable());
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_a_cut_answer() {
    let whole = openai_answer();
    for (pieces, cut) in [(whole[..2].to_vec(), true), (whole[..2].to_vec(), false)] {
        let error = failure(200, event_stream(), pieces, cut).await;
        assert!(matches!(&error, ModelError::Cut { .. }), "cut {cut}: {error:?}");
        assert!(error.retryable());
    }
}

#[tokio::test]
async fn nonsense_is_not_tried_again() {
    let mut pieces = openai_answer();
    pieces[1] = "data: {\"choices\": [oops\n\n".to_owned();
    let error = failure(200, event_stream(), pieces, false).await;
    assert!(matches!(error, ModelError::Malformed { .. }), "{error:?}");
    assert!(!error.retryable());
}

#[tokio::test]
async fn nobody_there_is_a_failed_connection() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let error = ask("openai/gpt-test", base, &mut Heard::default()).await.unwrap_err();
    assert!(matches!(error, ModelError::Connect { .. }), "{error:?}");
}

#[tokio::test]
async fn a_listener_that_has_heard_enough_ends_the_stream() {
    let server = serve(200, event_stream(), openai_answer(), false).await;
    let mut heard = Heard { most: Some(1), ..Heard::default() };
    let error = ask("openai/gpt-test", format!("{}/v1", server.base), &mut heard).await.unwrap_err();
    assert_eq!(error, ModelError::Interrupted { partial: "I'll ".into() });
}
