//! Lowering: the neutral outcome in each client's words, one function and one file a client.
//!
//! [`Can`] says what an event of a client can carry. What it cannot carry is fitted first, by rules that are the
//! same for all clients, and reported as a [`Loss`]:
//!
//! - a refusal stands before everything else, and always has a reason;
//! - a question that the client cannot put to its user, and a changed call that it cannot be given, become
//!   refusals: nobody to ask is a no, and a call that a guard changed must not run unchanged;
//! - what the model shall know and cannot be told now is held back for the next event that can carry it;
//! - an end of the session that cannot be told refuses, where something waits for a permission.

mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod goose;
mod hermes;

use std::fmt;

use serde_json::{Map, Value};

use crate::client::Client;
use crate::events::Spelling;
use crate::moment::{Incoming, Moment};
use crate::notes::shortened;
use crate::outcome::{Opinion, Outcome, Reason};

/// Clients cut longer texts, or put them into a file.
const LONGEST: usize = 9000;
/// Of a changed call this much is told in a refusal.
const LONGEST_CALL: usize = 4000;

/// How a client takes other arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rewrite {
    /// It does not.
    #[default]
    No,
    /// They take the place of all arguments.
    Whole,
    /// They are laid over the arguments, so that none can be taken away.
    Merge,
}

/// What the answer to an event can carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a row of the protocols' tables
pub struct Can {
    /// A refusal with a reason.
    pub deny: bool,
    /// "Ask the user."
    pub ask: bool,
    /// "Do not ask the user."
    pub allow: bool,
    /// Other arguments.
    pub rewrite: Rewrite,
    /// Another result or text.
    pub replace: bool,
    /// An answer to a question.
    pub answer: bool,
    /// Texts for the model.
    pub context: bool,
    /// The same, beside a refusal, other arguments or another result.
    pub beside: bool,
    /// "Go on with this prompt."
    pub go_on: bool,
    /// The end of the turn.
    pub halt: bool,
}

/// Something that a client could not be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The client.
    pub client: Client,
    /// The event.
    pub event: String,
    /// What it cannot carry.
    pub what: &'static str,
    /// What became of it.
    pub instead: &'static str,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be told {} at {}: {}", self.client, self.what, self.event, self.instead)
    }
}

/// The answer to one event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// What goes to standard output, once and alone; `None` for nothing at all.
    pub body: Option<Map<String, Value>>,
    /// What goes to standard error.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
    /// What the client could not be told.
    pub losses: Vec<Loss>,
    /// What the next event shall carry.
    pub held: Vec<String>,
    /// The reason of a refusal: where the body cannot be written, it goes to standard error, with exit code 2.
    pub refusal: Option<String>,
}

impl Answer {
    /// A refusal that needs no words of a client: a reason on standard error and exit code 2.
    #[must_use]
    pub fn bare_refusal(reason: &str) -> Self {
        Self { stderr: format!("{reason}\n"), code: 2, refusal: Some(reason.to_owned()), ..Self::default() }
    }

    /// What goes to standard error: what hooks' host has to say, and what the client could not be told.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = self.stderr.clone();
        for loss in &self.losses {
            words.push_str(&format!("hookspec: {loss}\n"));
        }
        words
    }

    /// What goes to standard output.
    #[must_use]
    pub fn stdout(&self) -> String {
        self.body.as_ref().map_or_else(String::new, |body| Value::Object(body.clone()).to_string())
    }
}

/// What the answer to this event can carry.
#[must_use]
pub fn can(incoming: &Incoming) -> Can {
    match incoming.client {
        Client::Codex => codex::can(incoming),
        Client::Claude => claude::can(incoming),
        Client::Gemini => gemini::can(incoming),
        Client::Cursor => cursor::can(incoming),
        Client::Copilot => copilot::can(incoming),
        Client::Goose => goose::can(incoming),
        Client::Hermes => hermes::can(incoming),
    }
}

/// The outcome in the client's words. `spelling` is how the event's fields were spelled.
#[must_use]
pub fn lower(incoming: &Incoming, spelling: Spelling, outcome: Outcome) -> Answer {
    let (outcome, losses, held) = fit(incoming, can(incoming), outcome);
    let refusal = outcome.denied().map(|reason| reason.as_str().to_owned());
    let body = match incoming.client {
        Client::Codex => codex::write(incoming, outcome),
        Client::Claude => claude::write(incoming, outcome),
        Client::Gemini => gemini::write(incoming, outcome),
        Client::Cursor => cursor::write(incoming, outcome),
        Client::Copilot => copilot::write(incoming, spelling, outcome),
        Client::Goose => goose::write(incoming, outcome),
        Client::Hermes => hermes::write(incoming, outcome),
    };
    // Gemini and Cursor want JSON in any case; to the others silence is no opinion.
    let always = matches!(incoming.client, Client::Gemini | Client::Cursor);
    let body = (always || !body.is_empty()).then_some(body);
    Answer { body, losses, held, refusal, ..Answer::default() }
}

