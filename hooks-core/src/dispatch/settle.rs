//! Settling: what one hook said becomes part of what the point's hooks say together.

use crate::failure::{Cause, Failure};
use crate::fired::Fired;
use crate::flow::Flow;
use crate::outcome::Said;
use crate::point::Point;
use crate::registry::HookSlot;
use crate::session::Session;
use crate::verdict::{Gate, Verdict};

/// The folded value while a chain runs, outside of `Fired` so that the next event can borrow it.
pub(crate) type FoldOf<P> = <<P as Point>::Verdict as Verdict>::Fold;

/// Adds what `hook` said. Returns whether the chain goes on.
pub(crate) fn settle<P: Point>(
    hook: &HookSlot<P>,
    session: &Session,
    said: Said<P::Verdict>,
    value: &mut Option<FoldOf<P>>,
    fired: &mut Fired<P::Verdict>,
) -> bool {
    let name = &hook.info.name;
    let mut messages = said.messages;
    for message in &mut messages {
        message.hook = Some(name.clone());
    }
    if !messages.is_empty() && !P::INFO.transient {
        // What could not be stored was not said; the host learns it at its barrier.
        let (stored, _) = session.append_all(messages, |_| ());
        messages = stored.iter().map(|message| (**message).clone()).collect();
    }
    if !messages.is_empty() {
        fired.told().messages.append(&mut messages);
    }
    if let Some(gate) = said.gate {
        refuse_or_allow(fired, gate.reasoned(name), name);
    }
    if let Some(folded) = said.fold {
        *value = Some(folded);
    }
    let answered = said.first.is_some();
    if let Some(answer) = said.first {
        fired.told().first = Some((answer, name.clone()));
    }
    if let Some(error) = said.error {
        failed(hook, session, Cause::Error(error.to_string()), fired);
    }
    match said.flow {
        Flow::Continue => !answered,
        flow @ (Flow::Stop | Flow::EndSession(_)) => {
            fired.told().flow = flow;
            false
        }
    }
}

/// Records a failure; a gate that fails denies, naming the hook, unless it says `fail_open`.
pub(crate) fn failed<P: Point>(
    hook: &HookSlot<P>,
    session: &Session,
    cause: Cause,
    fired: &mut Fired<P::Verdict>,
) {
    let failure = report(hook, session, cause);
    if <P::Verdict as Verdict>::GATE && !hook.info.fail_open {
        let reason = format!("{failure}; a gate that fails denies");
        refuse_or_allow(fired, Gate::Deny(reason), &hook.info.name);
    }
    fired.told().failures.push(failure);
}

/// Logs a failure, counts it, hands it to the hook's `on_error`, and takes the hook out of service when
/// it has failed too often.
pub(crate) fn report<P: Point>(hook: &HookSlot<P>, session: &Session, cause: Cause) -> Failure {
    let failure = Failure { hook: hook.info.name.clone(), point: P::INFO.wire, cause };
    tracing::error!(hook = %failure.hook, point = failure.point, session = session.id(), "{failure}");
    if let Some(handler) = hook.on_error {
        let handled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            handler(&failure, session);
        }));
        if handled.is_err() {
            tracing::error!(hook = %failure.hook, "its `on_error` handler panicked");
        }
    }
    let failures = hook.switch.count_failure();
    if let Some(most) = hook.info.quarantine
        && failures >= most
        && hook.switch.quarantine()
    {
        tracing::error!(hook = %failure.hook, failures, "quarantined: it failed too often and is switched off");
        session.registry().recheck(&hook.info.name);
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
pub(crate) fn too_deep<P: Point>(session: &Session, chain: String) -> Fired<P::Verdict> {
    let mut fired = Fired::SILENT;
    let failure = Failure { hook: "(dispatch)".to_owned(), point: P::INFO.wire, cause: Cause::Depth(chain) };
    tracing::error!(session = session.id(), "{failure}");
    if <P::Verdict as Verdict>::GATE {
        refuse_or_allow(&mut fired, Gate::Deny(failure.to_string()), "(dispatch)");
    }
    fired.told().failures.push(failure);
    fired
}
