//! Async hooks: polled to their end, under their time limit.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::entry::{AsyncCall, BoxFuture};
use crate::failure::Cause;
use crate::guard::{Guarded, guarded};
use crate::outcome::{Outcome, Unrun};
use crate::point::Point;
use crate::session::Session;

/// Calls an async hook, again if it has to wait for its state first, and polls it to its end.
pub(super) async fn asynchronous<P: Point>(
    call: AsyncCall<P>,
    event: P::Event<'_>,
    session: &Session,
    limit: Option<Duration>,
    may_wait: bool,
    out: &mut Outcome<P::Verdict>,
) -> Option<Cause> {
    loop {
        // One block, so that what the future borrows of the outcome is given back before the outcome is looked at.
        let ended = {
            let (event, lent) = (P::with(&event, None), &mut *out);
            match guarded(move || call(event, session, lent)) {
                Ok(Some(future)) => Some(drive(future, limit, may_wait, session).await),
                Ok(None) => None,
                Err(panic) => Some(Some(Cause::Panic(panic))),
            }
        };
        match ended {
            Some(cause) => return cause,
            None => match turn(out, may_wait).await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(cause) => return Some(cause),
            },
        }
    }
}

/// Waits for the turn of a hook that did not get its state; `false` if it was not for that.
pub(super) async fn turn<V: crate::verdict::Verdict>(
    out: &mut Outcome<V>,
    may_wait: bool,
) -> Result<bool, Cause> {
    match out.take_unrun() {
        None => Ok(false),
        Some(Unrun::Never(error)) => Err(Cause::State(error)),
        Some(Unrun::Wait(_)) if !may_wait => Err(Cause::CannotWait),
        Some(Unrun::Wait(ticket)) => {
            ticket.turn().await.map_err(Cause::State)?;
            *out = Outcome::turn(ticket);
            Ok(true)
        }
    }
}

async fn drive(
    future: BoxFuture<'_, ()>,
    limit: Option<Duration>,
    may_wait: bool,
    session: &Session,
) -> Option<Cause> {
    let mut future = Guarded::new(future);
    let mut alarm = None;
    poll_fn(|cx| match Pin::new(&mut future).poll(cx) {
        Poll::Ready(ended) => Poll::Ready(ended.err().map(Cause::Panic)),
        Poll::Pending if !may_wait => Poll::Ready(Some(Cause::CannotWait)),
        Poll::Pending => over(&mut alarm, limit, session, cx).map(Some),
    })
    .await
}

/// Whether a limit is over. Its alarm is made when first asked for: a hook that is ready at once needs none.
pub(super) fn over(
    alarm: &mut Option<BoxFuture<'static, ()>>,
    limit: Option<Duration>,
    session: &Session,
    cx: &mut Context<'_>,
) -> Poll<Cause> {
    let Some(limit) = limit else { return Poll::Pending };
    let alarm = alarm.get_or_insert_with(|| session.hooks().spawn().sleep(limit));
    alarm.as_mut().poll(cx).map(|()| Cause::Timeout(limit))
}
