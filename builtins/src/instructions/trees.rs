//! Which directories are searched for instructions, and what is found there.
//!
//! Instructions steer the agent, so only places count that the user answers for: the workspace, the
//! repository around it, and the home directory. Above the workspace a directory that belongs to another
//! user, or that everybody may write, is not trusted; within it, one like `/tmp` is not.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hookspec::Session;

use super::home;

/// Files that hold instructions, in the order in which they are read.
const NAMES: [&str; 7] = [
    "AGENTS.md",
    "CLAUDE.md",
    "COPILOT.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
];

/// A file with instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Absolute, through links.
    pub(crate) path: PathBuf,
    /// How many directories lie above the one where it was found: general files have low numbers.
    pub(crate) depth: usize,
}

/// The trees from which a session takes instructions. All paths go through links.
#[derive(Clone, Debug)]
pub(crate) struct Trees {
    workspace: Option<PathBuf>,
    /// The top of the repository around the workspace, or the workspace.
    top: Option<PathBuf>,
    home: Option<PathBuf>,
    /// Ourselves.
    user: u32,
}

impl Trees {
    pub(crate) fn of(session: &Session) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let user = rustix::process::geteuid().as_raw();
        let workspace = session.workspace().map(real);
        // A home at the root would make every directory somebody's own.
        let home = home(session).as_deref().map(real).filter(|home| home.parent().is_some());
        let top = workspace.as_deref().map(|workspace| top(workspace, user));
        Self { workspace, top, home, user }
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// What instructions hold in `directory`, which need not exist: its own and those of the directories
    /// above it, most general first.
    pub(crate) fn walk(&self, directory: &Path) -> Vec<Found> {
        let mut chain: Vec<&Path> = directory.ancestors().take_while(|above| self.contains(above)).collect();
        chain.reverse();
        let mut found = Vec::new();
        for directory in chain {
            self.look(directory, &mut found);
        }
        found
    }

    /// What instructions lie in this one directory.
    pub(crate) fn look(&self, directory: &Path, found: &mut Vec<Found>) {
        let depth = directory.components().count();
        let Ok(data) = directory.metadata() else { return };
        for name in NAMES {
            let Ok(path) = directory.join(name).canonicalize() else { continue };
            if !self.trusts(directory, &data) {
                tracing::warn!(path = %path.display(), "others may have written these instructions; not loaded");
                return;
            }
            if !self.follows(directory, &path) {
                tracing::warn!(path = %path.display(), "a link out of the tree to something else than instructions; not loaded");
                continue;
            }
            found.push(Found { path, depth });
        }
    }

    fn contains(&self, path: &Path) -> bool {
        [&self.top, &self.home].into_iter().flatten().any(|tree| path.starts_with(tree))
    }

    fn trusts(&self, directory: &Path, data: &Metadata) -> bool {
        const EVERYBODY: u32 = 0o002;
        const STICKY: u32 = 0o1000;
        let within = self.workspace.as_deref().is_some_and(|workspace| directory.starts_with(workspace));
        if within {
            data.mode() & (EVERYBODY | STICKY) != EVERYBODY | STICKY
        } else {
            is_ours(data, self.user)
        }
    }

    /// Whether a file of `directory` may be `target`: a link out of the tree must lead to instructions in
    /// another one, so that a repository can't have somebody's keys read.
    fn follows(&self, directory: &Path, target: &Path) -> bool {
        let top = self.top.as_deref().filter(|top| directory.starts_with(top)).unwrap_or(directory);
        target.starts_with(top) || (is_instructions(target) && self.contains(target))
    }
}

/// The same files, the most special directory's first; within a directory their order stays.
pub(crate) fn deepest_first(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| Reverse(found.depth));
    found
}

/// The directories of several files, each once, in their order. A directory stands for itself; what does not
/// exist is taken for a file.
pub(crate) fn directories(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    let directories = paths
        .into_iter()
        .filter_map(|path| if path.is_dir() { Some(path) } else { path.parent().map(Path::to_owned) });
    directories.filter(|directory| seen.insert(directory.clone())).collect()
}

/// Whether nobody but us and the system may put files there.
fn is_ours(data: &Metadata, user: u32) -> bool {
    data.mode() & 0o002 == 0 && [0, user].contains(&data.uid())
}

/// The nearest directory with a repository, from the workspace upwards, as long as nobody else may write there.
fn top(workspace: &Path, user: u32) -> PathBuf {
    for directory in workspace.ancestors() {
        let ours = directory == workspace || directory.metadata().is_ok_and(|data| is_ours(&data, user));
        if !ours {
            break;
        }
        if directory.join(".git").exists() {
            return directory.to_owned();
        }
    }
    workspace.to_owned()
}

/// Whether a file has the name of one with instructions.
fn is_instructions(path: &Path) -> bool {
    NAMES.iter().any(|name| path.file_name() == Path::new(name).file_name())
}
