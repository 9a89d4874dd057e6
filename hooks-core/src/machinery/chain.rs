//! The chain of points that are being fired from within hooks, so that a cycle ends and a wait that could never end is seen.
//!
//! What is on a thread's stack is noted on the thread. What leaves it takes its chain along: a future puts it on the thread for
//! the length of each poll, a job on a pool thread and a background run for as long as they last.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::plain::point_info::PointInfo;

/// How deep hooks may fire points from within hooks.
pub(crate) const DEEPEST: usize = 8;

/// One point that is being fired.
#[derive(Clone, Copy)]
struct Link {
    point: &'static PointInfo,
    frame: Frame,
}

impl PartialEq for Link {
    fn eq(&self, other: &Self) -> bool {
        self.frame == other.frame && std::ptr::eq(self.point, other.point)
    }
}

/// Tells one firing of a point from every other that is under way: the address of something that lives as long as it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame(usize);

impl Frame {
    /// No firing at all, or one that does not wait for what it caused.
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn of<T>(alive: &T) -> Self {
        Self(std::ptr::from_ref(alive) as usize)
    }
}

/// The points that are being fired, outermost first.
#[derive(Clone, Copy, Default)]
pub(crate) struct Chain {
    depth: usize,
    links: [Option<Link>; DEEPEST],
}

struct Stack {
    depth: Cell<usize>,
    links: [Cell<Option<Link>>; DEEPEST],
}

thread_local! {
    // Not state of a session: only what is on this thread's stack right now.
    static STACK: Stack = const {
        Stack { depth: Cell::new(0), links: [const { Cell::new(None) }; DEEPEST] }
    };
}

/// Whether a run on a pool thread was cut off. What it takes afterwards is then known to be held by such a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct CutOff(Arc<AtomicBool>);

thread_local! {
    static RUN: RefCell<Option<CutOff>> = const { RefCell::new(None) };
}

impl CutOff {
    /// That of the run on this thread; `None` where there is nobody who could cut it off.
    pub(crate) fn of_this_run() -> Option<Self> {
        RUN.with_borrow(Clone::clone)
    }

    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Runs `work`, which must not panic, as the run that this is about.
    pub(crate) fn during<T>(self, work: impl FnOnce() -> T) -> T {
        let before = RUN.replace(Some(self));
        let done = work();
        RUN.set(before);
        done
    }
}

/// Leaves the point when dropped.
pub(crate) struct Entered(());

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        STACK.with(|stack| stack.depth.set(stack.depth.get() - 1));
    }
}

/// Enters a point; the chain's text if that would be too deep.
#[inline]
pub(crate) fn enter(point: &'static PointInfo, frame: Frame) -> Result<Entered, String> {
    STACK.with(|stack| {
        let depth = stack.depth.get();
        match stack.links.get(depth) {
            Some(slot) => {
                slot.set(Some(Link { point, frame }));
                stack.depth.set(depth + 1);
                Ok(Entered(()))
            }
            None => Err(current().text(point)),
        }
    })
}

/// The chain on this thread.
pub(crate) fn current() -> Chain {
    STACK.with(|stack| {
        let depth = stack.depth.get();
        let mut chain = Chain { depth, ..Chain::default() };
        for (to, from) in chain.links.iter_mut().zip(&stack.links[..depth]) {
            *to = from.get();
        }
        chain
    })
}

/// The innermost firing on this thread.
pub(crate) fn frame() -> Frame {
    STACK.with(|stack| {
        let innermost = stack.depth.get().checked_sub(1).and_then(|last| stack.links[last].get());
        innermost.map_or(Frame::NONE, |link| link.frame)
    })
}

impl Chain {
    /// This chain with one more point; its text if that is too deep.
    pub(crate) fn with(mut self, point: &'static PointInfo, frame: Frame) -> Result<Self, String> {
        match self.links.get_mut(self.depth) {
            Some(slot) => {
                *slot = Some(Link { point, frame });
                self.depth += 1;
                Ok(self)
            }
            None => Err(self.text(point)),
        }
    }

