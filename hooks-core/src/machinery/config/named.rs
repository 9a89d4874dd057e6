//! Names from lists, and where they were written.

use std::fmt;

/// A name from a list, and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub text: String,
    /// The file and its line, the variable, or the option.
    pub source: String,
    pub(crate) kind: NameKind,
    /// Whether it comes from a file.
    pub(crate) in_file: bool,
}

/// How a name is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// As it is.
    Plain,
    /// A part of a variable's name: in capitals, with `_` for what such a name cannot hold.
    Capitals,
    /// As it is, and meant for another system: one that means nothing here is no mistake.
    Foreign,
    /// A part of a variable's name that is meant for another system.
    ForeignCapitals,
}

impl NameKind {
    pub(crate) fn is_foreign(self) -> bool {
        matches!(self, Self::Foreign | Self::ForeignCapitals)
    }

    pub(crate) fn is_capitals(self) -> bool {
        matches!(self, Self::Capitals | Self::ForeignCapitals)
    }
}

impl Named {
    /// A name from `source`; surrounding space does not count.
    pub fn new(text: impl Into<String>, source: impl Into<String>) -> Self {
        Self {
            text: text.into().trim().to_owned(),
            source: source.into(),
            kind: NameKind::Plain,
            in_file: false,
        }
    }

    pub(super) fn in_file(text: impl Into<String>, place: String) -> Self {
        Self { in_file: true, ..Self::new(text, place) }
    }

    /// What decided, in a few words: `allow in hookspec.toml:4`, `HOOKSPEC_ALLOW`, `--allow`.
    pub(crate) fn decided(&self, list: &str) -> String {
        if self.in_file { format!("{list} in {}", self.source) } else { self.source.clone() }
    }

    pub(crate) fn of(kind: NameKind, text: &str, source: &str) -> Self {
        Self { kind, ..Self::new(text, source) }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in {}", self.text, self.source)
    }
}
