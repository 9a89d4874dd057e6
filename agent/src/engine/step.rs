//! Steps: one generation and the tool calls in it.

use hookspec::model::Usage;
use hookspec::points::{MESSAGE_POST_PROCESS, MESSAGE_TRANSFORM, STEP_POST, STEP_PRE, TurnOutcome};
use hookspec::tool::ToolStatus;
use hookspec::{Message, Role, ToolUse, fire};

use crate::log::LogError;

use crate::calls::{CallProblem, FoundCalls, calls_of};

use super::Agent;
use super::call::CallEnd;
use super::generation::Generated;

impl Agent {
    /// One step. Gives how the turn ends, if it does.
    pub(super) async fn step(&mut self, step: u32, total: &mut Usage) -> Option<TurnOutcome> {
        let fired = fire!(self.session, STEP_PRE { step }).await;
        self.after(&fired).await;
        if self.ending.is_some() {
            return Some(TurnOutcome::SessionEnded);
        }
        let mut usage = None;
        let generated = self.generate(&mut usage).await;
        if let Some(usage) = &usage {
            *total = total.plus(usage);
        }
        let message = match generated {
            Generated::Answer(message) => message,
            Generated::Interrupted => return Some(TurnOutcome::Interrupted),
            Generated::Failed | Generated::NotStored => return Some(TurnOutcome::Error),
        };
        let mut fired = fire!(self.session, MESSAGE_TRANSFORM { message: &message }).await;
        self.after(&fired).await;
        let (message, passed) = self.store(fired.take_value().unwrap_or(message)).await;
        if let Some(message) = &message {
            self.frontend.answered(message);
        }
        let (Some(message), Ok(())) = (message, passed) else { return Some(TurnOutcome::Error) };
        let fired = fire!(self.session, MESSAGE_POST_PROCESS { message: &message }).await;
        self.after(&fired).await;

        let FoundCalls { calls, problems } = self.calls_of(&message);
        for problem in &problems {
            self.say(Message::system(problem.to_string()).hidden());
        }
        let tool_calls = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        let outcome = self.run_calls(calls).await;
        if self.unstored {
            return outcome;
        }
        let fired = fire!(self.session, STEP_POST { step, tool_calls, usage: usage.as_ref() }).await;
        self.after(&fired).await;
        if self.ending.is_some() {
            return Some(TurnOutcome::SessionEnded);
        }
        // A call that could not be read is not the end of the work: the model is told and goes on. A block
        // that names no tool is only text that is written oddly.
        let registry = self.session.hooks().load();
        let is_call = |problem: &CallProblem| match problem {
            CallProblem::Unclosed { tool, .. } | CallProblem::Nested { tool, .. } => {
                registry.tools().get(tool).is_some()
            }
        };
        let unfinished = problems.iter().any(is_call);
        outcome.or((tool_calls == 0 && !unfinished).then_some(TurnOutcome::Complete))
    }

    /// Runs the tool calls of the last answer again, with everything after it taken back (and kept as a branch).
    /// Gives how the turn ends there, if it does; else [`run`](Self::run) goes on with it.
    ///
    /// # Errors
    /// If the log cannot be rewritten; nothing is run then.
    pub async fn rerun(&mut self) -> Result<Option<TurnOutcome>, LogError> {
        let log = self.session.log();
        let Some(last) = log.iter().rposition(|message| message.role == Role::Assistant) else {
            return Ok(Some(TurnOutcome::Complete));
        };
        let FoundCalls { calls, .. } = self.calls_of(&log[last]);
        if calls.is_empty() {
            return Ok(Some(TurnOutcome::Complete));
        }
        if log.len() > last + 1 {
            self.edit(log.prefix(last + 1).to_messages()).await?;
        }
        let outcome = self.run_calls(calls).await;
        Ok(if self.stored().await.is_ok() { outcome } else { Some(TurnOutcome::Error) })
    }

    /// The calls in an assistant's message: native ones, else fenced blocks.
    fn calls_of(&self, message: &Message) -> FoundCalls {
        let registry = self.session.hooks().load();
        calls_of(message, |name| registry.tools().get(name).is_some())
    }

    /// Runs the calls in the order the model gave. Once the user has interrupted or the session is to end,
    /// those that are left get a result that says so.
    async fn run_calls(&mut self, calls: Vec<ToolUse>) -> Option<TurnOutcome> {
        let mut outcome = None;
        for call in calls {
            if self.session.interrupted().is_some() || self.ending.is_some() {
                self.say(result_message(&call, "This call was not run: the turn was interrupted before it."));
                outcome = Some(TurnOutcome::Interrupted);
                continue;
            }
            match self.call(call).await {
                CallEnd::Ran(ToolStatus::Interrupted) => outcome = Some(TurnOutcome::Interrupted),
                CallEnd::Ran(_) => {}
                CallEnd::Declined => outcome = outcome.or(Some(TurnOutcome::Declined)),
                CallEnd::NotStored => return Some(TurnOutcome::Error),
            }
        }
        outcome
    }
}

/// A tool's result as a message.
pub(super) fn result_message(call: &ToolUse, text: impl Into<String>) -> Message {
    stamp(Message::system(text), call)
}

/// Marks a message as the result of a call.
pub(super) fn stamp(mut message: Message, call: &ToolUse) -> Message {
    message.call_id.clone_from(&call.call_id);
    message.metadata.get_or_insert_default().tool = Some(call.tool.clone());
    message
}
