//! Moments: what happened, told the same way whatever client tells it.
//!
//! [`Incoming::read`] turns a client's event into one. [`Kind`] is the map from events to hook points; the
//! installer, the bridge and the documentation all read it.

mod call;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod goose;
mod hermes;
mod kind;

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec::ask::{ElicitKind, Elicitation};
use hookspec::model::{FinishReason, Request};
use hookspec::points::{EndReason, ErrorSource, InvalidationReason, StartReason, TurnOutcome};
use hookspec::tool::ToolStatus;
use serde_json::{Map, Value};

use crate::client::Client;
use crate::events::Field;

pub use call::{Call, Shape};
pub use kind::{Kind, points_of};

/// One event of a client, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// Who sent it.
    pub client: Client,
    /// Its name in the client's protocol; for Copilot in camel case.
    pub name: String,
    /// The client's id of the session; empty where the client told none.
    pub session: String,
    /// The directory in which the client works now.
    pub cwd: Option<PathBuf>,
    /// The directory tree that the client works in, where it tells that apart.
    pub workspace: Option<PathBuf>,
    /// The model, where the client tells it.
    pub model: Option<String>,
    /// What happened.
    pub moment: Moment,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Moment {
    /// A session was opened.
    SessionStart(StartReason),
    /// A session ends.
    SessionEnd(EndReason),
    /// The user sent a prompt.
    Prompt(String),
    /// A tool call is about to run.
    ToolPre(Call),
    /// The user would be asked about a tool call.
    ToolConfirm(Call),
    /// A tool call is over.
    ToolPost(Ended),
    /// A file was changed; the client told how.
    FileEdited {
        /// The file.
        path: PathBuf,
        /// Each text that was replaced, and by what, in order.
        edits: Vec<(String, String)>,
    },
    /// All tool calls of a step have run; how many.
    StepOver(u32),
    /// A call to the model is about to go out, and the client tells nothing about it.
    StepBegin,
    /// A call to the model is about to go out.
    ModelPre(Box<Request>),
    /// A piece of the answer, or all of it.
    ModelPost {
        /// The text.
        text: String,
        /// Why the model stopped; `None` while there is more to come.
        finish: Option<FinishReason>,
    },
    /// The model's answer is complete.
    Answered(String),
    /// A piece of the answer is about to be shown.
    Shown {
        /// The piece.
        text: String,
        /// Its number in the answer, from 0.
        index: u32,
        /// Whether it is the last one.
        last: bool,
    },
    /// The model has thought.
    Thought(String),
    /// The agent is about to rest.
    Rest {
        /// How the turn ended.
        outcome: TurnOutcome,
        /// The assistant's last message.
        last: Option<String>,
        /// Whether a hook has kept the agent going already; `None` where the client does not tell.
        active: Option<bool>,
        /// How often it has, where the client counts.
        count: u32,
        /// Whether the client would go on if a hook wants it to.
        asked: bool,
        /// Whether the turn is over: some clients ask first, and tell of the end by another event.
        over: bool,
    },
    /// The user interrupted the turn.
    Interrupted,
    /// The session moved to another directory.
    CwdChanged {
        /// Where it was.
        old: PathBuf,
        /// Where it is.
        new: PathBuf,
    },
    /// The prompt's prefix changed.
    CacheInvalidated {
        /// Why.
        reason: InvalidationReason,
        /// Tokens of the conversation before.
        before: Option<u64>,
    },
    /// Something failed.
    Failed {
        /// Where it came from.
        source: ErrorSource,
        /// What happened.
        error: String,
        /// Whether it will be tried again.
        retryable: bool,
    },
    /// Somebody asks the user.
    Elicit(Box<Elicitation>),
    /// Something that no hook point stands for.
    Other,
    /// A gate that says so little that it cannot be judged; the text says what is missing.
    Unreadable(&'static str),
}

impl Moment {
    /// A prompt that is left out is an empty one: clients have been seen to do so.
    fn prompt(field: &Field<String>) -> Self {
        match field {
            Field::Odd(_) => Self::Unreadable("its prompt is no text"),
            field => Self::Prompt(string(field)),
        }
    }
}

/// A tool call that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The call.
    pub call: Call,
    /// What the tool gave back, as text.
    pub result: String,
    /// What the tool gave back, as the client told it: an answer that replaces it must have its shape.
    pub raw: Option<Value>,
    /// How it ended.
    pub status: ToolStatus,
    /// How long it ran; zero where the client does not tell.
    pub duration: Duration,
    /// Whether the client tells of changed files by events of their own.
    pub files_apart: bool,
}

impl Incoming {
    /// Reads one event of a client. `name` is used where the event does not tell its own.
    #[must_use]
    pub fn read(client: Client, map: Map<String, Value>, name: Option<&str>) -> Self {
        match client {
            Client::Codex => codex::read(map, name),
            Client::Claude => claude::read(map, name),
            Client::Gemini => gemini::read(map, name),
            Client::Cursor => cursor::read(map, name),
            Client::Copilot => copilot::read(map, name),
            Client::Goose => goose::read(map, name),
            Client::Hermes => hermes::read(map, name),
        }
    }
}

fn string(field: &Field<String>) -> String {
    field.text().unwrap_or_default().to_owned()
}

fn absolute(field: &Field<String>) -> Option<PathBuf> {
    field.text().map(PathBuf::from).filter(|path| path.is_absolute())
}

