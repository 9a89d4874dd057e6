//! The states of a session that lives only from call to call.
//!
//! One file for each session, `state/fire/ID.json`, written whole; a lock beside it makes calls on one
//! session run one after the other. A file that cannot be understood stops the call before any hook runs,
//! so that it is never written over.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hookspec_agent::log::{LogError, write_whole};
use serde_json::Value;

use crate::progress::Progress;

/// How long a call waits for another one on the same session.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);

/// States that cannot be had or kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeptError {
    #[error("`{0}` cannot be a session's id: use letters, digits, `-`, `_` and `.`, not beginning with `.`")]
    BadName(String),
    #[error(
        "the states of the hooks cannot be kept in {path}: {source}; set HOOKSPEC_HOME to a folder that can be written"
    )]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "{path} is damaged ({why}), so no hook was run: repair it, or remove it to let the hooks start afresh"
    )]
    Damaged { path: PathBuf, why: String },
    #[error(transparent)]
    Store(#[from] LogError),
    #[error("another call has been using the session `{id}` for {} s; wait for it, or use another --session", PATIENCE.as_secs())]
    Busy { id: String },
}

/// A session's file, and the right to use it.
pub(super) struct Kept {
    path: PathBuf,
    /// The system lets go of it when this process ends, however it ends.
    _lock: File,
}

impl Kept {
    pub(super) fn open(folder: &Path, id: &str) -> Result<Self, KeptError> {
        let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if id.is_empty() || id.len() > 128 || id.starts_with('.') || !id.chars().all(good) {
            return Err(KeptError::BadName(id.to_owned()));
        }
        let folder = folder.join("fire");
        let io = |source| KeptError::Io { path: folder.clone(), source };
        std::fs::create_dir_all(&folder).map_err(io)?;
        let path = folder.join(format!("{id}.lock"));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(io)?;
        let began = Instant::now();
        let mut waiting = None;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    waiting.get_or_insert_with(|| {
                        tracing::info!(session = id, "waiting for another call");
                        Progress::start(format!("waiting for another call on the session `{id}`"))
                    });
                    std::thread::sleep(POLL);
                }
                Err(TryLockError::WouldBlock) => return Err(KeptError::Busy { id: id.to_owned() }),
                Err(TryLockError::Error(source)) => return Err(io(source)),
            }
        }
        Ok(Self { path: folder.join(format!("{id}.json")), _lock: file })
    }

    pub(super) fn load(&self) -> Result<BTreeMap<String, Value>, KeptError> {
        match std::fs::read(&self.path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| KeptError::Damaged { path: self.path.clone(), why: error.to_string() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(source) => Err(KeptError::Io { path: self.path.clone(), source }),
        }
    }

    pub(super) fn save(&self, states: &BTreeMap<String, Value>) -> Result<(), KeptError> {
        let bytes = serde_json::to_vec_pretty(states)
            .map_err(|error| KeptError::Io { path: self.path.clone(), source: error.into() })?;
        Ok(write_whole(&self.path, &bytes)?)
    }
}
