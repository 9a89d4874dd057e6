//! What the callbacks of the other hooks said, as our outcomes.

use hookspec::ask::Continue;
use hookspec::hooks::{BoxError, JsonOutcome};
use hookspec::points::TurnOutcome;
use hookspec::{Message, Session, ToolUse};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::directive::Together;
use crate::injection;
use crate::seen::Seen;

use super::set::Set;

fn together(set: &Set, event: &Value, session: &Session) -> Result<Together, BoxError> {
    let told = set.told(event, session)?;
    Ok(Together::of("", set.ask(&told, session).said))
}

/// Adds what they said to the user's message, piece by piece, each no longer than it may be.
pub(super) fn prompt(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let pieces = together(set, event, session)?.contexts.into_iter();
    let pieces: Vec<String> = pieces.map(|piece| set.about.spill.fit(session.id(), piece)).collect();
    if pieces.is_empty() {
        return Ok(JsonOutcome::default());
    }
    let message = Message::deserialize(&event["message"])?;
    let own = injection::add(session, &message, pieces.join("\n\n"))?;
    Ok(JsonOutcome { messages: own.into_iter().collect(), ..JsonOutcome::default() })
}

/// Sends the agent back, where it changed files and would rest.
pub(super) fn verify(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let seen = Seen::of(session);
    let complete = event["outcome"] == json!(TurnOutcome::Complete);
    if !complete || seen.edited.is_empty() || seen.nudges >= set.about.nudges {
        return Ok(JsonOutcome::default());
    }
    let Some(text) = together(set, event, session)?.goes_on else { return Ok(JsonOutcome::default()) };
    session.state_now::<Seen>()?.nudges += 1;
    let first = serde_json::to_value(Continue::With(Message::user(text)))?;
    Ok(JsonOutcome { first: Some(first), ..JsonOutcome::default() })
}

/// Changes the answer, once a turn, where the model calls no tools with it.
pub(super) fn output(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let mut message = Message::deserialize(&event["message"])?;
    let turn = Seen::of(session).turn;
    if message.content.is_empty() || calls_tools(&message, session) || !first_time(session, turn)? {
        return Ok(JsonOutcome::default());
    }
    let Some(text) = together(set, event, session)?.replacement else { return Ok(JsonOutcome::default()) };
    message.content = text;
    let fold = serde_json::to_value(message)?;
    Ok(JsonOutcome { fold: Some(fold), ..JsonOutcome::default() })
}

/// Whether this turn's answer was not changed yet. Turn 0 is no turn: nobody counts them there.
fn first_time(session: &Session, turn: u32) -> Result<bool, BoxError> {
    Ok(turn == 0 || session.state_now::<Seen>()?.transformed.replace(turn) != Some(turn))
}

/// Whether tools are called in it: natively, or with a block whose tag names one.
fn calls_tools(message: &Message, session: &Session) -> bool {
    let native = message.metadata.as_ref().is_some_and(|metadata| !metadata.tool_calls.is_empty());
    let registry = session.hooks().load();
    let tools = registry.tools();
    native
        || message.content.lines().any(|line| {
            let tag = line.strip_prefix("```").and_then(|rest| rest.split_whitespace().next());
            tag.is_some_and(|tag| tools.get(tag).is_some())
        })
}

/// Puts a text in place of a tool's result.
pub(super) fn result(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let Some(text) = together(set, event, session)?.replacement else { return Ok(JsonOutcome::default()) };
    let call = ToolUse::deserialize(&event["tool_use"])?;
    let mut message = Message::system(text);
    message.call_id = call.call_id;
    Ok(JsonOutcome { fold: Some(json!([message])), ..JsonOutcome::default() })
}

/// Puts a text in place of a command's output.
pub(super) fn terminal(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let first = together(set, event, session)?.replacement.map(Value::String);
    Ok(JsonOutcome { first, ..JsonOutcome::default() })
}

/// Says what a failed call to a model is held for.
pub(super) fn classify(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let together = together(set, event, session)?;
    if together.late > 0 {
        tracing::warn!(late = together.late, "several callbacks classify this error; the first one counts");
    }
    let first = together.classification.map(serde_json::to_value).transpose()?;
    Ok(JsonOutcome { first, ..JsonOutcome::default() })
}
