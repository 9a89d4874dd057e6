//! The chain of firings, as far as states ask for it, on loom's threads.

use std::cell::Cell;

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
