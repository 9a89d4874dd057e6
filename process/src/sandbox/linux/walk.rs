//! What there is to hide and to protect in a workspace: found by a walk through its folders once, and kept up to date by what the
//! kernel tells of them.
//!
//! The kernel's notes (inotify) arrive before a call that made them returns, so that a file which somebody wrote before a command was
//! started is seen. Where the notes are used up, each folder's time is looked at instead, which costs a call a folder.
//! Folders that programs fill and empty are not walked ([`PRUNED`]), nor more than [`MOST`] in all, which is told.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::watch::{Told, Watch};
use crate::sensitive;

/// Folders of what was downloaded or built.
pub(super) const PRUNED: [&str; 18] = [
    "node_modules",
    "bower_components",
    ".venv",
    "venv",
    "site-packages",
    "__pycache__",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".gradle",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".parcel-cache",
    ".turbo",
    ".yarn",
];
/// So many folders are walked.
const MOST: usize = 100_000;
/// So often is what changed read again in one go.
const ROUNDS: usize = 10;
/// A folder whose time is so near to when it was read may have changed since without its time telling.
pub(super) const GRAIN: Duration = Duration::from_millis(30);

/// What is to be done about a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Find {
    /// Holds credentials.
    Secret(PathBuf),
    /// May hold credentials, depending on what is in it.
    Undecided(PathBuf),
    /// Is not written.
    Protected(PathBuf),
    /// A repository's own folder.
    Repository(PathBuf),
}

#[derive(Debug)]
struct Folder {
    finds: Vec<Find>,
    below: Vec<PathBuf>,
    note: Option<i32>,
    changed: SystemTime,
    read: SystemTime,
}

/// A workspace, walked.
#[derive(Debug)]
pub(super) struct Walk {
    root: PathBuf,
    folders: BTreeMap<PathBuf, Folder>,
    watch: Option<Watch>,
    by_note: HashMap<i32, PathBuf>,
    pub(super) is_cut: bool,
    /// The other names of files that have several, as last looked for.
    links: Option<(BTreeSet<Linked>, Vec<PathBuf>)>,
}

/// A file with several names: device, number, and how many names.
pub(super) type Linked = (u64, u64, u64);

impl Walk {
    pub(super) fn new(root: &Path) -> Self {
        let mut walk = Self {
            root: root.to_owned(),
            folders: BTreeMap::new(),
            watch: Watch::new(),
            by_note: HashMap::new(),
            is_cut: false,
            links: None,
        };
        walk.add(root.to_owned());
        walk
    }

