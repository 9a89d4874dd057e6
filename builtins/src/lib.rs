//! The built-in hooks, one file each. A file begins with what its hooks watch, when they speak and what they
//! keep; then come plain annotated functions, and the small pure functions that they call.

mod call_paths;
mod command_line;
#[allow(dead_code)] // until the built-ins that need all of it are in
mod git;
mod instructions;
mod late;
mod text;

pub mod active_context;
pub mod agents_md_inject;
pub mod auto_confirm;
pub mod auto_snapshots;
pub mod autocommit;
pub mod aw_watcher_agent;
pub mod cli_confirm;
pub mod cwd_tracking;
pub mod globs;
pub mod injection_screening;
pub mod loop_guard;
pub mod markdown_validation;
pub mod mcp_namespace_hint;
pub mod secrets_guard;
pub mod manifest;
pub mod places;
pub mod precommit;
pub mod time_awareness;
pub mod tool_target_instructions;
pub mod workspace_agents;

pub use instructions::{Home, Loaded};
pub use command_line::CommandLine;
pub use places::StateDir;

hookspec::plugin!();
