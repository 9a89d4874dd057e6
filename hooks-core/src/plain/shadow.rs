//! Shadow: what a hook says that runs for trial, and that nobody does.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::plain::flow::Flow;
use crate::plain::verdict::Gate;

/// How often a hook in shadow said what was not done. Shown as a sentence: `3 refusals that were not made`.
///
/// ```
/// use hookspec::hooks::Shadowed;
///
/// let mut counted = Shadowed::default();
/// (counted.denied, counted.changed) = (3, 1);
/// assert_eq!(counted.to_string(), "3 refusals and 1 change that were not made");
/// assert_eq!(Shadowed::default().to_string(), "nothing so far that was not made");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Shadowed {
    /// Refusals at gates; those of a gate that failed, which denies, are among them.
    pub denied: u64,
    /// Questions for the user, at gates.
    pub asked: u64,
    /// Values put in place of others.
    pub changed: u64,
    /// Answers where the first one counts.
    pub answered: u64,
    /// Messages.
    pub said: u64,
    /// Ends, of the chain or the session.
    pub ended: u64,
}

impl Shadowed {
    /// What one run said.
    pub(crate) fn of(gate: Option<&Gate>, fold: bool, first: bool, messages: usize, flow: &Flow) -> Self {
        Self {
            denied: u64::from(matches!(gate, Some(Gate::Deny(_)))),
            asked: u64::from(matches!(gate, Some(Gate::Ask(_)))),
            changed: u64::from(fold),
            answered: u64::from(first),
            said: messages as u64,
            ended: u64::from(*flow != Flow::Continue),
        }
    }

    /// Whether it is nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Both together.
    pub fn add(&mut self, other: Self) {
        for (own, other) in self.numbers_mut().into_iter().zip(other.numbers()) {
            *own = own.saturating_add(other);
        }
    }

    fn numbers(self) -> [u64; 6] {
        let Self { denied, asked, changed, answered, said, ended } = self;
        [denied, asked, changed, answered, said, ended]
    }

    fn numbers_mut(&mut self) -> [&mut u64; 6] {
        let Self { denied, asked, changed, answered, said, ended } = self;
        [denied, asked, changed, answered, said, ended]
    }
}

impl fmt::Display for Shadowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WORDS: [(&str, &str); 6] = [
            ("refusal", "refusals"),
            ("question", "questions"),
            ("change", "changes"),
            ("answer", "answers"),
            ("message", "messages"),
            ("end", "ends"),
        ];
        let counted = self.numbers().into_iter().zip(WORDS).filter(|(number, _)| *number > 0);
        let parts: Vec<String> = counted
            .map(|(number, (one, many))| format!("{number} {}", if number == 1 { one } else { many }))
            .collect();
        match &*parts {
            [] => f.write_str("nothing so far that was not made"),
            [one] if one.starts_with("1 ") => write!(f, "{one} that was not made"),
            [one] => write!(f, "{one} that were not made"),
            [first @ .., last] => write!(f, "{} and {last} that were not made", first.join(", ")),
        }
    }
}

/// The counts of a hook, as it runs.
#[derive(Debug, Default)]
pub(crate) struct Counts([AtomicU64; 6]);

impl Counts {
    pub(crate) fn add(&self, more: Shadowed) {
        for (count, more) in self.0.iter().zip(more.numbers()).filter(|(_, more)| *more > 0) {
            count.fetch_add(more, Ordering::Relaxed);
        }
    }

    pub(crate) fn get(&self) -> Shadowed {
        let mut all = Shadowed::default();
        for (number, count) in all.numbers_mut().into_iter().zip(&self.0) {
            *number = count.load(Ordering::Relaxed);
        }
        all
    }

    pub(crate) fn reset(&self) {
        self.0.iter().for_each(|count| count.store(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_made_is_a_sentence() {
        let counted = |denied, asked, changed, answered, said, ended| {
            Shadowed { denied, asked, changed, answered, said, ended }.to_string()
        };
        assert_eq!(counted(3, 0, 0, 0, 0, 0), "3 refusals that were not made");
        assert_eq!(counted(0, 1, 0, 0, 0, 0), "1 question that was not made");
        assert_eq!(counted(0, 0, 0, 0, 11, 0), "11 messages that were not made");
        assert_eq!(counted(1, 0, 2, 1, 0, 1), "1 refusal, 2 changes, 1 answer and 1 end that were not made");
    }

    #[test]
    fn counts_add_up_and_begin_anew() {
        let counts = Counts::default();
        counts.add(Shadowed::of(Some(&Gate::deny("x")), true, false, 2, &Flow::Continue));
        counts.add(Shadowed::of(Some(&Gate::ask("x")), false, true, 0, &Flow::Stop));
        counts.add(Shadowed::of(Some(&Gate::Allow), false, false, 0, &Flow::Continue));
        let whole = Shadowed { denied: 1, asked: 1, changed: 1, answered: 1, said: 2, ended: 1 };
        assert_eq!(counts.get(), whole);
        counts.reset();
        assert!(counts.get().is_nothing());
    }
}
