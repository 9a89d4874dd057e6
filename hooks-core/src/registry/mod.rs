//! The registry: the selected, ordered, immutable set of hooks of one host.
//!
//! [`Registry::builder`](crate::Registry::builder) gathers what the linker collected and what was registered by hand, applies the
//! configuration, checks it, and freezes it. Order is priority descending, then name ascending; what the linker
//! or the program did first never matters. [`Hooks`](crate::Hooks) is a shared handle through which a running host swaps
//! one registry for the next.

mod aliases;
pub(crate) mod any_point;
mod build;
mod build_error;
mod builder;
pub(crate) mod by_hand;
mod foreign;
mod gather;
#[cfg(feature = "json")]
pub(crate) mod json_hook;
#[cfg(feature = "live")]
mod late;
mod listed;
mod live;
mod live_error;
mod operator;
mod order;
mod pattern;
mod rules;
mod seen;
mod select;
#[cfg_attr(not(feature = "config"), path = "../without/read_settings.rs")]
mod settings;
mod slots;
mod tools;

pub use crate::declared::plugin::Plugin;
pub use crate::plain::report::{PluginRow, Problem, Report};
pub(crate) use any_point::AnyPoint;
pub use build_error::BuildError;
pub use builder::RegistryBuilder;
pub(crate) use by_hand::ByHand;
#[doc(hidden)]
pub use gather::Gathering;
pub use listed::Listed;
pub use live_error::LiveError;
pub use slots::Handle;
pub(crate) use slots::{HookSlot, Slots};
