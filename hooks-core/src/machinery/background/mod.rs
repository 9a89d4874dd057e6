//! Background hooks: work beside the chain, in order, bounded, and waited for at the end.
//!
//! The runs of one hook and session are a lane: they run one after the other in the order in which they were fired, and
//! so many wait at most. All lanes share the host's threads; so many runs are under way at once, and the lanes take
//! turns, so that one that hangs or is busy holds up nobody else. A run is a future: while it waits it holds no thread.
//!
//! Whoever queues a run is never held up: where a lane is full, an async wait for room is offered, and it is short.

mod lanes;
mod pending;

use std::collections::HashMap;
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::boxed::BoxFuture;
use crate::base::sync::{Mutex, lock};
use crate::machinery::spawn::{Spawn, SpawnError};
use crate::plain::hook_info::HookInfo;

pub(crate) use lanes::Lane;
use lanes::{Lanes, Receipt, Unqueued};
use pending::Ticket;

pub(crate) use pending::Pending;
pub use pending::Unfinished;

/// What happens when a lane is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// The event waits for room, at most `block_ms`, without holding a thread; then the run is dropped and counted.
    #[default]
    Block,
    /// The run is dropped and counted at once.
    Drop,
}

/// `[background]` in `hookspec.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BackgroundSettings {
    /// How many runs of one hook in one session wait at most.
    pub queue: usize,
    /// How many runs are under way at once, over all hooks and sessions.
    pub lanes: usize,
    /// What happens when a hook's queue is full.
    pub when_full: WhenFull,
    /// How long an event waits for room in it, in milliseconds.
    pub block_ms: u64,
    /// How long a session's end waits for its background work, in milliseconds.
    pub drain_ms: u64,
}

impl Default for BackgroundSettings {
    fn default() -> Self {
        Self { queue: 1024, lanes: 16, when_full: WhenFull::Block, block_ms: 50, drain_ms: 5_000 }
    }
}

/// What came of an attempt to queue a run.
pub(crate) enum Queued {
    /// It runs, or will.
    Yes,
    /// There is no room in its lane. Here it is again: try once more after [`Background::room`], or count it as dropped.
    Full(BoxFuture<'static, ()>),
    /// There is no thread for it. It is counted as dropped.
    Refused(SpawnError),
}

/// The background runs of one set of hooks.
pub(crate) struct Background {
    lanes: Arc<Lanes<Kept>>,
    settings: BackgroundSettings,
    spawn: Arc<dyn Spawn>,
    drops: Arc<Drops>,
}

impl Background {
    pub(crate) fn new(settings: BackgroundSettings, spawn: Arc<dyn Spawn>) -> Self {
        let lanes = Lanes::new(Arc::clone(&spawn), settings.queue, settings.lanes);
        Self { lanes, settings, spawn, drops: Arc::default() }
    }

    pub(crate) fn settings(&self) -> &BackgroundSettings {
        &self.settings
    }

    /// Queues a run behind those of the same hook and session, for which `pending` counts it. Never waits.
    ///
    /// It is polled on the host's threads, and its place is taken until it is ready: it should end by itself when its hook's
    /// time is up.
    pub(crate) fn enqueue(
        &self,
        info: &Arc<HookInfo>,
        lane: Lane,
        pending: &Arc<Pending>,
        run: BoxFuture<'static, ()>,
    ) -> Queued {
        let ticket = pending.ticket(info);
        let kept = Kept { info: Arc::clone(info), drops: Some(Arc::clone(&self.drops)), _ticket: ticket };
        match self.lanes.enqueue(lane, run, kept) {
            Ok(()) => Queued::Yes,
            Err(Unqueued::Full(run, kept)) => {
                kept.done();
                Queued::Full(run)
            }
            Err(Unqueued::NoThread(error)) => Queued::Refused(error),
        }
    }

    /// Completes when there is room for a run, or it has been waited for long enough.
    pub(crate) async fn room(&self, lane: Lane) {
        if self.settings.when_full == WhenFull::Drop {
            return;
        }
        let mut room = pin!(self.lanes.room(lane));
        let mut alarm = None;
        poll_fn(|cx| {
            if room.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            let limit = Duration::from_millis(self.settings.block_ms);
            alarm.get_or_insert_with(|| self.spawn.sleep(limit)).as_mut().poll(cx)
        })
        .await;
    }

    /// Counts a run that was not queued.
    pub(crate) fn dropped(&self, info: &HookInfo) {
        self.drops.count(info);
    }

    /// How many runs were dropped.
    pub(crate) fn drops(&self) -> u64 {
        self.drops.sum.load(Ordering::Relaxed)
    }

    /// How many runs of a hook were dropped.
    pub(crate) fn drops_of(&self, info: &HookInfo) -> u64 {
        let by_hook = lock(&self.drops.by_hook);
        by_hook.get(info.point.wire).and_then(|hooks| hooks.get(&info.name)).copied().unwrap_or_default()
    }
}

/// Runs that were dropped; by names, since a hook that is replaced is still the same one.
#[derive(Default)]
struct Drops {
    sum: AtomicU64,
    by_hook: Mutex<HashMap<&'static str, HashMap<String, u64>>>,
}

impl Drops {
    fn count(&self, info: &HookInfo) {
        self.sum.fetch_add(1, Ordering::Relaxed);
        let mut by_hook = lock(&self.by_hook);
        let hooks = by_hook.entry(info.point.wire).or_default();
        match hooks.get_mut(&info.name) {
            Some(count) => *count += 1,
            None => {
                hooks.insert(info.name.clone(), 1);
            }
        }
    }
}

/// What is kept for a run: the session waits for it, and it counts as dropped unless it came to its end.
struct Kept {
    info: Arc<HookInfo>,
    drops: Option<Arc<Drops>>,
    _ticket: Ticket,
}

impl Receipt for Kept {
    fn done(mut self) {
        self.drops = None;
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(drops) = &self.drops {
            drops.count(&self.info);
        }
    }
}

impl fmt::Debug for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Background")
            .field("settings", &self.settings)
            .field("dropped", &self.drops())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
