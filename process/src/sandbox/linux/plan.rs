//! What one command will find: which files are covered, which cannot be written, and where the rules of Landlock let it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::child::{Change, Place};
use super::homes::Known;
use super::landlock::Wanted;
use super::repository::{self, Repository};
use super::walk::{Find, Walk};
use crate::sandbox::rules::Rules;
use crate::sensitive;

/// What was found, and what follows from it.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) changes: Vec<(Place, Change)>,
    pub(super) wanted: Wanted,
    /// What is protected and was there before the command.
    pub(super) protected: BTreeSet<PathBuf>,
}

/// Draws up a plan. A workspace is walked for the first, and looked at for the later ones.
pub(super) fn plan(rules: &Rules, walks: &mut [Walk], known: &Known, guards_signals: bool) -> Plan {
    let mut changes = Changes { rules, all: BTreeMap::new() };
    let mut writable: BTreeSet<PathBuf> = rules.writable().into_iter().collect();
    let mut protected = BTreeSet::new();
    let mut repositories: BTreeSet<PathBuf> = BTreeSet::new();
    for walk in walks.iter_mut() {
        for find in walk.finds() {
            match find {
                Find::Secret(path) => changes.hide(path),
                Find::Undecided(path) if sensitive::holds_secret(path) => changes.hide(path),
                Find::Undecided(_) => {}
                Find::Protected(path) => _ = protected.insert(path.clone()),
                Find::Repository(path) => _ = repositories.insert(path.clone()),
            }
        }
    }
    // A workspace within a repository, and one that is a further tree of it, write to the repository's own folder.
    if rules.profile != crate::sandbox::Profile::ReadOnly {
        for own in repository::of(&rules.workspace) {
            writable.insert(own.clone());
            repositories.insert(own);
        }
    }
    for folder in &repositories {
        changes.add(folder, Change::Fixed);
        protected.extend(Repository::new(folder).protected());
    }
    for path in &protected {
        changes.keep(path);
    }
    for path in rules.protected.iter().map(|path| rules.absolute(path)) {
        changes.keep(&path);
    }
    let mut hidden = BTreeSet::new();
    let own: Vec<PathBuf> =
        rules.hidden.iter().filter_map(|path| rules.absolute(path).canonicalize().ok()).collect();
    for path in known.secrets.iter().chain(&own) {
        changes.hide(path);
        if !rules.is_granted_to_read(path) && !rules.is_shown(path) && !rules.grants_below(path) {
            hidden.insert(path.clone());
        }
    }
    for path in &known.doors {
        changes.hide(path);
    }
    let writable: Vec<PathBuf> = writable.into_iter().filter(|path| path.exists()).collect();
    hidden.retain(|path| !writable.iter().any(|open| path.starts_with(open)));
    Plan { changes: changes.places(), wanted: Wanted { writable, hidden, guards_signals }, protected }
}

struct Changes<'a> {
    rules: &'a Rules,
    all: BTreeMap<PathBuf, Change>,
}

impl Changes<'_> {
    /// The strictest counts.
    fn add(&mut self, path: &Path, change: Change) {
        let known = self.all.entry(path.to_owned()).or_insert(change);
        *known = (*known).max(change);
    }

    /// A secret.
    fn hide(&mut self, path: &Path) {
        if self.rules.is_shown(path) || self.rules.is_granted_to_write(path) {
            return;
        }
        if self.rules.is_granted_to_read(path) {
            return self.add(path, Change::ReadOnly);
        }
        if path.is_dir() {
            if self.rules.grants_below(path) {
                return around(path, &mut |entry| self.hide(entry));
            }
            return self.add(path, Change::HiddenFolder);
        }
        self.add(path, Change::HiddenFile);
    }

    /// Something that is not written.
    fn keep(&mut self, path: &Path) {
        if self.rules.is_granted_to_write(path) {
            return;
        }
        if path.is_dir() && self.rules.grants_writing_below(path) {
            return around(path, &mut |entry| self.keep(entry));
        }
        self.add(path, Change::ReadOnly);
    }

    /// In the order in which they are made, a folder before what lies in it. What lies in a covered folder needs nothing.
    fn places(self) -> Vec<(Place, Change)> {
        let mut places = Vec::with_capacity(self.all.len());
        let mut covering: Option<(PathBuf, Change)> = None;
        for (path, change) in self.all {
            if let Some((folder, above)) = &covering
                && path.starts_with(folder)
                && (*above == Change::HiddenFolder || change <= *above)
            {
                continue;
            }
            let Some(place) = place(&path) else { continue };
            if matches!(change, Change::HiddenFolder | Change::ReadOnly) {
                covering = Some((path, change));
            }
            places.push((place, change));
        }
        places
    }
}

/// Each entry of a folder.
fn around(folder: &Path, what: &mut dyn FnMut(&Path)) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            what(&entry.path());
        }
    }
}

/// Which file it is now; none if there is none, or a link.
fn place(path: &Path) -> Option<Place> {
    let data = std::fs::symlink_metadata(path).ok().filter(|data| !data.is_symlink())?;
    let (device, number) = (data.dev(), data.ino());
    Some(Place { path: CString::new(path.as_os_str().as_bytes()).ok()?, device, number })
}
