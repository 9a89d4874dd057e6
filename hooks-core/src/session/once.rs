//! Which once-only hooks ran already in a session, by point.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::base::json::{self, Value};

/// Under which it is saved, among the states.
const KEY: &str = "hookspec.once";
/// How it was saved before it went by point: names alone, for all points.
const OLD_KEY: &str = "hookspec::dispatch::slow::RanOnce";

#[derive(Debug, Default)]
pub(crate) struct Once(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    done: Done,
    running: BTreeSet<(&'static str, String)>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Done {
    /// Hooks that ran to their end, by the wire name of the point.
    #[serde(flatten)]
    points: BTreeMap<String, BTreeSet<String>>,
    #[serde(skip)]
    everywhere: BTreeSet<String>,
}

impl Once {
    /// Takes what was saved out of the states.
    pub(crate) fn restored(states: &mut BTreeMap<String, Value>) -> Self {
        let read = |value: Value| json::from_value::<Done>(value);
        let mut done = match states.remove(KEY).map(read) {
            Some(Ok(done)) => done,
            Some(Err(error)) => {
                tracing::warn!(%error, "what is saved of once-only hooks cannot be read: they may run again");
                Done::default()
            }
            None => Done::default(),
        };
        if let Some(Ok(old)) = states.remove(OLD_KEY).map(json::from_value) {
            done.everywhere = old;
        }
        Self(Mutex::new(Inner { done, running: BTreeSet::new() }))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the one run of a hook at a point; `false` if it ran already, or runs right now.
    pub(super) fn begin(&self, what: &(&'static str, String)) -> bool {
        let (point, hook) = what;
        let mut inner = self.lock();
        let done = inner.done.everywhere.contains(hook)
            || inner.done.points.get(*point).is_some_and(|hooks| hooks.contains(hook));
        !done && inner.running.insert(what.clone())
    }

    pub(super) fn done(&self, what: &(&'static str, String)) {
        let (point, hook) = what;
        self.lock().done.points.entry((*point).to_owned()).or_default().insert(hook.clone());
    }

    pub(super) fn end(&self, what: &(&'static str, String)) {
        self.lock().running.remove(what);
    }

    /// Adds what ran to the states that are saved.
    pub(crate) fn save(&self, states: &mut BTreeMap<String, Value>) {
        let inner = self.lock();
        if !inner.done.points.is_empty()
            && let Ok(value) = json::to_value(&inner.done)
        {
            states.insert(KEY.to_owned(), value);
        }
        if !inner.done.everywhere.is_empty()
            && let Ok(value) = json::to_value(&inner.done.everywhere)
        {
            states.insert(OLD_KEY.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(point: &'static str, hook: &str) -> (&'static str, String) {
        (point, hook.to_owned())
    }

    #[test]
    fn a_run_counts_by_point_and_when_it_is_done() {
        let once = Once::default();
        let (here, there) = (what("a", "x.y"), what("b", "x.y"));
        assert!(once.begin(&here));
        assert!(!once.begin(&here), "it runs");
        once.end(&here);
        assert!(once.begin(&here));
        once.done(&here);
        once.end(&here);
        assert!(!once.begin(&here), "it ran");
        assert!(once.begin(&there));

        let mut saved = BTreeMap::new();
        once.save(&mut saved);
        assert_eq!(saved[KEY], serde_json::json!({ "a": ["x.y"] }));
        let again = Once::restored(&mut saved);
        assert!(saved.is_empty());
        assert!(!again.begin(&here) && again.begin(&there));
    }

    #[test]
    fn what_was_saved_before_it_went_by_point_counts_everywhere() {
        let mut saved = BTreeMap::from([(OLD_KEY.to_owned(), serde_json::json!(["x.y"]))]);
        let once = Once::restored(&mut saved);
        assert!(!once.begin(&what("a", "x.y")) && once.begin(&what("a", "x.z")));
        once.save(&mut saved);
        assert_eq!(saved[OLD_KEY], serde_json::json!(["x.y"]));
    }
}
