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
mod twins;

pub use changes::Changes;
pub(crate) use files::closed;
pub use files::{FileError, resolve, write};
pub use patch::{PatchError, apply};
pub use prompt::system_prompt;
