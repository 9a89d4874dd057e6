//! Hook points: named moments in an agent's life.
//!
//! A point is declared once, with [`hook_point!`](crate::hook_point), in any crate. From that declaration come the event
//! struct and its owned twin, the handle used by `#[hook]` and `fire!`,
//! the row in [`all_points`](crate::point::all_points), and the JSON Schema. There is no second list to keep in step.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::plain::filter::Subject;
use crate::plain::point_info::PointInfo;
use crate::plain::verdict::{AroundVerdict, FiredVerdict, Verdict};

/// The type-level face of a hook point. `hook_point!` implements it; nobody writes it by hand.
pub trait Point: Copy + Send + Sync + fmt::Debug + 'static {
    /// What a hook sees: a struct of borrowed or `Copy` fields.
    type Event<'e>: Copy + Serialize + Send + Sync + fmt::Debug;
    /// The event without borrows: for background hooks, for the wire, for replay. [`Never`](crate::point::Never) at a `local` point.
    type Owned: Serialize + DeserializeOwned + Send + Sync + fmt::Debug + 'static;
    /// How the hooks' results combine.
    type Verdict: Verdict;
    /// The declaration as data.
    const INFO: &'static PointInfo;

    /// Copies an event out of its borrows; `None` at a `local` point, whose events cannot be copied.
    fn own(event: &Self::Event<'_>) -> Option<Self::Owned>;
    /// Borrows an owned event.
    fn lend(owned: &Self::Owned) -> Self::Event<'_>;
    /// The event with the folded value in place of the original, where there is one.
    fn with<'s, 'l: 's>(
        event: &Self::Event<'l>,
        value: Option<&'s <Self::Verdict as Verdict>::Fold>,
    ) -> Self::Event<'s>;
    /// What the event is about, for hooks that are called for some tools or files only.
    fn subject<'s>(event: &'s Self::Event<'_>) -> Subject<'s>;
}

/// A point that fires: every one whose verdict is not `Around<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a point around work: it does not fire",
    label = "write `around!(session, POINT {{ … }}, async |event| …).await`, or `around_now!` in a host without a runtime"
)]
pub trait FiredPoint: Point<Verdict: FiredVerdict> {}
#[diagnostic::do_not_recommend]
impl<P: Point<Verdict: FiredVerdict>> FiredPoint for P {}

/// A point around work of the host's: its verdict is `Around<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no point around work: nothing can be wrapped there",
    label = "write `fire!(session, POINT {{ … }}).await`, or `fire_now!` in a host without a runtime"
)]
pub trait AroundPoint: Point<Verdict: AroundVerdict> {}
#[diagnostic::do_not_recommend]
impl<P: Point<Verdict: AroundVerdict>> AroundPoint for P {}
