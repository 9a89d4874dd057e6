//! The built-in hooks, one file each. A file begins with what its hooks watch, when they speak and what they
//! keep; then come plain annotated functions, and the small pure functions that they call.

#[allow(dead_code)] // until the built-ins that need all of it are in
mod git;
mod text;
mod tokens;

pub mod auto_confirm;
pub mod cache_awareness;
pub mod cli_confirm;
pub mod cost_awareness;
pub mod cwd_tracking;
pub mod dollars;
pub mod models;
pub mod time_awareness;
pub mod token_awareness;
pub mod workspace_agents;

hookspec::plugin!();
