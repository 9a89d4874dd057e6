//! GitHub Copilot, in the terminal and in VS Code.
//!
//! The spelling of an event's key in the configuration decides how its fields are spelled: `preToolUse` gets
//! `toolName` and no name of the event, `PreToolUse` gets `tool_name` and `hook_event_name`.

use serde_json::{Map, Value};

use super::Spelling;

super::record! {
    /// What Copilot sends with every event.
    Common {
        session_id: String,
        timestamp: Value,
        cwd: String,
        hook_event_name: String,
        transcript_path: String,
    }
}

super::events! {
    /// An event of Copilot.
    pub enum Event with Common;

    /// A session starts; `source` is `startup`, `resume` or `new`.
    SessionStart = "sessionStart" { source: String, initial_prompt: String, }
    /// The session ends.
    SessionEnd = "sessionEnd" { reason: String, }
    /// The user sent a prompt.
    UserPromptSubmitted = "userPromptSubmitted" { prompt: String, }
    /// A tool call is about to run; in camel case its arguments are JSON in a string.
    PreToolUse = "preToolUse" {
        tool_name: String,
        tool_args: Value,
        tool_input: Value,
        tool_use_id: String,
    }
    /// A tool call is over.
    PostToolUse = "postToolUse" {
        tool_name: String,
        tool_args: Value,
        tool_input: Value,
        tool_result: Value,
        tool_response: Value,
        tool_use_id: String,
    }
    /// A tool call failed.
    PostToolUseFailure = "postToolUseFailure" {
        tool_name: String,
        tool_args: Value,
        tool_input: Value,
        tool_use_id: String,
        error: Value,
    }
    /// The user would be asked about a tool call.
    PermissionRequest = "permissionRequest" { tool_name: String, tool_args: Value, tool_input: Value, }
    /// The agent is about to rest.
    AgentStop = "agentStop" { stop_hook_active: bool, stop_reason: String, }
    /// A sub-agent starts.
    SubagentStart = "subagentStart" { agent_name: String, agent_id: String, agent_type: String, }
    /// A sub-agent is about to rest.
    SubagentStop = "subagentStop" {
        agent_name: String,
        agent_id: String,
        agent_type: String,
        stop_hook_active: bool,
    }
    /// The conversation is about to be compacted.
    PreCompact = "preCompact" { trigger: String, }
    /// The user is told something.
    Notification = "notification" { message: String, notification_type: String, }
    /// Something failed; `error_context` is `model_call`, `tool_execution`, `system` or `user_input`.
    ErrorOccurred = "errorOccurred" { error: Value, error_context: String, recoverable: bool, }
}

/// The names that VS Code and Claude use for the same events.
const PASCAL: [(&str, &str); 14] = [
    ("SessionStart", "sessionStart"),
    ("SessionEnd", "sessionEnd"),
    ("UserPromptSubmit", "userPromptSubmitted"),
    ("UserPromptSubmitted", "userPromptSubmitted"),
    ("PreToolUse", "preToolUse"),
    ("PostToolUse", "postToolUse"),
    ("PostToolUseFailure", "postToolUseFailure"),
    ("PermissionRequest", "permissionRequest"),
    ("Stop", "agentStop"),
    ("AgentStop", "agentStop"),
    ("SubagentStart", "subagentStart"),
    ("SubagentStop", "subagentStop"),
    ("PreCompact", "preCompact"),
    ("Notification", "notification"),
];

impl Event {
    /// Reads an event. `name` is used where the event does not tell its own.
    #[must_use]
    pub fn read(map: Map<String, Value>, name: Option<&str>) -> Self {
        let told = map.get("hook_event_name").or_else(|| map.get("hookEventName")).and_then(Value::as_str);
        let name = told.or(name).unwrap_or_default();
        let name = PASCAL.iter().find(|(pascal, _)| *pascal == name).map_or(name, |(_, camel)| camel);
        let name = name.to_owned();
        let spelling = spelling(&map);
        Self::read_as(&name, map, spelling)
    }

    /// Exactly what was read.
    #[must_use]
    pub fn write(&self, spelling: Spelling) -> Map<String, Value> {
        self.write_as(spelling)
    }
}

/// How the fields of an event are spelled.
#[must_use]
pub fn spelling(map: &Map<String, Value>) -> Spelling {
    let camel = ["sessionId", "toolName", "toolArgs", "toolResult", "hookEventName", "errorContext"];
    if camel.iter().any(|key| map.contains_key(*key)) { Spelling::Camel } else { Spelling::Snake }
}
