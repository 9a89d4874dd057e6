//! Tool calls: the one way from a call that the model announced to its result in the log.

use std::time::{Duration, Instant};

use hookspec::points::{ErrorSource, TOOL_POST_EXECUTE, TOOL_RESULT_TRANSFORM, TOOL_TRANSFORM};
use hookspec::tool::{ToolError, ToolStatus};
use hookspec::{Message, ToolUse, fire};

use super::Agent;
use super::confirm::Verdict;
use super::execute::{Executed, named, unknown_tool};
use super::step::{result_message, stamp};
use super::stored::NotStored;

/// How a call ended, as far as the turn is concerned.
pub(super) enum CallEnd {
    /// It has a result.
    Ran(ToolStatus),
    /// The user refused it.
    Declined,
    /// It was not run, since what led to it is not stored; or it ran, and its result is not stored.
    NotStored,
}

impl Agent {
    /// Transforms, gates, confirms, runs, reports, transforms, stores: in this order, always to the end.
    pub(super) async fn call(&mut self, call: ToolUse) -> CallEnd {
        let mut fired = fire!(self.session, TOOL_TRANSFORM { tool_use: &call }).await;
        self.after(&fired).await;
        let announced = call.call_id.clone();
        let mut call = fired.take_value().unwrap_or(call);
        call.call_id = announced; // a hook may change what runs, not which announcement it answers

        let registry = self.session.hooks().load();
        let tool = registry.tools().get(&call.tool);
        let (verdict, seen) = self.may_run(call.clone(), tool).await;
        self.frontend.called(&call, seen);
        let began = Instant::now();
        let mut declined = matches!(verdict, Verdict::Declined(_));
        let (allowed, mut note) = match verdict {
            Verdict::Run(allowed) => (Ok(allowed), None),
            Verdict::Edited(edited, note) => (Ok(edited), Some(note)),
            Verdict::Denied(reason) | Verdict::Declined(reason) => (Err(ToolError::Denied(reason)), None),
        };
        let (mut by, mut runs) = (None, 0);
        let ended = match (allowed, tool) {
            (Ok(allowed), Some(_)) => {
                if self.stored().await.is_err() {
                    return CallEnd::NotStored;
                }
                let Some(executed) = self.execute(&allowed).await else { return CallEnd::NotStored };
                let Executed { result, .. } = executed;
                (call, by, runs) = (executed.call, executed.by, executed.runs);
                declined |= executed.declined;
                note = executed.note.or(note);
                result
            }
            (Ok(_), None) => Err(unknown_tool(&call, registry.tools().names())),
            (Err(error), _) => Err(error),
        };
        let duration = began.elapsed();
        let (status, mut result) = match ended {
            Ok(output) => (output.status.unwrap_or(ToolStatus::Ok), output.messages),
            Err(error) => (error.status(), vec![Message::system(error.to_string())]),
        };
        if matches!(status, ToolStatus::Error | ToolStatus::Timeout) {
            let text = result.first().map_or("no message", |message| &message.content).to_owned();
            self.error(ErrorSource::Tool, &named(&call, &text), false, runs.saturating_sub(1)).await;
        }
        if let Some(note) = note {
            noted(&mut result, &note);
        }
        if self.report(&call, result, by, (status, duration)).await.is_err() {
            return CallEnd::NotStored;
        }
        if declined { CallEnd::Declined } else { CallEnd::Ran(status) }
    }

    /// Shows the result to the hooks, lets them change it, and stores it: one message with the call's id.
    async fn report(
        &mut self,
        call: &ToolUse,
        result: Vec<Message>,
        by: Option<String>,
        (status, duration): (ToolStatus, Duration),
    ) -> Result<(), NotStored> {
        let fired =
            fire!(self.session, TOOL_POST_EXECUTE { tool_use: call, result: &result, status, duration })
                .await;
        self.after(&fired).await;
        let mut fired = fire!(self.session, TOOL_RESULT_TRANSFORM { tool_use: call, result: &result }).await;
        self.after(&fired).await;
        let result = fired.take_value().unwrap_or(result);
        let mut result = result.into_iter();
        let mut first = match result.next() {
            Some(first) => stamp(first, call),
            None => result_message(call, "(no output)"),
        };
        if by.is_some() {
            first.metadata.get_or_insert_default().answered_by = by;
        }
        // What belongs to a result without its beginning would answer nothing.
        let _ = std::iter::once(first).chain(result).try_for_each(|part| self.session.append(part).map(drop));
        self.stored().await?;
        self.frontend.result(call, status, duration);
        Ok(())
    }
}

/// Puts a note before a result.
fn noted(result: &mut Vec<Message>, note: &str) {
    match result.first_mut() {
        Some(first) => first.content.insert_str(0, &format!("{note}\n\n")),
        None => result.push(Message::system(format!("{note}\n\n(no output)"))),
    }
}
