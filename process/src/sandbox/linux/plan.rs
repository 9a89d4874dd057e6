//! What one command will find: which files are covered, which cannot be written, and where the rules of Landlock let it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::caches;
use super::child::{Change, Place};
use super::homes::Elsewhere;
use super::known::Known;
use super::landlock::Wanted;
use super::repository::{self, Repository};
use super::room::Room;
use super::walk::{Find, Linked, Walk};
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

/// What the plan is for.
#[derive(Clone, Copy)]
pub(super) struct Has<'a> {
    /// The room's namespaces, with the caches that are the sandbox's own there.
    pub(super) room: Option<&'a Room>,
    pub(super) landlock: bool,
}

/// Draws up a plan. A workspace is walked for the first, and looked at for the later ones.
pub(super) fn plan(
    rules: &Rules,
    walks: &mut [Walk],
    elsewhere: &Elsewhere,
    known: &mut Known,
    has: Has<'_>,
) -> Plan {
    let mut changes = Changes { rules, all: BTreeMap::new(), known: BTreeMap::new() };
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
    let only_here: Vec<PathBuf> =
        rules.hidden.iter().filter_map(|path| rules.absolute(path).canonicalize().ok()).collect();
    for path in elsewhere.secrets.iter().chain(&only_here) {
        changes.hide(path);
        if !rules.is_granted_to_read(path) && !rules.is_shown(path) && !rules.grants_below(path) {
            hidden.insert(path.clone());
        }
    }
    for path in &elsewhere.doors {
        changes.hide(path);
    }
    for (path, which) in known.places() {
        changes.hide(&path);
        changes.known.insert(path, which);
    }
    let linked = changes.linked();
    if !linked.is_empty() {
        for walk in walks.iter_mut() {
            for name in walk.names_of(&linked) {
                changes.hide(&name);
            }
        }
    }
    match has.room {
        Some(room) => writable.extend(room.direct().iter().cloned()),
        None => writable.extend(caches::without_layers(rules)),
    }
    let writable: Vec<PathBuf> = writable.into_iter().filter(|path| path.exists()).collect();
    if !has.landlock {
        // All is read-only then, and what may be written is opened by mounts.
        for path in &writable {
            changes.add(path, Change::Writable);
        }
        for device in super::homes::disks() {
            changes.add(&device, Change::HiddenFile);
        }
    }
    let own: &[PathBuf] = has.room.map(Room::caches).unwrap_or_default();
    hidden.retain(|path| !writable.iter().any(|open| path.starts_with(open)));
    for (path, change) in &changes.all {
        if matches!(change, Change::HiddenFile | Change::HiddenFolder)
            && writable.iter().any(|open| path.starts_with(open))
            // What only this clone of the sandbox hides is none for the others.
            && !only_here.iter().any(|hidden| path.starts_with(hidden))
            && let Ok(data) = path.symlink_metadata()
        {
            known.hold(path, (data.dev(), data.ino()));
        }
    }
    let mut changes = changes.places(own);
    if !has.landlock {
        let own = own.iter().filter_map(|path| Some((Place::unchecked(path)?, Change::Writable)));
        changes.splice(0..0, own.collect::<Vec<_>>());
    }
    let guards_signals = has.room.is_none();
    Plan { changes, wanted: Wanted { writable, hidden, guards_signals }, protected }
}

struct Changes<'a> {
    rules: &'a Rules,
    all: BTreeMap<PathBuf, Change>,
    /// Which files must stand where, for those that are known: if one was moved just now, the command does not start.
    known: BTreeMap<PathBuf, (u64, u64)>,
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

    /// The hidden files that have other names too.
    fn linked(&self) -> BTreeSet<Linked> {
        let hidden = self.all.iter().filter(|(_, change)| **change == Change::HiddenFile);
        hidden
            .filter_map(|(path, _)| path.symlink_metadata().ok())
            .filter(|data| data.is_file() && data.nlink() > 1)
            .map(|data| (data.dev(), data.ino(), data.nlink()))
            .collect()
    }

    /// In the order in which they are made, a folder before what lies in it. What lies in a covered folder needs nothing.
    fn places(self, own: &[PathBuf]) -> Vec<(Place, Change)> {
        let mut places = Vec::with_capacity(self.all.len());
        let mut covering: Option<(PathBuf, Change)> = None;
        for (path, change) in self.all {
            if let Some((folder, above)) = &covering
                && path.starts_with(folder)
                && (*above == Change::HiddenFolder || change <= *above)
            {
                continue;
            }
            // In a folder of the room's own, the file is another one.
            let is_own = own.iter().any(|cache| path.starts_with(cache));
            let place = match self.known.get(&path) {
                Some((device, number)) => {
                    Place::unchecked(&path).map(|place| Place { device: *device, number: *number, ..place })
                }
                None if is_own && path.exists() => Place::unchecked(&path),
                None => Place::at(&path),
            };
            let Some(place) = place else { continue };
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

impl Place {
    /// Which file it is now; none if there is none, or a link.
    fn at(path: &Path) -> Option<Self> {
        let data = std::fs::symlink_metadata(path).ok().filter(|data| !data.is_symlink())?;
        Some(Self { device: data.dev(), number: data.ino(), ..Self::unchecked(path)? })
    }

    fn unchecked(path: &Path) -> Option<Self> {
        Some(Self { path: CString::new(path.as_os_str().as_bytes()).ok()?, device: 0, number: 0 })
    }
}
