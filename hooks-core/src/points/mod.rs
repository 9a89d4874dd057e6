//! The hook points of an agent's life, one file a family.
//!
//! Order of a turn: `SESSION_START` once, then per user message `MESSAGE_PRE_PROCESS` → `TURN_PRE` → steps →
//! `TURN_POST` → `LOOP_CONTINUE`. Order of a step: `STEP_PRE` → `GENERATION` around (`GENERATION_PRE` → `GENERATION_CHUNK`… →
//! `GENERATION_POST`) → `MESSAGE_TRANSFORM` → stored → `MESSAGE_POST_PROCESS` → per tool call `TOOL_TRANSFORM` →
//! `TOOL_PRE_EXECUTE` → \[`TOOL_CONFIRM`\] → `TOOL_EXECUTE` around the run, with `FILE_*` and `ELICIT` inside → \[`CWD_CHANGED`\] →
//! `TOOL_POST_EXECUTE` → `TOOL_RESULT_TRANSFORM` → stored → … → `STEP_POST`. `ERROR` fires wherever something fails;
//! `SESSION_END` exactly once.

mod file;
mod generation;
mod message;
mod misc;
mod session;
mod tool;
mod turn;

pub use file::*;
pub use generation::*;
pub use message::*;
pub use misc::*;
pub use session::*;
pub use tool::*;
pub use turn::*;
