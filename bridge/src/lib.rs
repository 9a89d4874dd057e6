//! The bridge to other agents: their hook protocols, in both directions.
//!
//! Outwards, a hook written with `#[hook]` runs inside Codex, Claude Code, Gemini CLI, Cursor, Copilot, Goose and
//! Hermes: one process per event reads the client's [event](events), fires the hook points that belong to it,
//! and lowers the one neutral outcome into the client's answer.
//!
//! [Inwards](inbound), hooks that people have as commands, for those agents or of their own, run as hooks of ours, once
//! they are [trusted](trust).
//!
//! It needs no async runtime, so that an event is answered in about a millisecond.

pub mod bridge;
pub mod client;
pub mod command;
pub mod edge;
pub mod events;
pub mod inbound;
pub mod input;
pub mod install;
pub mod lower;
pub mod moment;
pub mod notes;
pub mod outcome;
pub mod patch;
pub mod resident;
pub mod run;
pub mod serve;
pub mod store;
pub mod system;
pub mod trust;
