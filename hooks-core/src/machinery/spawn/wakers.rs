//! Who waits for something that several may wait for.

use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Poll, Waker};

use crate::base::sync::{Mutex, lock};

/// The wakers of all who wait for one thing, each under an id: who is dropped takes its waker along, and to come and
/// go costs the logarithm of how many wait. They are woken first come first served, and never under the lock.
#[derive(Default)]
pub(crate) struct WakerSet(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    next: u64,
    wakers: BTreeMap<u64, Waker>,
}

impl WakerSet {
    /// Completes with what `ready` gives once it gives something. Whoever changes what `ready` looks at wakes afterwards;
    /// `ready` may lock, and is asked under no lock of ours.
    pub(crate) async fn until<T>(&self, mut ready: impl FnMut() -> Option<T>) -> T {
        let mut place = Place { set: self, id: None, over: false };
        poll_fn(|cx| {
            let mut found = ready();
            if found.is_none() {
                place.keep(cx.waker());
                // What came true in between woke nobody: it is seen here, or whoever makes it true finds us waiting.
                found = ready();
            }
            place.over = found.is_some();
            found.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// Wakes who has waited longest; `false` if nobody waits. One that is dropped before it looked hands this on.
    pub(crate) fn wake_one(&self) -> bool {
        let first = lock(&self.0).wakers.pop_first();
        let found = first.is_some();
        if let Some((_, waker)) = first {
            wake(waker);
        }
        found
    }

    /// Wakes all who wait.
    pub(crate) fn wake_all(&self) {
        let woken = std::mem::take(&mut lock(&self.0).wakers);
        woken.into_values().for_each(wake);
    }

    /// How many wait.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.0).wakers.len()
    }
}

impl fmt::Debug for WakerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WakerSet")
    }
}

/// One who waits.
struct Place<'s> {
    set: &'s WakerSet,
    id: Option<u64>,
    over: bool,
}

impl Place<'_> {
    /// Registers a waker, or puts it in place of an older one of ours.
    fn keep(&mut self, waker: &Waker) {
        let waker = waker.clone();
        let mut waiting = lock(&self.set.0);
        // Woken in vain, one keeps its place in the order.
        let id = *self.id.get_or_insert_with(|| {
            waiting.next += 1;
            waiting.next
        });
        let old = waiting.wakers.insert(id, waker);
        drop(waiting);
        // To drop a waker can run what it belongs to, which may come back here.
        forget(old);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id else { return };
        let own = lock(&self.set.0).wakers.remove(&id);
        if own.is_none() && !self.over {
            // It was woken and will not look: the next one does.
            self.set.wake_one();
        }
        forget(own);
    }
}

/// Wakes; what a foreign waker does stays its own affair.
pub(crate) fn wake(waker: Waker) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
        tracing::error!("a waker panicked");
        forget(payload);
    }
}

/// Drops what is not ours, and whose drop may panic.
pub(crate) fn forget<T>(foreign: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(foreign))) {
        std::mem::forget(payload);
    }
}
