//! Real providers, through the `genai` client library.
//!
//! What the library does not say, this file works out: which failures are worth another try, how long a
//! provider wants to be left alone, and that an answer broke off when its stream ends without an end.

use std::fmt;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use genai::adapter::AdapterKind;
use genai::chat::{ChatOptions, ChatStreamEvent, StopReason, StreamEnd};
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use genai::{Client, ModelIden, ServiceTarget};
use hookspec::{BoxFuture, ChunkKind, FinishReason, Request, Secret, ToolUse, Usage};
use serde_json::{Map, Value};

use super::{ChunkSink, Model, ModelError, ModelOptions, Response, messages};

/// How long nothing may arrive before a call counts as lost, unless the options say otherwise.
const SILENCE: Duration = Duration::from_secs(120);
/// How much of an error's body is shown.
const EXCERPT: usize = 300;

/// Who serves a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// OpenAI, and whatever speaks its chat completions at another address.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// A local Ollama.
    Ollama,
}

impl Vendor {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "openai" => Some(Self::OpenAi),
            "anthropic" => Some(Self::Anthropic),
            "ollama" => Some(Self::Ollama),
            _ => None,
        }
    }

    fn adapter(self) -> AdapterKind {
        match self {
            Self::OpenAi => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
            Self::Ollama => AdapterKind::Ollama,
        }
    }

    fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Ollama => None,
        }
    }

    fn address(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenAi => ("OPENAI_BASE_URL", "https://api.openai.com/v1/"),
            Self::Anthropic => ("ANTHROPIC_BASE_URL", "https://api.anthropic.com/v1/"),
            Self::Ollama => ("OLLAMA_HOST", "http://127.0.0.1:11434/"),
        }
    }
}

/// A model behind an API.
pub struct Provider {
    name: String,
    client: Client,
    silence: Duration,
    key: Option<Secret>,
}

