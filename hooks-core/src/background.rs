//! Background hooks: work beside the chain, in order, bounded, and waited for at the end.
//!
//! A job goes to one of a few lanes, chosen by its hook and session, so that the jobs of one hook and
//! session run one after the other in the order they were fired. A lane is a bounded queue served by at most
//! one thread, which goes away when the queue is empty. A full lane blocks the producer for a moment, then
//! the job is dropped and counted: an agent is never held up by its observers.

use std::collections::VecDeque;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::session::Session;
use crate::spawn::{Job, Spawn};

/// What happens when a lane is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// The producer waits for a place, at most `block_ms`; then the job is dropped and counted.
    #[default]
    Block,
    /// The job is dropped and counted at once.
    Drop,
}

/// `[background]` in `hookspec.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BackgroundSettings {
    /// How many jobs wait in a lane at most.
    pub queue: usize,
    /// How many lanes there are: jobs of different hooks or sessions may run side by side.
    pub lanes: usize,
    /// What happens when a lane is full.
    pub when_full: WhenFull,
    /// How long a producer waits for a place, in milliseconds.
    pub block_ms: u64,
    /// How long a session's end waits for its background work, in milliseconds.
    pub drain_ms: u64,
}

impl Default for BackgroundSettings {
    fn default() -> Self {
        Self { queue: 1024, lanes: 4, when_full: WhenFull::Block, block_ms: 50, drain_ms: 5_000 }
    }
}

/// How many background jobs of a session are not done.
#[derive(Default)]
pub(crate) struct Pending {
    count: Mutex<usize>,
    done: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pending {
    pub(crate) fn wait(&self, deadline: Duration) -> usize {
        let end = Instant::now() + deadline;
        let mut count = lock(&self.count);
        while *count > 0 {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            count = self.done.wait_timeout(count, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *count
    }
}

/// Counts a job as pending until it is dropped, however it ends.
struct Ticket(Arc<Pending>);

impl Ticket {
    fn take(pending: &Arc<Pending>) -> Self {
        *lock(&pending.count) += 1;
        Self(Arc::clone(pending))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        *lock(&self.0.count) -= 1;
        self.0.done.notify_all();
    }
}

/// The lanes of one set of hooks.
pub(crate) struct Background {
    lanes: Box<[Arc<Lane>]>,
    settings: BackgroundSettings,
    spawn: Arc<dyn Spawn>,
    dropped: AtomicU64,
}

#[derive(Default)]
struct Lane {
    queue: Mutex<Queue>,
    room: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<(Ticket, Job)>,
    served: bool,
}

impl Background {
    pub(crate) fn new(settings: BackgroundSettings, spawn: Arc<dyn Spawn>) -> Self {
        let lanes = (0..settings.lanes.max(1)).map(|_| Arc::default()).collect();
        Self { lanes, settings, spawn, dropped: AtomicU64::new(0) }
    }

    pub(crate) fn settings(&self) -> &BackgroundSettings {
        &self.settings
    }

    /// How many jobs were dropped because a lane was full.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Queues a job; `false` if it was dropped.
    pub(crate) fn enqueue(&self, hook: usize, session: &Session, job: Job) -> bool {
        let mut hasher = DefaultHasher::new();
        (hook, session.same()).hash(&mut hasher);
        let lane = &self.lanes[(hasher.finish() % self.lanes.len() as u64) as usize];
        let mut queue = lock(&lane.queue);
        if queue.jobs.len() >= self.settings.queue {
            queue = match self.wait_for_room(lane, queue) {
                Some(queue) => queue,
                None => {
                    self.dropped.fetch_add(1, Ordering::Relaxed);
                    return false;
                }
            };
        }
        queue.jobs.push_back((Ticket::take(session.pending()), job));
        if !queue.served {
            queue.served = true;
            let served = Arc::clone(lane);
            if let Err(error) = self.spawn.run(Box::new(move || served.serve())) {
                tracing::error!(%error, "a background hook does not run");
                queue.served = false;
                queue.jobs.pop_back();
                self.dropped.fetch_add(1, Ordering::Relaxed);
                return false;
            }
        }
        true
    }

    fn wait_for_room<'q>(
        &self,
        lane: &'q Lane,
        mut queue: MutexGuard<'q, Queue>,
    ) -> Option<MutexGuard<'q, Queue>> {
        if self.settings.when_full == WhenFull::Drop {
            return None;
        }
        let end = Instant::now() + Duration::from_millis(self.settings.block_ms);
        while queue.jobs.len() >= self.settings.queue {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            queue = lane.room.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        Some(queue)
    }
}

impl Lane {
    fn serve(&self) {
        loop {
            let mut queue = lock(&self.queue);
            let Some((ticket, job)) = queue.jobs.pop_front() else {
                queue.served = false;
                return;
            };
            drop(queue);
            self.room.notify_one();
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
            drop(ticket);
        }
    }
}

impl fmt::Debug for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Background")
            .field("settings", &self.settings)
            .field("dropped", &self.dropped)
            .finish_non_exhaustive()
    }
}
