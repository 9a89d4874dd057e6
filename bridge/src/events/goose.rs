//! Goose.

use serde_json::Value;

super::record! {
    /// What Goose sends with every event; which of it depends on the event.
    Common {
        event: String,
        session_id: String,
        matcher_context: String,
        working_dir: String,
        tool_name: String,
        tool_input: Value,
        tool_output: Value,
        tool_call_id: String,
        message: String,
        last_assistant_message: String,
    }
}

super::events! {
    /// An event of Goose.
    pub enum Event with Common;

    /// A session starts.
    SessionStart = "SessionStart" {}
    /// The session ends.
    SessionEnd = "SessionEnd" {}
    /// The agent is about to rest.
    Stop = "Stop" {}
    /// The user sent a prompt.
    UserPromptSubmit = "UserPromptSubmit" {}
    /// A tool call is about to run.
    PreToolUse = "PreToolUse" {}
    /// All hooks have spoken about a tool call; this is the verdict.
    PreToolUseResult = "PreToolUseResult" {
        decision: String,
        policy_evaluated: bool,
        blocked_by: String,
        reason: String,
        cause: String,
    }
    /// A tool call is over.
    PostToolUse = "PostToolUse" {}
    /// A tool call failed.
    PostToolUseFailure = "PostToolUseFailure" { error: Value, }
    /// A file is about to be read.
    BeforeReadFile = "BeforeReadFile" {}
    /// A file has been changed.
    AfterFileEdit = "AfterFileEdit" {}
    /// A command is about to run.
    BeforeShellExecution = "BeforeShellExecution" {}
    /// A command has run.
    AfterShellExecution = "AfterShellExecution" {}
}

super::plain_wire!(Event, "event");
