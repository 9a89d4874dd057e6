//! Between session and storage: what is stored is shown, and nothing else.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookspec::hooks::{BoxError, BoxFuture};
use hookspec::session::LogSink;
use hookspec::{Message, Role};

use super::Frontend;
use crate::log::Storage;

/// Stores what the session appends, and shows it once it is stored.
pub(super) struct Sink {
    storage: Arc<dyn Storage>,
    frontend: Arc<dyn Frontend>,
    /// For each message that the storage has queued: what is to be shown of it.
    queued: Mutex<VecDeque<Option<Message>>>,
}

impl Sink {
    pub(super) fn new(storage: Arc<dyn Storage>, frontend: Arc<dyn Frontend>) -> Self {
        Self { storage, frontend, queued: Mutex::default() }
    }

    fn queued(&self) -> MutexGuard<'_, VecDeque<Option<Message>>> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, count: usize) {
        let stored: Vec<_> = {
            let mut queued = self.queued();
            let count = count.min(queued.len());
            queued.drain(..count).flatten().collect()
        };
        stored.iter().for_each(|message| self.frontend.message(message));
    }
}

impl LogSink for Sink {
    fn append(&self, message: &mut Message) -> Result<(), BoxError> {
        self.storage.append(message)?;
        let shown = !message.hide && !message.quiet && message.role == Role::System;
        if self.storage.queues() {
            self.queued().push_back(shown.then(|| message.clone()));
        } else if shown {
            self.frontend.message(message);
        }
        Ok(())
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async {
            let count = self.queued().len();
            self.storage.flush().await?;
            self.show(count);
            Ok(())
        })
    }

    fn forget(&self, taken: usize) -> usize {
        let stored = self.storage.forget(taken);
        self.show(stored);
        self.queued().clear();
        stored
    }
}
