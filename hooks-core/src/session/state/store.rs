//! The store: all states of one session, who holds them and who waits.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, VecDeque};
use std::task::{Context, Poll, Waker};

use crate::base::json::{self, Value};

use crate::base::by_type::ByType;
use crate::base::guard::guarded;
use crate::base::sync::{Mutex, MutexGuard, lock};
use crate::machinery::chain::{Chain, CutOff, Frame};

use super::{HookState, StateError, Who};

pub(super) trait AnyState: Any + Send {
    fn save(&self) -> Result<Value, json::Error>;
}

impl<T: HookState> AnyState for T {
    fn save(&self) -> Result<Value, json::Error> {
        json::to_value(self)
    }
}

/// One state.
pub(super) struct Slot {
    /// The value; `None` while it is held, or was never made.
    pub(super) value: Option<Box<dyn AnyState>>,
    pub(super) holder: Option<Holder>,
    pub(super) waiting: VecDeque<Waiter>,
    pub(super) name: &'static str,
    /// Under which it is saved; known once it was made.
    pub(super) key: Option<String>,
}

pub(super) struct Holder {
    pub(super) who: Who,
    /// The firing in which it is held.
    pub(super) frame: Frame,
    /// Whose turn it is, where it was waited for and not yet taken.
    pub(super) ticket: Option<u64>,
    /// Whether the run that holds it was cut off and goes on, where one can be.
    pub(super) cut_off: Option<CutOff>,
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
    pub(super) saved: BTreeMap<String, Value>,
    tickets: u64,
}

impl States {
    pub(crate) fn restored(saved: BTreeMap<String, Value>) -> Self {
        Self(Mutex::new(Inner { saved, ..Inner::default() }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.0)
    }

    /// Whether it is the turn of who waits with that number.
    pub(crate) fn poll_turn(
        &self,
        state: TypeId,
        number: u64,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), StateError>> {
        let mut inner = self.lock();
        let Some(slot) = inner.live.get_mut(&state) else { return Poll::Ready(Ok(())) };
        match &slot.holder {
            Some(holder) if holder.ticket == Some(number) => return Poll::Ready(Ok(())),
            Some(holder) if holder.is_cut_off() => {
                let error = StateError::CutOff { state: slot.name, by: holder.who.to_string() };
                return Poll::Ready(Err(error));
            }
            _ => {}
        }
        let waiter = slot.waiting.iter_mut().find(|waiter| waiter.ticket == number);
        if let Some(waiter) = waiter {
            waiter.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Who waits with that number does so no more, or does not take what was promised.
    pub(crate) fn give_up(&self, state: TypeId, number: u64) {
        let next = {
            let mut inner = self.lock();
            let Some(slot) = inner.live.get_mut(&state) else { return };
            slot.waiting.retain(|waiter| waiter.ticket != number);
            let promised = slot.holder.as_ref().is_some_and(|holder| holder.ticket == Some(number));
            if promised { slot.promise() } else { None }
        };
        next.into_iter().for_each(Waker::wake);
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
    pub(super) fn hopeless(&self, wanted: TypeId, who: Who, chain: &Chain) -> Option<StateError> {
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

    pub(super) fn queue(
        &mut self,
        id: TypeId,
        who: Who,
        chain: Chain,
        queue: bool,
    ) -> Result<u64, StateError> {
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
    pub(super) fn put_aside(&mut self, key: &str) -> String {
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
    pub(super) fn new(name: &'static str) -> Self {
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
