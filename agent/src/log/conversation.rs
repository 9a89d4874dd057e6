//! The conversation that is being written to.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hookspec::Message;
use hookspec::session::Clock;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::load::{self, Loaded};
use super::lock::Lock;
use super::message_ids::{Ids, branch_files};
use super::{ConversationConfig, LogError, append, check_id, names, whole};

/// A conversation, locked against every other writer until it is dropped.
///
/// All methods take `&self`; threads that share one take turns.
#[derive(Debug)]
pub struct Conversation {
    id: String,
    folder: PathBuf,
    clock: Clock,
    /// Also makes writers take turns.
    ids: Mutex<Ids>,
    /// So that timeline entries, which need no order with messages, do not wait for the disk.
    timeline: Mutex<()>,
    _lock: Lock,
}

/// Why a log is written anew; names the branch that keeps the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// A message was changed.
    Edit,
    /// The last messages were taken back.
    Undo,
    /// Older messages were made shorter.
    Compact,
}

impl Rewrite {
    fn name(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Undo => "undo",
            Self::Compact => "compact",
        }
    }
}

impl Conversation {
    /// Starts the conversation `id` in `logs`, which is created if need be (on Unix for its owner's eyes only).
    /// A `config` without a time of creation gets the present one.
    ///
    /// # Errors
    /// A bad id, one that is taken or being created by somebody else, or a folder that can't be written.
    pub fn create(logs: &Path, id: &str, config: &ConversationConfig) -> Result<Self, LogError> {
        check_id(id)?;
        let folder = logs.join(id);
        create_folder(&folder.join(names::BRANCHES))?;
        let lock = Lock::take(&folder, id)?;
        let path = folder.join(names::LOG);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(LogError::Exists { id: id.to_owned() });
            }
            Err(error) => return Err(LogError::io("create", &path)(error)),
        }
        let conversation = Self::new(id, folder, lock, Ids::default());
        let mut config = config.clone();
        config.own.created.get_or_insert_with(Timestamp::now);
        conversation.save_config(&config)?;
        whole::sync_folder(logs)?;
        Ok(conversation)
    }

    /// Opens a conversation for writing and reads it, after repairing what a crash may have left: a torn last
    /// line, a broken `config.toml` or `state.json` are moved aside, each with a warning.
    ///
    /// # Errors
    /// [`LogError::NotFound`], [`LogError::Locked`] (also by this very process), or a file that can't be read.
    pub fn open(logs: &Path, id: &str) -> Result<(Self, Loaded), LogError> {
        check_id(id)?;
        let folder = logs.join(id);
        let missing = || LogError::NotFound { id: id.to_owned(), logs: logs.to_owned() };
        // Asked first, so that a wrong id does not leave a lock file behind.
        if !folder.join(names::LOG).exists() {
            return Err(missing());
        }
        let lock = Lock::take(&folder, id)?;
        let branches = folder.join(names::BRANCHES);
        create_folder(&branches)?;
        whole::sweep(&folder);
        whole::sweep(&branches);
        let loaded = load::load(&folder, true)?.ok_or_else(missing)?;
        let mut ids = Ids::default();
        loaded.messages.iter().filter_map(|message| message.id.as_deref()).for_each(|id| ids.note(id));
        for (_, path) in branch_files(&branches)? {
            ids.count_branch(&path)?;
        }
        Ok((Self::new(id, folder, lock, ids), loaded))
    }

    /// Reads a conversation without locking or changing anything.
    ///
    /// # Errors
    /// [`LogError::NotFound`], or a file that can't be read.
    pub fn read(logs: &Path, id: &str) -> Result<Loaded, LogError> {
        check_id(id)?;
        let loaded = load::load(&logs.join(id), false)?;
        loaded.ok_or_else(|| LogError::NotFound { id: id.to_owned(), logs: logs.to_owned() })
    }

    fn new(id: &str, folder: PathBuf, lock: Lock, ids: Ids) -> Self {
        Self {
            id: id.to_owned(),
            folder,
            clock: Clock::system(),
            ids: Mutex::new(ids),
            timeline: Mutex::new(()),
            _lock: lock,
        }
    }

    /// The same conversation with another clock for the times of messages.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The conversation's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The conversation's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stores `message` at the end of the log, and returns when it is on disk. A message without an id or a time
    /// gets one; after an error it is as it was, and so is the log.
    ///
    /// # Errors
    /// A full disk, a log that can't be written, or an id that another message has.
    pub fn append(&self, message: &mut Message) -> Result<(), LogError> {
        let mut ids = self.ids();
        let before = (message.id.clone(), message.timestamp);
        let stored = self
            .stamp(&mut ids, message)
            .and_then(|()| append::append_line(&self.folder.join(names::LOG), &line(message)?));
        match (stored, &message.id) {
            (Ok(()), Some(id)) => ids.note(id),
            (Ok(()), None) => {}
            (Err(error), _) => {
                (message.id, message.timestamp) = before;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Replaces the log by `messages` in one step, and returns where the old one is kept, under `branches/`.
    ///
    /// New messages, those with neither id nor time, get both. One with a time but no id was written by
    /// another program and stays as it is.
    ///
    /// # Errors
    /// As for [`append`](Self::append); the log is then as it was.
    pub fn rewrite(&self, messages: &mut [Message], why: Rewrite) -> Result<PathBuf, LogError> {
        let mut ids = self.ids();
        let mut taken = HashSet::new();
        for id in messages.iter().filter_map(|message| message.id.as_ref()) {
            ids.count(id);
            if !taken.insert(id.clone()) {
                return Err(LogError::DuplicateId { id: id.clone() });
            }
        }
        let mut text = Vec::new();
        for message in messages {
            if message.id.is_none() && message.timestamp.is_none() {
                let id = ids.fresh();
                taken.insert(id.clone());
                message.id = Some(id);
                message.timestamp = Some(self.clock.now());
            }
            text.extend(line(message)?);
        }
        let path = self.folder.join(names::LOG);
        let old = fs::read(&path).map_err(LogError::io("read", &path))?;
        let branches = self.folder.join(names::BRANCHES);
        let last = branch_files(&branches)?.last().map_or(0, |(number, _)| *number);
        let branch = branches.join(format!("{:04}-{}.jsonl", last.saturating_add(1), why.name()));
        whole::write_whole(&branch, &old)?;
        whole::write_whole(&path, &text)?;
        // What is no longer in the log may be put back under the id that it had.
        ids.taken = taken;
        Ok(branch)
    }

    /// Saves `config.toml`.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn save_config(&self, config: &ConversationConfig) -> Result<(), LogError> {
        whole::write_whole(&self.folder.join(names::CONFIG), config.to_text()?.as_bytes())
    }

    /// Saves the model that the conversation goes on with; what else is in `config.toml` stays.
    ///
    /// # Errors
    /// When the file can't be read as one or written.
    pub fn save_model(&self, model: &str) -> Result<(), LogError> {
        let path = self.folder.join(names::CONFIG);
        let bytes = load::read_if_there(&path)?.unwrap_or_default();
        let unreadable =
            |error| LogError::io("read", &path)(io::Error::new(io::ErrorKind::InvalidData, error));
        let mut config: ConversationConfig = toml::from_slice(&bytes).map_err(unreadable)?;
        config.chat.model = Some(model.to_owned());
        self.save_config(&config)
    }

    /// Saves each hook's state.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn save_state(&self, state: &BTreeMap<String, Value>) -> Result<(), LogError> {
        let text = serde_json::to_vec_pretty(state).map_err(LogError::encode("state.json"))?;
        whole::write_whole(&self.folder.join(names::STATE), &text)
    }

    /// Adds an entry to `timeline.jsonl`, without waiting for the disk.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn append_timeline(&self, entry: &impl Serialize) -> Result<(), LogError> {
        let mut line = serde_json::to_vec(entry).map_err(LogError::encode("a timeline entry"))?;
        line.push(b'\n');
        let path = self.timeline_path();
        let _turn = self.timeline.lock().unwrap_or_else(PoisonError::into_inner);
        append::append_in_passing(&path, &line)
    }

    /// Where the timeline is, once it has an entry.
    #[must_use]
    pub fn timeline_path(&self) -> PathBuf {
        self.folder.join(names::TIMELINE)
    }

    fn ids(&self) -> MutexGuard<'_, Ids> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives id and time where they are missing.
    fn stamp(&self, ids: &mut Ids, message: &mut Message) -> Result<(), LogError> {
        match &message.id {
            Some(id) if ids.taken.contains(id) => {
                return Err(LogError::DuplicateId { id: id.clone() });
            }
            Some(_) => {}
            None => message.id = Some(ids.fresh()),
        }
        message.timestamp.get_or_insert_with(|| self.clock.now());
        Ok(())
    }
}

fn line(message: &Message) -> Result<Vec<u8>, LogError> {
    let mut line = serde_json::to_vec(message).map_err(LogError::encode("a message"))?;
    line.push(b'\n');
    Ok(line)
}

/// Conversations hold what people say and what programs print, so others on the machine don't get to read.
fn create_folder(folder: &Path) -> Result<(), LogError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(LogError::io("create", folder))
}

#[cfg(test)]
mod tests;
