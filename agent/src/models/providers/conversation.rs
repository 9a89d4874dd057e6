//! From our conversation to the provider's messages.
//!
//! The turns that [`arrange`] makes become messages. System turns at the start are one system message. Later ones
//! stay where they are for endpoints that allow it, and are user text in `<system>` tags for the others, so that
//! their place in the conversation is kept. For Anthropic the system message and the last message are marked for
//! its prompt cache.

use genai::chat::{
    CacheControl, ChatMessage, ChatRequest, ContentPart, CustomPart, MessageContent, MessageOptions, Tool,
    ToolCall, ToolResponse,
};
use hookspec::ToolUse;
use hookspec::model::Request;
use serde_json::Value;

use super::target::Kind;
use super::turns::{Turn, arrange};

/// The library's form of `request`.
pub(super) fn build(request: &Request, kind: Kind, native: bool, fold_system: bool) -> ChatRequest {
    let native = native && !request.tools.is_empty();
    let turns = arrange(&request.messages, native);
    let mut messages = messages(turns, kind, fold_system);
    if kind == Kind::Anthropic {
        mark_for_cache(&mut messages);
    }
    let mut chat = ChatRequest::new(messages);
    if native {
        chat = chat.with_tools(request.tools.iter().map(|tool| {
            Tool::new(tool.name.as_str())
                .with_description(tool.description.as_str())
                .with_schema(tool.parameters.clone())
        }));
    }
    chat
}

fn messages(turns: Vec<Turn>, kind: Kind, fold_system: bool) -> Vec<ChatMessage> {
    let mut turns = turns.into_iter().peekable();
    let mut opening = Vec::new();
    while let Some(Turn::System(text)) = turns.next_if(|turn| matches!(turn, Turn::System(_))) {
        opening.push(text);
    }
    let mut messages = Vec::new();
    if !opening.is_empty() {
        messages.push(ChatMessage::system(opening.join("\n\n")));
    }
    for turn in turns {
        match turn {
            Turn::System(text) if fold_system => {
                messages.push(ChatMessage::user(format!("<system>\n{text}\n</system>")));
            }
            Turn::System(text) => messages.push(ChatMessage::system(text)),
            Turn::User(text) => messages.push(ChatMessage::user(text)),
            Turn::Assistant { text, calls, thinking } => {
                messages.push(assistant(text, calls, thinking, kind));
            }
            Turn::Results(answers) => {
                let answers = answers
                    .into_iter()
                    .map(|answer| ToolResponse::new(answer.call_id, answer.text).with_fn_name(answer.tool));
                messages.push(ChatMessage::from(answers.collect::<Vec<_>>()));
            }
        }
    }
    messages
}

fn assistant(text: String, calls: Vec<ToolUse>, thinking: Vec<Value>, kind: Kind) -> ChatMessage {
    let mut parts = Vec::new();
    if kind == Kind::Anthropic {
        parts.extend(
            thinking.into_iter().map(|data| ContentPart::Custom(CustomPart { model_iden: None, data })),
        );
    }
    if !text.is_empty() {
        parts.push(ContentPart::Text(text));
    }
    parts.extend(calls.into_iter().map(|call| {
        ContentPart::ToolCall(ToolCall {
            call_id: call.call_id.unwrap_or_default(),
            fn_name: call.tool,
            fn_arguments: Value::Object(call.kwargs),
            thought_signatures: None,
        })
    }));
    ChatMessage::assistant(MessageContent::from_parts(parts))
}

/// Marks what stays the same in the next request: the opening, and everything up to here.
fn mark_for_cache(messages: &mut [ChatMessage]) {
    let marked = || MessageOptions::default().with_cache_control(CacheControl::Ephemeral);
    if let [first, .., last] = messages {
        first.options = Some(marked());
        last.options = Some(marked());
    }
}
