//! Async hooks: polled to their end, under their time limit.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::base::boxed::BoxFuture;
use crate::base::guard::{Guarded, guarded};
use crate::declared::entry::Call;
use crate::declared::failure::Cause;
use crate::declared::json_call::JsonOnce;
use crate::declared::outcome::{Outcome, Unrun};
use crate::declared::point::Point;
use crate::session::Session;

/// Calls an async hook, again if it has to wait for its state first, and polls it to its end.
pub(super) async fn asynchronous<P: Point>(
    call: &Call<P>,
    (event, json): (P::Event<'_>, &mut JsonOnce),
    session: &Session,
    limit: Option<Duration>,
    may_wait: bool,
    out: &mut Outcome<P::Verdict>,
) -> Option<Cause> {
    loop {
        // One block, so that what the future borrows of the outcome is given back before the outcome is looked at.
        let ended = {
            let mut lent = Some((P::with(&event, None), &mut *json, &mut *out));
            let first = poll_fn(|cx| {
                Poll::Ready(
                    lent.take().map(|(event, json, out)| first::<P>(call, (event, json), session, out, cx)),
                )
            });
            match first.await {
                Some(First::Ended(panic)) => Some(panic.map(Cause::Panic)),
                Some(First::Waits(future)) => Some(drive(future, limit, may_wait, session).await),
                Some(First::Unrun) | None => None,
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

/// What came of an async hook that was called and polled once.
pub(super) enum First<'a> {
    /// It ended; the text of its panic, if it panicked.
    Ended(Option<String>),
    /// It waits for something.
    Waits(Guarded<'a, ()>),
    /// It did not run; the outcome says why.
    Unrun,
}

/// Calls an async hook and polls it once. Most are ready then, and need nothing of what waiting takes.
#[inline]
pub(super) fn first<'a, P: Point>(
    call: &Call<P>,
    (event, json): (P::Event<'a>, &mut JsonOnce),
    session: &'a Session,
    out: &'a mut Outcome<P::Verdict>,
    cx: &mut Context<'_>,
) -> First<'a> {
    let mut future = match guarded(move || call.begin(event, json, session, out)) {
        Ok(Some(future)) => Guarded::new(future),
        Ok(None) => return First::Unrun,
        Err(panic) => return First::Ended(Some(panic)),
    };
    match Pin::new(&mut future).poll(cx) {
        Poll::Ready(ended) => First::Ended(ended.err()),
        Poll::Pending => First::Waits(future),
    }
}

/// Waits for the turn of a hook that did not get its state; `false` if it was not for that.
pub(super) async fn turn<V: crate::plain::verdict::Verdict>(
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

/// Polls a hook that waits to its end.
pub(super) async fn drive(
    mut future: Guarded<'_, ()>,
    limit: Option<Duration>,
    may_wait: bool,
    session: &Session,
) -> Option<Cause> {
    let (mut alarm, mut fresh) = (None, true);
    poll_fn(|cx| {
        if !std::mem::take(&mut fresh)
            && let Poll::Ready(ended) = Pin::new(&mut future).poll(cx)
        {
            return Poll::Ready(ended.err().map(Cause::Panic));
        }
        if may_wait {
            over(&mut alarm, limit, session, cx).map(Some)
        } else {
            Poll::Ready(Some(Cause::CannotWait))
        }
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
    alarm.as_mut().poll(cx).map(|()| Cause::Timeout { limit, words: String::new() })
}
