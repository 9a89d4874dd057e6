//! What differs from what is committed, and whether this is a time to commit.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Git, GitError};

/// How a file differs, by the two letters of `git status --porcelain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// In the index.
    pub staged: u8,
    /// In the working tree.
    pub changed: u8,
}

impl State {
    /// Whether git does not know the file yet.
    #[must_use]
    pub fn is_untracked(self) -> bool {
        self.staged == b'?'
    }

    /// Why it is not for us to commit the file, if it is not.
    #[must_use]
    pub fn objection(self) -> Option<&'static str> {
        if self.staged == b'U' || self.changed == b'U' {
            Some("it has conflicts")
        } else if !matches!(self.staged, b' ' | b'?') {
            Some("it has staged changes")
        } else {
            None
        }
    }
}

/// What a repository is in the middle of, by the file that says so.
const BUSY: [(&str, &str); 6] = [
    ("MERGE_HEAD", "the repository is in the middle of a merge"),
    ("rebase-merge", "the repository is in the middle of a rebase"),
    ("rebase-apply", "the repository is in the middle of a rebase"),
    ("CHERRY_PICK_HEAD", "the repository is in the middle of a cherry-pick"),
    ("REVERT_HEAD", "the repository is in the middle of a revert"),
    ("BISECT_START", "the repository is in the middle of a bisection"),
];

impl Git {
    /// Each file that differs from what is committed, untracked ones too, relative to the root. Not those that are ignored.
    ///
    /// # Errors
    /// If git fails.
    pub fn states(&self) -> Result<BTreeMap<PathBuf, State>, GitError> {
        let all = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"];
        let listed = self.run(all)?;
        if listed.dropped() > 0 {
            return Err(GitError::TooMuch("status".to_owned()));
        }
        let listed = listed.bytes();
        let entries = listed.split(|byte| *byte == 0);
        Ok(entries
            .filter_map(|entry| match entry {
                [staged, changed, b' ', path @ ..] => {
                    let state = State { staged: *staged, changed: *changed };
                    Some((PathBuf::from(OsStr::from_bytes(path)), state))
                }
                _ => None,
            })
            .collect())
    }

    /// Whether a file differs from what is committed. One that git does not know counts if it exists.
    ///
    /// # Errors
    /// If git fails.
    pub fn differs(&self, path: &Path) -> Result<bool, GitError> {
        let Some(inside) = self.inside(path) else { return Ok(false) };
        let mut args: Vec<&OsStr> =
            ["status", "--porcelain", "-z", "--untracked-files=all", "--"].map(OsStr::new).into();
        let inside = self.root().join(inside);
        args.push(inside.as_os_str());
        Ok(!self.run(args)?.is_empty())
    }

    /// A path as git names it here, relative to the root; `None` where it lies outside.
    #[must_use]
    pub fn inside(&self, path: &Path) -> Option<PathBuf> {
        // A file that is gone has no real path, but its folder may.
        let real = path.parent().and_then(|folder| folder.canonicalize().ok()).zip(path.file_name());
        let real = real.map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name));
        real.strip_prefix(self.root()).ok().filter(|inside| !inside.starts_with(".git")).map(Path::to_owned)
    }

    /// Why this is no time to commit, if it is not.
    ///
    /// # Errors
    /// If git fails.
    pub fn is_busy(&self) -> Result<Option<&'static str>, GitError> {
        if let Some(view) = &self.view
            && let Some((_, why)) = BUSY.iter().find(|(name, _)| view.place.git_dir.join(name).exists())
        {
            return Ok(Some(why));
        }
        let branch = self.ask(["symbolic-ref", "--quiet", "HEAD"])?;
        Ok(branch.is_none().then_some("no branch is checked out"))
    }
}
