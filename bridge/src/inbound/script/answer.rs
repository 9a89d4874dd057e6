//! What a script says: from its exit code and its output to the outcome of a hook.

use hookspec::hooks::JsonOutcome;
use hookspec::point::PointInfo;
use hookspec::{Flow, Gate, Message};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::command::Reply;

/// An answer as a script writes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Answer {
    decision: Option<Decision>,
    reason: Option<String>,
    message: Option<Texts>,
    context: Option<Texts>,
    rewrite: Option<Value>,
    answer: Option<Value>,
    #[serde(rename = "continue")]
    go_on: Option<String>,
    stop: Option<bool>,
    end_session: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Decision {
    Allow,
    Ask,
    Deny,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a text or a list of texts")]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    fn all(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
        }
    }
}

/// A script whose word cannot be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum Speechless {
    #[error("it ended with {words}{last}")]
    Failed { words: String, last: String },
    #[error("what it wrote begins like an answer and is none: {why}; `docs/scripts.md` has the keys")]
    NoAnswer { why: String },
}

/// Whether hooks at this point may refuse.
pub(super) fn is_gate(point: &PointInfo) -> bool {
    point.verdict.starts_with("Gate")
}

/// Whether the point is a question that `decision` answers.
fn is_question(point: &PointInfo) -> bool {
    point.verdict == "First<Confirmation>"
}

/// What a script that ran to its end has said.
pub(super) fn read(reply: &Reply, point: &PointInfo) -> Result<JsonOutcome, Speechless> {
    let said = answer(&reply.stdout);
    match reply.code {
        Some(0) => Ok(said?.map_or_else(JsonOutcome::default, |answer| outcome(answer, point))),
        Some(2) if is_gate(point) || is_question(point) => {
            // The exit code decides, whatever else was said, and be that unreadable.
            let mut said = said.ok().flatten().unwrap_or_default();
            said.decision = Some(Decision::Deny);
            let stderr = reply.stderr.trim();
            if !stderr.is_empty() {
                said.reason = Some(stderr.to_owned());
            }
            Ok(outcome(said, point))
        }
        _ => match said {
            // A refusal that was spoken counts, however the script ended then.
            Ok(Some(answer)) if answer.decision == Some(Decision::Deny) => Ok(outcome(answer, point)),
            _ => {
                let last = reply.last_words();
                let last = if last.is_empty() { String::new() } else { format!("; its last words: {last}") };
                Err(Speechless::Failed { words: reply.words.clone(), last })
            }
        },
    }
}

/// The JSON object that the output is, or ends with: from the first line that begins with `{`.
fn answer(stdout: &str) -> Result<Option<Answer>, Speechless> {
    let mut rest = stdout.trim();
    while !rest.starts_with('{') {
        let Some((line, more)) = rest.split_once('\n') else {
            if !rest.is_empty() {
                tracing::debug!(output = rest, "a script wrote text that is no answer; it is left out");
            }
            return Ok(None);
        };
        tracing::debug!(output = line, "a script wrote text that is no answer; it is left out");
        rest = more.trim_start();
    }
    serde_json::from_str(rest).map(Some).map_err(|error| Speechless::NoAnswer { why: error.to_string() })
}

/// Core checks it against the point: a decision or a value that the point does not take is a failure of the hook.
fn outcome(answer: Answer, point: &PointInfo) -> JsonOutcome {
    let texts = |texts: Option<Texts>| texts.map(Texts::all).unwrap_or_default();
    let shown = texts(answer.message).into_iter().map(Message::system);
    let hidden = texts(answer.context).into_iter().map(|text| Message::system(text).hidden());
    let mut outcome = JsonOutcome {
        messages: shown.chain(hidden).collect(),
        fold: answer.rewrite,
        first: answer.answer,
        flow: match (answer.end_session, answer.stop) {
            (Some(reason), _) => Flow::EndSession(reason),
            (None, Some(true)) => Flow::Stop,
            (None, _) => Flow::Continue,
        },
        ..JsonOutcome::default()
    };
    let reason = answer.reason.unwrap_or_default();
    match answer.decision {
        None => {}
        Some(decision) if is_question(point) => match decision {
            Decision::Allow => outcome.first = Some(json!({ "action": "confirm" })),
            Decision::Deny => {
                let reason = if reason.trim().is_empty() { "a script refused it".to_owned() } else { reason };
                outcome.first = Some(json!({ "action": "skip", "reason": reason }));
            }
            // Whoever is next in the chain asks.
            Decision::Ask => {}
        },
        Some(Decision::Allow) => outcome.gate = Some(Gate::Allow),
        Some(Decision::Ask) => outcome.gate = Some(Gate::Ask(reason)),
        Some(Decision::Deny) => outcome.gate = Some(Gate::Deny(reason)),
    }
    if let Some(prompt) = answer.go_on {
        outcome.first = Some(json!({ "action": "with", "message": Message::user(prompt) }));
    }
    outcome
}
