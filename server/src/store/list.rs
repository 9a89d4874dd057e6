//! Lists of conversations.

use rusqlite::{OptionalExtension, Row as SqlRow, params};

use super::{Owner, Store, StoreError};

/// One conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: String,
    /// A title for people.
    pub name: Option<String>,
    /// When it was created, ISO 8601.
    pub created: String,
    /// When a message was last added, ISO 8601.
    pub modified: String,
    /// The model.
    pub model: String,
    /// The directory that the agent works in.
    pub workspace: String,
    /// The conversation that it is a copy of.
    pub parent: Option<String>,
    /// How many messages it has.
    pub messages: u64,
    /// The beginning of what the user or the model said last.
    pub preview: String,
}

/// A part of a list, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The conversations.
    pub rows: Vec<Row>,
    /// Where the next part begins, if there is one.
    pub next: Option<String>,
}

const COLUMNS: &str = "id, name, created, modified, model, workspace, parent, messages, preview";

fn row(row: &SqlRow<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        id: row.get(0)?,
        name: row.get(1)?,
        created: row.get(2)?,
        modified: row.get(3)?,
        model: row.get(4)?,
        workspace: row.get(5)?,
        parent: row.get(6)?,
        messages: u64::try_from(row.get::<_, i64>(7)?).unwrap_or_default(),
        preview: row.get(8)?,
    })
}

/// Makes a text match itself in `LIKE … ESCAPE '\'`.
fn literal(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

impl Store {
    /// The conversations of an owner whose id, title or last words contain `search`, at most `limit`, from `cursor` on.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn list(
        &self,
        owner: &Owner,
        search: &str,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page, StoreError> {
        // A cursor is `<modified>/<id>` of the last row that was given.
        let (before, before_id) =
            cursor.and_then(|cursor| cursor.split_once('/')).unwrap_or(("\u{10FFFF}", ""));
        let reader = self.reader();
        let mut statement = reader.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM conversations
             WHERE owner = ?1 AND (modified, id) < (?2, ?3)
               AND (?4 = '' OR id LIKE ?4 ESCAPE '\\' OR name LIKE ?4 ESCAPE '\\' OR preview LIKE ?4 ESCAPE '\\')
             ORDER BY modified DESC, id DESC LIMIT ?5"
        ))?;
        let pattern = if search.is_empty() { String::new() } else { format!("%{}%", literal(search)) };
        let wanted = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let rows = statement.query_map(params![owner.0, before, before_id, pattern, wanted], row)?;
        let mut rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|row| format!("{}/{}", row.modified, row.id));
        Ok(Page { rows, next })
    }

    /// One conversation's row.
    ///
    /// # Errors
    /// If there is none.
    pub fn row(&self, owner: &Owner, id: &str) -> Result<Row, StoreError> {
        let reader = self.reader();
        let mut statement = reader
            .prepare_cached(&format!("SELECT {COLUMNS} FROM conversations WHERE owner = ?1 AND id = ?2"))?;
        let found = statement.query_row([&owner.0, id], row).optional()?;
        found.ok_or_else(|| StoreError::NotFound(id.to_owned()))
    }
}
