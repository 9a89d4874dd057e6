//! One conversation's folder.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hookspec::Message;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read::{Loaded, read};
use super::{LogError, LogWarning, write_whole};

/// `config.toml` of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConversationConfig {
    /// The model it was last used with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The directory tree it works in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
}

/// A conversation in a list.
#[derive(Clone, Debug, Serialize)]
pub struct ConversationSummary {
    /// Its name.
    pub id: String,
    /// Its configuration.
    pub config: ConversationConfig,
    /// How many messages it has.
    pub messages: usize,
    /// The last change, as seconds since 1970.
    pub modified: u64,
}

/// A conversation, open for writing; no other process can have it open as well.
#[derive(Debug)]
pub struct Conversation {
    id: String,
    folder: PathBuf,
    config: ConversationConfig,
    log: Mutex<Appender>,
    /// Holds the lock until it is dropped.
    _lock: File,
}

#[derive(Debug)]
struct Appender {
    file: File,
    length: u64,
}

const LOG: &str = "conversation.jsonl";

impl Conversation {
    /// Makes a conversation.
    ///
    /// # Errors
    /// If the name is bad or taken, or the folder cannot be written.
    pub fn create(logs: &Path, id: &str, config: &ConversationConfig) -> Result<Self, LogError> {
        let folder = folder(logs, id)?;
        if folder.join(LOG).exists() {
            return Err(LogError::Exists(id.to_owned()));
        }
        std::fs::create_dir_all(folder.join("branches")).map_err(io(&folder))?;
        let config = ConversationConfig {
            created: config.created.or_else(|| Some(Timestamp::now())),
            ..config.clone()
        };
        let lock = lock(&folder, id)?;
        let text = toml::to_string(&config).unwrap_or_default();
        write_whole(&folder.join("config.toml"), text.as_bytes()).map_err(io(&folder))?;
        let log = Appender::open(&folder.join(LOG))?;
        Ok(Self { id: id.to_owned(), folder, config, log: Mutex::new(log), _lock: lock })
    }

    /// Opens a conversation to go on with it. A torn last line is moved to a file of its own.
    ///
    /// # Errors
    /// If there is none, it is open elsewhere, or its files cannot be read.
    pub fn open(logs: &Path, id: &str) -> Result<(Self, Loaded), LogError> {
        let folder = folder(logs, id)?;
        let path = folder.join(LOG);
        if !path.exists() {
            return Err(LogError::Missing { name: id.to_owned(), logs: logs.to_owned() });
        }
        let lock = lock(&folder, id)?;
        let config = read_config(&folder)?;
        let loaded = read(&path)?;
        let mut log = Appender::open(&path)?;
        if let Some(length) = loaded.torn_at {
            log.move_tail(&folder, length)?;
        }
        let conversation = Self { id: id.to_owned(), folder, config, log: Mutex::new(log), _lock: lock };
        Ok((conversation, loaded))
    }

    /// Reads a conversation that may be open elsewhere.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn read(logs: &Path, id: &str) -> Result<Loaded, LogError> {
        let path = folder(logs, id)?.join(LOG);
        if !path.exists() {
            return Err(LogError::Missing { name: id.to_owned(), logs: logs.to_owned() });
        }
        read(&path)
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its configuration as it was when it was opened.
    #[must_use]
    pub fn config(&self) -> &ConversationConfig {
        &self.config
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where its timeline is kept.
    #[must_use]
    pub fn timeline_path(&self) -> PathBuf {
        self.folder.join("timeline.jsonl")
    }

    /// Stores a message, durably, after giving it an id and a time where it has none.
    ///
    /// # Errors
    /// If it cannot be written (a full disk, say); nothing of it is in the file then.
    pub fn append(&self, message: &mut Message) -> Result<(), LogError> {
        message.id.get_or_insert_with(|| uuid::Uuid::now_v7().simple().to_string());
        message.timestamp.get_or_insert_with(Timestamp::now);
        let path = self.folder.join(LOG);
        let mut line = serde_json::to_vec(message)
            .map_err(|error| LogError::Damaged { path: path.clone(), why: error.to_string() })?;
        line.push(b'\n');
        self.log.lock().unwrap_or_else(PoisonError::into_inner).append(&line).map_err(io(&path))
    }

    /// Puts other messages in place of all: after an edit, an undo, a compaction. What was there is kept
    /// under `branches/`.
    ///
    /// # Errors
    /// If it cannot be written; the old log stays then.
    pub fn rewrite(&self, messages: &[Message], why: &str) -> Result<(), LogError> {
        let path = self.folder.join(LOG);
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = (0..).map(|n| self.folder.join(format!("branches/{why}-{n}.jsonl"))).find(|p| !p.exists());
        if let Some(kept) = kept {
            std::fs::copy(&path, &kept).map_err(io(&kept))?;
        }
        let mut text = Vec::new();
        for message in messages {
            serde_json::to_writer(&mut text, message)
                .map_err(|error| LogError::Damaged { path: path.clone(), why: error.to_string() })?;
            text.push(b'\n');
        }
        write_whole(&path, &text).map_err(io(&path))?;
        *log = Appender::open(&path)?;
        Ok(())
    }

    /// What the hooks kept when the conversation was last open. A damaged file is moved aside, with a
    /// warning.
    #[must_use]
    pub fn load_states(&self) -> BTreeMap<String, Value> {
        let path = self.folder.join("state.json");
        let Ok(bytes) = std::fs::read(&path) else { return BTreeMap::new() };
        serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            let aside = self.folder.join("state.json.damaged");
            tracing::warn!(%error, path = %path.display(), "the hooks' states are damaged; moved aside, hooks start afresh");
            if let Err(error) = std::fs::rename(&path, &aside) {
                tracing::warn!(%error, "it could not be moved");
            }
            BTreeMap::new()
        })
    }

    /// Keeps what the hooks want kept.
    ///
    /// # Errors
    /// If it cannot be written; what was kept before stays.
    pub fn save_states(&self, states: &BTreeMap<String, Value>) -> Result<(), LogError> {
        let path = self.folder.join("state.json");
        let bytes = serde_json::to_vec_pretty(states)
            .map_err(|error| LogError::Damaged { path: path.clone(), why: error.to_string() })?;
        write_whole(&path, &bytes).map_err(io(&path))
    }
}

