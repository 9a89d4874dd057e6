//! Inwards: hooks that people wrote as commands, run as hooks of ours.
//!
//! One file of configuration may name many. Each is read by itself, so that one which cannot be used takes no other
//! with it, and each that does not run is in every list with the reason. What a project's folder brings
//! runs only once the user [trusts](crate::trust) exactly that.

pub mod clients;
pub mod script;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use hookspec::hooks::JsonHook;

use crate::trust::Subject;

/// The groups that such hooks are in, whatever there is of them: lists may name them anywhere.
pub const GROUPS: [&str; 4] = ["script", "claude", "codex", "hermes"];

/// Hooks from configuration, and what is wrong with the rest.
#[derive(Debug, Default)]
pub struct Inbound {
    /// The hooks, also those that are barred.
    pub hooks: Vec<JsonHook>,
    /// Entries that cannot be used.
    pub complaints: Vec<Complaint>,
    /// Entries that are right and mean nothing here.
    pub idle: Vec<Complaint>,
    /// The hooks of each file that do not run because the user has not trusted them, by their names.
    pub waiting: BTreeMap<PathBuf, Vec<String>>,
    /// What the user may trust, trusted or not.
    pub subjects: Vec<Subject>,
}

/// An entry that cannot be used, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file.
    pub file: PathBuf,
    /// The line that the entry begins at.
    pub line: u32,
    /// The entry, as people would find it: `[[hooks.scripts]]`.
    pub entry: String,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, entry, why } = self;
        let text = format!("{}:{line}: this `{entry}` is left out: {why}", file.display());
        f.write_str(&plain(&text))
    }
}

/// Text from somebody else's file, with nothing in it that a terminal would obey.
#[must_use]
pub fn plain(text: &str) -> String {
    hookspec_process::visible(text)
}

/// Longest configuration file that is read.
const LONGEST: u64 = 8 * 1024 * 1024;

/// The text of a configuration file that somebody else may have put there; `None` if there is none.
///
/// # Errors
/// If it cannot be read, is no plain file (reading a pipe would never end), or is too long.
pub fn read_text(path: &Path) -> io::Result<Option<String>> {
    let about = match std::fs::metadata(path) {
        Ok(about) => about,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if !about.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    if about.len() > LONGEST {
        return Err(io::Error::other("it is longer than 8 MiB"));
    }
    std::fs::read_to_string(path).map(Some)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on has failed

    use super::*;

    #[test]
    fn only_plain_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        assert!(read_text(&path).unwrap().is_none());
        std::fs::write(&path, "x").unwrap();
        assert_eq!(read_text(&path).unwrap().as_deref(), Some("x"));
        assert!(read_text(&path.join("under")).unwrap().is_none());
        assert!(read_text(folder.path()).is_err());
        assert!(read_text(Path::new("/dev/zero")).is_err());
        std::fs::File::create(&path).unwrap().set_len(LONGEST + 1).unwrap();
        assert!(read_text(&path).is_err());
    }

    #[test]
    fn a_terminal_is_not_commanded() {
        assert_eq!(plain("a\n\tb\u{1b}[2J\u{202e}é"), "a\n\tb\\u{1b}[2J\\u{202e}é");
    }
}
