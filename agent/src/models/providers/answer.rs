//! From the end of the provider's stream to a [`Response`].

use genai::chat::{ContentPart, StopReason, StreamEnd, ToolCall};
use hookspec::ToolUse;
use hookspec::model::{FinishReason, Usage};
use serde_json::{Map, Value, json};

use super::failure::redact;
use super::{Kind, Target};
use crate::models::error::excerpt;
use crate::models::{ModelError, Response};

/// Key of Anthropic's thinking blocks in [`Response::carry`] and in a message's metadata.
pub(super) const THINKING: &str = "anthropic_thinking";

/// Everything of the response but its text, which the caller has gathered.
pub(super) fn finish(target: &Target, end: StreamEnd) -> Result<Response, ModelError> {
    let mut finish_reason = match &end.captured_stop_reason {
        Some(StopReason::Completed(_) | StopReason::StopSequence(_)) | None => FinishReason::Stop,
        Some(StopReason::MaxTokens(_)) => FinishReason::Length,
        Some(StopReason::ToolCall(_)) => FinishReason::ToolCalls,
        Some(StopReason::ContentFilter(_)) => FinishReason::ContentFilter,
        Some(StopReason::Other(_)) => FinishReason::Other,
    };
    let mut tool_uses = Vec::new();
    let mut thinking = Vec::new();
    let mut signature = None;
    for part in end.captured_content.into_iter().flatten() {
        match part {
            ContentPart::ToolCall(call) => {
                tool_uses.extend(tool_use(target, call, finish_reason)?);
            }
            ContentPart::ThoughtSignature(text) => signature = Some(text),
            ContentPart::ReasoningContent(text) => thinking.extend(
                signature
                    .take()
                    .map(|signature| json!({"type": "thinking", "thinking": text, "signature": signature})),
            ),
            ContentPart::Custom(part) => thinking.push(part.data),
            ContentPart::Text(_) | ContentPart::Binary(_) | ContentPart::ToolResponse(_) => {}
        }
    }
    if finish_reason == FinishReason::ToolCalls && tool_uses.is_empty() {
        return Err(malformed(
            target,
            "it says that it calls tools, but the calls are missing or lack their index",
            "finish reason `tool_calls`",
        ));
    }
    // Some endpoints say "stop" after a call.
    if !tool_uses.is_empty() && finish_reason == FinishReason::Stop {
        finish_reason = FinishReason::ToolCalls;
    }
    let mut carry = Map::new();
    if target.kind == Kind::Anthropic && !thinking.is_empty() {
        carry.insert(THINKING.into(), Value::Array(thinking));
    }
    Ok(Response {
        tool_uses,
        usage: end.captured_usage.map(usage),
        finish_reason,
        model: target.spec.clone(),
        carry,
        ..Response::default()
    })
}

/// The call, or `None` for one that the token limit cut short.
fn tool_use(
    target: &Target,
    call: ToolCall,
    finish_reason: FinishReason,
) -> Result<Option<ToolUse>, ModelError> {
    let kwargs = match call.fn_arguments {
        Value::Object(kwargs) => kwargs,
        Value::Null => Map::new(),
        // What a tool without arguments gets from some models.
        Value::String(text) if text.trim().is_empty() => Map::new(),
        _ if finish_reason == FinishReason::Length => {
            tracing::warn!(
                model = target.spec,
                tool = call.fn_name,
                "the token limit cut a tool call short; it is dropped"
            );
            return Ok(None);
        }
        other => {
            let text = match other {
                Value::String(text) => text,
                other => other.to_string(),
            };
            return Err(malformed(
                target,
                &format!("the arguments of its call of `{}` are not a JSON object", call.fn_name),
                &text,
            ));
        }
    };
    if call.fn_name.is_empty() {
        return Err(malformed(target, "a tool call has no name", &Value::Object(kwargs).to_string()));
    }
    Ok(Some(ToolUse::native(call.fn_name, call.call_id, kwargs)))
}

fn malformed(target: &Target, what: &str, text: &str) -> ModelError {
    ModelError::Malformed {
        model: target.spec.clone(),
        what: what.into(),
        excerpt: excerpt(&redact(target, text)),
    }
}

/// The library counts cached tokens as input, too; we count every token once.
fn usage(usage: genai::chat::Usage) -> Usage {
    let count = |number: Option<i32>| number.map_or(0, |number| u64::try_from(number).unwrap_or(0));
    let details = usage.prompt_tokens_details.unwrap_or_default();
    let cache_read_tokens = count(details.cached_tokens);
    let cache_creation_tokens = count(details.cache_creation_tokens);
    Usage {
        input_tokens: count(usage.prompt_tokens)
            .saturating_sub(cache_read_tokens)
            .saturating_sub(cache_creation_tokens),
        output_tokens: count(usage.completion_tokens),
        cache_read_tokens,
        cache_creation_tokens,
    }
}
