//! Background hooks: queued on a copy of the event. What they say is recorded in the timeline and goes nowhere else.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use crate::base::guard::guarded;
use crate::declared::failure::Cause;
use crate::declared::json_call::JsonOnce;
use crate::declared::outcome::Outcome;
use crate::declared::point::Point;
use crate::machinery::background::Queued;
use crate::machinery::chain::{Chain, Frame};
use crate::plain::flow::Flow;
use crate::registry::HookSlot;
use crate::session::{OnceRun, Session};

use super::limit::asynchronous;
use super::pool::on_pool;
use super::settle::{cause_of, report};
use super::watch::Begun;

/// Queues a run of a background hook. Where its queue is full the producer waits for room, but not long, and not with its thread.
pub(super) async fn enqueue<P: Point>(
    hook: &HookSlot<P>,
    session: &Session,
    (event, json): (&P::Event<'_>, JsonOnce),
    chain: Chain,
    once: Option<OnceRun>,
    may_wait: bool,
) {
    let owned = match guarded(|| P::own(event)) {
        Ok(Some(owned)) => Arc::new(owned),
        Ok(None) => {
            report(hook, session, no_copy::<P>());
            return;
        }
        Err(panic) => {
            report(hook, session, Cause::Panic(panic));
            return;
        }
    };
    let run = Box::pin(run(hook.clone(), session.clone(), (owned, json), chain, once));
    let background = session.hooks().background();
    let (lane, pending) = ((hook.number(), session.same()), session.pending());
    let mut queued = background.enqueue(&hook.info, lane, pending, run);
    if may_wait && let Queued::Full(run) = queued {
        background.room(lane).await;
        queued = background.enqueue(&hook.info, lane, pending, run);
    }
    let why = match queued {
        Queued::Yes => return,
        Queued::Full(_) => "its queue is full".to_owned(),
        Queued::Refused(error) => error.to_string(),
    };
    background.dropped(&hook.info);
    tracing::warn!(
        hook = hook.info.name,
        session = session.id(),
        why,
        "a run of a background hook was dropped"
    );
}

/// A hook that needs a copy at a `local` point: a registry has none, and if one were there it would not run.
pub(super) fn no_copy<P: Point>() -> Cause {
    Cause::Error(format!("the event of the `local` point `{}` cannot be copied", P::INFO.name))
}

async fn run<P: Point>(
    hook: HookSlot<P>,
    session: Session,
    (owned, mut json): (Arc<P::Owned>, JsonOnce),
    chain: Chain,
    once: Option<OnceRun>,
) {
    // Nobody in the chain waits for this run, so it is a firing of its own; as deep as what caused it.
    let chain = chain.detached(Frame::of(&owned));
    let begun = Begun::beside(&hook, &session);
    let mut ran = pin!(async {
        let limit = hook.info.timeout;
        match &hook.call {
            call if call.is_async() => {
                let mut out = Outcome::silent();
                let event = (P::lend(&owned), &mut json);
                let cause = asynchronous::<P>(call, event, &session, limit, true, &mut out).await;
                (out, cause)
            }
            call => on_pool::<P>(call, (Arc::clone(&owned), json), &session, limit, Outcome::silent()).await,
        }
    });
    let (mut out, cause) = poll_fn(|cx| chain.during(|| ran.as_mut().poll(cx))).await;
    if cause.is_none() {
        once.into_iter().for_each(OnceRun::done);
    }
    let said = out.take().map(|said| *said).unwrap_or_default();
    let error = said.error.map(cause_of);
    if let (Some(lap), _) = begun.stop() {
        let error = cause.as_ref().map(ToString::to_string).or_else(|| error.as_ref().map(Cause::detail));
        let messages: Vec<_> = said.messages.into_iter().map(Arc::new).collect();
        lap.saying(said.gate.as_ref(), said.fold.as_ref(), said.first.as_ref(), &said.flow, error)
            .record(&messages);
    }
    if said.flow != Flow::Continue {
        tracing::warn!(hook = hook.info.name, flow = ?said.flow, "a background hook cannot change the flow; ignored");
    }
    for cause in error.into_iter().chain(cause) {
        report(&hook, &session, cause);
    }
}
