//! What is remembered across sessions: one SQLite file for all of a user's projects.
//!
//! Each session has a connection of its own; processes and sessions meet in the file, in write-ahead mode, and wait
//! for each other at most five seconds. Every change is one transaction, so that a kill leaves it done or not begun.
//! The queries stand beside what they are for: `errors`, `skills`, `metrics` and so on each extend [`Store`].

mod earlier;
mod projects;
mod schema;
mod trouble;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec::Session;
use hookspec::session::{StateDir, StateGuard};
use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use serde::{Deserialize, Serialize};

use crate::settings::Settings;

pub use projects::Scope;
#[cfg(feature = "commands")]
pub(crate) use projects::folder;
pub(crate) use projects::{project, whose};
pub use trouble::{StoreError, Trouble};

/// The database.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    path: PathBuf,
}

/// How long one waits for another who writes.
const PATIENCE: Duration = Duration::from_secs(5);

impl Store {
    /// Opens the database, which is made if need be.
    ///
    /// # Errors
    /// If the file is no database, another program's, a newer one, or cannot be written.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_within(path, PATIENCE).map_err(|error| error.at(path))
    }

    fn open_within(path: &Path, patience: Duration) -> Result<Self, StoreError> {
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
        schema::prepare(&connection, patience)?;
        schema::migrate(&mut connection)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// A change that takes the write lock at once, so that it never has to be begun again.
    pub(crate) fn change(&mut self) -> Result<Transaction<'_>, StoreError> {
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }
}

/// A session's connection. It is a state, since a session's memory is the place for what belongs to a session; what
/// is saved of it is which troubles the user was told of.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Desk {
    #[serde(skip)]
    store: Option<Store>,
    told: BTreeSet<Trouble>,
    /// Who was kept waiting once does not wait again at each further call, until a change has gone through.
    #[serde(skip)]
    hurried: bool,
}

impl Desk {
    /// The session's connection, opened on first use.
    ///
    /// # Errors
    /// As for [`Store::open`], and where there is no place for a database.
    pub fn open(&mut self, session: &Session) -> Result<&mut Store, StoreError> {
        let patience = if self.hurried { Duration::ZERO } else { PATIENCE };
        let store = match self.store.take() {
            Some(store) => {
                store.connection.busy_timeout(patience)?;
                store
            }
            None => {
                let path = place(session)?;
                let opened = Store::open_within(&path, patience).and_then(|mut store| {
                    store.redact_earlier(session)?;
                    Ok(store)
                });
                opened.map_err(|error| error.at(&path))?
            }
        };
        Ok(self.store.insert(store))
    }

    fn run<T>(
        &mut self,
        session: &Session,
        work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = self.open(session).and_then(|store| {
            let before = store.connection.total_changes();
            let done = work(store).map_err(|error| error.at(&store.path))?;
            Ok((done, store.connection.total_changes() > before))
        });
        match &done {
            Ok((_, true)) => self.hurried = false,
            Err(StoreError::Locked { .. }) => self.hurried = true,
            // What was put in the place of a damaged file is found when it is opened anew.
            Err(StoreError::Damaged { .. }) => self.store = None,
            Ok((_, false)) | Err(_) => {}
        }
        done.map(|(done, _)| done)
    }
}

/// Runs `work` with the session's connection, for somebody who waits for what comes of it. Not for code that awaits.
pub(crate) fn with<T>(
    session: &Session,
    work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut desk: StateGuard<'_, Desk> = session.state_now()?;
    desk.run(session, work)
}

/// The same for hooks along the way: what is wrong with the database is told once a session, to the user and as the hook's
/// failure. After that, what the same trouble keeps from being kept is not, without another word.
pub(crate) fn keep<T: Default>(
    session: &Session,
    work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut desk: StateGuard<'_, Desk> = session.state_now()?;
    desk.run(session, work).or_else(|error| {
        let Some(trouble) = error.trouble() else { return Err(error) };
        if !desk.told.insert(trouble) {
            tracing::debug!(session = session.id(), %error, "nothing is kept");
            return Ok(T::default());
        }
        drop(desk);
        session.notice(&format!("session-buddy keeps nothing for now. {error}"));
        Err(error)
    })
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

/// A text as it is kept: without secrets, as far as this program's redactors know them. Everything that comes from a conversation, a
/// tool or a file goes through here before it goes into the database, errors too, which no redactor of results has seen.
pub(crate) fn kept(session: &Session, text: &str) -> String {
    session.redacted(text).into_owned()
}

/// At most so many characters, at the end with a mark where more were there.
pub(crate) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
