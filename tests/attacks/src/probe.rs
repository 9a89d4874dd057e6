//! The person at the terminal, and what happened to each call.
//!
//! `ATTACKS_JOURNAL` names the file that gets a line of JSON for each event. The person says yes to what a tool asks before each call, and to a
//! gate's question what `ATTACKS_GATES` says (`yes` or `no`). With `ATTACKS_DRY` a call that everybody let through does not run: so rows may hold
//! what must never run.

use std::fs::OpenOptions;
use std::io::Write;

use hookspec::ask::{Answer, Confirmation, ElicitKind, Elicitation, Why};
use hookspec::points::{ELICIT, TOOL_CONFIRM, TOOL_EXECUTE, TOOL_POST_EXECUTE};
use hookspec::tool::{ToolOutput, ToolResult, ToolStatus};
use hookspec::{Around, First, Message, ToolUse, hook};
use serde::{Deserialize, Serialize};

/// The file that gets what happened.
pub const JOURNAL: &str = "ATTACKS_JOURNAL";
/// What the person answers to a gate; where it is not set, nobody is there.
pub const GATES: &str = "ATTACKS_GATES";
/// Whether nothing runs.
pub const DRY: &str = "ATTACKS_DRY";

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A tool asked, as it does before each call.
    Policy(String),
    /// A gate asked, with its reason.
    Gate(String),
    /// Which call the lines behind this one are about.
    Call(String),
    /// Something was asked beside the call.
    Question(String),
    /// A call was over.
    Over {
        /// The tool.
        tool: String,
        /// How.
        status: ToolStatus,
    },
    /// A call would have run.
    Dry(String),
}

fn note(event: &Event) {
    let Some(path) = std::env::var_os(JOURNAL) else { return };
    let Ok(mut line) = serde_json::to_vec(event) else { return };
    line.push(b'\n');
    let file = OpenOptions::new().create(true).append(true).open(path);
    if let Ok(mut file) = file {
        // A row whose journal is short fails, so nothing is lost in silence.
        let _ = file.write_all(&line);
    }
}

/// Says which call comes next.
fn note_of(tool_use: &ToolUse, event: &Event) {
    note(&Event::Call(tool_use.call_id.clone().unwrap_or_default()));
    note(event);
}

fn is_set(name: &str, value: &str) -> bool {
    std::env::var_os(name).is_some_and(|held| held == value)
}

/// Answers after everybody else who might.
#[hook(TOOL_CONFIRM, priority = -1000)]
fn confirm(tool_use: &ToolUse, why: &Why) -> Option<First<Confirmation>> {
    std::env::var_os(GATES)?;
    let yes = match why {
        Why::Policy => {
            note_of(tool_use, &Event::Policy(tool_use.tool.clone()));
            true
        }
        why => {
            note_of(tool_use, &Event::Gate(why.reason().unwrap_or_default().to_owned()));
            is_set(GATES, "yes")
        }
    };
    Some(First(if yes {
        Confirmation::Confirm
    } else {
        Confirmation::Skip { reason: "The user declined this call.".into() }
    }))
}

/// Answers what is asked beside a call.
#[hook(ELICIT, priority = -1000)]
fn answer(request: &Elicitation) -> Option<First<Answer>> {
    std::env::var_os(GATES)?;
    note(&Event::Question(request.prompt.clone()));
    let yes = is_set(GATES, "yes") && request.kind == ElicitKind::Confirmation;
    Some(First(if yes { Answer::Text("yes".into()) } else { Answer::Cancelled }))
}

/// Stands in for the tool where nothing is to run.
#[hook(TOOL_EXECUTE, priority = -1000)]
fn dry(tool_use: &ToolUse) -> Option<Around<ToolResult>> {
    if !is_set(DRY, "yes") {
        return None;
    }
    note_of(tool_use, &Event::Dry(tool_use.tool.clone()));
    let messages = vec![Message::system("It was let through.")];
    Some(Around(Ok(ToolOutput { messages, status: None })))
}

/// Writes down how a call ended.
#[hook(TOOL_POST_EXECUTE, priority = -1000)]
fn over(tool_use: &ToolUse, status: ToolStatus) {
    note_of(tool_use, &Event::Over { tool: tool_use.tool.clone(), status });
}
