//! Conversations in one SQLite file.
//!
//! The write-ahead log is synced at each commit, so what was acknowledged is there after a kill of the process and
//! after a loss of power. One connection writes and one reads; both are behind locks, and neither is held across an
//! `await`. The JSONL form of `hookspec-agent` is what [`Store::export`] gives and [`Store::import`] takes.
//!
//! Everything is kept by owner: a query without one does not exist here, so no route can forget it.

mod conversation;
mod list;
mod schema;
mod timeline;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hookspec::Message;
use hookspec::session::Clock;
use hookspec_agent::log::check_id;
use rusqlite::{Connection, OptionalExtension, params};

use crate::random::{RandomError, random_text};

pub use conversation::{Branch, Kept, Opened};
pub use list::{Page, Row};

/// Whose conversations these are: the name beside a token.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner(pub String);

/// A store that does not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// SQLite.
    #[error("The database refused: {0}. Check that its disk has room and its folder may be written to.")]
    Database(#[from] rusqlite::Error),
    /// The file belongs to a later program.
    #[error(
        "The database has version {found}, and this program knows versions up to {known}: use a newer hookspec."
    )]
    Newer {
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Its folder cannot be made.
    #[error("The folder of the database {path} cannot be created: {source}. Name another with --database.")]
    Folder {
        /// The database's file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No such conversation of this owner.
    #[error("There is no conversation {0:?}: list the conversations to see their ids.")]
    NotFound(String),
    /// The id is taken.
    #[error("A conversation {0:?} exists already: open it, or choose another id.")]
    Exists(String),
    /// The id is none.
    #[error("{0}")]
    BadId(String),
    /// The system gives no random numbers.
    #[error("{0}")]
    Random(#[from] RandomError),
    /// A fault of ours.
    #[error("The store failed: {0}. This is a bug; the server's log has more.")]
    Panicked(String),
    /// What is stored is damaged.
    #[error("The stored conversation cannot be read: {0}. Export the rest and start it anew.")]
    Damaged(#[from] serde_json::Error),
}

/// The database.
#[derive(Debug)]
pub struct Store {
    writer: Mutex<Connection>,
    reader: Mutex<Connection>,
    clock: Clock,
}

/// What a new conversation begins with.
#[derive(Clone, Debug)]
pub struct NewConversation {
    /// Its id.
    pub id: String,
    /// A title for people.
    pub name: Option<String>,
    /// `provider/name`.
    pub model: String,
    /// The directory that the agent works in.
    pub workspace: PathBuf,
    /// The conversation that it is a copy of.
    pub parent: Option<String>,
}

fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store {
    /// Opens the database, which is created if need be.
    ///
    /// # Errors
    /// If the file is no database, a newer one, or cannot be written.
    pub fn open(path: &Path, clock: Clock) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            let mut builder = std::fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(folder).map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
        }
        let mut writer = Connection::open(path)?;
        schema::prepare(&writer)?;
        schema::migrate(&mut writer)?;
        let reader = Connection::open(path)?;
        schema::prepare(&reader)?;
        reader.pragma_update(None, "query_only", true)?;
        Ok(Self { writer: Mutex::new(writer), reader: Mutex::new(reader), clock })
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
        lock(&self.writer)
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        lock(&self.reader)
    }

    /// The time in a form that sorts as text.
    fn now(&self) -> String {
        format!("{:.6}", self.clock.now())
    }

    /// Creates a conversation.
    ///
    /// # Errors
    /// A bad id, or one that is taken.
    pub fn create(&self, owner: &Owner, new: &NewConversation) -> Result<(), StoreError> {
        self.create_with(owner, new, &[])
    }

    /// Creates a conversation that holds these messages, all or nothing. They keep their ids and times.
    ///
    /// # Errors
    /// A bad id, or one that is taken.
    pub fn create_with(
        &self,
        owner: &Owner,
        new: &NewConversation,
        messages: &[Message],
    ) -> Result<(), StoreError> {
        check_id(&new.id).map_err(|error| StoreError::BadId(error.to_string()))?;
        let (now, session) = (self.now(), random_text(16)?);
        // One that brings its messages and is no fork has a life behind it: it is resumed, not started.
        let opened = i64::from(!messages.is_empty() && new.parent.is_none());
        let mut writer = self.writer();
        let change = writer.transaction()?;
        let workspace = new.workspace.to_string_lossy();
        let created = change.execute(
            "INSERT INTO conversations (owner, id, session, created, modified, name, model, workspace, parent, opened)
             VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING",
            params![owner.0, new.id, session, now, new.name, new.model, workspace, new.parent, opened],
        )?;
        if created == 0 {
            return Err(StoreError::Exists(new.id.clone()));
        }
        let key = change.last_insert_rowid();
        for message in messages {
            let mut message = message.clone();
            if message.timestamp.is_none() {
                message.timestamp = Some(self.clock.now());
            }
            conversation::insert(&change, key, &mut message)?;
        }
        change.commit()?;
        Ok(())
    }

    /// Deletes a conversation with all that belongs to it.
    ///
    /// # Errors
    /// If there is none.
    pub fn delete(&self, owner: &Owner, id: &str) -> Result<(), StoreError> {
        let gone = self
            .writer()
            .execute("DELETE FROM conversations WHERE owner = ?1 AND id = ?2", [&owner.0, id])?;
        if gone == 0 { Err(StoreError::NotFound(id.to_owned())) } else { Ok(()) }
    }

    /// The conversation's session id.
    ///
    /// # Errors
    /// If there is no such conversation.
    pub fn session(&self, owner: &Owner, id: &str) -> Result<String, StoreError> {
        self.one("SELECT session FROM conversations WHERE owner = ?1 AND id = ?2", owner, id)
    }

    /// The conversation that a session id belongs to.
    ///
    /// # Errors
    /// If this owner has none of that session.
    pub fn by_session(&self, owner: &Owner, session: &str) -> Result<String, StoreError> {
        self.one("SELECT id FROM conversations WHERE owner = ?1 AND session = ?2", owner, session)
    }

    fn one(&self, query: &str, owner: &Owner, id: &str) -> Result<String, StoreError> {
        let reader = self.reader();
        let mut statement = reader.prepare_cached(query)?;
        let found = statement.query_row([&owner.0, id], |row| row.get(0)).optional()?;
        found.ok_or_else(|| StoreError::NotFound(id.to_owned()))
    }

    fn key(connection: &Connection, owner: &Owner, id: &str) -> Result<i64, StoreError> {
        connection
            .query_row("SELECT key FROM conversations WHERE owner = ?1 AND id = ?2", [&owner.0, id], |row| {
                row.get(0)
            })
            .optional()?
            .ok_or_else(|| StoreError::NotFound(id.to_owned()))
    }
}

#[cfg(test)]
mod tests;
