//! Patterns of constant tables, each compiled when it is first needed: a process that lives for one event
//! needs few of them.

use std::path::Path;
use std::sync::OnceLock;

use regex::Regex;
use serde::Deserialize;

use crate::globs::{GlobError, Globs};

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
    /// The compiled pattern.
    ///
    /// # Errors
    /// If it is malformed; each table has a test that compiles all of it.
    pub(crate) fn get(&self) -> Result<&Regex, regex::Error> {
        self.compiled.get_or_init(|| Regex::new(&self.written)).as_ref().map_err(Clone::clone)
    }
}

/// Globs that are compiled when they are first used, which takes longer than all else that one event costs.
#[derive(Debug, Deserialize)]
#[serde(from = "Vec<String>")]
pub(crate) struct LateGlobs {
    written: Vec<String>,
    compiled: OnceLock<Result<Globs, GlobError>>,
}

impl From<Vec<String>> for LateGlobs {
    fn from(written: Vec<String>) -> Self {
        Self { written, compiled: OnceLock::new() }
    }
}

impl LateGlobs {
    /// Whether any of them fits.
    ///
    /// # Errors
    /// If one of them is malformed; each table has a test that compiles all of it.
    pub(crate) fn fit(&self, text: impl AsRef<Path>) -> Result<bool, &GlobError> {
        let compiled = self.compiled.get_or_init(|| Globs::new(self.written.iter().map(String::as_str)));
        compiled.as_ref().map(|globs| globs.fit(text))
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

    #[test]
    fn globs_are_compiled_when_they_are_asked() {
        let globs = LateGlobs::from(vec!["*.pem".to_owned()]);
        assert!(globs.compiled.get().is_none());
        assert!(globs.fit("a.pem").unwrap() && !globs.fit("a.txt").unwrap());
        assert!(LateGlobs::from(vec!["a[".to_owned()]).fit("a").is_err());
    }
}
