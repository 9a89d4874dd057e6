//! Failures: what a hook that did not do its work leaves behind.

use std::any::Any;
use std::time::Duration;

use serde::Serialize;

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
    /// It returned an error.
    #[error("failed: {0}")]
    Error(String),
    /// It was cut off, or abandoned, after this long.
    #[error("overran its timeout of {0:?}")]
    Timeout(Duration),
    /// Hooks fired points from within hooks too deeply; the text is the chain of points.
    #[error("was not run: hooks fire points from within hooks more than 8 deep ({0}); break the cycle")]
    Depth(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the hook `{}` at `{}` {}", self.hook, self.point, self.cause)
    }
}

/// The text of a panic's payload.
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a payload that is not text".to_owned())
}
