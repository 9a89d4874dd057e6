//! Directives: what a callback's return means.
//!
//! Hermes's callbacks return dictionaries and texts. Each is read by itself, by the name of the hook it came from: a
//! shape that is not one of that hook's is an error here, and whoever runs callbacks ignores it with a warning. What
//! several callbacks said together is for [`Together`].

use hookspec::Gate;
use serde_json::{Map, Value};

use crate::points::Classification;
use crate::table::{Category, ELSEWHERE, Row, TABLE, find};

/// What one callback said.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Directive {
    /// Nothing, or something that means nothing there.
    #[default]
    Nothing,
    /// The tool call is refused, for this reason.
    Block(String),
    /// The user decides about the tool call.
    Approve {
        /// What to ask.
        message: Option<String>,
        /// Under what the answer may be remembered; the tool's name where nothing is said.
        rule_key: Option<String>,
    },
    /// These arguments are laid over the model's.
    Modify(Map<String, Value>),
    /// This goes into the user's message.
    Context(String),
    /// This replaces what was there.
    Replace(String),
    /// The agent goes on with this.
    Continue(String),
    /// This is what a failed call to the model is held for.
    Classify(Classification),
}

/// A name that is none of Hermes's hooks, or none that happens here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownHook {
    /// It concerns more than one agent.
    #[error("`{0}` concerns Hermes's gateway, media or boards, and nothing fires it here; take it out")]
    Elsewhere(String),
    /// The program knows no such hook point: the linker gathered none, as under Miri.
    #[error("the hook point {0} is not linked into this program; callbacks need link-time registration")]
    NotLinked(&'static str),
    /// It is none of Hermes's.
    #[error("Hermes has no hook `{name}`; those that happen here are {}", names())]
    Name {
        /// The name.
        name: String,
    },
}

fn names() -> String {
    TABLE.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

/// Why a return was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The hook is not known.
    #[error(transparent)]
    Hook(#[from] UnknownHook),
    /// The shape is none of the hook's.
    #[error("a callback of `{hook}` returned {why}; what counts there: {takes}")]
    Shape {
        /// The hook.
        hook: &'static str,
        /// What is wrong.
        why: String,
        /// What would be right.
        takes: &'static str,
    },
}

/// The hook of that name.
///
/// # Errors
/// If there is none, or it does not happen here.
pub fn known(name: &str) -> Result<&'static Row, UnknownHook> {
    find(name).ok_or_else(|| {
        if ELSEWHERE.contains(&name) {
            UnknownHook::Elsewhere(name.to_owned())
        } else {
            UnknownHook::Name { name: name.to_owned() }
        }
    })
}

/// Reads what a callback of this hook returned.
///
/// ```
/// use hookspec_hermes::{Directive, lower};
/// use serde_json::json;
///
/// let said = lower("pre_tool_call", &json!({ "action": "block", "message": "not there" }))?;
/// assert_eq!(said, Directive::Block("not there".into()));
/// assert!(lower("pre_tool_call", &json!({ "action": "block" })).is_err());
/// # Ok::<(), hookspec_hermes::LowerError>(())
/// ```
///
/// # Errors
/// If the hook is not known, or the shape is none of its.
pub fn lower(hook: &str, returned: &Value) -> Result<Directive, LowerError> {
    let row = known(hook)?;
    if returned.is_null() || row.category == Category::Observer {
        return Ok(Directive::Nothing);
    }
    let read = match row.name {
        "pre_tool_call" => call(returned),
        "pre_llm_call" => context(returned),
        "pre_verify" => verify(returned),
        "transform_llm_output" => match returned {
            Value::String(text) if text.is_empty() => Ok(Directive::Nothing),
            other => replacement(other),
        },
        "transform_api_error_classification" => classification(returned),
        _ => replacement(returned),
    };
    read.map_err(|why| LowerError::Shape { hook: row.name, why, takes: row.returned })
}

type Read = Result<Directive, String>;

fn dictionary(returned: &Value) -> Result<&Map<String, Value>, String> {
    returned.as_object().ok_or_else(|| format!("{}, which is no dictionary", kind(returned)))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a dictionary",
    }
}

