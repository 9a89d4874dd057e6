//! The end of a session, and changes to what was said.

use hookspec::points::{CACHE_INVALIDATED, EndReason, InvalidationReason, SESSION_END};
use hookspec::session::Unfinished;
use hookspec::{Message, Role, fire};

use crate::log::{LogError, Rewrite};
use crate::models::ModelError;

use super::{Agent, ENDED_BY_HOOK};

impl Agent {
    /// Ends the session: fires `SESSION_END`, waits for background hooks, keeps states and timeline. A
    /// session that a hook ended ends as complete, whatever `reason` says.
    pub async fn end(mut self, reason: EndReason) {
        let reason = if self.ending.is_some() && reason == EndReason::Exit { ENDED_BY_HOOK } else { reason };
        let fired = fire!(self.session, SESSION_END { reason }).await;
        self.after(&fired).await;
        let _ = self.stored().await; // whoever could be told has been
        self.ended = true;
        let deadline = self.session.hooks().drain_time();
        let left = self.session.drain(deadline).await;
        if !left.is_empty() {
            let left = Unfinished::text(&left);
            self.frontend.notice(&format!(
                "background hooks were still busy after {deadline:?} and are left behind: {left}"
            ));
        }
        self.keep();
    }

    /// Writes states and timeline to disk.
    pub(super) fn keep(&self) {
        if let Err(error) = self.storage.save_state(&self.session.save_states()) {
            self.frontend.notice(&format!("the hooks' states could not be kept: {error}"));
        }
        if let Some(timeline) = &self.timeline {
            timeline.flush();
        }
    }

    /// Uses another model from the next generation on.
    ///
    /// # Errors
    /// If there is no such model; the old one stays.
    pub async fn set_model(&mut self, model: &str) -> Result<(), ModelError> {
        self.models.reopen(model)?;
        self.session.set_model(model);
        // It is opened anew, also where its name is the old one.
        self.known_model.clear();
        self.note_model().await;
        Ok(())
    }

    /// Keeps the session's model and tells hooks of it, where the user, a tool or a hook has set another one.
    pub(super) async fn note_model(&mut self) {
        let model = self.session.model();
        if model == self.known_model {
            return;
        }
        if let Err(error) = self.storage.save_model(&model) {
            self.frontend.notice(&format!("the conversation's model could not be kept: {error}"));
        }
        self.known_model = model;
        self.invalidated(InvalidationReason::Model).await;
    }

    /// Takes back the last user message and all that followed it. Returns how many messages went.
    ///
    /// # Errors
    /// If the log cannot be rewritten; nothing is taken back then.
    pub async fn undo(&mut self) -> Result<usize, LogError> {
        self.session.flush().await?;
        let log = self.session.log();
        let Some(from) = log.iter().rposition(|message| message.role == Role::User) else { return Ok(0) };
        let mut kept = log.prefix(from).to_messages();
        self.storage.rewrite(&mut kept, Rewrite::Undo)?;
        let gone = log.len() - from;
        self.put_log(kept, InvalidationReason::Undo).await;
        Ok(gone)
    }

    /// Puts an edited conversation in place of this one; the old one stays as a branch.
    ///
    /// # Errors
    /// If the log cannot be rewritten; nothing is changed then.
    pub async fn edit(&mut self, mut messages: Vec<Message>) -> Result<(), LogError> {
        // What a storage has queued would come behind what is written now.
        self.session.flush().await?;
        self.storage.rewrite(&mut messages, Rewrite::Edit)?;
        self.put_log(messages, InvalidationReason::Edit).await;
        Ok(())
    }

    async fn put_log(&mut self, messages: Vec<Message>, why: InvalidationReason) {
        self.session.replace_log(messages.into_iter().collect());
        self.posted.clear();
        self.invalidated(why).await;
    }

    async fn invalidated(&mut self, reason: InvalidationReason) {
        let (tokens_before, tokens_after) = (None, None);
        let fired = fire!(self.session, CACHE_INVALIDATED { reason, tokens_before, tokens_after }).await;
        self.after(&fired).await;
    }
}
