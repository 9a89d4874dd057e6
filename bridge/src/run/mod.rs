//! Firing: a moment becomes the hook points that belong to it, and what the hooks say becomes one outcome.
//!
//! Each point has its one fire site here. The order within a moment is that of an agent of ours.

mod files;
mod model;
mod tool;
mod turn;

use std::path::PathBuf;

use hookspec::point::{Fired, Verdict};
use hookspec::points::{
    CACHE_INVALIDATED, CWD_CHANGED, ELICIT, ERROR, GENERATION_INTERRUPT, SESSION_END, SESSION_START,
    StartReason,
};
use hookspec::session::InterruptReason;
use hookspec::{Session, ToolUse, fire_now};
use serde_json::{Map, Value};

use crate::moment::{Incoming, Moment};
use crate::notes::Notes;
use crate::outcome::{Opinion, Outcome, Reason};

/// One event at work.
struct Run<'a> {
    session: &'a Session,
    notes: &'a mut Notes,
    cwd: PathBuf,
    outcome: Outcome,
}

/// Fires the points of an event, in order, and tells what the hooks want.
#[must_use]
pub fn run(session: &Session, incoming: &Incoming, notes: &mut Notes) -> Outcome {
    let mut run = Run { session, notes, cwd: session.cwd(), outcome: Outcome::default() };
    run.moment(&incoming.moment);
    run.outcome
}

impl Run<'_> {
    fn moment(&mut self, moment: &Moment) {
        match moment {
            Moment::SessionStart(reason) => {
                if *reason == StartReason::New {
                    self.notes.turn();
                }
                let resumed = *reason == StartReason::Resume;
                let fired = fire_now!(self.session, SESSION_START { resumed, reason: *reason, initial: &[] });
                self.absorb(&fired);
            }
            Moment::SessionEnd(reason) => {
                let fired = fire_now!(self.session, SESSION_END { reason: *reason });
                self.absorb(&fired);
            }
            Moment::Prompt(text) => self.prompt(text),
            Moment::ToolPre(call) => self.tool_pre(call),
            Moment::ToolConfirm(call) => self.tool_confirm(call),
            Moment::ToolPost(ended) => self.tool_post(ended),
            Moment::FileEdited { path, edits } => self.file_edited(path, edits),
            Moment::StepBegin => self.step_begin(),
            Moment::StepOver(calls) => self.step_over(*calls),
            Moment::ModelPre(request) => self.model_pre(request),
            Moment::ModelPost { text, finish } => self.model_post(text, *finish),
            Moment::Answered(text) => self.answered(text),
            Moment::Shown { text, index, last: _ } => self.shown(text, *index),
            Moment::Thought(text) => self.thought(text),
            Moment::Rest { outcome, last, active, count, asked, over } => {
                if *over {
                    self.turn_over(*outcome, last.as_deref());
                }
                if *asked {
                    self.go_on(*outcome, *active, *count);
                }
            }
            Moment::Interrupted => self.interrupted(),
            Moment::CwdChanged { old, new } => {
                let path = Value::from(new.to_string_lossy());
                let kwargs = Map::from_iter([("path".to_owned(), path)]);
                let tool_use = ToolUse { call_id: None, ..ToolUse::native("cd", "", kwargs) };
                let fired = fire_now!(self.session, CWD_CHANGED { old, new, tool_use: &tool_use });
                self.absorb(&fired);
            }
            Moment::CacheInvalidated { reason, before } => {
                let fired = fire_now!(
                    self.session,
                    CACHE_INVALIDATED { reason: *reason, tokens_before: *before, tokens_after: None }
                );
                self.absorb(&fired);
            }
            Moment::Failed { source, error, retryable } => self.failed(*source, error, *retryable),
            Moment::Elicit(request) => {
                let mut fired = fire_now!(self.session, ELICIT { request });
                self.absorb(&fired);
                self.outcome.answer = fired.take_answer().map(|(answer, _)| answer);
            }
            Moment::Other => {}
            Moment::Unreadable(why) => {
                self.deny(format!("this event cannot be judged, so it is refused: {why}"));
            }
        }
    }

    fn deny(&mut self, reason: impl Into<String>) {
        self.outcome.opine(Opinion::Deny(Reason::new(reason)));
    }

    /// Takes over what hooks said beside their verdict.
    fn absorb<V: Verdict>(&mut self, fired: &Fired<V>) {
        for message in fired.messages() {
            self.outcome.tell(message);
        }
        if let Some(reason) = fired.session_end() {
            self.outcome.halt.get_or_insert_with(|| Reason::new(reason));
        }
    }

    fn interrupted(&mut self) {
        let fired =
            fire_now!(self.session, GENERATION_INTERRUPT { reason: InterruptReason::User, partial: "" });
        self.absorb(&fired);
    }

    fn failed(&mut self, source: hookspec::points::ErrorSource, error: &str, retryable: bool) {
        let fired = fire_now!(self.session, ERROR { source, error, retryable, attempt: 0 });
        self.absorb(&fired);
    }
}
