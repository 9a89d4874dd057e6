//! The chain of points that are being fired from within hooks, so that a cycle ends.

use std::cell::Cell;

use crate::point::PointInfo;

/// How deep hooks may fire points from within hooks.
pub(crate) const DEEPEST: usize = 8;

#[derive(Clone, Copy, Default)]
pub(crate) struct Chain {
    depth: usize,
    points: [Option<&'static PointInfo>; DEEPEST],
}

struct Frames {
    depth: Cell<usize>,
    points: [Cell<Option<&'static PointInfo>>; DEEPEST],
}

thread_local! {
    // Not state of a session: only what is on this thread's stack right now. Async hooks put theirs here
    // for the length of each poll.
    static FRAMES: Frames = const {
        Frames { depth: Cell::new(0), points: [const { Cell::new(None) }; DEEPEST] }
    };
}

/// Leaves the point when dropped.
pub(crate) struct Frame(());

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        FRAMES.with(|frames| frames.depth.set(frames.depth.get() - 1));
    }
}

/// Enters a point; the chain's text if that would be too deep.
#[inline]
pub(crate) fn enter(point: &'static PointInfo) -> Result<Frame, String> {
    FRAMES.with(|frames| {
        let depth = frames.depth.get();
        match frames.points.get(depth) {
            Some(slot) => {
                slot.set(Some(point));
                frames.depth.set(depth + 1);
                Ok(Frame(()))
            }
            None => Err(current().text(point)),
        }
    })
}

/// The chain on this thread.
pub(crate) fn current() -> Chain {
    FRAMES.with(|frames| {
        let depth = frames.depth.get();
        let mut chain = Chain { depth, ..Chain::default() };
        for (to, from) in chain.points.iter_mut().zip(&frames.points[..depth]) {
            *to = from.get();
        }
        chain
    })
}

impl Chain {
    /// This chain with one more point; its text if that is too deep.
    pub(crate) fn with(mut self, point: &'static PointInfo) -> Result<Self, String> {
        match self.points.get_mut(self.depth) {
            Some(slot) => {
                *slot = Some(point);
                self.depth += 1;
                Ok(self)
            }
            None => Err(self.text(point)),
        }
    }

    fn text(&self, last: &PointInfo) -> String {
        let mut text = String::new();
        for point in self.points[..self.depth].iter().flatten() {
            text.push_str(point.wire);
            text.push_str(" → ");
        }
        text + last.wire
    }

    /// Runs `work` with this chain on the thread, then puts the thread's own back.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Restore(Chain);
        impl Drop for Restore {
            fn drop(&mut self) {
                self.0.install();
            }
        }
        let _restore = Restore(current());
        self.install();
        work()
    }

    fn install(&self) {
        FRAMES.with(|frames| {
            frames.depth.set(self.depth);
            for (to, from) in frames.points.iter().zip(self.points) {
                to.set(from);
            }
        });
    }
}
