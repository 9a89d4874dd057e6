//! Hooks that run on a pool thread: blocking ones, and plain background ones. Whoever waits for them waits without a thread, as
//! long as they may take.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::base::guard::{drop_quietly, guarded};
use crate::declared::entry::Call;
use crate::declared::failure::Cause;
use crate::declared::json_call::JsonOnce;
use crate::declared::outcome::Outcome;
use crate::declared::point::Point;
use crate::machinery::chain::CutOff;
use crate::machinery::spawn::{Given, give};
use crate::session::Session;

use super::limit::{over, turn};

/// What came of a hook on a pool thread.
type Ran<P> = (Outcome<<P as Point>::Verdict>, Option<Cause>);

/// A hook on its way. Dropped before it is done it is left to itself: one that did not begin never runs, and of one that runs it
/// is known that it runs on.
struct Job<'s, P: Point> {
    given: Given<Ran<P>>,
    session: &'s Session,
    cut_off: CutOff,
    done: bool,
}

impl<P: Point> Drop for Job<'_, P> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        // Before it is looked for what it holds: it may be about to take something.
        self.cut_off.set();
        if !self.given.take_back() {
            self.session.states().cut_off();
        }
    }
}

/// Runs a hook on a pool thread, on its own copy of the event, and waits for it as long as it may take.
pub(super) async fn on_pool<P: Point>(
    call: &Call<P>,
    (owned, json): (Arc<P::Owned>, JsonOnce),
    session: &Session,
    limit: Option<Duration>,
    mut out: Outcome<P::Verdict>,
) -> Ran<P> {
    loop {
        let (ran, cause) = once::<P>(call, (&owned, &json), session, limit, out).await;
        out = ran;
        if cause.is_some() {
            return (out, cause);
        }
        match turn(&mut out, true).await {
            Ok(true) => {}
            Ok(false) => return (out, None),
            Err(cause) => return (out, Some(cause)),
        }
    }
}

async fn once<P: Point>(
    call: &Call<P>,
    (owned, json): (&Arc<P::Owned>, &JsonOnce),
    session: &Session,
    limit: Option<Duration>,
    mut out: Outcome<P::Verdict>,
) -> Ran<P> {
    let (call, owned, mut json, other) = (call.clone(), Arc::clone(owned), json.clone(), session.clone());
    let cut_off = CutOff::default();
    let run = cut_off.clone();
    let work = move || {
        let ended = run.during(|| guarded(|| call_here(&call, (&owned, &mut json), &other, &mut out)));
        // Before anybody goes on: a host that ends the session now finds nobody holding it.
        drop_quietly((other, owned, json, call), "what a hook ran on");
        (out, ended.err().map(Cause::Panic))
    };
    let given = match give(session.hooks().spawn(), work) {
        Ok(given) => given,
        Err(error) => return (Outcome::silent(), Some(Cause::Error(error.to_string()))),
    };
    let mut job = Job::<P> { given, session, cut_off, done: false };
    let mut alarm = None;
    let (ran, in_time) = poll_fn(|cx| match Pin::new(&mut job.given).poll(cx) {
        Poll::Ready(Ok(ran)) => Poll::Ready((ran, true)),
        Poll::Ready(Err(error)) => {
            Poll::Ready(((Outcome::silent(), Some(Cause::Error(error.to_string()))), true))
        }
        Poll::Pending => {
            over(&mut alarm, limit, session, cx).map(|late| ((Outcome::silent(), Some(late)), false))
        }
    })
    .await;
    job.done = in_time;
    ran
}

fn call_here<P: Point>(
    call: &Call<P>,
    (owned, json): (&P::Owned, &mut JsonOnce),
    session: &Session,
    out: &mut Outcome<P::Verdict>,
) {
    let event = P::lend(owned);
    if !call.is_async() {
        call.now(&event, json, session, out);
    } else if let Some(future) = call.begin(event, json, session, out) {
        session.hooks().spawn().block_on(future);
    }
}
