//! Workflow metrics: per session, and over sessions.
//!
//! One row per session, begun with it and updated in place. Files and tools are counted as they come, checkpoints when they
//! are made, commits by git (those after the commit that was checked out at the start). Times of day are the user's.

mod page;

use std::collections::BTreeMap;

use hookspec::{Session, hook};
use jiff::{Timestamp, ToSpan};
use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use crate::checkpoint::Checkpoint;
use crate::git::Git;
use crate::ordering::rank;
use crate::points::POST_CHECKPOINT;
use crate::store::{self, Store, StoreError, millis, time};

pub use page::picture;

/// When in a day a session began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeOfDay {
    /// 5 to 11.
    Morning,
    /// 12 to 16.
    Afternoon,
    /// 17 to 20.
    Evening,
    /// Else.
    Night,
}

impl TimeOfDay {
    /// Of an hour, 0 to 23.
    #[must_use]
    pub fn of(hour: i8) -> Self {
        match hour {
            5..=11 => Self::Morning,
            12..=16 => Self::Afternoon,
            17..=20 => Self::Evening,
            _ => Self::Night,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Morning => "morning",
            Self::Afternoon => "afternoon",
            Self::Evening => "evening",
            Self::Night => "night",
        }
    }
}

/// Where the quality goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// More than half a point a session better.
    Improving,
    /// More than half a point a session worse.
    Declining,
    /// Neither, or there are fewer than two sessions.
    Stable,
}

/// Which sessions are looked at.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only of this project.
    pub project: Option<String>,
    /// Not before this.
    pub from: Option<Timestamp>,
    /// Not after this.
    pub to: Option<Timestamp>,
}

/// One session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionRow {
    /// Its id.
    pub id: String,
    /// Its workspace.
    pub project: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended, or was last seen.
    pub ended: Option<Timestamp>,
    /// How long it took; 0 while that is not known.
    pub minutes: f64,
    /// When in the day it began.
    pub time_of_day: String,
    /// Checkpoints that were made.
    pub checkpoints: u32,
    /// Commits.
    pub commits: u32,
    /// The first checkpoint's score.
    pub quality_start: Option<f64>,
    /// The last checkpoint's.
    pub quality_end: Option<f64>,
    /// The last less the first.
    pub quality_delta: Option<f64>,
    /// The mean of the two.
    pub quality: Option<f64>,
    /// Different files that were changed.
    pub files: u32,
    /// Different tools that were called.
    pub tools: u32,
    /// The language of most edits.
    pub language: Option<String>,
}

/// The sessions that began at one time of day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeRow {
    /// The time of day.
    pub time: String,
    /// How many.
    pub sessions: u32,
    /// Their mean commits and checkpoints.
    pub done: f64,
}

/// Over sessions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many.
    pub sessions: usize,
    /// Mean minutes.
    pub minutes: f64,
    /// Mean checkpoints.
    pub checkpoints: f64,
    /// Mean commits.
    pub commits: f64,
    /// Mean quality, of the sessions that have one.
    pub quality: f64,
    /// Files changed, summed.
    pub files: u64,
    /// Mean commits an hour.
    pub velocity: f64,
    /// Where the quality goes.
    pub trend: Trend,
    /// When most is done; `unknown` without sessions.
    pub best_time: String,
    /// Each time of day in which a session began.
    pub times: Vec<TimeRow>,
    /// The five tools that are used most, with how often.
    pub tools: Vec<(String, u32)>,
    /// Projects, by name.
    pub projects: Vec<String>,
    /// The first start.
    pub first: Option<Timestamp>,
    /// The last start.
    pub last: Option<Timestamp>,
}

/// Updates the session's row: commits, language, and when it was last seen. A session that was never started, as that of
/// a command, has none and gets none.
pub(crate) fn update(session: &Session) -> Result<(), StoreError> {
    let at = session.clock().now();
    let head: Option<Option<String>> = store::with(session, |store| {
        let query = "SELECT head FROM sessions WHERE id = ?1";
        Ok(store.connection.query_row(query, [session.id()], |row| row.get(0)).optional()?)
    })?;
    let Some(head) = head else { return Ok(()) };
    let git = session.workspace().and_then(Git::at);
    let commits = git.and_then(|git| git.commits_since(head.as_deref())).unwrap_or(0);
    store::with(session, |store| {
        let language = store.language(session.id())?;
        store.connection.execute(
            "UPDATE sessions SET ended = ?2, commits = ?3, language = ?4 WHERE id = ?1",
            params![session.id(), millis(at), commits, language],
        )?;
        Ok(())
    })
}

