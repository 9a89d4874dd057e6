//! Tool calls: the one way from a call that the model announced to its result in the log.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;
use std::time::{Duration, Instant};

use hookspec::points::{
    CWD_CHANGED, ErrorSource, GENERATION_INTERRUPT, TOOL_POST_EXECUTE, TOOL_RESULT_TRANSFORM, TOOL_TRANSFORM,
};
use hookspec::{Message, ToolEntry, ToolError, ToolFuture, ToolOutput, ToolStatus, ToolUse, fire};

use super::Agent;
use super::confirm::Verdict;
use super::step::{result_message, stamp};
use super::stored::NotStored;

/// How long an interrupted tool may take to clean up before it is dropped.
const GRACE: Duration = Duration::from_secs(5);

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
        let declined = matches!(verdict, Verdict::Declined(_));
        let (allowed, note) = match verdict {
            Verdict::Run(allowed) => (Ok(allowed), None),
            Verdict::Edited(edited, note) => (Ok(edited), Some(note)),
            Verdict::Denied(reason) | Verdict::Declined(reason) => (Err(ToolError::Denied(reason)), None),
        };
        let ended = match (allowed, tool) {
            (Ok(allowed), Some(tool)) => {
                call = allowed;
                if self.stored().await.is_err() {
                    return CallEnd::NotStored;
                }
                self.run_tool(tool, &call).await
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
            self.error(ErrorSource::Tool, &format!("`{}`: {text}", call.tool), false, 0).await;
        }
        if let Some(note) = note {
            noted(&mut result, &note);
        }
        if self.report(&call, result, status, duration).await.is_err() {
            return CallEnd::NotStored;
        }
        if declined { CallEnd::Declined } else { CallEnd::Ran(status) }
    }

    /// Runs a tool; an interrupt gives it a moment to clean up.
    async fn run_tool(&mut self, tool: &ToolEntry, call: &ToolUse) -> Result<ToolOutput, ToolError> {
        self.frontend.tool(call);
        let session = self.session.clone();
        let before = session.cwd();
        let mut running = guarded(tool.name, (tool.run)(call, &session));
        let mut reason = None;
        let ended = tokio::select! {
            ended = &mut running => ended,
            interrupted = session.until_interrupted() => {
                reason = Some(interrupted);
                let late = tokio::time::timeout(GRACE, running).await;
                late.unwrap_or_else(|_| Err(ToolError::Interrupted("The tool was interrupted and did not stop by itself.".into())))
            }
        };
        if let Some(reason) = reason {
            self.frontend.interrupted(reason);
            let fired = fire!(self.session, GENERATION_INTERRUPT { reason, partial: "" }).await;
            self.after(&fired).await;
        }
        let after = session.cwd();
        if before != after {
            let fired = fire!(self.session, CWD_CHANGED { old: &before, new: &after, tool_use: call }).await;
            self.after(&fired).await;
        }
        ended
    }

    /// Shows the result to the hooks, lets them change it, and stores it: one message with the call's id.
    async fn report(
        &mut self,
        call: &ToolUse,
        result: Vec<Message>,
        status: ToolStatus,
        duration: Duration,
    ) -> Result<(), NotStored> {
        let fired =
            fire!(self.session, TOOL_POST_EXECUTE { tool_use: call, result: &result, status, duration })
                .await;
        self.after(&fired).await;
        let mut fired = fire!(self.session, TOOL_RESULT_TRANSFORM { tool_use: call, result: &result }).await;
        self.after(&fired).await;
        let result = fired.take_value().unwrap_or(result);
        let mut result = result.into_iter();
        let first = match result.next() {
            Some(first) => stamp(first, call),
            None => result_message(call, "(no output)"),
        };
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

/// A tool's future whose panic is a failure of the call.
fn guarded<'a>(name: &'static str, mut future: ToolFuture<'a>) -> ToolFuture<'a> {
    Box::pin(poll_fn(move |cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx)));
        polled.unwrap_or_else(|_| {
            Poll::Ready(Err(ToolError::Failed(format!("The tool `{name}` panicked; this is a bug in it."))))
        })
    }))
}

fn unknown_tool<'a>(call: &ToolUse, known: impl Iterator<Item = &'a str>) -> ToolError {
    let known: Vec<_> = known.map(|name| format!("`{name}`")).collect();
    ToolError::Failed(format!("There is no tool `{}`. The tools are {}.", call.tool, known.join(", ")))
}
