//! Our conversation in the order that providers insist on.
//!
//! Ours is a flat list in which hooks may speak at any time. Providers are strict: every call is answered, directly
//! after the message that made it. So the list is arranged in turns:
//!
//! - The results of a message's calls, wherever they stand before the next assistant message, follow it in the
//!   order of the calls. Several messages with one call's id are one result. A call without any gets a result
//!   that says so. What hooks said in between comes after.
//! - A message with a `call_id` that no call before it has is plain text of its role.
//! - A request that offers no tools, or a model that takes none, gets calls and results as plain text.
//! - Messages without text are left out; attached files are named.

use hookspec::{Message, Role, ToolUse};
use serde_json::Value;

use super::answer::THINKING;

/// What a call without a result is answered with.
const NO_RESULT: &str = "(There is no result: the call was interrupted or did not run.)";

/// One arranged step of a conversation.
#[derive(Debug, PartialEq)]
pub(super) enum Turn {
    System(String),
    User(String),
    Assistant {
        text: String,
        calls: Vec<ToolUse>,
        /// Signed thinking, as the provider gave it.
        thinking: Vec<Value>,
    },
    Results(Vec<Answer>),
}

/// The result of one call.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) call_id: String,
    pub(super) tool: String,
    pub(super) text: String,
}

/// Arranges `messages`; `native` says whether calls and results go through the tool interface.
pub(super) fn arrange(messages: &[Message], native: bool) -> Vec<Turn> {
    let mut turns = Vec::new();
    let mut taken = vec![false; messages.len()];
    for (at, message) in messages.iter().enumerate() {
        if taken[at] {
            continue;
        }
        let text = text_of(message);
        match message.role {
            Role::System | Role::User if text.is_empty() => {
                tracing::debug!(position = at, "a message without text is not sent to the model");
            }
            Role::System => turns.push(Turn::System(text)),
            Role::User => turns.push(Turn::User(text)),
            Role::Assistant => {
                let calls: Vec<ToolUse> = message
                    .metadata
                    .iter()
                    .flat_map(|metadata| &metadata.tool_calls)
                    .filter(|call| call.call_id.is_some())
                    .cloned()
                    .collect();
                if native && !calls.is_empty() {
                    let answers = answers(messages, &mut taken, at, &calls);
                    turns.push(Turn::Assistant { text, calls, thinking: thinking_of(message) });
                    turns.push(Turn::Results(answers));
                    continue;
                }
                let told = calls.iter().map(tell);
                let text = std::iter::once(text)
                    .chain(told)
                    .filter(|part| !part.is_empty())
                    .collect::<Vec<_>>()
                    .join("\n\n");
                if !text.is_empty() {
                    turns.push(Turn::Assistant { text, calls: Vec::new(), thinking: Vec::new() });
                }
            }
        }
    }
    turns
}

/// The results of `calls`, which the message at `at` made, in their order; what they use is marked as `taken`.
fn answers(messages: &[Message], taken: &mut [bool], at: usize, calls: &[ToolUse]) -> Vec<Answer> {
    let window = messages[at + 1..].iter().take_while(|message| message.role != Role::Assistant).count();
    calls
        .iter()
        .map(|call| {
            let mut parts = Vec::new();
            for (offset, message) in messages[at + 1..=at + window].iter().enumerate() {
                let taken = &mut taken[at + 1 + offset];
                if !*taken && message.call_id == call.call_id {
                    *taken = true;
                    parts.push(text_of(message));
                }
            }
            let text = if parts.is_empty() { NO_RESULT.to_owned() } else { parts.join("\n\n") };
            Answer { call_id: call.call_id.clone().unwrap_or_default(), tool: call.tool.clone(), text }
        })
        .collect()
}

fn text_of(message: &Message) -> String {
    let mut text = message.content.clone();
    for file in &message.files {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("[attached file: {}]", file.display()));
    }
    text
}

fn thinking_of(message: &Message) -> Vec<Value> {
    message
        .metadata
        .as_ref()
        .and_then(|metadata| metadata.other.get(THINKING))
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

/// A call in words, for a model that is offered no tools.
fn tell(call: &ToolUse) -> String {
    format!("(called {} with {})", call.tool, Value::Object(call.kwargs.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookspec::model::Metadata;

    fn call(id: &str) -> ToolUse {
        ToolUse::native("shell", id, serde_json::Map::new())
    }

    fn calling(text: &str, ids: &[&str]) -> Message {
        let mut message = Message::assistant(text);
        message.metadata = Some(Box::new(Metadata {
            tool_calls: ids.iter().map(|id| call(id)).collect(),
            ..Metadata::default()
        }));
        message
    }

    fn answer(id: &str, text: &str) -> Answer {
        Answer { call_id: id.into(), tool: "shell".into(), text: text.into() }
    }

    #[test]
    fn results_follow_their_calls_in_the_calls_order_and_hooks_speak_after() {
        let turns = arrange(
            &[
                calling("on it", &["a", "b", "c"]),
                Message::system("from b").answering("b"),
                Message::system("a hook speaks"),
                Message::system("from a").answering("a"),
                Message::system("more from a").answering("a"),
                Message::assistant("done"),
                Message::system("too late").answering("c"),
            ],
            true,
        );
        assert_eq!(
            turns[1],
            Turn::Results(vec![
                answer("a", "from a\n\nmore from a"),
                answer("b", "from b"),
                answer("c", NO_RESULT),
            ])
        );
        assert_eq!(turns[2], Turn::System("a hook speaks".into()));
        assert_eq!(turns[4], Turn::System("too late".into()));
        assert_eq!(turns.len(), 5);
    }

    #[test]
    fn without_tools_calls_and_results_are_text() {
        let turns = arrange(&[calling("on it", &["a"]), Message::system("out").answering("a")], false);
        assert_eq!(
            turns,
            [
                Turn::Assistant {
                    text: "on it\n\n(called shell with {})".into(),
                    calls: Vec::new(),
                    thinking: Vec::new(),
                },
                Turn::System("out".into()),
            ]
        );
    }

    #[test]
    fn files_are_named_and_empty_messages_left_out() {
        let turns = arrange(
            &[Message::user(""), Message::user("see").with_file("a.png"), Message::assistant("")],
            true,
        );
        assert_eq!(turns, [Turn::User("see\n[attached file: a.png]".into())]);
    }
}