impl Provider {
    pub(super) fn open(
        vendor: Vendor,
        name: &str,
        options: &ModelOptions,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ModelError> {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let (address_variable, usual) = vendor.address();
        let given = options.base_url.clone().or_else(|| set(address_variable));
        let key = options.api_key.clone().or_else(|| set(vendor.key_variable()?).map(Secret::new));
        if let (None, None, Some(variable)) = (&key, &given, vendor.key_variable()) {
            return Err(ModelError::NoKey { model: name.to_owned(), variable });
        }
        let mut base = given.unwrap_or_else(|| usual.to_owned());
        if !base.contains("://") {
            base.insert_str(0, "http://");
        }
        if !base.ends_with('/') {
            base.push('/');
        }
        // A server on this machine often wants no key; the library wants one all the same.
        let secret = key.as_ref().map_or("none", Secret::reveal).to_owned();
        let bare = name.split_once('/').map_or(name, |(_, bare)| bare).to_owned();
        let model = ModelIden::new(vendor.adapter(), bare);
        let resolver = ServiceTargetResolver::from_resolver_fn(
            move |_: ServiceTarget| -> Result<ServiceTarget, genai::resolver::Error> {
                Ok(ServiceTarget {
                    endpoint: Endpoint::from_owned(base.as_str()),
                    auth: AuthData::from_single(secret.as_str()),
                    model: model.clone(),
                })
            },
        );
        let client = Client::builder()
            .with_service_target_resolver(resolver)
            .build()
            .map_err(|error| ModelError::Connect { model: name.to_owned(), why: error.to_string() })?;
        let silence = options.timeout.unwrap_or(SILENCE);
        Ok(Self { name: name.to_owned(), client, silence, key })
    }

    async fn stream(&self, request: &Request, sink: &mut dyn ChunkSink) -> Result<Response, ModelError> {
        let chat = messages::lower(request);
        let mut options = ChatOptions::default()
            .with_capture_usage(true)
            .with_capture_tool_calls(true)
            .with_capture_content(true)
            .with_capture_reasoning_content(true);
        if let Some(most) = request.parameters.max_tokens {
            options = options.with_max_tokens(most);
        }
        if let Some(temperature) = request.parameters.temperature {
            options = options.with_temperature(temperature);
        }
        if !request.parameters.extra.is_empty() {
            options = options.with_extra_body(Value::Object(request.parameters.extra.clone()));
        }
        let began = Instant::now();
        let bare = self.name.split_once('/').map_or(self.name.as_str(), |(_, bare)| bare);
        let opening = self.client.exec_chat_stream(bare, chat, Some(&options));
        let opened = tokio::time::timeout(self.silence, opening).await;
        let opened = opened.map_err(|_| self.silent())?.map_err(|error| self.explain(&error, ""))?;
        let mut stream = opened.stream;
        let (mut text, mut ttft) = (String::new(), None);
        loop {
            let next = tokio::time::timeout(self.silence, stream.next()).await;
            let event = match next.map_err(|_| self.silent())? {
                Some(Ok(event)) => event,
                Some(Err(error)) => return Err(self.explain(&error, &text)),
                None => return Err(ModelError::Cut { model: self.name.clone(), partial: text }),
            };
            let (piece, kind) = match event {
                ChatStreamEvent::Chunk(chunk) => (chunk.content, ChunkKind::Text),
                ChatStreamEvent::ReasoningChunk(chunk) => (chunk.content, ChunkKind::Reasoning),
                ChatStreamEvent::End(end) => return self.finish(text, end, ttft),
                _ => continue,
            };
            if piece.is_empty() {
                continue;
            }
            ttft.get_or_insert_with(|| began.elapsed());
            if kind == ChunkKind::Text {
                text.push_str(&piece);
            }
            if sink.chunk(&piece, kind).await.is_break() {
                return Err(ModelError::Interrupted { partial: text });
            }
        }
    }

    fn finish(&self, text: String, end: StreamEnd, ttft: Option<Duration>) -> Result<Response, ModelError> {
        let usage = end.captured_usage.as_ref().map(usage);
        let reason = match &end.captured_stop_reason {
            Some(StopReason::Completed(_) | StopReason::StopSequence(_)) => FinishReason::Stop,
            Some(StopReason::MaxTokens(_)) => FinishReason::Length,
            Some(StopReason::ToolCall(_)) => FinishReason::ToolCalls,
            Some(StopReason::ContentFilter(_)) => FinishReason::ContentFilter,
            Some(StopReason::Other(_)) => FinishReason::Other,
            // No reason at all: the stream was closed before the model was done.
            None => return Err(ModelError::Cut { model: self.name.clone(), partial: text }),
        };
        let reasoning = end.captured_reasoning_content.clone().unwrap_or_default();
        let mut tool_uses = Vec::new();
        for call in end.captured_tool_calls().unwrap_or_default() {
            let kwargs = match &call.fn_arguments {
                Value::Object(kwargs) => kwargs.clone(),
                Value::Null => Map::new(),
                Value::String(empty) if empty.trim().is_empty() => Map::new(),
                other => {
                    return Err(ModelError::Malformed {
                        model: self.name.clone(),
                        why: format!(
                            "the arguments of the call to `{}` are no object: {}",
                            call.fn_name,
                            excerpt(&other.to_string())
                        ),
                    });
                }
            };
            tool_uses.push(ToolUse::native(&call.fn_name, &call.call_id, kwargs));
        }
        Ok(Response {
            text,
            reasoning,
            tool_uses,
            usage,
            finish_reason: reason,
            model: self.name.clone(),
            ttft,
        })
    }

    fn silent(&self) -> ModelError {
        ModelError::Timeout { model: self.name.clone(), after: self.silence }
    }

    /// What an error of the library means.
    fn explain(&self, error: &genai::Error, partial: &str) -> ModelError {
        let model = self.name.clone();
        // In a stream the library wraps its own error in another.
        if let genai::Error::WebStream { error: inner, .. } = error {
            if let Some(inner) = inner.downcast_ref::<genai::Error>() {
                return self.explain(inner, partial);
            }
            let began = !partial.is_empty();
            return if began {
                ModelError::Cut { model, partial: partial.to_owned() }
            } else {
                ModelError::Connect { model, why: self.redacted(&chain(&**inner)) }
            };
        }
        if let Some(status) = error.status().map(|status| status.as_u16()) {
            let body = match error {
                genai::Error::HttpError { body, .. } => excerpt(&self.redacted(body)),
                other => excerpt(&self.redacted(&other.to_string())),
            };
            let wait = error.headers().and_then(|headers| {
                retry_after(|name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned))
            });
            return match status {
                401 | 403 => ModelError::Authentication { model, status },
                429 => ModelError::RateLimited { model, retry_after: wait },
                500.. => ModelError::Server { model, status, body },
                _ => ModelError::Request { model, status, body },
            };
        }
        match error {
            genai::Error::StreamParse { serde_error, .. } => {
                ModelError::Malformed { model, why: serde_error.to_string() }
            }
            genai::Error::WebModelCall { webc_error: genai::webc::Error::Reqwest(inner), .. } => {
                ModelError::Connect { model, why: self.redacted(&chain(inner)) }
            }
            genai::Error::ChatResponse { body, .. } => {
                ModelError::Server { model, status: 200, body: excerpt(&self.redacted(&body.to_string())) }
            }
            other => ModelError::Malformed { model, why: excerpt(&self.redacted(&other.to_string())) },
        }
    }

