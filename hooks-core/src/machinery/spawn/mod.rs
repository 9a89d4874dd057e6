//! Spawn: the threads and timers that hooks need and core does not own.
//!
//! Core has no async runtime. What cannot run in the caller's thread (background and blocking hooks, timeouts)
//! goes through this trait. A host with a runtime implements it with that; [`Threads`] does with plain
//! threads, few and kept for reuse.

mod alarms;
mod blocking;
mod oneshot;
mod task;
mod threads;
mod wakers;

use std::fmt;
use std::time::Duration;

use crate::base::boxed::BoxFuture;

pub(crate) use blocking::{Given, blocking, give};
pub(crate) use oneshot::Oneshot;
pub(crate) use task::{Ended, Task};
pub use threads::Threads;
pub(crate) use wakers::WakerSet;

/// Work for a pool thread; it may block.
pub type Job = Box<dyn FnOnce() + Send>;

/// Runs what hooks cannot run in place.
///
/// Who implements it promises:
///
/// - **A job that waits for other jobs gets on.** Hooks fire points from within hooks: a job may call
///   [`block_on`](Self::block_on) and wait there for another job, which may do the same, and hundreds may at once. So a
///   thread that waits in `block_on` must not count among those that a fixed number of threads is made of. [`Threads`]
///   lends its place to another one for as long.
/// - **A job runs once or not at all**, not on the thread that gives it and before `run` returns. One that cannot run is dropped.
/// - **What waits for a time costs nothing once it is dropped**, and no waker is woken under a lock: it may ask
///   for another alarm, or panic.
/// - **Any duration** is fine, [`Duration::MAX`] too: it never comes.
pub trait Spawn: Send + Sync + fmt::Debug + 'static {
    /// Runs a job on a thread that may block. Never waits for a place.
    ///
    /// # Errors
    /// If no thread could be had for it; the job was not run.
    fn run(&self, job: Job) -> Result<(), SpawnError>;

    /// Completes after `duration`. To drop it cancels it.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Runs a future to its end on this thread. Called only where [`may_block`](Self::may_block) says so.
    fn block_on(&self, future: BoxFuture<'_, ()>);

    /// Whether this very thread may wait in [`block_on`](Self::block_on). One that drives an event loop may not: what is
    /// waited for could need that loop. A hook that would have to be waited for there fails at once, and a gate denies.
    fn may_block(&self) -> bool {
        true
    }
}

/// No thread could be had.
#[derive(Debug, thiserror::Error)]
#[error("no thread could be had for a hook: {0}")]
pub struct SpawnError(pub String);

/// Work that was to block a thread of the host's and gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlockingError {
    /// It was not begun.
    #[error(transparent)]
    NoThread(#[from] SpawnError),
    /// It panicked.
    #[error("work on a thread that may block panicked: {0}")]
    Panic(String),
}

#[cfg(test)]
mod tests;
