//! What a hook's author needs: `use hookspec::prelude::*;`.
//!
//! ```
//! use hookspec::prelude::*;
//! use std::path::Path;
//!
//! /// Greets every new file.
//! #[hook(FILE_POST_SAVE)]
//! fn greet(path: &Path, created: bool) -> Option<Message> {
//!     created.then(|| Message::system(format!("hello, {}", path.display())))
//! }
//! ```

#[cfg(feature = "json")]
pub use crate::points::{self, *};
pub use crate::{
    Around, Each, First, Flow, Fold, Gate, Message, Session, around, around_now, data, fire, fire_now, hook,
    hook_point, plugin,
};
#[cfg(feature = "json")]
pub use crate::{ToolUse, tool, tool::ToolResult};
