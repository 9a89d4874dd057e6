//! Lifecycle hooks for AI agents.

mod ask;
mod clock;
mod message;
mod model;
mod tool;

pub use ask::*;
pub use clock::Clock;
pub use message::{Message, Role};
pub use model::*;
pub use tool::*;