    /// All that was found, as it is now.
    pub(super) fn finds(&mut self) -> impl Iterator<Item = &Find> {
        self.refresh();
        self.folders.values().flat_map(|folder| &folder.finds)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// All names in the workspace of files that have several, in pruned folders too. What was found holds until a folder changes.
    pub(super) fn names_of(&mut self, files: &BTreeSet<Linked>) -> Vec<PathBuf> {
        if let Some((known, names)) = &self.links
            && known == files
        {
            return names.clone();
        }
        let numbers: BTreeSet<u64> = files.iter().map(|(_, number, _)| *number).collect();
        let mut names = Vec::new();
        let mut waiting = vec![self.root.clone()];
        while let Some(folder) = waiting.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() {
                    waiting.push(entry.path());
                } else if numbers.contains(&entry.ino())
                    && entry
                        .metadata()
                        .is_ok_and(|data| files.contains(&(data.dev(), data.ino(), data.nlink())))
                {
                    names.push(entry.path());
                }
            }
        }
        self.links = Some((files.clone(), names.clone()));
        names
    }

    fn refresh(&mut self) {
        // What changes while a folder is read may be missed, and is told: then it is read again.
        for _ in 0..ROUNDS {
            let dirty: BTreeSet<PathBuf> = match self.watch.as_mut().map(Watch::told) {
                Some(Told::Notes(notes)) => {
                    notes.iter().filter_map(|note| self.by_note.get(note)).cloned().collect()
                }
                Some(Told::All) => self.folders.keys().cloned().collect(),
                None => self.stale(),
            };
            if dirty.is_empty() {
                break;
            }
            self.links = None;
            for folder in dirty {
                self.read_again(&folder);
            }
            // Times tell of the last change only, and for a while always.
            if self.watch.is_none() {
                break;
            }
        }
        if self.folders.is_empty() {
            self.add(self.root.clone());
        }
    }

    /// The folders that changed, by their times.
    fn stale(&self) -> BTreeSet<PathBuf> {
        let is_stale = |path: &Path, folder: &Folder| match changed(path) {
            Some(now) => {
                now != folder.changed || folder.read.duration_since(now).is_ok_and(|age| age < GRAIN)
            }
            None => true,
        };
        self.folders
            .iter()
            .filter(|(path, folder)| is_stale(path, folder))
            .map(|(path, _)| path.clone())
            .collect()
    }

    fn read_again(&mut self, path: &Path) {
        let Some(before) = self.folders.get(path).map(|folder| folder.below.clone()) else { return };
        let Some(folder) = self.read(path) else { return self.remove(path) };
        let now = folder.below.clone();
        self.folders.insert(path.to_owned(), folder);
        // First what is new: what moved is the same to the kernel's notes, and must not be taken from where it is now.
        for new in &now {
            if !before.contains(new) || !self.folders.contains_key(new) {
                self.add(new.clone());
            }
        }
        for gone in before.iter().filter(|below| !now.contains(below)) {
            self.remove(gone);
        }
    }

    /// Walks a folder that is new.
    fn add(&mut self, path: PathBuf) {
        let mut waiting = vec![path];
        while let Some(path) = waiting.pop() {
            if self.folders.len() >= MOST {
                if !self.is_cut {
                    tracing::warn!(root = %self.root.display(), "not all folders are looked at for secrets: there are more than {MOST}");
                }
                self.is_cut = true;
                return;
            }
            if let Some(folder) = self.read(&path) {
                waiting.extend(folder.below.iter().cloned());
                self.folders.insert(path, folder);
            }
        }
    }

    fn remove(&mut self, path: &Path) {
        let gone: Vec<PathBuf> = self
            .folders
            .range(path.to_owned()..)
            .map(|(at, _)| at)
            .take_while(|at| at.starts_with(path))
            .cloned()
            .collect();
        for path in gone {
            let Some(note) = self.folders.remove(&path).and_then(|folder| folder.note) else { continue };
            if self.by_note.get(&note) == Some(&path) {
                self.by_note.remove(&note);
                if let Some(watch) = &mut self.watch {
                    watch.forget(note);
                }
            }
        }
    }

    /// Reads one folder, from now on watched.
    fn read(&mut self, path: &Path) -> Option<Folder> {
        let read = SystemTime::now();
        let changed = changed(path)?;
        let note = match self.watch.as_mut().map(|watch| watch.add(path)) {
            Some(Ok(note)) => {
                self.by_note.insert(note, path.to_owned());
                Some(note)
            }
            Some(Err(error)) => {
                tracing::debug!(%error, "folders are looked at one by one, since the kernel tells no more of them");
                self.watch = None;
                None
            }
            None => None,
        };
        let mut folder = Folder { finds: Vec::new(), below: Vec::new(), note, changed, read };
        let within = path.strip_prefix(&self.root).unwrap_or(path);
        let parts = (sensitive::lowered(path), sensitive::lowered(within));
        let is_home = std::env::home_dir().is_some_and(|home| home == path);
        for entry in std::fs::read_dir(path).ok()?.flatten() {
            look(&entry, &parts, is_home, &mut folder);
        }
        Some(folder)
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    let data = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_dir)?;
    let nanoseconds = u64::try_from(data.mtime_nsec()).ok()?;
    let changed = Duration::from_secs(u64::try_from(data.mtime()).ok()?) + Duration::from_nanos(nanoseconds);
    SystemTime::UNIX_EPOCH.checked_add(changed)
}

