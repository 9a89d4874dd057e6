//! What can be wrong with the database, each with its file and a way out.

use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};
use serde::{Deserialize, Serialize};

/// The database does not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// SQLite, before it is known which file it speaks of.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// What is stored in a row, before it is known which file it is in.
    #[error(transparent)]
    Row(#[from] serde_json::Error),
    /// The file is no database any more.
    #[error(
        "The database {path} is damaged ({why}). Move it away, with {path}-wal and {path}-shm if they are there, and a new one is begun; `sqlite3 {path} .recover` writes out what can be saved of it."
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        why: String,
    },
    /// No room.
    #[error(
        "There is no room left for the database {path} ({why}). Make room on its disk, or name a file on another one as `database` in [hooks.buddy]."
    )]
    Full {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        why: String,
    },
    /// Somebody else holds it.
    #[error(
        "The database {path} is locked by another process. Wait for it or end it (`fuser {path}` says which it is); what happens until then is not kept."
    )]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// It may be read and not written.
    #[error(
        "The database {path} cannot be written ({why}). Let yourself write to it and its folder, or name another file as `database` in [hooks.buddy]."
    )]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        why: String,
    },
    /// The file belongs to a later program.
    #[error(
        "The database {path} has version {found}, and this program knows versions up to {known}: use a newer program, or name another file as `database` in [hooks.buddy]."
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A database, but not one of session-buddy's.
    #[error(
        "{path} is the database of another program and was not touched: name another file as `database` in [hooks.buddy]."
    )]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// Something else.
    #[error(
        "The database {path} refused: {why}. Check its disk and folder, or name another file as `database` in [hooks.buddy]."
    )]
    Refused {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        why: String,
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
    /// A limit that is none.
    #[error("The limit is {0}: ask for 1 to 100 results.")]
    Limit(usize),
    /// A folder that is none.
    #[error("{path} cannot be linked: {source}. Name the folder of a project that is there.")]
    NoProject {
        /// What was named.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another hook holds the connection.
    #[error(transparent)]
    Busy(#[from] hookspec::session::StateError),
}

/// Kinds of trouble that stay until somebody does something: each is told once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// The file is damaged.
    Damaged,
    /// There is no room.
    Full,
    /// Somebody else holds it.
    Locked,
    /// It cannot be used where it is: not writable, no folder, no place, or another program's.
    Place,
    /// Something else.
    Refused,
}

impl StoreError {
    /// The same, of that file.
    #[must_use]
    pub(crate) fn at(self, path: &Path) -> Self {
        let owned = || path.to_owned();
        match self {
            Self::Sqlite(error) => of_sqlite(&error, owned()),
            Self::Row(error) => {
                Self::Damaged { path: owned(), why: format!("a row cannot be read: {error}") }
            }
            Self::Newer { found, known, .. } => Self::Newer { path: owned(), found, known },
            Self::NotOurs { .. } => Self::NotOurs { path: owned() },
            other => other,
        }
    }

    /// What kind of trouble it is; `None` for what passes by itself, or is the asker's own.
    #[must_use]
    pub fn trouble(&self) -> Option<Trouble> {
        Some(match self {
            Self::Damaged { .. } | Self::Row(_) => Trouble::Damaged,
            Self::Full { .. } => Trouble::Full,
            Self::Locked { .. } => Trouble::Locked,
            Self::NotWritable { .. }
            | Self::Newer { .. }
            | Self::NotOurs { .. }
            | Self::Folder { .. }
            | Self::NoPlace => Trouble::Place,
            Self::Sqlite(_) | Self::Refused { .. } => Trouble::Refused,
            Self::Limit(_) | Self::NoProject { .. } | Self::Busy(_) => return None,
        })
    }
}

fn of_sqlite(error: &rusqlite::Error, path: PathBuf) -> StoreError {
    let why = error.to_string();
    // The index of the write-ahead log finds no room: a kind of failure to read or write, for SQLite.
    if error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_SHMSIZE) {
        return StoreError::Full { path, why };
    }
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            // A table or a column that should be there, or a value of another type.
            | ErrorCode::Unknown
            | ErrorCode::TypeMismatch,
        ) => StoreError::Damaged { path, why },
        Some(ErrorCode::DiskFull) => StoreError::Full { path, why },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked { path },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::NotWritable { path, why }
        }
        None => match error {
            rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..) => StoreError::Damaged { path, why },
            _ => StoreError::Refused { path, why },
        },
        Some(_) => StoreError::Refused { path, why },
    }
}
