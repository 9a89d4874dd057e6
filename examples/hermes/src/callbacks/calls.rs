//! `pre_tool_call`: one question to the callbacks, two moments here.
//!
//! They are asked before the call is gated, when it can still be changed; what they said about running it waits in the
//! session's state for the gate. If the call was changed in between, or nothing waits because they could not be
//! asked, the gate asks them: nobody has judged that call.

use hookspec::hooks::{BoxError, JsonOutcome};
use hookspec::{Gate, Session, ToolUse};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::directive::Together;
use crate::tools::{name, with_args};

use super::set::Set;

/// What waits for the gate.
#[derive(Default, Serialize, Deserialize)]
struct Waiting(Option<Judged>);

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Judged {
    /// The call as it was left.
    call: ToolUse,
    gate: Option<Gate>,
}

pub(super) fn before(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    session.state_now::<Waiting>()?.0 = None;
    let call = ToolUse::deserialize(&event["tool_use"])?;
    let judged = judge(set, &call, event, session)?;
    let fold = (judged.call != call).then(|| serde_json::to_value(&judged.call)).transpose()?;
    session.state_now::<Waiting>()?.0 = Some(judged);
    Ok(JsonOutcome { fold, ..JsonOutcome::default() })
}

pub(super) fn gate(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let call = ToolUse::deserialize(&event["tool_use"])?;
    let waiting = session.state_now::<Waiting>()?.0.take().filter(|judged| judged.call == call);
    let judged = match waiting {
        Some(judged) => judged,
        None => {
            let judged = judge(set, &call, event, session)?;
            if judged.call != call && !matches!(judged.gate, Some(Gate::Deny(_))) {
                let why = "a callback wants to change this call, which was changed after it could be";
                Judged { call, gate: Some(Gate::deny(why)) }
            } else {
                judged
            }
        }
    };
    Ok(JsonOutcome { gate: judged.gate, ..JsonOutcome::default() })
}

fn judge(set: &Set, call: &ToolUse, event: &Value, session: &Session) -> Result<Judged, BoxError> {
    let told = set.told(event, session)?;
    let answers = set.ask(&told, session);
    let together = Together::of(name(call), answers.said);
    let changed = with_args(call, &together.args, session);
    // A callback that could not be asked might have refused.
    let failed = answers.failed.map(|failure| Gate::Deny(format!("{failure}; a gate that fails denies")));
    let gate = match together.gate {
        Some(Gate::Deny(reason)) => Some(Gate::Deny(reason)),
        other => failed.or(other),
    };
    Ok(Judged { call: changed, gate })
}
