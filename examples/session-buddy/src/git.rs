//! Git, as far as scores, metrics and checkpoints need it: [`hookspec_process::git`] runs it, and nothing that a repository names.
//!
//! What it cannot tell is `None`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookspec_process::git;
use hookspec_process::sensitive::secret_file;
use jiff::Timestamp;

use crate::changes::Changed;

/// A commit or a tag that was not made.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no repository, or no git.
    #[error(
        "There is no git repository in the workspace, or no git on PATH: nothing can be committed or tagged."
    )]
    None,
    /// It said no.
    #[error("git failed ({command}): {said}")]
    Failed {
        /// The subcommand.
        command: String,
        /// What it complained of.
        said: String,
    },
}

/// What became of a session's changes.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// The commit's short id; none where nothing was left to commit.
    pub(crate) id: Option<String>,
    /// Files without changes now: committed, or as they were.
    pub(crate) done: Vec<PathBuf>,
    /// Files that stay, and why.
    pub(crate) left_out: Vec<String>,
}

fn failed(error: git::GitError) -> GitError {
    match error {
        git::GitError::Failed { command, how, said, .. } => {
            GitError::Failed { command, said: if said.is_empty() { how } else { said } }
        }
        other => GitError::Failed { command: "git".to_owned(), said: other.to_string() },
    }
}

/// The repository around a folder, as seen from there: all of it or a part.
#[derive(Debug)]
pub(crate) struct Git(git::Git);

impl Git {
    /// The repository around a folder.
    pub(crate) fn at(dir: &Path) -> Option<Self> {
        match git::Git::around(dir) {
            Ok(git) => git.map(Self),
            Err(error) => {
                tracing::warn!(%error, "the repository is left alone");
                None
            }
        }
    }

    fn run(&self, args: &[OsString]) -> Result<String, GitError> {
        let said = self.0.run(args).map_err(failed)?;
        Ok(said.text().trim_end().to_owned())
    }

    /// What git says; `None` where it fails.
    pub(crate) fn ask<const N: usize>(&self, args: [&str; N]) -> Option<String> {
        self.run(&args.map(OsString::from)).ok()
    }

    /// The commit that is checked out.
    pub(crate) fn head(&self) -> Option<String> {
        self.ask(["rev-parse", "--verify", "--quiet", "HEAD"])
    }

    /// How many commits came after one.
    pub(crate) fn commits_since(&self, head: Option<&str>) -> Option<u32> {
        let range = head.map_or_else(|| "HEAD".to_owned(), |head| format!("{head}..HEAD"));
        self.ask(["rev-list", "--count", &range])?.parse().ok()
    }

    /// How many commits that change something of the folder came after a time.
    pub(crate) fn commits_after(&self, time: Timestamp) -> Option<u32> {
        self.ask(["rev-list", "--count", &format!("--since={time}"), "HEAD", "--", "."])?.parse().ok()
    }

    /// When a file of the folder was last committed.
    pub(crate) fn committed(&self, path: &str) -> Option<Timestamp> {
        let seconds = self.ask(["log", "-1", "--format=%ct", "--", path])?;
        Timestamp::from_second(seconds.parse().ok()?).ok()
    }

    /// Whether a file differs from what is committed; `None` where git does not tell.
    pub(crate) fn differs(&self, path: &Path) -> Option<bool> {
        self.0.differs(path).ok()
    }

    /// Commits files that tools changed, as they are now, without those that somebody objects to; gives what became of each.
    pub(crate) fn commit(
        &self,
        changed: &[Changed],
        screen: &mut dyn FnMut(git::Version<'_>) -> Option<String>,
        message: &str,
    ) -> Result<Taken, GitError> {
        if let Some(why) = self.0.is_busy().map_err(failed)? {
            return Err(GitError::Failed { command: "commit".to_owned(), said: why.to_owned() });
        }
        let states = self.0.states().map_err(failed)?;
        let (mut files, mut taken) = (Vec::new(), Taken::default());
        for changed in changed {
            // One that is ignored, lies elsewhere, or is as it was.
            let inside = self.0.inside(&changed.path);
            let Some((inside, state)) = inside.and_then(|path| states.get(&path).map(|state| (path, state)))
            else {
                taken.done.push(changed.path.clone());
                continue;
            };
            let secret = secret_file(&inside) && changed.path.symlink_metadata().is_ok();
            let secret = secret.then_some("it is a file that holds credentials");
            match state.objection().or(changed.why_not).or(secret) {
                Some(why) => taken.left_out.push(format!("{} ({why})", inside.display())),
                None => files.push(inside),
            }
        }
        if files.is_empty() {
            return Ok(taken);
        }
        let made = self.0.commit(&files, screen, &|_| message.to_owned()).map_err(failed)?;
        taken.id = made.id;
        taken.done.extend(made.files.iter().map(|path| self.0.root().join(path)));
        let left = made.left_out.iter().map(|left| format!("{} ({})", left.path.display(), left.why));
        taken.left_out.extend(left);
        Ok(taken)
    }

    /// Tags what is checked out.
    pub(crate) fn tag(&self, name: &str, message: &str) -> Result<(), GitError> {
        let args = ["tag", "--annotate", "--no-sign", "-m", message, "--", name].map(OsString::from);
        self.run(&args).map(drop)
    }
}
