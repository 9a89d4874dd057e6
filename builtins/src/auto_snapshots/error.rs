//! What can go wrong with snapshots.

use std::io;
use std::path::{Path, PathBuf};

use hookspec_process::git::GitError;

/// A snapshot that could not be made, read or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Nobody says where they go.
    #[error(
        "snapshots have no place to go: this host lends no state folder, so set `dir` in `[hooks.auto_snapshots]` to an absolute path"
    )]
    NoPlace,
    /// A root of a file system is not worked in by accident only.
    #[error("{0} is too much to take snapshots of: start the agent in a project's folder")]
    TooMuch(PathBuf),
    /// A file of theirs cannot be used.
    #[error("{path} could not be {what}: {source}; check that the folder can be written to")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Git failed.
    #[error("the snapshot failed: {0}")]
    Git(Box<dyn std::error::Error + Send + Sync>),
    /// The tree has more changes than one call may list.
    #[error("{0} has too many files for a snapshot: have git ignore those that can be made anew")]
    TooMany(PathBuf),
    /// Another process works on the same session.
    #[error("another process holds the snapshots of this session ({0}); wait until it is done")]
    Busy(PathBuf),
    /// There is no such snapshot.
    #[error("there is no snapshot `{0}` of this workspace; `hookspec snapshots` lists them")]
    Unknown(String),
    /// There are several.
    #[error("`{0}` may be one of several snapshots; write more of its id")]
    Ambiguous(String),
    /// The snapshot that was to be made first could not be.
    #[error("nothing was restored, since the tree could not be saved as it is now: {0}")]
    NotSafe(Box<SnapshotError>),
    /// The restore broke off.
    #[error(
        "the restore broke off: {why}; `hookspec snapshots restore {safety}` brings back what was there before it"
    )]
    BrokenOff {
        /// What happened.
        why: Box<SnapshotError>,
        /// The snapshot that was made first.
        safety: String,
    },
}

impl SnapshotError {
    /// Whether it failed for want of time.
    pub(super) fn took_long(&self) -> bool {
        match self {
            Self::Busy(_) => true,
            Self::Git(error) => matches!(
                error.downcast_ref(),
                Some(GitError::Process(hookspec_process::ProcessError::Deadline { .. }))
            ),
            _ => false,
        }
    }
}

impl From<GitError> for SnapshotError {
    fn from(error: GitError) -> Self {
        Self::Git(Box::new(error))
    }
}

pub(super) fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SnapshotError {
    let path = path.to_owned();
    move |source| SnapshotError::Io { path, what, source }
}
