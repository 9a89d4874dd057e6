//! What earlier programs kept without redacting it is redacted once, by the first session that can.

use hookspec::Session;
use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use super::{Store, StoreError, kept};

/// Columns with text of a conversation, a tool or a file.
const TEXTS: [(&str, &str); 7] = [
    ("errors", "message"),
    ("errors", "masked"),
    ("attempts", "action"),
    ("attempts", "changes"),
    ("instances", "context"),
    ("reflections", "text"),
    ("fixed_texts", "text"),
];
/// Columns with such text in JSON.
const JSON: [(&str, &str); 3] = [("moments", "body"), ("checkpoints", "body"), ("errors", "context")];

impl Store {
    /// Redacts what is there, if that was not done, and lets nothing of the old text stay in the file.
    pub(super) fn redact_earlier(&mut self, session: &Session) -> Result<(), StoreError> {
        let waits: Option<String> = self
            .connection
            .query_row("SELECT name FROM chores WHERE name = 'redact'", [], |row| row.get(0))
            .optional()?;
        if waits.is_none() || !session.redacts() {
            return Ok(());
        }
        let change = self.change()?;
        let mut changed = 0;
        for (table, column) in TEXTS {
            changed += rewrite(&change, table, column, |text| Ok(kept(session, text)))?;
        }
        for (table, column) in JSON {
            changed += rewrite(&change, table, column, |text| {
                let mut value: Value = serde_json::from_str(text)?;
                session.redact(&mut value);
                Ok(value.to_string())
            })?;
        }
        if changed > 0 {
            change.execute_batch(
                "INSERT INTO reflection_texts (reflection_texts) VALUES ('rebuild');
                 INSERT INTO fixed_texts (fixed_texts) VALUES ('optimize');
                 DELETE FROM fixed_words;",
            )?;
            crate::errors::count_words(&change)?;
        }
        change.execute("DELETE FROM chores WHERE name = 'redact'", [])?;
        change.commit()?;
        if changed > 0 {
            // The pages that held the old text, in the file and in its log.
            self.connection.execute_batch("VACUUM")?;
            let _: i64 =
                self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        }
        Ok(())
    }
}

/// Rewrites a column's texts; a value that cannot be read as JSON is emptied. Gives how many have changed.
fn rewrite(
    change: &rusqlite::Transaction<'_>,
    table: &str,
    column: &str,
    redacted: impl Fn(&str) -> Result<String, StoreError>,
) -> Result<usize, StoreError> {
    let mut query = change.prepare(&format!("SELECT rowid, {column} FROM {table}"))?;
    let rows = query.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    let mut update = change.prepare(&format!("UPDATE {table} SET {column} = ?2 WHERE rowid = ?1"))?;
    let mut changed = 0;
    for (id, text) in rows {
        let now = redacted(&text).unwrap_or_else(|_| "{}".to_owned());
        if now != text {
            update.execute(params![id, now])?;
            changed += 1;
        }
    }
    Ok(changed)
}
