//! What a command made that was not there before, and that would decide which programs run later: it could not be made read-only
//! beforehand, so it is moved aside afterwards, and told.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, RenameFlags, ResolveFlags, openat2, renameat_with};

use super::repository::{self, Repository};
use super::walk::Find;
use super::{Shared, locked};
use crate::sandbox::rules::Rules;
use crate::visible_line;

/// What is moved aside is called so at its end.
const HELD: &str = ".held";
/// More of a file of configuration is not read.
const MOST: u64 = 1 << 20;

/// What there was before a command.
#[derive(Debug)]
pub(super) struct After {
    rules: Arc<Rules>,
    shared: Arc<Shared>,
    before: BTreeSet<PathBuf>,
    tells_of_cut: bool,
}

impl After {
    pub(super) fn new(rules: &Arc<Rules>, shared: &Arc<Shared>, before: BTreeSet<PathBuf>) -> Self {
        Self { rules: Arc::clone(rules), shared: Arc::clone(shared), before, tells_of_cut: true }
    }

    /// Moves aside what is new, and tells.
    pub(super) fn findings(&mut self) -> Vec<String> {
        let now = self.protected();
        let new: Vec<PathBuf> = now.difference(&self.before).cloned().collect();
        self.before = now;
        let mut told = Vec::new();
        let is_cut = locked(&self.shared.walks).iter().any(|walk| walk.is_cut);
        if is_cut && std::mem::take(&mut self.tells_of_cut) {
            told.push("The workspace has too many folders to look for secrets in all of them: those that were not found can be read.".to_owned());
        }
        for path in new {
            // What lies in a folder that is told of already went with it.
            let is_told = path.symlink_metadata().is_err();
            if is_told || self.rules.is_granted_to_write(&path) {
                continue;
            }
            told.extend(self.put_aside(&path));
        }
        told
    }

    fn protected(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        for walk in locked(&self.shared.walks).iter_mut() {
            for find in walk.finds() {
                match find {
                    Find::Protected(path) => _ = found.insert(path.clone()),
                    Find::Repository(folder) => found.extend(Repository::new(folder).protected()),
                    Find::Secret(_) | Find::Undecided(_) => {}
                }
            }
        }
        for folder in repository::of(&self.rules.workspace) {
            found.extend(Repository::new(&folder).protected());
        }
        found
    }

    fn put_aside(&self, path: &Path) -> Vec<String> {
        let within = path.strip_prefix(&self.rules.workspace).unwrap_or(path);
        let why = self.rules.protects(path).unwrap_or("decides what runs later");
        let is_of_git = path.ancestors().any(|above| above.file_name().is_some_and(|name| name == ".git"));
        let name = path.file_name().unwrap_or_default();
        // What git makes by itself is harmless: examples of hooks, and a configuration that names nothing to run.
        let aside: Vec<PathBuf> = match name.to_str() {
            Some("hooks") if is_of_git => hooks(path),
            Some("config") if is_of_git && path.is_file() => match runs_something(path) {
                true => vec![path.to_owned()],
                false => Vec::new(),
            },
            _ => vec![path.to_owned()],
        };
        aside
            .iter()
            .map(|path| {
                let shown = visible_line(&path.strip_prefix(&self.rules.workspace).unwrap_or(within).to_string_lossy());
                match move_aside(path) {
                    Ok(now) => format!(
                        "The command made `{shown}`, which {why}: it was renamed to `{}`. Look at it, and rename it back if it is wanted.",
                        visible_line(&now.to_string_lossy())
                    ),
                    Err(error) => format!(
                        "The command made `{shown}`, which {why}, and it could not be renamed ({error}): look at it before anything else runs."
                    ),
                }
            })
            .collect()
    }
}

/// Hooks that git would run.
fn hooks(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries
        .filter(|path| {
            path.extension().is_none_or(|end| end != "sample") && !path.to_string_lossy().ends_with(HELD)
        })
        .collect()
}

/// Keys of a repository's configuration that name nothing to run, nor a file that could.
const HARMLESS: [&str; 22] = [
    "core.repositoryformatversion",
    "core.filemode",
    "core.bare",
    "core.logallrefupdates",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.symlinks",
    "core.autocrlf",
    "core.eol",
    "core.worktree",
    "core.quotepath",
    "user.name",
    "user.email",
    "init.defaultbranch",
    "pull.rebase",
    "push.default",
    "remote.fetch",
    "branch.remote",
    "branch.merge",
    "branch.rebase",
    "submodule.active",
    "extensions.objectformat",
];

/// Whether a configuration of git says more than what `git init` and `git clone` write. What cannot be read does.
fn runs_something(config: &Path) -> bool {
    let mut text = String::new();
    let read = std::fs::File::open(config).and_then(|file| file.take(MOST).read_to_string(&mut text));
    if read.is_err() {
        return true;
    }
    let mut section = String::new();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])).any(|line| {
        if let Some(rest) = line.strip_prefix('[') {
            let Some((head, after)) = rest.rsplit_once(']') else { return true };
            section = head.split([' ', '"', '.']).next().unwrap_or_default().to_lowercase();
            return !after.trim().is_empty();
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        let key = format!("{section}.{}", key.trim().to_lowercase());
        let value = value.trim();
        let is_plain_url = || {
            let value = value.trim_matches('"');
            let is_known = ["https://", "http://", "ssh://", "git://", "file://", "/", "./", "../"]
                .iter()
                .any(|start| value.starts_with(start));
            let is_short = value.split_once(':').is_some_and(|(host, path)| {
                !path.starts_with(':')
                    && !host.is_empty()
                    && host.chars().all(|c| c.is_ascii_alphanumeric() || "@.-_".contains(c))
                    && !host.starts_with('-')
            });
            is_known || is_short
        };
        match &*key {
            "remote.url" | "remote.pushurl" | "submodule.url" => !is_plain_url(),
            key => !HARMLESS.contains(&key) || line.ends_with('\\'),
        }
    })
}

/// Renames a path to one beside it that was free. No link is followed on the way: whoever still runs may have put one there.
fn move_aside(path: &Path) -> io::Result<OsString> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder: OwnedFd = openat2(rustix::fs::CWD, folder, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    for count in 0..100 {
        let mut aside = name.to_owned();
        if count > 0 {
            aside.push(format!(".{count}"));
        }
        aside.push(HELD);
        match renameat_with(folder.as_fd(), name, folder.as_fd(), &aside, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(aside),
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_writes_by_itself_is_harmless_and_more_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        for (text, runs) in [
            ("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n", false),
            (
                "[remote \"origin\"]\n\turl = https://example.org/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
                false,
            ),
            ("[remote \"origin\"]\n\turl = git@example.org:x/y.git\n", false),
            ("[remote \"origin\"]\n\turl = ext::sh -c evil\n", true),
            ("[core]\n\tfsmonitor = evil\n", true),
            ("[core]\n\thooksPath = x\n", true),
            ("[core] fsmonitor = evil\n", true),
            ("[include]\n\tpath = x\n", true),
            ("[alias]\n\tst = !evil\n", true),
            ("[core]\n\tfilemode = a\\\n\tfsmonitor = evil\n", true),
            ("[CORE]\n\tSSHCommand = evil\n", true),
            ("\u{0}", true),
            ("", false),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(runs_something(&file), runs, "{text}");
        }
    }
}
