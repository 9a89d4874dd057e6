//! Whose memory it is: what a project's sessions kept is told to that project's sessions, and to those that the user linked.
//!
//! A project is the folder that a session works in, through links. What was read in one may be secret in another, and may have been
//! written by somebody who wants to be heard there; so nothing goes across by itself.

use std::path::Path;

use hookspec::Session;
use rusqlite::params;

use super::{Store, StoreError};

/// Whose memory is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everybody's: for the user alone.
    All,
    /// A project's, and that of those it is linked to.
    Project(String),
}

impl Scope {
    /// A session's own.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Self::Project(project(session))
    }

    /// The condition that a column names a project in scope, with one parameter, [`Scope::parameter`].
    pub(crate) fn condition(column: &str, parameter: &str) -> String {
        format!(
            "({parameter} IS NULL OR {column} = {parameter}
              OR {column} IN (SELECT other FROM links WHERE project = {parameter}))"
        )
    }

    pub(crate) fn parameter(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::Project(project) => Some(project),
        }
    }
}

/// The project of a session: its workspace, as text.
pub(crate) fn project(session: &Session) -> String {
    session.workspace().map(name).unwrap_or_default()
}

/// A project in words, for a session of another or the same one.
pub(crate) fn whose(project: &str, here: &str) -> String {
    match project {
        _ if project == here => "this project".to_owned(),
        "" => "no project".to_owned(),
        other => format!("the linked project {other}"),
    }
}

fn name(folder: &Path) -> String {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    real.display().to_string()
}

/// The project that somebody names by its folder.
#[cfg(feature = "commands")]
pub(crate) fn folder(path: &Path) -> Result<String, StoreError> {
    let told = |source| StoreError::NoProject { path: path.to_owned(), source };
    let real = path.canonicalize().map_err(told)?;
    if !real.is_dir() {
        return Err(told(std::io::ErrorKind::NotADirectory.into()));
    }
    Ok(real.display().to_string())
}

impl Store {
    /// Lets a project be told what another one's sessions kept. Not the other way round.
    ///
    /// # Errors
    /// As the database's.
    pub fn link(&mut self, project: &str, other: &str) -> Result<(), StoreError> {
        self.connection.execute(
            "INSERT INTO links (project, other) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            [project, other],
        )?;
        Ok(())
    }

    /// Takes that back. Says whether there was such a link.
    ///
    /// # Errors
    /// As the database's.
    pub fn unlink(&mut self, project: &str, other: &str) -> Result<bool, StoreError> {
        let gone = self
            .connection
            .execute("DELETE FROM links WHERE project = ?1 AND other = ?2", params![project, other])?;
        Ok(gone > 0)
    }

    /// The projects that one is linked to, by name.
    ///
    /// # Errors
    /// As the database's.
    pub fn links(&self, project: &str) -> Result<Vec<String>, StoreError> {
        let mut query =
            self.connection.prepare_cached("SELECT other FROM links WHERE project = ?1 ORDER BY other")?;
        let rows = query.query_map([project], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
