//! Skills: patterns that good checkpoints have shown often enough.
//!
//! A checkpoint above 85 (settable) leaves an instance of each pattern in its timeline. Three instances of a pattern with
//! scores above 80 and a mean of 85 make a skill. A skill is known by its pattern, so there is one of each; every later
//! checkpoint whose timeline shows the pattern is a use, and a success if its score teaches. Its rate is successes ÷ uses.

use std::collections::BTreeSet;

use hookspec::{Session, hook};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use crate::checkpoint::Checkpoint;
use crate::ordering::rank;
use crate::patterns::{self, Kind, Match};
use crate::points::POST_CHECKPOINT;
use crate::settings::Settings;
use crate::store::{self, Store, StoreError, millis, time};
use crate::timeline::Moment;

/// Instances with a lower score do not count.
const COUNTS_ABOVE: u8 = 80;
/// So many instances make a skill.
const NEEDED: usize = 3;
/// Their scores' mean.
const MEAN: f64 = 85.0;
/// Skills that succeed less often are not suggested.
const RATE: f64 = 0.8;
/// Skills that fit less are not suggested.
const RELEVANCE: f64 = 0.7;

/// A skill.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Skill {
    /// The pattern.
    pub kind: Kind,
    /// What it is.
    pub description: String,
    /// What to do.
    pub actions: Vec<String>,
    /// Checkpoints that showed it.
    pub uses: u32,
    /// Those of them that were good.
    pub successes: u32,
    /// Successes ÷ uses.
    pub rate: f64,
    /// The sessions that it was learned from.
    pub sessions: Vec<String>,
    /// What it is good for.
    pub tags: Vec<String>,
    /// When it was learned.
    pub created: Timestamp,
    /// When it was last used.
    pub last_used: Timestamp,
}

/// Learns from a checkpoint. What fails here never fails the checkpoint.
#[hook(POST_CHECKPOINT, name = "buddy.learn", priority = rank(200, 0))]
fn learn(
    checkpoint: &Checkpoint,
    history: &[Moment],
    session: &Session,
    settings: &Settings,
) -> Result<(), StoreError> {
    let found = patterns::find(history);
    let teaches = checkpoint.score > settings.learn_above;
    store::with(session, |store| store.learn(checkpoint, &found, teaches))
}

/// Whether scores make a skill: those that count are three, and good in the mean.
#[must_use]
pub fn consolidates(scores: &[u8]) -> bool {
    let counting: Vec<f64> =
        scores.iter().filter(|score| **score > COUNTS_ABOVE).map(|score| f64::from(*score)).collect();
    counting.len() >= NEEDED && counting.iter().sum::<f64>() / counting.len() as f64 >= MEAN
}

/// How much two sets of tags have in common: what is in both ÷ what is in either; 0.5 where one is empty.
#[must_use]
pub fn relevance(one: &[String], two: &[String]) -> f64 {
    if one.is_empty() || two.is_empty() {
        return 0.5;
    }
    let (one, two): (BTreeSet<_>, BTreeSet<_>) = (one.iter().collect(), two.iter().collect());
    one.intersection(&two).count() as f64 / one.union(&two).count() as f64
}

/// The skills that fit a context, those that succeed most first.
#[must_use]
pub fn suggested(skills: Vec<Skill>, context: &[String]) -> Vec<Skill> {
    let mut fitting: Vec<Skill> = skills
        .into_iter()
        .filter(|skill| skill.rate >= RATE && relevance(&skill.tags, context) > RELEVANCE)
        .collect();
    fitting.sort_by(|one, two| two.rate.total_cmp(&one.rate).then(one.kind.cmp(&two.kind)));
    fitting
}

impl Store {
    /// Counts uses, keeps instances and makes skills, for one checkpoint. One that was counted already is not again.
    ///
    /// # Errors
    /// As the database's.
    pub fn learn(
        &mut self,
        checkpoint: &Checkpoint,
        found: &[Match],
        teaches: bool,
    ) -> Result<(), StoreError> {
        let at = millis(checkpoint.at);
        let change = self.change()?;
        for Match { kind, context } in found {
            let kind = kind.name();
            if teaches {
                let outcome = format!("quality {}", checkpoint.score);
                let new = change.execute(
                    "INSERT INTO instances (session, checkpoint, kind, context, outcome, score, at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
                    params![checkpoint.session, checkpoint.id, kind, context, outcome, checkpoint.score, at],
                )?;
                if new == 0 {
                    continue;
                }
            }
            let known = change.execute(
                "UPDATE skills SET uses = uses + 1, successes = successes + ?2, last_used = ?3 WHERE kind = ?1",
                params![kind, teaches, at],
            )?;
            if teaches {
                consolidate(&change, kind, known > 0, at)?;
            }
        }
        change.commit()?;
        Ok(())
    }

