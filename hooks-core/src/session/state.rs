//! State: each hook's private memory of one session.
//!
//! A hook that takes `state: &mut T` gets the session's one value of that type: made on first use, saved
//! with the session, restored when the session resumes, in this process or the next. While a hook holds
//! the value it is taken out of the store, so no lock is held while user code runs; a second hook that wants
//! the same value at the same time (a background hook, say) waits for it, at most [`PATIENCE`].
//!
//! A hook that panics leaves its value as it was at that moment.

use std::any::{Any, TypeId, type_name};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// How long a hook waits for a value that another hook of the session holds.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// A type that can be a hook's state.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a hook's state",
    note = "state is one value per session, made on first use and saved with the session: derive `Default`, `serde::Serialize` and `serde::Deserialize` (and keep it `Send`)"
)]
pub trait HookState: Default + Serialize + DeserializeOwned + Send + 'static {}
#[diagnostic::do_not_recommend]
impl<T: Default + Serialize + DeserializeOwned + Send + 'static> HookState for T {}

/// Why a hook could not have its state.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// Another hook of the session held it for too long, or an outer call of the same chain holds it.
    #[error(
        "the state `{0}` of this session is held by another hook, or by an outer call of this one; waited {PATIENCE:?}"
    )]
    Busy(&'static str),
}

trait AnyState: Any + Send {
    fn key(&self) -> &'static str;
    fn save(&self) -> Result<Value, serde_json::Error>;
}

impl<T: HookState> AnyState for T {
    fn key(&self) -> &'static str {
        type_name::<T>()
    }
    fn save(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}

enum Slot {
    Here(Box<dyn AnyState>),
    Taken,
}

/// All states of one session.
#[derive(Default)]
pub(crate) struct States {
    inner: Mutex<Inner>,
    returned: Condvar,
}

#[derive(Default)]
struct Inner {
    live: HashMap<TypeId, Slot>,
    saved: BTreeMap<String, Value>,
}

impl States {
    pub(crate) fn restored(saved: BTreeMap<String, Value>) -> Self {
        Self { inner: Mutex::new(Inner { live: HashMap::new(), saved }), returned: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take<T: HookState>(&self) -> Result<StateGuard<'_, T>, StateError> {
        let deadline = Instant::now() + PATIENCE;
        let mut inner = self.lock();
        loop {
            match inner.live.insert(TypeId::of::<T>(), Slot::Taken) {
                Some(Slot::Here(state)) => {
                    let any: Box<dyn Any> = state;
                    // The map's key is the type, so this cannot miss; a default is as good as new.
                    let value = any.downcast::<T>().unwrap_or_default();
                    return Ok(StateGuard { states: self, value: Some(value), put: put::<T> });
                }
                None => {
                    let saved = inner.saved.get(type_name::<T>()).cloned();
                    drop(inner);
                    let value = Box::new(saved.map_or_else(T::default, restore));
                    return Ok(StateGuard { states: self, value: Some(value), put: put::<T> });
                }
                Some(Slot::Taken) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(StateError::Busy(type_name::<T>()));
                    }
                    inner = self.returned.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// Every value, restored-but-unused ones included, by type name. A value that a hook holds right now
    /// is waited for; if it does not come back in time its last saved form is kept, with a warning.
    pub(crate) fn save(&self) -> BTreeMap<String, Value> {
        let deadline = Instant::now() + PATIENCE;
        let mut inner = self.lock();
        while inner.live.values().any(|slot| matches!(slot, Slot::Taken)) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                tracing::warn!("a hook still holds its state; its last saved form is kept");
                break;
            }
            inner = self.returned.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let mut all = inner.saved.clone();
        for slot in inner.live.values() {
            if let Slot::Here(state) = slot {
                match state.save() {
                    Ok(value) => {
                        all.insert(state.key().to_owned(), value);
                    }
                    Err(error) => {
                        tracing::error!(state = state.key(), %error, "this state cannot be saved");
                    }
                }
            }
        }
        all
    }
}

fn restore<T: HookState>(saved: Value) -> T {
    serde_json::from_value(saved).unwrap_or_else(|error| {
        tracing::warn!(
            state = type_name::<T>(),
            %error,
            "the saved state does not fit its type any more; the hook starts afresh"
        );
        T::default()
    })
}

/// A hook's state while the hook runs; goes back to the session when dropped.
///
/// It asks nothing of `T` itself: that is asked once, where the state is taken, and told there.
pub struct StateGuard<'s, T> {
    states: &'s States,
    value: Option<Box<T>>,
    put: fn(&States, Box<T>),
}

const TAKEN: &str = "the value is only taken by drop";

impl<T> Deref for StateGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match &self.value {
            Some(value) => value,
            None => unreachable!("{TAKEN}"),
        }
    }
}

impl<T> DerefMut for StateGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.value {
            Some(value) => value,
            None => unreachable!("{TAKEN}"),
        }
    }
}

fn put<T: HookState>(states: &States, value: Box<T>) {
    states.lock().live.insert(TypeId::of::<T>(), Slot::Here(value));
    states.returned.notify_all();
}

impl<T> Drop for StateGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            (self.put)(self.states, value);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for StateGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Default, Serialize, Deserialize, Debug, PartialEq)]
    struct Count(u32);
    #[derive(Default, Serialize, Deserialize)]
    struct Other(String);

    #[test]
    fn one_value_per_type_is_kept_and_saved() {
        let states = States::default();
        states.take::<Count>().unwrap().0 += 2;
        states.take::<Other>().unwrap().0.push('x');
        assert_eq!(*states.take::<Count>().unwrap(), Count(2));

        let again = States::restored(states.save());
        assert_eq!(*again.take::<Count>().unwrap(), Count(2));
        assert_eq!(again.save(), states.save(), "unused values survive a second save");
    }

    #[test]
    fn a_saved_value_of_another_shape_starts_afresh() {
        let saved = BTreeMap::from([(type_name::<Count>().to_owned(), Value::from("seven"))]);
        assert_eq!(*States::restored(saved).take::<Count>().unwrap(), Count(0));
    }

    #[test]
    fn a_value_in_use_is_waited_for() {
        let states = std::sync::Arc::new(States::default());
        let held = states.take::<Count>().unwrap();
        let other = std::sync::Arc::clone(&states);
        let waiter = std::thread::spawn(move || other.take::<Count>().unwrap().0 += 1);
        drop(held);
        waiter.join().unwrap();
        assert_eq!(*states.take::<Count>().unwrap(), Count(1));
    }

    #[test]
    fn a_panicking_holder_gives_the_value_back() {
        let states = States::default();
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut count = states.take::<Count>().unwrap();
            count.0 = 9;
            panic!("while holding it");
        }));
        assert!(broken.is_err());
        assert_eq!(states.take::<Count>().unwrap().0, 9);
    }
}
