//! The set of hooks that one host has, whoever chose them and however they are called.
//!
//! [`Registry`] is immutable; [`Hooks`] is a shared handle through which a running host swaps one for the next. What stands
//! here knows no session and no hook's types, since a hook is given a session, and a session has its hooks: `registry` knows
//! both, and adds to these two what needs them.

mod hooks;
mod registry;

pub use hooks::Hooks;
pub use registry::Registry;
pub(crate) use registry::{AnySlots, Kept};
