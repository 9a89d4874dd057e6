//! How far a chain of hooks came, and which of them run.

use crate::declared::fired::Fired;
use crate::declared::json_call::JsonOnce;
use crate::declared::point::Point;
use crate::plain::verdict::Verdict;
use crate::registry::Slots;
use crate::session::{Session, Ticket};

/// The folded value while a chain runs, outside of `Fired` so that the next event can borrow it.
pub(super) type FoldOf<P> = <<P as Point>::Verdict as Verdict>::Fold;

/// How far a chain of hooks came.
pub(super) struct Progress<P: Point> {
    /// The next hook to run.
    pub(super) next: usize,
    /// Its turn, where it waits for its state.
    pub(super) ticket: Option<Ticket>,
    /// The hooks that run, once that is decided.
    pub(super) on: On,
    pub(super) value: Option<FoldOf<P>>,
    /// The event with that value as JSON, where a hook wanted it so.
    pub(super) json: JsonOnce,
    pub(super) fired: Fired<P::Verdict>,
}

impl<P: Point> Progress<P> {
    pub(super) const fn none() -> Self {
        Self {
            next: 0,
            ticket: None,
            on: On::Undecided,
            value: None,
            json: JsonOnce::NONE,
            fired: Fired::SILENT,
        }
    }

    pub(super) fn end(mut self) -> Fired<P::Verdict> {
        if let Some(value) = self.value {
            self.fired.told().fold = Some(value);
        }
        self.fired
    }
}

/// Which hooks of a chain run: decided when it begins, so that what one of them switches counts from the next time on.
pub(super) enum On {
    Undecided,
    All,
    /// A bit each.
    Some(Vec<u64>),
}

impl On {
    pub(super) fn decide<P: Point>(slots: &Slots<P>, session: &Session) -> Self {
        let off = session.off_names();
        if off.is_none() && slots.all_on() {
            return Self::All;
        }
        let mut bits = vec![0_u64; slots.hooks.len().div_ceil(64)];
        for (index, hook) in slots.hooks.iter().enumerate() {
            let off = off.as_ref().is_some_and(|off| off.contains(&hook.info.name));
            if hook.switch.is_on() && !off {
                bits[index / 64] |= 1 << (index % 64);
            }
        }
        Self::Some(bits)
    }

    pub(super) fn has(&self, index: usize) -> bool {
        match self {
            Self::Some(bits) => bits[index / 64] & (1 << (index % 64)) != 0,
            Self::All | Self::Undecided => true,
        }
    }
}

/// What the fast loop came to.
pub(super) enum Quick<P: Point> {
    Done(Fired<P::Verdict>),
    /// The rest is for the slow loop; boxed, for it is rare.
    Rest(Option<Box<Progress<P>>>),
}

pub(super) fn unboxed<P: Point>(progress: Option<Box<Progress<P>>>) -> Progress<P> {
    progress.map_or_else(Progress::none, |progress| *progress)
}
