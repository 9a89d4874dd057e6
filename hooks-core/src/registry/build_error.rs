//! Why a registry could not be built.

use std::fmt;

use crate::plain::report::Problem;

/// Why a registry could not be built: all problems at once.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildError {
    /// What is wrong.
    pub problems: Vec<Problem>,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.problems {
            [one] => one.fmt(f),
            many => {
                write!(f, "{} problems with the hooks:", many.len())?;
                many.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
            }
        }
    }
}

impl std::error::Error for BuildError {}
