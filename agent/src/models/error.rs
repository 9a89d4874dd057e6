//! What goes wrong with a model, told apart by what the caller can do about it.
//!
//! Two questions matter: may the same request succeed if it is sent again ([`ModelError::retryable`]), and when
//! ([`ModelError::retry_after`])? Text from a provider is quoted in excerpts of at most [`EXCERPT_CHARS`]
//! characters with the API key blanked out, so a message may be logged and shown.

use std::path::PathBuf;
use std::time::Duration;

use hookspec::model::{FaultClass, GenerationFault};

/// How much of a provider's text a message quotes, in characters.
pub(crate) const EXCERPT_CHARS: usize = 300;

/// Why a model did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The spec names no provider of ours.
    #[error(
        "The model `{spec}` is not known; write `replay:PATH`, `openai/NAME`, `anthropic/NAME` or `ollama/NAME`."
    )]
    UnknownModel {
        /// What was asked for.
        spec: String,
    },

    /// The program was built without models behind a network.
    #[error(
        "The model `{spec}` is behind a network, and this program was built without that: build `hookspec` with \
         `--features full`, a host of your own with the feature `providers` of `hookspec-agent`; `replay:PATH` needs neither."
    )]
    NotBuilt {
        /// What was asked for.
        spec: String,
    },

    /// No API key was given.
    #[error("The model `{model}` needs an API key: set the environment variable {variable}.")]
    MissingKey {
        /// The model.
        model: String,
        /// The variable that was looked up.
        variable: &'static str,
    },

    /// The provider could not be set up.
    #[error("The model `{model}` can't be used: {reason}")]
    Setup {
        /// The model.
        model: String,
        /// What is wrong, and what to do.
        reason: String,
    },

    /// 401 or 403.
    #[error(
        "`{model}` refused the API key (HTTP status {status}): {body} Check the key and what it may use."
    )]
    Authentication {
        /// The model.
        model: String,
        /// The HTTP status.
        status: u16,
        /// An excerpt of the answer.
        body: String,
    },

    /// 429.
    #[error("`{model}` takes no more requests for now: {body}")]
    RateLimited {
        /// The model.
        model: String,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
        /// An excerpt of the answer.
        body: String,
    },

    /// 5xx, or an error that the provider reported in the middle of an answer.
    #[error("`{model}` failed on its side ({}): {body}", status_text(*status))]
    Server {
        /// The model.
        model: String,
        /// The HTTP status; `None` for an error inside a stream.
        status: Option<u16>,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
        /// An excerpt of the answer.
        body: String,
    },

    /// Any other status that is not a success.
    #[error("`{model}` did not accept the request ({}): {body}", status_text(*status))]
    Request {
        /// The model.
        model: String,
        /// The HTTP status; `None` for an error inside a stream.
        status: Option<u16>,
        /// An excerpt of the answer.
        body: String,
    },

    /// The answer broke off before its end marker.
    #[error("The answer of `{model}` broke off after {} bytes.", partial.len())]
    Cut {
        /// The model.
        model: String,
        /// What had arrived.
        partial: String,
    },

    /// The answer does not follow the protocol.
    #[error("`{model}` sent an answer that can't be read: {what}: {excerpt}")]
    Malformed {
        /// The model.
        model: String,
        /// What is wrong with it.
        what: String,
        /// The part that is wrong.
        excerpt: String,
    },

    /// No connection.
    #[error("`{model}` can't be reached at {url}: {reason}. {remedy}")]
    Connect {
        /// The model.
        model: String,
        /// The base URL.
        url: String,
        /// What the system says.
        reason: String,
        /// What to do.
        remedy: String,
    },

    /// Nothing arrived for too long.
    #[error("`{model}` sent nothing for {} s while {phase}.", after.as_secs_f64())]
    Timeout {
        /// The model.
        model: String,
        /// What was waited for.
        phase: &'static str,
        /// How long.
        after: Duration,
        /// What had arrived.
        partial: String,
    },

    /// The sink asked to stop.
    #[error("The generation was interrupted after {} bytes.", partial.len())]
    Interrupted {
        /// What had been said.
        partial: String,
    },

    /// A replay script can't be read.
    #[error("The replay script {} can't be read: {reason}", path.display())]
    ScriptFile {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },

    /// A replay script is wrong, has ended, or does not fit the conversation.
    #[error("Replay script {script}, line {line}: {reason}")]
    Script {
        /// The file, or the name that was given to the text.
        script: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong, and what to do.
        reason: String,
    },
}

fn status_text(status: Option<u16>) -> String {
    status.map_or_else(|| "reported inside the answer".into(), |status| format!("HTTP status {status}"))
}

