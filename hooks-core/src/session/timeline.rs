//! The timeline: which hook ran when, for how long, and what it said.
//!
//! Nobody measures time unless a session has an [`Observer`]: a pair of clock reads costs more than forty
//! hooks. [`Timeline`] is an observer that remembers; a host may bring one that writes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::json::Value;
use crate::plain::clock::{Timestamp, later};
use crate::plain::flow::Flow;
use crate::plain::hook_info::HookInfo;
use crate::plain::message::Message;
use crate::plain::point_info::PointInfo;
use crate::plain::shadow::Shadowed;
use crate::plain::verdict::Gate;

/// Told of everything that happens at a session's hook points.
pub trait Observer: std::fmt::Debug + Send + Sync {
    /// Takes one record. Called on the dispatch path, for a hook that spoke while nothing else can be stored in the session: be
    /// quick, and store nothing in the session. What is only to be shown becomes a [`TimelineEntry`] when somebody looks.
    fn record(&self, record: Recorded);
}

/// One thing that happened, as it is told: small, and nothing is allocated for a hook that says nothing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Recorded {
    /// A point fired, with or without hooks.
    Fired(RecordedFire),
    /// A hook ran.
    Ran(RecordedRun),
}

/// A point that fired.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RecordedFire {
    /// The point.
    pub point: &'static PointInfo,
    /// When, UTC.
    pub at: Timestamp,
    /// When, since the session was opened.
    pub offset: Duration,
}

/// A run of a hook. Numbers, which become times of day when somebody asks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedRun {
    /// The hook.
    pub hook: Arc<HookInfo>,
    /// A time of day, and how many nanoseconds later it began.
    pub(crate) at: (Timestamp, u64),
    /// When it began, in nanoseconds since the session was opened.
    pub(crate) offset: u64,
    /// Nanoseconds.
    pub(crate) took: u64,
    /// Whether it ran beside the chain.
    pub background: bool,
    /// What it said, if anything.
    pub(crate) said: Option<Box<SaidRecord>>,
}

/// What a hook said.
#[derive(Clone, Debug, Default)]
pub(crate) struct SaidRecord {
    pub(crate) messages: Vec<Arc<Message>>,
    pub(crate) gate: Option<Gate>,
    pub(crate) fold: Option<Value>,
    pub(crate) first: Option<Value>,
    pub(crate) flow: Option<Flow>,
    pub(crate) error: Option<String>,
    pub(crate) around: Option<SaidAround>,
}

/// What a hook around work did with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SaidAround {
    pub(crate) runs: u32,
    pub(crate) answered: bool,
    /// Nanoseconds.
    pub(crate) next: u64,
}

impl RecordedRun {
    /// When it began, UTC.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        later(self.at.0, Duration::from_nanos(self.at.1))
    }

    /// When it began, since the session was opened.
    #[must_use]
    pub fn offset(&self) -> Duration {
        Duration::from_nanos(self.offset)
    }

    /// How long it ran.
    #[must_use]
    pub fn took(&self) -> Duration {
        Duration::from_nanos(self.took)
    }

    /// Whether the hook said nothing and did not fail.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.said.is_none()
    }
}

