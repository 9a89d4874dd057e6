//! From our conversation to what providers take.
//!
//! Providers want the system text in front, and each tool result right behind the call. Ours has system
//! messages anywhere (hooks speak when something happens), results among them. So: system messages at the
//! beginning become the system text; a result moves up to the message that announced its call; any other
//! system message becomes user text inside `<system>` tags.

use std::collections::HashMap;

use genai::chat::{ChatMessage, ChatRequest, ContentPart, MessageContent, Tool, ToolCall, ToolResponse};
use hookspec::{Message, Request, Role};
use serde_json::Value;

/// The request as the client library takes it.
pub(super) fn lower(request: &Request) -> ChatRequest {
    let messages = &request.messages;
    let head = messages.iter().take_while(|message| message.role == Role::System).count();
    let system: Vec<&str> = messages[..head].iter().map(|message| message.content.as_str()).collect();
    let results: HashMap<&str, &Message> = messages
        .iter()
        .filter(|message| message.role != Role::Assistant)
        .filter_map(|message| Some((message.call_id.as_deref()?, message)))
        .collect();
    let mut lowered = Vec::new();
    let mut native: Vec<&str> = Vec::new();
    for message in &messages[head..] {
        match message.role {
            Role::User => lowered.push(ChatMessage::user(message.content.as_str())),
            Role::Assistant => assistant(message, &results, &mut native, &mut lowered),
            Role::System => {
                let placed = message.call_id.as_deref().is_some_and(|id| native.contains(&id));
                if !placed {
                    lowered.push(ChatMessage::user(format!("<system>\n{}\n</system>", message.content)));
                }
            }
        }
    }
    let mut chat = ChatRequest::new(lowered);
    if !system.is_empty() {
        chat = chat.with_system(system.join("\n\n"));
    }
    if !request.tools.is_empty() {
        chat = chat.with_tools(request.tools.iter().map(|tool| {
            Tool::new(tool.name.as_str())
                .with_description(tool.description.as_str())
                .with_schema(tool.parameters.clone())
        }));
    }
    chat
}

fn assistant<'m>(
    message: &'m Message,
    results: &HashMap<&str, &Message>,
    native: &mut Vec<&'m str>,
    lowered: &mut Vec<ChatMessage>,
) {
    let calls = message.metadata.as_ref().map_or(&[][..], |metadata| &metadata.tool_calls);
    if calls.is_empty() {
        lowered.push(ChatMessage::assistant(message.content.as_str()));
        return;
    }
    let mut parts = Vec::new();
    if !message.content.is_empty() {
        parts.push(ContentPart::Text(message.content.clone()));
    }
    let mut answers = Vec::new();
    for call in calls {
        let id = call.call_id.as_deref().unwrap_or_default();
        native.push(id);
        parts.push(ContentPart::ToolCall(ToolCall {
            call_id: id.to_owned(),
            fn_name: call.tool.clone(),
            fn_arguments: Value::Object(call.kwargs.clone()),
            thought_signatures: None,
        }));
        let text = results.get(id).map_or("(no result)", |result| &result.content);
        answers.push(ToolResponse::new(id, text).with_fn_name(call.tool.as_str()));
    }
    lowered.push(ChatMessage::assistant(MessageContent::from_parts(parts)));
    lowered.extend(answers.into_iter().map(ChatMessage::from));
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookspec::{Metadata, ToolUse};
    use serde_json::{Map, json};

    #[test]
    fn results_move_to_their_calls_and_hooks_speak_as_users() {
        let mut asks = Message::assistant("look");
        asks.metadata = Some(Box::new(Metadata {
            tool_calls: vec![ToolUse::native("shell", "c1", Map::new())],
            ..Metadata::default()
        }));
        let request = Request {
            messages: vec![
                Message::system("be brief"),
                Message::system("and kind"),
                Message::user("hi"),
                asks,
                Message::system("2min"),
                Message::system("out").answering("c1"),
            ],
            ..Request::default()
        };
        let chat = lower(&request);
        assert_eq!(chat.system.as_deref(), Some("be brief\n\nand kind"));
        let shape: Vec<_> = chat.messages.iter().map(|m| serde_json::to_value(&m.role).unwrap()).collect();
        assert_eq!(shape, [json!("User"), json!("Assistant"), json!("Tool"), json!("User")]);
        assert_eq!(chat.messages[3].content.first_text(), Some("<system>\n2min\n</system>"));
    }
}
