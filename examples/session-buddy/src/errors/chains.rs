//! Errors, what was tried against them, and what fixed them: the tables.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};
use serde::Serialize;
use serde_json::Value;

use crate::store::{Store, StoreError, millis, time};

use super::fingerprint::{COUNTS, ends, fingerprint, kind, mask};

/// An error as it is told to the store.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The session.
    pub session: &'a str,
    /// What happened, as it was written.
    pub message: &'a str,
    /// Where it came from, and whatever else may help.
    pub context: &'a Value,
    /// When.
    pub at: Timestamp,
    /// Its embedding, where the host embeds.
    pub embedding: Option<&'a [f32]>,
}

/// An error as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorRow {
    /// Its number.
    pub id: i64,
    /// What kind it is, as far as the text shows.
    pub kind: String,
    /// Its text when it was first seen.
    pub message: String,
    /// Where it came from.
    pub context: Value,
    /// How often it was seen in its session.
    pub times: u32,
    /// When it was first seen.
    pub first: Timestamp,
}

/// Something that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attempt {
    /// Its number.
    pub id: i64,
    /// What was done.
    pub action: String,
    /// What changed, as a difference; empty for a command.
    pub changes: String,
    /// Whether it was the fix.
    pub successful: bool,
    /// When.
    pub at: Timestamp,
}

/// An error with its whole story.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chain {
    /// Its number.
    pub id: i64,
    /// The error.
    pub error: ErrorRow,
    /// Everything that was tried, in order.
    pub attempts: Vec<Attempt>,
    /// What fixed it.
    pub fix: Attempt,
    /// From the error to its fix.
    pub minutes: f64,
}

/// How errors of one kind go.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindRow {
    /// The kind.
    pub kind: String,
    /// How many there were.
    pub count: u32,
    /// The share of them that was fixed, 0 to 1.
    pub fixed: f64,
    /// The median of the minutes to the fix; `None` where none was fixed.
    pub median_minutes: Option<f64>,
    /// What fixed most of them.
    pub usual_fix: Option<String>,
}

