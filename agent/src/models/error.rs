//! What can go wrong with a call to a model, and whether it is worth another try.

use std::time::Duration;

/// A call to a model that brought no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No such provider.
    #[error(
        "there is no model `{0}`; it is written provider/name, where the provider is `openai`, `anthropic`, `ollama` or `replay`"
    )]
    Unknown(String),
    /// No key.
    #[error("the model `{model}` needs a key: set {variable}")]
    NoKey {
        /// The model.
        model: String,
        /// The variable that holds it.
        variable: &'static str,
    },
    /// The key was refused.
    #[error("`{model}` refused the key (status {status}); check the key and what it may use")]
    Authentication {
        /// The model.
        model: String,
        /// The HTTP status.
        status: u16,
    },
    /// Too many requests.
    #[error("`{model}` asks for fewer requests")]
    RateLimited {
        /// The model.
        model: String,
        /// When to try again, where the provider said.
        retry_after: Option<Duration>,
    },
    /// The provider failed.
    #[error("`{model}` failed (status {status}): {body}")]
    Server {
        /// The model.
        model: String,
        /// The HTTP status.
        status: u16,
        /// The beginning of what it said.
        body: String,
    },
    /// The provider did not take the request.
    #[error("`{model}` did not take the request (status {status}): {body}")]
    Request {
        /// The model.
        model: String,
        /// The HTTP status.
        status: u16,
        /// The beginning of what it said.
        body: String,
    },
    /// The answer broke off.
    #[error("the answer of `{model}` broke off before its end")]
    Cut {
        /// The model.
        model: String,
        /// What there was of it.
        partial: String,
    },
    /// The answer makes no sense.
    #[error("`{model}` sent what cannot be read: {why}")]
    Malformed {
        /// The model.
        model: String,
        /// What is wrong.
        why: String,
    },
    /// Nobody answered.
    #[error("`{model}` cannot be reached: {why}")]
    Connect {
        /// The model.
        model: String,
        /// What the system said.
        why: String,
    },
    /// Nothing came for too long.
    #[error("`{model}` sent nothing for {after:?}")]
    Timeout {
        /// The model.
        model: String,
        /// How long.
        after: Duration,
    },
    /// The sink wanted no more.
    #[error("the answer was interrupted")]
    Interrupted {
        /// What there was of it.
        partial: String,
    },
    /// A script that cannot be played.
    #[error("the script {file}{at}: {why}")]
    Script {
        /// The file.
        file: String,
        /// `, line N`, or nothing.
        at: String,
        /// What is wrong, and the remedy.
        why: String,
    },
}

impl ModelError {
    /// Whether the same call may succeed later.
    #[must_use]
    pub fn retryable(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. }
                | Self::Server { .. }
                | Self::Cut { .. }
                | Self::Connect { .. }
                | Self::Timeout { .. }
        )
    }

    /// When the provider wants to be asked again, where it said.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
