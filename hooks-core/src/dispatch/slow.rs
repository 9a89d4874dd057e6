//! The loop for everything that is not plain: async, blocking, background and once-only hooks, switched-off
//! ones, time limits, and sessions that are watched.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::background::Queued;
use crate::entry::{BoxFuture, Call, Placement};
use crate::failure::{Cause, panic_text};
use crate::fired::Fired;
use crate::flow::Flow;
use crate::outcome::{Outcome, Said};
use crate::point::Point;
use crate::registry::{HookSlot, Slots};
use crate::session::Session;
use crate::spawn::Oneshot;
use crate::timeline::{HookRun, TimelineEntry};

use super::chain::{self, Chain};
use super::micros;
use super::settle::{failed, report, settle, too_deep};

/// A hook that took longer than this is named in a warning, unless it set its own budget.
const BUDGET: Duration = Duration::from_secs(5);

/// The hooks that ran already in this session, of those that run once.
#[derive(Default, Serialize, Deserialize)]
struct RanOnce(std::collections::BTreeSet<String>);

type Ran<V> = Result<Outcome<V>, Cause>;

pub(super) async fn run<P: Point>(
    slots: &Slots<P>,
    session: &Session,
    event: P::Event<'_>,
) -> Fired<P::Verdict> {
    let chain = match chain::current().with(P::INFO) {
        Ok(chain) => chain,
        Err(text) => return too_deep::<P>(session, text),
    };
    let mut fired = Fired::SILENT;
    let mut value = None;
    for hook in &*slots.hooks {
        if !hook.switch.is_on() || session.is_disabled(&hook.info.name) || ran_before(hook, session) {
            continue;
        }
        let event = P::with(&event, value.as_ref());
        if hook.info.placement == Placement::Background {
            enqueue(hook, session, &event).await;
            continue;
        }
        let watch = Watch::start(hook, session, false);
        let ran = match (&hook.call, hook.info.placement) {
            (_, Placement::Blocking) => blocking(hook, session, &event).await,
            (Call::Async(call), _) => {
                let future = chain.during(|| catch_unwind(AssertUnwindSafe(|| call(event, session))));
                match future {
                    Ok(future) => drive(chain, future, hook.info.timeout, session).await,
                    Err(payload) => Err(Cause::Panic(panic_text(&*payload))),
                }
            }
            (call, _) => chain.during(|| call_now(call, &event, session)),
        };
        let (said, cause) = split(ran);
        watch.stop(said.as_deref(), cause.as_ref());
        let mut goes_on = true;
        if let Some(said) = said {
            goes_on = settle(hook, session, *said, &mut value, &mut fired);
        }
        if let Some(cause) = cause {
            failed(hook, session, cause, &mut fired);
        }
        if !goes_on {
            break;
        }
    }
    if let Some(value) = value {
        fired.told().fold = Some(value);
    }
    fired
}

#[allow(clippy::type_complexity)]
fn split<V: crate::verdict::Verdict>(ran: Ran<V>) -> (Option<Box<Said<V>>>, Option<Cause>) {
    match ran {
        Ok(mut outcome) => (outcome.take(), None),
        Err(cause) => (None, Some(cause)),
    }
}

fn ran_before<P: Point>(hook: &HookSlot<P>, session: &Session) -> bool {
    hook.info.once
        && match session.state::<RanOnce>() {
            Ok(mut ran) => !ran.0.insert(hook.info.name.clone()),
            Err(error) => {
                tracing::error!(hook = hook.info.name, %error, "a once-only hook is skipped");
                true
            }
        }
}

fn call_now<P: Point>(call: &Call<P>, event: &P::Event<'_>, session: &Session) -> Ran<P::Verdict> {
    let mut out = Outcome::silent();
    let ended = catch_unwind(AssertUnwindSafe(|| match call {
        Call::Sync(call) => call(event, session, &mut out),
        Call::Closure(call) => call(event, session, &mut out),
        Call::Async(call) => {
            let spawn = session.hooks().spawn();
            spawn.block_on(Box::pin(async { out = call(P::with(event, None), session).await }));
        }
    }));
    match ended {
        Ok(()) => Ok(out),
        Err(payload) => Err(Cause::Panic(panic_text(&*payload))),
    }
}

/// Polls an async hook to its end, with its chain on the thread for each poll, under its time limit.
async fn drive<V: crate::verdict::Verdict>(
    chain: Chain,
    mut future: BoxFuture<'_, Outcome<V>>,
    timeout: Option<Duration>,
    session: &Session,
) -> Ran<V> {
    let mut alarm = timeout.map(|limit| (limit, session.hooks().spawn().sleep(limit)));
    poll_fn(|cx| {
        let polled = chain.during(|| catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))));
        match polled {
            Ok(Poll::Ready(outcome)) => return Poll::Ready(Ok(outcome)),
            Ok(Poll::Pending) => {}
            Err(payload) => return Poll::Ready(Err(Cause::Panic(panic_text(&*payload)))),
        }
        match &mut alarm {
            Some((limit, alarm)) => alarm.as_mut().poll(cx).map(|()| Err(Cause::Timeout(*limit))),
            None => Poll::Pending,
        }
    })
    .await
}

