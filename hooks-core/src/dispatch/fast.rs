//! The loop for plain hooks: one `catch_unwind` around all of them, entered again after the hook that panicked
//! or spoke.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::entry::SyncCall;
use crate::failure::{Cause, panic_text};
use crate::fired::Fired;
use crate::outcome::Outcome;
use crate::point::Point;
use crate::registry::Slots;
use crate::session::Session;

use super::chain;
use super::settle::{failed, settle, too_deep};

pub(super) fn run<P: Point>(slots: &Slots<P>, session: &Session, event: &P::Event<'_>) -> Fired<P::Verdict> {
    let _frame = match chain::enter(P::INFO) {
        Ok(frame) => frame,
        Err(chain) => return too_deep::<P>(session, chain),
    };
    let mut out = Outcome::silent();
    let mut next = 0;
    let ended = sweep(&slots.calls, &mut next, event, session, &mut out);
    if ended.is_ok() && !out.spoke() {
        Fired::SILENT
    } else {
        eventful(slots, session, event, next, ended, out)
    }
}

/// Calls hooks from `next` on until one panics, speaks, or none is left; `next` is behind the last one called.
#[inline]
fn sweep<P: Point>(
    calls: &[SyncCall<P>],
    next: &mut usize,
    event: &P::Event<'_>,
    session: &Session,
    out: &mut Outcome<P::Verdict>,
) -> Result<(), Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(|| {
        for call in &calls[*next..] {
            *next += 1;
            call(event, session, out);
            if out.spoke() {
                return;
            }
        }
    }))
}

/// Goes on after a hook that panicked or spoke: kept apart so that silent chains do not pay for it.
#[cold]
fn eventful<P: Point>(
    slots: &Slots<P>,
    session: &Session,
    event: &P::Event<'_>,
    mut next: usize,
    mut ended: Result<(), Box<dyn Any + Send>>,
    mut out: Outcome<P::Verdict>,
) -> Fired<P::Verdict> {
    let mut fired = Fired::SILENT;
    let mut value = None;
    while ended.is_err() || out.spoke() {
        let hook = &slots.hooks[next - 1];
        let mut goes_on = true;
        if let Some(said) = out.take() {
            goes_on = settle(hook, session, *said, &mut value, &mut fired);
        }
        if let Err(payload) = ended {
            failed(hook, session, Cause::Panic(panic_text(&*payload)), &mut fired);
        }
        if !goes_on {
            break;
        }
        ended = sweep(&slots.calls, &mut next, &P::with(event, value.as_ref()), session, &mut out);
    }
    if let Some(value) = value {
        fired.told().fold = Some(value);
    }
    fired
}