impl Appender {
    fn open(path: &Path) -> Result<Self, LogError> {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(io(path))?;
        let length = file.metadata().map_err(io(path))?.len();
        Ok(Self { file, length })
    }

    fn append(&mut self, line: &[u8]) -> std::io::Result<()> {
        let written = self.file.write_all(line).and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => {
                self.length += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Half a line would spoil the next one too.
                if let Err(second) = self.file.set_len(self.length) {
                    tracing::error!(%second, "half a line may be left in the log");
                }
                Err(error)
            }
        }
    }

    /// Moves what is behind `length` to a file of its own.
    fn move_tail(&mut self, folder: &Path, length: u64) -> Result<(), LogError> {
        let mut tail = Vec::new();
        self.file.seek(SeekFrom::Start(length)).map_err(io(folder))?;
        self.file.read_to_end(&mut tail).map_err(io(folder))?;
        let aside = (0..).map(|n| folder.join(format!("{LOG}.torn-{n}"))).find(|path| !path.exists());
        if let Some(aside) = aside {
            write_whole(&aside, &tail).map_err(io(&aside))?;
        }
        self.file.set_len(length).map_err(io(folder))?;
        self.length = length;
        Ok(())
    }
}

/// All conversations, the one that was changed last first. A folder that cannot be read costs itself, with
/// a warning.
#[must_use]
pub fn list(logs: &Path) -> (Vec<ConversationSummary>, Vec<LogWarning>) {
    let (mut all, mut warnings) = (Vec::new(), Vec::new());
    let Ok(folders) = std::fs::read_dir(logs) else { return (all, warnings) };
    for entry in folders.flatten() {
        let path = entry.path().join(LOG);
        let id = entry.file_name().to_string_lossy().into_owned();
        let Ok(metadata) = std::fs::metadata(&path) else { continue };
        match (read(&path), read_config(&entry.path())) {
            (Ok(loaded), Ok(config)) => {
                let modified = metadata.modified().ok();
                let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
                let modified = since.map_or(0, |since| since.as_secs());
                all.push(ConversationSummary { id, config, messages: loaded.messages.len(), modified });
            }
            (Err(error), _) | (_, Err(error)) => {
                warnings.push(LogWarning { line: 0, why: error.to_string() });
            }
        }
    }
    all.sort_by(|a, b| (b.modified, &a.id).cmp(&(a.modified, &b.id)));
    (all, warnings)
}

fn read_config(folder: &Path) -> Result<ConversationConfig, LogError> {
    let path = folder.join("config.toml");
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            toml::from_str(&text).map_err(|error| LogError::Damaged { path, why: error.message().to_owned() })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(ConversationConfig::default()),
        Err(source) => Err(LogError::Io { path, source }),
    }
}

fn folder(logs: &Path, id: &str) -> Result<PathBuf, LogError> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.is_empty() || id.len() > 128 || id.starts_with('.') || !id.chars().all(good) {
        return Err(LogError::BadName(id.to_owned()));
    }
    Ok(logs.join(id))
}

/// Takes the conversation's lock. The system lets go of it when the process ends, however it ends.
fn lock(folder: &Path, id: &str) -> Result<File, LogError> {
    let path = folder.join("lock");
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(io(&path))?;
    match file.try_lock() {
        Ok(()) => {
            // For people only; the lock is what counts.
            let note =
                file.set_len(0).and_then(|()| file.write_all(std::process::id().to_string().as_bytes()));
            if let Err(error) = note {
                tracing::debug!(%error, "the lock does not say who holds it");
            }
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            let holder = if holder.is_empty() { holder } else { format!(" (process {holder})") };
            Err(LogError::Locked { name: id.to_owned(), holder })
        }
        Err(TryLockError::Error(source)) => Err(LogError::Io { path, source }),
    }
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> LogError + use<> {
    let path = path.to_owned();
    move |source| LogError::Io { path, source }
}
