//! The chain of firings, as far as states ask for it, on loom's threads.

use std::cell::{Cell, RefCell};

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame(pub(crate) usize);

impl Frame {
    pub(crate) const NONE: Self = Self(0);
}

/// At most one firing deep.
#[derive(Clone, Copy)]
pub(crate) struct Chain(Frame);

loom::thread_local! {
    static FRAME: Cell<usize> = Cell::new(0);
    static RUN: RefCell<Option<CutOff>> = RefCell::new(None);
}

/// Whether a run was cut off.
#[derive(Clone)]
pub(crate) struct CutOff(Arc<AtomicBool>);

impl CutOff {
    /// Whatever this thread does from now on it does within this run.
    pub(crate) fn begin() -> Self {
        let run = Self(Arc::new(AtomicBool::new(false)));
        RUN.with(|held| held.replace(Some(run.clone())));
        run
    }

    pub(crate) fn of_this_run() -> Option<Self> {
        RUN.with(|held| held.borrow().clone())
    }

    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Whatever this thread does from now on it does within this firing.
pub(crate) fn enter(frame: usize) {
    FRAME.with(|held| held.set(frame));
}

pub(crate) fn frame() -> Frame {
    FRAME.with(|held| Frame(held.get()))
}

pub(crate) fn current() -> Chain {
    Chain(frame())
}

impl Chain {
    pub(crate) fn holds(&self, frame: Frame) -> bool {
        frame != Frame::NONE && self.0 == frame
    }

    pub(crate) fn innermost(&self) -> Frame {
        self.0
    }
}
