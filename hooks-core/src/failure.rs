//! Failures: what a hook that did not do its work leaves behind.

use std::time::Duration;

use serde::Serialize;

use crate::session::StateError;

/// A hook that panicked, returned an error, or took too long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The hook.
    pub hook: String,
    /// The point, by its wire name.
    pub point: &'static str,
    /// What happened.
    pub cause: Cause,
}

/// Why a hook failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "kind", content = "text", rename_all = "snake_case")]
pub enum Cause {
    /// It panicked; the text is the panic's message.
    #[error("panicked: {0}")]
    Panic(String),
    /// It was cut off because whoever fired the point did not wait any longer.
    #[error("was cut short: whoever fired its point waits no more")]
    Cancelled,
    /// It returned an error.
    #[error("failed: {0}")]
    Error(String),
    /// It was cut off, or abandoned, after this long.
    #[error("overran its timeout of {0:?}")]
    Timeout(Duration),
    /// It must be waited for, and the thread that fired with `fire_now!` may not wait.
    #[error(
        "was not waited for: `fire_now!` was called on a thread that drives an async runtime and may not block; fire with `fire!(…).await` there"
    )]
    CannotWait,
    /// It could not have its state.
    #[error("was not run: {0}")]
    State(#[serde(serialize_with = "text")] StateError),
    /// Hooks fired points from within hooks too deeply; the text is the chain of points.
    #[error("was not run: hooks fire points from within hooks more than 8 deep ({0}); break the cycle")]
    Depth(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the hook `{}` at `{}` {}", self.hook, self.point, self.cause)
    }
}

fn text<S: serde::Serializer>(error: &StateError, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}
