//! Taking a state out of the store, made or read from what is saved if it is not there yet.

use std::any::{Any, TypeId, type_name};
use std::task::Waker;

use crate::base::json;
use crate::machinery::chain::{self, CutOff};
use crate::plain::state_key::Keys;

use super::guard::StateGuard;
use super::store::{AnyState, Holder, Slot, States};
use super::{HookState, StateError, Who};

/// What came of asking for a state.
pub(crate) enum Taken<'s, T> {
    Now(StateGuard<'s, T>),
    /// Somebody has it; the number of the place in the queue.
    Later(u64),
    Never(StateError),
}

impl States {
    /// Takes the value for `who`, whose `turn` it is if it waited. `keys` says under which keys a value may be saved that was not
    /// used yet. Where somebody else has it, a place in the queue is taken, if that is wanted.
    pub(crate) fn take<T: HookState>(
        &self,
        who: Who,
        turn: Option<u64>,
        queue: bool,
        keys: impl FnOnce() -> Keys,
    ) -> Taken<'_, T> {
        let id = TypeId::of::<T>();
        let mut inner = self.lock();
        let slot = inner.live.entry(id).or_insert_with(|| Slot::new(type_name::<T>()));
        if let Some(holder) = &slot.holder
            && (turn.is_none() || holder.ticket != turn)
        {
            let chain = chain::current();
            if let Some(error) = inner.hopeless(id, who, &chain) {
                return Taken::Never(error);
            }
            return match inner.queue(id, who, chain, queue) {
                Ok(number) => Taken::Later(number),
                Err(error) => Taken::Never(error),
            };
        }
        let cut_off = CutOff::of_this_run();
        slot.holder = Some(Holder { who, frame: chain::frame(), ticket: None, cut_off });
        let held = slot.value.take();
        drop(inner);
        // Made outside of the lock: it is the user's code, and may panic. The guard then puts back that there is none.
        let mut guard = StateGuard { states: self, value: None, put: put::<T> };
        let any: Option<Box<dyn Any>> = held.map(|state| state as _);
        let value = any.and_then(|any| any.downcast::<T>().ok());
        guard.value = Some(value.unwrap_or_else(|| Box::new(self.make::<T>(&keys()))));
        Taken::Now(guard)
    }

    /// The saved value, or a new one.
    fn make<T: HookState>(&self, keys: &Keys) -> T {
        let save = keys.save::<T>();
        let found = {
            let mut inner = self.lock();
            if let Some(slot) = inner.live.get_mut(&TypeId::of::<T>()) {
                slot.key = Some(save.clone());
            }
            keys.all::<T>().find_map(|key| inner.saved.get(&key).cloned().map(|value| (key, value)))
        };
        let Some((key, value)) = found else { return T::default() };
        match json::from_value(value) {
            Ok(read) => {
                if key != save {
                    let mut inner = self.lock();
                    let value = inner.saved.remove(&key);
                    inner.saved.extend(value.map(|value| (save, value)));
                }
                read
            }
            Err(error) => {
                let aside = self.lock().put_aside(&key);
                tracing::warn!(
                    state = type_name::<T>(),
                    %error,
                    "the state that was saved as `{key}` does not fit its type any more: the hook starts afresh, and what was saved is kept as `{aside}`"
                );
                T::default()
            }
        }
    }
}

fn put<T: HookState>(states: &States, value: Option<Box<T>>) {
    let value = value.map(|value| value as Box<dyn AnyState>);
    let next = states.lock().put_back(TypeId::of::<T>(), value);
    next.into_iter().for_each(Waker::wake);
}
