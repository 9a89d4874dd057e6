//! The neutral outcome: what the hooks want, before any client's words for it.

use std::fmt;

use hookspec::Message;
use hookspec::ask::Answer;
use serde_json::Value;

/// A reason that is never blank: clients let things pass where a refusal tells none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    /// A reason; a blank one says that there was none.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self(if text.trim().is_empty() { "a hook refused, and gave no reason".to_owned() } else { text })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An opinion about what is about to happen; the later one is the stricter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// It may happen, and the user need not be asked.
    Allow,
    /// The user decides.
    Ask(Reason),
    /// It may not happen.
    Deny(Reason),
}

impl Opinion {
    fn strictness(&self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Ask(_) => 1,
            Self::Deny(_) => 2,
        }
    }
}

/// All that hooks want of one event. Everything empty means that they have no opinion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Whether it may happen.
    pub opinion: Option<Opinion>,
    /// The arguments, whole, with which it shall happen instead; before a call to the model, what is to be changed
    /// of the request.
    pub rewrite: Option<Value>,
    /// The text that takes the place of a result or of a shown text.
    pub replace: Option<String>,
    /// The answer to a question.
    pub answer: Option<Answer>,
    /// What the model shall know, in order.
    pub context: Vec<String>,
    /// The prompt with which the agent shall go on instead of resting.
    pub go_on: Option<Reason>,
    /// Why the session shall end.
    pub halt: Option<Reason>,
}

impl Outcome {
    /// A refusal.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { opinion: Some(Opinion::Deny(Reason::new(reason))), ..Self::default() }
    }

    /// Adds an opinion; the stricter one stands, of two alike the first.
    pub fn opine(&mut self, opinion: Opinion) {
        if self.opinion.as_ref().is_none_or(|held| opinion.strictness() > held.strictness()) {
            self.opinion = Some(opinion);
        }
    }

    /// The reason of a refusal.
    #[must_use]
    pub fn denied(&self) -> Option<&Reason> {
        match &self.opinion {
            Some(Opinion::Deny(reason)) => Some(reason),
            _ => None,
        }
    }

    /// Adds what a hook said.
    pub fn tell(&mut self, message: &Message) {
        let mut text = message.content.clone();
        for file in &message.files {
            text.push_str(&format!("\n(file: {})", file.display()));
        }
        if !text.trim().is_empty() {
            self.context.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_opinion_stands_and_no_reason_is_blank() {
        let mut outcome = Outcome::default();
        outcome.opine(Opinion::Ask(Reason::new("why")));
        outcome.opine(Opinion::Allow);
        assert_eq!(outcome.opinion, Some(Opinion::Ask(Reason::new("why"))));
        outcome.opine(Opinion::Deny(Reason::new(" \n")));
        outcome.opine(Opinion::Deny(Reason::new("later")));
        assert_eq!(outcome.denied().unwrap().as_str(), "a hook refused, and gave no reason");
    }
}
