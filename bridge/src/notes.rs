//! Notes: what one event tells and a later one needs.
//!
//! An agent of ours holds a turn in its memory; here each event is a process of its own. The notes are kept with
//! the states of the hooks, under the client's session id.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What is remembered of a session from event to event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notes {
    /// The directory tree that it works in: where the client was when the session was first seen.
    pub workspace: Option<PathBuf>,
    /// Steps of this turn that have begun.
    pub steps: u32,
    /// Whether one of them is not over yet.
    pub begun: bool,
    /// Tool calls of this step.
    pub calls: u32,
    /// How often in a row hooks have kept the agent going.
    pub continued: u32,
    /// Files that the turn has changed.
    pub changed: BTreeSet<PathBuf>,
    /// What files held before a tool call changed them, by call.
    before: BTreeMap<String, Vec<Before>>,
    /// Calls in `before`, oldest first.
    order: Vec<String>,
    /// When the call to the model began.
    pub asked_at: Option<Timestamp>,
    /// What it has answered so far.
    pub answer: String,
    /// Pieces of it so far.
    pub pieces: u32,
    /// What hooks said when the client could not be told, oldest first; it goes out with the next event that can
    /// carry it.
    pub held: Vec<String>,
}

/// What a file held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// The file.
    pub path: PathBuf,
    /// Its text; `None` if there was no file.
    pub text: Option<String>,
}

/// Calls whose files are remembered at a time; a call that never ends must not fill the notes.
const CALLS: usize = 32;
/// Longer texts are not remembered.
const LONGEST: usize = 256 * 1024;
/// Texts that are held back at a time, and the length of one.
const HELD: usize = 32;
const HELD_LONGEST: usize = 8 * 1024;

impl Notes {
    /// A new turn begins.
    pub fn turn(&mut self) {
        self.steps = 0;
        self.begun = false;
        self.calls = 0;
        self.continued = 0;
        self.changed.clear();
    }

    /// Remembers what a file holds before a call changes it.
    pub fn remember(&mut self, call: &str, path: &Path, text: Option<&str>) {
        if text.is_some_and(|text| text.len() > LONGEST) {
            return;
        }
        if !self.before.contains_key(call) {
            self.order.push(call.to_owned());
            while self.order.len() > CALLS {
                self.before.remove(&self.order.remove(0));
            }
        }
        let before = Before { path: path.to_owned(), text: text.map(str::to_owned) };
        self.before.entry(call.to_owned()).or_default().push(before);
    }

    /// What the files of a call held before it, and forgets it.
    pub fn recall(&mut self, call: &str) -> Vec<Before> {
        self.order.retain(|held| held != call);
        self.before.remove(call).unwrap_or_default()
    }

    /// Keeps what could not be told; returns what had to be dropped for it.
    pub fn hold(&mut self, texts: Vec<String>) -> usize {
        self.held.extend(texts.into_iter().map(|text| shortened(text, HELD_LONGEST)));
        let over = self.held.len().saturating_sub(HELD);
        self.held.drain(..over);
        over
    }
}

/// At most `most` bytes of a text, with a note of what is missing.
#[must_use]
pub fn shortened(mut text: String, most: usize) -> String {
    if text.len() > most {
        let mut end = most;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let missing = text.len() - end;
        text.truncate(end);
        text.push_str(&format!("\n[… {missing} bytes more]"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_stay_small() {
        let mut notes = Notes::default();
        for call in 0..100 {
            notes.remember(&call.to_string(), Path::new("/a"), Some("x"));
        }
        assert!(notes.recall("0").is_empty());
        assert_eq!(notes.recall("99"), [Before { path: "/a".into(), text: Some("x".into()) }]);
        assert!(notes.recall("99").is_empty());
        notes.remember("big", Path::new("/a"), Some(&"x".repeat(LONGEST + 1)));
        assert!(notes.recall("big").is_empty());
        assert_eq!(notes.hold(vec!["ä".repeat(HELD_LONGEST); HELD + 1]), 1);
        assert!(
            notes.held.iter().all(|text| text.len() < HELD_LONGEST + 40 && text.ends_with("bytes more]"))
        );
    }
}
