//! Dispatch: running the hooks of a point on one event.
//!
//! Three ways, from the common to the general:
//! - nobody listens: one branch;
//! - every hook is a plain sync function and nobody watches: the loop in [`fast`], which costs what a
//!   hand-written loop over function pointers costs;
//! - anything else (an observer, async, blocking, background or once-only hooks, hooks switched off, time
//!   limits): the loop in [`slow`].
//!
//! All three promise the same: priority order, each hook sees what earlier ones emitted, no panic gets out,
//! a hook that fails costs only itself, and a gate that fails denies.

pub(crate) mod chain;
mod fast;
mod settle;
mod slow;

use crate::fired::Fired;
use crate::point::Point;
use crate::registry::{Handle, Slots};
use crate::session::Session;
use crate::timeline::TimelineEntry;

impl<P: Point> Handle<P> {
    /// Runs the hooks of this point on one event.
    ///
    /// The future is ready at once unless an async or blocking hook is among them.
    pub async fn fire(&self, session: &Session, event: P::Event<'_>) -> Fired<P::Verdict> {
        match quick::<P>(&self.0, session, &event) {
            Some(fired) => fired,
            None => slow::run::<P>(&self.0, session, event).await,
        }
    }

    /// Runs the hooks of this point on one event, on this thread.
    ///
    /// For sync hosts, which build their registry with [`sync_host`](crate::RegistryBuilder::sync_host) so
    /// that no async hook gets selected. Where one is selected all the same, this thread waits for it.
    #[inline]
    pub fn fire_now(&self, session: &Session, event: P::Event<'_>) -> Fired<P::Verdict> {
        match quick::<P>(&self.0, session, &event) {
            Some(fired) => fired,
            None => wait::<P>(self, session, event),
        }
    }
}

/// The outcome, where it can be had without the slow loop.
#[inline]
fn quick<P: Point>(slots: &Slots<P>, session: &Session, event: &P::Event<'_>) -> Option<Fired<P::Verdict>> {
    if session.is_watched() {
        observe_fired::<P>(session);
        return slots.hooks.is_empty().then_some(Fired::SILENT);
    }
    if slots.hooks.is_empty() {
        return Some(Fired::SILENT);
    }
    slots.is_plain().then(|| fast::run::<P>(slots, session, event))
}

#[cold]
fn observe_fired<P: Point>(session: &Session) {
    session.observe(TimelineEntry::Fired {
        point: P::INFO.wire.to_owned(),
        at: session.clock().now(),
        offset_us: micros(session.age()),
    });
}

#[cold]
fn wait<P: Point>(handle: &Handle<P>, session: &Session, event: P::Event<'_>) -> Fired<P::Verdict> {
    let mut fired = Fired::SILENT;
    let spawn = session.hooks().spawn();
    spawn.block_on(Box::pin(async {
        fired = slow::run::<P>(&handle.0, session, event).await;
    }));
    fired
}

/// What `fire!` calls.
pub async fn fire<P: Point>(session: &Session, event: P::Event<'_>) -> Fired<P::Verdict> {
    let registry = session.registry();
    match registry.find::<P>() {
        Some(handle) => handle.fire(session, event).await,
        None => Handle::<P>::empty().fire(session, event).await,
    }
}

/// What `fire_now!` calls.
pub fn fire_now<P: Point>(session: &Session, event: P::Event<'_>) -> Fired<P::Verdict> {
    let registry = session.registry();
    match registry.find::<P>() {
        Some(handle) => handle.fire_now(session, event),
        None => Handle::<P>::empty().fire_now(session, event),
    }
}

pub(crate) fn micros(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
