//! What of a repository decides which programs git runs.

use std::path::{Path, PathBuf};

/// A repository's own folder.
pub(super) struct Repository<'a> {
    folder: &'a Path,
}

impl<'a> Repository<'a> {
    pub(super) fn new(folder: &'a Path) -> Self {
        Self { folder }
    }

    /// The files and folders in it that are there and are not written without a yes.
    pub(super) fn protected(&self) -> Vec<PathBuf> {
        let own = ["config", "config.worktree", "hooks", "info/attributes", "commondir"];
        let mut found: Vec<PathBuf> = own
            .iter()
            .map(|name| self.folder.join(name))
            .filter(|path| path.symlink_metadata().is_ok())
            .collect();
        for tree in entries(&self.folder.join("worktrees")) {
            found.extend([tree.join("config.worktree")].into_iter().filter(|path| path.exists()));
        }
        self.modules(&self.folder.join("modules"), 0, &mut found);
        found
    }

    /// Repositories of submodules, whose names may have slashes in them.
    fn modules(&self, folder: &Path, deep: usize, found: &mut Vec<PathBuf>) {
        for module in entries(folder).filter(|_| deep < 6) {
            if module.join("HEAD").exists() {
                found.extend(Repository::new(&module).protected());
            } else {
                self.modules(&module, deep + 1, found);
            }
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
}

/// The folders outside a workspace to which its repository writes: that of a repository around it, and of one of which it is a
/// further tree. A `.git` file names the latter, and anybody can write such a file: it counts if the repository names the tree too.
pub(super) fn of(workspace: &Path) -> Vec<PathBuf> {
    let Some(top) = workspace.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())
    else {
        return Vec::new();
    };
    let git = top.join(".git");
    if git.is_dir() {
        return if top == workspace { Vec::new() } else { git.canonicalize().into_iter().collect() };
    }
    let named = std::fs::read_to_string(&git).ok();
    let named =
        named.as_deref().and_then(|text| text.strip_prefix("gitdir:")).map(|path| top.join(path.trim()));
    let Some(own) = named.and_then(|path| path.canonicalize().ok()) else { return Vec::new() };
    let back = std::fs::read_to_string(own.join("gitdir")).unwrap_or_default();
    let is_named_back = own
        .join(back.trim())
        .canonicalize()
        .is_ok_and(|back| git.canonicalize().is_ok_and(|git| git == back));
    if is_named_back {
        let common = std::fs::read_to_string(own.join("commondir")).unwrap_or_else(|_| ".".to_owned());
        return own.join(common.trim()).canonicalize().into_iter().collect();
    }
    // A submodule lies in the folder of the repository around it.
    let around = top
        .ancestors()
        .skip(1)
        .map(|folder| folder.join(".git/modules"))
        .find(|modules| own.starts_with(modules));
    around.map(|_| own).into_iter().collect()
}