/// A text that says something, in any of these fields.
fn words(said: &Map<String, Value>, fields: [&str; 2]) -> Option<String> {
    let mut texts = fields.iter().filter_map(|field| said.get(*field)?.as_str());
    texts.find(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// `action` is Hermes's own dialect, `decision` the one it shares with Claude Code; there, "approve" means no more
/// than "no objection" and is not taken for the question that it is here.
fn call(returned: &Value) -> Read {
    let said = dictionary(returned)?;
    if said.is_empty() {
        return Ok(Directive::Nothing);
    }
    let verb = |field| said.get(field).and_then(Value::as_str);
    match (verb("action"), verb("decision")) {
        (Some("block"), _) => words(said, ["message", "reason"]).map(Directive::Block),
        (None, Some("block")) => words(said, ["reason", "message"]).map(Directive::Block),
        (Some("approve"), _) => Some(Directive::Approve {
            message: words(said, ["message", "message"]),
            rule_key: words(said, ["rule_key", "rule_key"]).map(|key| key.trim().to_owned()),
        }),
        (Some("modify"), _) => said.get("args").and_then(Value::as_object).cloned().map(Directive::Modify),
        (None, Some("modify")) => {
            said.get("tool_input").and_then(Value::as_object).cloned().map(Directive::Modify)
        }
        (None, Some("approve")) => Some(Directive::Nothing),
        (Some(other), _) | (None, Some(other)) => return Err(format!("the unknown action `{other}`")),
        (None, None) => return Err("a dictionary without an action".to_owned()),
    }
    .ok_or_else(|| "a block without a message, or a modification without arguments".to_owned())
}

/// Whatever `context` holds counts, as a text.
fn context(returned: &Value) -> Read {
    let said = match returned {
        Value::String(_) => returned,
        Value::Object(said) if said.is_empty() => return Ok(Directive::Nothing),
        Value::Object(said) => said.get("context").ok_or("a dictionary without a context")?,
        other => return Err(format!("{}, which is neither a text nor a dictionary", kind(other))),
    };
    let text = match said {
        Value::Null | Value::Bool(false) => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.as_f64() == Some(0.0) => String::new(),
        Value::Array(list) if list.is_empty() => String::new(),
        Value::Object(map) if map.is_empty() => String::new(),
        other => other.to_string(),
    };
    Ok(if text.trim().is_empty() { Directive::Nothing } else { Directive::Context(text) })
}

fn verify(returned: &Value) -> Read {
    let said = dictionary(returned)?;
    if said.is_empty() {
        return Ok(Directive::Nothing);
    }
    let verb = |field| said.get(field).and_then(Value::as_str);
    let text = match (verb("action"), verb("decision")) {
        (Some("continue" | "block"), _) => words(said, ["message", "reason"]),
        (None, Some("block")) => words(said, ["reason", "message"]),
        _ => return Err("neither `action: continue` nor `decision: block`".to_owned()),
    };
    let text = text.ok_or("a wish to go on that does not say with what")?;
    Ok(Directive::Continue(text.trim().to_owned()))
}

fn replacement(returned: &Value) -> Read {
    match returned {
        Value::String(text) => Ok(Directive::Replace(text.clone())),
        other => Err(format!("{}, which is no text", kind(other))),
    }
}

fn classification(returned: &Value) -> Read {
    /// Characters that a message may have.
    const LONGEST: usize = 500;
    let said = dictionary(returned)?;
    let reason = words(said, ["reason", "reason"]).ok_or("a dictionary without a reason")?;
    let flag = |field: &str| said.get(field).and_then(Value::as_bool);
    Ok(Directive::Classify(Classification {
        reason,
        retryable: flag("retryable"),
        should_compress: flag("should_compress"),
        should_rotate_credential: flag("should_rotate_credential"),
        should_fallback: flag("should_fallback"),
        message: words(said, ["message", "message"]).map(|text| text.chars().take(LONGEST).collect()),
        error_context: said.get("error_context").and_then(Value::as_object).cloned().unwrap_or_default(),
    }))
}

/// What the callbacks of one hook said together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Together {
    /// The word about a tool call: the first block, else the first question.
    pub gate: Option<Gate>,
    /// Under what an answer to that question may be remembered.
    pub rule_key: Option<String>,
    /// The arguments that are laid over the model's; a later value of a key counts.
    pub args: Map<String, Value>,
    /// The first replacement.
    pub replacement: Option<String>,
    /// What goes into the user's message, piece by piece.
    pub contexts: Vec<String>,
    /// The first message with which the agent goes on.
    pub goes_on: Option<String>,
    /// The first classification.
    pub classification: Option<Classification>,
    /// Classifications that came too late.
    pub late: usize,
}

impl Together {
    /// Puts together what callbacks said, in the order in which they were registered. `tool` is the tool that the
    /// call is for, where there is one.
    #[must_use]
    pub fn of(tool: &str, said: impl IntoIterator<Item = Directive>) -> Self {
        let mut together = Self::default();
        for directive in said {
            together.add(tool, directive);
            if matches!(together.gate, Some(Gate::Deny(_))) {
                // What was to be changed before stands; nothing after a refusal can matter.
                break;
            }
        }
        together
    }

    fn add(&mut self, tool: &str, directive: Directive) {
        match directive {
            Directive::Block(reason) => {
                self.gate = Some(Gate::Deny(reason));
                self.rule_key = None;
            }
            Directive::Approve { message, rule_key } if self.gate.is_none() => {
                let message = message.unwrap_or_else(|| format!("a callback wants `{tool}` approved"));
                self.gate = Some(Gate::Ask(message));
                self.rule_key = Some(rule_key.unwrap_or_else(|| tool.to_owned()));
            }
            Directive::Nothing | Directive::Approve { .. } => {}
            Directive::Modify(args) => self.args.extend(args),
            Directive::Context(text) => self.contexts.push(text),
            Directive::Replace(text) => {
                self.replacement.get_or_insert(text);
            }
            Directive::Continue(text) => {
                self.goes_on.get_or_insert(text);
            }
            Directive::Classify(_) if self.classification.is_some() => self.late += 1,
            Directive::Classify(classification) => self.classification = Some(classification),
        }
    }
}
