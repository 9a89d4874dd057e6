//! What the engine needs of a place that keeps conversations.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;

use hookspec::Message;
use hookspec::hooks::BoxFuture;
use serde_json::Value;

use super::{Conversation, LogError, Rewrite};

/// One conversation's place: a folder of files ([`Conversation`]), or a host's database.
///
/// Only the one engine that has the conversation open writes to it.
pub trait Storage: Debug + Send + Sync {
    /// The conversation's id.
    fn id(&self) -> &str;

    /// Stores `message` at the end and returns when it is durable, or takes it into a queue where the storage
    /// [`queues`](Self::queues). A message without an id or a time gets one; after an error it is as it was.
    ///
    /// # Errors
    /// If it could not be stored or taken.
    fn append(&self, message: &mut Message) -> Result<(), LogError>;

    /// Whether `append` only queues a message, and [`flush`](Self::flush) says how that ended: for one on another machine.
    fn queues(&self) -> bool {
        false
    }

    /// Completes when what was taken before is durable: see [`LogSink::flush`](hookspec::session::LogSink::flush).
    ///
    /// # Errors
    /// If something could not be stored.
    fn flush(&self) -> BoxFuture<'_, Result<(), LogError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// After a `flush` that failed: see [`LogSink::forget`](hookspec::session::LogSink::forget).
    fn forget(&self, taken: usize) -> usize {
        taken
    }

    /// Replaces the conversation in one step and keeps the old one as a branch. New messages get id and time.
    ///
    /// # Errors
    /// If it could not be stored; the conversation is then as it was.
    fn rewrite(&self, messages: &mut [Message], why: Rewrite) -> Result<(), LogError>;

    /// Keeps each hook's state.
    ///
    /// # Errors
    /// If it could not be stored.
    fn save_state(&self, state: &BTreeMap<String, Value>) -> Result<(), LogError>;

    /// Keeps the model that the conversation goes on with.
    ///
    /// # Errors
    /// If it could not be stored.
    fn save_model(&self, model: &str) -> Result<(), LogError>;

    /// The file that the timeline goes to; `None` where the host keeps it by an observer of its own.
    fn timeline_path(&self) -> Option<PathBuf> {
        None
    }
}

impl Storage for Conversation {
    fn id(&self) -> &str {
        self.id()
    }

    fn append(&self, message: &mut Message) -> Result<(), LogError> {
        self.append(message)
    }

    fn rewrite(&self, messages: &mut [Message], why: Rewrite) -> Result<(), LogError> {
        self.rewrite(messages, why).map(drop)
    }

    fn save_state(&self, state: &BTreeMap<String, Value>) -> Result<(), LogError> {
        self.save_state(state)
    }

    fn save_model(&self, model: &str) -> Result<(), LogError> {
        self.save_model(model)
    }

    fn timeline_path(&self) -> Option<PathBuf> {
        Some(self.timeline_path())
    }
}
