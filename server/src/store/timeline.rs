//! Timelines: what fired when, for the waterfall.

use hookspec::timeline::TimelineEntry;
use rusqlite::params;

use super::{Kept, Owner, Store, StoreError};

/// How many entries of a conversation are kept; older ones go first.
const MOST: i64 = 20_000;

impl Kept {
    /// Adds entries, in one commit.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn add_timeline(&self, entries: &[TimelineEntry]) -> Result<(), StoreError> {
        let mut writer = self.store().writer();
        let change = writer.transaction()?;
        {
            let mut insert =
                change.prepare_cached("INSERT INTO timeline (conversation, entry) VALUES (?1, ?2)")?;
            for entry in entries {
                insert.execute(params![self.key(), serde_json::to_string(entry)?])?;
            }
            change
                .prepare_cached(
                    "DELETE FROM timeline WHERE conversation = ?1 AND seq <= (
                        SELECT seq FROM timeline WHERE conversation = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)",
                )?
                .execute(params![self.key(), MOST])?;
        }
        change.commit()?;
        Ok(())
    }
}

impl Store {
    /// Entries after the number `after`, oldest first, at most `limit`, each with its number.
    ///
    /// # Errors
    /// If there is no such conversation.
    pub fn timeline(
        &self,
        owner: &Owner,
        id: &str,
        after: i64,
        limit: usize,
    ) -> Result<Vec<(i64, TimelineEntry)>, StoreError> {
        let reader = self.reader();
        let key = Self::key(&reader, owner, id)?;
        let mut statement = reader.prepare_cached(
            "SELECT seq, entry FROM timeline WHERE conversation = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement
            .query_map(params![key, after, limit], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        rows.map(|row| {
            let (seq, entry) = row?;
            Ok((seq, serde_json::from_str(&entry)?))
        })
        .collect()
    }
}
