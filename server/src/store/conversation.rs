//! One conversation of the store: as the engine's log, and its inbox.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookspec::points::StartReason;
use hookspec::{Message, Role};
use hookspec_agent::log::{Chat, ConversationConfig, Loaded, LogError, Rewrite, Storage};
use rusqlite::{Connection, params};
use serde_json::Value;

use super::{Owner, Store, StoreError};

/// How much of the last message a list shows, in characters.
const PREVIEW: usize = 100;

/// What a conversation held before it was edited.
#[derive(Clone, Debug)]
pub struct Branch {
    /// `<number>-<why>`, as the JSONL form names it.
    pub name: String,
    /// The messages.
    pub messages: Vec<Message>,
}

/// A conversation as it is opened.
#[derive(Debug)]
pub struct Opened {
    /// Its place.
    pub kept: Kept,
    /// What it holds.
    pub loaded: Loaded,
    /// Whether it was started before.
    pub reason: StartReason,
    /// Messages that were acknowledged and are not in the log yet.
    pub inbox: Vec<Message>,
    /// Hooks that are switched off in it.
    pub hooks_off: Vec<String>,
}

/// A conversation's place in the store.
#[derive(Clone, Debug)]
pub struct Kept {
    store: Arc<Store>,
    key: i64,
    id: String,
}

/// Adds a message at the end; gives it an id where it has none.
pub(super) fn insert(connection: &Connection, key: i64, message: &mut Message) -> Result<(), StoreError> {
    let id = match &message.id {
        Some(id) => {
            count(connection, key, id)?;
            id.clone()
        }
        None => fresh_id(connection, key)?,
    };
    message.id = Some(id.clone());
    let body = serde_json::to_string(message)?;
    connection
        .prepare_cached(
            "INSERT INTO messages (conversation, position, id, body)
         VALUES (?1, (SELECT COALESCE(MAX(position), -1) + 1 FROM messages WHERE conversation = ?1), ?2, ?3)",
        )?
        .execute(params![key, id, body])?;
    let preview = (message.role != Role::System && !message.hide)
        .then(|| message.content.trim().chars().take(PREVIEW).collect::<String>());
    connection
        .prepare_cached(
            "UPDATE conversations SET messages = messages + 1, preview = COALESCE(?2, preview) WHERE key = ?1",
        )?
        .execute(params![key, preview])?;
    Ok(())
}

/// The next `m<number>`.
fn fresh_id(connection: &Connection, key: i64) -> Result<String, StoreError> {
    let number: i64 = connection
        .prepare_cached(
            "UPDATE conversations SET last_message = last_message + 1 WHERE key = ?1 RETURNING last_message",
        )?
        .query_row([key], |row| row.get(0))?;
    Ok(format!("m{number}"))
}

/// Sees to it that a number of ours is not given again.
fn count(connection: &Connection, key: i64, id: &str) -> Result<(), StoreError> {
    if let Some(number) = id.strip_prefix('m').and_then(|digits| digits.parse::<u32>().ok()) {
        connection
            .prepare_cached("UPDATE conversations SET last_message = MAX(last_message, ?2) WHERE key = ?1")?
            .execute(params![key, number])?;
    }
    Ok(())
}

fn messages(connection: &Connection, key: i64) -> Result<Vec<Message>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT body FROM messages WHERE conversation = ?1 ORDER BY position")?;
    let bodies = statement.query_map([key], |row| row.get::<_, String>(0))?;
    bodies.map(|body| Ok(serde_json::from_str(&body?)?)).collect()
}

fn lines(messages: &[Message]) -> Result<String, StoreError> {
    let mut text = String::new();
    for message in messages {
        text.push_str(&serde_json::to_string(message)?);
        text.push('\n');
    }
    Ok(text)
}

