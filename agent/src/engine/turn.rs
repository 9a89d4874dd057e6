//! Turns: from a user's message until the agent rests.

use std::path::PathBuf;
use std::sync::Arc;

use hookspec::ask::Continue;
use hookspec::model::Usage;
use hookspec::points::{LOOP_CONTINUE, MESSAGE_PRE_PROCESS, TURN_POST, TURN_PRE, TurnOutcome};
use hookspec::session::InterruptReason;
use hookspec::{Gate, Message, fire};

use crate::tools::Changes;

use super::stored::NotStored;
use super::{Agent, agreed};

/// How the agent came to rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// A turn was taken and ended so.
    Rested(TurnOutcome),
    /// A hook refused the message; it is not in the log.
    Refused {
        /// Why.
        reason: String,
        /// The hook.
        hook: String,
    },
    /// The message could not be stored; it is not in the log, and nothing followed from it.
    NotStored {
        /// Why, and what can be done.
        reason: String,
    },
}

impl From<NotStored> for TurnEnd {
    fn from(NotStored(fault): NotStored) -> Self {
        Self::NotStored { reason: fault.to_string() }
    }
}

impl Agent {
    /// Takes a turn for this message, then for each message that waits or that hooks add, and gives the
    /// last turn's end.
    pub async fn prompt(&mut self, message: Message) -> TurnEnd {
        self.session.resume();
        match self.post(message).await {
            Err(end @ TurnEnd::NotStored { .. }) => end,
            Err(refused) if self.queue.is_empty() => refused,
            _ => self.run().await,
        }
    }

    /// Lets the hooks look at a user message and stores it; the next [`run`](Self::run) answers it.
    ///
    /// # Errors
    /// [`TurnEnd::Refused`]: a hook refused it, and it is not in the log. [`TurnEnd::NotStored`]: it could not be stored.
    pub async fn post(&mut self, message: Message) -> Result<Arc<Message>, TurnEnd> {
        self.mend().await?;
        let message = self.accept(message).await?;
        // First what hooks said of it: a message that is in the log is one that was acknowledged.
        self.stored().await?;
        let (stored, passed) = self.store(message).await;
        let Some(stored) = stored else {
            passed?;
            let reason = "The message was taken out of the log while it was stored.".to_owned();
            return Err(TurnEnd::NotStored { reason });
        };
        self.posted.push(Arc::clone(&stored));
        self.frontend.accepted(&stored);
        Ok(stored)
    }

    /// Takes a turn for what was posted (or, if nothing was, for the conversation as it is), then for each
    /// message that waits or that hooks add, and gives the last turn's end.
    ///
    /// An interrupt that was raised before is not cleared: a host whose users may interrupt from elsewhere clears it
    /// when it accepts the request to run.
    pub async fn run(&mut self) -> TurnEnd {
        let end = self.turns().await;
        let told = self.unstored;
        match end {
            TurnEnd::Rested(_) if self.stored().await.is_err() && !told => {
                TurnEnd::Rested(TurnOutcome::Error)
            }
            end => end,
        }
    }

    async fn turns(&mut self) -> TurnEnd {
        let mut continued = 0;
        loop {
            let outcome = self.turn().await;
            let end = TurnEnd::Rested(outcome);
            self.keep();
            if self.ending.is_some() || self.unstored {
                return end;
            }
            if outcome == TurnOutcome::Interrupted {
                // An interrupt means "stop": what waits would run without anybody having looked.
                self.drop_queue();
                // A host that goes down means it for good: no hook keeps the agent going then.
                if self.session.interrupted() != Some(InterruptReason::Shutdown) {
                    self.session.resume();
                }
            }
            let next = self.goes_on(outcome, continued).await;
            if self.ending.is_some() {
                return end;
            }
            if self.session.interrupted().is_some() {
                self.drop_queue();
                return end;
            }
            continued = if next.is_some() { continued + 1 } else { 0 };
            if let Err(end) = self.next_message(next, end).await {
                return end;
            }
        }
    }

