//! From the library's errors to ours.
//!
//! The library keeps what is needed: the status, the headers and the body of a refused request, and the cause of
//! a broken stream. Nothing else of it is quoted, and the key is blanked out of whatever is.

use std::time::Duration;

use genai::webc::{self, StreamTimeout};
use hookspec::session::Clock;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::Target;
use super::retry_after::retry_after;
use super::target::Kind;
use crate::models::ModelError;
use crate::models::error::excerpt;

/// What is known when something fails.
pub(super) struct Failure<'a> {
    pub(super) target: &'a Target,
    pub(super) clock: &'a Clock,
    pub(super) response_timeout: Duration,
    pub(super) read_timeout: Duration,
    /// What had arrived.
    pub(super) partial: &'a str,
}

impl Failure<'_> {
    pub(super) fn explain(&self, error: genai::Error) -> ModelError {
        if let (Some(status), Some(headers)) = (error.status(), error.headers()) {
            let body = match &error {
                genai::Error::HttpError { body, .. } => body.as_str(),
                genai::Error::WebModelCall { webc_error, .. }
                | genai::Error::WebAdapterCall { webc_error, .. } => match webc_error {
                    webc::Error::ResponseFailedStatus { body, .. } => body,
                    _ => "",
                },
                _ => "",
            };
            return self.status(status, headers, body);
        }
        match error {
            genai::Error::WebStream { error, cause, .. } => self.stream(error, &cause),
            genai::Error::StreamParse { serde_error, .. } | genai::Error::SerdeJson(serde_error) => {
                self.json(&serde_error)
            }
            genai::Error::ChatResponse { body, .. } => self.reported(&body),
            genai::Error::WebModelCall { webc_error: webc::Error::Reqwest(error), .. } => self.http(&error),
            genai::Error::JsonValueExt(error) => {
                self.malformed("an event lacks what its type promises", &error.to_string())
            }
            other => ModelError::Setup {
                model: self.model(),
                reason: excerpt(&redact(self.target, &other.to_string())),
            },
        }
    }

    /// A request that was refused.
    fn status(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> ModelError {
        let model = self.model();
        let body = excerpt(&redact(self.target, &said(body)));
        let status = status.as_u16();
        match status {
            401 | 403 => ModelError::Authentication { model, status, body },
            429 => ModelError::RateLimited { model, retry_after: retry_after(headers, self.clock), body },
            500.. => ModelError::Server {
                model,
                status: Some(status),
                retry_after: retry_after(headers, self.clock),
                body,
            },
            300..=399 => ModelError::Request {
                model,
                status: Some(status),
                body: "the endpoint redirects, which is not followed; set the base URL to its new place."
                    .into(),
            },
            _ => ModelError::Request { model, status: Some(status), body },
        }
    }

    /// An error event inside an answer: `{"type": …, "message": …}`, or that under `error`.
    fn reported(&self, body: &Value) -> ModelError {
        let error = body.get("error").unwrap_or(body);
        let kind =
            ["type", "code"].iter().filter_map(|key| error.get(key)?.as_str()).collect::<Vec<_>>().join(" ");
        let model = self.model();
        let body = excerpt(&redact(self.target, &said(&body.to_string())));
        let is = |words: &[&str]| words.iter().any(|word| kind.contains(word));
        if is(&["rate_limit", "quota"]) {
            ModelError::RateLimited { model, retry_after: None, body }
        } else if is(&["authentication", "permission", "invalid_api_key"]) {
            ModelError::Authentication { model, status: if is(&["permission"]) { 403 } else { 401 }, body }
        } else if is(&["invalid_request", "not_found", "too_large", "context_length"]) {
            ModelError::Request { model, status: None, body }
        } else {
            ModelError::Server { model, status: None, retry_after: None, body }
        }
    }

    /// A stream that broke, or a request that never got an answer.
    fn stream(&self, error: genai::BoxError, cause: &str) -> ModelError {
        let error = match error.downcast::<genai::Error>() {
            Ok(error) => return self.explain(*error),
            Err(error) => error,
        };
        if let Some(error) = error.downcast_ref::<reqwest::Error>() {
            return self.http(error);
        }
        match error.downcast_ref::<StreamTimeout>() {
            Some(StreamTimeout::Headers) => self.timeout("it was to begin its answer", self.response_timeout),
            Some(StreamTimeout::Read) => self.timeout("it was answering", self.read_timeout),
            None => self.malformed("the stream is not text", cause),
        }
    }

    fn http(&self, error: &reqwest::Error) -> ModelError {
        if error.is_timeout() && !error.is_connect() {
            return self.timeout("it was answering", self.read_timeout);
        }
        if error.is_body() || error.is_decode() {
            return ModelError::Cut { model: self.model(), partial: self.partial.into() };
        }
        // The innermost cause says it best ("Connection refused"); the outer ones repeat the URL.
        let mut cause: &dyn std::error::Error = error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        ModelError::Connect {
            model: self.model(),
            url: self.target.url.to_string(),
            reason: excerpt(&redact(self.target, &cause.to_string())),
            remedy: self.remedy(),
        }
    }

    /// What somebody does whose model cannot be reached.
    fn remedy(&self) -> String {
        let variable = self.target.kind.url_variable();
        match (self.target.kind, self.target.local) {
            (Kind::Ollama, true) => {
                format!("Start it with `ollama serve`, or say where it runs with {variable}.")
            }
            (_, true) => format!("Start the server there, or say where it runs with {variable}."),
            (_, false) => {
                format!("Check the network and the address, which {variable} or the base URL sets.")
            }
        }
    }

    fn json(&self, error: &serde_json::Error) -> ModelError {
        // JSON that ends too early is a stream that ended too early.
        if error.is_eof() {
            return ModelError::Cut { model: self.model(), partial: self.partial.into() };
        }
        self.malformed("an event is not JSON", &error.to_string())
    }

    fn malformed(&self, what: &str, text: &str) -> ModelError {
        ModelError::Malformed {
            model: self.model(),
            what: what.into(),
            excerpt: excerpt(&redact(self.target, text)),
        }
    }

    fn timeout(&self, phase: &'static str, after: Duration) -> ModelError {
        ModelError::Timeout { model: self.model(), phase, after, partial: self.partial.into() }
    }

    fn model(&self) -> String {
        self.target.spec.clone()
    }
}

/// What an error body says: its message where it is the JSON that providers agree on, all of it otherwise.
fn said(body: &str) -> String {
    let message = serde_json::from_str::<Value>(body).ok().and_then(|body| {
        let error = body.get("error").unwrap_or(&body);
        let message = error.as_str().or_else(|| error.get("message")?.as_str())?;
        Some(message.to_owned())
    });
    message.unwrap_or_else(|| body.to_owned())
}

/// `text` without the API key.
pub(super) fn redact(target: &Target, text: &str) -> String {
    match &target.key {
        Some(key) if !key.reveal().is_empty() => text.replace(key.reveal(), "[API key]"),
        _ => text.to_owned(),
    }
}
