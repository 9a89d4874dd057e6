//! What has been seen of a session: the ids and the facts that Hermes tells its callbacks and one event of ours
//! does not hold.
//!
//! The hooks here run before all others and say nothing. No hook holds this state while it calls anybody
//! else, so that whoever is called may look at it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hookspec::points::{GENERATION_PRE, LOOP_CONTINUE, STEP_POST, TOOL_POST_EXECUTE, TURN_POST, TURN_PRE};
use hookspec::tool::ToolStatus;
use hookspec::{Message, Session, ToolUse, hook};
use serde::{Deserialize, Serialize};

/// What has been seen of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// Turns so far; a turn in which the agent is kept going is another one here.
    pub(crate) turn: u32,
    /// Calls to the model so far.
    pub(crate) requests: u32,
    /// Calls to the model in this turn.
    pub(crate) requests_in_turn: u32,
    /// What the user said last.
    pub(crate) prompt: String,
    /// The turn whose answer was transformed.
    pub(crate) transformed: Option<u32>,
    /// The tool call that is over, while its result is not stored yet.
    pub(crate) over: Option<Over>,
    /// What the last turn changed.
    changed: BTreeSet<PathBuf>,
    /// What was changed since the agent was last at rest.
    pub(crate) edited: BTreeSet<PathBuf>,
    /// How often callbacks have sent it back since then.
    pub(crate) nudges: u32,
}

/// A tool call that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Over {
    pub(crate) call: ToolUse,
    pub(crate) status: ToolStatus,
    pub(crate) duration_ms: u64,
}

impl Seen {
    /// A copy of what has been seen; nothing where another hook does not let go of it.
    pub(crate) fn of(session: &Session) -> Self {
        session.state_now::<Self>().map(|seen| seen.clone()).unwrap_or_default()
    }

    /// The turn's id; empty before the first turn.
    pub(crate) fn turn_id(&self, session: &Session) -> String {
        numbered(session, "turn", self.turn)
    }

    /// The id of the last call to the model; empty before the first.
    pub(crate) fn request_id(&self, session: &Session) -> String {
        numbered(session, "request", self.requests)
    }

    /// How the call ended, if it is the one that ended last.
    pub(crate) fn over(&self, call: &ToolUse) -> Option<&Over> {
        self.over.as_ref().filter(|over| over.call == *call)
    }
}

fn numbered(session: &Session, what: &str, number: u32) -> String {
    if number == 0 { String::new() } else { format!("{}:{what}:{number}", session.id()) }
}

/// Counts turns.
#[hook(TURN_PRE, priority = 2_000_000, name = "hermes_points.turn")]
fn turn(message: &Message, state: &mut Seen) {
    state.turn += 1;
    state.requests_in_turn = 0;
    state.prompt.clone_from(&message.content);
}

/// Counts calls to the model.
#[hook(GENERATION_PRE, priority = 2_000_000, name = "hermes_points.request")]
fn request(state: &mut Seen) {
    state.requests += 1;
    state.requests_in_turn += 1;
}

/// Remembers how a tool call ended, for those who look at its result next.
#[hook(TOOL_POST_EXECUTE, priority = 2_000_000, name = "hermes_points.call_over")]
fn call_over(tool_use: &ToolUse, status: ToolStatus, duration: std::time::Duration, state: &mut Seen) {
    let duration_ms = millis(duration);
    state.over = Some(Over { call: tool_use.clone(), status, duration_ms });
}

/// Forgets it when all results of the step are stored.
#[hook(STEP_POST, priority = 2_000_000, name = "hermes_points.results_over")]
fn results_over(state: &mut Seen) {
    state.over = None;
}

/// Remembers which files a turn changed.
#[hook(TURN_POST, priority = 2_000_000, name = "hermes_points.changed")]
fn changed(changed: &[PathBuf], state: &mut Seen) {
    state.changed = changed.iter().cloned().collect();
}

/// Adds up what was changed since the agent was last at rest.
#[hook(LOOP_CONTINUE, priority = 2_000_000, name = "hermes_points.edited")]
fn edited(continued: u32, state: &mut Seen) {
    if continued == 0 {
        state.edited.clear();
        state.nudges = 0;
    }
    let changed = std::mem::take(&mut state.changed);
    state.edited.extend(changed);
}

pub(crate) fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
