//! What the levels of one chain around work share, and what each ends with.

use std::any::Any;
use std::sync::Arc;

use crate::base::boxed::BoxFuture;
use crate::base::sync::{Mutex, lock};
use crate::declared::around::{Heard, Lost};
use crate::declared::entry::Call;
use crate::declared::json_call::JsonOnce;
use crate::declared::point::Point;
use crate::machinery::chain::Chain;
use crate::plain::verdict::Verdict;
use crate::registry::{HookSlot, Slots};
use crate::session::Session;

use super::super::progress::On;

/// What the work at a point gives.
pub(super) type Given<P> = <<P as Point>::Verdict as Verdict>::First;
/// What hooks may change of what goes in.
pub(super) type Input<P> = <<P as Point>::Verdict as Verdict>::Fold;

/// A result, and the hook that gave it in place of the work.
pub(super) struct Got<T> {
    pub(super) value: T,
    pub(super) by: Option<usize>,
}

/// How a level ended.
pub(super) type Ended<P> = Result<Got<Given<P>>, Broken>;

/// Why there is no result.
pub(super) enum Broken {
    /// The work panicked.
    Panic(Box<dyn Any + Send>),
    /// A hook further in cancelled it.
    Lost(Lost),
    /// There is no work.
    Nothing,
}

/// The host's work.
pub(super) trait Work<P: Point>: Send + Sync {
    /// Begins it on an event; `None` where there is none.
    fn call<'a>(&'a self, event: P::Event<'a>) -> Option<BoxFuture<'a, Given<P>>>;
}

/// Runs the rest of a chain.
pub(super) type RestOf<'e, P> =
    for<'l> fn(&'l Env<'e, P>, usize, Option<Arc<Input<P>>>) -> BoxFuture<'l, Ended<P>>;

/// What all levels share.
pub(super) struct Env<'e, P: Point> {
    pub(super) slots: &'e Slots<P>,
    pub(super) session: &'e Session,
    /// The rest of the chain from a hook on, on that input.
    pub(super) rest: RestOf<'e, P>,
    pub(super) event: P::Event<'e>,
    pub(super) work: &'e dyn Work<P>,
    pub(super) on: On,
    /// Whether hooks are waited for at all.
    pub(super) may_wait: bool,
    /// Whether this thread waits for what is not ready, because no future does.
    pub(super) now: bool,
    pub(super) watched: bool,
    pub(super) chain: Chain,
    pub(super) heard: Mutex<Heard>,
    /// The event as JSON, where a hook wanted it so, and the input that was in it.
    pub(super) json: Mutex<(Option<Arc<Input<P>>>, JsonOnce)>,
}

impl<P: Point> Env<'_, P> {
    /// Where a hook that takes JSON finds the event with that input.
    pub(super) fn json(&self, hook: &HookSlot<P>, input: Option<&Arc<Input<P>>>) -> JsonOnce {
        if !matches!(hook.call, Call::Json(_)) {
            return JsonOnce::NONE;
        }
        let mut held = lock(&self.json);
        if held.0.as_ref().map(Arc::as_ptr) != input.map(Arc::as_ptr) {
            *held = (input.cloned(), JsonOnce::NONE);
        }
        held.1.shared()
    }
}
