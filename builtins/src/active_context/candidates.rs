//! Which files there are to choose from, and what git says of them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ignore::WalkBuilder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::git::{Git, GitError};

/// Files of a workspace that are looked at; in a larger one the rest counts only where it changed or is
/// attached.
const MOST: usize = 20_000;

/// How long git may take for one answer.
const DEADLINE: Duration = Duration::from_secs(5);

/// The workspace, through links.
#[derive(Debug)]
pub(super) struct Workspace {
    pub(super) root: PathBuf,
    /// The top of the worktree around it, where there is one.
    top: Option<PathBuf>,
}

impl Workspace {
    pub(super) fn at(root: &Path) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let top = root.ancestors().find(|path| path.join(".git").exists()).map(Path::to_owned);
        Self { root, top }
    }
}

/// What git says of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Change {
    #[default]
    None,
    Staged,
    Modified,
    Untracked,
}

/// A file to choose from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Candidate {
    pub(super) modified: Option<Timestamp>,
    pub(super) change: Change,
    /// The user attached it, so it may lie anywhere.
    pub(super) attached: bool,
}

/// By absolute path.
pub(super) type Candidates = BTreeMap<PathBuf, Candidate>;

/// The files of the workspace during one turn. Nothing of it is saved: another process lists anew.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Listing {
    #[serde(skip)]
    turn: Option<u64>,
    #[serde(skip)]
    files: Candidates,
    /// Git did not answer this turn.
    #[serde(skip)]
    gave_up: bool,
}

/// The files to choose from, and the status as text.
pub(super) fn gather<'a>(
    workspace: &Workspace,
    attached: impl Iterator<Item = &'a Path>,
    turn: (usize, &str),
    listing: &mut Listing,
) -> (Option<String>, Candidates) {
    let mut hasher = DefaultHasher::new();
    turn.hash(&mut hasher);
    let turn = Some(hasher.finish());
    let is_new = listing.turn != turn;
    if is_new {
        *listing = Listing { turn, ..Listing::default() };
    }
    let git = workspace.top.as_ref().filter(|_| !listing.gave_up);
    let mut answers = git.map(|top| ask(workspace, top, is_new));
    if let Some(Err(error)) = &answers {
        tracing::warn!(%error, "the context goes without git for the rest of this turn");
        listing.gave_up = true;
        answers = None;
    }
    let (status, tracked) = answers.and_then(Result::ok).unwrap_or_default();
    if is_new {
        // A repository around the workspace may ignore all of it, as one of a home directory's settings does.
        let tracked = tracked.filter(|tracked| !(tracked.is_empty() && status.changes.is_empty()));
        let tracked = tracked.unwrap_or_else(|| walk(&workspace.root));
        listing.files = tracked.into_iter().take(MOST).map(|path| (path, Candidate::default())).collect();
        for (path, file) in &mut listing.files {
            file.modified = modified(path);
        }
    }
    let mut candidates = listing.files.clone();
    for (path, change) in status.changes {
        let modified = modified(&path);
        candidates.insert(path, Candidate { modified, change, attached: false });
    }
    for path in attached {
        let file = candidates.entry(path.to_owned()).or_default();
        file.attached = true;
        file.modified = file.modified.or_else(|| modified(path));
    }
    (status.text, candidates)
}

fn modified(path: &Path) -> Option<Timestamp> {
    Timestamp::try_from(path.metadata().ok()?.modified().ok()?).ok()
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Status {
    text: Option<String>,
    changes: Vec<(PathBuf, Change)>,
}

/// The status, and with `list` the files that git tracks in the workspace.
fn ask(workspace: &Workspace, top: &Path, list: bool) -> Result<(Status, Option<Vec<PathBuf>>), GitError> {
    let git = Git::at(&workspace.root)?.deadline(DEADLINE);
    let status = ["status", "--porcelain=v1", "-z", "--branch", "--untracked-files=all", "--", "."];
    let status = parse(&git.run(status)?.bytes(), top);
    if !list {
        return Ok((status, None));
    }
    let listed = git.run(["ls-files", "-z"])?;
    if listed.dropped() > 0 {
        tracing::info!(bytes = listed.dropped(), "so many files that not all are looked at");
    }
    let bytes = listed.bytes();
    let names = bytes.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let files = names.map(|name| workspace.root.join(OsStr::from_bytes(name))).collect();
    Ok((status, Some(files)))
}

/// Reads `status --porcelain=v1 -z`, whose names are relative to the worktree's top.
fn parse(output: &[u8], top: &Path) -> Status {
    let mut parts = output.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    let mut status = Status::default();
    let mut lines = Vec::new();
    while let Some(part) = parts.next() {
        let [x, y, b' ', name @ ..] = part else { continue };
        let mut line = printable(part);
        if matches!(x, b'R' | b'C') || matches!(y, b'R' | b'C') {
            // What it was called before comes after it.
            let before = parts.next().unwrap_or_default();
            line = format!("{} {} -> {}", printable(&part[..2]), printable(before), printable(name));
        }
        lines.push(line);
        let change = match (x, y) {
            (b'#', b'#') => continue,
            (b'?', _) => Change::Untracked,
            (b' ', _) => Change::Modified,
            _ => Change::Staged,
        };
        status.changes.push((top.join(OsStr::from_bytes(name)), change));
    }
    status.text = (!lines.is_empty()).then(|| lines.join("\n"));
    status
}

/// A name on one line.
fn printable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The files of a workspace without git: no hidden ones, none that an ignore file names. That the workspace
/// itself lies under a hidden directory does not matter.
fn walk(root: &Path) -> Vec<PathBuf> {
    let mut builder = WalkBuilder::new(root);
    builder.parents(false).require_git(false).git_global(false);
    builder.sort_by_file_name(OsStr::cmp);
    let files = builder.build().filter_map(|entry| match entry {
        Ok(entry) => entry.file_type().is_some_and(|kind| kind.is_file()).then(|| entry.into_path()),
        Err(error) => {
            tracing::debug!(%error, "passed over while the workspace was listed");
            None
        }
    });
    files.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_read_whatever_files_are_called() {
        let output = b"## main\0 M a.rs\0MM b c.rs\0R  new\0old\0?? x\ny\0 D gone\0";
        let status = parse(output, Path::new("/t"));
        let changes: Vec<_> =
            status.changes.iter().map(|(path, change)| (path.to_str().unwrap(), *change)).collect();
        assert_eq!(
            changes,
            [
                ("/t/a.rs", Change::Modified),
                ("/t/b c.rs", Change::Staged),
                ("/t/new", Change::Staged),
                ("/t/x\ny", Change::Untracked),
                ("/t/gone", Change::Modified),
            ]
        );
        let text = status.text.unwrap();
        assert_eq!(text, "## main\n M a.rs\nMM b c.rs\nR  old -> new\n?? x\u{fffd}y\n D gone");
        assert_eq!(parse(b"", Path::new("/t")), Status::default());
    }

    #[test]
    fn without_git_hidden_and_ignored_files_are_left_out_but_not_a_hidden_root() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join(".cache/w");
        for name in ["a.rs", "sub/b.rs", ".env", ".x/c.rs", "build/d.o", "node/e.js"] {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(root.join(".gitignore"), "build/\n").unwrap();
        std::fs::write(root.join(".ignore"), "node/\n").unwrap();
        assert_eq!(walk(&root), [root.join("a.rs"), root.join("sub/b.rs")]);
    }
}
