//! Tokens of a conversation, counted once a message.
//!
//! Counted with OpenAI's `o200k` vocabulary: exact for its current models, an estimate for everybody else's, which
//! is good enough to say how full a context is. Counted is what goes to the model as text: contents, names of
//! attached files (the engine sends no more of them), native tool calls, and the tools' schemas.
//!
//! The trick: the counted messages are kept, by pointer, beside their numbers. A log whose pointers begin with the
//! kept ones has only grown; two thousand comparisons of pointers take about a microsecond. Since the kept messages
//! live, no new message can have their address. Anything else (an undo, an edit, a compaction) shows as the first
//! pointer that differs: from there on messages are looked up by their text, and counted if that is new.

mod o200k;

use std::collections::HashMap;
use std::sync::Arc;

use hookspec::{Message, Registry, Session};

pub(crate) use self::o200k::{count, count_up_to};

/// Tokens of a text.
pub(crate) fn of(text: &str) -> u64 {
    u64::try_from(count(text)).unwrap_or(u64::MAX)
}

/// Tokens of a message that nobody has counted yet.
pub(crate) fn of_message(message: &Message) -> u64 {
    of(&message.content).saturating_add(beside_the_text(message))
}

fn beside_the_text(message: &Message) -> u64 {
    let files = message.files.iter().map(|file| of(&format!("[attached file: {}]", file.display())));
    let calls = message.metadata.iter().flat_map(|metadata| &metadata.tool_calls);
    let calls = calls.map(|call| {
        let arguments = serde_json::Value::Object(call.kwargs.clone()).to_string();
        of(&call.tool).saturating_add(of(&arguments))
    });
    files.chain(calls).fold(0, u64::saturating_add)
}

/// What has been counted of one session, in this process.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    messages: Vec<One>,
    total: u64,
    tools: Option<(Arc<Registry>, u64)>,
}

#[derive(Debug)]
struct One {
    message: Arc<Message>,
    text: u64,
    beside: u64,
}

impl Counted {
    /// Tokens of the session's log and tools as they are now.
    pub(crate) fn session(&mut self, session: &Session) -> u64 {
        self.log(&session.log()).saturating_add(self.tools(session))
    }

    fn log<'a>(&mut self, log: impl IntoIterator<Item = &'a Arc<Message>> + Copy) -> u64 {
        let kept = self.messages.iter().zip(log);
        let same = kept.take_while(|(one, message)| Arc::ptr_eq(&one.message, message)).count();
        let gone = self.messages.split_off(same);
        self.total = self.total.saturating_sub(sum(&gone));
        let known: HashMap<&str, u64> =
            gone.iter().map(|one| (one.message.content.as_str(), one.text)).collect();
        let new = log.into_iter().skip(same).map(|message| One {
            text: known.get(message.content.as_str()).copied().unwrap_or_else(|| of(&message.content)),
            beside: beside_the_text(message),
            message: Arc::clone(message),
        });
        self.messages.extend(new);
        self.total = self.total.saturating_add(sum(&self.messages[same..]));
        self.total
    }

    fn tools(&mut self, session: &Session) -> u64 {
        let registry = session.hooks().load();
        if let Some((counted, tokens)) = &self.tools
            && Arc::ptr_eq(counted, &registry)
        {
            return *tokens;
        }
        let schemas = registry.tools().specs();
        let tokens = schemas
            .iter()
            .map(|tool| of(&tool.name) + of(&tool.description) + of(&tool.parameters.to_string()));
        let tokens = tokens.sum();
        self.tools = Some((registry, tokens));
        tokens
    }
}

fn sum(messages: &[One]) -> u64 {
    messages.iter().fold(0, |sum, one| sum.saturating_add(one.text).saturating_add(one.beside))
}

#[cfg(test)]
mod tests {
    use hookspec::model::Metadata;
    use hookspec::{Hooks, ToolUse};
    use serde_json::json;

    use super::*;

    /// A text of exactly so many tokens.
    fn words(tokens: usize) -> String {
        " hello".repeat(tokens)
    }

    fn log(messages: &[Message]) -> Vec<Arc<Message>> {
        messages.iter().cloned().map(Arc::new).collect()
    }

    #[test]
    fn texts_are_counted_as_openai_does() {
        assert_eq!((of(""), of("hello world"), of(&words(1000))), (0, 2, 1000));
        assert_eq!(of("<|endoftext|>"), 7, "text from a message is never a control token");
    }

    #[test]
    fn a_message_is_more_than_its_text() {
        let plain = Message::user("hello world");
        assert_eq!(of_message(&plain), 2);
        assert!(of_message(&plain.clone().with_file("notes/today.md")) > 2);
        let mut calling = plain;
        let kwargs = json!({"path": "a.txt"}).as_object().unwrap().clone();
        let call = ToolUse::native("save", "c1", kwargs);
        calling.metadata = Some(Box::new(Metadata { tool_calls: vec![call], ..Metadata::default() }));
        assert!(of_message(&calling) > 5);
    }

    #[test]
    fn a_growing_log_is_counted_once() {
        let mut counted = Counted::default();
        let mut messages = log(&[Message::user(words(5)), Message::user(words(7))]);
        assert_eq!(counted.log(&messages), 12);
        messages.push(Arc::new(Message::user(words(1))));
        assert_eq!(counted.log(&messages), 13);
        assert_eq!(counted.log(&messages), 13);
        assert_eq!(counted.messages.len(), 3);
    }

    #[test]
    fn every_change_of_the_log_shows() {
        let mut counted = Counted::default();
        let before = [Message::user(words(5)), Message::user(words(7)), Message::user(words(9))];
        assert_eq!(counted.log(&log(&before)), 21);
        assert_eq!(counted.log(&log(&before)), 21, "other pointers, the same texts");
        assert_eq!(counted.log(&log(&before[..1])), 5, "an undo");
        assert_eq!(counted.log(&log(&before)), 21, "and what came back");
        let mut edited = log(&before);
        edited[1] = Arc::new(Message::user(words(8)));
        assert_eq!(counted.log(&edited), 22, "an edit of the same length");
        let mut compacted = log(&[Message::system(words(2))]);
        compacted.extend_from_slice(&edited[2..]);
        assert_eq!(counted.log(&compacted), 11, "a compaction");
        assert_eq!(counted.log(&[]), 0);
    }

    #[test]
    fn the_tools_of_the_session_count_once_each_registry() {
        let hooks = Hooks::new(Registry::builder().linked(false).build().unwrap());
        let session = Session::builder(&hooks, "s").log([Message::user(words(3))], None).build();
        let mut counted = Counted::default();
        assert_eq!(counted.session(&session), 3);
        assert!(counted.tools.as_ref().is_some_and(|(registry, _)| Arc::ptr_eq(registry, &hooks.load())));
    }
}
