//! OpenAI Codex CLI.

use serde_json::Value;

super::record! {
    /// What Codex sends with every event.
    Common {
        session_id: String,
        turn_id: String,
        transcript_path: String,
        cwd: String,
        hook_event_name: String,
        model: String,
        permission_mode: String,
        agent_id: String,
        agent_type: String,
    }
}

super::events! {
    /// An event of Codex.
    pub enum Event with Common;

    /// A session starts; `source` is `startup`, `resume`, `clear` or `compact`.
    SessionStart = "SessionStart" { source: String, }
    /// The session ends.
    SessionEnd = "SessionEnd" { reason: String, }
    /// The user sent a prompt.
    UserPromptSubmit = "UserPromptSubmit" { prompt: String, }
    /// A tool call is about to run.
    PreToolUse = "PreToolUse" { tool_name: String, tool_input: Value, tool_use_id: String, }
    /// The user would be asked about a tool call.
    PermissionRequest = "PermissionRequest" { tool_name: String, tool_input: Value, }
    /// A tool call is over, well or not.
    PostToolUse = "PostToolUse" {
        tool_name: String,
        tool_input: Value,
        tool_response: Value,
        tool_use_id: String,
    }
    /// The conversation is about to be compacted.
    PreCompact = "PreCompact" { trigger: String, }
    /// The conversation was compacted.
    PostCompact = "PostCompact" { trigger: String, }
    /// A sub-agent starts.
    SubagentStart = "SubagentStart" {}
    /// A sub-agent is about to rest.
    SubagentStop = "SubagentStop" {
        agent_transcript_path: String,
        stop_hook_active: bool,
        last_assistant_message: String,
    }
    /// The agent is about to rest.
    Stop = "Stop" { stop_hook_active: bool, last_assistant_message: String, }
    /// The user interrupted the turn.
    Interrupt = "Interrupt" {}
    /// A call to the model is about to go out (0.164); its own fields are not documented.
    PreModelRequest = "PreModelRequest" {}
    /// A call to the model is over (0.164); its own fields are not documented.
    PostModelRequest = "PostModelRequest" {}
}

super::plain_wire!(Event, "hook_event_name");
