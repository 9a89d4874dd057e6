//! Hermes, through its shell hooks.

use serde_json::{Map, Value};

super::record! {
    /// What Hermes sends with every event; what belongs to one event is in `extra`.
    Common {
        hook_event_name: String,
        tool_name: String,
        tool_input: Value,
        session_id: String,
        cwd: String,
        profile: String,
        extra: Map<String, Value>,
    }
}

super::events! {
    /// An event of Hermes.
    pub enum Event with Common;

    /// A session starts.
    SessionStart = "on_session_start" {}
    /// A turn is over.
    SessionEnd = "on_session_end" {}
    /// The session ends.
    SessionFinalize = "on_session_finalize" {}
    /// The session begins anew.
    SessionReset = "on_session_reset" {}
    /// A turn begins: before its first call to the model.
    PreLlmCall = "pre_llm_call" {}
    /// A turn's last call to the model is over.
    PostLlmCall = "post_llm_call" {}
    /// A tool call is about to run.
    PreToolCall = "pre_tool_call" {}
    /// A tool call is over.
    PostToolCall = "post_tool_call" {}
    /// The agent is about to rest.
    PreVerify = "pre_verify" {}
    /// The user would be asked about a tool call.
    PreApprovalRequest = "pre_approval_request" {}
    /// The user was asked about a tool call.
    PostApprovalResponse = "post_approval_response" {}
    /// A sub-agent starts.
    SubagentStart = "subagent_start" {}
    /// A sub-agent is over.
    SubagentStop = "subagent_stop" {}
}

super::plain_wire!(Event, "hook_event_name");
