//! Why a change to live hooks cannot be made.

use crate::plain::report::Problem;

/// A change to live hooks that cannot be made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The name is taken.
    #[error("there is a hook called `{name}` at `{point}` already; unregister it, or use `replace`")]
    Taken {
        /// The name.
        name: String,
        /// The point.
        point: &'static str,
    },
    /// There is no such hook.
    #[error("no hook is called `{name}`{nearest}")]
    Unknown {
        /// The name.
        name: String,
        /// Similar names.
        nearest: String,
    },
    /// The hook is there, and was not selected.
    #[error(
        "the hook `{name}` was not selected ({why}), so that it cannot be switched; change what decided that"
    )]
    Off {
        /// The name.
        name: String,
        /// What decided.
        why: String,
    },
    /// The host cannot run such a hook.
    #[error(transparent)]
    Refused(Problem),
}
