//! The repository that holds the snapshots of one workspace.
//!
//! Its work tree is the workspace; the user's own repository there is not looked at. Each session has a branch and an
//! index of its own, and a lock, so that sessions do not disturb each other. Snapshots that are dropped are
//! cut off by git's list of shallow commits: those that stay keep their ids.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::git::{Git, GitError};
use crate::places::file_name;

/// Never part of a snapshot, at any depth.
const EXCLUDED: &str =
    ".git/\n.venv/\n__pycache__/\n*.pyc\nnode_modules/\n.mypy_cache/\n.ruff_cache/\n.pytest_cache/\n";
/// Bytes as they are: neither line ends nor filters nor keywords.
const ATTRIBUTES: &str = "* -text -eol -filter -ident -working-tree-encoding\n";
/// Written last; says that the repository is ready.
const READY: &str = "hookspec-ready";
/// Where the sessions' branches are.
pub(super) const BRANCHES: &str = "refs/heads/snapshots/";

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

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SnapshotError {
    let path = path.to_owned();
    move |source| SnapshotError::Io { path, what, source }
}

/// The snapshots of one session in one workspace.
#[derive(Clone, Debug)]
pub struct Shadow {
    pub(super) dir: PathBuf,
    pub(super) workspace: PathBuf,
    pub(super) branch: String,
    pub(super) git: Git,
    index: PathBuf,
    lock: PathBuf,
    /// Folders of ours, which are not part of the workspace even where they lie in it.
    own: Vec<PathBuf>,
    biggest: u64,
    patience: Duration,
}

/// What was staged, and what was not.
pub(super) struct Staged {
    pub(super) tree: String,
    left_out: Vec<String>,
}

impl Shadow {
    pub(super) fn at(
        base: &Path,
        workspace: &Path,
        session: &str,
        own: Vec<PathBuf>,
    ) -> Result<Self, SnapshotError> {
        let workspace = workspace.canonicalize().map_err(failed("found", workspace))?;
        if workspace.parent().is_none() {
            return Err(SnapshotError::TooMuch(workspace));
        }
        let mark = crate::manifest::digest(workspace.as_os_str().as_bytes());
        let dir = base.join(format!("{}.git", &mark[..16]));
        let git = Git::own(&dir, &workspace)?.keep(64 * 1024 * 1024);
        let (branch, index, lock) = (String::new(), dir.join("index"), dir.join("lock"));
        let patience = Duration::from_secs(30);
        let shadow = Self { dir, workspace, branch, git, index, lock, own, biggest: u64::MAX, patience };
        Ok(shadow.on_branch(&branch_name(session)))
    }

    /// The same for another session, by its branch's name.
    pub(super) fn on_branch(mut self, name: &str) -> Self {
        self.index = self.dir.join(format!("index.{name}"));
        self.git = self.git.env("GIT_INDEX_FILE", &self.index);
        self.lock = self.dir.join(format!("lock.{name}"));
        self.branch = format!("{BRANCHES}{name}");
        self
    }

    pub(super) fn deadline(mut self, deadline: Duration) -> Self {
        self.git = self.git.deadline(deadline);
        self.patience = deadline;
        self
    }

    pub(super) fn biggest(mut self, bytes: u64) -> Self {
        self.biggest = bytes;
        self
    }

    /// Whether there is anything yet.
    pub(super) fn exists(&self) -> bool {
        self.dir.join(READY).exists()
    }

    /// Takes a snapshot, whether or not anything changed; gives its tree.
    pub(super) fn take(&self, label: &str, now: Timestamp) -> Result<String, SnapshotError> {
        let _held = self.hold()?;
        let staged = self.stage()?;
        self.commit(label, now, &staged)?;
        Ok(staged.tree)
    }

    /// Takes a snapshot unless the tree is still this one.
    pub(super) fn take_if_changed(
        &self,
        label: &str,
        now: Timestamp,
        tree: Option<&str>,
    ) -> Result<(), SnapshotError> {
        let _held = self.hold()?;
        let staged = self.stage()?;
        if tree == Some(staged.tree.as_str()) {
            return Ok(());
        }
        self.commit(label, now, &staged).map(drop)
    }

