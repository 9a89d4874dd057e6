//! A state while somebody holds it.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::store::States;

/// A hook's state while the hook runs; goes back to the session when dropped.
///
/// It asks nothing of `T` itself: that is asked once, where the state is taken, and told there.
pub struct StateGuard<'s, T> {
    pub(super) states: &'s States,
    pub(super) value: Option<Box<T>>,
    pub(super) put: fn(&States, Option<Box<T>>),
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

impl<T> Drop for StateGuard<'_, T> {
    fn drop(&mut self) {
        (self.put)(self.states, self.value.take());
    }
}

impl<T: fmt::Debug> fmt::Debug for StateGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
