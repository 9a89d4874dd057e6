//! Which worktree a directory belongs to, without running git: a repository's own settings could name
//! programs that git would run.

use std::path::{Path, PathBuf};

/// A directory, and the worktree around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The directory itself, through links.
    pub(super) dir: PathBuf,
    /// The worktree's top, where there is one.
    pub(super) top: Option<PathBuf>,
}

impl Place {
    /// Of a directory that may be gone: the kernel says ` (deleted)` then.
    pub(super) fn of(dir: &Path) -> Self {
        let text = dir.to_string_lossy();
        let dir = text.strip_suffix(" (deleted)").map_or_else(|| dir.to_owned(), PathBuf::from);
        let existing = dir.ancestors().find(|path| path.exists()).unwrap_or(&dir);
        let real = existing.canonicalize().unwrap_or_else(|_| existing.to_owned());
        let dir = match dir.strip_prefix(existing) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        };
        let top = dir.ancestors().find(|path| path.join(".git").exists()).map(Path::to_owned);
        Self { dir, top }
    }

    /// Whether somebody working at `other` can get in the way of somebody working here.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        match &self.top {
            Some(top) => other.top.as_ref() == Some(top),
            None => other.dir.starts_with(&self.dir),
        }
    }

    /// The branch that is checked out; `HEAD` where none is.
    pub(super) fn branch(&self) -> Option<String> {
        let top = self.top.as_ref()?;
        let git = top.join(".git");
        let folder = if git.is_dir() {
            git
        } else {
            // A linked worktree or a submodule: the file names the folder.
            let text = std::fs::read_to_string(&git).ok()?;
            top.join(text.strip_prefix("gitdir:")?.trim())
        };
        let head = std::fs::read_to_string(folder.join("HEAD")).ok()?;
        let head = head.trim();
        Some(head.strip_prefix("ref: refs/heads/").map_or_else(|| "HEAD".to_owned(), str::to_owned))
    }
}
