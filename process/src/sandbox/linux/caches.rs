//! What package managers download: written as a layer over what is there.
//!
//! `cargo build` and `npm install` write beneath the home folder, into folders from which other projects build and run. So each of those
//! folders is an overlay in the room: what is there is read, what is written goes to a folder of the workspace's own, beneath the
//! user's state folder (`hookspec/sandbox/<workspace>/<slot>`), and is there again in the next session of that workspace. Sessions at
//! the same time have slots of their own. Where the system refuses overlays, the parts of a cache that hold no programs are written.

use std::ffi::CString;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::sandbox::rules::Rules;
use crate::sensitive;

/// So many sessions may work in one workspace at a time with layers of their own.
const SLOTS: usize = 32;

/// The file that says whose layers these are.
const OWNER: &str = "workspace";

/// The caches of a room.
#[derive(Debug, Default)]
pub(super) struct Caches {
    slot: Option<(PathBuf, File)>,
    pub(super) layers: Vec<Layer>,
    /// What is written directly, in a room without layers.
    pub(super) direct: Vec<PathBuf>,
}

/// A folder with a layer over it.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) path: PathBuf,
    pub(super) target: CString,
    pub(super) options: CString,
    direct: Vec<PathBuf>,
}

impl Caches {
    /// The caches of a room.
    pub(super) fn of(rules: &Rules) -> Self {
        let found = found(rules);
        let Some(state) = state().filter(|_| !found.is_empty()) else { return Self::default() };
        forget_gone(&state);
        let own = state.join(name(&rules.workspace));
        let slot = slot(&own);
        let _ = std::fs::write(own.join(OWNER), rules.workspace.as_os_str().as_bytes());
        let mut caches = Self::default();
        for (number, (path, direct)) in found.into_iter().enumerate() {
            match slot
                .as_ref()
                .and_then(|(slot, _)| Layer::new(&path, &slot.join(number.to_string()), &direct))
            {
                Some(layer) => caches.layers.push(layer),
                None => caches.direct.extend(direct),
            }
        }
        caches.slot = slot;
        caches
    }

    /// Those layers that the system refused are none.
    pub(super) fn refuse(&mut self, refused: u64) {
        let mut number = 0;
        let direct = &mut self.direct;
        self.layers.retain(|layer| {
            let is_refused = refused & (1 << number) != 0;
            number += 1;
            if is_refused {
                direct.extend(layer.direct.iter().cloned());
            }
            !is_refused
        });
    }

    /// Takes away the folders of layers in which nothing was written.
    fn tidy(&mut self) {
        let Some((slot, lock)) = self.slot.take() else { return };
        for entry in std::fs::read_dir(&slot).into_iter().flatten().flatten() {
            if std::fs::remove_dir(entry.path().join("upper")).is_ok() {
                remove(&entry.path());
            }
        }
        if std::fs::read_dir(&slot)
            .is_ok_and(|mut left| left.all(|entry| entry.is_ok_and(|entry| entry.file_name() == "lock")))
        {
            let _ = std::fs::remove_file(slot.join("lock"));
            let _ = std::fs::remove_dir(&slot);
            if let Some(own) =
                slot.parent().filter(|own| std::fs::read_dir(own).is_ok_and(|left| left.count() == 1))
            {
                let _ = std::fs::remove_file(own.join(OWNER));
                let _ = std::fs::remove_dir(own);
            }
        }
        drop(lock);
    }
}

impl Drop for Caches {
    fn drop(&mut self) {
        self.tidy();
    }
}

/// What is written of the caches where there is no room.
pub(super) fn without_layers(rules: &Rules) -> impl Iterator<Item = PathBuf> {
    found(rules).into_iter().flat_map(|(_, direct)| direct)
}

/// Where the layers lie.
fn state() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = named.or_else(|| std::env::home_dir().map(|home| home.join(".local/state")))?;
    Some(state.join("hookspec/sandbox"))
}