    /// The same points for work that nobody in the chain waits for, and that is a firing of its own.
    pub(crate) fn detached(mut self, own: Frame) -> Self {
        for link in self.links.iter_mut().flatten() {
            link.frame = Frame::NONE;
        }
        if let Some(Some(last)) = self.depth.checked_sub(1).map(|last| &mut self.links[last]) {
            last.frame = own;
        }
        self
    }

    /// The innermost firing.
    pub(crate) fn innermost(&self) -> Frame {
        let last = self.depth.checked_sub(1).and_then(|last| self.links[last]);
        last.map_or(Frame::NONE, |link| link.frame)
    }

    /// Whether a firing is in it.
    pub(crate) fn holds(&self, frame: Frame) -> bool {
        frame != Frame::NONE && self.links[..self.depth].iter().flatten().any(|link| link.frame == frame)
    }

    fn text(&self, last: &PointInfo) -> String {
        let mut text = String::new();
        for link in self.links[..self.depth].iter().flatten() {
            text.push_str(link.point.wire);
            text.push_str(" → ");
        }
        text + last.wire
    }

    /// Runs `work` with this chain on the thread, then puts the thread's own back.
    #[inline]
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let _restore = if self.is_next() {
            // Polled where it was begun: only its own link is missing.
            STACK.with(|stack| {
                stack.links[self.depth - 1].set(self.links[self.depth - 1]);
                stack.depth.set(self.depth);
            });
            Restore::Left(Entered(()))
        } else {
            let was = Whole(current());
            self.install();
            Restore::Whole(was)
        };
        work()
    }

    /// Whether the thread's chain is this one without its last link.
    fn is_next(&self) -> bool {
        STACK.with(|stack| {
            let depth = stack.depth.get();
            depth + 1 == self.depth
                && stack.links[..depth].iter().zip(&self.links).all(|(held, own)| held.get() == *own)
        })
    }

    fn install(&self) {
        STACK.with(|stack| {
            stack.depth.set(self.depth);
            for (to, from) in stack.links.iter().zip(self.links) {
                to.set(from);
            }
        });
    }
}

/// Puts the thread's own chain back when dropped.
#[allow(dead_code)] // held for what happens when they go
enum Restore {
    Left(Entered),
    Whole(Whole),
}

struct Whole(Chain);

impl Drop for Whole {
    fn drop(&mut self) {
        self.0.install();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::Point;
    use crate::points::{STEP_PRE, TURN_POST};

    #[test]
    fn a_chain_goes_onto_another_thread_and_leaves_it_as_it_was() {
        let here = 0_u8;
        let _entered = enter(TURN_POST::Point::INFO, Frame::of(&here)).unwrap();
        let chain = current().with(STEP_PRE::Point::INFO, Frame(7)).unwrap();
        assert!(chain.is_next() && chain.holds(Frame(7)) && chain.holds(Frame::of(&here)));
        chain.during(|| assert_eq!((current().depth, frame()), (2, Frame(7))));
        assert_eq!((current().depth, frame()), (1, Frame::of(&here)));
        std::thread::spawn(move || {
            assert!(!chain.is_next());
            chain.during(|| assert_eq!((current().depth, frame()), (2, Frame(7))));
            assert_eq!((current().depth, frame()), (0, Frame::NONE));
            let left = chain.detached(Frame(9));
            assert!(!left.holds(Frame(7)) && !left.holds(Frame::NONE) && left.innermost() == Frame(9));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn the_ninth_is_refused_with_the_chain() {
        let mut chain = Chain::default();
        for _ in 0..DEEPEST {
            chain = chain.with(TURN_POST::Point::INFO, Frame::NONE).unwrap();
        }
        let text = chain.with(STEP_PRE::Point::INFO, Frame::NONE).map(drop).unwrap_err();
        assert!(text.starts_with("turn.post → turn.post") && text.ends_with("→ step.pre"), "{text}");
        assert_eq!(text.matches('→').count(), DEEPEST);
    }
}
