//! The loop for plain hooks: one `catch_unwind` around all of them, entered again after the hook that panicked
//! or spoke.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::base::guard::swallow;
use crate::declared::entry::SyncCall;
use crate::declared::failure::Cause;
use crate::declared::fired::Fired;
use crate::declared::outcome::{Outcome, Unrun};
use crate::declared::point::Point;
use crate::machinery::chain;
use crate::machinery::chain::Frame;
use crate::registry::Slots;
use crate::session::Session;

use super::settle::{settle, too_deep};
use super::{On, Progress, Quick};

pub(super) fn run<P: Point>(slots: &Slots<P>, session: &Session, event: &P::Event<'_>) -> Quick<P> {
    let mut out = Outcome::silent();
    let _entered = match chain::enter(P::INFO, Frame::of(&out)) {
        Ok(entered) => entered,
        Err(chain) => return Quick::Done(too_deep::<P>(session, chain)),
    };
    let mut next = 0;
    let ended = sweep(&slots.calls, &mut next, event, session, &mut out);
    if ended.is_ok() && !out.spoke() {
        Quick::Done(Fired::SILENT)
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

/// Goes on after a hook that panicked, spoke, or waits for its state: kept apart so that silent chains do not pay for it.
#[cold]
fn eventful<P: Point>(
    slots: &Slots<P>,
    session: &Session,
    event: &P::Event<'_>,
    mut next: usize,
    mut ended: Result<(), Box<dyn Any + Send>>,
    mut out: Outcome<P::Verdict>,
) -> Quick<P> {
    let mut progress = Progress::none();
    while ended.is_err() || out.spoke() {
        let hook = &slots.hooks[next - 1];
        let mut cause = ended.err().map(|payload| Cause::Panic(swallow(payload)));
        match out.take_unrun() {
            // Only a future can wait.
            Some(Unrun::Wait(ticket)) => {
                let (next, ticket, on) = (next - 1, Some(ticket), On::All);
                return Quick::Rest(Some(Box::new(Progress { next, ticket, on, ..progress })));
            }
            Some(Unrun::Never(error)) => cause = Some(Cause::State(error)),
            None => {}
        }
        let goes_on = settle(hook, session, out.take(), cause, None, &mut progress);
        if !goes_on {
            break;
        }
        ended = sweep(&slots.calls, &mut next, &P::with(event, progress.value.as_ref()), session, &mut out);
    }
    Quick::Done(progress.end())
}