/// Makes an outcome one that the event can carry.
fn fit(incoming: &Incoming, can: Can, mut outcome: Outcome) -> (Outcome, Vec<Loss>, Vec<String>) {
    let mut losses = Vec::new();
    let mut lose = |what: &'static str, instead: &'static str| {
        let event = incoming.name.clone();
        losses.push(Loss { client: incoming.client, event, what, instead });
    };
    if outcome.halt.is_some() && !can.halt {
        if let Some(reason) = outcome.halt.take().filter(|_| can.deny) {
            outcome.opine(Opinion::Deny(Reason::new(format!("the session shall end: {reason}"))));
            lose("that the session shall end", "refused instead");
        } else {
            lose("that the session shall end", "nothing was done");
        }
    }
    if let Some(Opinion::Ask(reason)) = &outcome.opinion
        && !can.ask
    {
        let reason = format!(
            "{reason} (a hook wants the user to be asked, and {} cannot ask for a hook here)",
            incoming.client
        );
        outcome.opinion = Some(Opinion::Deny(Reason::new(reason)));
        lose("to ask its user", "refused instead");
    }
    if let Some(input) = &outcome.rewrite
        && outcome.denied().is_none()
        && let Some(why) = unfit(incoming, can.rewrite, &outcome, input)
    {
        if can.deny {
            let call = shortened(input.to_string(), LONGEST_CALL);
            let reason = format!("a hook changed this call, and {why}; make this call instead: {call}");
            outcome.opine(Opinion::Deny(Reason::new(reason)));
            lose("other arguments", "refused, with the arguments to use");
        } else {
            lose("other arguments", "nothing was changed");
        }
        outcome.rewrite = None;
    }
    if outcome.denied().is_some() {
        outcome.rewrite = None;
        if !can.deny {
            outcome.opinion = None;
            lose("a refusal", "it cannot be refused");
        }
    }
    if outcome.opinion == Some(Opinion::Allow) && !can.allow {
        // Its own rules stand, which is all that an "allow" could have asked it to leave out.
        outcome.opinion = None;
    }
    if outcome.replace.is_some() && !can.replace {
        outcome.replace = None;
        lose("another text", "the original stands");
    }
    if outcome.answer.is_some() && !can.answer {
        outcome.answer = None;
        lose("an answer", "its user is asked");
    }
    if outcome.go_on.is_some() && (!can.go_on || outcome.halt.is_some()) {
        outcome.go_on = None;
        if !can.go_on {
            lose("to go on", "it rests");
        }
    }
    let crowded = outcome.denied().is_some() || outcome.rewrite.is_some() || outcome.replace.is_some();
    let held = if can.context && (can.beside || !crowded) {
        Vec::new()
    } else {
        std::mem::take(&mut outcome.context)
    };
    (outcome, losses, held)
}

/// Why a client cannot be given these arguments.
fn unfit(incoming: &Incoming, rewrite: Rewrite, outcome: &Outcome, input: &Value) -> Option<&'static str> {
    let old = match &incoming.moment {
        Moment::ToolPre(call) | Moment::ToolConfirm(call) => call.input.as_object(),
        _ => None,
    };
    match rewrite {
        Rewrite::Whole => None,
        Rewrite::Merge if matches!(outcome.opinion, Some(Opinion::Ask(_))) => {
            Some("this client cannot be asked about other arguments than its own")
        }
        Rewrite::Merge => match (old, input.as_object()) {
            (_, None) => Some("this client takes other arguments as an object only"),
            (Some(old), Some(new)) if old.keys().any(|key| !new.contains_key(key)) => {
                Some("this client cannot be told to leave an argument out")
            }
            _ => None,
        },
        Rewrite::No => Some("this client cannot be given other arguments here"),
    }
}

/// The texts for the model as one.
fn context(texts: &[String]) -> Option<Value> {
    (!texts.is_empty()).then(|| Value::from(shortened(texts.join("\n\n"), LONGEST)))
}

fn text(reason: &Reason) -> Value {
    Value::from(shortened(reason.as_str().to_owned(), LONGEST))
}

/// An answer while it is written.
#[derive(Default)]
struct Body(Map<String, Value>);

impl Body {
    fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn maybe(&mut self, key: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// Adds `hookSpecificOutput`, where there is anything in it.
    fn specific(&mut self, event: &str, mut inner: Self) {
        if !inner.0.is_empty() {
            inner.put("hookEventName", event);
            self.put("hookSpecificOutput", inner.0);
        }
    }

    fn block(&mut self, reason: &Reason) {
        self.put("decision", "block");
        self.put("reason", text(reason));
    }

    fn halt(&mut self, reason: Option<&Reason>) {
        if let Some(reason) = reason {
            self.put("continue", false);
            self.put("stopReason", text(reason));
        }
    }
}

#[cfg(test)]
mod tests;
