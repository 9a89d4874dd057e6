//! Tools: what a model may call, and one call of it.
//!
//! A plugin crate brings tools as it brings hooks: `#[tool]` on a function, gathered at link time,
//! selected by the same lists (as `tool.NAME`). See [`ToolEntry`].

mod call;
mod entry;
mod set;
mod text;

pub use call::{CallFormat, ToolSpec, ToolStatus, ToolUse};
#[doc(hidden)]
pub use entry::IntoToolError;
pub use entry::{ArgumentNames, IntoToolOutput, ToolArguments, ToolEntry, ToolError, ToolFuture, ToolOutput};
pub use set::ToolSet;
