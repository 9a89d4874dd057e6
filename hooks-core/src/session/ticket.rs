//! Waiting for a state, without a thread, in the order of asking.

use std::any::TypeId;
use std::future::poll_fn;

use crate::plain::state_key::Keys;

use super::Session;
use super::state::{HookState, StateError, StateGuard, Taken, Who};

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

    /// What it stood for was taken.
    fn used(mut self) {
        self.given_up = true;
    }

    /// Completes when it is this one's turn.
    pub(crate) async fn turn(&self) -> Result<(), StateError> {
        poll_fn(|cx| self.session.states().poll_turn(self.state, self.number, cx)).await
    }
}

/// Takes a state for `who`, who has a ticket if it waited.
pub(crate) fn take<'s, T: HookState>(
    session: &'s Session,
    who: Who,
    ticket: Option<Ticket>,
    keys: impl FnOnce() -> Keys,
) -> Taken<'s, T> {
    let taken = session.states().take(who, ticket.as_ref().map(|ticket| ticket.number), true, keys);
    if let (Taken::Now(_), Some(ticket)) = (&taken, ticket) {
        ticket.used();
    }
    taken
}

/// A state for `who`, when it is its turn.
pub(crate) async fn turn<T: HookState>(
    session: &Session,
    who: Who,
    keys: impl Fn() -> Keys,
) -> Result<StateGuard<'_, T>, StateError> {
    let mut ticket = None;
    loop {
        match take(session, who, ticket.take(), &keys) {
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
        if !self.given_up {
            self.session.states().give_up(self.state, self.number);
        }
    }
}
