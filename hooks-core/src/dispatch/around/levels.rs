//! The loop around work: each hook is given the rest of the chain, and what it leaves undone is done without it.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use crate::base::boxed::BoxFuture;
use crate::base::guard::{Guarded, guarded};
use crate::base::sync::lock;
use crate::declared::around::{AroundCall, Lost, Next};
use crate::declared::entry::Call;
use crate::declared::failure::Cause;
use crate::declared::json_call::JsonOnce;
use crate::declared::outcome::Outcome;
use crate::declared::point::AroundPoint;
use crate::plain::flow::Flow;
use crate::plain::options::Placement;
use crate::registry::HookSlot;
use crate::session::{OnceRun, Session};

use super::super::background::enqueue;
use super::super::limit::{asynchronous, turn};
use super::super::progress::Progress;
use super::super::settle::settle;
use super::super::slow::{blocking, call_now};
use super::super::watch::Begun;
use super::env::{Broken, Ended, Env, Got, Input};
use super::level::Level;

/// The rest of a chain from a hook on, on that input.
pub(super) fn rest<'l, P: AroundPoint>(
    env: &'l Env<'_, P>,
    from: usize,
    input: Option<Arc<Input<P>>>,
) -> BoxFuture<'l, Ended<P>> {
    Box::pin(level(env, from, input))
}

async fn level<P: AroundPoint>(env: &Env<'_, P>, from: usize, input: Option<Arc<Input<P>>>) -> Ended<P> {
    let event = P::with(&env.event, input.as_deref());
    let mut at = from;
    loop {
        let Some(hook) = env.slots.hooks.get(at) else { return work(env, event).await };
        at += 1;
        if !env.on.has(at - 1) || !hook.wants(&event, env.session) {
            continue;
        }
        let once = if hook.info.once {
            let Some(once) = env.session.begin_once(P::INFO.wire, &hook.info.name) else { continue };
            Some(once)
        } else {
            None
        };
        if hook.info.placement == Placement::Background {
            let told = (&event, env.json(hook, input.as_ref()));
            enqueue(hook, env.session, told, env.chain, once, env.may_wait).await;
            continue;
        }
        return wrapped(env, hook, once, at, P::with(&event, None), input.as_ref()).await;
    }
}

/// Runs the work itself. Its panic is the host's, and is handed through the hooks.
async fn work<P: AroundPoint>(env: &Env<'_, P>, event: P::Event<'_>) -> Ended<P> {
    let event = P::with(&event, None);
    let called = catch_unwind(AssertUnwindSafe(|| env.work.call(event)));
    let mut work = called.map_err(Broken::Panic)?.ok_or(Broken::Nothing)?;
    let polled = poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Err(payload) => Poll::Ready(Err(payload)),
    });
    let ended = polled.await;
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(work)));
    match ended.and_then(|value| dropped.map(|()| value)) {
        Ok(value) => Ok(Got { value, by: None }),
        Err(payload) => Err(Broken::Panic(payload)),
    }
}

