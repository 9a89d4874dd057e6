//! Dispatch: running the hooks of a point on one event.
//!
//! Three ways, from the common to the general:
//! - nobody listens: one branch;
//! - every hook is a plain sync function and nobody watches: the loop in [`fast`], which costs what a
//!   hand-written loop over function pointers costs;
//! - anything else (an observer, async, blocking, background or once-only hooks, closures, hooks switched off, time
//!   limits, a state that somebody else holds): the loop in [`slow`].
//!
//! Hooks around work are apart, in [`around`](mod@around): there each runs the rest of its chain.
//!
//! All three promise the same: priority order, each hook sees what earlier ones emitted, no panic gets out,
//! a hook that fails costs only itself, and a gate that fails denies. The reference model in `tests/model` says what
//! that is, and every way is held to it.

mod around;
mod background;
mod fast;
mod limit;
mod pool;
mod progress;
mod settle;
mod slow;
mod watch;

use std::any::TypeId;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::declared::fired::Fired;
use crate::declared::point::{FiredPoint, Point};
use crate::registry::{Handle, Slots};
use crate::session::Session;

use progress::{FoldOf, On, Progress, Quick, unboxed};

pub(crate) use around::around_nothing;
pub use around::{around, around_now};

impl<P: FiredPoint> Handle<P> {
    /// Runs the hooks of this point on one event.
    ///
    /// The future is ready at once unless an async or blocking hook is among them, or a hook waits for its state.
    pub async fn fire(&self, session: &Session, event: P::Event<'_>) -> Fired<P::Verdict> {
        match quick::<P>(&self.0, session, &event) {
            Quick::Done(fired) => fired,
            Quick::Rest(progress) => slow::run::<P>(&self.0, session, event, true, unboxed(progress)).await,
        }
    }

    /// Runs the hooks of this point on one event, on this thread.
    ///
    /// For sync hosts, which build their registry with [`sync_host`](crate::registry::RegistryBuilder::sync_host) so
    /// that no async hook gets selected. Where one is selected all the same, this thread waits for it; if it may not, for it
    /// drives an async runtime that has no other, that hook fails and says so.
    #[inline]
    pub fn fire_now(&self, session: &Session, event: P::Event<'_>) -> Fired<P::Verdict> {
        match quick::<P>(&self.0, session, &event) {
            Quick::Done(fired) => fired,
            Quick::Rest(progress) => wait::<P>(&self.0, session, event, unboxed(progress)),
        }
    }
}

/// The outcome, where it can be had without the slow loop.
#[inline]
fn quick<P: Point>(slots: &Slots<P>, session: &Session, event: &P::Event<'_>) -> Quick<P> {
    if session.is_watched() {
        return watched::<P>(slots, session, event);
    }
    if slots.hooks.is_empty() {
        return Quick::Done(Fired::SILENT);
    }
    if slots.is_plain() { fast::run::<P>(slots, session, event) } else { Quick::Rest(None) }
}

/// The same where somebody observes the session, or a hook is switched off in it.
#[cold]
#[inline(never)]
fn watched<P: Point>(slots: &Slots<P>, session: &Session, event: &P::Event<'_>) -> Quick<P> {
    if session.is_observed() {
        if slots.hooks.is_empty() {
            watch::fired::<P>(session);
            return Quick::Done(Fired::SILENT);
        }
        return Quick::Rest(None);
    }
    if slots.hooks.is_empty() {
        return Quick::Done(Fired::SILENT);
    }
    if slots.is_plain() && !session.has_off_at(TypeId::of::<P>()) {
        fast::run::<P>(slots, session, event)
    } else {
        Quick::Rest(None)
    }
}

/// Runs the slow loop to its end on this thread.
#[cold]
fn wait<P: Point>(
    slots: &Slots<P>,
    session: &Session,
    event: P::Event<'_>,
    progress: Progress<P>,
) -> Fired<P::Verdict> {
    let spawn = session.hooks().spawn();
    let may_wait = spawn.may_block();
    let mut running = pin!(slow::run::<P>(slots, session, event, may_wait, progress));
    // Most chains need nobody to wait, and then it is nobody's business where this thread is.
    if let Poll::Ready(fired) = running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return fired;
    }
    let mut fired = Fired::SILENT;
    spawn.block_on(Box::pin(async { fired = running.await }));
    fired
}

/// What `fire!` and `fire_now!` ask first: once, in a function of its own, so that it is complained of once.
#[inline(always)]
pub const fn must_fire<P: FiredPoint>() {}

/// What `fire!` calls.
pub async fn fire<P: Point>(session: &Session, event: P::Event<'_>) -> Fired<P::Verdict> {
    match begin::<P>(session, &event) {
        Ok(fired) => fired,
        Err((slots, progress)) => slow::run::<P>(&slots, session, event, true, unboxed(progress)).await,
    }
}

/// What `fire_now!` calls.
pub fn fire_now<P: Point>(session: &Session, event: P::Event<'_>) -> Fired<P::Verdict> {
    match begin::<P>(session, &event) {
        Ok(fired) => fired,
        Err((slots, progress)) => wait::<P>(&slots, session, event, unboxed(progress)),
    }
}

/// The hooks that have to go on, and how far they came.
type Rest<P> = (Arc<Slots<P>>, Option<Box<Progress<P>>>);

/// Looks the hooks up and runs them, as far as that can be done without the slow loop.
fn begin<P: Point>(session: &Session, event: &P::Event<'_>) -> Result<Fired<P::Verdict>, Rest<P>> {
    let registry = session.hooks().borrow();
    let Some(slots) = registry.slots::<P>() else { return Ok(nobody::<P>(session)) };
    match quick::<P>(slots, session, event) {
        Quick::Done(fired) => Ok(fired),
        Quick::Rest(progress) => {
            let slots = registry.find::<P>().map_or_else(|| Handle::empty().0, |handle| handle.0);
            Err((slots, progress))
        }
    }
}

/// A point of which the registry knows nothing.
fn nobody<P: Point>(session: &Session) -> Fired<P::Verdict> {
    if session.is_observed() {
        watch::fired::<P>(session);
    }
    Fired::SILENT
}
