//! Errors like this one that were fixed.
//!
//! First those with the same fingerprint. Then SQLite's full-text index finds candidates by the rarest words of the masked
//! text, and the overlap of their letter pairs (Sørensen–Dice, by `strsim`) is the similarity; a text that is contained in
//! another counts as like it. Rare words only, because
//! a word that is in every error costs as much as reading them all and tells nothing. A host may lend [`Embedder`] to
//! the session; then the cosine of the embeddings counts where it is larger.

use std::collections::BTreeSet;
use std::fmt;

use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;
use serde_json::Value;

use crate::store::{Store, StoreError};

use super::fingerprint::{ends, fingerprint, mask};

/// What is less similar is not: the original's figure.
const ENOUGH: f64 = 0.7;
/// How many candidates are compared.
const CANDIDATES: usize = 150;
/// Words are added, the rarest first, while all together are in no more errors than this.
const READ: i64 = 5000;
/// How many words are looked for.
const WORDS: usize = 12;
/// Characters that are compared.
const COMPARED: usize = 600;

/// Turns text into a vector, so that errors are similar that use other words. A host that has a model for it lends one as
/// an extension of the session: `Arc<Embedder>`.
pub struct Embedder(Box<dyn Embed>);

/// See [`Embedder`].
pub trait Embed: Send + Sync {
    /// The vector of a text; always of the same length. `None` where there is none just now.
    fn embed(&self, text: &str) -> Option<Vec<f32>>;
}

impl Embedder {
    /// From what embeds.
    pub fn new(embed: impl Embed + 'static) -> Self {
        Self(Box::new(embed))
    }

    /// The vector of a text.
    #[must_use]
    pub fn embed(&self, text: &str) -> Option<Vec<f32>> {
        self.0.embed(text)
    }
}

impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Embedder")
    }
}

/// An error that was fixed, and how alike it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Similar {
    /// The error's number.
    pub error: i64,
    /// Its chain's.
    pub chain: i64,
    /// Its text.
    pub message: String,
    /// Where it came from.
    pub context: Value,
    /// What fixed it.
    pub action: String,
    /// What that changed.
    pub changes: String,
    /// How long that took.
    pub minutes: f64,
    /// 0 to 1.
    pub similarity: f64,
}

impl Store {
    /// Errors that were fixed and are like `text`: the most similar first, then those that were fixed soonest.
    ///
    /// # Errors
    /// If the limit is not 1 to 100, or as the database's.
    pub fn similar(
        &self,
        text: &str,
        embedding: Option<&[f32]>,
        limit: usize,
    ) -> Result<Vec<Similar>, StoreError> {
        if !(1..=100).contains(&limit) {
            return Err(StoreError::Limit(limit));
        }
        let masked = mask(text);
        if masked.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = self.ranked(&masked, embedding)?;
        found.retain(|(_, similarity, _)| *similarity > ENOUGH);
        found.sort_by(|one, two| {
            two.1.total_cmp(&one.1).then(one.2.total_cmp(&two.2)).then(one.0.cmp(&two.0))
        });
        found.truncate(limit);
        found.into_iter().map(|(error, similarity, _)| self.similar_row(error, similarity)).collect()
    }

    /// Errors with their similarity and the minutes to their fix.
    fn ranked(&self, masked: &str, embedding: Option<&[f32]>) -> Result<Vec<(i64, f64, f64)>, StoreError> {
        let mut same = self.connection.prepare_cached(
            "SELECT errors.id, chains.minutes FROM errors JOIN chains ON chains.error = errors.id
             WHERE errors.fingerprint = ?1 ORDER BY chains.minutes LIMIT 100",
        )?;
        let rows = same.query_map([fingerprint(masked)], |row| Ok((row.get(0)?, 1.0, row.get(1)?)))?;
        let mut found: Vec<(i64, f64, f64)> = rows.collect::<Result<_, _>>()?;
        let mut known: BTreeSet<i64> = found.iter().map(|(error, ..)| *error).collect();

        for (error, minutes, text) in self.candidates(masked)? {
            if known.insert(error) {
                found.push((error, likeness(masked, &text), minutes));
            }
        }
        if let Some(wanted) = embedding {
            self.by_meaning(wanted, &mut found)?;
        }
        Ok(found)
    }