    /// The repository, made on first use, and this session's lock on it.
    pub(super) fn hold(&self) -> Result<File, SnapshotError> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.dir).map_err(failed("made", &self.dir))?;
        if !self.exists() {
            let _making = self.locked(&self.dir.join("lock"))?;
            if !self.exists() {
                self.make()?;
            }
        }
        self.locked(&self.lock)
    }

    /// A lock, for which is waited as long as for git.
    fn locked(&self, path: &Path) -> Result<File, SnapshotError> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(path)
            .map_err(failed("opened", path))?;
        let end = Instant::now() + self.patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < end => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => return Err(SnapshotError::Busy(path.to_owned())),
                Err(TryLockError::Error(source)) => return Err(failed("locked", path)(source)),
            }
        }
    }

    fn make(&self) -> Result<(), SnapshotError> {
        self.git.run(["init", "--quiet", "--template=", "--initial-branch=none"])?;
        for (name, value) in [
            ("core.bare", "false"),
            ("core.autocrlf", "false"),
            // It would keep what was dropped.
            ("core.logAllRefUpdates", "false"),
        ] {
            self.git.run(["config", name, value])?;
        }
        let info = self.dir.join("info");
        DirBuilder::new().recursive(true).mode(0o700).create(&info).map_err(failed("made", &info))?;
        let mut excluded = EXCLUDED.to_owned();
        for own in &self.own {
            let own = own.canonicalize().unwrap_or_else(|_| own.clone());
            if let Ok(inside) = own.strip_prefix(&self.workspace) {
                excluded.push_str(&pattern(inside));
            }
        }
        for (name, text) in [("exclude", excluded.as_str()), ("attributes", ATTRIBUTES)] {
            let path = info.join(name);
            std::fs::write(&path, text).map_err(failed("written", &path))?;
        }
        let ready = self.dir.join(READY);
        std::fs::write(&ready, self.workspace.as_os_str().as_bytes()).map_err(failed("written", &ready))
    }

    /// Brings the index up to date with the workspace; from nothing where it cannot be used any more.
    pub(super) fn stage(&self) -> Result<Staged, SnapshotError> {
        // Whoever left it is dead, since this session's lock is ours.
        let _ = std::fs::remove_file(self.index.with_added_extension("lock"));
        match self.stage_onto() {
            // That is not the index's fault, and from nothing it would take longer still.
            Err(error) if error.took_long() => Err(error),
            Err(SnapshotError::Git(error)) if std::fs::remove_file(&self.index).is_ok() => {
                tracing::warn!(%error, "the index of the snapshots is made anew");
                self.stage_onto()
            }
            staged => staged,
        }
    }

    fn stage_onto(&self) -> Result<Staged, SnapshotError> {
        let listing = ["ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard"];
        let listed = self.git.run(listing)?;
        if listed.dropped() > 0 {
            return Err(SnapshotError::TooMany(self.workspace.clone()));
        }
        let listed = listed.bytes();
        let names: BTreeSet<&[u8]> =
            listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
        let (mut fresh, mut gone, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        for name in names {
            let into = match self.why_not(name) {
                None => &mut fresh,
                Some(why) => {
                    left_out.push(format!("{} ({why})", String::from_utf8_lossy(name)));
                    if name.ends_with(b"/") {
                        continue;
                    }
                    &mut gone
                }
            };
            into.extend_from_slice(name);
            into.push(0);
        }
        if !fresh.is_empty() {
            self.git.feed(&["update-index", "--add", "--remove", "-z", "--stdin"], fresh)?;
        }
        if !gone.is_empty() {
            self.git.feed(&["update-index", "--force-remove", "-z", "--stdin"], gone)?;
        }
        let tree = self.git.run(["write-tree"])?.text().trim_end().to_owned();
        Ok(Staged { tree, left_out })
    }

    /// Why a file is left out, if it is. One that is gone is not: that is a change as well.
    fn why_not(&self, name: &[u8]) -> Option<String> {
        let path = self.workspace.join(std::ffi::OsStr::from_bytes(name));
        let data = std::fs::symlink_metadata(&path).ok()?;
        if data.is_dir() {
            return name.ends_with(b"/").then(|| "a repository of its own".to_owned());
        }
        if data.is_file() && data.len() > self.biggest {
            return Some(format!("{} MiB", data.len().div_ceil(1024 * 1024)));
        }
        let unreadable = data.is_file()
            && File::open(&path).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
        unreadable.then(|| "not readable".to_owned())
    }

    /// Adds a snapshot to the session's branch, after one labelled `initial` if it is the first; gives its id.
    pub(super) fn commit(
        &self,
        label: &str,
        now: Timestamp,
        staged: &Staged,
    ) -> Result<String, SnapshotError> {
        let date = format!("@{} +0000", now.as_second());
        let mut git = self.git.clone();
        for role in ["AUTHOR", "COMMITTER"] {
            git = git
                .env(&format!("GIT_{role}_NAME"), "hookspec-snapshots")
                .env(&format!("GIT_{role}_EMAIL"), "snapshot@hookspec.invalid")
                .env(&format!("GIT_{role}_DATE"), &date);
        }
        let mut parent = git.ask(&["rev-parse", "--verify", "--quiet", &self.branch])?;
        let labels: &[&str] = if parent.is_none() { &["initial", label] } else { &[label] };
        for label in labels {
            let mut message = plain(label);
            if !staged.left_out.is_empty() {
                message.push_str("\n\nLeft out:");
            }
            for left_out in &staged.left_out {
                message.push('\n');
                message.push_str(&plain(left_out));
            }
            let mut args = vec!["commit-tree", staged.tree.as_str()];
            if let Some(parent) = &parent {
                args.extend(["-p", parent]);
            }
            let made = git.feed(&args, message.into_bytes())?.text().trim_end().to_owned();
            git.run(["update-ref", &self.branch, &made, parent.as_deref().unwrap_or("")])?;
            parent = Some(made);
        }
        Ok(parent.unwrap_or_default())
    }

    /// Drops all but the newest; gives how many went.
    pub(super) fn prune(&self, keep: usize) -> Result<usize, SnapshotError> {
        let keep = keep.max(1);
        let ids = self.git.run(["rev-list", &self.branch, "--"])?.text();
        let ids: Vec<&str> = ids.lines().collect();
        let (Some(oldest), true) = (ids.last(), ids.len() > keep) else { return Ok(0) };
        let end = ids[keep - 1];
        let _held = self.locked(&self.dir.join("lock"))?;
        let path = self.dir.join("shallow");
        let held = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read.map_err(failed("read", &path))?,
        };
        let mut ends: BTreeSet<&str> = held.lines().filter(|line| line != oldest).collect();
        ends.insert(end);
        let mut file = tempfile::NamedTempFile::new_in(&self.dir).map_err(failed("written", &path))?;
        for end in ends {
            writeln!(file, "{end}").map_err(failed("written", &path))?;
        }
        file.persist(&path).map_err(|error| failed("written", &path)(error.error))?;
        Ok(ids.len() - keep)
    }

    /// Drops the sessions whose last snapshot is older than so many days; gives how many went.
    pub(super) fn expire(&self, now: Timestamp, days: u32) -> Result<usize, SnapshotError> {
        if days == 0 || !self.exists() {
            return Ok(0);
        }
        let listed =
            self.git.run(["for-each-ref", "--format=%(committerdate:unix) %(refname)", BRANCHES])?.text();
        let oldest = now.as_second() - i64::from(days) * 24 * 60 * 60;
        let mut gone = 0;
        for line in listed.lines() {
            let Some((time, branch)) = line.split_once(' ') else { continue };
            if branch == self.branch || time.parse::<i64>().is_ok_and(|time| time >= oldest) {
                continue;
            }
            self.git.run(["update-ref", "-d", branch])?;
            let name = branch.trim_start_matches(BRANCHES);
            for kind in ["index", "lock"] {
                let path = self.dir.join(format!("{kind}.{name}"));
                if let Err(error) = std::fs::remove_file(&path)
                    && error.kind() != io::ErrorKind::NotFound
                {
                    return Err(failed("removed", &path)(error));
                }
            }
            gone += 1;
        }
        Ok(gone)
    }

    /// Frees what no snapshot holds. What is younger than an hour stays: another session may be about to use it.
    pub(super) fn collect_garbage(&self) -> Result<(), SnapshotError> {
        self.git.run(["gc", "--quiet", "--prune=1.hour.ago"])?;
        Ok(())
    }
}

/// Text on one line: names of tools and files may hold anything.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A session's id as the name of its branch and its files; other ids have other names.
fn branch_name(session: &str) -> String {
    file_name(session).replace('.', "%2E").replace('~', "%7E")
}

/// A folder as a pattern of what git ignores.
fn pattern(folder: &Path) -> String {
    let mut text = String::from("/");
    for next in folder.to_string_lossy().chars() {
        if matches!(next, '\\' | '*' | '?' | '[' | ']' | ' ' | '!' | '#') {
            text.push('\\');
        }
        text.push(next);
    }
    text.push_str("/\n");
    text
}
