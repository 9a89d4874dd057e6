//! Patterns in settings: checked when the settings are read, compiled once.

use regex::RegexSet;
use serde::{Deserialize, Serialize};

/// A list of regular expressions, written as strings; each may fit anywhere in a text unless it has `^` or `$`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Patterns(RegexSet);

/// A pattern that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("a pattern cannot be read: {0}")]
pub struct PatternError(#[from] regex::Error);

impl Patterns {
    /// Whether any of them fits.
    #[must_use]
    pub fn fit(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl Default for Patterns {
    fn default() -> Self {
        Self(RegexSet::empty())
    }
}

impl TryFrom<Vec<String>> for Patterns {
    type Error = PatternError;

    fn try_from(patterns: Vec<String>) -> Result<Self, PatternError> {
        Ok(Self(RegexSet::new(patterns)?))
    }
}

impl From<Patterns> for Vec<String> {
    fn from(patterns: Patterns) -> Self {
        patterns.0.patterns().to_vec()
    }
}
