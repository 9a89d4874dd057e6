//! The built-in hooks, one file each. A file begins with what its hooks watch, when they speak and what they
//! keep; then come plain annotated functions, and the small pure functions that they call.

#[allow(dead_code)] // until the built-ins that need all of it are in
mod git;
mod text;

pub mod auto_confirm;
pub mod beforehand;
pub mod cli_confirm;
pub mod confirm_policy;
pub mod cwd_tracking;
pub mod desk;
pub mod elicitation;
pub mod form_autodetect;
pub mod server_confirm;
pub mod server_elicit;
pub mod test;
pub mod time_awareness;
pub mod workspace_agents;

hookspec::plugin!();
