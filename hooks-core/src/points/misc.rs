//! Directory, prompt prefix, questions, errors.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::hook_point;
use crate::plain::ask::{Answer, Elicitation};
use crate::plain::tool_use::ToolUse;

/// Why the prompt's prefix changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum InvalidationReason {
    /// Older messages were compacted.
    Compact,
    /// A message was edited.
    Edit,
    /// Messages were taken back.
    Undo,
    /// Another model is used from now on.
    Model,
}

/// Where an error came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorSource {
    /// A call to the model.
    Model,
    /// A tool.
    Tool,
    /// A hook.
    Hook,
    /// The host itself.
    Host,
}

hook_point! {
    /// A tool moved the session to another directory.
    pub CWD_CHANGED("cwd.changed") -> Messages {
        /// Where it was.
        old: &Path,
        /// Where it is.
        new: &Path,
        /// The call that did it.
        tool_use: &ToolUse,
    }

    /// The prompt's prefix changed, so that the provider's cache no longer fits.
    pub CACHE_INVALIDATED("cache.invalidated") -> Messages {
        /// Why.
        reason: InvalidationReason,
        /// Tokens of the conversation before.
        tokens_before: Option<u64>,
        /// Tokens of the conversation now.
        tokens_after: Option<u64>,
    }

    /// A tool or a hook asks the user.
    pub ELICIT("elicit") -> First<Answer> {
        /// The question.
        request: &Elicitation,
    }

    /// Something failed, whether or not it was handled.
    pub ERROR("error", aliases = ["post_error", "api_request_error"]) -> Messages {
        /// Where it came from.
        source: ErrorSource,
        /// What happened.
        error: &str,
        /// Whether it will be tried again.
        retryable: bool,
        /// How often it was tried before, from 0.
        attempt: u32,
    }
}
