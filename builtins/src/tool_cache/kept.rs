//! The answers that are kept, and what they are answers to.

use std::collections::VecDeque;
use std::path::PathBuf;

use hookspec::tool::{ToolEntry, ToolOutput};
use hookspec::{Session, ToolUse};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Settings;
use crate::text::sorted;

/// What an answer of a pure tool hangs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    tool: &'static str,
    /// As the tool reads them, whichever way the call was written; as JSON with its keys in order.
    arguments: String,
    workspace: Option<PathBuf>,
    cwd: PathBuf,
}

impl Key {
    pub(super) fn of(tool: &'static ToolEntry, call: &ToolUse, session: &Session) -> Self {
        Self {
            tool: tool.name,
            arguments: sorted(&Value::Object(tool.arguments(call))),
            workspace: session.workspace().map(ToOwned::to_owned),
            cwd: session.cwd(),
        }
    }
}

/// What a session keeps. Nothing of it outlives the process.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    /// The answers, the one that was asked for last at the end.
    #[serde(skip)]
    answers: VecDeque<Answer>,
    /// How often something changed.
    #[serde(skip)]
    changes: u64,
}

#[derive(Debug)]
struct Answer {
    key: Key,
    output: ToolOutput,
    bytes: usize,
    at: Timestamp,
}

impl Kept {
    /// The answer to a call, if there is one that is still good.
    pub(super) fn get(&mut self, key: &Key, now: Timestamp, settings: &Settings) -> Option<ToolOutput> {
        let good = SignedDuration::from_secs(settings.seconds.into());
        self.answers.retain(|answer| {
            let age = now.duration_since(answer.at);
            // A clock that was set back makes nothing good again.
            !age.is_negative() && age < good
        });
        let answer = self.answers.iter().position(|answer| answer.key == *key)?;
        let answer = self.answers.remove(answer)?;
        let output = answer.output.clone();
        self.answers.push_back(answer);
        Some(output)
    }

    pub(super) fn put(&mut self, key: Key, output: ToolOutput, now: Timestamp, settings: &Settings) {
        self.answers.retain(|answer| answer.key != key);
        let bytes =
            key.arguments.len() + output.messages.iter().map(|said| said.content.len()).sum::<usize>();
        if bytes > settings.bytes {
            return;
        }
        self.answers.push_back(Answer { key, output, bytes, at: now });
        let mut all: usize = self.answers.iter().map(|answer| answer.bytes).sum();
        while self.answers.len() > settings.entries.get() || all > settings.bytes {
            let Some(oldest) = self.answers.pop_front() else { break };
            all -= oldest.bytes;
        }
    }

    /// Something may have changed what a pure tool looks at.
    pub(super) fn forget(&mut self) {
        self.answers.clear();
        self.changes = self.changes.wrapping_add(1);
    }

    /// A number that is another one after each change.
    pub(super) fn change(&self) -> u64 {
        self.changes
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use hookspec::Message;

    use super::*;

    fn key(arguments: &str) -> Key {
        Key { tool: "t", arguments: arguments.into(), workspace: None, cwd: "/".into() }
    }

    fn output(text: &str) -> ToolOutput {
        ToolOutput { messages: vec![Message::system(text)], status: None }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn settings(entries: usize, bytes: usize) -> Settings {
        Settings { entries: NonZeroUsize::new(entries).unwrap(), bytes, seconds: 10, ..Settings::default() }
    }

    #[test]
    fn an_answer_is_good_for_its_seconds_and_for_its_key() {
        let (mut kept, settings) = (Kept::default(), settings(9, 999));
        kept.put(key("a"), output("1"), at(100), &settings);
        assert_eq!(kept.get(&key("b"), at(100), &settings), None);
        let elsewhere = Key { cwd: "/tmp".into(), ..key("a") };
        assert_eq!(kept.get(&elsewhere, at(100), &settings), None);
        let other = Key { workspace: Some("/w".into()), ..key("a") };
        assert_eq!(kept.get(&other, at(100), &settings), None);
        assert_eq!(kept.get(&Key { tool: "u", ..key("a") }, at(100), &settings), None);
        assert_eq!(kept.get(&key("a"), at(109), &settings), Some(output("1")));
        assert_eq!(kept.get(&key("a"), at(110), &settings), None, "to be asked for does not make it newer");
        kept.put(key("a"), output("1"), at(100), &settings);
        assert_eq!(kept.get(&key("a"), at(99), &settings), None, "the clock was set back");
    }

    #[test]
    fn the_one_that_was_not_asked_for_longest_goes_first() {
        let (mut kept, settings) = (Kept::default(), settings(2, 999));
        for name in ["a", "b"] {
            kept.put(key(name), output(name), at(0), &settings);
        }
        assert!(kept.get(&key("a"), at(0), &settings).is_some());
        kept.put(key("c"), output("c"), at(0), &settings);
        let had = ["a", "b", "c"].map(|name| kept.get(&key(name), at(0), &settings).is_some());
        assert_eq!(had, [true, false, true]);
    }

    #[test]
    fn the_bytes_are_those_of_all_and_a_longer_one_takes_no_room() {
        let (mut kept, settings) = (Kept::default(), settings(9, 10));
        for name in ["a", "b"] {
            kept.put(key(name), output("four"), at(0), &settings);
        }
        kept.put(key("c"), output("much too long"), at(0), &settings);
        let had = |kept: &mut Kept| {
            ["a", "b", "c", "d"].map(|name| kept.get(&key(name), at(0), &settings).is_some())
        };
        assert_eq!(had(&mut kept), [true, true, false, false]);
        kept.put(key("d"), output("x"), at(0), &settings);
        assert_eq!(had(&mut kept), [false, true, false, true]);
        kept.put(key("d"), output("much too long"), at(0), &settings);
        assert_eq!(had(&mut kept), [false, true, false, false], "nor does its old answer stay");
        kept.put(key("b"), output("new"), at(0), &settings);
        assert_eq!(kept.answers.len(), 1, "one answer a call");
    }

    #[test]
    fn a_change_takes_everything_and_is_known_afterwards() {
        let (mut kept, settings) = (Kept::default(), settings(9, 999));
        let before = kept.change();
        kept.put(key("a"), output("1"), at(0), &settings);
        assert_eq!(kept.change(), before);
        kept.forget();
        assert_ne!(kept.change(), before);
        assert_eq!(kept.get(&key("a"), at(0), &settings), None);
    }

    #[test]
    fn nothing_of_it_is_stored() {
        let mut kept = Kept::default();
        kept.put(key("a"), output("secret"), at(0), &settings(9, 999));
        assert_eq!(serde_json::to_string(&kept).unwrap(), "{}");
        assert!(serde_json::from_str::<Kept>("{}").is_ok());
    }
}
