//! Where their events happen here, and what their words come to.
//!
//! One of their events may be two moments of ours: what stands before a tool call may rewrite it and refuse it, and
//! here a call is rewritten at `TOOL_TRANSFORM` and refused at `TOOL_PRE_EXECUTE`. The handlers run once, at the
//! first; what they said for the second waits in the session's state. If the call was changed in between
//! they are asked again, since nobody has judged that one.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookspec::hooks::{BoxError, JsonEvent, JsonHook, JsonOutcome, Placement};
use hookspec::point::AnyPoint;
use hookspec::session::InterruptReason;
use hookspec::{Flow, Gate, Message, Options, Session, ToolUse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::inbound::plain;

use super::run::{Set, Target};
use super::said::{Together, Word};
use super::tool::Theirs;
use super::{Dialect, Event};

/// What waits for the next moment of the same tool call, by the name of the set.
#[derive(Default, Serialize, Deserialize)]
struct Waiting(BTreeMap<String, Kept>);

#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    /// The call as it was left.
    call: ToolUse,
    gate: Option<Gate>,
    /// Whether no question need be asked.
    allowed: bool,
    messages: Vec<Message>,
    /// What the tool said instead.
    replace: Option<Value>,
}

impl Dialect {
    /// The point at which an event's handlers run.
    pub(super) fn point_of(self, event: Event) -> Option<&'static str> {
        Some(match event {
            Event::SessionStart => "session.start",
            Event::UserPromptSubmit => "message.pre",
            Event::PreToolUse => "tool.transform",
            Event::PermissionRequest => "tool.confirm",
            Event::PostToolUse => "tool.execute.post",
            Event::PostToolUseFailure if self == Self::Claude => "tool.execute.post",
            Event::PostCompact => "cache.invalidated",
            Event::Stop => "loop.continue",
            Event::SessionEnd => "session.end",
            Event::PostToolUseFailure | Event::PreCompact | Event::SubagentStart | Event::SubagentStop => {
                return None;
            }
        })
    }

    /// The group of its hooks' names.
    pub(super) fn group(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Hermes => "hermes",
        }
    }
}

/// A hook at one moment.
type Call = fn(&Set, &Value, &Session) -> Result<JsonOutcome, BoxError>;

/// The hooks of a set.
pub(super) fn hooks(set: Set) -> Vec<JsonHook> {
    let set = Arc::new(set);
    let background = set.background;
    let (group, event) = (set.dialect.group(), set.event);
    let name = format!("{group}.{}{}", set.dialect.name_of(event), if background { ".async" } else { "" });
    // A rewrite is the last word on a call, and what follows sees the call as it is.
    let low = -1000;
    let moments: &[(&str, i32, Call)] = match event {
        Event::PreToolUse if !background => {
            &[("tool.transform", low, before), ("tool.execute.pre", 0, gate), ("tool.confirm", 0, approved)]
        }
        Event::PreToolUse => &[("tool.execute.pre", 0, watched)],
        Event::PostToolUse if !background => {
            &[("tool.execute.post", 0, after), ("tool.result.transform", low, replaced)]
        }
        Event::PostToolUse | Event::PostToolUseFailure => &[("tool.execute.post", 0, after)],
        Event::SessionStart => &[("session.start", 0, started)],
        Event::UserPromptSubmit => &[("message.pre", 0, prompted)],
        Event::PermissionRequest => &[("tool.confirm", 10, asked)],
        Event::PostCompact => &[("cache.invalidated", 0, compacted)],
        Event::Stop => &[("loop.continue", 0, rested)],
        Event::SessionEnd => &[("session.end", 0, ended)],
        Event::PreCompact | Event::SubagentStart | Event::SubagentStop => &[],
    };
    let placement = if background { Placement::Background } else { Placement::Blocking };
    let budget = set.handlers.iter().map(|ready| ready.handler.action.timeout()).max();
    let options = Options { placement, budget, fail_open: true, ..Options::DEFAULT };
    let actions: Vec<String> =
        set.handlers.iter().map(|ready| format!("`{}`", plain(&ready.handler.action.to_string()))).collect();
    let docs = format!("Runs {}.", actions.join(", "));
    let hook = |(point, priority, call): &(&str, i32, Call)| {
        let point: &'static dyn AnyPoint = hookspec::point::find_point(point)?;
        let (set, call) = (Arc::clone(&set), *call);
        let first =
            set.handlers.first().map(|ready| (ready.handler.file.display().to_string(), ready.handler.line));
        let run = move |event: &JsonEvent, session: &Session| {
            let outcome = call(&set, event, session)?;
            // Nobody waits for it, so that it cannot decide.
            Ok(if background {
                JsonOutcome { messages: outcome.messages, ..JsonOutcome::default() }
            } else {
                outcome
            })
        };
        let hook = JsonHook::new(point, name.clone(), Arc::new(run))
            .docs(docs.clone())
            .options(Options { priority: *priority, ..options });
        Some(match first {
            Some((file, line)) => hook.written_at(file, line),
            None => hook,
        })
    };
    moments.iter().filter_map(hook).collect()
}

