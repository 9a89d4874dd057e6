//! Turns and steps.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::hook_point;
use crate::plain::ask::Continue;
use crate::plain::message::Message;
use crate::plain::usage::Usage;

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    /// The model had nothing more to do.
    Complete,
    /// The user refused a tool call, which ends the turn.
    Declined,
    /// It was cut short.
    Interrupted,
    /// It ran into the limit of steps.
    StepLimit,
    /// The model could not be reached, or something else failed for good.
    Error,
    /// A hook ended the session.
    SessionEnded,
}

hook_point! {
    /// A user message was accepted and is in the log: once per message.
    pub TURN_PRE("turn.pre", aliases = ["pre_llm_call"]) -> Messages {
        /// The user's message.
        message: &Message,
    }

    /// A step begins: before each generation of the turn.
    pub STEP_PRE("step.pre") -> Messages {
        /// Number of the step in its turn, from 0.
        step: u32,
    }

    /// A step's tools have run; the next step, or the turn's end, follows.
    pub STEP_POST("step.post") -> Messages {
        /// Number of the step in its turn, from 0.
        step: u32,
        /// How many tool calls it had.
        tool_calls: u32,
        /// Tokens of its generation, where the model told.
        usage: Option<&Usage>,
    }

    /// The turn rests: once, however it ended.
    pub TURN_POST("turn.post", aliases = ["on_session_end"]) -> Messages {
        /// How many steps it took.
        steps: u32,
        /// Files that its tools changed, absolute, each once.
        changed: &[PathBuf],
        /// Tokens of all its generations.
        usage: &Usage,
        /// How it ended.
        outcome: TurnOutcome,
    }

    /// After `TURN_POST`: shall the agent rest, or go on with another message? Capped at eight in a row.
    pub LOOP_CONTINUE("loop.continue", aliases = ["pre_verify", "Stop"]) -> First<Continue> {
        /// How the turn ended.
        outcome: TurnOutcome,
        /// User messages that wait.
        queue: &[Message],
        /// How often in a row hooks have kept the agent going.
        continued: u32,
    }
}
