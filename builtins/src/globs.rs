//! Globs in settings: checked when the settings are read, compiled once.

use std::path::Path;

use globset::{GlobBuilder, GlobSet};
use serde::{Deserialize, Serialize};

/// A list of globs, written as strings: `["shell", "*.search"]`. A `*` does not cross a `/`; `**` does.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Globs {
    written: Vec<String>,
    set: GlobSet,
}

/// A glob that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("`{glob}` is not a glob: {why}")]
pub struct GlobError {
    glob: String,
    why: String,
}

impl Globs {
    /// Compiles globs.
    ///
    /// # Errors
    /// If one of them is malformed.
    pub fn new(globs: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, GlobError> {
        let written: Vec<String> = globs.into_iter().map(Into::into).collect();
        let mut set = GlobSet::builder();
        for glob in &written {
            let compiled = GlobBuilder::new(glob).literal_separator(true).build();
            set.add(
                compiled.map_err(|error| GlobError { glob: glob.clone(), why: error.kind().to_string() })?,
            );
        }
        let set = set
            .build()
            .map_err(|error| GlobError { glob: written.join("`, `"), why: error.kind().to_string() })?;
        Ok(Self { written, set })
    }

    /// Whether any of them fits.
    #[must_use]
    pub fn fit(&self, text: impl AsRef<Path>) -> bool {
        self.set.is_match(text)
    }
}

impl TryFrom<Vec<String>> for Globs {
    type Error = GlobError;

    fn try_from(globs: Vec<String>) -> Result<Self, GlobError> {
        Self::new(globs)
    }
}

impl From<Globs> for Vec<String> {
    fn from(globs: Globs) -> Self {
        globs.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_fit_whole_names_and_a_bad_one_is_named() {
        let globs = Globs::new(["save", "*.search", "**/fixtures/**"]).unwrap();
        for (text, fits) in [
            ("save", true),
            ("saved", false),
            ("web.search", true),
            ("a/fixtures/b/c", true),
            ("/a/web.search", false),
        ] {
            assert_eq!(globs.fit(text), fits, "{text}");
        }
        let error = Globs::new(["a[", "b"]).unwrap_err();
        assert!(error.to_string().starts_with("`a[` is not a glob"), "{error}");
        assert!(!Globs::default().fit("anything"));
    }
}
