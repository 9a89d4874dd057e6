//! Waiting for a state, without a thread, in the order of asking.

use std::any::TypeId;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use crate::session::Session;

use super::guard::StateGuard;
use super::key::Keys;
use super::store::Taken;
use super::{HookState, StateError, Who};

/// A place in the queue for a state. It is given up when dropped.
pub(crate) struct Ticket {
    session: Session,
    state: TypeId,
    number: u64,
    given_up: bool,
}

impl Ticket {
    pub(crate) fn new<T: 'static>(session: &Session, number: u64) -> Self {
        Self { session: session.clone(), state: TypeId::of::<T>(), number, given_up: false }
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// What it stood for was taken.
    pub(crate) fn used(mut self) {
        self.given_up = true;
    }

    /// Completes when it is this one's turn.
    pub(crate) async fn turn(&self) -> Result<(), StateError> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Result<(), StateError>> {
        let mut inner = self.session.states().lock();
        let Some(slot) = inner.live.get_mut(&self.state) else { return Poll::Ready(Ok(())) };
        match &slot.holder {
            Some(holder) if holder.ticket == Some(self.number) => return Poll::Ready(Ok(())),
            Some(holder) if holder.is_cut_off() => {
                let error = StateError::CutOff { state: slot.name, by: holder.who.to_string() };
                return Poll::Ready(Err(error));
            }
            _ => {}
        }
        let waiter = slot.waiting.iter_mut().find(|waiter| waiter.ticket == self.number);
        if let Some(waiter) = waiter {
            waiter.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

/// A state for `who`, when it is its turn.
pub(crate) async fn turn<T: HookState>(
    session: &Session,
    who: Who,
    keys: impl Fn() -> Keys,
) -> Result<StateGuard<'_, T>, StateError> {
    let mut ticket = None;
    loop {
        match session.states().take(who, ticket.take(), true, &keys) {
            Taken::Now(guard) => return Ok(guard),
            Taken::Never(error) => return Err(error),
            Taken::Later(number) => {
                let place = Ticket::new::<T>(session, number);
                place.turn().await?;
                ticket = Some(place);
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.given_up {
            return;
        }
        let next = {
            let mut inner = self.session.states().lock();
            let Some(slot) = inner.live.get_mut(&self.state) else { return };
            slot.waiting.retain(|waiter| waiter.ticket != self.number);
            let promised = slot.holder.as_ref().is_some_and(|holder| holder.ticket == Some(self.number));
            if promised { slot.promise() } else { None }
        };
        next.into_iter().for_each(Waker::wake);
    }
}
