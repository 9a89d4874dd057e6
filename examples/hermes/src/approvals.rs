//! `post_approval_response`: what became of a call about which the user was asked.
//!
//! The answer itself is heard by the engine alone. That it was given shows when the call is over, which is
//! when this is told.

use hookspec::ask::Why;
use hookspec::points::{TOOL_CONFIRM, TOOL_POST_EXECUTE};
use hookspec::tool::ToolStatus;
use hookspec::{Flow, Session, ToolUse, fire_now, hook};
use serde::{Deserialize, Serialize};

use crate::points::{Choice, POST_APPROVAL_RESPONSE};
use crate::settle::settled;

/// The call about which the user is asked.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Asked(Option<(ToolUse, Why)>);

/// Remembers the question.
#[hook(TOOL_CONFIRM, priority = 2_000_000, name = "hermes_points.asked")]
fn asked(tool_use: &ToolUse, why: &Why, state: &mut Asked) {
    state.0 = Some((tool_use.clone(), why.clone()));
}

/// Tells what became of it.
#[hook(TOOL_POST_EXECUTE, priority = 1_900_000, name = "hermes_points.decided")]
fn decided(tool_use: &ToolUse, status: ToolStatus, session: &Session) -> Option<Flow> {
    let asked = session.state_now::<Asked>().ok().and_then(|mut asked| asked.0.take());
    let (_, why) = asked.filter(|(call, _)| same(call, tool_use))?;
    let choice = match status {
        ToolStatus::Denied => Choice::Deny,
        ToolStatus::Interrupted => Choice::Cancelled,
        ToolStatus::Ok | ToolStatus::Error | ToolStatus::Timeout => Choice::Once,
    };
    settled(session, &fire_now!(session, POST_APPROVAL_RESPONSE { tool_use, why: &why, choice }))
}

/// Whether it is the same announcement; the user may have edited what it says.
fn same(one: &ToolUse, other: &ToolUse) -> bool {
    (&one.tool, &one.call_id, one.start) == (&other.tool, &other.call_id, other.start)
}
