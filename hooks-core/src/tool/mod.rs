//! Tools: what a model may call, and one call of it.
//!
//! A plugin crate brings tools as it brings hooks: `#[tool]` on a function, gathered at link time,
//! selected by the same lists. See [`ToolEntry`].

mod call;


pub use call::{CallFormat, ToolSpec, ToolStatus, ToolUse};