impl Store {
    /// Opens a conversation for an engine.
    ///
    /// # Errors
    /// If there is none.
    pub fn open_conversation(self: &Arc<Self>, owner: &Owner, id: &str) -> Result<Opened, StoreError> {
        let writer = self.writer();
        let key = Self::key(&writer, owner, id)?;
        let (opened, model, workspace, name, parent, state, off) = writer.query_row(
            "SELECT opened, model, workspace, name, parent, state, hooks_off FROM conversations WHERE key = ?1",
            [key],
            |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, String>(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, Option<String>>(3)?,
                    row.get::<_, Option<String>>(4)?,
                    row.get::<_, String>(5)?,
                    row.get::<_, String>(6)?,
                ))
            },
        )?;
        let reason = match (opened, &parent) {
            (0, None) => StartReason::New,
            (0, Some(_)) => StartReason::Fork,
            _ => StartReason::Resume,
        };
        let mut config = ConversationConfig {
            chat: Chat { name, model: Some(model), workspace: Some(workspace.into()), ..Chat::default() },
            ..ConversationConfig::default()
        };
        config.own.parent = parent;
        let loaded = Loaded {
            config,
            messages: messages(&writer, key)?,
            state: serde_json::from_str(&state)?,
            ..Loaded::default()
        };
        let inbox = waiting(&writer, key)?;
        let hooks_off = serde_json::from_str(&off)?;
        let kept = Kept { store: Arc::clone(self), key, id: id.to_owned() };
        Ok(Opened { kept, loaded, reason, inbox, hooks_off })
    }

    /// The messages of a conversation, oldest first.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(&self, owner: &Owner, id: &str) -> Result<Vec<Message>, StoreError> {
        let reader = self.reader();
        let key = Self::key(&reader, owner, id)?;
        messages(&reader, key)
    }

    /// The hooks that are off in a conversation.
    ///
    /// # Errors
    /// If there is none.
    pub fn hooks_off(&self, owner: &Owner, id: &str) -> Result<Vec<String>, StoreError> {
        let off = self.one("SELECT hooks_off FROM conversations WHERE owner = ?1 AND id = ?2", owner, id)?;
        Ok(serde_json::from_str(&off)?)
    }

    /// What the conversation held before each edit, oldest first.
    ///
    /// # Errors
    /// If there is none.
    pub fn branches(&self, owner: &Owner, id: &str) -> Result<Vec<Branch>, StoreError> {
        let reader = self.reader();
        let key = Self::key(&reader, owner, id)?;
        let mut statement =
            reader.prepare_cached("SELECT name, body FROM branches WHERE conversation = ?1 ORDER BY name")?;
        let rows = statement.query_map([key], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (name, body) = row?;
            let messages = body.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
            Ok(Branch { name, messages })
        })
        .collect()
    }

    /// The conversation as JSONL, one message a line: the engine's own form.
    ///
    /// # Errors
    /// If there is none.
    pub fn export(&self, owner: &Owner, id: &str) -> Result<String, StoreError> {
        lines(&self.read(owner, id)?)
    }

    /// Reads JSONL, as [`export`](Self::export) or gptme writes it.
    ///
    /// # Errors
    /// For the first line that is not a message.
    pub fn import(text: &str) -> Result<Vec<Message>, StoreError> {
        let whole = text.lines().filter(|line| !line.trim().is_empty());
        Ok(whole.map(serde_json::from_str).collect::<Result<_, _>>()?)
    }
}

fn waiting(connection: &Connection, key: i64) -> Result<Vec<Message>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT body FROM inbox WHERE conversation = ?1 ORDER BY rowid")?;
    let bodies = statement.query_map([key], |row| row.get::<_, String>(0))?;
    bodies.map(|body| Ok(serde_json::from_str(&body?)?)).collect()
}

impl Kept {
    fn add(&self, message: &mut Message) -> Result<(), StoreError> {
        message.timestamp.get_or_insert_with(|| self.store.clock.now());
        let now = self.store.now();
        let mut writer = self.store.writer();
        let change = writer.transaction()?;
        insert(&change, self.key, message)?;
        // One that waited is in the log now, in the same commit: never in both, never in neither.
        change
            .prepare_cached("DELETE FROM inbox WHERE conversation = ?1 AND id = ?2")?
            .execute(params![self.key, message.id])?;
        change
            .prepare_cached("UPDATE conversations SET modified = ?2 WHERE key = ?1")?
            .execute(params![self.key, now])?;
        change.commit()?;
        Ok(())
    }

