//! What one handler said, in words that no dialect owns, and what several said together.

use serde_json::Value;

/// How a run went, as the client would show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It had nothing against it.
    #[default]
    Completed,
    /// It refused.
    Blocked,
    /// It ended the turn.
    Stopped,
    /// Its word could not be had.
    Failed,
}

/// A word on what is about to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// No question need be asked.
    Allow,
    /// The user is to be asked.
    Ask(String),
    /// No. After the fact: what the model is to read instead.
    Deny(String),
}

/// What one handler said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// How it went.
    pub status: Status,
    /// Why it failed.
    pub problem: Option<String>,
    /// Its word.
    pub word: Option<Word>,
    /// The arguments that the tool gets instead.
    pub rewrite: Option<Value>,
    /// What the tool said instead.
    pub replace: Option<Value>,
    /// Texts for the model.
    pub contexts: Vec<String>,
    /// That the turn is to end, and why.
    pub stop: Option<Option<String>>,
    /// Texts for the user.
    pub notices: Vec<String>,
}

impl Said {
    /// A run that failed.
    #[must_use]
    pub fn failed(problem: impl Into<String>) -> Self {
        Self { status: Status::Failed, problem: Some(problem.into()), ..Self::default() }
    }

    /// A refusal.
    #[must_use]
    pub fn denied(reason: impl Into<String>) -> Self {
        Self { status: Status::Blocked, word: Some(Word::Deny(reason.into())), ..Self::default() }
    }
}

/// What several handlers said, in the order in which they are configured, whoever was done first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Together {
    /// The strictest word; of equals the first.
    pub word: Option<Word>,
    /// The reasons of all refusals, in order.
    pub denials: Vec<String>,
    /// The last rewrite.
    pub rewrite: Option<Value>,
    /// The last replacement.
    pub replace: Option<Value>,
    /// All texts for the model.
    pub contexts: Vec<String>,
    /// The first end of the turn.
    pub stop: Option<Option<String>>,
    /// All texts for the user.
    pub notices: Vec<String>,
    /// What went wrong.
    pub problems: Vec<String>,
}

impl Together {
    /// Puts together what was said. Each handler is given with its name, for complaints.
    #[must_use]
    pub fn of<'n>(all: impl IntoIterator<Item = (&'n str, Said)>) -> Self {
        let mut together = Self::default();
        let mut rewriter = None;
        for (name, said) in all {
            together.problems.extend(said.problem.map(|problem| format!("{name}: {problem}")));
            if let Some(word) = said.word {
                if let Word::Deny(reason) = &word {
                    together.denials.push(reason.clone());
                }
                if together.word.as_ref().is_none_or(|held| strictness(&word) > strictness(held)) {
                    together.word = Some(word);
                }
            }
            if let Some(input) = said.rewrite {
                // Each saw the call as it was, so that what the one before wanted is lost: nobody may be silent on it.
                if let Some(first) = rewriter.replace(name)
                    && together.rewrite.as_ref() != Some(&input)
                {
                    together.problems.push(format!(
                        "{first} and {name} rewrote the same call, each from what it was before; that of {name}, which is configured last, counts"
                    ));
                }
                together.rewrite = Some(input);
            }
            together.replace = said.replace.or(together.replace);
            together.contexts.extend(said.contexts);
            together.stop = together.stop.or(said.stop);
            together.notices.extend(said.notices);
        }
        together
    }
}

fn strictness(word: &Word) -> u8 {
    match word {
        Word::Allow => 0,
        Word::Ask(_) => 1,
        Word::Deny(_) => 2,
    }
}
