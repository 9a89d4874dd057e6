//! Messages: what a conversation is made of, and what most hooks emit.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[cfg(feature = "json")]
use crate::plain::usage::Metadata;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The host, a tool's result, or a hook.
    System,
    /// The person, or whoever stands in for one.
    User,
    /// The model.
    Assistant,
}

/// One entry of a conversation.
///
/// Hooks make system messages with [`Message::system`]; the dispatcher adds the hook's name, so a reader
/// of the log can always tell who said it.
///
/// ```
/// use hookspec::Message;
/// let note = Message::system("3 tests failed").hidden();
/// assert!(note.hide);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub content: String,
    /// When it was made. A log without times (an import) leaves it out.
    #[cfg(feature = "time")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub timestamp: Option<jiff::Timestamp>,
    /// Kept when older messages are compacted away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Not displayed; the model still gets it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hide: bool,
    /// Already shown (streamed), so a display need not show it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
    /// Attached files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// The tool call that this message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// What the model reported about the generation that made this message.
    #[cfg(feature = "json")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<Metadata>>,
    /// The hook that emitted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    /// Unique within the conversation; the log gives one to every message it stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Message {
    /// A message of `role` without a time; the log stamps it when it is stored.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            #[cfg(feature = "time")]
            timestamp: None,
            pinned: false,
            hide: false,
            quiet: false,
            files: Vec::new(),
            call_id: None,
            #[cfg(feature = "json")]
            metadata: None,
            hook: None,
            id: None,
        }
    }

    /// A system message: what hooks and tools say.
    pub fn system(content: impl Into<String>) -> Self {
        Self::new(Role::System, content)
    }

    /// A user message.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new(Role::User, content)
    }

    /// An assistant message.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::new(Role::Assistant, content)
    }

    /// The same message, for the model only.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hide = true;
        self
    }

    /// The same message, kept through compaction.
    #[must_use]
    pub fn pinned(mut self) -> Self {
        self.pinned = true;
        self
    }

    /// The same message with a file attached.
    #[must_use]
    pub fn with_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(path.into());
        self
    }

    /// The same message as said by that hook. The dispatcher does this for what hooks return.
    #[must_use]
    pub fn said_by(mut self, hook: impl Into<String>) -> Self {
        self.hook = Some(hook.into());
        self
    }

    /// The same message as the answer to a tool call.
    #[must_use]
    pub fn answering(mut self, call_id: impl Into<String>) -> Self {
        self.call_id = Some(call_id.into());
        self
    }
}

impl From<&str> for Message {
    /// A system message.
    fn from(content: &str) -> Self {
        Self::system(content)
    }
}

impl From<String> for Message {
    /// A system message.
    fn from(content: String) -> Self {
        Self::system(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_message_serialises_to_role_and_content_only() {
        let json = serde_json::to_string(&Message::user("hi")).unwrap();
        assert_eq!(json, r#"{"role":"user","content":"hi"}"#);
    }

    #[test]
    fn unknown_fields_of_other_programs_are_tolerated() {
        let read: Message =
            serde_json::from_str(r#"{"role":"system","content":"x","branch":"main"}"#).unwrap();
        assert_eq!(read, Message::system("x"));
    }
}
