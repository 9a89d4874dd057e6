//! Labels: what a session has met and stays known for.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::plain::clock::Timestamp;

/// So many characters a label's name has at most.
const LONGEST: usize = 64;
/// So many characters are kept of why a label was set.
const LONGEST_WHY: usize = 200;

/// The name of something that a session has met: a secret, text of strangers. Labels only ever come; see
/// [`Session::add_label`](crate::Session::add_label).
///
/// ```
/// use hookspec::session::Label;
///
/// assert_eq!(Label::new("read-secret")?, Label::READ_SECRET);
/// assert!(Label::new("Read secret").is_err());
/// # Ok::<(), hookspec::session::LabelError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
pub struct Label(Cow<'static, str>);

/// A name that no label can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no name of a label: write one to 64 small letters, digits and hyphens, with a letter in front, as in `read-secret`."
)]
pub struct LabelError(String);

impl Label {
    /// The model, or a program in its place, has had a secret before its eyes.
    pub const READ_SECRET: Self = Self(Cow::Borrowed("read-secret"));
    /// The conversation holds text that neither the user nor the model wrote: a page, a stranger's file, a foreign tool's result.
    pub const FOREIGN_TEXT: Self = Self(Cow::Borrowed("foreign-text"));
    /// A tool has touched what is outside of the workspace.
    pub const LEFT_WORKSPACE: Self = Self(Cow::Borrowed("left-workspace"));

    /// Those that our own hooks and tools set.
    pub const KNOWN: [Self; 3] = [Self::READ_SECRET, Self::FOREIGN_TEXT, Self::LEFT_WORKSPACE];

    /// A label of one's own.
    ///
    /// # Errors
    /// If it is not made of one to 64 small letters, digits and hyphens, beginning with a letter.
    pub fn new(name: impl Into<String>) -> Result<Self, LabelError> {
        let name = name.into();
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
        if begins && name.len() <= LONGEST && name.chars().all(fits) {
            Ok(Self(Cow::Owned(name)))
        } else {
            Err(LabelError(clean(&name, LONGEST)))
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Label {
    type Error = LabelError;

    fn try_from(name: String) -> Result<Self, LabelError> {
        Self::new(name)
    }
}

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.0.into_owned()
    }
}

/// A label that a session carries, and since when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Labelled {
    /// The label.
    pub label: Label,
    /// What it came from, in a few words on one line: "the result of `shell` held a secret".
    pub why: String,
    /// When, UTC.
    pub at: Timestamp,
}

impl Labelled {
    /// A label from a moment on, as hosts make them from what they kept. Control characters in `why` become spaces, and what is longer than 200 characters is cut.
    #[must_use]
    pub fn new(label: Label, why: &str, at: Timestamp) -> Self {
        Self { label, why: clean(why, LONGEST_WHY), at }
    }
}

impl fmt::Display for Labelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.label, self.why)
    }
}

fn clean(text: &str, longest: usize) -> String {
    let mut cleaned: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(longest).collect();
    if text.chars().nth(longest).is_some() {
        cleaned.push('…');
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_nothing_else() {
        for good in ["a", "read-secret", "x2", &"a".repeat(LONGEST)] {
            assert_eq!(Label::new(good).map(|label| label.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "-a", "2x", "Read", "a b", "a\nb", "é", "a_b", &"a".repeat(LONGEST + 1)] {
            assert!(Label::new(bad).is_err(), "{bad:?}");
        }
        assert!(!Label::new("a\nb").unwrap_err().to_string().contains('\n'));
    }

    #[test]
    fn why_is_one_line_of_bounded_length() {
        let now = Timestamp::default();
        assert_eq!(Labelled::new(Label::FOREIGN_TEXT, "a\r\n\u{1b}[2Jb", now).why, "a   [2Jb");
        assert_eq!(Labelled::new(Label::FOREIGN_TEXT, &"é".repeat(300), now).why.chars().count(), 201);
    }
}
