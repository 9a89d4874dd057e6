//! What is shown, sent and kept is redacted here where it does not go through the log, which redacts what it takes.
//!
//! A call is as the model wrote it for those who decide on it and for the tool; everybody else gets it redacted. So it is with the
//! message that makes the call.

use std::sync::Arc;

use hookspec::Message;
use hookspec::model::Request;
use hookspec::redact::Redactable;

use super::Agent;

impl Agent {
    /// A copy for those who show or keep it.
    pub(super) fn kept<T: Redactable + Clone>(&self, what: &T) -> T {
        let mut copy = what.clone();
        self.session.redact(&mut copy);
        copy
    }

    /// Tells the user something that the session need not keep.
    pub(super) fn notice(&self, text: &str) {
        self.frontend.notice(&self.session.redacted(text));
    }

    /// What goes to the model. What the log holds was redacted on its way in.
    pub(super) fn redact_request(&self, request: &mut Request) {
        if !self.session.redacts() {
            return;
        }
        let log = self.session.log();
        for (index, message) in request.messages.iter_mut().enumerate() {
            if !log.get(index).is_some_and(|held| **held == *message) {
                self.session.redact(message);
            }
        }
    }

    /// Redacts what the user wrote, and tells him.
    pub(super) fn redact_prompt(&self, message: &mut Message) {
        if self.session.redact(message) && message.hook.is_none() {
            self.frontend.notice(
                "a credential was taken out of your message before it was kept or sent; if it is none, or the model is to have it, name it in `allow_values` of `[hooks.secrets_guard]`",
            );
        }
    }

    /// Tells the user of what a log holds from before that is not shown to hooks and models any more.
    pub(super) fn tell_restored(&self, loaded: &[Message]) {
        let log = self.session.log();
        let changed = |(held, message): &(&Arc<Message>, &Message)| held.content != message.content;
        let count = log.iter().zip(loaded).filter(changed).count();
        if count > 0 {
            self.frontend.notice(&format!(
                "{count} messages of this conversation were stored with credentials in them; hooks and models get them without, and the stored log stays as it is"
            ));
        }
    }
}
