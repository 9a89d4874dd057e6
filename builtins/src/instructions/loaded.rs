//! Which instructions a session has been told.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hookspec::Session;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::block::{self, Block};

/// The instruction files that a session has read, and what they said then. Shared by the hooks that load
/// them, so that none is told twice.
///
/// Made from the log on first use: what a resumed session was told is in there, whoever kept it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Loaded {
    seeded: bool,
    /// By path; text, since a path need not be one.
    files: BTreeMap<String, Known>,
    /// Files whose passing over was mentioned.
    noted: BTreeSet<String>,
}

/// A file as it was when it was last looked at.
#[derive(Debug, Serialize, Deserialize)]
struct Known {
    said: Said,
    /// Whether the model was told what it said, or something that it said before: not so of copies and blank files.
    #[serde(default)]
    told: bool,
    /// Absent where the file may have changed since without showing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stamp: Option<Stamp>,
}

/// What a file said.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    /// A text of this hash.
    Text(String),
    /// Something that the log does not hold in full.
    Something,
    /// Nothing: it could not be used.
    Nothing,
}

/// What tells that a file changed, without reading it: device, inode, size, time of its last change in
/// seconds and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp(u64, u64, u64, i64, i64);

impl Stamp {
    /// `None` within a second of the last change: another one may come and have the same time.
    pub(super) fn of(data: &Metadata) -> Option<Self> {
        let changed = Duration::new(data.ctime().try_into().ok()?, data.ctime_nsec().try_into().ok()?);
        // The machine's own clock, since it is that of its file systems; the session's may be set.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let settled = now.checked_sub(changed)? > Duration::from_secs(1);
        settled.then(|| Self(data.dev(), data.ino(), data.size(), data.ctime(), data.ctime_nsec()))
    }
}

/// What a file's text is to the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// Not told yet.
    New,
    /// The file said something else before.
    Changed,
    /// Told, from here or from a copy elsewhere.
    Told,
}

impl Loaded {
    /// Takes over what the log shows, once.
    pub(crate) fn seed(&mut self, session: &Session, home: Option<&Path>) {
        if std::mem::replace(&mut self.seeded, true) {
            return;
        }
        for message in session.log().iter() {
            match block::read(message, home) {
                Some(Block::Loaded(path, text)) => {
                    let said = text.map_or(Said::Something, |text| Said::Text(hash(&text)));
                    self.files.insert(key(&path), Known { said, told: true, stamp: None });
                }
                Some(Block::Skipped(path)) => {
                    self.noted.insert(key(&path));
                }
                None => {}
            }
        }
    }

    /// Forgets all, so that the log is read anew: messages may have been taken out of it.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Whether a file has not changed since it was last looked at. Of a copy this does not count: what was told of
    /// the other file may no longer be so.
    pub(super) fn is_as_it_was(&self, path: &Path, stamp: Option<Stamp>) -> bool {
        let known = self.files.get(&key(path)).filter(|known| known.told || known.said == Said::Nothing);
        stamp.is_some() && known.is_some_and(|known| known.stamp == stamp)
    }

    /// What a text is to the session.
    pub(super) fn compare(&self, path: &Path, hash: &str) -> Text {
        let says = |known: &Known| matches!(&known.said, Said::Text(text) if text == hash);
        let known = self.files.get(&key(path));
        if let Some(told) = known.filter(|known| known.told && known.said != Said::Nothing) {
            // What another file says does not take back what this one said.
            return if says(told) || told.said == Said::Something { Text::Told } else { Text::Changed };
        }
        if self.files.values().any(|known| known.told && says(known)) {
            return Text::Told;
        }
        match known {
            Some(copy) if copy.said != Said::Nothing && !says(copy) => Text::Changed,
            _ => Text::New,
        }
    }

    /// Takes down what a file says now, by its hash, and whether the model is told; `None` for one that cannot be used.
    pub(super) fn record(&mut self, path: &Path, stamp: Option<Stamp>, hash: Option<String>, told: bool) {
        let said = hash.map_or(Said::Nothing, Said::Text);
        let told = told || self.files.get(&key(path)).is_some_and(|known| known.told);
        self.files.insert(key(path), Known { said, told, stamp });
    }

    /// Whether the passing over of a file was not mentioned before.
    pub(super) fn note(&mut self, path: &Path) -> bool {
        self.noted.insert(key(path))
    }
}

fn key(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// `ch:` and the first half of SHA-256 over the words, so that line breaks and indentation do not count.
pub(super) fn hash(text: &str) -> String {
    let mut digest = Sha256::new();
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            digest.update(b" ");
        }
        digest.update(word.as_bytes());
    }
    digest.finalize().iter().take(16).fold("ch:".to_owned(), |mut hash, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_count() {
        assert_eq!(hash(" a\n\tb "), hash("a b"));
        assert_ne!(hash("ab"), hash("a b"));
        // SHA-256 of `a b`, from `sha256sum`.
        assert_eq!(hash("a b"), "ch:c8687a08aa5d6ed2044328fa6a697ab8");
    }

    #[test]
    fn a_file_is_not_read_again_unless_it_changed() {
        let old = Path::new("/bin/sh").canonicalize().unwrap();
        let stamp = Stamp::of(&old.metadata().unwrap());
        let mut loaded = Loaded::default();
        assert!(stamp.is_some() && !loaded.is_as_it_was(&old, stamp));
        loaded.record(&old, stamp, None, false);
        assert!(loaded.is_as_it_was(&old, stamp));
        let json = serde_json::to_value(&loaded).unwrap();
        let again: Loaded = serde_json::from_value(json).unwrap();
        assert!(again.is_as_it_was(&old, stamp) && !again.is_as_it_was(&old, None));

        let new = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(Stamp::of(&new.as_file().metadata().unwrap()), None, "too new to tell");
    }
}
