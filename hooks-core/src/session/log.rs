//! The session's conversation as hooks see it, and the sink that keeps it.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::message::Message;
use crate::outcome::BoxError;

/// Keeps a conversation: a file, a database. The host brings it.
pub trait LogSink: Send + Sync {
    /// Stores one message durably. The sink fills in what the message lacks (`id`, `timestamp`).
    ///
    /// # Errors
    /// If it could not be stored. The message stays in memory, the session reports the fault once, and the
    /// host decides whether to go on.
    fn append(&self, message: &mut Message) -> Result<(), BoxError>;
}

/// A moment of a conversation: the messages as they were when it was taken. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct LogView(Arc<Vec<Arc<Message>>>);

impl Deref for LogView {
    type Target = [Arc<Message>];
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl FromIterator<Message> for LogView {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self(Arc::new(messages.into_iter().map(Arc::new).collect()))
    }
}

/// A fault of the sink, kept until the host asks for it.
#[derive(Debug, thiserror::Error)]
#[error("a message of session `{session}` could not be stored: {source}; it is kept in memory only")]
pub struct LogFault {
    /// The session.
    pub session: String,
    /// What the sink said.
    pub source: BoxError,
}

#[derive(Default)]
pub(crate) struct Log {
    messages: Mutex<LogView>,
    sink: Option<Box<dyn LogSink>>,
    fault: Mutex<Option<LogFault>>,
}

impl Log {
    pub(crate) fn new(messages: LogView, sink: Option<Box<dyn LogSink>>) -> Self {
        Self { messages: Mutex::new(messages), sink, fault: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, LogView> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn view(&self) -> LogView {
        self.lock().clone()
    }

    pub(crate) fn append(&self, session: &str, mut message: Message) -> Arc<Message> {
        if let Some(sink) = &self.sink
            && let Err(source) = sink.append(&mut message)
        {
            let fault = LogFault { session: session.to_owned(), source };
            tracing::error!(%fault);
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
        }
        let message = Arc::new(message);
        // Appending is O(1) unless a hook still holds a view of the log; then the list of pointers is copied.
        Arc::make_mut(&mut self.lock().0).push(Arc::clone(&message));
        message
    }

    pub(crate) fn replace(&self, messages: LogView) {
        *self.lock() = messages;
    }

    pub(crate) fn take_fault(&self) -> Option<LogFault> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
