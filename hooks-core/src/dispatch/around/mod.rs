//! Hooks around work: what a host calls.
//!
//! The rest of the chain belongs to the dispatcher, at every level: a hook polls it and may drop it, and when the hook is gone
//! the dispatcher goes on with what it left. So a hook that fails loses nothing but what it would have said.

mod env;
mod level;
mod levels;
mod work;

use std::future::poll_fn;
use std::marker::PhantomData;
use std::panic::resume_unwind;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::base::boxed::BoxFuture;
use crate::base::json::or_null;
use crate::base::sync::{Mutex, lock};
use crate::declared::around::{Heard, Lost, Within, Wrapped};
use crate::declared::fired::FiredJson;
use crate::declared::json_call::JsonOnce;
use crate::declared::point::{AroundPoint, Point};
use crate::machinery::chain::{self, Frame};
use crate::registry::{Handle, Slots};
use crate::session::Session;

use super::progress::On;
use super::settle::too_deep;
use super::watch::{fired, is_watched};
use env::{Broken, Ended, Env, Given, Got, Work};
use levels::rest;
use work::{Nothing, Ready, Waits};

/// What came of it all.
struct Whole<P: Point> {
    ended: Ended<P>,
    heard: Heard,
}

impl<P: AroundPoint> Whole<P> {
    fn into_wrapped(self, slots: &Slots<P>) -> Wrapped<Given<P>> {
        let mut heard = self.heard;
        let result = match self.ended {
            Ok(Got { value, by }) => {
                heard.by = by.and_then(|at| slots.hooks.get(at)).map(|hook| hook.info.name.clone());
                Ok(value)
            }
            Err(Broken::Panic(payload)) => resume_unwind(payload),
            Err(Broken::Lost(lost)) => Err(lost),
            Err(Broken::Nothing) => Err(Lost { hook: "(dispatch)".to_owned() }),
        };
        Wrapped { result, heard: Some(Box::new(heard)) }
    }
}

/// Runs hooks around work. Unless it `may_wait`, the future is ready at once if the work is.
async fn wrap<P: AroundPoint>(
    slots: &Slots<P>,
    session: &Session,
    event: P::Event<'_>,
    work: &dyn Work<P>,
    (may_wait, now): (bool, bool),
) -> Whole<P> {
    if session.is_observed() {
        fired::<P>(session);
    }
    let mut env = Env {
        slots,
        session,
        rest,
        event: P::with(&event, None),
        work,
        on: On::decide(slots, session),
        may_wait,
        now,
        watched: is_watched(slots, session),
        chain: chain::current(),
        heard: Mutex::new(Heard::default()),
        json: Mutex::new((None, JsonOnce::NONE)),
    };
    let ended = match env.chain.with(P::INFO, Frame::of(&env)) {
        Ok(chain) => {
            env.chain = chain;
            let mut whole = rest(&env, 0, None);
            poll_fn(|cx| chain.during(|| whole.as_mut().poll(cx))).await
        }
        Err(text) => {
            let told = too_deep::<P>(session, text).0.map(|told| *told).unwrap_or_default();
            lock(&env.heard).failures.extend(told.failures);
            rest(&env, slots.hooks.len(), None).await
        }
    };
    let heard = std::mem::take(&mut *lock(&env.heard));
    Whole { ended, heard }
}

/// The hooks of a point, if there are any.
fn heard<P: Point>(session: &Session) -> Option<Handle<P>> {
    let registry = session.hooks().borrow();
    let slots = registry.slots::<P>().filter(|slots| !slots.hooks.is_empty());
    slots.and_then(|_| registry.find::<P>())
}

/// What `around!` calls.
pub async fn around<'w, P, W>(session: &Session, event: P::Event<'_>, work: W) -> Wrapped<Given<P>>
where
    P: AroundPoint,
    W: for<'a> Fn(P::Event<'a>, Within<'a, 'w>) -> BoxFuture<'a, Given<P>> + Send + Sync,
{
    let Some(handle) = heard::<P>(session) else { return bare::<P, W>(session, event, work).await };
    let (slots, work) = (&*handle.0, Waits(work, PhantomData));
    wrap::<P>(slots, session, event, &work, (true, false)).await.into_wrapped(slots)
}

