//! Whose turn it is to append, and whose to flush.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::machinery::spawn::WakerSet;

thread_local! {
    /// Its address tells threads apart, in less time than their ids take.
    static HERE: u8 = const { 0 };
}

fn this_thread() -> usize {
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

/// The thread that is at something, so that it is found out when it comes back to it from within.
#[derive(Default)]
pub(super) struct Holder(AtomicUsize);

impl Holder {
    // Relaxed: only this thread stores this thread's address.
    pub(super) fn is_this_thread(&self) -> bool {
        self.0.load(Ordering::Relaxed) == this_thread()
    }

    fn set(&self) {
        self.0.store(this_thread(), Ordering::Relaxed);
    }

    fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Does something as the holder.
    pub(super) fn during(&self, work: &mut dyn FnMut()) {
        struct Leave<'a>(&'a Holder);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.0.clear();
            }
        }
        self.set();
        let _leave = Leave(self);
        work();
    }
}

/// One at a time; a thread that has the turn gets no second one.
#[derive(Default)]
pub(super) struct Turn {
    lock: Mutex<()>,
    holder: Holder,
}

/// Has the turn until it is dropped.
pub(super) struct Entered<'a> {
    turn: &'a Turn,
    _lock: MutexGuard<'a, ()>,
}

impl Turn {
    /// Waits for the turn. `None`: this thread has it already.
    pub(super) fn enter(&self) -> Option<Entered<'_>> {
        if self.is_mine() {
            return None;
        }
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.holder.set();
        Some(Entered { turn: self, _lock: lock })
    }

    pub(super) fn is_mine(&self) -> bool {
        self.holder.is_this_thread()
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.turn.holder.clear();
    }
}

/// One flush at a time; the others wait without a thread.
#[derive(Default)]
pub(super) struct Gate {
    busy: AtomicBool,
    waiting: WakerSet,
}

/// Is let through the gate until it is dropped.
pub(super) struct Pass<'a>(&'a Gate);

impl Gate {
    pub(super) async fn enter(&self) -> Pass<'_> {
        self.waiting.until(|| (!self.busy.swap(true, Ordering::AcqRel)).then(|| Pass(self))).await
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Release);
        self.0.waiting.wake_one();
    }
}