    /// Notes that the session has started: from now on it is resumed.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn mark_opened(&self) -> Result<(), StoreError> {
        self.store
            .writer()
            .execute("UPDATE conversations SET opened = opened + 1 WHERE key = ?1", [self.key])?;
        Ok(())
    }

    /// Keeps a message that is to enter the log later; gives it its id and time.
    ///
    /// # Errors
    /// If it could not be stored.
    pub fn enqueue(&self, message: &mut Message) -> Result<(), StoreError> {
        message.timestamp.get_or_insert_with(|| self.store.clock.now());
        let mut writer = self.store.writer();
        let change = writer.transaction()?;
        let id = fresh_id(&change, self.key)?;
        message.id = Some(id.clone());
        let body = serde_json::to_string(message)?;
        change.execute(
            "INSERT INTO inbox (conversation, id, body) VALUES (?1, ?2, ?3)",
            params![self.key, id, body],
        )?;
        change.commit()?;
        Ok(())
    }

    /// The messages that wait.
    ///
    /// # Errors
    /// If they could not be read.
    pub fn inbox(&self) -> Result<Vec<Message>, StoreError> {
        waiting(&self.store.writer(), self.key)
    }

    /// Takes a refused message out of the inbox.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn refuse(&self, id: &str) -> Result<(), StoreError> {
        self.store
            .writer()
            .execute("DELETE FROM inbox WHERE conversation = ?1 AND id = ?2", params![self.key, id])?;
        Ok(())
    }

    /// Keeps which hooks are off in this conversation.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn set_hooks_off(&self, off: &[String]) -> Result<(), StoreError> {
        let off = serde_json::to_string(off)?;
        self.store
            .writer()
            .execute("UPDATE conversations SET hooks_off = ?2 WHERE key = ?1", params![self.key, off])?;
        Ok(())
    }

    /// The store's key of the conversation.
    pub(super) fn key(&self) -> i64 {
        self.key
    }

    /// The store.
    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    fn replace(&self, new: &mut [Message], why: &str) -> Result<(), StoreError> {
        let mut writer = self.store.writer();
        let change = writer.transaction()?;
        let old = lines(&messages(&change, self.key)?)?;
        let number: i64 = change.query_row(
            "SELECT COUNT(*) + 1 FROM branches WHERE conversation = ?1",
            [self.key],
            |row| row.get(0),
        )?;
        change.execute(
            "INSERT INTO branches (conversation, name, body) VALUES (?1, ?2, ?3)",
            params![self.key, format!("{number:04}-{why}"), old],
        )?;
        change.execute("DELETE FROM messages WHERE conversation = ?1", [self.key])?;
        change.execute("UPDATE conversations SET messages = 0, preview = '' WHERE key = ?1", [self.key])?;
        for message in new {
            message.timestamp.get_or_insert_with(|| self.store.clock.now());
            insert(&change, self.key, message)?;
        }
        change.commit()?;
        Ok(())
    }
}

impl Storage for Kept {
    fn id(&self) -> &str {
        &self.id
    }

    fn append(&self, message: &mut Message) -> Result<(), LogError> {
        let before = (message.id.clone(), message.timestamp);
        self.add(message).map_err(|error| {
            (message.id, message.timestamp) = before;
            LogError::store(&self.id, error)
        })
    }

    fn rewrite(&self, messages: &mut [Message], why: Rewrite) -> Result<(), LogError> {
        let why = match why {
            Rewrite::Edit => "edit",
            Rewrite::Undo => "undo",
            Rewrite::Compact => "compact",
        };
        self.replace(messages, why).map_err(|error| LogError::store(&self.id, error))
    }

    fn save_state(&self, state: &BTreeMap<String, Value>) -> Result<(), LogError> {
        let stored = serde_json::to_string(state).map_err(StoreError::from).and_then(|text| {
            self.store
                .writer()
                .execute(
                    "UPDATE conversations SET state = ?2 WHERE key = ?1 AND state <> ?2",
                    params![self.key, text],
                )
                .map_err(StoreError::from)
        });
        stored.map(drop).map_err(|error| LogError::store(&self.id, error))
    }

    fn save_model(&self, model: &str) -> Result<(), LogError> {
        let stored = self
            .store
            .writer()
            .execute("UPDATE conversations SET model = ?2 WHERE key = ?1", params![self.key, model]);
        stored.map(drop).map_err(|error| LogError::store(&self.id, StoreError::from(error)))
    }
}
