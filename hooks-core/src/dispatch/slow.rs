//! The loop for everything that is not plain: async, blocking, background and once-only hooks, closures, switched-off
//! ones, time limits, and sessions that are watched.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use crate::base::guard::guarded;
use crate::declared::entry::Call;
use crate::declared::failure::Cause;
use crate::declared::fired::Fired;
use crate::declared::json_call::JsonOnce;
use crate::declared::outcome::Outcome;
use crate::declared::point::Point;
use crate::machinery::chain;
use crate::machinery::chain::{Chain, Frame};
use crate::plain::options::Placement;
use crate::registry::{HookSlot, Slots};
use crate::session::{OnceRun, Session};

use super::background::{enqueue, no_copy};
use super::limit::{First, asynchronous, drive, first, turn};
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
    loop {
        let ticket = progress.ticket.take();
        let called = match ticket {
            None => sweep(slots, session, &event, progress, &mut laps),
            Some(_) => None,
        };
        let Some(hook) = slots.hooks.get(progress.next) else { break };
        progress.next += 1;
        let once = if hook.info.once {
            let Some(once) = session.begin_once(P::INFO.wire, &hook.info.name) else { continue };
            Some(once)
        } else {
            None
        };
        let event = P::with(&event, progress.value.as_ref());
        if hook.info.placement == Placement::Background {
            enqueue(hook, session, (&event, json_for(hook, &mut progress.json)), *chain, once, may_wait)
                .await;
            continue;
        }
        let (mut out, panicked) = match called {
            Some((out, panicked)) => (out, Some(panicked)),
            None => (ticket.map_or_else(Outcome::silent, Outcome::turn), None),
        };
        // What does not wait cannot be cut short, and is timed when it has ended.
        let mut begun = None;
        let limit = hook.info.timeout;
        let cause = match (&hook.call, hook.info.placement) {
            (_, Placement::Blocking) => {
                begun = Some(laps.begin(hook, session));
                blocking(hook, session, (&event, json_for(hook, &mut progress.json)), may_wait, &mut out)
                    .await
            }
            (call, _) if call.is_async() => {
                // One block, so that what the future borrows of the outcome is given back before the outcome is looked at.
                let ended = {
                    let mut lent = Some((P::with(&event, None), &mut progress.json, &mut out));
                    let called = poll_fn(|cx| {
                        Poll::Ready(
                            lent.take()
                                .map(|(event, json, out)| first::<P>(call, (event, json), session, out, cx)),
                        )
                    });
                    match called.await {
                        Some(First::Ended(panic)) => Some(panic.map(Cause::Panic)),
                        Some(First::Waits(future)) => {
                            begun = Some(laps.begin(hook, session));
                            Some(drive(future, limit, may_wait, session).await)
                        }
                        Some(First::Unrun) | None => None,
                    }
                };
                match ended {
                    Some(cause) => cause,
                    None => {
                        begun = Some(laps.begin(hook, session));
                        match turn(&mut out, may_wait).await {
                            Ok(true) => {
                                asynchronous::<P>(
                                    call,
                                    (event, &mut progress.json),
                                    session,
                                    limit,
                                    may_wait,
                                    &mut out,
                                )
                                .await
                            }
                            Ok(false) => None,
                            Err(cause) => Some(cause),
                        }
                    }
                }
            }
            (call, _) => {
                let mut panicked = panicked
                    .unwrap_or_else(|| call_now(call, (&event, &mut progress.json), session, &mut out));
                loop {
                    if let Some(panic) = panicked {
                        break Some(Cause::Panic(panic));
                    }
                    if !out.is_unrun() {
                        break None;
                    }
                    begun.get_or_insert_with(|| laps.begin(hook, session));
                    match turn(&mut out, may_wait).await {
                        Ok(true) => {
                            panicked = call_now(call, (&event, &mut progress.json), session, &mut out);
                        }
                        Ok(false) => break None,
                        Err(cause) => break Some(cause),
                    }
                }
            }
        };
        if cause.is_none() {
            once.into_iter().for_each(OnceRun::done);
        }
        let said = out.take().filter(|said| !said.is_silent());
        if said.is_none() && cause.is_none() && begun.is_none() {
            laps.silent(hook, session);
            continue;
        }
        let (lap, ended) = begun.unwrap_or_else(|| laps.begin(hook, session)).stop();
        laps.next(ended, session);
        if said.is_none() && cause.is_none() {
            lap.into_iter().for_each(|lap| lap.record(&[]));
            continue;
        }
        if !settle(hook, session, said, cause, lap, progress) {
            break;
        }
        laps.again(session);
    }
}

/// Runs hooks that are called here and now, one after the other, until one has something to settle or is of another kind, which
/// is the next then. Apart from the rest, for most hooks are so and say nothing.
fn sweep<P: Point>(
    slots: &Slots<P>,
    session: &Session,
    event: &P::Event<'_>,
    progress: &mut Progress<P>,
    laps: &mut Laps,
) -> Option<(Outcome<P::Verdict>, Option<String>)> {
    let Progress { next, on, value, json, .. } = progress;
    if slots.hooks.get(*next).is_none_or(|hook| on.has(*next) && !is_now(hook) && hook.filter.is_none()) {
        return None;
    }
    let (event, mut out) = (P::with(event, value.as_ref()), Outcome::silent());
    while let Some(hook) = slots.hooks.get(*next) {
        if on.has(*next) && hook.wants(&event, session) {
            if !is_now(hook) {
                return None;
            }
            let panicked = call_now(&hook.call, (&event, &mut *json), session, &mut out);
            if out.spoke() || panicked.is_some() {
                return Some((out, panicked));
            }
            laps.silent(hook, session);
        }
        *next += 1;
    }
    None
}

/// Whether a hook is called here and now, whatever its session did before.
#[inline]
fn is_now<P: Point>(hook: &HookSlot<P>) -> bool {
    hook.info.placement == Placement::Inline && !hook.info.once && !hook.call.is_async()
}

/// Calls a hook; the text of its panic if it panics.
#[inline]
pub(super) fn call_now<P: Point>(
    call: &Call<P>,
    (event, json): (&P::Event<'_>, &mut JsonOnce),
    session: &Session,
    out: &mut Outcome<P::Verdict>,
) -> Option<String> {
    guarded(|| call.now(event, json, session, out)).err()
}

/// Where a hook that is called elsewhere finds the event as JSON, if that is what it wants.
pub(super) fn json_for<P: Point>(hook: &HookSlot<P>, json: &mut JsonOnce) -> JsonOnce {
    if matches!(hook.call, Call::Json(_)) { json.shared() } else { JsonOnce::NONE }
}

pub(super) async fn blocking<P: Point>(
    hook: &HookSlot<P>,
    session: &Session,
    (event, json): (&P::Event<'_>, JsonOnce),
    may_wait: bool,
    out: &mut Outcome<P::Verdict>,
) -> Option<Cause> {
    if !may_wait {
        return Some(Cause::CannotWait);
    }
    let owned = match guarded(|| P::own(event)) {
        Ok(Some(owned)) => Arc::new(owned),
        Ok(None) => return Some(no_copy::<P>()),
        Err(panic) => return Some(Cause::Panic(panic)),
    };
    let turn = std::mem::replace(out, Outcome::silent());
    let (ran, cause) = on_pool::<P>(&hook.call, (owned, json), session, hook.info.timeout, turn).await;
    *out = ran;
    cause
}
