//! What a session is labelled with: labels only ever come.
//!
//! A label is seen by whoever asks from the moment at which it is set, and is handed to the session's sink before `add_label`
//! returns: so it is stored before anything that follows from it. It is saved among the states too, for hosts that keep nothing
//! else.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::json::{self, Value};
use crate::plain::clock::{Clock, Timestamp};
use crate::plain::label::{Label, Labelled};

/// Under which they are saved, among the states.
const KEY: &str = "hookspec.labels";

#[derive(Debug, Default)]
pub(crate) struct Labels {
    all: Mutex<BTreeMap<Label, Labelled>>,
    /// Whether the sink lacks one: it is offered them again at each barrier until it takes them.
    unkept: AtomicBool,
}

impl Labels {
    /// Takes what was saved out of the states, and adds what the host knows.
    pub(crate) fn restored(
        states: &mut BTreeMap<String, Value>,
        known: Vec<Labelled>,
        clock: &Clock,
    ) -> Self {
        let mut all = Vec::new();
        match states.remove(KEY).map(json::from_value::<Vec<Labelled>>) {
            None => {}
            Some(Ok(saved)) => all = saved,
            Some(Err(error)) => {
                tracing::warn!(%error, "what is saved of a session's labels cannot be read: it gets all that are known");
                all = unreadable(clock.now());
            }
        }
        all.extend(known);
        let mut labels = BTreeMap::new();
        for labelled in all {
            // The earlier of two stands.
            labels.entry(labelled.label.clone()).or_insert(labelled);
        }
        Self { all: Mutex::new(labels), unkept: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Label, Labelled>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn all(&self) -> Vec<Labelled> {
        self.lock().values().cloned().collect()
    }

    pub(super) fn has(&self, label: &Label) -> bool {
        self.lock().contains_key(label)
    }

    /// Offers the sink what it may lack; `keep` says whether it took them.
    pub(super) fn keep(&self, keep: impl FnOnce(&dyn Fn() -> Vec<Labelled>) -> bool) {
        if self.unkept.load(Ordering::Acquire) {
            let all = || {
                // What comes from here on is not among them, and is offered again.
                self.unkept.store(false, Ordering::Release);
                self.all()
            };
            if !keep(&all) {
                self.unkept.store(true, Ordering::Release);
            }
        }
    }

    /// Adds one; whether it is new.
    pub(super) fn add(&self, labelled: &Labelled) -> bool {
        let mut all = self.lock();
        let new = !all.contains_key(&labelled.label);
        if new {
            all.insert(labelled.label.clone(), labelled.clone());
            self.unkept.store(true, Ordering::Release);
        }
        new
    }

    /// Adds them to the states that are saved.
    pub(crate) fn save(&self, states: &mut BTreeMap<String, Value>) {
        let all = self.all();
        if !all.is_empty()
            && let Ok(value) = json::to_value(&all)
        {
            states.insert(KEY.to_owned(), value);
        }
    }
}

/// What a session carries of which nobody can tell what it carried.
fn unreadable(at: Timestamp) -> Vec<Labelled> {
    let why = "what was kept of this session's labels cannot be read";
    Label::KNOWN.map(|label| Labelled::new(label, why, at)).into()
}
