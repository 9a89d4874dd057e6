//! What a session's background hooks have not done yet.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::base::sync::{Mutex, lock};
use crate::machinery::spawn::WakerSet;
use crate::plain::hook_info::HookInfo;

/// A background hook that is not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unfinished {
    /// The hook's full name.
    pub hook: String,
    /// How many of its runs wait or are under way.
    pub runs: usize,
}

impl Unfinished {
    /// Several of them as a text: `` `a.b` (2 runs), `c.d` ``.
    #[must_use]
    pub fn text(left: &[Self]) -> String {
        left.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.runs {
            1 => write!(f, "`{}`", self.hook),
            runs => write!(f, "`{}` ({runs} runs)", self.hook),
        }
    }
}

/// The background runs of a session that are not done.
#[derive(Default)]
pub(crate) struct Pending {
    /// Few: one row a hook.
    runs: Mutex<Vec<(Arc<HookInfo>, usize)>>,
    done: WakerSet,
}

impl Pending {
    /// Counts a run until the ticket is dropped.
    pub(super) fn ticket(self: &Arc<Self>, hook: &Arc<HookInfo>) -> Ticket {
        let mut runs = lock(&self.runs);
        match runs.iter_mut().find(|(known, _)| Arc::ptr_eq(known, hook)) {
            Some((_, count)) => *count += 1,
            None => runs.push((Arc::clone(hook), 1)),
        }
        Ticket { pending: Arc::clone(self), hook: Arc::clone(hook) }
    }

    /// Completes when there is none.
    pub(crate) async fn done(&self) {
        self.done.until(|| lock(&self.runs).is_empty().then_some(())).await;
    }

    /// Who is not done, by name.
    pub(crate) fn left(&self) -> Vec<Unfinished> {
        let mut left: Vec<Unfinished> = Vec::new();
        for (hook, runs) in &*lock(&self.runs) {
            // A hook may listen at several points.
            match left.iter_mut().find(|known| known.hook == hook.name) {
                Some(known) => known.runs += runs,
                None => left.push(Unfinished { hook: hook.name.clone(), runs: *runs }),
            }
        }
        left.sort_by(|one, other| one.hook.cmp(&other.hook));
        left
    }
}

/// A run that is not done.
pub(super) struct Ticket {
    pending: Arc<Pending>,
    hook: Arc<HookInfo>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut runs = lock(&self.pending.runs);
        if let Some(at) = runs.iter().position(|(known, _)| Arc::ptr_eq(known, &self.hook)) {
            runs[at].1 -= 1;
            if runs[at].1 == 0 {
                runs.swap_remove(at);
            }
        }
        let done = runs.is_empty();
        drop(runs);
        if done {
            self.pending.done.wake_all();
        }
    }
}