    /// No message may hold the key, whoever put it there.
    fn redacted(&self, text: &str) -> String {
        match &self.key {
            Some(key) if !key.reveal().is_empty() => text.replace(key.reveal(), "<key>"),
            _ => text.to_owned(),
        }
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Provider({})", self.name)
    }
}

impl Model for Provider {
    fn name(&self) -> &str {
        &self.name
    }

    fn native_tools(&self) -> bool {
        true
    }

    fn generate<'a>(
        &'a self,
        request: &'a Request,
        sink: &'a mut dyn ChunkSink,
    ) -> BoxFuture<'a, Result<Response, ModelError>> {
        Box::pin(self.stream(request, sink))
    }
}

fn usage(counted: &genai::chat::Usage) -> Usage {
    let count = |tokens: Option<i32>| u64::try_from(tokens.unwrap_or(0)).unwrap_or(0);
    let details = counted.prompt_tokens_details.as_ref();
    let cache_read_tokens = count(details.and_then(|details| details.cached_tokens));
    let cache_creation_tokens = count(details.and_then(|details| details.cache_creation_tokens));
    Usage {
        // The library's prompt count includes what the cache served or took.
        input_tokens: count(counted.prompt_tokens)
            .saturating_sub(cache_read_tokens)
            .saturating_sub(cache_creation_tokens),
        output_tokens: count(counted.completion_tokens),
        cache_read_tokens,
        cache_creation_tokens,
    }
}

/// `retry-after-ms`, else `retry-after` in seconds or as a date.
fn retry_after(header: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    if let Some(millis) = header("retry-after-ms").and_then(|text| text.trim().parse().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let text = header("retry-after")?;
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()?;
    Some(Duration::try_from(date.duration_since(jiff::Timestamp::now())).unwrap_or(Duration::ZERO))
}

fn excerpt(text: &str) -> String {
    let mut short: String = text.trim().chars().take(EXCERPT).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}

/// An error with its causes: the outer ones of HTTP clients say little.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        let with = |name: &'static str, value: String| {
            retry_after(move |asked| (asked == name).then(|| value.clone()))
        };
        assert_eq!(with("retry-after", "7".into()), Some(Duration::from_secs(7)));
        assert_eq!(with("retry-after-ms", "250".into()), Some(Duration::from_millis(250)));
        assert_eq!(with("retry-after", "Thu, 01 Jan 1970 00:00:10 GMT".into()), Some(Duration::ZERO));
        assert_eq!(with("retry-after", "soon".into()), None);
    }

    #[test]
    fn a_missing_key_names_its_variable_and_a_local_server_needs_none() {
        let open = |vendor, name, options: &ModelOptions| Provider::open(vendor, name, options, |_| None);
        let error = open(Vendor::Anthropic, "anthropic/x", &ModelOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "the model `anthropic/x` needs a key: set ANTHROPIC_API_KEY");
        let local = ModelOptions { base_url: Some("http://127.0.0.1:1/v1".into()), ..Default::default() };
        assert!(open(Vendor::OpenAi, "openai/x", &local).is_ok());
        assert!(open(Vendor::Ollama, "ollama/x", &ModelOptions::default()).is_ok());
    }
}
