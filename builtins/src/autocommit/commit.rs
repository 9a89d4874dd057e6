//! One commit of what a turn changed, without what holds credentials.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hookspec::Session;
use hookspec_process::git::{Git, GitError, Version};
use hookspec_process::sensitive::secret_file;

use crate::secrets_guard::{TableError, screen};

/// A commit that could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the turn was not committed: {0}")]
pub struct CommitError(Box<dyn std::error::Error + Send + Sync>);

impl From<GitError> for CommitError {
    fn from(error: GitError) -> Self {
        Self(Box::new(error))
    }
}

impl From<TableError> for CommitError {
    fn from(error: TableError) -> Self {
        Self(Box::new(error))
    }
}

/// What became of a turn's files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Done {
    /// The commit's short id and subject, if there is one.
    pub(super) commit: Option<String>,
    /// How many files it changed.
    pub(super) files: usize,
    /// Files that stay, and why.
    pub(super) left_out: Vec<String>,
}

/// Commits the files that are ours; those that were changed before are named.
pub(super) fn commit(
    git: &Git,
    ours: &BTreeSet<PathBuf>,
    mixed: &BTreeSet<PathBuf>,
    session: &Session,
    words: &dyn Fn(&[PathBuf]) -> String,
) -> Result<Done, CommitError> {
    let mut done = Done::default();
    let files = files(git, ours, mixed, &mut done.left_out)?;
    if files.is_empty() {
        return Ok(done);
    }
    let mut screened = |version: Version<'_>| objection(session, version);
    // Words that nobody could look through are not kept.
    let made = git
        .commit(&files, &mut screened, &|made| screen::without(session, &words(made)).unwrap_or_default())?;
    done.left_out.extend(made.left_out.iter().map(|left| format!("{} ({})", left.path.display(), left.why)));
    if let Some(id) = made.id {
        let subject = git.run(["log", "-1", "--format=%s"])?.text();
        done.commit = Some(format!("{id} {}", subject.trim_end()));
        done.files = made.files.len();
    }
    Ok(done)
}

/// The files to commit, relative to the root; those that are not go to `left_out`.
fn files(
    git: &Git,
    ours: &BTreeSet<PathBuf>,
    mixed: &BTreeSet<PathBuf>,
    left_out: &mut Vec<String>,
) -> Result<Vec<PathBuf>, GitError> {
    let states = git.states()?;
    let mut files = Vec::new();
    let all = ours.iter().map(|path| (path, false)).chain(mixed.iter().map(|path| (path, true)));
    for (path, mixed) in all {
        let Some(inside) = git.inside(path) else { continue };
        // Unchanged in the end, or ignored.
        let Some(state) = states.get(&inside) else { continue };
        let mixed = mixed.then_some("it was changed before the agent changed it");
        // One that is gone gives nothing away.
        let secret = (secret_file(&inside) && path.symlink_metadata().is_ok())
            .then_some("it is a file that holds credentials");
        match state.objection().or(mixed).or(secret) {
            Some(why) => left_out.push(format!("{} ({why})", inside.display())),
            None => files.push(inside),
        }
    }
    Ok(files)
}

/// Why a version of a file is not to be committed.
fn objection(session: &Session, version: Version<'_>) -> Option<String> {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let found = screen::news_in(session, &text(version.before), &text(version.after));
    found.unwrap_or_else(|error| Some(error.to_string()))
}