impl From<Recorded> for TimelineEntry {
    fn from(record: Recorded) -> Self {
        match record {
            Recorded::Fired(RecordedFire { point, at, offset }) => {
                Self::Fired { point: point.wire.to_owned(), at, offset_us: micros(offset) }
            }
            Recorded::Ran(run) => {
                let (at, offset, took) = (run.at(), run.offset(), run.took());
                let said = run.said.map_or_else(SaidRecord::default, |said| *said);
                Self::Ran(Box::new(HookRun {
                    hook: run.hook.name.clone(),
                    point: run.hook.point.wire.to_owned(),
                    at,
                    offset_us: micros(offset),
                    duration_us: micros(took),
                    background: run.background,
                    shadow: run.hook.shadow,
                    messages: said.messages.iter().map(|message| message.content.clone()).collect(),
                    transient: run.hook.point.transient,
                    gate: said.gate,
                    fold: said.fold,
                    first: said.first,
                    flow: said.flow,
                    error: said.error,
                    around: said.around.map(|around| AroundRecord {
                        runs: around.runs,
                        answered: around.answered,
                        next_us: micros(Duration::from_nanos(around.next)),
                    }),
                }))
            }
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum TimelineEntry {
    /// A point fired, with or without hooks.
    Fired {
        /// The point, by its wire name.
        point: String,
        /// When, UTC.
        at: Timestamp,
        /// When, in microseconds since the session was opened.
        offset_us: u64,
    },
    /// A hook ran.
    Ran(Box<HookRun>),
}

/// One run of one hook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HookRun {
    /// The hook.
    pub hook: String,
    /// The point, by its wire name.
    pub point: String,
    /// When it began, UTC.
    pub at: Timestamp,
    /// When it began, in microseconds since the session was opened.
    pub offset_us: u64,
    /// How long it ran, in microseconds.
    pub duration_us: u64,
    /// Whether it ran beside the chain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
    /// Whether it ran for trial: nothing of what it said was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// The messages it emitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Whether those go into one request only and not into the conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub transient: bool,
    /// Its answer at a gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// Its version of the folded value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold: Option<Value>,
    /// Its answer where the first one counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Value>,
    /// Whether it ended the chain or the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    /// How it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it did with the work that it wraps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around: Option<AroundRecord>,
}

/// What a hook around work did with it. With an answer and no run it swallowed the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AroundRecord {
    /// How often it began the rest of the chain.
    pub runs: u32,
    /// Whether it gave an answer in place of what the work gave.
    pub answered: bool,
    /// How much of its time the rest of the chain took, in microseconds.
    pub next_us: u64,
}

impl Shadowed {
    /// What the runs in a timeline said that were in shadow.
    #[must_use]
    pub fn in_runs<'r>(runs: impl IntoIterator<Item = &'r HookRun>) -> Self {
        let mut all = Self::default();
        // What a background hook says goes nowhere anyway.
        for run in runs.into_iter().filter(|run| run.shadow && !run.background) {
            let flow = run.flow.as_ref().unwrap_or(&Flow::Continue);
            let (fold, first) = (run.fold.is_some(), run.first.is_some());
            all.add(Self::of(run.gate.as_ref(), fold, first, run.messages.len(), flow));
        }
        all
    }
}

/// An observer that keeps the latest entries in memory.
#[derive(Debug)]
pub struct Timeline {
    capacity: usize,
    entries: Mutex<std::collections::VecDeque<Recorded>>,
}

impl Timeline {
    /// Keeps at most `capacity` entries; older ones go first.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { capacity, entries: Mutex::default() }
    }

    /// What happened so far, oldest first.
    #[must_use]
    pub fn entries(&self) -> Vec<TimelineEntry> {
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .map(TimelineEntry::from)
            .collect()
    }

    /// The points that fired, in order, by wire name.
    #[must_use]
    pub fn points(&self) -> Vec<String> {
        self.entries()
            .into_iter()
            .filter_map(|entry| match entry {
                TimelineEntry::Fired { point, .. } => Some(point),
                TimelineEntry::Ran(_) => None,
            })
            .collect()
    }

    /// The hooks that ran, in order of their end.
    #[must_use]
    pub fn runs(&self) -> Vec<HookRun> {
        self.entries()
            .into_iter()
            .filter_map(|entry| match entry {
                TimelineEntry::Ran(run) => Some(*run),
                TimelineEntry::Fired { .. } => None,
            })
            .collect()
    }
}

impl Observer for Timeline {
    fn record(&self, record: Recorded) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = if entries.len() >= self.capacity { entries.pop_front() } else { None };
        if self.capacity > 0 {
            entries.push_back(record);
        }
        drop(entries);
        drop(oldest);
    }
}