    /// Posts the next message that is not refused: the one that hooks add, then those that wait. `Err`: there is none,
    /// and the agent rests so.
    async fn next_message(&mut self, by_hook: Option<Message>, mut end: TurnEnd) -> Result<(), TurnEnd> {
        if let Some(message) = by_hook {
            self.queue.push_front(message);
        }
        while let Some(message) = self.queue.pop() {
            match self.post(message).await {
                Ok(_) => return Ok(()),
                Err(end @ TurnEnd::NotStored { .. }) => return Err(end),
                Err(refused) => end = refused,
            }
        }
        Err(end)
    }

    fn drop_queue(&mut self) {
        let dropped = self.queue.take().len();
        if dropped > 0 {
            self.frontend.notice(&format!("{dropped} waiting messages were dropped by the interrupt"));
        }
    }

    /// Asks the hooks whether to go on, and caps how often they say so.
    async fn goes_on(&mut self, outcome: TurnOutcome, continued: u32) -> Option<Message> {
        let queue = self.queue.waiting();
        let mut fired = fire!(self.session, LOOP_CONTINUE { outcome, queue: &queue, continued }).await;
        self.after(&fired).await;
        let (Continue::With(message), hook) = fired.take_answer()? else { return None };
        if continued >= self.limits.continues {
            let notice = format!(
                "the hook `{hook}` wants to go on, but hooks have kept the agent going {continued} times in a row; it rests now"
            );
            self.frontend.notice(&notice);
            self.say(Message::system(notice).said_by(hook));
            return None;
        }
        // Whoever reads the log must be able to tell it from what the user wrote.
        Some(message.said_by(hook))
    }

    async fn turn(&mut self) -> TurnOutcome {
        if let Some(changes) = self.session.extension::<Changes>() {
            changes.take();
        }
        if self.mend().await.is_err() {
            return TurnOutcome::Error;
        }
        for message in std::mem::take(&mut self.posted) {
            let fired = fire!(self.session, TURN_PRE { message: &message }).await;
            self.after(&fired).await;
        }

        let mut usage = Usage::default();
        let mut steps = 0;
        let outcome = loop {
            if self.ending.is_some() {
                break TurnOutcome::SessionEnded;
            }
            if self.session.interrupted().is_some() {
                break TurnOutcome::Interrupted;
            }
            if steps >= self.limits.steps {
                self.frontend.notice(&format!("the turn was ended after {steps} steps"));
                break TurnOutcome::StepLimit;
            }
            let ended = self.step(steps, &mut usage).await;
            steps += 1;
            if let Some(outcome) = ended {
                break outcome;
            }
        };
        let changed: Vec<PathBuf> =
            self.session.extension::<Changes>().map(|changes| changes.take()).unwrap_or_default();
        let fired = fire!(self.session, TURN_POST { steps, changed: &changed, usage: &usage, outcome }).await;
        self.after(&fired).await;
        if self.stored().await.is_ok() { outcome } else { TurnOutcome::Error }
    }

    /// Lets hooks refuse or rewrite a message before it enters the log.
    async fn accept(&mut self, message: Message) -> Result<Message, TurnEnd> {
        let mut fired = fire!(self.session, MESSAGE_PRE_PROCESS { message: &message }).await;
        self.after(&fired).await;
        let hook = fired.gate_hook().unwrap_or_default().to_owned();
        let refusal = match fired.gate() {
            Some(Gate::Deny(reason)) => Some(reason.clone()),
            Some(Gate::Ask(reason)) => {
                let reason = reason.clone();
                let agreed = agreed(&self.session, format!("Send this message? {reason}")).await;
                (!agreed).then_some(reason)
            }
            _ => None,
        };
        match refusal {
            Some(reason) => {
                self.frontend.refused(&message, &hook, &reason);
                Err(TurnEnd::Refused { reason, hook })
            }
            None => {
                let hook = message.hook.clone();
                let mut message = fired.take_value().unwrap_or(message);
                // A hook may change what is said, not who said it.
                message.hook = hook;
                Ok(message)
            }
        }
    }
}
