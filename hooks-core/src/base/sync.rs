//! The locks, threads and clock of what hands work from thread to thread.
//!
//! One place, so that the models in `tests/models` can put their own in: they include the very files that use these,
//! and run them in every order that threads may take.

use std::sync::PoisonError;
use std::thread;

pub(crate) use super::instant::Instant;
pub(crate) use std::sync::atomic::{AtomicU64, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

/// Locks. A panic elsewhere does not make what is in it useless: nobody holds one of these while foreign code runs.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a thread.
pub(crate) fn start(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name(name.into()).spawn(work).map(drop)
}

/// The machine's time.
pub(crate) fn now() -> Instant {
    Instant::now()
}
