//! Failures: what a hook that did not do its work leaves behind.

use std::time::Duration;

use serde::Serialize;

use crate::session::StateError;

/// A hook that panicked, returned an error, or took too long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// The hook.
    pub hook: String,
    /// The point, by its wire name.
    pub point: &'static str,
    /// What happened.
    pub cause: Cause,
}

/// Why a hook failed.
///
/// A hook that runs something elsewhere (a program, a component) and knows how that went wrong may return one of these as its
/// error: its kind then stands, where any other error is a [`Cause::Error`].
///
/// ```
/// use hookspec::{hooks::Cause, Hook, Hooks, Registry, Session, fire_now, points::STEP_POST};
///
/// let hook = Hook::new(STEP_POST, "outside.step", |_, _| Err::<(), _>(Cause::Panic("it trapped".into())));
/// let registry = Registry::builder().linked(false).register(hook).build()?;
/// let session = Session::builder(&Hooks::new(registry), "s").build();
/// let fired = fire_now!(session, STEP_POST { step: 0, tool_calls: 0, usage: None });
/// assert_eq!(fired.failures()[0].cause, Cause::Panic("it trapped".into()));
/// # Ok::<(), hookspec::registry::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "kind", content = "text", rename_all = "snake_case")]
#[non_exhaustive]
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
    #[error("overran its timeout of {limit:?}{}", words_after(words))]
    Timeout {
        /// How long it could take.
        limit: Duration,
        /// What a program said last, if one was cut off.
        #[serde(skip_serializing_if = "String::is_empty")]
        words: String,
    },
    /// It must be waited for, and the thread that fired with `fire_now!` may not wait.
    #[error(
        "was not waited for: `fire_now!` was called on a thread that drives an async runtime and may not block; fire with `fire!(…).await` there"
    )]
    CannotWait,
    /// It asked for the work with `next.run_now()`, and the work is not ready at once.
    #[error(
        "could not wait for the work that it asked for with `next.run_now()`: make it an `async fn`, with `next.run().await`"
    )]
    NextWaits,
    /// It could not have its state.
    #[error("was not run: {0}")]
    State(#[serde(serialize_with = "text")] StateError),
    /// Hooks fired points from within hooks too deeply; the text is the chain of points.
    #[error("was not run: hooks fire points from within hooks more than 8 deep ({0}); break the cycle")]
    Depth(String),
}

impl Cause {
    /// What the timeline says of it: the text of an error as it is, and else what happened.
    pub(crate) fn detail(&self) -> String {
        match self {
            Self::Error(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the hook `{}` at `{}` {}", self.hook, self.point, self.cause)
    }
}

fn words_after(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("; its last words: {words}") }
}

fn text<S: serde::Serializer>(error: &StateError, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}
