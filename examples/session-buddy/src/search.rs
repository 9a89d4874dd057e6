//! Reflections, and what is searched for.
//!
//! A reflection is a lesson in the model's own words, kept for later sessions. Both ways in are folds, so that a hook may
//! mask what is stored, or say more clearly what is sought. One hook of ours does: a query that holds nothing but words like
//! "that error again" means the last error that is still open.

use std::collections::BTreeSet;

use hookspec::tool::ToolError;
use hookspec::{Fold, Session, fire, hook, tool};
use jiff::Timestamp;
use rusqlite::params;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::errors::{self, Embedder, Similar};
use crate::ordering::rank;
use crate::points::{PRE_REFLECTION_STORE, PRE_SEARCH_QUERY};
use crate::store::{self, Store, StoreError, millis, short, time};

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sought {
    /// Lessons, and errors that were fixed.
    Reflections,
    /// Errors that were fixed.
    Errors,
}

/// A reflection that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reflection {
    /// Its number.
    pub id: i64,
    /// The workspace of its session.
    pub project: String,
    /// When it was stored.
    pub at: Timestamp,
    /// Its text.
    pub text: String,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// What was searched for in the end.
    pub query: String,
    /// Errors that were fixed.
    pub errors: Vec<Similar>,
    /// Lessons.
    pub reflections: Vec<Reflection>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StoreArgs {
    /// The lesson, so that it makes sense on its own.
    text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchArgs {
    /// What to look for: an error's text, or words.
    query: String,
    /// How many of each kind, 1 to 100; 5 unless given.
    #[serde(default)]
    limit: Option<usize>,
}

/// Stores a lesson of this session for later sessions.
#[tool(content = text)]
async fn store_reflection(args: StoreArgs, session: &Session) -> Result<String, ToolError> {
    let fired = fire!(session, PRE_REFLECTION_STORE { text: &args.text }).await;
    let text = fired.value().unwrap_or(&args.text).trim();
    if text.is_empty() {
        return Err("There is no text to store.".into());
    }
    let (at, project) = (session.clock().now(), store::project(session));
    let id = store::with(session, |store| store.keep_reflection(session.id(), &project, at, text))
        .map_err(failed)?;
    Ok(format!("Stored as reflection {id}."))
}

/// Searches lessons and fixed errors of earlier sessions.
#[tool(content = query)]
async fn search_reflections(args: SearchArgs, session: &Session) -> Result<String, ToolError> {
    let found =
        search(session, &args.query, Sought::Reflections, args.limit.unwrap_or(5)).await.map_err(failed)?;
    Ok(told(&found))
}

fn failed(error: StoreError) -> ToolError {
    ToolError::Failed(error.to_string())
}

/// Searches, after hooks have said what is meant.
///
/// # Errors
/// If the limit is not 1 to 100, or as the database's.
pub async fn search(
    session: &Session,
    query: &str,
    sought: Sought,
    limit: usize,
) -> Result<Found, StoreError> {
    let fired = fire!(session, PRE_SEARCH_QUERY { query, sought }).await;
    let query = fired.value().map_or(query, String::as_str).to_owned();
    let embedding = session.extension::<Embedder>().and_then(|embedder| embedder.embed(&query));
    store::with(session, |store| {
        let errors = store.similar(&query, embedding.as_deref(), limit)?;
        let reflections = match sought {
            Sought::Reflections => store.reflections(&query, limit)?,
            Sought::Errors => Vec::new(),
        };
        Ok(Found { query, errors, reflections })
    })
}

/// What was found, in words.
#[must_use]
pub fn told(found: &Found) -> String {
    let mut lines = Vec::new();
    for error in &found.errors {
        let first = crate::errors::own_words(&error.message).lines().next().unwrap_or_default();
        lines.push(format!("{:.2}  {}", error.similarity, short(first, 160)));
        lines.push(format!("      fixed after {}: {}", crate::metrics::minutes(error.minutes), error.action));
        lines.extend(short(error.changes.trim_end(), 1500).lines().map(|line| format!("      {line}")));
    }
    for reflection in &found.reflections {
        lines.push(format!("{}  {}", reflection.at.strftime("%Y-%m-%d"), reflection.text));
    }
    if lines.is_empty() {
        lines.push(format!("Nothing like \"{}\" is known.", short(&found.query, 160)));
    }
    lines.join("\n")
}

/// Words that say nothing about what is sought.
const EMPTY: [&str; 36] = [
    "a", "again", "and", "any", "bug", "can", "do", "error", "failed", "failure", "fix", "fixed", "for",
    "happened", "how", "i", "is", "issue", "it", "last", "me", "of", "one", "previous", "problem", "same",
    "that", "the", "then", "there", "thing", "this", "to", "we", "what", "why",
];

/// A query without a word that says anything means the last error that is open.
#[hook(PRE_SEARCH_QUERY, name = "buddy.clarify_query", priority = rank(500, 0))]
fn clarify_query(query: &str, session: &Session) -> Option<Fold<String>> {
    let says_nothing = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .all(|word| EMPTY.contains(&word.to_lowercase().as_str()));
    if !says_nothing {
        return None;
    }
    errors::last_open(session).map(Fold)
}

impl Store {
    /// Keeps a reflection. Gives its number.
    pub(crate) fn keep_reflection(
        &mut self,
        session: &str,
        project: &str,
        at: Timestamp,
        text: &str,
    ) -> Result<i64, StoreError> {
        let change = self.change()?;
        change.execute(
            "INSERT INTO reflections (session, project, at, text) VALUES (?1, ?2, ?3, ?4)",
            params![session, project, millis(at), text],
        )?;
        // Before the index's trigger can move it on.
        let id = change.query_row("SELECT max(id) FROM reflections", [], |row| row.get(0))?;
        change.commit()?;
        Ok(id)
    }

    /// Reflections that share words with a query, the nearest first.
    fn reflections(&self, query: &str, limit: usize) -> Result<Vec<Reflection>, StoreError> {
        let words: BTreeSet<String> = query
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .filter(|word| !EMPTY.contains(&word.as_str()))
            .map(|word| format!("\"{word}\""))
            .take(64)
            .collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut search = self.connection.prepare_cached(
            "SELECT reflections.id, project, at, reflections.text FROM reflection_texts
             JOIN reflections ON reflections.id = reflection_texts.rowid
             WHERE reflection_texts MATCH ?1 ORDER BY rank LIMIT ?2",
        )?;
        let query = words.into_iter().collect::<Vec<_>>().join(" OR ");
        let rows = search.query_map(params![query, i64::try_from(limit).unwrap_or(100)], |row| {
            Ok(Reflection { id: row.get(0)?, project: row.get(1)?, at: time(row.get(2)?), text: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
