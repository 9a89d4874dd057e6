//! State: each hook's private memory of one session.
//!
//! A hook that takes `state: &mut T` gets the session's one value of that type: made on first use, saved with the session,
//! restored when the session resumes, in this process or the next. While a run of a hook holds the value it is taken out of
//! the store, so no lock is held while user code runs. The dispatcher fetches it before the hook runs: where another run holds
//! it, the dispatcher waits, without a thread, and who asked first has it first.
//!
//! A wait that could never end is an error at once: for a value that a hook further out in the same chain holds, around a ring
//! of such waits, or for one that a run holds that was cut off and still runs on its thread.
//!
//! A hook that panics leaves its value as it was at that moment.

mod guard;
mod store;
mod take;

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::plain::options::Origin;

pub use guard::StateGuard;
pub(crate) use store::States;
pub(crate) use take::Taken;

/// How long a thread waits for a state in [`Session::state_now`](crate::Session::state_now).
pub const PATIENCE: Duration = Duration::from_secs(5);

/// A type that can be a hook's state.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a hook's state",
    note = "state is one value per session, made on first use and saved with the session: write `#[hookspec::data]` and `#[derive(Default)]` over it (and keep it `Send`)"
)]
pub trait HookState: Default + Serialize + DeserializeOwned + Send + 'static {}
#[diagnostic::do_not_recommend]
impl<T: Default + Serialize + DeserializeOwned + Send + 'static> HookState for T {}

/// Why a hook could not have its state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// Whoever asked does not wait, and somebody has it.
    #[error("the state `{state}` of this session is held by {by}; `session.state().await` waits for it")]
    Held {
        /// The state's type.
        state: &'static str,
        /// Who has it.
        by: String,
    },
    /// It is held further out in the same chain, or by somebody who waits for this chain.
    #[error(
        "the state `{state}` of this session is held by {by}, which waits for {waiting}: neither could ever go on; let go of the state before the point is fired"
    )]
    Circle {
        /// The state's type.
        state: &'static str,
        /// Who has it.
        by: String,
        /// Who asked for it.
        waiting: String,
    },
    /// A run holds it that was cut off and still runs on its thread.
    #[error(
        "the state `{state}` of this session is held by {by}, which was cut off by its time limit and still runs; it is free again when that run ends"
    )]
    CutOff {
        /// The state's type.
        state: &'static str,
        /// Who has it.
        by: String,
    },
}

/// Who holds a state, or asks for it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Who {
    Hook(&'static Origin),
    Place(&'static std::panic::Location<'static>),
    Saving,
}

impl std::fmt::Display for Who {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Hook(origin) => write!(f, "the hook `{}`", origin.full_name()),
            Self::Place(place) => write!(f, "the code at {}:{}", place.file(), place.line()),
            Self::Saving => f.write_str("the session, which is being saved"),
        }
    }
}
