//! The built-in tools: read, save, append, patch, shell, elicit; written as a plugin would write them.

mod append;
mod changes;
mod elicit;
mod files;
mod group;
mod patch;
mod prompt;
mod read;
mod save;
mod shell;

pub use changes::Changes;
pub use files::{FileError, resolve, write};
pub use patch::{PatchError, apply};
pub use prompt::system_prompt;
