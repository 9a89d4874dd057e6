//! Tool calls: before, when the user would be asked, and after.

use std::borrow::Cow;

use hookspec::ask::{Confirmation, Why};
use hookspec::points::{
    ErrorSource, TOOL_CONFIRM, TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE, TOOL_RESULT_TRANSFORM, TOOL_TRANSFORM,
};
use hookspec::tool::ToolStatus;
use hookspec::{Gate, Message, fire_now};
use serde_json::Value;

use super::Run;
use crate::moment::{Call, Ended, Shape};
use crate::outcome::{Opinion, Reason};

/// A call while hooks look at it.
pub(super) struct Held {
    pub(super) call: Call,
    /// Whether a hook has changed it.
    pub(super) changed: bool,
}

impl Held {
    pub(super) fn put(&mut self, input: Value) {
        self.changed |= self.call.input != input;
        self.call.input = input;
    }
}

impl Run<'_> {
    pub(super) fn tool_pre(&mut self, call: &Call) {
        self.notes.calls = self.notes.calls.saturating_add(1);
        let mut held = Held { call: call.clone(), changed: false };
        let tool_use = call.tool_use();
        let mut fired = fire_now!(self.session, TOOL_TRANSFORM { tool_use: &tool_use });
        self.absorb(&fired);
        if let Some(changed) = fired.take_value() {
            match call.rewritten(&changed) {
                Ok(Some(input)) => held.put(input),
                Ok(None) => {}
                Err(why) => return self.deny(why),
            }
        }
        let tool_use = held.call.tool_use();
        let fired = fire_now!(self.session, TOOL_PRE_EXECUTE { tool_use: &tool_use });
        self.absorb(&fired);
        if self.refused(fired.gate(), &mut held) {
            return;
        }
        self.files_pre(&mut held);
        if held.changed && self.outcome.denied().is_none() {
            self.outcome.rewrite = Some(held.call.input);
        }
    }

    /// Takes over a gate's word; an "ask" goes to the hooks that answer for the user first.
    pub(super) fn refused(&mut self, gate: Option<&Gate>, held: &mut Held) -> bool {
        match gate {
            None | Some(Gate::Allow) => false,
            Some(Gate::Deny(reason)) => {
                self.deny(reason.clone());
                true
            }
            Some(Gate::Ask(reason)) => {
                if !self.confirmed(held, &Why::Gate(reason.clone())) {
                    self.outcome.opine(Opinion::Ask(Reason::new(reason)));
                }
                self.outcome.denied().is_some()
            }
        }
    }

    pub(super) fn tool_confirm(&mut self, call: &Call) {
        let mut held = Held { call: call.clone(), changed: false };
        self.confirmed(&mut held, &Why::Policy);
        if held.changed && self.outcome.denied().is_none() {
            self.outcome.rewrite = Some(held.call.input);
        }
    }

    /// Asks the hooks that answer for the user. Returns whether one did.
    fn confirmed(&mut self, held: &mut Held, why: &Why) -> bool {
        let tool_use = held.call.tool_use();
        let preview = preview(&held.call);
        let mut fired =
            fire_now!(self.session, TOOL_CONFIRM { tool_use: &tool_use, preview: preview.as_deref(), why });
        self.absorb(&fired);
        match fired.take_answer() {
            None => return false,
            Some((Confirmation::Confirm, _)) => self.outcome.opine(Opinion::Allow),
            Some((Confirmation::Skip { reason }, _)) => self.deny(reason),
            Some((Confirmation::Edit { content }, hook)) => match edited(&held.call, &content) {
                Some(input) => {
                    held.put(input);
                    self.looked_at_again(&held.call);
                }
                None => self.deny(format!(
                    "the hook `{hook}` edited this call, and of `{}` it is not known what its content is",
                    held.call.tool
                )),
            },
        }
        true
    }

    /// What will run is not what the gate has seen: it looks again. Its "ask" is answered, since somebody edited the call.
    fn looked_at_again(&mut self, call: &Call) {
        let tool_use = call.tool_use();
        let fired = fire_now!(self.session, TOOL_PRE_EXECUTE { tool_use: &tool_use });
        self.absorb(&fired);
        match fired.gate() {
            Some(Gate::Deny(reason)) => self.deny(reason.clone()),
            _ => self.outcome.opine(Opinion::Allow),
        }
    }

    pub(super) fn tool_post(&mut self, ended: &Ended) {
        if ended.status == ToolStatus::Ok && !ended.files_apart {
            self.files_post(ended);
        }
        if ended.status == ToolStatus::Error {
            self.failed(ErrorSource::Tool, &ended.result, false);
        }
        let tool_use = ended.call.tool_use();
        let mut message = Message::system(ended.result.as_str());
        message.call_id.clone_from(&tool_use.call_id);
        let result = [message];
        let (status, duration) = (ended.status, ended.duration);
        let fired = fire_now!(
            self.session,
            TOOL_POST_EXECUTE { tool_use: &tool_use, result: &result, status, duration }
        );
        self.absorb(&fired);
        let mut fired =
            fire_now!(self.session, TOOL_RESULT_TRANSFORM { tool_use: &tool_use, result: &result });
        self.absorb(&fired);
        if let Some(changed) = fired.take_value() {
            let text: Vec<String> = changed.into_iter().map(|message| message.content).collect();
            self.outcome.replace = Some(text.join("\n")).filter(|text| *text != ended.result);
        }
    }
}

/// What to show of a call: the command, or what it writes.
fn preview(call: &Call) -> Option<String> {
    match call.shape() {
        Shape::Shell => call.tool_use().text("command").map(Cow::into_owned),
        Shape::Save => call.content().map(str::to_owned),
        Shape::Patch => call.patch().map(str::to_owned),
        Shape::Edit | Shape::Read | Shape::Other => None,
    }
}

/// The call's arguments with another content.
fn edited(call: &Call, content: &str) -> Option<Value> {
    match call.shape() {
        Shape::Shell => {
            let mut tool_use = call.tool_use();
            tool_use.kwargs.insert("command".to_owned(), Value::from(content));
            call.rewritten(&tool_use).ok().map(|input| input.unwrap_or_else(|| call.input.clone()))
        }
        Shape::Save => call.with_content(content),
        Shape::Patch => call.with_patch(content),
        Shape::Edit | Shape::Read | Shape::Other => None,
    }
}
