//! The built-in hooks, one file each. A file begins with what its hooks watch, when they speak and what they
//! keep; then come plain annotated functions, and the small pure functions that they call.

mod call_paths;
mod command_line;
mod git;
mod instructions;
mod late;
mod text;
mod tokens;

pub mod active_context;
pub mod agents_md_inject;
pub mod auto_confirm;
pub mod auto_snapshots;
pub mod autocommit;
pub mod aw_watcher_agent;
pub mod beforehand;
pub mod cache_awareness;
pub mod cli_confirm;
pub mod confirm_policy;
pub mod cost_awareness;
pub mod cwd_tracking;
pub mod desk;
pub mod dollars;
pub mod elicitation;
pub mod fallback_model;
pub mod faults;
pub mod form_autodetect;
pub mod globs;
pub mod injection_screening;
pub mod loop_guard;
pub mod manifest;
pub mod markdown_validation;
pub mod mcp_namespace_hint;
pub mod models;
pub mod places;
pub mod precommit;
pub mod retry;
pub mod secrets_guard;
pub mod server_confirm;
pub mod server_elicit;
pub mod test;
pub mod time_awareness;
pub mod token_awareness;
pub mod tool_cache;
pub mod tool_target_instructions;
pub mod workspace_agents;

pub use command_line::CommandLine;
pub use instructions::{Home, Loaded};

hookspec::plugin!();
