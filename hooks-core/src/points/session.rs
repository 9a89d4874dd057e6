//! A session's begin and end.

use serde::{Deserialize, Serialize};

use crate::hook_point;
use crate::plain::message::Message;

/// Why a session starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StartReason {
    /// It is new.
    New,
    /// It was opened before.
    Resume,
    /// It begins as a copy of another.
    Fork,
}

/// Why a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The user left.
    Exit,
    /// Its work is done, or a hook ended it.
    Complete,
    /// It was deleted.
    Deleted,
    /// Nobody used it for too long.
    Idle,
    /// The host is going down: a signal, a shutdown.
    Shutdown,
    /// It cannot go on.
    Error,
}

hook_point! {
    /// A session was opened: once per session and process, after its log is loaded and locked, before
    /// anything else.
    pub SESSION_START("session.start", aliases = ["on_session_start"]) -> Messages {
        /// Whether it was opened before.
        resumed: bool,
        /// Why it starts.
        reason: StartReason,
        /// The conversation it starts with.
        initial: &[Message],
    }

    /// A session ends: exactly once on each way out, Ctrl-C and signals included. Background hooks are
    /// drained afterwards.
    pub SESSION_END("session.end", aliases = ["on_session_finalize"]) -> Messages {
        /// Why it ends.
        reason: EndReason,
    }
}
