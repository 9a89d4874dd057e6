//! Patterns of constant tables, each compiled when it is first needed: a process that lives for one event
//! needs few of them.

use std::sync::OnceLock;

use regex::Regex;
use serde::Deserialize;

/// A regular expression that is compiled when it is first used.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(crate) struct LatePattern {
    written: String,
    compiled: OnceLock<Result<Regex, regex::Error>>,
}

impl From<String> for LatePattern {
    fn from(written: String) -> Self {
        Self { written, compiled: OnceLock::new() }
    }
}

impl LatePattern {
    #[cfg(test)]
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// The compiled pattern.
    ///
    /// # Errors
    /// If it is malformed; each table has a test that compiles all of it.
    pub(crate) fn get(&self) -> Result<&Regex, regex::Error> {
        self.compiled.get_or_init(|| Regex::new(&self.written)).as_ref().map_err(Clone::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_pattern_is_an_error_each_time() {
        let (good, bad) = (LatePattern::from("a+".to_owned()), LatePattern::from("a(".to_owned()));
        assert!(good.get().unwrap().is_match("caat"));
        assert!(bad.get().is_err() && bad.get().is_err());
    }
}