fn call_of(event: &Value) -> Result<ToolUse, BoxError> {
    Ok(ToolUse::deserialize(&event["tool_use"])?)
}

fn contexts(texts: Vec<String>) -> Vec<Message> {
    texts.into_iter().map(|text| Message::system(text).hidden()).collect()
}

fn gate_of(word: Option<Word>) -> Option<Gate> {
    match word? {
        Word::Allow => None,
        Word::Ask(reason) => Some(Gate::Ask(reason)),
        Word::Deny(reason) => Some(Gate::Deny(reason)),
    }
}

/// Ends the turn where a handler wants that; gives the reason.
fn stopped(together: &mut Together, session: &Session) -> Option<String> {
    let reason = together.stop.take()?.unwrap_or_else(|| "a hook ended the turn".to_owned());
    session.interrupt(InterruptReason::Hook);
    Some(reason)
}

/// Asks the handlers about a call; gives what they said, and the call as they want it.
fn judge(set: &Set, call: ToolUse, session: &Session) -> Result<(Kept, bool), BoxError> {
    let theirs = Theirs::of(set.dialect, &call);
    let more = match &call.call_id {
        Some(id) => json!({ "tool_use_id": id }),
        None => json!({ "tool_use_id": format!("call-{}", call.start.unwrap_or_default()) }),
    };
    let mut together = set.run(session, &Target::Tool(&theirs), more);
    let mut gate = gate_of(together.word.clone());
    if let Some(reason) = stopped(&mut together, session) {
        gate = Some(Gate::Deny(reason));
    }
    let mut left = call.clone();
    if let Some(input) = &together.rewrite
        && !matches!(gate, Some(Gate::Deny(_)))
    {
        match Theirs::rewritten(&call, input) {
            Ok(changed) => left = changed,
            // What it wanted changed must not run as it was.
            Err(why) => {
                gate = Some(Gate::Deny(format!(
                    "a hook rewrote this call in a way that cannot be followed: {why}"
                )));
            }
        }
    }
    let changed = left != call;
    let allowed = set.dialect != Dialect::Codex && together.word == Some(Word::Allow) && gate.is_none();
    Ok((Kept { call: left, gate, allowed, messages: contexts(together.contexts), replace: None }, changed))
}

fn before(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let (kept, changed) = judge(set, call_of(event)?, session)?;
    let fold = changed.then(|| serde_json::to_value(&kept.call)).transpose()?;
    session.state_now::<Waiting>()?.0.insert(key(set), kept);
    Ok(JsonOutcome { fold, ..JsonOutcome::default() })
}

fn key(set: &Set) -> String {
    format!("{}.{}", set.dialect.group(), set.event.name())
}

/// Under what a call waits whose handlers want no question asked.
fn allowed_key(set: &Set) -> String {
    key(set) + ".allowed"
}

fn watched(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let (kept, _) = judge(set, call_of(event)?, session)?;
    Ok(JsonOutcome { messages: kept.messages, ..JsonOutcome::default() })
}

fn gate(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let call = call_of(event)?;
    let waiting = session.state_now::<Waiting>()?.0.remove(&key(set));
    let kept = match waiting.filter(|kept| kept.call == call) {
        Some(kept) => kept,
        None => {
            let (mut kept, changed) = judge(set, call.clone(), session)?;
            if changed {
                let why = "a hook wants to rewrite this call, which another has changed after it was asked";
                kept = Kept { call, gate: Some(Gate::deny(why)), allowed: false, ..kept };
            }
            kept
        }
    };
    if kept.allowed {
        session.state_now::<Waiting>()?.0.insert(allowed_key(set), kept.clone());
    }
    Ok(JsonOutcome { gate: kept.gate, messages: kept.messages, ..JsonOutcome::default() })
}

/// A call that Claude Code would run without a question.
fn approved(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let call = call_of(event)?;
    let mut waiting = session.state_now::<Waiting>()?;
    let kept = waiting.0.remove(&allowed_key(set)).filter(|kept| kept.call == call);
    // Where another hook wants the user to be asked, the stricter word counts.
    let policy = event["why"] == json!("policy");
    let first = kept.filter(|_| policy).map(|_| json!({ "action": "confirm" }));
    Ok(JsonOutcome { first, ..JsonOutcome::default() })
}

fn asked(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let call = call_of(event)?;
    let mut together = set.run(session, &Target::Tool(&Theirs::of(set.dialect, &call)), Value::Null);
    let stop = stopped(&mut together, session);
    let first = match (stop, together.word) {
        (Some(reason), _) | (None, Some(Word::Deny(reason))) => {
            Some(json!({ "action": "skip", "reason": reason }))
        }
        // New arguments cannot be given at this moment, and the old ones were not what was allowed.
        (None, Some(Word::Allow)) if together.rewrite.is_none() => Some(json!({ "action": "confirm" })),
        (None, _) => None,
    };
    Ok(JsonOutcome { first, ..JsonOutcome::default() })
}

