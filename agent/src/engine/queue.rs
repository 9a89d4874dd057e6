//! User messages that wait until the agent rests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookspec::Message;

/// A handle on an agent's queue: a host adds to it while a turn runs.
#[derive(Clone, Debug, Default)]
pub struct Queue(Arc<Mutex<VecDeque<Message>>>);

impl Queue {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Message>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message behind the ones that wait.
    pub fn push(&self, message: Message) {
        self.lock().push_back(message);
    }

    /// Takes away everything that waits.
    #[must_use]
    pub fn take(&self) -> Vec<Message> {
        self.lock().drain(..).collect()
    }

    /// The messages that wait, oldest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<Message> {
        self.lock().iter().cloned().collect()
    }

    pub(super) fn push_front(&self, message: Message) {
        self.lock().push_front(message);
    }

    pub(super) fn pop(&self) -> Option<Message> {
        self.lock().pop_front()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }
}