/// One row of metrics a session, also where it never ends.
#[hook(POST_CHECKPOINT, name = "buddy.collect_metrics", priority = rank(300, 0), blocking, timeout = "30s")]
fn collect_metrics(checkpoint: &Checkpoint, session: &Session) -> Result<(), StoreError> {
    update(session)?;
    let score = f64::from(checkpoint.score);
    store::with(session, |store| store.note_quality(session.id(), score))
}

impl Store {
    /// Begins a session's row; one that is there stays as it is.
    ///
    /// # Errors
    /// As the database's.
    pub fn begin_session(
        &mut self,
        id: &str,
        project: &str,
        at: Timestamp,
        time_of_day: TimeOfDay,
        head: Option<&str>,
    ) -> Result<(), StoreError> {
        self.connection.execute(
            "INSERT INTO sessions (id, project, started, time_of_day, head) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (id) DO NOTHING",
            params![id, project, millis(at), time_of_day.name(), head],
        )?;
        Ok(())
    }

    /// Notes a checkpoint's score in its session's row.
    ///
    /// # Errors
    /// As the database's.
    pub fn note_quality(&mut self, id: &str, score: f64) -> Result<(), StoreError> {
        self.connection.execute(
            "UPDATE sessions SET checkpoints = checkpoints + 1, quality_end = ?2,
             quality_start = coalesce(quality_start, ?2) WHERE id = ?1",
            params![id, score],
        )?;
        Ok(())
    }

    /// The language of most edits of a session.
    fn language(&self, session: &str) -> Result<Option<String>, StoreError> {
        let mut query =
            self.connection.prepare_cached("SELECT path, edits FROM session_files WHERE session = ?1")?;
        let mut rows = query.query([session])?;
        let mut edits = BTreeMap::<String, u32>::new();
        while let Some(row) = rows.next()? {
            let path: String = row.get(0)?;
            if let Some(language) = language_of(&path) {
                *edits.entry(language.to_owned()).or_default() += row.get::<_, u32>(1)?;
            }
        }
        Ok(most(&edits))
    }

