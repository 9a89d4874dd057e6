//! A conversation's `config.toml`.
//!
//! `[chat]` is where gptme keeps model and workspace; `[hookspec]` is ours. Keys that neither knows are kept
//! as they are when the file is written again (their comments are not).

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::LogError;

/// The settings of one conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConversationConfig {
    /// What other programs read too.
    #[serde(default)]
    pub chat: Chat,
    /// What only we read.
    #[serde(default, rename = "hookspec")]
    pub own: Own,
    /// Everything else in the file.
    #[serde(flatten)]
    pub other: Table,
}

/// The `[chat]` table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chat {
    /// A title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `provider/name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The directory that the agent works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// Everything else in the table.
    #[serde(flatten)]
    pub other: Table,
}

/// The `[hookspec]` table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Own {
    /// When the conversation was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The conversation that this one was forked from or is a sub-agent of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Everything else in the table.
    #[serde(flatten)]
    pub other: Table,
}

impl ConversationConfig {
    /// The file's text.
    pub(super) fn to_text(&self) -> Result<String, LogError> {
        toml::to_string(self).map_err(LogError::encode("the conversation's config.toml"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_keys_survive_and_ours_are_found() {
        let text = r#"
            env = { A = "1" }
            top = 3
            [chat]
            model = "replay/tour"
            stream = true
            workspace = "/w"
            tools = ["save", "shell"]
            [mcp]
            servers = [{ name = "x" }]
            [hookspec]
            created = "2026-01-31T10:00:00Z"
            budget = { usd = 1.5 }
        "#;
        let config: ConversationConfig = toml::from_str(text).unwrap();
        assert_eq!(config.chat.model.as_deref(), Some("replay/tour"));
        assert_eq!(config.own.created, Some("2026-01-31T10:00:00Z".parse().unwrap()));
        let written = config.to_text().unwrap();
        assert_eq!(written.parse::<Table>().unwrap(), text.parse::<Table>().unwrap());
    }
}