/// What is to be done about an entry of a folder.
fn look(entry: &DirEntry, (all, within): &(Vec<String>, Vec<String>), is_home: bool, folder: &mut Folder) {
    let Ok(kind) = entry.file_type() else { return };
    let name = entry.file_name();
    let lower = name.to_string_lossy().to_lowercase();
    let table = sensitive::table();
    let with = |parts: &Vec<String>| parts.iter().cloned().chain([lower.clone()]).collect::<Vec<_>>();
    if table.may_be_protected(&lower)
        && table.protects(&with(within)).is_some()
        && !(kind.is_dir() && lower == ".git")
    {
        folder.finds.push(Find::Protected(entry.path()));
    }
    if kind.is_dir() {
        match &*lower {
            ".git" => folder.finds.push(Find::Repository(entry.path())),
            _ if is_home && lower.starts_with('.') => {}
            _ if is_pruned(&name, entry) => {}
            _ => folder.below.push(entry.path()),
        }
        return;
    }
    if !table.may_be_secret(&lower, all) {
        return;
    }
    let parts = with(all);
    let make = match () {
        () if table.harmless.fit(&parts) => return,
        () if table.files.fit(&parts) => Find::Secret,
        () if table.by_content(&parts).is_some() => Find::Undecided,
        () => return,
    };
    let path = if kind.is_symlink() { leads_to(&entry.path()) } else { Some(entry.path()) };
    folder.finds.extend(path.map(make));
}

/// Where a link leads that is called like a secret: one that lies where users keep files. A link to a part of the system hides nothing,
/// and to cover that would stop programs.
fn leads_to(link: &Path) -> Option<PathBuf> {
    const SYSTEM: [&str; 12] = [
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/proc", "/sys", "/dev", "/nix", "/opt",
    ];
    let real = link.canonicalize().ok()?;
    (real.is_file() && !SYSTEM.iter().any(|system| real.starts_with(system))).then_some(real)
}

fn is_pruned(name: &OsStr, entry: &DirEntry) -> bool {
    PRUNED.iter().any(|pruned| name == *pruned)
        || name == "target" && entry.path().join("CACHEDIR.TAG").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(walk: &mut Walk) -> Vec<String> {
        let root = walk.root().to_owned();
        let mut found: Vec<String> = walk
            .finds()
            .map(|find| {
                let (kind, path) = match find {
                    Find::Secret(path) => ("secret", path),
                    Find::Undecided(path) => ("undecided", path),
                    Find::Protected(path) => ("protected", path),
                    Find::Repository(path) => ("repository", path),
                };
                format!("{kind} {}", path.strip_prefix(&root).unwrap_or(path).display())
            })
            .collect();
        found.sort();
        found
    }

    fn try_with(is_watched: bool) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |path: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        };
        for path in [
            ".env",
            "a/b/key.pem",
            "node_modules/x/.env",
            ".git/config",
            "a/.claude/settings.json",
            "a/.env.example",
        ] {
            write(path);
        }
        std::os::unix::fs::symlink("a/plain", root.join("link.env")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", root.join("system.env")).unwrap();
        write("a/plain");
        let mut walk = Walk::new(&root);
        if !is_watched {
            walk.watch = None;
        }
        let first = [
            "protected a/.claude",
            "protected a/.claude/settings.json",
            "repository .git",
            "secret .env",
            "secret a/plain",
            "undecided a/b/key.pem",
        ];
        assert_eq!(found(&mut walk), first);
        // New, moved with its folder, and gone.
        write("new/deep/er/.env");
        std::fs::rename(root.join("a"), root.join("z")).unwrap();
        std::fs::remove_file(root.join(".env")).unwrap();
        std::fs::remove_file(root.join("link.env")).unwrap();
        let second = [
            "protected z/.claude",
            "protected z/.claude/settings.json",
            "repository .git",
            "secret new/deep/er/.env",
            "undecided z/b/key.pem",
        ];
        assert_eq!(found(&mut walk), second);
        // In what was moved, and in what was made since.
        write("z/b/.env");
        write("new/deep/.env.local");
        std::fs::remove_dir_all(root.join("new/deep/er")).unwrap();
        std::fs::create_dir(root.join("new/deep/er")).unwrap();
        write("new/deep/er/.netrc");
        assert_eq!(
            found(&mut walk),
            [
                "protected z/.claude",
                "protected z/.claude/settings.json",
                "repository .git",
                "secret new/deep/.env.local",
                "secret new/deep/er/.netrc",
                "secret z/b/.env",
                "undecided z/b/key.pem"
            ]
        );
        std::fs::remove_dir_all(&root).unwrap();
        assert!(found(&mut walk).is_empty());
    }

    #[test]
    fn the_kernel_tells_what_changes() {
        try_with(true);
    }

    #[test]
    fn times_tell_what_changes() {
        try_with(false);
    }
}
