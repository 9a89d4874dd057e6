//! Whose change it is: which files this session's tools changed, and which of them somebody else had changed as well.
//!
//! A checkpoint commits the former and names the latter. Before a tool writes a file, git says whether it differs from what is
//! committed; then it is the user's unfinished work, and stays so until it is committed. At the end of a turn a digest of each
//! changed file is kept: one that is another at the checkpoint was changed by somebody else in between.

use std::io;
use std::path::{Path, PathBuf};

use hookspec::points::{FILE_POST_PATCH, FILE_POST_SAVE, FILE_PRE_PATCH, FILE_PRE_SAVE, TURN_POST};
use hookspec::{Session, hook};
use rusqlite::{OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::git::Git;
use crate::ordering::rank;
use crate::settings::{Commits, Settings};
use crate::store::{self, Store, StoreError};

/// Whose a file's uncommitted change is, as the database has it.
const OURS: i64 = 0;
const MIXED: i64 = 1;
/// A tool was about to write it; whether it did is not known yet.
const THEIRS: i64 = 2;

/// A file with changes of this session's tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) path: PathBuf,
    /// Why it is not for us to commit, if it is not.
    pub(crate) why_not: Option<&'static str>,
}

/// Looks at a file before it is written. It has no opinion on the write.
#[hook(FILE_PRE_SAVE, name = "buddy.look_before_save", priority = rank(10, 0), blocking, timeout = "30s", fail_open)]
fn before_save(path: &Path, session: &Session, settings: &Settings) -> Result<(), StoreError> {
    look(path, session, settings)
}

/// Looks at a file before it is changed.
#[hook(FILE_PRE_PATCH, name = "buddy.look_before_patch", priority = rank(10, 0), blocking, timeout = "30s", fail_open)]
fn before_patch(path: &Path, session: &Session, settings: &Settings) -> Result<(), StoreError> {
    look(path, session, settings)
}

/// Notes that a file was written.
#[hook(FILE_POST_SAVE, name = "buddy.note_change_by_save", priority = rank(10, 1))]
fn after_save(path: &Path, session: &Session) -> Result<(), StoreError> {
    if !may_be_named(path, session) {
        return Ok(());
    }
    store::keep(session, |store| store.note_change(session.id(), path))
}

/// Notes that a file was changed.
#[hook(FILE_POST_PATCH, name = "buddy.note_change_by_patch", priority = rank(10, 1))]
fn after_patch(path: &Path, session: &Session) -> Result<(), StoreError> {
    if !may_be_named(path, session) {
        return Ok(());
    }
    store::keep(session, |store| store.note_change(session.id(), path))
}

/// Keeps what the changed files are when the turn rests: from now on it is others who change them.
#[hook(TURN_POST, name = "buddy.keep_digests", priority = rank(900, 0), blocking, timeout = "30s")]
fn keep_digests(session: &Session) -> Result<(), StoreError> {
    let ours = store::keep(session, |store| store.changed_by(session.id(), OURS))?;
    let digests: Vec<_> = ours.into_iter().map(|(path, _)| (digest(&path), path)).collect();
    store::keep(session, |store| {
        let change = store.change()?;
        for (digest, path) in &digests {
            change.execute(
                "UPDATE changes SET digest = ?3 WHERE session = ?1 AND path = ?2",
                params![session.id(), path.to_str(), digest],
            )?;
        }
        Ok(change.commit()?)
    })
}

fn look(path: &Path, session: &Session, settings: &Settings) -> Result<(), StoreError> {
    if settings.commits == Commits::No || !may_be_named(path, session) {
        return Ok(());
    }
    let Some(git) = session.workspace().and_then(Git::at) else { return Ok(()) };
    // Where git cannot say, it may be somebody's work.
    let differs = git.differs(path).unwrap_or(true);
    store::keep(session, |store| store.note_before(session.id(), path, differs))
}

/// Whether a file's name may be kept as it is: one with a secret in it is in no commit of ours, and not in the database.
fn may_be_named(path: &Path, session: &Session) -> bool {
    path.to_str().is_some_and(|name| store::kept(session, name) == name)
}

