//! Models behind a network, by way of the `genai` client library.
//!
//! ```text
//! Request ── conversation ──▶ genai ── HTTP, server-sent events ──▶ provider
//! Response ◀── answer ─────── genai ◀── events                ◀────
//! ModelError ◀── failure ──── genai's errors
//! ```
//!
//! Two wire formats serve all: Anthropic's messages, and OpenAI's chat completions, which Ollama speaks under
//! `/v1`. `docs/decisions/0006-model-client.md` says why, and what is worked around here.
//!
//! Requests go past the system's proxy when the endpoint is this machine. Redirects are not followed: they would
//! carry the key along.

mod answer;
mod connections;
mod conversation;
mod failure;
mod open;
mod retry_after;
mod target;
mod turns;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use genai::adapter::AdapterKind;
use genai::chat::{ChatOptions, ChatStreamEvent, ReasoningEffort};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, Headers, ModelIden, ServiceTarget};
use hookspec::model::{ChunkKind, Parameters, Request};
use hookspec::session::Clock;
use serde_json::Value;

pub use self::connections::Connections;
pub(super) use self::open::open;
use self::target::{Kind, Target};
use super::{ChunkSink, Model, ModelError, ModelOptions, Response};

/// A model behind a network.
pub(super) struct Provider {
    target: Target,
    client: Client,
    native_tools: bool,
    fold_system: bool,
    response_timeout: Duration,
    read_timeout: Duration,
    clock: Clock,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("model", &self.target.spec)
            .field("url", &self.target.url.as_str())
            .finish_non_exhaustive()
    }
}

impl Provider {
    pub(super) fn new(target: Target, options: &ModelOptions) -> Result<Self, ModelError> {
        let client = options.connections.client(target.local, options.connect_timeout);
        let client = client.map_err(|reason| ModelError::Setup { model: target.spec.clone(), reason })?;
        Ok(Self {
            client,
            native_tools: options.native_tools.unwrap_or(true),
            fold_system: target.kind == Kind::Anthropic || options.fold_system.unwrap_or(false),
            response_timeout: options.response_timeout,
            read_timeout: options.read_timeout,
            clock: options.clock.clone(),
            target,
        })
    }

    fn service(&self) -> ServiceTarget {
        let Target { id, kind, url, key, .. } = &self.target;
        let auth = match key {
            Some(key) => AuthData::from_single(key.reveal()),
            None => {
                let mut url = url.clone();
                url.set_path(&format!("{}{}", url.path(), kind.path()));
                AuthData::RequestOverride { url: url.to_string(), headers: Headers::default() }
            }
        };
        ServiceTarget {
            endpoint: Endpoint::from_owned(url.as_str()),
            auth,
            model: ModelIden::new(kind.adapter(), id.as_str()),
        }
    }

    fn options(&self, parameters: &Parameters) -> ChatOptions {
        let mut body = parameters.extra.clone();
        // The library reads meaning into the ends of names (`-high`, `-max`) and takes them off; say it again.
        body.insert("model".into(), Value::String(self.target.id.clone()));
        ChatOptions {
            temperature: parameters.temperature,
            max_tokens: parameters.max_tokens,
            capture_usage: Some(true),
            capture_tool_calls: Some(true),
            // Signed thinking is only handed out together with its text.
            capture_reasoning_content: Some(true),
            stream_header_timeout: Some(self.response_timeout),
            stream_read_timeout: Some(self.read_timeout),
            // A budget means nothing to chat completions and is not sent, but it keeps the library from
            // reading an effort out of the model's name. Anthropic's adapter would send it.
            reasoning_effort: (self.target.kind.adapter() == AdapterKind::OpenAI)
                .then_some(ReasoningEffort::Budget(0)),
            extra_body: Some(Value::Object(body)),
            ..ChatOptions::default()
        }
    }

    async fn run(
        &self,
        request: &Request,
        sink: &mut (dyn ChunkSink + Send),
    ) -> Result<Response, ModelError> {
        let start = Instant::now();
        let mut text = String::new();
        let mut reasoning = String::new();
        let mut ttft = None;
        let failed = |error: genai::Error, partial: &str| {
            failure::Failure {
                target: &self.target,
                clock: &self.clock,
                response_timeout: self.response_timeout,
                read_timeout: self.read_timeout,
                partial,
            }
            .explain(error)
        };
        let chat = conversation::build(request, self.target.kind, self.native_tools, self.fold_system);
        let streams = Arc::new(AtomicBool::new(false));
        let mark = Arc::clone(&streams);
        let options = self.options(&request.parameters).with_raw_frame_fn(move |_, frame| {
            mark.fetch_or(!frame.data.is_empty(), Ordering::Relaxed);
        });
        let mut stream = self
            .client
            .exec_chat_stream(self.service(), chat, Some(&options))
            .await
            .map_err(|error| failed(error, ""))?
            .stream;
        while let Some(event) = stream.next().await {
            let (piece, kind) = match event.map_err(|error| failed(error, &text))? {
                ChatStreamEvent::Chunk(chunk) => (chunk.content, ChunkKind::Text),
                ChatStreamEvent::ReasoningChunk(chunk) => (chunk.content, ChunkKind::Reasoning),
                ChatStreamEvent::End(end) => {
                    let mut response = answer::finish(&self.target, end)?;
                    (response.text, response.reasoning, response.ttft) = (text, reasoning, ttft);
                    return Ok(response);
                }
                // Calls are whole, and parsed, at the end; signatures too.
                ChatStreamEvent::Start
                | ChatStreamEvent::Heartbeat
                | ChatStreamEvent::ToolCallChunk(_)
                | ChatStreamEvent::ThoughtSignatureChunk(_) => continue,
            };
            if piece.is_empty() {
                continue;
            }
            ttft.get_or_insert_with(|| start.elapsed());
            match kind {
                ChunkKind::Text => text.push_str(&piece),
                ChunkKind::Reasoning => reasoning.push_str(&piece),
            }
            if let ControlFlow::Break(()) = sink.chunk(&piece, kind).await {
                return Err(ModelError::Interrupted { partial: text });
            }
        }
        let model = self.target.spec.clone();
        if !streams.load(Ordering::Relaxed) {
            // A login page, or the front of something else, answers with success as well.
            return Err(ModelError::Malformed {
                model,
                what: "it is not a stream of events; check the base URL".into(),
                excerpt: self.target.url.to_string(),
            });
        }
        Err(ModelError::Cut { model, partial: text })
    }
}

impl Model for Provider {
    fn name(&self) -> &str {
        &self.target.spec
    }

    fn native_tools(&self) -> bool {
        self.native_tools
    }

    fn generate<'a>(
        &'a self,
        request: &'a Request,
        sink: &'a mut (dyn ChunkSink + Send),
    ) -> BoxFuture<'a, Result<Response, ModelError>> {
        Box::pin(self.run(request, sink))
    }
}
