//! What can go wrong with a call of git.

use std::io;
use std::path::PathBuf;

use crate::run::ProcessError;

/// A call of git that did not give what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// There is no git.
    #[error("git is not on PATH (outside of {0}); install it, or leave out the hook that needs it")]
    Missing(PathBuf),
    /// It did not run to its end.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// It said no.
    #[error("`git {command}` failed in {dir} ({how}): {said}")]
    Failed {
        /// The subcommand.
        command: String,
        /// Where it ran.
        dir: PathBuf,
        /// The exit status, in words.
        how: String,
        /// The end of what it complained of.
        said: String,
    },
    /// A subcommand of which nobody has looked up what it runs.
    #[error("`git {0}` is none of the subcommands that are known to run no program; add it to their table")]
    Unknown(String),
    /// A repository that lies elsewhere, or says that its files do.
    #[error("{root} is not worked in with git: {why}")]
    Astray {
        /// The folder with the `.git`.
        root: PathBuf,
        /// What is wrong with it, and what puts it right.
        why: String,
    },
    /// The folder through which git sees the repository could not be made.
    #[error("{path} could not be {what}: {source}; check that there is room and that it can be written to")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// More than can be looked through.
    #[error("`git {0}` printed more than is kept, so that its answer is not whole")]
    TooMuch(String),
    /// The commit is there, and the index does not know.
    #[error("{commit} was committed, but the index could not follow ({why}); `git reset` puts it right")]
    IndexBehind {
        /// The commit's short id.
        commit: String,
        /// Why not.
        why: Box<GitError>,
    },
}

/// The system's error as ours.
pub(super) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> GitError {
    let path = path.into();
    move |source| GitError::Io { path, what, source }
}