    /// All skills, those that succeed most first.
    ///
    /// # Errors
    /// As the database's.
    pub fn skills(&self) -> Result<Vec<Skill>, StoreError> {
        let mut query = self.connection.prepare(
            "SELECT kind, uses, successes, sessions, tags, created, last_used FROM skills
             ORDER BY CAST(successes AS REAL) / uses DESC, kind",
        )?;
        let mut rows = query.query([])?;
        let mut skills = Vec::new();
        while let Some(row) = rows.next()? {
            let name: String = row.get(0)?;
            // One of a newer program.
            let Some(kind) = Kind::from_name(&name) else { continue };
            let (uses, successes): (u32, u32) = (row.get(1)?, row.get(2)?);
            skills.push(Skill {
                kind,
                description: kind.description().to_owned(),
                actions: kind.actions().iter().map(ToString::to_string).collect(),
                uses,
                successes,
                rate: if uses == 0 { 0.0 } else { f64::from(successes) / f64::from(uses) },
                sessions: serde_json::from_str(&row.get::<_, String>(3)?)?,
                tags: serde_json::from_str(&row.get::<_, String>(4)?)?,
                created: time(row.get(5)?),
                last_used: time(row.get(6)?),
            });
        }
        Ok(skills)
    }
}

/// Makes a pattern's instances a skill, or adds what they have to it.
fn consolidate(
    change: &rusqlite::Transaction<'_>,
    kind: &str,
    known: bool,
    at: i64,
) -> Result<(), StoreError> {
    let mut query =
        change.prepare_cached("SELECT score, session FROM instances WHERE kind = ?1 ORDER BY id")?;
    let rows = query.query_map([kind], |row| Ok((row.get::<_, u8>(0)?, row.get::<_, String>(1)?)))?;
    let instances: Vec<(u8, String)> = rows.collect::<Result<_, _>>()?;
    let scores: Vec<u8> = instances.iter().map(|(score, _)| *score).collect();
    if !known && !consolidates(&scores) {
        return Ok(());
    }
    let counting: Vec<&(u8, String)> = instances.iter().filter(|(score, _)| *score > COUNTS_ABOVE).collect();
    let sessions: BTreeSet<&str> = counting.iter().map(|(_, session)| session.as_str()).collect();
    let sessions = serde_json::to_string(&sessions)?;
    if known {
        change.execute("UPDATE skills SET sessions = ?2 WHERE kind = ?1", params![kind, sessions])?;
        return Ok(());
    }
    let tags = Kind::from_name(kind).map(Kind::tags).unwrap_or_default();
    let count = i64::try_from(counting.len()).unwrap_or(i64::MAX);
    let _: Option<String> = change
        .query_row(
            "INSERT INTO skills (kind, uses, successes, sessions, tags, created, last_used)
             VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?5) RETURNING kind",
            params![kind, count, sessions, serde_json::to_string(tags)?, at],
            |row| row.get(0),
        )
        .optional()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_good_ones_make_a_skill() {
        for (scores, wanted) in [
            (&[86, 86][..], false),
            (&[86, 86, 86], true),
            (&[85, 85, 85], true),
            (&[84, 84, 84], false),
            (&[80, 99, 99], false),
            (&[80, 86, 86, 86], true),
            (&[], false),
        ] {
            assert_eq!(consolidates(scores), wanted, "{scores:?}");
        }
    }

    #[test]
    fn relevance_is_what_they_share() {
        let tags = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!((relevance(&tags("a b"), &tags("b a")) - 1.0).abs() < 1e-9);
        assert!((relevance(&tags("a b c"), &tags("b c d")) - 0.5).abs() < 1e-9);
        assert!((relevance(&tags(""), &tags("a")) - 0.5).abs() < 1e-9);
    }
}
