//! What can go wrong with a log, each with its remedy.

use std::io;
use std::path::{Path, PathBuf};

/// An error of the log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// A conversation id that can't be a folder's name.
    #[error("{id:?} can't be a conversation's id: {why}.")]
    BadId {
        /// The id.
        id: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// No such conversation.
    #[error("There is no conversation {id:?} in {}: list the conversations to see their ids.", .logs.display())]
    NotFound {
        /// The id.
        id: String,
        /// Where it was looked for.
        logs: PathBuf,
    },
    /// The id is taken.
    #[error("A conversation {id:?} exists already: resume it, or choose another id.")]
    Exists {
        /// The id.
        id: String,
    },
    /// Somebody else writes to this conversation.
    #[error("The conversation {id:?} is open in {}: end that session first, or fork the conversation.", holder(*.pid))]
    Locked {
        /// The id.
        id: String,
        /// The process that holds the lock, where the lock file says it.
        pid: Option<u32>,
    },
    /// No room.
    #[error("The disk that holds {} is full, so nothing was stored there: free some space and try again.", .path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// The system refused something.
    #[error("Could not {doing} {}: {source}. Check that the place exists and may be written to.", .path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A message brings an id that the conversation has given to another.
    #[error(
        "The conversation has a message {id:?} already: clear the new message's id, and it gets its own."
    )]
    DuplicateId {
        /// The id.
        id: String,
    },
    /// A host's own store refused something.
    #[error("The conversation {id:?} could not be stored: {source}. Check the store's disk and file.")]
    Store {
        /// The conversation.
        id: String,
        /// What the store said.
        source: hookspec::hooks::BoxError,
    },
    /// What was said before could not be stored.
    #[error(transparent)]
    Fault(#[from] hookspec::session::LogFault),
    /// Something has no text form.
    #[error("Could not write {what} as text: {why}. Leave out the value that it names.")]
    Encode {
        /// What was to be written.
        what: &'static str,
        /// What the serialiser said.
        why: String,
    },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

impl LogError {
    /// A failure of a host's own store.
    pub fn store(id: &str, source: impl Into<hookspec::hooks::BoxError>) -> Self {
        Self::Store { id: id.to_owned(), source: source.into() }
    }

    /// Names the file and what was tried; a full disk has its own error.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { doing, path, source },
        }
    }

    /// Keeps a serialiser's words.
    pub(super) fn encode<E: std::fmt::Display>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::Encode { what, why: error.to_string() }
    }
}