impl Store {
    /// Records an error; the same one again in a session only counts. Gives its number, and how often it was seen.
    /// A text without words is nothing, and nothing is recorded.
    ///
    /// # Errors
    /// As the database's.
    pub fn record_error(&mut self, seen: Seen<'_>) -> Result<Option<(i64, u32)>, StoreError> {
        let masked = mask(seen.message);
        if masked.is_empty() {
            return Ok(None);
        }
        let embedding = seen.embedding.map(super::similar::bytes);
        let now = millis(seen.at);
        let row = self.connection.query_row(
            "INSERT INTO errors (session, fingerprint, kind, message, masked, context, first, opened, last, embedding)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7, ?8)
             ON CONFLICT (session, fingerprint) DO UPDATE SET times = times + 1, last = excluded.last
             RETURNING id, times",
            params![
                seen.session,
                fingerprint(&masked),
                kind(seen.message),
                ends(seen.message, COUNTS),
                masked,
                serde_json::to_string(seen.context)?,
                now,
                embedding
            ],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(Some(row))
    }

    /// Notes that an error which was fixed is back: the time to its next fix counts from now.
    pub(crate) fn reopen(&mut self, error: i64, at: Timestamp) -> Result<(), StoreError> {
        self.connection.execute("UPDATE errors SET opened = ?2 WHERE id = ?1", params![error, millis(at)])?;
        Ok(())
    }

    /// Records something that was tried against an error. An unknown error is logged, and nothing recorded.
    ///
    /// # Errors
    /// As the database's.
    pub fn record_attempt(
        &mut self,
        error: i64,
        action: &str,
        changes: &str,
        at: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let id = self
            .connection
            .query_row(
                "INSERT INTO attempts (error, action, changes, at)
                 SELECT id, ?2, ?3, ?4 FROM errors WHERE id = ?1 RETURNING id",
                params![error, action, changes, millis(at)],
                |row| row.get(0),
            )
            .optional()?;
        if id.is_none() {
            tracing::warn!(error, "an attempt for an error that is not recorded was not recorded either");
        }
        Ok(id)
    }

    /// Says that an attempt was the fix, which makes the chain or gives it another fix. Gives the chain's number;
    /// `None`, and a line in the log, where there is no such error or attempt.
    ///
    /// # Errors
    /// As the database's.
    pub fn resolve(&mut self, error: i64, attempt: i64) -> Result<Option<i64>, StoreError> {
        let change = self.change()?;
        let found: Option<(i64, i64, String)> = change
            .query_row(
                "SELECT attempts.at, errors.opened, errors.masked FROM attempts
                 JOIN errors ON errors.id = attempts.error WHERE attempts.id = ?2 AND errors.id = ?1",
                params![error, attempt],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .optional()?;
        let Some((at, opened, masked)) = found else {
            tracing::warn!(error, attempt, "no such attempt at this error is recorded, so there is no chain");
            return Ok(None);
        };
        let minutes = minutes(opened, at);
        change.execute(
            "UPDATE attempts SET successful = (id = ?2) WHERE error = ?1",
            params![error, attempt],
        )?;
        let id = change.query_row(
            "INSERT INTO chains (error, fix, minutes, created) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (error) DO UPDATE SET fix = excluded.fix, minutes = excluded.minutes RETURNING id",
            params![error, attempt, minutes, at],
            |row| row.get(0),
        )?;
        super::similar::index(&change, error, &masked)?;
        change.commit()?;
        Ok(Some(id))
    }

    /// A chain by its number.
    ///
    /// # Errors
    /// As the database's.
    pub fn chain(&self, id: i64) -> Result<Option<Chain>, StoreError> {
        let found: Option<(i64, i64, f64)> = self
            .connection
            .query_row("SELECT error, fix, minutes FROM chains WHERE id = ?1", [id], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let Some((error, fix, minutes)) = found else { return Ok(None) };
        let Some(error) = self.error(error)? else { return Ok(None) };
        let attempts = self.attempts(error.id)?;
        let Some(fix) = attempts.iter().find(|attempt| attempt.id == fix).cloned() else { return Ok(None) };
        Ok(Some(Chain { id, error, attempts, fix, minutes }))
    }

    /// An error by its number.
    ///
    /// # Errors
    /// As the database's.
    pub fn error(&self, id: i64) -> Result<Option<ErrorRow>, StoreError> {
        let row = self
            .connection
            .prepare_cached("SELECT kind, message, context, times, first FROM errors WHERE id = ?1")?
            .query_row([id], |row| {
                let context: String = row.get(2)?;
                Ok((row.get(0)?, row.get(1)?, context, row.get(3)?, row.get::<_, i64>(4)?))
            })
            .optional()?;
        let Some((kind, message, context, times, first)) = row else { return Ok(None) };
        let context = serde_json::from_str(&context)?;
        Ok(Some(ErrorRow { id, kind, message, context, times, first: time(first) }))
    }

    /// Everything that was tried against an error, in order.
    ///
    /// # Errors
    /// As the database's.
    pub fn attempts(&self, error: i64) -> Result<Vec<Attempt>, StoreError> {
        let mut query = self.connection.prepare_cached(
            "SELECT id, action, changes, successful, at FROM attempts WHERE error = ?1 ORDER BY at, id",
        )?;
        let rows = query.query_map([error], |row| {
            Ok(Attempt {
                id: row.get(0)?,
                action: row.get(1)?,
                changes: row.get(2)?,
                successful: row.get(3)?,
                at: time(row.get(4)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How errors go, kind by kind, the most frequent first.
    ///
    /// # Errors
    /// As the database's.
    pub fn kinds(&self) -> Result<Vec<KindRow>, StoreError> {
        #[derive(Default)]
        struct Group {
            count: u32,
            minutes: Vec<f64>,
            fixes: BTreeMap<String, u32>,
        }
        let mut query = self.connection.prepare(
            "SELECT errors.kind, chains.minutes, attempts.action FROM errors
             LEFT JOIN chains ON chains.error = errors.id LEFT JOIN attempts ON attempts.id = chains.fix",
        )?;
        let mut rows = query.query([])?;
        let mut groups = BTreeMap::<String, Group>::new();
        while let Some(row) = rows.next()? {
            let group = groups.entry(row.get(0)?).or_default();
            group.count += 1;
            if let (Some(minutes), Some(action)) = (row.get(1)?, row.get::<_, Option<String>>(2)?) {
                group.minutes.push(minutes);
                *group.fixes.entry(action).or_default() += 1;
            }
        }
        let mut kinds: Vec<KindRow> = groups
            .into_iter()
            .map(|(kind, mut group)| KindRow {
                kind,
                count: group.count,
                fixed: group.minutes.len() as f64 / f64::from(group.count),
                median_minutes: median(&mut group.minutes),
                usual_fix: crate::metrics::most(&group.fixes),
            })
            .collect();
        kinds.sort_by(|one, two| two.count.cmp(&one.count).then_with(|| one.kind.cmp(&two.kind)));
        Ok(kinds)
    }
}

/// Minutes between two stored times; a clock that went back counts as no time.
fn minutes(from: i64, to: i64) -> f64 {
    (to - from).max(0) as f64 / 60_000.0
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len() % 2 == 1 { upper } else { (values[middle - 1] + upper) / 2.0 })
}
