//! Where a session's memory lies between two events.
//!
//! Two files a session: the newer one counts, and the older one is written next, so that a process may end at any
//! moment without harm. (A rename would do the same at several times the cost: file systems begin to write the data
//! out when one file takes another's place.) A lock on the first makes the events of a session run one after the
//! other, so that none loses what another has learned. Nothing is flushed to the disk: a machine that loses power
//! may fall back to an older state. Where neither file is whole the session starts afresh, with a word about it.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::Client;
use crate::notes::Notes;
use crate::system::{own_file, own_folder};

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
        self.folder(client).join(file_name(session, SLOTS[0])).exists()
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
        let [first, second] = SLOTS.map(|slot| folder.join(file_name(session, slot)));
        let open = |path: &Path| {
            own_file(OpenOptions::new().create(true).truncate(false).read(true).write(true)).open(path)
        };
        let held = match open(&first) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                own_folder(DirBuilder::new().recursive(true)).create(&folder).map_err(error(&folder))?;
                open(&first)
            }
            opened => opened,
        };
        let held = held.map_err(error(&first))?;
        held.lock().map_err(error(&first))?;
        let other = open(&second).map_err(error(&second))?;
        Ok(Place { path: first, slots: [held, other], newest: None })
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

/// The ends of the two files' names.
const SLOTS: [&str; 2] = ["0", "1"];

/// A session's files, and the right to use them, which ends with the process at the latest.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    slots: [File; 2],
    /// Which of them counts, its number, and what it holds.
    newest: Option<(usize, u64, Vec<u8>)>,
}

impl Place {
    fn error(&self, source: io::Error) -> StoreError {
        StoreError { path: self.path.clone(), source }
    }

    /// What is known of the session.
    ///
    /// # Errors
    /// If the files cannot be read.
    pub fn load(&mut self) -> Result<Memory, StoreError> {
        let mut written = false;
        self.newest = None;
        for index in 0..2 {
            let mut bytes = Vec::new();
            let slot = &mut self.slots[index];
            let read = slot.seek(SeekFrom::Start(0)).and_then(|_| slot.read_to_end(&mut bytes));
            read.map_err(|source| self.error(source))?;
            written |= !bytes.is_empty();
            if let Some((number, body)) = unframed(&bytes)
                && self.newest.as_ref().is_none_or(|(_, held, _)| number > *held)
            {
                self.newest = Some((index, number, body.to_vec()));
            }
        }
        let memory = self.newest.as_ref().map(|(_, _, body)| serde_json::from_slice(body));
        match memory {
            Some(Ok(memory)) => Ok(memory),
            None if !written => Ok(Memory::default()),
            damaged => {
                let why = damaged
                    .and_then(Result::err)
                    .map_or_else(|| "neither file is whole".into(), |e| e.to_string());
                tracing::error!(path = %self.path.display(), why, "the memory of this session is damaged: the hooks start afresh");
                Ok(Memory::default())
            }
        }
    }

    /// Keeps it.
    ///
    /// # Errors
    /// If it cannot be written; what was kept before still counts then.
    pub fn save(&mut self, memory: &Memory) -> Result<(), StoreError> {
        let body = serde_json::to_vec(memory).map_err(|source| self.error(source.into()))?;
        let (index, number) = match &self.newest {
            Some((_, _, held)) if *held == body => return Ok(()),
            Some((index, number, _)) => (1 - index, number + 1),
            None => (0, 1),
        };
        let framed = format!("{number} {} {:016x}\n", body.len(), sum(&body));
        let slot = &mut self.slots[index];
        let whole = [framed.as_bytes(), &body].concat();
        let written = slot.seek(SeekFrom::Start(0)).and_then(|_| slot.write_all(&whole));
        written.map_err(|source| self.error(source))?;
        self.newest = Some((index, number, body));
        Ok(())
    }
}

/// A file's number and its body, if it is whole; what an older, longer body left behind it does not count.
fn unframed(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let mut words = std::str::from_utf8(&bytes[..end]).ok()?.split(' ');
    let number = words.next()?.parse().ok()?;
    let length: usize = words.next()?.parse().ok()?;
    let wanted = u64::from_str_radix(words.next()?, 16).ok()?;
    let body = bytes[end + 1..].get(..length)?;
    (sum(body) == wanted).then_some((number, body))
}

/// FNV-1a: stable between builds, which the standard library's hash is not.
fn sum(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    bytes.iter().fold(start, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
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
        name.truncate(100);
        name.push_str(&format!("~{:016x}", sum(session.as_bytes())));
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
    fn a_write_that_broke_off_leaves_what_was_kept_before() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let memory =
            |text: &str| Memory { states: [("T".to_owned(), json!(text))].into(), ..Memory::default() };
        let mut place = store.open(Client::Claude, "s").unwrap();
        for text in ["a long first text", "two", "three"] {
            place.save(&memory(text)).unwrap();
            assert_eq!(place.load().unwrap(), memory(text));
        }
        drop(place);
        let newest = folder.path().join("claude/s.0");
        let whole = std::fs::read(&newest).unwrap();
        for end in 0..whole.len() {
            std::fs::write(&newest, &whole[..end]).unwrap();
            let held = store.open(Client::Claude, "s").unwrap().load().unwrap();
            // Behind the third text stands the rest of the first one, which was longer.
            let rest = "a long first text".len() - "three".len();
            let wanted = if end < whole.len() - rest { "two" } else { "three" };
            assert_eq!(held, memory(wanted), "{end}");
        }
        std::fs::write(folder.path().join("claude/s.1"), "{oops").unwrap();
        std::fs::write(&newest, "\u{0}").unwrap();
        assert_eq!(store.open(Client::Claude, "s").unwrap().load().unwrap(), Memory::default());
    }

    #[test]
    fn ids_become_plain_file_names() {
        assert_eq!(file_name("../a b", "0"), "%2e%2e%2fa%20b.0");
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
        assert_eq!((mode("state/codex"), mode("state/codex/s.0")), (0o700, 0o600));
    }
}
