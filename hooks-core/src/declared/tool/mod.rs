//! Tools: what a model may call, and one call of it.
//!
//! A plugin crate brings tools as it brings hooks: `#[tool]` on a function, gathered at link time,
//! selected by the same lists (as `tool.NAME`). See [`ToolEntry`].

mod entry;
mod linked;
mod set;
mod text;

// `#[tool]` finds core by the path that the user wrote for it, which is this module's as well.
#[doc(hidden)]
pub use crate as __core;
pub use crate::plain::tool_use::{CallFormat, ToolSpec, ToolStatus, ToolUse};
#[doc(hidden)]
pub use entry::IntoToolError;
#[doc(hidden)]
pub use entry::no_arguments;
pub use entry::{
    ArgumentNames, IntoToolOutput, ToolArguments, ToolEntry, ToolError, ToolErrorClass, ToolFuture,
    ToolOutput, ToolResult,
};
#[cfg(not(miri))]
#[doc(hidden)]
pub use linked::TOOLS;
pub(crate) use linked::linked_tools;
pub use set::ToolSet;
