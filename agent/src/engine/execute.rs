//! Running a tool: a call that may run, with the hooks at `TOOL_EXECUTE` around it.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;
use std::time::Duration;

use hookspec::points::{CWD_CHANGED, ErrorSource, GENERATION_INTERRUPT, TOOL_EXECUTE};
use hookspec::session::InterruptReason;
use hookspec::tool::{ToolEntry, ToolError, ToolFuture, ToolResult, ToolStatus};
use hookspec::{ToolUse, around, fire};
use tokio::sync::Mutex;

use super::Agent;
use super::confirm::Verdict;
use super::patient::patient;

/// How long an interrupted tool may take to clean up before it is dropped.
const GRACE: Duration = Duration::from_secs(5);

/// What came of a call that was allowed.
pub(super) struct Executed {
    /// The call as it ran last.
    pub(super) call: ToolUse,
    pub(super) result: ToolResult,
    /// A hook that gave the result in place of the tool.
    pub(super) by: Option<String>,
    /// What the user changed of a call that a hook had changed.
    pub(super) note: Option<String>,
    /// The user refused what a hook had made of the call.
    pub(super) declined: bool,
    /// How often the tool was begun.
    pub(super) runs: u32,
}

/// The runs of one call.
struct Runs {
    /// The calls that gates and user have let through.
    allowed: Vec<ToolUse>,
    begun: u32,
    /// The call as it ran last.
    ran: Option<ToolUse>,
    results: Vec<ToolResult>,
    /// A run that failed, and of which the hooks at `ERROR` know nothing yet.
    failed: Option<String>,
    interrupted: Option<InterruptReason>,
    note: Option<String>,
    declined: bool,
    not_stored: bool,
}

impl Agent {
    /// Runs an allowed call. `None`: what it follows from is not stored.
    pub(super) async fn execute(&mut self, call: &ToolUse) -> Option<Executed> {
        let session = self.session.clone();
        let before = session.cwd();
        let mut runs = Runs {
            allowed: vec![call.clone()],
            begun: 0,
            ran: None,
            results: Vec::new(),
            failed: None,
            interrupted: None,
            note: None,
            declined: false,
            not_stored: false,
        };
        let wrapped = {
            let shared = Mutex::new((&mut *self, &mut runs));
            let work = around!(session, TOOL_EXECUTE { tool_use: call }, async |event| {
                let (agent, runs) = &mut *shared.lock().await;
                agent.run_once(event.tool_use, runs).await
            });
            // Once for the tool, once for the hooks.
            patient(&session, GRACE * 2, work).await
        };
        let mut by = None;
        let result = match wrapped {
            None => Err(ToolError::Interrupted(
                "The tool was interrupted, and the hooks around it did not stop by themselves.".into(),
            )),
            Some(wrapped) => {
                self.heard(wrapped.session_end(), wrapped.failures()).await;
                by = wrapped.answered_by().map(str::to_owned);
                wrapped.into_result().unwrap_or_else(|lost| {
                    let text =
                        format!("`{}` was running, and {lost}. What it did until then is done.", call.tool);
                    Err(ToolError::Failed(text))
                })
            }
        };
        // One that failed before the last, and what hooks made of it.
        if let Some(text) = runs.failed.take()
            && result.as_ref().err().is_none_or(|error| error.to_string() != text)
        {
            self.error(ErrorSource::Tool, &named(call, &text), false, runs.begun.saturating_sub(1)).await;
        }
        let cut_short = runs.interrupted.or_else(|| session.interrupted().filter(|_| result.is_err()));
        if let Some(reason) = cut_short {
            self.frontend.interrupted(reason);
            let fired = fire!(self.session, GENERATION_INTERRUPT { reason, partial: "" }).await;
            self.after(&fired).await;
        }
        let call = runs.ran.unwrap_or_else(|| call.clone());
        let after = session.cwd();
        if before != after {
            let fired = fire!(self.session, CWD_CHANGED { old: &before, new: &after, tool_use: &call }).await;
            self.after(&fired).await;
        }
        if runs.not_stored {
            return None;
        }
        let by = by.filter(|_| !runs.results.contains(&result));
        Some(Executed { call, result, by, note: runs.note, declined: runs.declined, runs: runs.begun })
    }

    /// One run of a call. What hooks made of it is looked at by the gates, and where they want it by the user, as the first one was.
    async fn run_once(&mut self, wanted: &ToolUse, runs: &mut Runs) -> ToolResult {
        if let Some(text) = runs.failed.take() {
            self.error(ErrorSource::Tool, &named(wanted, &text), true, runs.begun.saturating_sub(1)).await;
        }
        let mut call = wanted.clone();
        // A hook may change what runs, not which announcement it answers.
        call.call_id.clone_from(&runs.allowed[0].call_id);
        let registry = self.session.hooks().load();
        let Some(tool) = registry.tools().get(&call.tool) else {
            return Err(unknown_tool(&call, registry.tools().names()));
        };
        if !runs.allowed.contains(&call) {
            let (verdict, seen) = self.may_run(call.clone(), Some(tool)).await;
            self.frontend.called(&call, seen);
            match verdict {
                Verdict::Run(allowed) => call = allowed,
                Verdict::Edited(edited, note) => {
                    call = edited;
                    runs.note = Some(note);
                }
                Verdict::Denied(reason) => return Err(ToolError::Denied(reason)),
                Verdict::Declined(reason) => {
                    runs.declined = true;
                    return Err(ToolError::Denied(reason));
                }
            }
            runs.allowed.push(call.clone());
        }
        if self.stored().await.is_err() {
            runs.not_stored = true;
            return Err(ToolError::Failed("It was not run: what led to it is not stored.".into()));
        }
        // While the gates had it, or the hooks around it.
        if let Some(reason) = self.session.interrupted().filter(|_| runs.begun > 0) {
            runs.interrupted = Some(reason);
            return Err(ToolError::Interrupted("It was interrupted before it was run again.".into()));
        }
        runs.begun = runs.begun.saturating_add(1);
        let result = self.run_tool(tool, &call, runs).await;
        let failed = |error: &&ToolError| matches!(error.status(), ToolStatus::Error | ToolStatus::Timeout);
        runs.failed = result.as_ref().err().filter(failed).map(ToString::to_string);
        runs.results.push(result.clone());
        runs.ran = Some(call);
        result
    }

    /// Runs a tool; an interrupt gives it a moment to clean up.
    async fn run_tool(&mut self, tool: &ToolEntry, call: &ToolUse, runs: &mut Runs) -> ToolResult {
        self.frontend.tool(call);
        let session = self.session.clone();
        let mut running = guarded(tool.name, (tool.run)(call, &session));
        tokio::select! {
            ended = &mut running => ended,
            reason = session.until_interrupted() => {
                runs.interrupted = Some(reason);
                let late = tokio::time::timeout(GRACE, running).await;
                late.unwrap_or_else(|_| Err(ToolError::Interrupted("The tool was interrupted and did not stop by itself.".into())))
            }
        }
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

/// An error with the tool that it comes from.
pub(super) fn named(call: &ToolUse, text: &str) -> String {
    format!("`{}`: {text}", call.tool)
}

pub(super) fn unknown_tool<'a>(call: &ToolUse, known: impl Iterator<Item = &'a str>) -> ToolError {
    let known: Vec<_> = known.map(|name| format!("`{name}`")).collect();
    ToolError::Failed(format!("There is no tool `{}`. The tools are {}.", call.tool, known.join(", ")))
}
