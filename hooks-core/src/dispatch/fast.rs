//! The loop for plain hooks: one `catch_unwind` around all of them, entered again after the hook that panicked
//! or spoke.

use std::panic::{AssertUnwindSafe, catch_unwind};

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
    let mut fired = Fired::SILENT;
    let mut value = None;
    let mut out = Outcome::silent();
    let mut next = 0;
    let calls = &*slots.calls;
    loop {
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let event = P::with(event, value.as_ref());
            while let Some(call) = calls.get(next) {
                next += 1;
                call(&event, session, &mut out);
                if out.spoke() {
                    return;
                }
            }
        }));
        if ended.is_ok() && !out.spoke() {
            break;
        }
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
    }
    if let Some(value) = value {
        fired.told().fold = Some(value);
    }
    fired
}
