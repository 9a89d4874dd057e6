//! The lines of a replay script.

use std::time::Duration;

use hookspec::ToolUse;
use hookspec::model::{FinishReason, Usage};
use hookspec::tool::CallFormat;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::models::ModelError;

/// One line, checked.
#[derive(Debug)]
pub(super) struct Entry {
    /// Where it stands in the script, counted from 1.
    pub(super) line: usize,
    pub(super) reply: Reply,
}

/// What a line says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) reasoning: String,
    #[serde(default)]
    pub(super) tool_calls: Vec<Call>,
    #[serde(default)]
    pub(super) usage: Option<Usage>,
    #[serde(default)]
    pub(super) finish_reason: Option<FinishReason>,
    #[serde(default)]
    pub(super) chunk_size: Option<usize>,
    #[serde(default)]
    pub(super) delay_ms: u64,
    #[serde(default)]
    pub(super) error: Option<Failure>,
    #[serde(default)]
    pub(super) expect: Option<String>,
    #[serde(default)]
    pub(super) repeat: bool,
}

/// A tool call of a reply.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    tool: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    content: String,
    #[serde(default)]
    kwargs: Map<String, Value>,
    #[serde(default)]
    call_id: Option<String>,
}

impl Call {
    /// The call, with `id` where the script gives none.
    pub(super) fn tool_use(&self, id: String) -> ToolUse {
        ToolUse {
            tool: self.tool.clone(),
            args: self.args.clone(),
            content: self.content.clone(),
            kwargs: self.kwargs.clone(),
            call_id: Some(self.call_id.clone().unwrap_or(id)),
            start: None,
            format: CallFormat::Tool,
        }
    }
}

/// A failure instead of an answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    kind: FailureKind,
    #[serde(default)]
    retry_after_s: Option<f64>,
    #[serde(default)]
    status: Option<u16>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FailureKind {
    Authentication,
    RateLimited,
    Server,
    Request,
    Cut,
    Malformed,
    Connect,
    Timeout,
}

impl Failure {
    fn retry_after(&self) -> Result<Option<Duration>, String> {
        self.retry_after_s
            .map(|seconds| {
                Duration::try_from_secs_f64(seconds)
                    .map_err(|error| format!("`retry_after_s` is {seconds}: {error}."))
            })
            .transpose()
    }

    /// The error that the caller gets.
    pub(super) fn error(&self, model: &str, partial: &str) -> ModelError {
        let model = model.to_owned();
        let body = "the replay script says so.".to_owned();
        let partial = partial.to_owned();
        let retry_after = self.retry_after().ok().flatten();
        match self.kind {
            FailureKind::Authentication => {
                ModelError::Authentication { model, status: self.status.unwrap_or(401), body }
            }
            FailureKind::RateLimited => ModelError::RateLimited { model, retry_after, body },
            FailureKind::Server => {
                ModelError::Server { model, status: Some(self.status.unwrap_or(500)), retry_after, body }
            }
            FailureKind::Request => {
                ModelError::Request { model, status: Some(self.status.unwrap_or(400)), body }
            }
            FailureKind::Cut => ModelError::Cut { model, partial },
            FailureKind::Malformed => {
                ModelError::Malformed { model, what: "it is not JSON".into(), excerpt: body }
            }
            FailureKind::Connect => ModelError::Connect {
                model,
                url: "the replay script".into(),
                reason: "connection refused".into(),
                remedy: "The script says so.".into(),
            },
            FailureKind::Timeout => ModelError::Timeout {
                model,
                phase: "it was answering",
                after: Duration::from_secs(120),
                partial,
            },
        }
    }
}

/// Reads a script; `name` is what errors call it.
pub(super) fn parse(name: &str, text: &str) -> Result<Vec<Entry>, ModelError> {
    let mut entries: Vec<Entry> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.trim();
        if content.is_empty() || content.starts_with("//") {
            continue;
        }
        let line = index + 1;
        let wrong = |reason: String| ModelError::Script { script: name.into(), line, reason };
        let reply: Reply = serde_json::from_str(content)
            .map_err(|error| wrong(format!("this is not a reply ({error}).")))?;
        check(&reply).map_err(wrong)?;
        if let Some(last) = entries.last().filter(|last| last.reply.repeat) {
            let reason = format!("line {} repeats, so this one is never reached.", last.line);
            return Err(wrong(reason));
        }
        entries.push(Entry { line, reply });
    }
    Ok(entries)
}

fn check(reply: &Reply) -> Result<(), String> {
    if reply.text.is_none() && reply.tool_calls.is_empty() && reply.error.is_none() {
        return Err("a reply needs `text`, `tool_calls` or `error`.".into());
    }
    if reply.chunk_size == Some(0) {
        return Err("`chunk_size` must be at least 1.".into());
    }
    if let Some(call) = reply.tool_calls.iter().find(|call| call.tool.is_empty()) {
        return Err(format!("a tool call names no tool ({call:?})."));
    }
    reply.error.as_ref().map_or(Ok(None), Failure::retry_after)?;
    Ok(())
}
