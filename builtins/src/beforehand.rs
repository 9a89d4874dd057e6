//! What was confirmed beforehand: so many further tool calls of a session, or all of them.
//!
//! One value a session, shared by every way to ask (terminal, server), so that "and three more" said in one
//! place counts in the other. Never kept on disk: a new process asks again. Only tools' confirmations use it up;
//! other questions are asked however much was confirmed. A question that a gate puts is such a one: whoever said
//! "all that follow" had not heard the gate's reason.

use hookspec::ask::Why;
use serde::{Deserialize, Serialize};

/// How many further calls of this session are confirmed beforehand; a state of the session.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Beforehand {
    #[serde(skip)]
    left: Further,
}

/// How many further calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Further {
    /// So many; 0 is none.
    Count(u32),
    /// All, until [`Beforehand::reset`].
    All,
}

impl Default for Further {
    fn default() -> Self {
        Self::Count(0)
    }
}

impl Beforehand {
    /// Confirms further calls. A count replaces an earlier count, and changes nothing where all are confirmed.
    pub fn allow(&mut self, further: Further) {
        if self.left != Further::All {
            self.left = further;
        }
    }

    /// Confirms nothing further.
    pub fn reset(&mut self) {
        self.left = Further::default();
    }

    /// What is left.
    #[must_use]
    pub fn left(&self) -> Further {
        self.left
    }

    /// Uses one up: what is left after it, or nothing if the call has to be asked for, as each is that a gate asks about.
    pub fn take(&mut self, why: &Why) -> Option<Further> {
        if let Why::Gate(_) = why {
            return None;
        }
        self.left = match self.left {
            Further::All => Further::All,
            Further::Count(count) => Further::Count(count.checked_sub(1)?),
        };
        Some(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_8_8_two_are_two() {
        let mut beforehand = Beforehand::default();
        assert_eq!(beforehand.take(&Why::Policy), None);
        beforehand.allow(Further::Count(2));
        assert_eq!(beforehand.take(&Why::Policy), Some(Further::Count(1)));
        assert_eq!(beforehand.take(&Why::Policy), Some(Further::Count(0)));
        assert_eq!(beforehand.take(&Why::Policy), None);
    }

    #[test]
    fn a_gates_question_is_put_all_the_same() {
        let mut beforehand = Beforehand::default();
        beforehand.allow(Further::Count(1));
        assert_eq!(beforehand.take(&Why::Gate("odd".into())), None);
        assert_eq!(beforehand.left(), Further::Count(1), "and uses none up");
        beforehand.allow(Further::All);
        assert_eq!(beforehand.take(&Why::Gate("odd".into())), None);
    }

    #[test]
    fn row_8_9_all_outlasts_a_count_and_not_a_reset() {
        let mut beforehand = Beforehand::default();
        beforehand.allow(Further::All);
        beforehand.allow(Further::Count(0));
        assert_eq!(beforehand.take(&Why::Policy), Some(Further::All));
        beforehand.reset();
        assert_eq!(beforehand.take(&Why::Policy), None);
    }
}