/// A call, or the reason why it cannot be judged.
fn call(tool: &Field<String>, input: Option<Value>, id: Option<&str>) -> Result<Call, &'static str> {
    let tool = tool.text().filter(|tool| !tool.is_empty()).ok_or("it has no `tool_name` that is a text")?;
    Ok(Call::new(tool, input.unwrap_or(Value::Null), id))
}

fn pre(call: Result<Call, &'static str>) -> Moment {
    call.map_or_else(Moment::Unreadable, Moment::ToolPre)
}

fn confirm(call: Result<Call, &'static str>) -> Moment {
    call.map_or_else(Moment::Unreadable, Moment::ToolConfirm)
}

fn post(call: Result<Call, &'static str>, ended: impl FnOnce(Call) -> Ended) -> Moment {
    // An observer that cannot be told apart is no reason to stop anything.
    call.map_or(Moment::Other, |call| Moment::ToolPost(ended(call)))
}

fn value(field: &Field<Value>) -> Option<Value> {
    field.get().cloned()
}

/// A value that may be JSON in a string.
fn unfolded(field: &Field<Value>) -> Option<Value> {
    match field.get() {
        Some(Value::String(text)) => {
            Some(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())))
        }
        other => other.cloned(),
    }
}

/// A tool's result as the text that a model would read.
fn result_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts: Vec<String> = parts.iter().map(|part| result_text(Some(part))).collect();
            texts.join("\n")
        }
        Some(Value::Object(map)) => {
            let texts = ["stdout", "stderr", "text", "content", "llmContent", "textResultForLlm", "output"];
            let found = texts.iter().filter_map(|key| map.get(*key));
            let found: Vec<String> =
                found.map(|part| result_text(Some(part))).filter(|text| !text.is_empty()).collect();
            if found.is_empty() { Value::Object(map.clone()).to_string() } else { found.join("\n") }
        }
        Some(other) => other.to_string(),
    }
}

/// How a tool call ended, as far as its result tells.
fn status_of(value: Option<&Value>) -> ToolStatus {
    let Some(value) = value else { return ToolStatus::Ok };
    let is = |key: &str| value.get(key).and_then(Value::as_bool);
    let code = |key: &str| value.get(key).and_then(Value::as_i64).is_some_and(|code| code != 0);
    if is("interrupted") == Some(true) {
        return ToolStatus::Interrupted;
    }
    let failed = is("isError") == Some(true)
        || is("is_error") == Some(true)
        || is("success") == Some(false)
        || value.get("error").is_some_and(|error| !error.is_null())
        || matches!(value.get("resultType").and_then(Value::as_str), Some("failure" | "error"))
        || ["exit_code", "exitCode"].into_iter().any(code)
        || value.as_str().is_some_and(text_tells_failure);
    if failed { ToolStatus::Error } else { ToolStatus::Ok }
}

/// Codex begins a command's result with its exit code.
fn text_tells_failure(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let code = line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("exit "));
    code.and_then(|code| code.trim().parse::<i64>().ok()).is_some_and(|code| code != 0)
}

fn start_reason(source: Option<&str>) -> StartReason {
    match source {
        // After a compaction the same session goes on.
        Some("resume" | "compact") => StartReason::Resume,
        Some("fork") => StartReason::Fork,
        _ => StartReason::New,
    }
}

fn end_reason(reason: Option<&str>) -> EndReason {
    match reason {
        Some("clear") => EndReason::Deleted,
        Some("complete") => EndReason::Complete,
        Some("error") => EndReason::Error,
        Some("timeout") => EndReason::Idle,
        _ => EndReason::Exit,
    }
}

fn millis(duration: Option<u64>) -> Duration {
    Duration::from_millis(duration.unwrap_or_default())
}

fn file_edits(edits: &Field<Vec<Value>>) -> Vec<(String, String)> {
    let text = |edit: &Value, key: &str| edit.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    edits
        .get()
        .into_iter()
        .flatten()
        .map(|edit| (text(edit, "old_string"), text(edit, "new_string")))
        .collect()
}

/// A question that an MCP server asks, as one of ours.
fn elicitation(message: &str, schema: Option<&Map<String, Value>>) -> Elicitation {
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let required = schema.and_then(|schema| schema.get("required")).and_then(Value::as_array);
    let fields = properties.into_iter().flatten().map(|(name, property)| {
        let text = |key: &str| property.get(key).and_then(Value::as_str);
        let options = property.get("enum").and_then(Value::as_array).into_iter().flatten();
        let options: Vec<String> = options.filter_map(|option| option.as_str().map(str::to_owned)).collect();
        hookspec::ask::FormField {
            name: name.clone(),
            prompt: text("description").or(text("title")).unwrap_or(name).to_owned(),
            kind: match text("type") {
                Some("boolean") => hookspec::ask::FieldKind::Boolean,
                Some("number" | "integer") => hookspec::ask::FieldKind::Number,
                _ if !options.is_empty() => hookspec::ask::FieldKind::Choice,
                _ => hookspec::ask::FieldKind::Text,
            },
            options,
            required: required.is_some_and(|required| required.iter().any(|held| held == name.as_str())),
            default: text("default").map(str::to_owned),
        }
    });
    Elicitation {
        kind: ElicitKind::Form,
        prompt: message.to_owned(),
        fields: fields.collect(),
        ..Elicitation::default()
    }
}

/// The path, made absolute from `cwd`, without `.` and `..`.
#[must_use]
pub fn resolve(cwd: &Path, path: &str) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            std::path::Component::ParentDir => {
                whole.pop();
            }
            std::path::Component::CurDir => {}
            part => whole.push(part),
        }
    }
    whole
}