    /// The sessions that a filter lets pass, by their start.
    ///
    /// # Errors
    /// As the database's.
    pub fn sessions(&self, filter: &Filter) -> Result<Vec<SessionRow>, StoreError> {
        let mut query = self.connection.prepare(
            "SELECT id, project, started, ended, time_of_day, checkpoints, commits, quality_start, quality_end, language,
                (SELECT count(*) FROM session_files WHERE session = sessions.id),
                (SELECT count(*) FROM session_tools WHERE session = sessions.id)
             FROM sessions WHERE (?1 IS NULL OR project = ?1) AND started >= ?2 AND started <= ?3 ORDER BY started, id",
        )?;
        let rows = query.query_map(
            params![filter.project, bound(filter.from, i64::MIN), bound(filter.to, i64::MAX)],
            |row| {
                let (started, ended): (i64, Option<i64>) = (row.get(2)?, row.get(3)?);
                let (first, last): (Option<f64>, Option<f64>) = (row.get(7)?, row.get(8)?);
                let both = first.zip(last);
                Ok(SessionRow {
                    id: row.get(0)?,
                    project: row.get(1)?,
                    started: time(started),
                    ended: ended.map(time),
                    minutes: ended.map_or(0.0, |ended| (ended - started).max(0) as f64 / 60_000.0),
                    time_of_day: row.get(4)?,
                    checkpoints: row.get(5)?,
                    commits: row.get(6)?,
                    quality_start: first,
                    quality_end: last,
                    quality_delta: both.map(|(first, last)| last - first),
                    quality: both.map(|(first, last)| (first + last) / 2.0),
                    language: row.get(9)?,
                    files: row.get(10)?,
                    tools: row.get(11)?,
                })
            },
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What the sessions that a filter lets pass come to.
    ///
    /// # Errors
    /// As the database's.
    pub fn summary(&self, filter: &Filter) -> Result<Summary, StoreError> {
        let mut query = self.connection.prepare(
            "SELECT tool, sum(calls) AS calls FROM session_tools JOIN sessions ON sessions.id = session
             WHERE (?1 IS NULL OR project = ?1) AND started >= ?2 AND started <= ?3
             GROUP BY tool ORDER BY calls DESC, tool LIMIT 5",
        )?;
        let rows = query.query_map(
            params![filter.project, bound(filter.from, i64::MIN), bound(filter.to, i64::MAX)],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let tools = rows.collect::<Result<_, _>>()?;
        Ok(summarize(&self.sessions(filter)?, tools))
    }
}

fn bound(time: Option<Timestamp>, open: i64) -> i64 {
    time.map_or(open, millis)
}

/// The last thirty days.
///
/// ```
/// let now = "2026-03-31T12:00:00Z".parse()?;
/// let from = hookspec_session_buddy::metrics::thirty_days_before(now);
/// assert_eq!(from.to_string(), "2026-03-01T12:00:00Z");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn thirty_days_before(now: Timestamp) -> Timestamp {
    now.checked_sub((30 * 24).hours()).unwrap_or(Timestamp::MIN)
}

/// What sessions come to; the tools are counted where they are kept.
#[must_use]
pub fn summarize(sessions: &[SessionRow], tools: Vec<(String, u32)>) -> Summary {
    let mean = |of: &dyn Fn(&SessionRow) -> f64| mean(&sessions.iter().map(of).collect::<Vec<_>>());
    let minutes = mean(&|row| row.minutes);
    let commits = mean(&|row| f64::from(row.commits));
    let qualities: Vec<f64> = sessions.iter().filter_map(|row| row.quality).collect();
    let times = times(sessions);
    let mut projects: Vec<String> = sessions.iter().map(|row| row.project.clone()).collect();
    projects.sort();
    projects.dedup();
    Summary {
        sessions: sessions.len(),
        minutes,
        checkpoints: mean(&|row| f64::from(row.checkpoints)),
        commits,
        quality: self::mean(&qualities),
        files: sessions.iter().map(|row| u64::from(row.files)).sum(),
        velocity: velocity(commits, minutes),
        trend: trend(&qualities),
        best_time: best_time(&times),
        times,
        tools,
        projects,
        first: sessions.iter().map(|row| row.started).min(),
        last: sessions.iter().map(|row| row.started).max(),
    }
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Commits an hour; 0 without time.
#[must_use]
pub fn velocity(commits: f64, minutes: f64) -> f64 {
    if minutes > 0.0 { commits / (minutes / 60.0) } else { 0.0 }
}

/// Where quality goes: the slope of the straight line that lies nearest to it, over the session's number.
#[must_use]
pub fn trend(qualities: &[f64]) -> Trend {
    match slope(qualities) {
        Some(slope) if slope > 0.5 => Trend::Improving,
        Some(slope) if slope < -0.5 => Trend::Declining,
        _ => Trend::Stable,
    }
}

/// The slope by least squares; `None` for fewer than two.
#[must_use]
pub fn slope(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let (x_mean, y_mean) = ((values.len() - 1) as f64 / 2.0, mean(values));
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in values.iter().enumerate() {
        let x = x as f64 - x_mean;
        above += x * (y - y_mean);
        below += x * x;
    }
    Some(above / below)
}

/// How sessions go, time of day by time of day, by name.
fn times(sessions: &[SessionRow]) -> Vec<TimeRow> {
    let mut times = BTreeMap::<&str, (u32, f64)>::new();
    for row in sessions {
        let (count, done) = times.entry(&row.time_of_day).or_default();
        *count += 1;
        *done += f64::from(row.commits) + f64::from(row.checkpoints);
    }
    let row = |(time, (sessions, done)): (&str, (u32, f64))| TimeRow {
        time: time.to_owned(),
        sessions,
        done: done / f64::from(sessions),
    };
    times.into_iter().map(row).collect()
}

/// The time of day with the most commits and checkpoints a session; of equal ones the first by name.
fn best_time(times: &[TimeRow]) -> String {
    let mut best: Option<&TimeRow> = None;
    for row in times {
        if best.is_none_or(|best| row.done > best.done) {
            best = Some(row);
        }
    }
    best.map_or("unknown", |row| &row.time).to_owned()
}

/// The key that is counted most; of equal ones the first by name.
pub(crate) fn most<N: Ord + Copy>(counts: &BTreeMap<String, N>) -> Option<String> {
    let mut best: Option<(&String, N)> = None;
    for (key, count) in counts {
        if best.is_none_or(|(_, most)| *count > most) {
            best = Some((key, *count));
        }
    }
    best.map(|(key, _)| key.clone())
}

/// The language of a file, by its extension.
#[must_use]
pub fn language_of(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(match extension {
        "py" => "Python",
        "js" | "jsx" | "ts" | "tsx" => "JavaScript",
        "go" => "Go",
        "rs" => "Rust",
        "java" => "Java",
        "c" | "cpp" | "h" | "hpp" => "C/C++",
        "rb" => "Ruby",
        "php" => "PHP",
        _ => return None,
    })
}

/// Minutes in words.
pub(crate) fn minutes(minutes: f64) -> String {
    match minutes {
        m if m < 1.0 => format!("{:.0} s", m * 60.0),
        m if m < 120.0 => format!("{m:.0} min"),
        m => format!("{:.1} h", m / 60.0),
    }
}
