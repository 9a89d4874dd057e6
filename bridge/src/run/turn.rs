//! Prompts, and the end of a turn.

use hookspec::ask::Continue;
use hookspec::model::Usage;
use hookspec::points::{LOOP_CONTINUE, MESSAGE_PRE_PROCESS, TURN_POST, TURN_PRE, TurnOutcome};
use hookspec::{Gate, Message, fire_now};

use super::Run;
use crate::outcome::{Opinion, Reason};

/// How often in a row hooks may keep an agent going, whatever the client allows.
const MOST_CONTINUED: u32 = 8;

impl Run<'_> {
    pub(super) fn prompt(&mut self, text: &str) {
        self.notes.turn();
        let message = Message::user(text);
        let mut fired = fire_now!(self.session, MESSAGE_PRE_PROCESS { message: &message });
        self.absorb(&fired);
        match fired.gate() {
            Some(Gate::Deny(reason)) => return self.deny(reason.clone()),
            Some(Gate::Ask(reason)) => self.outcome.opine(Opinion::Ask(Reason::new(reason))),
            Some(Gate::Allow) | None => {}
        }
        let mut message = message;
        if let Some(changed) = fired.take_value().filter(|changed| changed.content != text) {
            match added(text, &changed.content) {
                Some(parts) => self.outcome.context.extend(parts),
                None => {
                    return self.deny(format!(
                        "a hook rewrote this prompt, and no client takes another one; send this instead:\n{}",
                        changed.content
                    ));
                }
            }
            message = changed;
        }
        let message = match self.session.append(message) {
            Ok(message) => message,
            Err(fault) => return self.deny(fault.to_string()),
        };
        let fired = fire_now!(self.session, TURN_PRE { message: &message });
        self.absorb(&fired);
    }

    pub(super) fn turn_over(&mut self, outcome: TurnOutcome, last: Option<&str>) {
        if let Some(last) = last.filter(|last| !last.is_empty()) {
            self.said(Message::assistant(last));
        }
        if outcome == TurnOutcome::Interrupted {
            self.interrupted();
        }
        let changed: Vec<_> = self.notes.changed.iter().cloned().collect();
        let steps = self.notes.steps.max(1);
        let usage = Usage::default();
        let fired = fire_now!(self.session, TURN_POST { steps, changed: &changed, usage: &usage, outcome });
        self.absorb(&fired);
    }

    pub(super) fn go_on(&mut self, outcome: TurnOutcome, active: Option<bool>, count: u32) {
        if active == Some(false) {
            self.notes.continued = 0;
        }
        let continued = self.notes.continued.max(count);
        if continued >= MOST_CONTINUED {
            tracing::warn!(
                continued,
                "hooks have kept this agent going so often in a row that it rests now without asking them"
            );
            return;
        }
        let mut fired = fire_now!(self.session, LOOP_CONTINUE { outcome, queue: &[], continued });
        self.absorb(&fired);
        match fired.take_answer() {
            Some((Continue::With(message), _)) => {
                self.notes.continued = continued + 1;
                self.outcome.go_on = Some(Reason::new(message.content));
            }
            Some((Continue::Rest, _)) | None => self.notes.continued = 0,
        }
    }
}

/// What was put before and behind a text; `None` if the text itself was changed.
fn added(text: &str, changed: &str) -> Option<Vec<String>> {
    let at = changed.find(text).filter(|_| !text.is_empty())?;
    let parts = [&changed[..at], &changed[at + text.len()..]];
    Some(parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::added;

    #[test]
    fn what_is_added_to_a_prompt_can_be_told_apart() {
        assert_eq!(added("fix it", "Note: x\n\nfix it\nand y"), Some(vec!["Note: x".into(), "and y".into()]));
        assert_eq!(added("token 123", "token ***"), None);
        assert_eq!(added("", "x"), None);
    }
}
