//! The lifecycle engine that every host of hookspec shares: sessions, turns, steps, generations, tool calls,
//! confirmations, interrupts, resume; with the models, the tools and the logs that an agent needs.
//!
//! A host opens an [`Agent`] and hands it user messages. Everything between the message and
//! the rest after it happens here, once, for all hosts: so a point that fires in one fires in all. Hosts
//! differ only in how they show things ([`Frontend`]) and in who answers questions (hooks
//! on `TOOL_CONFIRM` and `ELICIT`).

pub mod calls;
pub mod engine;
pub mod log;
pub mod models;
pub mod paths;
pub mod spawn;
pub mod tools;

hookspec::plugin!();

pub use engine::{Agent, FIRES, Frontend};
