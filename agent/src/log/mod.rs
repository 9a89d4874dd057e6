//! Conversations on disk.
//!
//! `<logs>/<conversation>/conversation.jsonl` holds one message a line; beside it `config.toml`,
//! `state.json` (what the hooks keep), `timeline.jsonl`, `branches/` (what edits replaced) and a lock. The
//! shape is gptme's, so that its conversations can be read here and ours there.
//!
//! A message is on disk before anybody acts on it. A crash costs at most the line that was being written;
//! a broken line costs itself, with a warning.

mod answers;
mod conversation;
mod read;
mod whole;

use std::path::PathBuf;

pub use answers::{announced_calls, close_unanswered};
pub use conversation::{Conversation, ConversationConfig, ConversationSummary, list};
pub use read::{Loaded, LogWarning};
pub use whole::write_whole;

/// A conversation that cannot be opened or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// Not a name for a folder.
    #[error(
        "`{0}` cannot be the name of a conversation: use letters, digits, `-`, `_` and `.`, at most 128, not beginning with `.`"
    )]
    BadName(String),
    /// The name is taken.
    #[error("there is a conversation `{0}` already; resume it, or choose another name")]
    Exists(String),
    /// There is none.
    #[error("there is no conversation `{name}` in {logs}")]
    Missing {
        /// The name.
        name: String,
        /// The folder of all conversations.
        logs: PathBuf,
    },
    /// Somebody has it open.
    #[error("the conversation `{name}` is open in another place{holder}; close it there first")]
    Locked {
        /// The name.
        name: String,
        /// ` (process …)`, where it is known.
        holder: String,
    },
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of ours that is not what it should be.
    #[error("{path} is damaged: {why}; move it away to go on without it")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}
