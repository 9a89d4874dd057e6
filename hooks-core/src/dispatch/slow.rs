//! The loop for everything that is not plain: async, blocking, background and once-only hooks, closures, switched-off
//! ones, time limits, and sessions that are watched.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use crate::entry::{Call, Placement};
use crate::failure::Cause;
use crate::fired::Fired;
use crate::guard::guarded;
use crate::outcome::Outcome;
use crate::point::Point;
use crate::registry::{HookSlot, Slots};
use crate::session::{OnceRun, Session};

use super::background::enqueue;
use super::chain::{self, Chain, Frame};
use super::limit::{asynchronous, turn};
use super::pool::on_pool;
use super::settle::{settle, too_deep};
use super::watch::{Laps, fired};
use super::{On, Progress};

/// Runs what is left of a chain. Unless it `may_wait`, the future is ready at once, and a hook that would have to be waited for
/// has failed.
pub(super) async fn run<P: Point>(
    slots: &Slots<P>,
    session: &Session,
    event: P::Event<'_>,
    may_wait: bool,
    mut progress: Progress<P>,
) -> Fired<P::Verdict> {
    let chain = match chain::current().with(P::INFO, Frame::of(&progress)) {
        Ok(chain) => chain,
        Err(text) => {
            if session.is_observed() {
                fired::<P>(session);
            }
            return too_deep::<P>(session, text);
        }
    };
    {
        let mut steps = pin!(steps(slots, session, event, may_wait, &chain, &mut progress));
        poll_fn(|cx| chain.during(|| steps.as_mut().poll(cx))).await;
    }
    progress.end()
}

async fn steps<P: Point>(
    slots: &Slots<P>,
    session: &Session,
    event: P::Event<'_>,
    may_wait: bool,
    chain: &Chain,
    progress: &mut Progress<P>,
) {
    let mut laps = Laps::start(slots, session);
    if matches!(progress.on, On::Undecided) {
        progress.on = On::decide(slots, session);
    }
    while let Some(hook) = slots.hooks.get(progress.next) {
        let (index, ticket) = (progress.next, progress.ticket.take());
        progress.next += 1;
        if !progress.on.has(index) {
            continue;
        }
        let once = if hook.info.once {
            let Some(once) = session.begin_once(P::INFO.wire, &hook.info.name) else { continue };
            Some(once)
        } else {
            None
        };
        let event = P::with(&event, progress.value.as_ref());
        if hook.info.placement == Placement::Background {
            enqueue(hook, session, &event, *chain, once, may_wait).await;
            continue;
        }
        let begun = laps.begin(hook, session);
        let mut out = ticket.map_or_else(Outcome::silent, Outcome::turn);
        let cause = match (&hook.call, hook.info.placement) {
            (_, Placement::Blocking) => blocking(hook, session, &event, may_wait, &mut out).await,
            (Call::Async(call), _) => {
                let limit = hook.info.timeout;
                asynchronous::<P>(*call, event, session, limit, may_wait, &mut out).await
            }
            (call, _) => loop {
                if let Err(panic) = guarded(|| call_now(call, &event, session, &mut out)) {
                    break Some(Cause::Panic(panic));
                }
                if !out.spoke() {
                    break None;
                }
                match turn(&mut out, may_wait).await {
                    Ok(true) => {}
                    Ok(false) => break None,
                    Err(cause) => break Some(cause),
                }
            },
        };
        let (lap, ended) = begun.stop();
        laps.next(ended);
        if cause.is_none() {
            once.into_iter().for_each(OnceRun::done);
        }
        let said = out.take().filter(|said| !said.is_silent());
        if said.is_none() && cause.is_none() {
            lap.into_iter().for_each(|lap| lap.record(&[]));
            continue;
        }
        if !settle(hook, session, said, cause, lap, progress) {
            break;
        }
        laps.again();
    }
}

fn call_now<P: Point>(
    call: &Call<P>,
    event: &P::Event<'_>,
    session: &Session,
    out: &mut Outcome<P::Verdict>,
) {
    match call {
        Call::Sync(call) => call(event, session, out),
        Call::Closure(call) => call(event, session, out),
        Call::Async(_) => {}
    }
}

async fn blocking<P: Point>(
    hook: &HookSlot<P>,
    session: &Session,
    event: &P::Event<'_>,
    may_wait: bool,
    out: &mut Outcome<P::Verdict>,
) -> Option<Cause> {
    if !may_wait {
        return Some(Cause::CannotWait);
    }
    let owned = match guarded(|| P::own(event)) {
        Ok(owned) => Arc::new(owned),
        Err(panic) => return Some(Cause::Panic(panic)),
    };
    let turn = std::mem::replace(out, Outcome::silent());
    let (ran, cause) = on_pool::<P>(&hook.call, owned, session, hook.info.timeout, turn).await;
    *out = ran;
    cause
}
