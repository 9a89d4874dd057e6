//! The database's shape, and how an older one is brought to it.

use rusqlite::{Connection, TransactionBehavior};

use super::StoreError;

/// Each entry brings a database from its index to the next number. Only ever added to.
///
/// Times are milliseconds since 1970, UTC.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        project TEXT NOT NULL,
        started INTEGER NOT NULL,
        ended INTEGER,
        -- The start's, in the user's zone: morning, afternoon, evening, night.
        time_of_day TEXT NOT NULL,
        -- The commit that was checked out at the start.
        head TEXT,
        commits INTEGER NOT NULL DEFAULT 0,
        checkpoints INTEGER NOT NULL DEFAULT 0,
        quality_start REAL,
        quality_end REAL,
        language TEXT
    ) STRICT;
    CREATE INDEX sessions_by_start ON sessions (started);
    CREATE TABLE session_tools (
        session TEXT NOT NULL, tool TEXT NOT NULL, calls INTEGER NOT NULL,
        PRIMARY KEY (session, tool)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE session_files (
        session TEXT NOT NULL, path TEXT NOT NULL, edits INTEGER NOT NULL,
        PRIMARY KEY (session, path)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE moments (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        at INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX moments_by_session ON moments (session, id);
    CREATE INDEX moments_by_time ON moments (at);
    CREATE TABLE errors (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        kind TEXT NOT NULL,
        message TEXT NOT NULL,
        masked TEXT NOT NULL,
        context TEXT NOT NULL,
        first INTEGER NOT NULL,
        -- When it was last seen while it was not fixed: what the time to its fix counts from.
        opened INTEGER NOT NULL,
        last INTEGER NOT NULL,
        times INTEGER NOT NULL DEFAULT 1,
        -- 32-bit floats, where the host lends something that embeds.
        embedding BLOB,
        UNIQUE (session, fingerprint)
    ) STRICT;
    CREATE INDEX errors_by_fingerprint ON errors (fingerprint);
    CREATE TABLE attempts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        error INTEGER NOT NULL REFERENCES errors (id),
        action TEXT NOT NULL,
        changes TEXT NOT NULL,
        successful INTEGER NOT NULL DEFAULT 0,
        at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX attempts_by_error ON attempts (error, id);
    CREATE TABLE chains (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        -- One error has one chain: a second success replaces the fix.
        error INTEGER NOT NULL UNIQUE REFERENCES errors (id),
        fix INTEGER NOT NULL REFERENCES attempts (id),
        minutes REAL NOT NULL,
        created INTEGER NOT NULL
    ) STRICT;
    -- The masked texts of errors that were fixed; rowid is the error.
    CREATE VIRTUAL TABLE fixed_texts USING fts5 (text, tokenize = \"unicode61 tokenchars '_'\");
    -- In how many of them each word is: fts5vocab would count by reading.
    CREATE TABLE fixed_words (word TEXT PRIMARY KEY, docs INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE checkpoints (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        project TEXT NOT NULL,
        at INTEGER NOT NULL,
        score INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX checkpoints_by_project ON checkpoints (project, id);
    CREATE TABLE instances (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        checkpoint INTEGER NOT NULL,
        kind TEXT NOT NULL,
        context TEXT NOT NULL,
        outcome TEXT NOT NULL,
        score INTEGER NOT NULL,
        at INTEGER NOT NULL,
        UNIQUE (checkpoint, kind)
    ) STRICT;
    CREATE INDEX instances_by_kind ON instances (kind);
    CREATE TABLE skills (
        kind TEXT PRIMARY KEY,
        uses INTEGER NOT NULL,
        successes INTEGER NOT NULL,
        sessions TEXT NOT NULL,
        tags TEXT NOT NULL,
        created INTEGER NOT NULL,
        last_used INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE reflections (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        project TEXT NOT NULL,
        at INTEGER NOT NULL,
        text TEXT NOT NULL
    ) STRICT;
    CREATE VIRTUAL TABLE reflection_texts USING fts5 (text, content = 'reflections', content_rowid = 'id', tokenize = 'porter unicode61');
    CREATE TRIGGER reflections_indexed AFTER INSERT ON reflections BEGIN
        INSERT INTO reflection_texts (rowid, text) VALUES (new.id, new.text);
    END;
"];

/// Brings the database up to date, one version a commit. Two processes may try at once: whoever is second finds it done.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    if version(connection)? == known {
        return Ok(());
    }
    for (version, migration) in (1..=known).zip(MIGRATIONS) {
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found = self::version(&change)?;
        if found > known {
            return Err(StoreError::Newer { found, known });
        }
        if found < version {
            change.execute_batch(migration)?;
            change.pragma_update(None, "user_version", version)?;
        }
        change.commit()?;
    }
    Ok(())
}

fn version(connection: &Connection) -> Result<u32, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Settings of a connection.
///
/// With the write-ahead log and `NORMAL`, what was committed survives a kill of the process; a loss of power may cost
/// the last commits, never the database. A sync for each tool call would cost more than that is worth here.
pub(super) fn prepare(connection: &Connection) -> Result<(), StoreError> {
    // First, so that the change to the write-ahead log waits for others too.
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(())
}
