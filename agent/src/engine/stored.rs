//! The barrier: nothing goes on from what the log does not hold.
//!
//! It is passed before a model is called, a tool runs, a message or an answer is acknowledged, and a turn ends. Where it does
//! not hold, the turn ends there; once there is room again, the next message goes on from what is stored.

use std::sync::Arc;

use hookspec::Message;
use hookspec::points::ErrorSource;
use hookspec::session::LogFault;

use super::Agent;

/// What was to follow the log does not follow. The user and the hooks have been told.
#[derive(Debug)]
pub(super) struct NotStored(pub(super) LogFault);

impl Agent {
    /// Passes the barrier. Of faults that follow one another the user and the hooks at `ERROR` are told the first.
    pub(super) async fn stored(&mut self) -> Result<(), NotStored> {
        let Err(fault) = self.session.flush().await else { return Ok(()) };
        if !std::mem::replace(&mut self.unstored, true) {
            let text = fault.to_string();
            self.frontend.notice(&text);
            self.error(ErrorSource::Host, &text, false, 0).await;
            // What those hooks said is stored now, or lost without another word.
            let _ = self.session.flush().await;
        }
        Err(NotStored(fault))
    }

    /// Adds a message that nothing follows at once: the next barrier tells whether it is stored.
    pub(super) fn say(&self, message: Message) {
        if let Err(fault) = self.session.append(message) {
            tracing::debug!(%fault, "the next barrier tells it");
        }
    }

    /// Adds a message and passes the barrier. Gives it where it is in the log, also where the barrier does not hold for something else.
    pub(super) async fn store(&mut self, message: Message) -> (Option<Arc<Message>>, Result<(), NotStored>) {
        let appended = self.session.append(message).ok();
        let passed = self.stored().await;
        let log = self.session.log();
        let kept = appended.filter(|message| log.iter().rev().any(|held| Arc::ptr_eq(held, message)));
        (kept, passed)
    }

    /// Whether the log could not be written when last something was to be stored.
    #[must_use]
    pub fn is_unstored(&self) -> bool {
        self.unstored
    }

    /// After a fault: gives the calls whose results are lost the result that they have after a crash.
    pub(super) async fn mend(&mut self) -> Result<(), NotStored> {
        if !std::mem::take(&mut self.unstored) {
            return Ok(());
        }
        // What hooks said meanwhile and was lost has been told.
        let _ = self.session.flush().await;
        let registry = self.session.hooks().load();
        let log = self.session.log().to_messages();
        for answer in crate::log::close_unanswered(&log, |name| registry.tools().get(name).is_some()) {
            self.say(answer);
        }
        self.stored().await
    }
}
