//! Instruction files for agents: where they may come from, which of them a session has read, and how they
//! are told to the model. Shared by `agents_md_inject` and `tool_target_instructions`.

mod block;
mod inject;
mod loaded;
mod trees;

#[cfg(test)]
pub(crate) mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use hookspec::Session;

pub(crate) use inject::{Limits, inject};
pub use loaded::Loaded;
pub(crate) use trees::{Found, Trees, deepest_first, directories};

/// The user's home directory, for a host that serves others than the one who started it: an extension of the
/// session, lent with `Session::builder(…).extension(Arc::new(Home(path)))`. Without it, the home directory
/// of the process's user counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home(
    /// The directory, absolute.
    pub PathBuf,
);

/// The home directory of the session's user; `None` where nobody knows it.
pub(crate) fn home(session: &Session) -> Option<PathBuf> {
    let lent: Option<Arc<Home>> = session.extension();
    lent.map(|home| home.0.clone()).or_else(std::env::home_dir).filter(|home| home.is_absolute())
}