    /// Fixed errors that share the rarest words with a text.
    fn candidates(&self, masked: &str) -> Result<Vec<(i64, f64, String)>, StoreError> {
        let mut words = self.known_words(masked)?;
        words.sort();
        let mut read = 0;
        let mut chosen = Vec::new();
        for (count, word) in words.into_iter().take(WORDS) {
            if chosen.is_empty() || read + count <= READ {
                read += count;
                chosen.push(format!("\"{word}\""));
            }
        }
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        // A ranking reads every match; where even the rarest word is everywhere, the newest are as good as any.
        let order = if read <= READ { "rank" } else { "fixed_texts.rowid DESC" };
        let mut query = self.connection.prepare_cached(&format!(
            "SELECT fixed_texts.rowid, chains.minutes, fixed_texts.text FROM fixed_texts
             JOIN chains ON chains.error = fixed_texts.rowid
             WHERE fixed_texts MATCH ?1 ORDER BY {order} LIMIT {CANDIDATES}"
        ))?;
        let rows =
            query.query_map([chosen.join(" OR ")], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The words of a text that fixed errors have, with in how many of them they are.
    fn known_words(&self, masked: &str) -> Result<Vec<(i64, String)>, StoreError> {
        let mut count = self.connection.prepare_cached("SELECT docs FROM fixed_words WHERE word = ?1")?;
        let mut known = Vec::new();
        for word in words(masked) {
            if let Some(docs) = count.query_row([&word], |row| row.get(0)).optional()? {
                known.push((docs, word));
            }
        }
        Ok(known)
    }

    fn by_meaning(&self, wanted: &[f32], found: &mut Vec<(i64, f64, f64)>) -> Result<(), StoreError> {
        let mut query = self.connection.prepare_cached(
            "SELECT errors.id, chains.minutes, errors.embedding FROM errors JOIN chains ON chains.error = errors.id
             WHERE errors.embedding IS NOT NULL",
        )?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let error: i64 = row.get(0)?;
            let near = cosine(wanted, &floats(row.get_ref(2)?.as_blob().unwrap_or_default()));
            match found.iter_mut().find(|(held, ..)| *held == error) {
                Some((_, similarity, _)) => *similarity = similarity.max(near),
                None if near > ENOUGH => found.push((error, near, row.get(1)?)),
                None => {}
            }
        }
        Ok(())
    }

    fn similar_row(&self, error: i64, similarity: f64) -> Result<Similar, StoreError> {
        let mut query = self.connection.prepare_cached(
            "SELECT chains.id, errors.message, errors.context, attempts.action, attempts.changes, chains.minutes
             FROM errors JOIN chains ON chains.error = errors.id JOIN attempts ON attempts.id = chains.fix
             WHERE errors.id = ?1",
        )?;
        let (context, mut row) = query.query_row(params![error], |row| {
            let context: String = row.get(2)?;
            Ok((
                context,
                Similar {
                    error,
                    chain: row.get(0)?,
                    message: row.get(1)?,
                    context: Value::Null,
                    action: row.get(3)?,
                    changes: row.get(4)?,
                    minutes: row.get(5)?,
                    similarity,
                },
            ))
        })?;
        row.context = serde_json::from_str(&context)?;
        Ok(row)
    }
}

/// Puts the masked text of an error that was fixed into the index; one that is there stays.
pub(super) fn index(change: &Transaction<'_>, error: i64, masked: &str) -> Result<(), StoreError> {
    let known: Option<i64> = change
        .query_row("SELECT rowid FROM fixed_texts WHERE rowid = ?1", [error], |row| row.get(0))
        .optional()?;
    if known.is_some() {
        return Ok(());
    }
    change.execute("INSERT INTO fixed_texts (rowid, text) VALUES (?1, ?2)", params![error, masked])?;
    let mut count = change
        .prepare_cached("INSERT INTO fixed_words VALUES (?1, 1) ON CONFLICT DO UPDATE SET docs = docs + 1")?;
    for word in words(masked) {
        count.execute([word])?;
    }
    Ok(())
}

/// How alike two masked texts are. A text of some length that stands as it is in the other is like it, whatever surrounds
/// it there: people paste the line that matters, and hosts put a sentence before it.
fn likeness(wanted: &str, held: &str) -> f64 {
    const LONG_ENOUGH: usize = 16;
    let dice = strsim::sorensen_dice(&ends(wanted, COMPARED), &ends(held, COMPARED));
    let (short, long) = if wanted.len() < held.len() { (wanted, held) } else { (held, wanted) };
    if short.len() >= LONG_ENOUGH && long.contains(short) {
        let share = short.len() as f64 / long.len() as f64;
        return dice.max(0.75 + 0.25 * share);
    }
    dice
}

/// The words of a masked text as the index has them: small letters, at least three, each once, no masks.
fn words(masked: &str) -> BTreeSet<String> {
    let text: String = masked
        .split('<')
        .map(|part| {
            part.split_once('>').map_or(part, |(mask, rest)| {
                let is_mask = ["time", "address", "path", "hash", "n"].contains(&mask);
                if is_mask { rest } else { part }
            })
        })
        .collect::<Vec<_>>()
        .join(" ");
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.chars().count() >= 3)
        .map(str::to_lowercase)
        .take(200)
        .collect()
}

fn cosine(one: &[f32], two: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let lengths = (dot(one, one) * dot(two, two)).sqrt();
    if one.len() != two.len() || lengths == 0.0 { 0.0 } else { dot(one, two) / lengths }
}

pub(super) fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let four = |bytes: &[u8]| bytes.try_into().map(f32::from_le_bytes).unwrap_or_default();
    bytes.chunks_exact(4).map(four).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_no_words() {
        let words: Vec<String> = words("error in <path>: expected `Vec<Foo>` at <n>").into_iter().collect();
        assert_eq!(words, ["error", "expected", "foo", "vec"]);
    }

    #[test]
    fn a_pasted_line_is_like_the_whole() {
        let line = "KeyError: 'colour' in <path>";
        assert!(
            likeness(line, &format!("The command ended with exit code <n>. {line} and much more of it"))
                > 0.75
        );
        assert!(likeness("KeyError", &format!("{line} {line} {line}")) < 0.5, "one word is in everything");
        assert!((likeness(line, line) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn vectors_survive_their_storage() {
        let vector = [0.5, -1.25, 3.0];
        assert_eq!(floats(&bytes(&vector)), vector);
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-9);
        assert!(cosine(&vector, &[1.0]).abs() < 1e-9, "other lengths are not compared");
    }
}