/// Runs a hook on a pool thread, on its own copy of the event, and waits for it as long as it may take.
async fn blocking<P: Point>(hook: &HookSlot<P>, session: &Session, event: &P::Event<'_>) -> Ran<P::Verdict> {
    let done = Oneshot::new();
    let (call, owned) = (hook.call.clone(), P::own(event));
    let (other, sender) = (session.clone(), Arc::clone(&done));
    let spawn = session.hooks().spawn();
    let started = spawn.run(Box::new(move || {
        let ran = call_now(&call, &P::lend(&owned), &other);
        // Before anybody goes on: a host that ends the session now finds nobody holding it.
        drop((other, owned, call));
        sender.send(ran);
    }));
    if let Err(error) = started {
        return Err(Cause::Error(error.to_string()));
    }
    let mut alarm = hook.info.timeout.map(|limit| (limit, spawn.sleep(limit)));
    poll_fn(|cx| {
        if let Poll::Ready(ran) = done.poll(cx) {
            return Poll::Ready(ran);
        }
        match &mut alarm {
            Some((limit, alarm)) => alarm.as_mut().poll(cx).map(|()| Err(Cause::Timeout(*limit))),
            None => Poll::Pending,
        }
    })
    .await
}

/// Queues a background hook. What it says is recorded in the timeline and goes nowhere else.
async fn enqueue<P: Point>(hook: &HookSlot<P>, session: &Session, event: &P::Event<'_>) {
    let owned = P::own(event);
    let (slot, other) = (hook.clone(), session.clone());
    let run = Box::pin(async move {
        let watch = Watch::start(&slot, &other, true);
        let (said, cause) = split(call_now(&slot.call, &P::lend(&owned), &other));
        watch.stop(said.as_deref(), cause.as_ref());
        if let Some(said) = said {
            if said.flow != Flow::Continue {
                tracing::warn!(hook = slot.info.name, flow = ?said.flow, "a background hook cannot change the flow; ignored");
            }
            if let Some(error) = said.error {
                report(&slot, &other, Cause::Error(error.to_string()));
            }
        }
        if let Some(cause) = cause {
            report(&slot, &other, cause);
        }
    });
    let background = session.hooks().background();
    let mut queued = background.enqueue(&hook.info, hook.number(), session, run);
    if let Queued::Full(run) = queued {
        background.room(hook.number(), session).await;
        queued = background.enqueue(&hook.info, hook.number(), session, run);
    }
    let (hook, session) = (&hook.info, session.id());
    match queued {
        Queued::Yes => {}
        Queued::Full(_) => {
            background.dropped(hook);
            tracing::warn!(hook = hook.name, session, "its background queue is full; one run was dropped");
        }
        Queued::Refused(error) => {
            tracing::error!(hook = hook.name, session, %error, "a background hook does not run");
        }
    }
}

/// Measures one run, for the timeline and the budget.
struct Watch<'a, P: Point> {
    hook: &'a HookSlot<P>,
    session: &'a Session,
    background: bool,
    at: jiff::Timestamp,
    offset: Duration,
    began: std::time::Instant,
}

impl<'a, P: Point> Watch<'a, P> {
    fn start(hook: &'a HookSlot<P>, session: &'a Session, background: bool) -> Self {
        let (at, offset) = (session.clock().now(), session.age());
        Self { hook, session, background, at, offset, began: std::time::Instant::now() }
    }

    fn stop(self, said: Option<&Said<P::Verdict>>, cause: Option<&Cause>) {
        let took = self.began.elapsed();
        let budget = self.hook.info.budget.unwrap_or(BUDGET);
        if took > budget {
            tracing::warn!(hook = self.hook.info.name, ?took, ?budget, "this hook overran its budget");
        }
        tracing::trace!(hook = self.hook.info.name, point = P::INFO.wire, ?took, "ran");
        if !self.session.is_observed() {
            return;
        }
        let mut run = HookRun {
            hook: self.hook.info.name.clone(),
            point: P::INFO.wire.to_owned(),
            at: self.at,
            offset_us: micros(self.offset),
            duration_us: micros(took),
            background: self.background,
            messages: Vec::new(),
            transient: P::INFO.transient,
            gate: None,
            fold: None,
            first: None,
            flow: None,
            error: cause.map(ToString::to_string),
        };
        if let Some(said) = said {
            run.messages = said.messages.iter().map(|message| message.content.clone()).collect();
            run.gate = said.gate.clone();
            run.fold = said.fold.as_ref().and_then(|value| serde_json::to_value(value).ok());
            run.first = said.first.as_ref().and_then(|value| serde_json::to_value(value).ok());
            run.flow = (said.flow != Flow::Continue).then(|| said.flow.clone());
            run.error = run.error.or(said.error.as_ref().map(ToString::to_string));
        }
        self.session.observe(TimelineEntry::Ran(Box::new(run)));
    }
}
