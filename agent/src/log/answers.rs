//! Announced calls and their results: each call has exactly one.

use std::collections::{BTreeSet, HashSet};

use hookspec::{Message, Role, ToolUse};

/// The calls that an assistant's message announces: native ones, else fenced blocks that name one of
/// `tools`. A fenced call's id follows from the message's id, so that it is the same when the log is read
/// again.
#[must_use]
pub fn announced_calls(message: &Message, tools: &BTreeSet<&str>) -> Vec<ToolUse> {
    if message.role != Role::Assistant {
        return Vec::new();
    }
    let native = message.metadata.as_ref().map_or(&[][..], |metadata| &metadata.tool_calls);
    let mut calls =
        if native.is_empty() { crate::calls::find(&message.content, tools) } else { native.to_vec() };
    let base = message.id.as_deref().unwrap_or("message");
    for (number, call) in calls.iter_mut().enumerate() {
        call.call_id.get_or_insert_with(|| format!("{base}-{number}"));
    }
    calls
}

/// A result for each announced call that has none: the program ended in between.
#[must_use]
pub fn close_unanswered(messages: &[Message], tools: &BTreeSet<&str>) -> Vec<Message> {
    let answered: HashSet<&str> =
        messages.iter().filter(|m| m.role != Role::Assistant).filter_map(|m| m.call_id.as_deref()).collect();
    let announced = messages.iter().flat_map(|message| {
        // Without an id there is nothing by which a fenced call could have been answered (an import).
        let known =
            message.id.is_some() || message.metadata.as_ref().is_some_and(|m| !m.tool_calls.is_empty());
        if known { announced_calls(message, tools) } else { Vec::new() }
    });
    announced
        .filter(|call| call.call_id.as_deref().is_some_and(|id| !answered.contains(id)))
        .map(|call| {
            let text = "This call was interrupted: the program ended before there was a result. It may have run in part.";
            let mut message = Message::system(text);
            message.call_id = call.call_id;
            message.metadata.get_or_insert_default().tool = Some(call.tool);
            message
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_without_a_result_are_closed() {
        let tools = BTreeSet::from(["shell"]);
        let mut asks = Message::assistant("```shell\na\n```\n```shell\nb\n```");
        asks.id = Some("m1".into());
        let log = [asks, Message::system("done").answering("m1-0")];
        let closed = close_unanswered(&log, &tools);
        assert_eq!(closed.len(), 1);
        assert_eq!(closed[0].call_id.as_deref(), Some("m1-1"));
        let all: Vec<_> = log.into_iter().chain(closed).collect();
        assert_eq!(close_unanswered(&all, &tools), []);
    }
}