/// The caches that are there, with the parts of each that hold no programs; but for those that the workspace lies in or has in it.
fn found(rules: &Rules) -> Vec<(PathBuf, Vec<PathBuf>)> {
    let Some(home) = std::env::home_dir() else { return Vec::new() };
    let (open, state) = (rules.writable(), state());
    let found = sensitive::table().caches.iter().filter_map(|cache| {
        let path = cache.path.iter().find_map(|written| named(written, &home))?.canonicalize().ok()?;
        let is_apart = !open.iter().any(|open| open.starts_with(&path) || path.starts_with(open));
        let holds_state = state.as_ref().is_some_and(|state| state.starts_with(&path));
        let direct = cache.direct.iter().map(|below| path.join(below)).filter(|path| path.is_dir()).collect();
        (is_apart && !holds_state && path.is_dir()).then_some((path, direct))
    });
    found.collect()
}

impl Layer {
    fn new(path: &Path, own: &Path, direct: &[PathBuf]) -> Option<Self> {
        let (upper, work) = (own.join("upper"), own.join("work"));
        std::fs::create_dir_all(&upper).and_then(|()| std::fs::create_dir_all(&work)).ok()?;
        let parts = [("lowerdir=", path), (",upperdir=", &upper), (",workdir=", &work)];
        let mut options = Vec::new();
        for (name, path) in parts {
            let path = path.as_os_str().as_bytes();
            // The options have no way to write these in every version.
            if path.iter().any(|byte| b",:\\".contains(byte)) {
                return None;
            }
            options.extend_from_slice(name.as_bytes());
            options.extend_from_slice(path);
        }
        options.extend_from_slice(b",userxattr");
        Some(Self {
            path: path.to_owned(),
            target: CString::new(path.as_os_str().as_bytes()).ok()?,
            options: CString::new(options).ok()?,
            direct: direct.to_vec(),
        })
    }
}

/// Takes away the layers of workspaces that are gone.
fn forget_gone(state: &Path) {
    for entry in std::fs::read_dir(state).into_iter().flatten().flatten() {
        let own = entry.path();
        let Ok(workspace) = std::fs::read(own.join(OWNER)) else { continue };
        if Path::new(std::ffi::OsStr::from_bytes(&workspace)).symlink_metadata().is_ok() {
            continue;
        }
        for slot in std::fs::read_dir(&own).into_iter().flatten().flatten() {
            let is_free = File::open(slot.path().join("lock")).is_ok_and(|lock| lock.try_lock().is_ok());
            if is_free {
                std::fs::read_dir(slot.path())
                    .into_iter()
                    .flatten()
                    .flatten()
                    .for_each(|layer| remove(&layer.path()));
                let _ = std::fs::remove_dir_all(slot.path());
            }
        }
        if std::fs::read_dir(&own).is_ok_and(|left| left.count() == 1) {
            let _ = std::fs::remove_dir_all(&own);
        }
    }
}

/// Takes a layer away; what the kernel made in it, nobody may look into.
fn remove(layer: &Path) {
    for made in ["work/work", "work/index"] {
        let _ = std::fs::remove_dir(layer.join(made));
    }
    let _ = std::fs::remove_dir_all(layer);
}

/// `$NAME`, if it is set to an absolute path, or `~/path`.
fn named(written: &str, home: &Path) -> Option<PathBuf> {
    match written.strip_prefix('$') {
        Some(name) => std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute()),
        None => written.strip_prefix("~/").map(|rest| home.join(rest)),
    }
}

/// A name for a workspace's folder: its own and a number that another with the same name does not have.
fn name(workspace: &Path) -> String {
    let number = workspace.as_os_str().as_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |number, byte| {
        (number ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let own: String = workspace
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .filter(|c| c.is_alphanumeric() || "-_".contains(*c))
        .take(40)
        .collect();
    format!("{own}-{number:016x}")
}

/// A folder that no other session uses, as long as the file is held.
fn slot(workspace: &Path) -> Option<(PathBuf, File)> {
    (0..SLOTS).find_map(|number| {
        let folder = workspace.join(number.to_string());
        std::fs::create_dir_all(&folder).ok()?;
        let lock = File::create(folder.join("lock")).ok()?;
        lock.try_lock().ok()?;
        // Whoever held it before may have taken it away just now.
        folder.join("lock").exists().then_some((folder, lock))
    })
}
