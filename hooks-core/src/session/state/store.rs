//! The store: all states of one session, who holds them and who waits.

use std::any::{Any, TypeId, type_name};
use std::collections::{BTreeMap, VecDeque};
use std::task::Waker;

use serde_json::Value;

use crate::by_type::ByType;
use crate::dispatch::chain::{self, Chain, CutOff, Frame};
use crate::guard::guarded;
use crate::sync::{Mutex, MutexGuard, lock};

use super::guard::StateGuard;
use super::key::Keys;
use super::wait::Ticket;
use super::{HookState, StateError, Who};

pub(super) trait AnyState: Any + Send {
    fn save(&self) -> Result<Value, serde_json::Error>;
}

impl<T: HookState> AnyState for T {
    fn save(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}

/// One state.
pub(super) struct Slot {
    /// The value; `None` while it is held, or was never made.
    value: Option<Box<dyn AnyState>>,
    pub(super) holder: Option<Holder>,
    pub(super) waiting: VecDeque<Waiter>,
    pub(super) name: &'static str,
    /// Under which it is saved; known once it was made.
    key: Option<String>,
}

pub(super) struct Holder {
    pub(super) who: Who,
    /// The firing in which it is held.
    frame: Frame,
    /// Whose turn it is, where it was waited for and not yet taken.
    pub(super) ticket: Option<u64>,
    /// Whether the run that holds it was cut off and goes on, where one can be.
    cut_off: Option<CutOff>,
}

pub(super) struct Waiter {
    pub(super) ticket: u64,
    who: Who,
    chain: Chain,
    pub(super) waker: Option<Waker>,
}

/// All states of one session.
#[derive(Default)]
pub(crate) struct States(Mutex<Inner>);

#[derive(Default)]
pub(super) struct Inner {
    pub(super) live: ByType<Slot>,
    saved: BTreeMap<String, Value>,
    tickets: u64,
}

/// What came of asking for a state.
pub(crate) enum Taken<'s, T> {
    Now(StateGuard<'s, T>),
    /// Somebody has it; the number of the place in the queue.
    Later(u64),
    Never(StateError),
}

impl States {
    pub(crate) fn restored(saved: BTreeMap<String, Value>) -> Self {
        Self(Mutex::new(Inner { saved, ..Inner::default() }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.0)
    }

    /// Takes the value for `who`, who has a ticket if it waited. `keys` says under which keys a value may be saved that was not
    /// used yet. Where somebody else has it, a place in the queue is taken, if that is wanted.
    pub(crate) fn take<T: HookState>(
        &self,
        who: Who,
        ticket: Option<Ticket>,
        queue: bool,
        keys: impl FnOnce() -> Keys,
    ) -> Taken<'_, T> {
        let id = TypeId::of::<T>();
        let mut inner = self.lock();
        let slot = inner.live.entry(id).or_insert_with(|| Slot::new(type_name::<T>()));
        let turn = ticket.as_ref().map(Ticket::number);
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
        if let Some(ticket) = ticket {
            ticket.used();
        }
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
        match serde_json::from_value(value) {
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

    /// Tells those who wait for what a run holds that was cut off.
    pub(crate) fn cut_off(&self) {
        let mut wakers = Vec::new();
        for slot in self.lock().live.values_mut() {
            if slot.holder.as_ref().is_some_and(Holder::is_cut_off) {
                wakers.extend(slot.waiting.iter_mut().filter_map(|waiter| waiter.waker.take()));
            }
        }
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Every value, restored-but-unused ones included, by key. Nobody waits: of a value that somebody holds right now the last
    /// saved form is kept.
    pub(crate) fn save(&self) -> BTreeMap<String, Value> {
        let ids: Vec<TypeId> = self.lock().live.keys().copied().collect();
        for id in ids {
            self.save_one(id);
        }
        self.lock().saved.clone()
    }

    /// Takes the value out for the time that its own code writes it down. One that is held, or promised, is left alone.
    fn save_one(&self, id: TypeId) {
        let (value, name, key) = {
            let mut inner = self.lock();
            let Some(slot) = inner.live.get_mut(&id).filter(|slot| slot.holder.is_none()) else { return };
            let (Some(value), Some(key)) = (slot.value.take(), slot.key.clone()) else { return };
            slot.holder = Some(Holder { who: Who::Saving, frame: Frame::NONE, ticket: None, cut_off: None });
            (value, slot.name, key)
        };
        let written = guarded(|| value.save());
        let mut inner = self.lock();
        match written {
            Ok(Ok(json)) => {
                inner.saved.insert(key, json);
            }
            Ok(Err(error)) => tracing::error!(state = name, %error, "this state cannot be saved"),
            Err(panic) => tracing::error!(state = name, panic, "this state cannot be saved: it panicked"),
        }
        let next = inner.put_back(id, Some(value));
        drop(inner);
        next.into_iter().for_each(Waker::wake);
    }
}

impl Inner {
    /// Why a wait for a state could never end.
    fn hopeless(&self, wanted: TypeId, who: Who, chain: &Chain) -> Option<StateError> {
        let slot = self.live.get(&wanted)?;
        let first = slot.holder.as_ref()?;
        if first.is_cut_off() {
            return Some(StateError::CutOff { state: slot.name, by: first.who.to_string() });
        }
        // Who must let go of something first: whoever holds it, and whoever holds what waits within their chains. A hook may fire
        // several points at once, so that one chain waits for several.
        let mut holders = vec![first.frame];
        let mut next = 0;
        while let Some(frame) = holders.get(next).copied() {
            if chain.holds(frame) {
                let (by, waiting) = (first.who.to_string(), who.to_string());
                return Some(StateError::Circle { state: slot.name, by, waiting });
            }
            for slot in self.live.values() {
                if let Some(holder) = &slot.holder
                    && !holders.contains(&holder.frame)
                    && slot.waiting.iter().any(|waiter| waiter.chain.holds(frame))
                {
                    holders.push(holder.frame);
                }
            }
            next += 1;
        }
        None
    }

    fn queue(&mut self, id: TypeId, who: Who, chain: Chain, queue: bool) -> Result<u64, StateError> {
        let Some(slot) = self.live.get_mut(&id) else { unreachable!("it was looked at before") };
        if !queue {
            let by = slot.holder.as_ref().map_or_else(String::new, |holder| holder.who.to_string());
            return Err(StateError::Held { state: slot.name, by });
        }
        self.tickets += 1;
        slot.waiting.push_back(Waiter { ticket: self.tickets, who, chain, waker: None });
        Ok(self.tickets)
    }

    /// Puts a value back, or that there is none, and promises it to who waits first: what wakes it.
    pub(super) fn put_back(&mut self, id: TypeId, value: Option<Box<dyn AnyState>>) -> Option<Waker> {
        let slot = self.live.get_mut(&id)?;
        slot.value = value;
        slot.promise()
    }

    /// Renames what was saved under a key to one that is free.
    fn put_aside(&mut self, key: &str) -> String {
        let mut aside = format!("{key} (kept aside)");
        let mut number = 1;
        while self.saved.contains_key(&aside) {
            number += 1;
            aside = format!("{key} (kept aside {number})");
        }
        let value = self.saved.remove(key);
        self.saved.extend(value.map(|value| (aside.clone(), value)));
        aside
    }
}

impl Slot {
    fn new(name: &'static str) -> Self {
        Self { value: None, holder: None, waiting: VecDeque::new(), name, key: None }
    }

    /// Lets go of the value, for who waits first: what wakes it.
    pub(super) fn promise(&mut self) -> Option<Waker> {
        let next = self.waiting.pop_front();
        self.holder = next.as_ref().map(|waiter| Holder {
            who: waiter.who,
            frame: waiter.chain.innermost(),
            ticket: Some(waiter.ticket),
            cut_off: None,
        });
        next.and_then(|waiter| waiter.waker)
    }
}

impl Holder {
    pub(super) fn is_cut_off(&self) -> bool {
        self.cut_off.as_ref().is_some_and(CutOff::is_set)
    }
}

fn put<T: HookState>(states: &States, value: Option<Box<T>>) {
    let value = value.map(|value| value as Box<dyn AnyState>);
    let next = states.lock().put_back(TypeId::of::<T>(), value);
    next.into_iter().for_each(Waker::wake);
}