impl ModelError {
    /// Whether the same request may succeed later.
    ///
    /// A cut answer and a malformed one are: both come from proxies and restarts more often than from the
    /// request. An interruption is not: somebody wanted it.
    #[must_use]
    pub fn retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Server { .. }
            | Self::Cut { .. }
            | Self::Malformed { .. }
            | Self::Connect { .. }
            | Self::Timeout { .. } => true,
            Self::Request { status, .. } => matches!(status, Some(408 | 409 | 425)),
            Self::UnknownModel { .. }
            | Self::NotBuilt { .. }
            | Self::MissingKey { .. }
            | Self::Setup { .. }
            | Self::Authentication { .. }
            | Self::Interrupted { .. }
            | Self::ScriptFile { .. }
            | Self::Script { .. } => false,
        }
    }

    /// How long the provider asks to wait before the next attempt.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The part of an answer that had arrived, for the errors that happen in the middle of one.
    #[must_use]
    pub fn partial(&self) -> Option<&str> {
        match self {
            Self::Cut { partial, .. } | Self::Interrupted { partial } | Self::Timeout { partial, .. } => {
                Some(partial)
            }
            _ => None,
        }
    }

    /// What kind of failure it is, for who decides what to do about it.
    #[must_use]
    pub fn class(&self) -> FaultClass {
        match self {
            Self::RateLimited { .. } => FaultClass::RateLimit,
            Self::Server { .. } => FaultClass::Server,
            Self::Cut { .. } => FaultClass::Cut,
            Self::Timeout { .. } | Self::Request { status: Some(408), .. } => FaultClass::Timeout,
            Self::Connect { .. } => FaultClass::Connect,
            Self::Malformed { .. } => FaultClass::Malformed,
            Self::Authentication { .. } | Self::MissingKey { .. } => FaultClass::Auth,
            Self::Request { .. } => FaultClass::Request,
            Self::UnknownModel { .. }
            | Self::NotBuilt { .. }
            | Self::Setup { .. }
            | Self::ScriptFile { .. }
            | Self::Script { .. } => FaultClass::Model,
            Self::Interrupted { .. } => FaultClass::Interrupted,
        }
    }
}

/// The error as wrappers at `GENERATION` see it.
impl From<ModelError> for GenerationFault {
    fn from(error: ModelError) -> Self {
        let mut fault = Self::new(error.class(), error.to_string());
        fault.retryable = error.retryable();
        fault.retry_after = error.retry_after();
        fault.partial = error.partial().unwrap_or_default().to_owned();
        fault
    }
}

/// The start of `text` on one line, for a message.
pub(crate) fn excerpt(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => {
            line.truncate(end);
            line.push('…');
        }
        None if line.is_empty() => line.push_str("(no text)"),
        None => {}
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_line_and_never_splits_a_character() {
        assert_eq!(excerpt(" a\n\tb  c "), "a b c");
        assert_eq!(excerpt(" \n"), "(no text)");
        let long = excerpt(&"é".repeat(1000));
        assert_eq!(long.chars().count(), EXCERPT_CHARS + 1);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn only_some_requests_are_worth_repeating() {
        let request = |status| ModelError::Request { model: "m".into(), status, body: String::new() };
        assert!(request(Some(408)).retryable());
        assert!(!request(Some(400)).retryable());
        assert!(!request(None).retryable());
        assert!(!ModelError::Interrupted { partial: "x".into() }.retryable());
    }

    #[test]
    fn a_fault_keeps_what_decides_about_another_try() {
        let wait = Some(Duration::from_secs(7));
        let limited = ModelError::RateLimited { model: "m".into(), retry_after: wait, body: "later".into() };
        let fault = GenerationFault::from(limited.clone());
        assert_eq!((fault.class, fault.retry_after), (FaultClass::RateLimit, wait));
        assert!(fault.retryable && fault.text == limited.to_string());
        let cut = GenerationFault::from(ModelError::Cut { model: "m".into(), partial: "half".into() });
        assert_eq!((cut.class, cut.partial.as_str(), cut.retryable), (FaultClass::Cut, "half", true));
        // A conflict is worth another try of the host's, though its class is not one that passes by itself.
        let conflict = ModelError::Request { model: "m".into(), status: Some(409), body: String::new() };
        let fault = GenerationFault::from(conflict);
        assert!(fault.class == FaultClass::Request && fault.retryable);
        let stopped = GenerationFault::from(ModelError::Interrupted { partial: "x".into() });
        assert!(stopped.class == FaultClass::Interrupted && !stopped.retryable);
    }
}
