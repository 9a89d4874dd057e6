//! Settling: what one hook said becomes part of what the point's hooks say together.

use std::sync::Arc;

use crate::base::boxed::BoxError;
use crate::base::guard::{drop_quietly, guarded};
use crate::declared::failure::{Cause, Failure};
use crate::declared::fired::Fired;
use crate::declared::outcome::Said;
use crate::declared::point::Point;
use crate::plain::flow::Flow;
use crate::plain::shadow::Shadowed;
use crate::plain::verdict::{Gate, Verdict};
use crate::registry::HookSlot;
use crate::session::Session;

use super::Progress;
use super::watch::Lap;

/// Adds what `hook` said, and how it failed if it did, and records its run where that is watched. Returns whether the chain
/// goes on.
pub(super) fn settle<P: Point>(
    hook: &HookSlot<P>,
    session: &Session,
    said: Option<Box<Said<P::Verdict>>>,
    cause: Option<Cause>,
    lap: Option<Lap<'_, P>>,
    progress: &mut Progress<P>,
) -> bool {
    if hook.info.shadow {
        shadowed(hook, session, said, cause, lap);
        return true;
    }
    let name = &hook.info.name;
    let Said { messages, gate, fold, first, error, flow, .. } = said.map_or_else(Said::default, |said| *said);
    let error = error.map(cause_of);
    let lap = lap.map(|lap| {
        let error = cause.as_ref().map(ToString::to_string).or_else(|| error.as_ref().map(Cause::detail));
        lap.saying(gate.as_ref(), fold.as_ref(), first.as_ref(), &flow, error)
    });
    if messages.is_empty() {
        lap.into_iter().for_each(|lap| lap.record(&[]));
    } else {
        let mut messages = messages;
        messages.iter_mut().for_each(|message| message.hook = Some(name.clone()));
        let stored = if P::INFO.transient {
            let stored: Vec<_> = messages.into_iter().map(Arc::new).collect();
            lap.into_iter().for_each(|lap| lap.record(&stored));
            stored
        } else {
            // What could not be stored was not said; the host hears of it where it passes the log's barrier.
            session.append_all(messages, |stored| lap.into_iter().for_each(|lap| lap.record(stored))).0
        };
        progress.fired.told().messages.extend(stored);
    }
    if let Some(gate) = gate {
        refuse_or_allow(&mut progress.fired, gate.reasoned(name), name);
    }
    if let Some(folded) = fold {
        progress.json.forget();
        if let Some(old) = progress.value.replace(folded) {
            drop_quietly(old, "a value that a later hook replaced");
        }
    }
    let answered = first.is_some();
    if let Some(answer) = first {
        progress.fired.told().first = Some((answer, name.clone()));
    }
    for cause in error.into_iter().chain(cause) {
        failed(hook, session, cause, &mut progress.fired);
    }
    match flow {
        Flow::Continue => !answered,
        flow @ (Flow::Stop | Flow::EndSession(_)) => {
            progress.fired.told().flow = flow;
            false
        }
    }
}

/// What an error comes to: its kind is kept where it is one of ours.
pub(super) fn cause_of(error: BoxError) -> Cause {
    match error.downcast::<Cause>() {
        Ok(cause) => *cause,
        Err(error) => Cause::Error(error_text(error)),
    }
}

