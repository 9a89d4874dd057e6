//! What is hidden wherever the workspace lies: credentials in homes and in the system, and the doors to those who work outside.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::walk::GRAIN;
use crate::sensitive::{self, fits_name, holds_secret, secret_file};

/// Folders of the system of which some files are secret.
const SYSTEM: [&str; 3] = ["/etc", "/etc/ssh", "/etc/sudoers.d"];

/// What was found, kept until one of the folders changes.
#[derive(Debug)]
pub(super) struct Elsewhere {
    looked: BTreeMap<PathBuf, Option<SystemTime>>,
    read: SystemTime,
    /// Without links.
    pub(super) secrets: BTreeSet<PathBuf>,
    /// The same.
    pub(super) doors: BTreeSet<PathBuf>,
}

impl Elsewhere {
    pub(super) fn new() -> Self {
        let read = SystemTime::now();
        let mut looking = Looking::default();
        let mut secrets = BTreeSet::new();
        for home in looking.homes() {
            let table = &sensitive::table().home;
            let folders =
                table.folders.iter().map(|folder| home.join(folder)).filter(|folder| folder.is_dir());
            secrets.extend(folders);
            for folder in &table.looked {
                secrets.extend(looking.files(&home.join(folder)));
            }
        }
        // Those that this user cannot read need not be hidden.
        for folder in SYSTEM.iter().filter(|_| rustix::process::geteuid().is_root()) {
            secrets.extend(looking.files(Path::new(folder)));
        }
        let doors = looking.doors(std::env::home_dir().as_deref());
        let real =
            |paths: BTreeSet<PathBuf>| paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
        Self { looked: looking.at, read, secrets: real(secrets), doors: real(doors) }
    }

    pub(super) fn is_current(&self) -> bool {
        self.looked.iter().all(|(path, then)| {
            let now = time(path);
            now == *then && now.is_none_or(|now| self.read.duration_since(now).is_ok_and(|age| age >= GRAIN))
        })
    }
}

/// Devices that store, and the memory: whoever reads them reads every file.
pub(super) fn disks() -> Vec<PathBuf> {
    let raw = ["mem", "kmem", "port", "kmsg"];
    let entries = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let is_raw = |entry: &std::fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_block_device())
            || raw.iter().any(|name| entry.file_name() == *name)
    };
    entries.filter(is_raw).map(|entry| entry.path()).collect()
}

fn time(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// The folders, and the files for what is in them, that were looked at.
#[derive(Default)]
struct Looking {
    at: BTreeMap<PathBuf, Option<SystemTime>>,
}

impl Looking {
    fn entries(&mut self, folder: &Path) -> impl Iterator<Item = std::fs::DirEntry> + use<> {
        self.at.insert(folder.to_owned(), time(folder));
        std::fs::read_dir(folder).into_iter().flatten().flatten()
    }

    /// The homes that this user can read.
    fn homes(&mut self) -> BTreeSet<PathBuf> {
        let mut homes: BTreeSet<PathBuf> = std::env::home_dir().into_iter().collect();
        if rustix::process::geteuid().is_root() {
            homes.insert("/root".into());
            homes.extend(self.entries(Path::new("/home")).map(|entry| entry.path()));
        }
        homes
            .into_iter()
            .filter_map(|home| home.canonicalize().ok())
            .filter(|home| home != Path::new("/"))
            .collect()
    }

    /// The files with credentials in a folder.
    fn files(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = self.entries(folder).filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()));
        let all: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| secret_file(path) && path.is_file()).collect();
        // What is in a file may change without its folder.
        self.at.extend(all.iter().map(|path| (path.clone(), time(path))));
        all.into_iter().filter(|path| holds_secret(path)).collect()
    }

    /// Sockets of those who would do outside what is asked of them.
    fn doors(&mut self, home: Option<&Path>) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut starred: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        for written in &sensitive::table().doors.paths {
            let path = match (written.strip_prefix("~/"), written.strip_prefix('$')) {
                (Some(rest), _) => home.map(|home| home.join(rest)),
                (_, Some(name)) => std::env::var(name).ok().as_deref().and_then(address),
                _ => Some(PathBuf::from(written)),
            };
            let Some(path) = path else { continue };
            match (path.parent(), path.file_name().map(|name| name.to_string_lossy().into_owned())) {
                (Some(folder), Some(name)) if name.contains('*') => {
                    starred.entry(folder.to_owned()).or_default().push(name);
                }
                (folder, _) => {
                    if let Some(folder) = folder {
                        self.at.insert(folder.to_owned(), time(folder));
                    }
                    found.insert(path);
                }
            }
        }
        for (folder, patterns) in starred {
            let entries = self.entries(&folder);
            let fits = |entry: &std::fs::DirEntry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                patterns.iter().any(|pattern| fits_name(pattern, &name))
            };
            found.extend(entries.filter(fits).map(|entry| entry.path()));
        }
        found
    }
}

/// The path in the address of a socket: `unix:///run/x`, `unix:path=/run/x,guid=…`, `/tmp/tmux-0/default,1,0`.
fn address(value: &str) -> Option<PathBuf> {
    let value = value.strip_prefix("unix:").unwrap_or(value);
    let value = value.strip_prefix("path=").unwrap_or(value);
    let value = value.strip_prefix("//").unwrap_or(value);
    let path = value.split([',', ';']).next()?;
    path.starts_with('/').then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_sockets() {
        for (written, path) in [
            ("unix:///run/user/1/docker.sock", Some("/run/user/1/docker.sock")),
            ("unix:path=/run/user/1/bus,guid=1", Some("/run/user/1/bus")),
            ("/tmp/tmux-0/default,42,0", Some("/tmp/tmux-0/default")),
            ("tcp://127.0.0.1:2375", None),
            ("unix:abstract=/tmp/dbus", None),
            ("", None),
        ] {
            assert_eq!(address(written).as_deref(), path.map(Path::new), "{written}");
        }
    }
}
