//! The states of a session, as hooks and hosts ask for them.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use crate::base::json::Value;

use crate::plain::options::Origin;
use crate::plain::state_key::Keys;

use super::Session;
use super::state::{HookState, PATIENCE, StateError, StateGuard, Taken, Who};
use super::ticket::{Ticket, take, turn};

impl Session {
    /// This session's value of type `T`, made on first use. Waits, without a thread, while a hook holds it; who asked first has it
    /// first. Hooks usually take `state: &mut T` instead, which waits too.
    ///
    /// # Errors
    /// If the wait could never end: see [`StateError`].
    #[track_caller]
    pub fn state<T: HookState>(&self) -> impl Future<Output = Result<StateGuard<'_, T>, StateError>> + Send {
        let who = Who::Place(std::panic::Location::caller());
        turn(self, who, || self.state_keys::<T>())
    }

    /// The same for code that cannot wait: the value if nobody holds it right now.
    ///
    /// # Errors
    /// If somebody holds it.
    #[track_caller]
    pub fn try_state<T: HookState>(&self) -> Result<StateGuard<'_, T>, StateError> {
        let who = Who::Place(std::panic::Location::caller());
        match self.0.states.take(who, None, false, || self.state_keys::<T>()) {
            Taken::Now(guard) => Ok(guard),
            Taken::Never(error) => Err(error),
            Taken::Later(_) => unreachable!("no place in the queue was asked for"),
        }
    }

    /// The same for code on a thread that may block: where somebody holds the value this thread waits for it, up to
    /// [`PATIENCE`]. On a thread that may not, for it drives an async runtime that has no other, it does not wait.
    ///
    /// A hook that takes `state: &mut T` needs no thread to wait with.
    ///
    /// # Errors
    /// If the value could not be had.
    #[track_caller]
    pub fn state_now<T: HookState>(&self) -> Result<StateGuard<'_, T>, StateError> {
        let held = match self.try_state() {
            Err(held @ StateError::Held { .. }) if self.0.hooks.spawn().may_block() => held,
            had => return had,
        };
        let spawn = self.0.hooks.spawn();
        let (mut had, wanted) = (Err(held), self.state());
        let (patience, given) = (spawn.sleep(PATIENCE), &mut had);
        spawn.block_on(Box::pin(async move {
            let (mut wanted, mut patience) = (pin!(wanted), patience);
            poll_fn(|cx| match wanted.as_mut().poll(cx) {
                Poll::Ready(had) => {
                    *given = had;
                    Poll::Ready(())
                }
                Poll::Pending => patience.as_mut().poll(cx),
            })
            .await;
        }));
        had
    }

    pub(crate) fn take_state<T: HookState>(
        &self,
        hook: &'static Origin,
        ticket: Option<Ticket>,
    ) -> Taken<'_, T> {
        take(self, Who::Hook(hook), ticket, || self.state_keys::<T>())
    }

    fn state_keys<T: HookState>(&self) -> Keys {
        self.0.hooks.borrow().states.get::<T>()
    }

    /// All states, to be kept with the session. Of one that a hook holds right now this is its last saved form.
    #[cfg(feature = "json")]
    #[must_use]
    pub fn save_states(&self) -> BTreeMap<String, Value> {
        let mut states = self.0.states.save();
        self.0.once.save(&mut states);
        states
    }
}
