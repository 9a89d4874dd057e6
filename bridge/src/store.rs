//! Where a session's memory lies between two events.
//!
//! One file a session, written whole and put in place by a rename; a lock beside it makes the events of a session
//! run one after the other, so that none loses what another has learned. The rename survives the end of
//! any process at any moment; it is not flushed to the disk, so a machine that loses power may fall back to an older
//! state. A damaged file is put aside, and the session starts afresh with a word about it.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::Client;
use crate::notes::Notes;

/// Sessions that nobody has used for this long are forgotten.
const KEEP: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// A session's memory that cannot be had.
#[derive(Debug, thiserror::Error)]
#[error(
    "the memory of this session cannot be kept in {path}: {source}; make it a folder that can be written"
)]
pub struct StoreError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// What is kept of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// The states of its hooks.
    pub states: BTreeMap<String, Value>,
    /// What one event tells and a later one needs.
    pub notes: Notes,
}

/// A folder of sessions.
#[derive(Clone, Debug)]
pub struct Store(PathBuf);

impl Store {
    /// The store in this folder; it is made when the first session is opened.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    fn folder(&self, client: Client) -> PathBuf {
        self.0.join(client.name())
    }

    /// Whether anything is known of a session.
    #[must_use]
    pub fn knows(&self, client: Client, session: &str) -> bool {
        self.folder(client).join(file_name(session, "json")).exists()
    }

    /// Opens a session for this process alone; waits for others.
    ///
    /// # Errors
    /// If the folder or its files cannot be used.
    pub fn open(&self, client: Client, session: &str) -> Result<Place, StoreError> {
        let folder = self.folder(client);
        let error = |path: &Path| {
            let path = path.to_owned();
            move |source| StoreError { path, source }
        };
        let lock = folder.join(file_name(session, "lock"));
        let open = || OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&lock);
        let file = match open() {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(error(&folder))?;
                open()
            }
            opened => opened,
        };
        let file = file.map_err(error(&lock))?;
        file.lock().map_err(error(&lock))?;
        let path = folder.join(file_name(session, "json"));
        Ok(Place { path, read: Vec::new(), _lock: file })
    }

    /// Forgets the sessions that nobody has used for sixty days; what cannot be removed is left.
    pub fn prune(&self, client: Client) {
        let Ok(entries) = std::fs::read_dir(self.folder(client)) else { return };
        let old = |path: &Path| {
            let changed = path.metadata().and_then(|data| data.modified()).ok()?;
            SystemTime::now().duration_since(changed).ok().filter(|age| *age > KEEP)
        };
        for path in entries.flatten().map(|entry| entry.path()).filter(|path| old(path).is_some()) {
            if let Err(error) = std::fs::remove_file(&path) {
                tracing::debug!(path = %path.display(), %error, "an old session cannot be removed");
            }
        }
    }
}

/// A session's file, and the right to use it, which ends with the process at the latest.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    /// What the file held.
    read: Vec<u8>,
    _lock: File,
}

impl Place {
    /// What is known of the session.
    ///
    /// # Errors
    /// If the file is there and cannot be read.
    pub fn load(&mut self) -> Result<Memory, StoreError> {
        match std::fs::read(&self.path) {
            Ok(bytes) => {
                let memory = serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                    let aside = self.path.with_extension("damaged");
                    let moved = std::fs::rename(&self.path, &aside);
                    tracing::error!(
                        path = %aside.display(), %error, moved = moved.is_ok(),
                        "the memory of this session is damaged: it is put aside, and the hooks start afresh"
                    );
                    Memory::default()
                });
                self.read = bytes;
                Ok(memory)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Memory::default()),
            Err(source) => Err(StoreError { path: self.path.clone(), source }),
        }
    }

    /// Keeps it.
    ///
    /// # Errors
    /// If the file cannot be written; the old one is left as it was.
    pub fn save(&self, memory: &Memory) -> Result<(), StoreError> {
        let error = |source: io::Error| StoreError { path: self.path.clone(), source };
        let bytes = serde_json::to_vec(memory).map_err(|source| error(source.into()))?;
        if bytes == self.read {
            return Ok(());
        }
        // The lock is held, so nobody else writes a file of this name.
        let new = self.path.with_extension("new");
        let write = || {
            let mut file =
                OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&new)?;
            file.write_all(&bytes)?;
            std::fs::rename(&new, &self.path)
        };
        write().map_err(error)
    }
}

/// A file's name for a session's id, whatever it holds: other bytes as `%xx`, long ones cut and told apart by a sum.
fn file_name(session: &str, extension: &str) -> String {
    let mut name = String::new();
    for byte in session.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    if name.len() > 120 {
        // FNV-1a: stable between builds, which the standard library's hash is not.
        let sum = session.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        name.truncate(100);
        name.push_str(&format!("~{sum:016x}"));
    }
    format!("{name}.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_update_is_lost_between_many_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("a/b"));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let mut place = store.open(Client::Codex, "s").unwrap();
                        let mut memory = place.load().unwrap();
                        memory.notes.steps += 1;
                        place.save(&memory).unwrap();
                    }
                });
            }
        });
        assert_eq!(store.open(Client::Codex, "s").unwrap().load().unwrap().notes.steps, 200);
        assert!(store.knows(Client::Codex, "s") && !store.knows(Client::Claude, "s"));
    }

    #[test]
    fn a_damaged_file_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let mut place = store.open(Client::Claude, "s").unwrap();
        let memory = Memory { states: [("T".to_owned(), json!(1))].into(), ..Memory::default() };
        place.save(&memory).unwrap();
        assert_eq!(place.load().unwrap(), memory);
        std::fs::write(folder.path().join("claude/s.json"), "{oops").unwrap();
        assert_eq!(place.load().unwrap(), Memory::default());
        assert_eq!(std::fs::read(folder.path().join("claude/s.damaged")).unwrap(), b"{oops");
    }

    #[test]
    fn ids_become_plain_file_names() {
        assert_eq!(file_name("../a b", "json"), "%2e%2e%2fa%20b.json");
        assert!(file_name(&"x".repeat(5000), "json").len() < 140);
        assert_ne!(file_name(&"x".repeat(5000), "json"), file_name(&"x".repeat(5001), "json"));
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("state"));
        store.open(Client::Codex, "s").unwrap().save(&Memory::default()).unwrap();
        let mode = |path: &str| folder.path().join(path).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("state/codex"), mode("state/codex/s.json")), (0o700, 0o600));
    }
}
