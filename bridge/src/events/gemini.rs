//! Gemini CLI.

use serde_json::{Map, Value};

super::record! {
    /// What Gemini CLI sends with every event.
    Common {
        session_id: String,
        transcript_path: String,
        cwd: String,
        hook_event_name: String,
        timestamp: String,
    }
}

super::events! {
    /// An event of Gemini CLI.
    pub enum Event with Common;

    /// A session starts; `source` is `startup`, `resume` or `clear`.
    SessionStart = "SessionStart" { source: String, }
    /// The session ends.
    SessionEnd = "SessionEnd" { reason: String, }
    /// The user sent a prompt.
    BeforeAgent = "BeforeAgent" { prompt: String, }
    /// The agent is about to rest.
    AfterAgent = "AfterAgent" { prompt: String, prompt_response: String, stop_hook_active: bool, }
    /// A call to the model is about to go out.
    BeforeModel = "BeforeModel" { llm_request: Map<String, Value>, }
    /// The tools that are offered to the model are about to be chosen.
    BeforeToolSelection = "BeforeToolSelection" { llm_request: Map<String, Value>, }
    /// A piece of the answer arrived.
    AfterModel = "AfterModel" { llm_request: Map<String, Value>, llm_response: Map<String, Value>, }
    /// A tool call is about to run.
    BeforeTool = "BeforeTool" { tool_name: String, tool_input: Value, mcp_context: Value, }
    /// A tool call is over.
    AfterTool = "AfterTool" {
        tool_name: String,
        tool_input: Value,
        tool_response: Value,
        mcp_context: Value,
    }
    /// The conversation is about to be compacted.
    PreCompress = "PreCompress" { trigger: String, }
    /// The user is told something.
    Notification = "Notification" { notification_type: String, message: String, details: Value, }
}

super::plain_wire!(Event, "hook_event_name");
