//! Where secret files are: in the workspace, and what clouds and registries keep in the home folder.
//!
//! A folder is listed again when it changed, and a file read again, so that a look at a tree that did not change is one question
//! to the file system for each folder. Folders of other people's code are left out.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookspec_process::sensitive::holds_secret;

use super::{Value, values};

/// Folders that hold what others wrote, or what is made from the rest.
const VENDORED: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".venv",
    "__pycache__",
    "bower_components",
    "node_modules",
    "site-packages",
    "target",
    "vendor",
    "venv",
];
/// In the home folder.
const AT_HOME: &[&str] = &[
    ".aws/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/gcloud/application_default_credentials.json",
    ".config/gh/hosts.yml",
    ".config/glab-cli/config.yml",
    ".docker/config.json",
    ".git-credentials",
    ".kube/config",
    ".my.cnf",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".vault-token",
];
/// So many folders are looked into, the nearest first.
const FOLDERS: usize = 5000;
/// So many files are read.
const FILES: usize = 200;
/// A larger file holds no few credentials, but data.
const LARGEST: u64 = 256 << 10;
/// What changed so short a time ago may change again within the same tick of the file system's clock.
const TICK: Duration = Duration::from_millis(50);

/// When something changed last. `None`: it is to be looked at again.
type Stamp = Option<(SystemTime, u64)>;

struct Folder {
    stamp: Stamp,
    folders: Vec<PathBuf>,
    secrets: Vec<PathBuf>,
}

struct Secrets {
    stamp: Stamp,
    values: Vec<Value>,
}

/// The secret files, and what is in them.
pub(super) struct Places {
    workspace: Option<PathBuf>,
    home: Option<PathBuf>,
    folders: BTreeMap<PathBuf, Folder>,
    files: BTreeMap<PathBuf, Secrets>,
}

impl Places {
    pub(super) fn new(workspace: Option<PathBuf>) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        Self { workspace, home, folders: BTreeMap::new(), files: BTreeMap::new() }
    }

    /// All values.
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        self.files.values().flat_map(|secrets| &secrets.values)
    }

    /// Looks whether anything changed, and reads what did.
    pub(super) fn look(&mut self) -> bool {
        let mut paths = self.walk();
        let home = self.home.iter().flat_map(|home| AT_HOME.iter().map(move |name| home.join(name)));
        paths.extend(home.filter(|path| path.is_file()));
        paths.truncate(FILES);
        let gone: Vec<PathBuf> = self.files.keys().filter(|path| !paths.contains(path)).cloned().collect();
        let mut changed = !gone.is_empty();
        // What was a secret a moment ago may still turn up: a file that was moved, or deleted once it was read.
        for path in gone {
            if let Some(held) = self.files.get_mut(&path) {
                changed &= held.stamp.take().is_some();
            }
        }
        for path in paths {
            let stamp = stamp(&path);
            let known = self.files.get(&path).is_some_and(|held| held.stamp.is_some() && held.stamp == stamp);
            if known {
                continue;
            }
            let read = read(&path, self.workspace.as_deref());
            let held = self.files.entry(path).or_insert(Secrets { stamp: None, values: Vec::new() });
            held.stamp = stamp;
            for value in read {
                if !held.values.contains(&value) {
                    held.values.push(value);
                    changed = true;
                }
            }
        }
        changed
    }

    /// The secret files of the workspace, the nearest first.
    fn walk(&mut self) -> Vec<PathBuf> {
        let mut secrets = Vec::new();
        let mut waiting: VecDeque<PathBuf> = self.workspace.iter().cloned().collect();
        let mut seen = 0;
        while let Some(path) = waiting.pop_front() {
            seen += 1;
            if seen > FOLDERS {
                break;
            }
            let stamp = stamp(&path);
            let known =
                self.folders.get(&path).is_some_and(|held| held.stamp.is_some() && held.stamp == stamp);
            if !known {
                let Some(listed) = list(&path, stamp) else {
                    self.folders.remove(&path);
                    continue;
                };
                self.folders.insert(path.clone(), listed);
            }
            if let Some(folder) = self.folders.get(&path) {
                secrets.extend(folder.secrets.iter().cloned());
                waiting.extend(folder.folders.iter().cloned());
            }
        }
        secrets
    }
}

/// When something changed last, unless that was just now.
fn stamp(path: &Path) -> Stamp {
    let metadata = fs::metadata(path).ok()?;
    let modified = metadata.modified().ok()?;
    let is_old = modified.elapsed().is_ok_and(|age| age > TICK);
    is_old.then_some((modified, metadata.len()))
}

/// What is in a folder. Links to folders are not followed.
fn list(path: &Path, stamp: Stamp) -> Option<Folder> {
    let mut folder = Folder { stamp, folders: Vec::new(), secrets: Vec::new() };
    for entry in fs::read_dir(path).ok()?.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder {
            if !VENDORED.iter().any(|vendored| name == *vendored) {
                folder.folders.push(path);
            }
        } else if holds_secret(&path) {
            folder.secrets.push(path);
        }
    }
    folder.folders.sort_unstable();
    folder.secrets.sort_unstable();
    Some(folder)
}

/// The values in a file.
fn read(path: &Path, workspace: Option<&Path>) -> Vec<Value> {
    // A pipe or a device would be read for ever.
    let is_readable = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
    let mut bytes = Vec::new();
    let opened = if is_readable { fs::File::open(path).ok() } else { None };
    if opened.and_then(|file| file.take(LARGEST).read_to_end(&mut bytes).ok()).is_none() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let shown = workspace.and_then(|workspace| path.strip_prefix(workspace).ok());
    let shown = shown.map(|path| path.display().to_string());
    let shown = shown
        .or_else(|| path.file_name().map(|name| name.to_string_lossy().into_owned()))
        .unwrap_or_default();
    let shown: String = shown.chars().filter(|c| !c.is_control() && *c != '`').take(80).collect();
    let mut found = Vec::new();
    values::of_file(&text, |text, name| {
        let from = match name {
            Some(name) => format!("`{name}` of `{shown}`"),
            None => format!("a key of `{shown}`"),
        };
        found.push(Value { text, from });
    });
    found
}
