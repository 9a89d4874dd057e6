//! What is remembered across sessions: one SQLite file for all of a user's projects.
//!
//! Each session has a connection of its own; processes and sessions meet in the file, in write-ahead mode, and wait
//! for each other at most five seconds. Every change is one transaction, so that a kill leaves it done or not begun.
//! The queries stand beside what they are for: `errors`, `skills`, `metrics` and so on each extend [`Store`].

mod schema;

use std::path::{Path, PathBuf};

use hookspec::Session;
use hookspec::session::{StateDir, StateGuard};
use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// The database does not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// SQLite.
    #[error(
        "The database of session-buddy refused: {0}. Check that its disk has room and its folder may be written to."
    )]
    Database(#[from] rusqlite::Error),
    /// The file belongs to a later program.
    #[error(
        "The database of session-buddy has version {found}, and this program knows versions up to {known}: use a newer one."
    )]
    Newer {
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Its folder cannot be made.
    #[error(
        "The folder of the database {path} cannot be used: {source}. Name another as `database` in [hooks.buddy]."
    )]
    Folder {
        /// The database's file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Nobody says where it is.
    #[error(
        "This host lends no folder for what hooks keep: give `database` in [hooks.buddy] as an absolute path."
    )]
    NoPlace,
    /// What is stored is damaged.
    #[error("A row of session-buddy's database cannot be read: {0}. Move the file away to begin a new one.")]
    Damaged(#[from] serde_json::Error),
    /// A limit that is none.
    #[error("The limit is {0}: ask for 1 to 100 results.")]
    Limit(usize),
    /// Another hook holds the connection.
    #[error(transparent)]
    Busy(#[from] hookspec::session::StateError),
}

/// The database.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
}

impl Store {
    /// Opens the database, which is made if need be.
    ///
    /// # Errors
    /// If the file is no database, a newer one, or cannot be written.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let told = |source| StoreError::Folder { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(told)?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600); // what the agent did is nobody else's business
        }
        options.open(path).map_err(told)?;
        let mut connection = Connection::open(path)?;
        schema::prepare(&connection)?;
        schema::migrate(&mut connection)?;
        Ok(Self { connection })
    }

    /// A change that takes the write lock at once, so that it never has to be begun again.
    pub(crate) fn change(&mut self) -> Result<Transaction<'_>, StoreError> {
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }
}

/// A session's connection. It is a state, since a session's memory is the place for what belongs to a session; what
/// is saved of it is nothing.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Desk {
    #[serde(skip)]
    store: Option<Store>,
}

impl Desk {
    /// The session's connection, opened on first use.
    ///
    /// # Errors
    /// As for [`Store::open`], and where there is no place for a database.
    pub fn open(&mut self, session: &Session) -> Result<&mut Store, StoreError> {
        if self.store.is_none() {
            self.store = Some(Store::open(&place(session)?)?);
        }
        self.store.as_mut().ok_or(StoreError::NoPlace)
    }
}

/// Runs `work` with the session's connection. Not for code that awaits.
pub(crate) fn with<T>(
    session: &Session,
    work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut desk: StateGuard<'_, Desk> = session.state_now()?;
    work(desk.open(session)?)
}

/// Where a session's database is.
///
/// # Errors
/// If the path is relative and the host lends no folder.
pub fn place(session: &Session) -> Result<PathBuf, StoreError> {
    let settings = session.settings::<Settings>();
    let path = Path::new(&settings.database);
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    session.extension::<StateDir>().map(|state| state.resolve(path)).ok_or(StoreError::NoPlace)
}

/// A time as it is stored.
pub(crate) fn millis(time: Timestamp) -> i64 {
    time.as_millisecond()
}

/// A stored time.
pub(crate) fn time(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The project of a session: its workspace, as text.
pub(crate) fn project(session: &Session) -> String {
    session.workspace().map(|path| path.display().to_string()).unwrap_or_default()
}

/// At most so many characters, at the end with a mark where more were there.
pub(crate) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
