//! The agents whose hook protocols the bridge speaks.

use std::fmt;
use std::str::FromStr;

/// An agent with a command-hook protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// OpenAI Codex CLI.
    Codex,
    /// Claude Code.
    Claude,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// GitHub Copilot, in the terminal and in VS Code.
    Copilot,
    /// Goose.
    Goose,
    /// Hermes.
    Hermes,
}

/// A name that is no client's.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no client; there are codex, claude, gemini, cursor, copilot, goose and hermes")]
pub struct UnknownClient(pub String);

impl Client {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Codex, Self::Claude, Self::Gemini, Self::Cursor, Self::Copilot, Self::Goose, Self::Hermes];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::Goose => "goose",
            Self::Hermes => "hermes",
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Client {
    type Err = UnknownClient;

    fn from_str(name: &str) -> Result<Self, UnknownClient> {
        Self::ALL
            .into_iter()
            .find(|client| client.name() == name)
            .ok_or_else(|| UnknownClient(name.to_owned()))
    }
}
