//! The database's shape, and how an older one is brought to it.

use rusqlite::Connection;

use super::StoreError;

/// Each entry brings a database from its index to the next number. Only ever added to.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE conversations (
        -- Never given again, so that what outlives a deleted conversation cannot write into another.
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        id TEXT NOT NULL,
        -- What a client shows to act on it; random, so that it cannot be guessed from the id.
        session TEXT NOT NULL UNIQUE,
        created TEXT NOT NULL,
        modified TEXT NOT NULL,
        name TEXT,
        model TEXT NOT NULL,
        workspace TEXT NOT NULL,
        parent TEXT,
        -- How often it was opened; 0 tells a new one from one that is resumed.
        opened INTEGER NOT NULL DEFAULT 0,
        -- The last number given to a message; never given twice.
        last_message INTEGER NOT NULL DEFAULT 0,
        messages INTEGER NOT NULL DEFAULT 0,
        preview TEXT NOT NULL DEFAULT '',
        -- Hooks' states and the hooks that are off, as JSON.
        state TEXT NOT NULL DEFAULT '{}',
        hooks_off TEXT NOT NULL DEFAULT '[]',
        UNIQUE (owner, id)
    ) STRICT;
    CREATE INDEX conversations_by_age ON conversations (owner, modified DESC, id);
    CREATE TABLE messages (
        conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        id TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (conversation, position),
        UNIQUE (conversation, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE branches (
        conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
        name TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (conversation, name)
    ) STRICT, WITHOUT ROWID;
    -- Messages that were acknowledged while a turn ran and are not in the log yet.
    CREATE TABLE inbox (
        conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
        id TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (conversation, id)
    ) STRICT;
    CREATE TABLE timeline (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
        entry TEXT NOT NULL
    ) STRICT;
    CREATE INDEX timeline_by_conversation ON timeline (conversation, seq);
"];

/// Brings the database up to date, one version a commit.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for (version, migration) in (1..=known).zip(MIGRATIONS).filter(|(version, _)| *version > found) {
        let change = connection.transaction()?;
        change.execute_batch(migration)?;
        change.pragma_update(None, "user_version", version)?;
        change.commit()?;
    }
    Ok(())
}

/// Settings of a connection: write-ahead log, each commit on disk before it is acknowledged.
pub(super) fn prepare(connection: &Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    Ok(())
}
