//! What a crash left open: tool calls without a result.
//!
//! A tool call that was announced gets exactly one result in the log. The assistant's message is stored
//! before its tools run, so after a crash the log may end with calls that nothing answers; the host appends the
//! messages that [`close_unanswered`] makes before it goes on. The tool may have done its work, wholly or in part,
//! and the message says so.

use std::collections::HashMap;

use hookspec::model::Metadata;
use hookspec::{Message, Role};

use crate::calls::calls_of;

/// One "interrupted" result for each call in `messages` that has none, in the order of the calls.
///
/// `is_tool` says which fenced blocks are calls; a host whose model calls natively says no to all names.
/// Calls without an id are not looked at: those are in messages of other programs, whose results can't be told
/// from other system messages. Where an id was used twice, an answer is the latest call's.
pub fn close_unanswered(messages: &[Message], is_tool: impl Fn(&str) -> bool) -> Vec<Message> {
    let mut calls = Vec::new();
    let mut open: HashMap<String, Vec<usize>> = HashMap::new();
    for message in messages {
        if message.role == Role::Assistant {
            for call in calls_of(message, &is_tool).calls {
                if let Some(id) = call.call_id {
                    open.entry(id.clone()).or_default().push(calls.len());
                    calls.push((id, call.tool));
                }
            }
        } else if let Some(waiting) = message.call_id.as_ref().and_then(|id| open.get_mut(id)) {
            waiting.pop();
        }
    }
    let mut unanswered: Vec<usize> = open.into_values().flatten().collect();
    unanswered.sort_unstable();
    unanswered.into_iter().filter_map(|index| calls.get(index)).map(interrupted).collect()
}

fn interrupted((id, tool): &(String, String)) -> Message {
    let mut message = Message::system(format!(
        "Interrupted: the session ended before `{tool}` gave a result. It may have run, wholly or in part; check before you call it again."
    ));
    message.metadata = Some(Box::new(Metadata { tool: Some(tool.clone()), ..Metadata::default() }));
    message.answering(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookspec::ToolUse;
    use serde_json::Map;

    fn shell(name: &str) -> bool {
        name == "shell"
    }

    fn native(id: &str, calls: &[(&str, &str)]) -> Message {
        let mut message = Message::assistant("");
        message.id = Some(id.into());
        let tool_calls = calls.iter().map(|(tool, id)| ToolUse::native(*tool, *id, Map::new()));
        let metadata = Metadata { tool_calls: tool_calls.collect(), ..Metadata::default() };
        message.metadata = Some(Box::new(metadata));
        message
    }

    fn fenced(id: Option<&str>) -> Message {
        let mut message = Message::assistant("```shell\na\n```\n```shell\nb\n```");
        message.id = id.map(Into::into);
        message
    }

    fn open_ids(messages: &[Message]) -> Vec<String> {
        close_unanswered(messages, shell).into_iter().map(|m| m.call_id.unwrap()).collect()
    }

    #[test]
    fn each_open_call_gets_one_result_that_names_call_and_tool() {
        let mut log = vec![
            native("m1", &[("save", "a"), ("read", "b"), ("save", "c")]),
            Message::system("ok").answering("b"),
        ];
        let closing = close_unanswered(&log, |_| false);
        let seen: Vec<_> = closing
            .iter()
            .map(|m| {
                (m.role, m.call_id.as_deref().unwrap(), m.metadata.as_ref().unwrap().tool.as_deref().unwrap())
            })
            .collect();
        assert_eq!(seen, [(Role::System, "a", "save"), (Role::System, "c", "save")]);
        log.extend(closing);
        assert_eq!(close_unanswered(&log, |_| false), [], "closing twice adds nothing");
    }

    #[test]
    fn fenced_calls_are_known_by_their_message_and_place() {
        let answered = Message::system("done").answering("m4-1");
        assert_eq!(open_ids(&[fenced(Some("m4")), answered]), ["m4-2"]);
        assert!(close_unanswered(&[fenced(Some("m4"))], |_| false).is_empty());
    }

    #[test]
    fn messages_of_other_programs_are_left_alone() {
        assert_eq!(open_ids(&[fenced(None), Message::system("result without id")]), [""; 0]);
    }

    #[test]
    fn a_repeated_id_is_counted_per_call() {
        let done = Message::system("ok").answering("call_0");
        let call = || native("m", &[("save", "call_0")]);
        assert_eq!(open_ids(&[call(), done.clone(), call()]), ["call_0"]);
        assert_eq!(open_ids(&[call(), call(), done.clone()]), ["call_0"]);
        assert_eq!(open_ids(&[call(), done.clone(), call(), done]), [""; 0]);
    }

    #[test]
    fn an_answer_before_its_call_does_not_count() {
        let done = Message::system("ok").answering("x");
        assert_eq!(open_ids(&[done, native("m1", &[("save", "x")])]), ["x"]);
    }
}
