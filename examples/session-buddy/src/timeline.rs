//! What happened in a session, as typed moments in order: what patterns are looked for in.

use hookspec::{Role, Session};
use jiff::Timestamp;
use rusqlite::params;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::store::{Store, StoreError, millis};

/// Characters of a message or an edit that are kept.
pub(crate) const KEPT: usize = 2000;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Moment {
    /// Somebody said something.
    Message {
        /// Who.
        role: Role,
        /// How it begins.
        text: String,
    },
    /// A tool call ended.
    Call {
        /// The tool.
        tool: String,
        /// The command, or the call's main text, as it begins.
        text: String,
        /// Whether it did what it was asked.
        ok: bool,
    },
    /// A file was changed.
    Edit {
        /// The file, relative to the workspace where it lies in it.
        path: String,
        /// The lines that came in, as they begin.
        added: String,
        /// Whether the file is new.
        created: bool,
    },
    /// A checkpoint was asked for.
    Checkpoint {
        /// Its score.
        score: u8,
        /// Whether it was made.
        accepted: bool,
    },
}

impl Store {
    /// Adds a moment, and counts the tool or the file it is about.
    ///
    /// # Errors
    /// As the database's.
    pub fn record_moment(&mut self, session: &str, moment: &Moment, at: Timestamp) -> Result<(), StoreError> {
        let body = serde_json::to_string(moment)?;
        let change = self.change()?;
        change.execute(
            "INSERT INTO moments (session, at, body) VALUES (?1, ?2, ?3)",
            params![session, millis(at), body],
        )?;
        match moment {
            Moment::Call { tool, .. } => {
                change.execute(
                    "INSERT INTO session_tools VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE SET calls = calls + 1",
                    params![session, tool],
                )?;
            }
            Moment::Edit { path, .. } => {
                change.execute(
                    "INSERT INTO session_files VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE SET edits = edits + 1",
                    params![session, path],
                )?;
            }
            Moment::Message { .. } | Moment::Checkpoint { .. } => {}
        }
        change.commit()?;
        Ok(())
    }

    /// Forgets what happened before a time: messages, calls and edits, not what was counted or learned from them.
    ///
    /// # Errors
    /// As the database's.
    pub fn forget_before(&mut self, time: Timestamp) -> Result<usize, StoreError> {
        Ok(self.connection.execute("DELETE FROM moments WHERE at < ?1", [millis(time)])?)
    }

    /// What happened in a session since its last checkpoint that was made, in order.
    ///
    /// # Errors
    /// As the database's.
    pub fn history(&self, session: &str) -> Result<Vec<Moment>, StoreError> {
        let mut query =
            self.connection.prepare_cached("SELECT body FROM moments WHERE session = ?1 ORDER BY id")?;
        let mut rows = query.query([session])?;
        let mut history = Vec::new();
        while let Some(row) = rows.next()? {
            let moment = serde_json::from_str(row.get_ref(0)?.as_str().unwrap_or_default())?;
            if matches!(moment, Moment::Checkpoint { accepted: true, .. }) {
                history.clear();
            } else {
                history.push(moment);
            }
        }
        Ok(history)
    }
}

/// Adds a moment to a session's timeline.
pub(crate) fn record(session: &Session, moment: &Moment) -> Result<(), StoreError> {
    let at = session.clock().now();
    crate::store::with(session, |store| store.record_moment(session.id(), moment, at))
}
