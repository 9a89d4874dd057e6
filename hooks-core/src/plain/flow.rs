//! Flow: whether the rest of a chain still runs.

use serde::{Deserialize, Serialize};

/// Returned by a hook to end its chain, or the session.
///
/// Both keep what was emitted so far. To stop and to say something, return a tuple:
/// `(Message::system("enough"), Flow::Stop)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "flow", content = "reason", rename_all = "snake_case")]
pub enum Flow {
    /// The next hook runs.
    #[default]
    Continue,
    /// The remaining hooks of this chain do not run.
    Stop,
    /// The remaining hooks do not run and the session ends, for this reason.
    EndSession(String),
}

impl Flow {
    /// Ends the session.
    pub fn end_session(reason: impl Into<String>) -> Self {
        Self::EndSession(reason.into())
    }
}