/// What a file holds, or where a link leads; nothing where there is no file.
fn digest(path: &Path) -> String {
    let content = match path.symlink_metadata() {
        Ok(data) if data.is_symlink() => {
            std::fs::read_link(path).map(|to| to.into_os_string().into_encoded_bytes())
        }
        Ok(data) if data.is_file() => std::fs::read(path),
        Ok(_) => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    let content = content.unwrap_or_else(|error: io::Error| error.kind().to_string().into_bytes());
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Store {
    /// What the session's tools changed and nobody committed, by path. Of one that was never started, as that of a command is, what
    /// those of all sessions did.
    ///
    /// # Errors
    /// As the database's.
    pub(crate) fn changes_of(&self, session: &str) -> Result<Vec<Changed>, StoreError> {
        let since = |path: &Path, kept: Option<String>| {
            kept.filter(|kept| *kept != digest(path)).map(|_| "it was changed by somebody else since")
        };
        let ours = self
            .changed_by(session, OURS)?
            .into_iter()
            .map(|(path, kept)| Changed { why_not: since(&path, kept), path });
        let mixed = self
            .changed_by(session, MIXED)?
            .into_iter()
            .map(|(path, _)| Changed { why_not: Some("it was changed before the agent changed it"), path });
        let mut all: Vec<Changed> = ours.chain(mixed).collect();
        // Of a file in two sessions, what one objects to.
        all.sort_by(|a, b| a.path.cmp(&b.path).then(b.why_not.cmp(&a.why_not)));
        all.dedup_by(|next, held| next.path == held.path);
        Ok(all)
    }

    fn changed_by(&self, session: &str, whose: i64) -> Result<Vec<(PathBuf, Option<String>)>, StoreError> {
        let mut query = self.connection.prepare_cached(
            "SELECT path, digest FROM changes WHERE whose = ?2 \
                 AND (session = ?1 OR NOT EXISTS (SELECT 1 FROM sessions WHERE id = ?1))",
        )?;
        let row = |row: &rusqlite::Row<'_>| Ok((PathBuf::from(row.get::<_, String>(0)?), row.get(1)?));
        Ok(query.query_map(params![session, whose], row)?.collect::<Result<_, _>>()?)
    }

    /// Before a tool writes a file that differs from what is committed, or does not.
    fn note_before(&mut self, session: &str, path: &Path, differs: bool) -> Result<(), StoreError> {
        // A name that is no text is in no commit of ours.
        let Some(name) = path.to_str() else { return Ok(()) };
        let query = "SELECT whose, digest FROM changes WHERE session = ?1 AND path = ?2";
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?));
        let held = self.connection.query_row(query, params![session, name], row).optional()?;
        let whose = match held {
            _ if !differs => None,
            None => Some(THEIRS),
            Some((OURS, Some(kept))) if kept != digest(path) => Some(MIXED),
            Some((whose, _)) => Some(whose),
        };
        match whose {
            None => self
                .connection
                .execute("DELETE FROM changes WHERE session = ?1 AND path = ?2", params![session, name])?,
            Some(whose) => self.connection.execute(
                "INSERT INTO changes (session, path, whose) VALUES (?1, ?2, ?3) \
                 ON CONFLICT DO UPDATE SET whose = excluded.whose",
                params![session, name, whose],
            )?,
        };
        Ok(())
    }

    /// After a tool wrote a file.
    fn note_change(&mut self, session: &str, path: &Path) -> Result<(), StoreError> {
        let Some(name) = path.to_str() else { return Ok(()) };
        self.connection.execute(
            "INSERT INTO changes (session, path, whose) VALUES (?1, ?2, ?3) \
             ON CONFLICT DO UPDATE SET whose = CASE whose WHEN ?4 THEN ?5 ELSE whose END, digest = NULL",
            params![session, name, OURS, THEIRS, MIXED],
        )?;
        Ok(())
    }

    /// After files were committed.
    pub(crate) fn note_committed(&mut self, paths: &[PathBuf]) -> Result<(), StoreError> {
        let change = self.change()?;
        for path in paths {
            change.execute("DELETE FROM changes WHERE path = ?1", [path.to_str()])?;
        }
        Ok(change.commit()?)
    }
}
