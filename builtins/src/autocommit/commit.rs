//! The repository around a workspace, and one commit in it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::{Git, GitError};

/// A commit that could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the turn was not committed: {0}")]
pub struct CommitError(Box<dyn std::error::Error + Send + Sync>);

impl From<GitError> for CommitError {
    fn from(error: GitError) -> Self {
        Self(Box::new(error))
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

/// A git repository that somebody works in.
pub(super) struct Repository {
    git: Git,
    root: PathBuf,
}

/// What one commit takes.
pub(super) struct Plan {
    /// Relative to the repository's root.
    pub(super) files: Vec<PathBuf>,
    /// Those among them that git does not know yet.
    fresh: Vec<PathBuf>,
    /// Files that stay, and why.
    pub(super) left_out: Vec<String>,
}

impl Repository {
    /// The repository around a folder; `None` where there is none.
    pub(super) fn around(folder: &Path, deadline: Duration) -> Result<Option<Self>, GitError> {
        let git = Git::at(folder)?.deadline(deadline).keep(64 * 1024 * 1024);
        let Some(root) = git.ask(&["rev-parse", "--show-toplevel"])? else { return Ok(None) };
        let root = PathBuf::from(root);
        let git = Git::at(&root)?.deadline(deadline).keep(64 * 1024 * 1024);
        Ok(Some(Self { git, root }))
    }

    /// Why this is no time to commit, if it is not.
    pub(super) fn is_busy(&self) -> Result<Option<&'static str>, GitError> {
        let folder = self.git.run(["rev-parse", "--absolute-git-dir"])?.text();
        let folder = Path::new(folder.trim_end_matches('\n'));
        if let Some((_, why)) = BUSY.iter().find(|(name, _)| folder.join(name).exists()) {
            return Ok(Some(why));
        }
        let branch = self.git.ask(&["symbolic-ref", "--quiet", "HEAD"])?;
        Ok(branch.is_none().then_some("no branch is checked out"))
    }

    /// A path as git names it here; `None` where it lies outside.
    fn inside(&self, path: &Path) -> Option<PathBuf> {
        // A file that is gone has no real path, but its folder may.
        let real = path.parent().and_then(|folder| folder.canonicalize().ok()).zip(path.file_name());
        let real = real.map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name));
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        real.strip_prefix(root).ok().filter(|inside| !inside.starts_with(".git")).map(Path::to_owned)
    }

    /// Whether a file differs from what is committed. One that git does not know counts if it exists.
    pub(super) fn has_changed(&self, path: &Path) -> Result<bool, GitError> {
        let Some(inside) = self.inside(path) else { return Ok(false) };
        let mut args: Vec<&OsStr> =
            ["status", "--porcelain", "-z", "--untracked-files=all", "--"].map(OsStr::new).into();
        args.push(inside.as_os_str());
        Ok(!self.git.run(args)?.is_empty())
    }

    /// Sorts files into those to commit and those to leave.
    pub(super) fn plan(&self, ours: &BTreeSet<PathBuf>, mixed: &BTreeSet<PathBuf>) -> Result<Plan, GitError> {
        let status = self.status()?;
        let mut plan = Plan { files: Vec::new(), fresh: Vec::new(), left_out: Vec::new() };
        let all = ours.iter().map(|path| (path, false)).chain(mixed.iter().map(|path| (path, true)));
        for (path, mixed) in all {
            let Some(inside) = self.inside(path) else { continue };
            // Unchanged in the end, or ignored.
            let Some(&(staged, changed)) = status.get(&inside) else { continue };
            let name = inside.display();
            if staged == b'U' || changed == b'U' {
                plan.left_out.push(format!("{name} (it has conflicts)"));
            } else if !matches!(staged, b' ' | b'?') {
                plan.left_out.push(format!("{name} (it has staged changes)"));
            } else if mixed {
                plan.left_out.push(format!("{name} (it was changed before the agent changed it)"));
            } else {
                if staged == b'?' {
                    plan.fresh.push(inside.clone());
                }
                plan.files.push(inside);
            }
        }
        Ok(plan)
    }

    /// What `git status` says of each file that differs: of the index, and of the tree.
    fn status(&self) -> Result<BTreeMap<PathBuf, (u8, u8)>, GitError> {
        let listed =
            self.git.run(["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"])?.bytes();
        let entries = listed.split(|byte| *byte == 0);
        Ok(entries
            .filter_map(|entry| match entry {
                [staged, changed, b' ', path @ ..] => {
                    Some((PathBuf::from(OsStr::from_bytes(path)), (*staged, *changed)))
                }
                _ => None,
            })
            .collect())
    }

    /// Commits these files and no others; gives the commit's short id and subject.
    pub(super) fn commit(&self, plan: &Plan, message: &str) -> Result<String, GitError> {
        if !plan.fresh.is_empty() {
            // So that git knows them; their content is not staged, and a commit that fails leaves nothing behind.
            self.git.paths(&["add", "--intent-to-add"], &plan.fresh)?;
        }
        let args = ["commit", "--quiet", "--only", "--no-gpg-sign", "--cleanup=whitespace", "-m", message];
        if let Err(error) = self.git.paths(&args, &plan.files) {
            if !plan.fresh.is_empty() {
                self.git.paths(&["rm", "--quiet", "--cached"], &plan.fresh)?;
            }
            return Err(error);
        }
        Ok(self.git.run(["log", "-1", "--format=%h %s"])?.text().trim_end().to_owned())
    }
}