/// Records and counts what a hook in shadow said, and how it failed; to everybody else it said nothing.
fn shadowed<P: Point>(
    hook: &HookSlot<P>,
    session: &Session,
    said: Option<Box<Said<P::Verdict>>>,
    cause: Option<Cause>,
    lap: Option<Lap<'_, P>>,
) {
    let name = &hook.info.name;
    let Said { mut messages, gate, fold, first, error, flow, .. } =
        said.map_or_else(Said::default, |said| *said);
    let error = error.map(cause_of);
    let told = cause.as_ref().map(ToString::to_string).or_else(|| error.as_ref().map(Cause::detail));
    let causes: Vec<Cause> = error.into_iter().chain(cause).collect();
    let mut gate = gate.map(|gate| gate.reasoned(name));
    if let Some(cause) = causes.first().filter(|_| denies(hook))
        && !matches!(gate, Some(Gate::Deny(_)))
    {
        gate = Some(of_a_failure(&failure(hook, cause.clone())));
    }
    let (folds, answers) = (fold.is_some(), first.is_some());
    hook.switch.shadowed.add(Shadowed::of(gate.as_ref(), folds, answers, messages.len(), &flow));
    if let Some(lap) = lap {
        messages.iter_mut().for_each(|message| message.hook = Some(name.clone()));
        let messages: Vec<_> = messages.into_iter().map(Arc::new).collect();
        lap.saying(gate.as_ref(), fold.as_ref(), first.as_ref(), &flow, told).record(&messages);
    }
    drop_quietly((fold, first), "what a hook in shadow said");
    for cause in causes {
        report(hook, session, cause);
    }
}

/// What an error says. Its text and its end are somebody's code.
fn error_text(error: BoxError) -> String {
    let text = guarded(|| error.to_string());
    drop_quietly(error, "an error of a hook");
    text.unwrap_or_else(|panic| format!("an error whose text cannot be had, for it panicked: {panic}"))
}

/// Records a failure; a gate that fails denies, naming the hook, unless it says `fail_open`.
fn failed<P: Point>(hook: &HookSlot<P>, session: &Session, cause: Cause, fired: &mut Fired<P::Verdict>) {
    let failure = report(hook, session, cause);
    if denies(hook) {
        refuse_or_allow(fired, of_a_failure(&failure), &hook.info.name);
    }
    fired.told().failures.push(failure);
}

/// Whether a failure of the hook is a refusal.
fn denies<P: Point>(hook: &HookSlot<P>) -> bool {
    <P::Verdict as Verdict>::GATE && !hook.info.fail_open
}

fn of_a_failure(failure: &Failure) -> Gate {
    Gate::Deny(format!("{failure}; a gate that fails denies"))
}

fn failure<P: Point>(hook: &HookSlot<P>, cause: Cause) -> Failure {
    Failure { hook: hook.info.name.clone(), point: P::INFO.wire, cause }
}

/// Logs a failure, counts it, hands it to the hook's `on_error`, and takes the hook out of service when
/// it has failed too often.
pub(super) fn report<P: Point>(hook: &HookSlot<P>, session: &Session, cause: Cause) -> Failure {
    let failure = failure(hook, cause);
    tracing::error!(hook = %failure.hook, point = failure.point, session = session.id(), "{failure}");
    if let Some(handler) = hook.on_error
        && let Err(panic) = guarded(|| handler(&failure, session))
    {
        tracing::error!(hook = %failure.hook, panic, "its `on_error` handler panicked");
    }
    let failures = hook.switch.count_failure();
    if let Some(most) = hook.info.quarantine
        && failures >= most
        && hook.switch.quarantine()
    {
        tracing::error!(hook = %failure.hook, failures, "quarantined: it failed too often and is switched off");
    }
    failure
}

fn refuse_or_allow<V: Verdict>(fired: &mut Fired<V>, gate: Gate, hook: &str) {
    let held = &mut fired.told().gate;
    if held.as_ref().is_none_or(|(old, _)| gate.strictness() > old.strictness()) {
        *held = Some((gate, hook.to_owned()));
    }
}

/// The refusal of a gate whose hooks were not run because the chain is too deep.
pub(super) fn too_deep<P: Point>(session: &Session, chain: String) -> Fired<P::Verdict> {
    let mut fired = Fired::SILENT;
    let failure = Failure { hook: "(dispatch)".to_owned(), point: P::INFO.wire, cause: Cause::Depth(chain) };
    tracing::error!(session = session.id(), "{failure}");
    if <P::Verdict as Verdict>::GATE {
        refuse_or_allow(&mut fired, Gate::Deny(failure.to_string()), "(dispatch)");
    }
    fired.told().failures.push(failure);
    fired
}
