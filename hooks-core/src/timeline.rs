//! The timeline: which hook ran when, for how long, and what it said.
//!
//! Nobody measures time unless a session has an [`Observer`]: a pair of clock reads costs more than forty
//! hooks. [`Timeline`] is an observer that remembers; a host may bring one that writes.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::flow::Flow;
use crate::verdict::Gate;

/// Told of everything that happens at a session's hook points.
pub trait Observer: std::fmt::Debug + Send + Sync {
    /// Takes one entry. Called on the dispatch path: be quick, and never block for long.
    fn record(&self, entry: TimelineEntry);
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
}

/// An observer that keeps the latest entries in memory.
#[derive(Debug)]
pub struct Timeline {
    capacity: usize,
    entries: Mutex<std::collections::VecDeque<TimelineEntry>>,
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
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
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
    fn record(&self, entry: TimelineEntry) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= self.capacity {
            entries.pop_front();
        }
        entries.push_back(entry);
    }
}