/// What `around_now!` calls.
pub fn around_now<P, W>(session: &Session, event: P::Event<'_>, work: W) -> Wrapped<Given<P>>
where
    P: AroundPoint,
    W: Fn(P::Event<'_>) -> Given<P> + Send + Sync,
{
    match heard::<P>(session) {
        Some(handle) => wait::<P>(&handle.0, session, event, &Ready(work)).into_wrapped(&handle.0),
        None => bare_now::<P, W>(session, event, work),
    }
}

async fn bare<'w, P, W>(session: &Session, event: P::Event<'_>, work: W) -> Wrapped<Given<P>>
where
    P: AroundPoint,
    W: for<'a> Fn(P::Event<'a>, Within<'a, 'w>) -> BoxFuture<'a, Given<P>>,
{
    if session.is_observed() {
        fired::<P>(session);
    }
    Wrapped::bare(work(P::with(&event, None), PhantomData).await)
}

fn bare_now<P, W>(session: &Session, event: P::Event<'_>, work: W) -> Wrapped<Given<P>>
where
    P: AroundPoint,
    W: Fn(P::Event<'_>) -> Given<P>,
{
    if session.is_observed() {
        fired::<P>(session);
    }
    Wrapped::bare(work(event))
}

/// Runs it all to its end on this thread.
fn wait<P: AroundPoint>(
    slots: &Slots<P>,
    session: &Session,
    event: P::Event<'_>,
    work: &dyn Work<P>,
) -> Whole<P> {
    let spawn = session.hooks().spawn();
    let mut running = pin!(wrap::<P>(slots, session, event, work, (spawn.may_block(), true)));
    if let Poll::Ready(whole) = running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return whole;
    }
    let mut whole = None;
    spawn.block_on(Box::pin(async { whole = Some(running.await) }));
    whole.unwrap_or_else(|| Whole { ended: Err(Broken::Nothing), heard: Heard::default() })
}

/// What the hooks of an around point say where there is nothing to wrap: each runs until it asks for the work.
pub(crate) fn around_nothing<P: AroundPoint>(session: &Session, event: P::Event<'_>) -> FiredJson {
    let Some(handle) = heard::<P>(session) else {
        if session.is_observed() {
            fired::<P>(session);
        }
        return Heard::default().into_json(None);
    };
    let Whole { ended, heard } = wait::<P>(&handle.0, session, event, &Nothing);
    let first = ended.ok().and_then(|got| or_null(got.value));
    heard.into_json(first)
}

impl<P: AroundPoint> Handle<P> {
    /// Runs the hooks of this point around the host's work: what [`around!`](crate::around) does, on hooks that the host keeps.
    ///
    /// The work gets the event as the hooks made it, and a second argument of which it needs nothing:
    /// `|event, _| Box::pin(async move { … })`.
    pub async fn around<'w, W>(&self, session: &Session, event: P::Event<'_>, work: W) -> Wrapped<Given<P>>
    where
        W: for<'a> Fn(P::Event<'a>, Within<'a, 'w>) -> BoxFuture<'a, Given<P>> + Send + Sync,
    {
        let slots = &*self.0;
        if slots.hooks.is_empty() {
            return bare::<P, W>(session, event, work).await;
        }
        let work = Waits(work, PhantomData);
        wrap::<P>(slots, session, event, &work, (true, false)).await.into_wrapped(slots)
    }

    /// The same on this thread, for hosts without an async runtime: what [`around_now!`](crate::around_now) does.
    pub fn around_now<W>(&self, session: &Session, event: P::Event<'_>, work: W) -> Wrapped<Given<P>>
    where
        W: Fn(P::Event<'_>) -> Given<P> + Send + Sync,
    {
        if self.0.hooks.is_empty() {
            return bare_now::<P, W>(session, event, work);
        }
        wait::<P>(&self.0, session, event, &Ready(work)).into_wrapped(&self.0)
    }
}
