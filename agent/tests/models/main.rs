//! Models against a server on this machine that speaks the providers' documented wire formats.

// Helpers outside of test functions fail a test in the same way as the tests do.
#![allow(clippy::unwrap_used, clippy::expect_used)]
// JSON literals read best when they are handed over as they are.
#![allow(clippy::needless_pass_by_value)]

mod anthropic;
mod errors;
mod ollama;
mod openai;
mod replay;
mod server;

use std::sync::Arc;
use std::time::Duration;

use hookspec::ask::Secret;
use hookspec::model::{ChunkKind, Metadata, Parameters, Request};
use hookspec::tool::ToolSpec;
use hookspec::{Message, ToolUse};
use hookspec_agent::models::{Model, ModelError, ModelOptions, Response, StreamEvent, open_with_env};
use serde_json::{Value, json};

use server::{Answer, Server};

/// The key that must never show up in a message.
const KEY: &str = "sk-do-not-tell-4711";

/// The model `spec` at `server`; the environment is empty.
fn model(spec: &str, server: &Server) -> Arc<dyn Model> {
    model_with(spec, server, ModelOptions::default())
}

fn model_with(spec: &str, server: &Server, options: ModelOptions) -> Arc<dyn Model> {
    let suffix = if spec.starts_with("openai/") { "/v1" } else { "" };
    let options = ModelOptions {
        api_key: Some(Secret::new(KEY)),
        base_url: Some(format!("http://{}{suffix}", server.address)),
        ..options
    };
    open_with_env(spec, &options, &|_| None).unwrap()
}

/// Sends `request` and gathers the chunks. The bound only keeps a hung test from hanging the run.
async fn ask(
    model: &dyn Model,
    request: &Request,
) -> (Result<Response, ModelError>, Vec<(String, ChunkKind)>) {
    let mut events: Vec<StreamEvent> = Vec::new();
    let answer = tokio::time::timeout(Duration::from_secs(60), model.generate(request, &mut events))
        .await
        .expect("the model should answer");
    let chunks = events.into_iter().map(|StreamEvent::Chunk { text, kind }| (text, kind)).collect();
    (answer, chunks)
}

fn hello() -> Request {
    Request { messages: vec![Message::user("hello")], ..Request::default() }
}

fn text(text: &str) -> (String, ChunkKind) {
    (text.to_owned(), ChunkKind::Text)
}

fn reasoning(text: &str) -> (String, ChunkKind) {
    (text.to_owned(), ChunkKind::Reasoning)
}

fn shell() -> ToolSpec {
    ToolSpec {
        name: "shell".into(),
        description: "Runs a command.".into(),
        parameters: json!({
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        }),
    }
}

fn object(value: Value) -> serde_json::Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is not an object"),
    }
}

/// A conversation with a call, its result, and hooks that speak at inconvenient moments.
fn busy() -> Request {
    let mut calling = Message::assistant("Let me look.");
    calling.metadata = Some(Box::new(Metadata {
        tool_calls: vec![ToolUse::native("shell", "c1", object(json!({"command": "ls"})))],
        ..Metadata::default()
    }));
    let mut result = Message::system("a.rs").answering("c1");
    result.metadata = Some(Box::new(Metadata { tool: Some("shell".into()), ..Metadata::default() }));
    Request {
        messages: vec![
            Message::system("Be brief."),
            Message::system("Today is Monday."),
            Message::user("What is here?"),
            calling,
            Message::system("The branch changed."),
            result,
            Message::system("stray").answering("nobody"),
        ],
        tools: vec![shell()],
        parameters: Parameters {
            max_tokens: Some(50),
            temperature: Some(0.25),
            extra: object(json!({"top_p": 0.5})),
        },
        ..Request::default()
    }
}

/// Frames of server-sent events.
fn sse(frames: &[Value]) -> Answer {
    let mut answer = Answer::stream("text/event-stream");
    for frame in frames {
        let data = match frame {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let event = frame.get("type").and_then(Value::as_str);
        let event = event.map_or(String::new(), |event| format!("event: {event}\n"));
        answer = answer.piece(format!("{event}data: {data}\n\n"));
    }
    answer
}