/// Runs one hook around the hooks behind it and the work.
async fn wrapped<P: AroundPoint>(
    env: &Env<'_, P>,
    hook: &HookSlot<P>,
    once: Option<OnceRun>,
    behind: usize,
    event: P::Event<'_>,
    input: Option<&Arc<Input<P>>>,
) -> Ended<P> {
    let session = env.session;
    let level = Level::new(env, behind, input, hook.call.is_async());
    let begun = Begun::around(hook, session, env.watched);
    let mut out = Outcome::silent();
    let json = env.json(hook, input);
    let cause = run(env, hook, &level, (event, json), &mut out).await;
    let left = level.end();
    let mut said = out.take().filter(|said| !said.is_silent());
    let mut cause = cause.filter(|_| left.broken.is_none());
    if left.waits {
        // The rest goes on: what the hook said in its place does not count.
        cause = Some(Cause::NextWaits);
        if let Some(said) = &mut said {
            (said.first, said.error) = (None, None);
        }
    }
    if cause.is_none() && left.broken.is_none() {
        once.into_iter().for_each(OnceRun::done);
    }
    let answered = said.as_ref().is_some_and(|said| said.first.is_some());
    let takes_next = matches!(hook.call, Call::Around(_));
    let lap = begun.stop_around(left.away, takes_next.then_some((left.runs, answered)));
    let mut progress = Progress::<P>::none();
    if said.is_none() && cause.is_none() {
        lap.into_iter().for_each(|lap| lap.record(&[]));
    } else {
        settle(hook, session, said, cause, lap, &mut progress);
    }
    let told = progress.fired.0.map(|told| *told).unwrap_or_default();
    let stops = told.flow != Flow::Continue;
    {
        let mut heard = lock(&env.heard);
        heard.messages.extend(told.messages);
        heard.failures.extend(told.failures);
        // Who ends the session is not overruled by one further out who only stops.
        if stops && !matches!(heard.flow, Flow::EndSession(_)) {
            heard.flow = told.flow;
        }
    }
    if let Some(broken) = left.broken {
        return Err(broken);
    }
    if let Some((value, _)) = told.first {
        return Ok(Got { value, by: Some(behind - 1) });
    }
    match (left.rest, left.last) {
        (Some(under_way), _) => under_way.await,
        (None, Some(last)) => Ok(last),
        (None, None) if left.runs == 0 => {
            let from = if stops { env.slots.hooks.len() } else { behind };
            rest(env, from, input.cloned()).await
        }
        (None, None) => Err(Broken::Lost(Lost { hook: hook.info.name.clone() })),
    }
}

/// Runs a hook to its end; gives why it failed, if it did.
async fn run<P: AroundPoint>(
    env: &Env<'_, P>,
    hook: &HookSlot<P>,
    level: &Level<'_, '_, P>,
    (event, mut json): (P::Event<'_>, JsonOnce),
    out: &mut Outcome<P::Verdict>,
) -> Option<Cause> {
    let (session, limit) = (env.session, hook.info.timeout);
    if hook.info.placement == Placement::Blocking {
        return blocking(hook, session, (&event, json), env.may_wait, out).await;
    }
    if hook.call.is_async() && !matches!(hook.call, Call::Around(_)) {
        let told = (event, &mut json);
        return asynchronous::<P>(&hook.call, told, session, limit, env.may_wait, out).await;
    }
    loop {
        let panicked = match &hook.call {
            Call::Around(call) => {
                let called = {
                    let (event, out) = (P::with(&event, None), &mut *out);
                    guarded(move || begin(call, event, session, level, out))
                };
                match called {
                    Ok(Some(future)) => {
                        let ended = level.drive(Guarded::new(future), limit, env.may_wait).await;
                        return ended;
                    }
                    Ok(None) => None,
                    Err(panic) => Some(panic),
                }
            }
            call => call_now(call, (&event, &mut json), session, out),
        };
        if let Some(panic) = panicked {
            return Some(Cause::Panic(panic));
        }
        if !out.is_unrun() {
            return None;
        }
        match turn(out, env.may_wait).await {
            Ok(true) => {}
            Ok(false) => return None,
            Err(cause) => return Some(cause),
        }
    }
}

/// Calls a hook with the rest of the chain; gives its future, where it has one and runs.
fn begin<'a, P: AroundPoint>(
    call: &AroundCall<P>,
    event: P::Event<'a>,
    session: &'a Session,
    level: &'a Level<'_, '_, P>,
    out: &'a mut Outcome<P::Verdict>,
) -> Option<BoxFuture<'a, ()>> {
    let next = Next::new(level);
    match call {
        AroundCall::Sync(call) => {
            call(&event, session, next, out);
            None
        }
        AroundCall::Closure(call) => {
            call(&event, session, next, out);
            None
        }
        AroundCall::Async(call) => call(event, session, next, out),
        AroundCall::AsyncClosure(call) => Some(call(event, session, next, out)),
    }
}
