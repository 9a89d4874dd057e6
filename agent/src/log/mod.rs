//! A conversation on disk.
//!
//! One folder a conversation, in the shape that gptme uses, so that either program's conversations can be
//! read by the other:
//!
//! | file | what |
//! |---|---|
//! | `conversation.jsonl` | one message a line, oldest first; only ever appended to |
//! | `config.toml` | model, workspace, time of creation, and keys of other programs |
//! | `branches/` | what the log was before each rewrite (edit, undo, compaction) |
//! | `.lock` | held by the one process that writes; names its process id |
//! | `state.json` | ours: each hook's state |
//! | `timeline.jsonl` | ours: what fired when; a record for people, lost without harm |
//!
//! **What a crash costs.** [`Conversation::append`] returns once the whole line is on disk, so a kill costs
//! at most the line being written. The next [`Conversation::open`] moves such a torn line to
//! `conversation.jsonl.torn-<n>`; nothing is deleted. A broken line elsewhere costs that line and a warning. A full
//! disk is an error and the log ends where it ended before. The other files are written whole beside their
//! place and then renamed, so they are old or new and never half.
//!
//! **Who may write.** One [`Conversation`] at a time, in any process; it may be shared between threads.
//! Readers ([`Conversation::read`], [`list`]) take no lock and may see a line that is just being written.
//!
//! **Ids.** Messages get `m1`, `m2`, … and a number is never given twice, not even after an undo, since
//! branches are looked at too. A line without an id comes from another program.
//!
//! Limits: a log is read whole into memory; locks are as good as the file system's (some network ones have
//! none); fields of a message that [`hookspec::Message`] does not know stay in the file but do not survive a
//! rewrite, though the branch keeps them.

mod append;
mod config;
mod conversation;
mod error;
mod id;
mod list;
mod load;
mod lock;
mod message_ids;
mod resume;
mod storage;
mod whole;

pub use config::{Chat, ConversationConfig, Own};
pub use conversation::{Conversation, Rewrite};
pub use error::LogError;
pub use id::{check_id, new_id};
pub use list::{ConversationSummary, list};
pub use load::{Loaded, LogWarning};
pub use resume::close_unanswered;
pub use storage::Storage;
pub use whole::write_whole;

/// Names of the files in a conversation's folder.
mod names {
    pub(super) const LOG: &str = "conversation.jsonl";
    pub(super) const CONFIG: &str = "config.toml";
    pub(super) const STATE: &str = "state.json";
    pub(super) const TIMELINE: &str = "timeline.jsonl";
    pub(super) const BRANCHES: &str = "branches";
    pub(super) const LOCK: &str = ".lock";
}
