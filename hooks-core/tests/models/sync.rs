//! Loom's locks and threads, and a clock that goes on when somebody waits for it.

use std::cell::Cell;
use std::sync::{LockResult, PoisonError};
use std::time::Duration;

pub(crate) use std::time::Instant;

pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
pub(crate) use loom::sync::{Mutex, MutexGuard};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn start(_: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    loom::thread::spawn(work);
    Ok(())
}

thread_local! {
    // Loom runs the threads of a model on one real one.
    static CLOCK: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

pub(crate) fn now() -> Instant {
    let (start, gone) = CLOCK.get().unwrap_or_else(|| (Instant::now(), Duration::ZERO));
    CLOCK.set(Some((start, gone)));
    start + gone
}

fn pass(time: Duration) {
    let now = now();
    CLOCK.set(Some((now, time)));
}

#[derive(Default)]
pub(crate) struct Condvar(loom::sync::Condvar);

impl Condvar {
    /// Waits longer than this are only ended by a notification: whoever needs it earlier has to send one.
    pub(crate) const SHORT: Duration = Duration::from_secs(5);

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    #[allow(clippy::type_complexity)]
    pub(crate) fn wait_timeout<'g, T>(
        &self,
        guard: MutexGuard<'g, T>,
        time: Duration,
    ) -> LockResult<(MutexGuard<'g, T>, bool)> {
        if time > Self::SHORT {
            return Ok((self.0.wait(guard).unwrap_or_else(PoisonError::into_inner), false));
        }
        pass(time);
        Ok((guard, true))
    }
}