fn after(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let well = event["status"] == json!("ok");
    let denied = event["status"] == json!("denied");
    let meant = set.dialect == Dialect::Hermes || well == (set.event == Event::PostToolUse);
    if denied || !meant {
        return Ok(JsonOutcome::default());
    }
    let call = call_of(event)?;
    let texts: Vec<&str> = event["result"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| message["content"].as_str())
        .collect();
    let text = texts.join("\n");
    let id = call.call_id.clone().unwrap_or_else(|| format!("call-{}", call.start.unwrap_or_default()));
    let more = if well || set.dialect == Dialect::Hermes {
        json!({ "tool_response": text, "tool_use_id": id })
    } else {
        json!({ "error": text, "tool_use_id": id, "is_interrupt": event["status"] == json!("interrupted") })
    };
    let mut together = set.run(session, &Target::Tool(&Theirs::of(set.dialect, &call)), more);
    let denial = match together.word.take() {
        Some(Word::Deny(reason)) => Some(reason),
        _ => None,
    };
    let mut replace = together.replace.take();
    match set.dialect {
        // Codex gives the model this text in the place of the result.
        Dialect::Codex => {
            let stop = together.stop.take().map(Option::unwrap_or_default);
            replace = denial.or(stop).map(Value::from).or(replace);
        }
        Dialect::Claude | Dialect::Hermes => {
            together.contexts.extend(denial);
            let stop = stopped(&mut together, session);
            together.contexts.extend(stop);
        }
    }
    if let Some(replace) = replace.filter(|_| !set.background) {
        let kept = Kept { call, gate: None, allowed: false, messages: Vec::new(), replace: Some(replace) };
        session.state_now::<Waiting>()?.0.insert(key(set), kept);
    }
    Ok(JsonOutcome { messages: contexts(together.contexts), ..JsonOutcome::default() })
}

fn replaced(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let call = call_of(event)?;
    let Some(kept) = session.state_now::<Waiting>()?.0.remove(&key(set)).filter(|kept| kept.call == call)
    else {
        return Ok(JsonOutcome::default());
    };
    let text = match kept.replace {
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
        None => return Ok(JsonOutcome::default()),
    };
    let mut message = Message::system(text);
    message.call_id = call.call_id;
    Ok(JsonOutcome { fold: Some(json!([message])), ..JsonOutcome::default() })
}

fn started(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let source = if event["reason"] == json!("resume") { "resume" } else { "startup" };
    let together = set.run(session, &Target::Text(source), json!({ "source": source }));
    let flow = match together.stop {
        Some(reason) => Flow::EndSession(reason.unwrap_or_else(|| "a hook ended the session".to_owned())),
        None => Flow::Continue,
    };
    Ok(JsonOutcome { messages: contexts(together.contexts), flow, ..JsonOutcome::default() })
}

fn ended(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let reason = match (event["reason"].as_str(), set.dialect) {
        (Some("exit"), Dialect::Claude) => "prompt_input_exit",
        _ => "other",
    };
    set.run(session, &Target::Text(reason), json!({ "reason": reason }));
    Ok(JsonOutcome::default())
}

fn prompted(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let prompt = &event["message"]["content"];
    let mut together = set.run(session, &Target::Text(""), json!({ "prompt": prompt }));
    let mut gate = gate_of(together.word.take());
    if let Some(reason) = together.stop.take() {
        gate = Some(Gate::Deny(reason.unwrap_or_else(|| "a hook ended the turn".to_owned())));
    }
    Ok(JsonOutcome { gate, messages: contexts(together.contexts), ..JsonOutcome::default() })
}

fn compacted(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    if event["reason"] == json!("compact") {
        let mut together = set.run(session, &Target::Text("auto"), json!({ "trigger": "auto" }));
        stopped(&mut together, session);
        return Ok(JsonOutcome { messages: contexts(together.contexts), ..JsonOutcome::default() });
    }
    Ok(JsonOutcome::default())
}

/// How often in a row handlers may keep the agent going.
const MOST_CONTINUED: u64 = 8;

fn rested(set: &Set, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
    let continued = event["continued"].as_u64().unwrap_or_default();
    let log = session.log();
    let last = log.iter().rev().find(|message| message.role == hookspec::Role::Assistant);
    let more = json!({
        "stop_hook_active": continued > 0,
        "last_assistant_message": last.map(|message| message.content.as_str()),
    });
    let together = set.run(session, &Target::Text(""), more);
    if together.stop.is_some() {
        return Ok(JsonOutcome { first: Some(json!({ "action": "rest" })), ..JsonOutcome::default() });
    }
    let mut texts = together.denials;
    texts.extend(together.contexts);
    if texts.is_empty() {
        return Ok(JsonOutcome::default());
    }
    if continued >= MOST_CONTINUED {
        tracing::warn!(
            "{} hooks have kept the agent going {continued} times in a row; it rests now",
            set.dialect
        );
        return Ok(JsonOutcome::default());
    }
    let prompt = Message::user(texts.join("\n\n"));
    Ok(JsonOutcome { first: Some(json!({ "action": "with", "message": prompt })), ..JsonOutcome::default() })
}
