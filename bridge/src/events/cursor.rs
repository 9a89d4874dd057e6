//! Cursor.

use serde_json::{Number, Value};

super::record! {
    /// What Cursor sends with every event.
    Common {
        conversation_id: String,
        generation_id: String,
        model: String,
        model_id: String,
        model_params: Value,
        hook_event_name: String,
        cursor_version: String,
        workspace_roots: Vec<String>,
        user_email: String,
        transcript_path: String,
    }
}

super::events! {
    /// An event of Cursor.
    pub enum Event with Common;

    /// A session starts.
    SessionStart = "sessionStart" {
        session_id: String,
        is_background_agent: bool,
        composer_mode: String,
    }
    /// The session ends.
    SessionEnd = "sessionEnd" {
        session_id: String,
        reason: String,
        duration_ms: Number,
        final_status: String,
        error_message: String,
    }
    /// The user sent a prompt.
    BeforeSubmitPrompt = "beforeSubmitPrompt" { prompt: String, attachments: Vec<Value>, }
    /// A tool call is about to run.
    PreToolUse = "preToolUse" {
        tool_name: String,
        tool_input: Value,
        tool_use_id: String,
        cwd: String,
        agent_message: String,
    }
    /// A tool call is over; its output is JSON in a string.
    PostToolUse = "postToolUse" {
        tool_name: String,
        tool_input: Value,
        tool_output: String,
        tool_use_id: String,
        cwd: String,
        duration: Number,
    }
    /// A tool call failed.
    PostToolUseFailure = "postToolUseFailure" {
        tool_name: String,
        tool_input: Value,
        tool_use_id: String,
        cwd: String,
        error_message: String,
        failure_type: String,
        duration: Number,
        is_interrupt: bool,
    }
    /// A command is about to run.
    BeforeShellExecution = "beforeShellExecution" { command: String, cwd: String, sandbox: Value, }
    /// A command has run.
    AfterShellExecution = "afterShellExecution" { command: String, output: String, duration: Number, }
    /// A tool of an MCP server is about to run; its input is JSON in a string.
    BeforeMcpExecution = "beforeMCPExecution" {
        tool_name: String,
        tool_input: Value,
        url: String,
        command: String,
    }
    /// A tool of an MCP server has run.
    AfterMcpExecution = "afterMCPExecution" {
        tool_name: String,
        tool_input: Value,
        result_json: String,
        duration: Number,
    }
    /// A file is about to be read.
    BeforeReadFile = "beforeReadFile" { file_path: String, content: String, attachments: Vec<Value>, }
    /// A file is about to be read for a completion.
    BeforeTabFileRead = "beforeTabFileRead" { file_path: String, content: String, }
    /// The agent has changed a file.
    AfterFileEdit = "afterFileEdit" { file_path: String, edits: Vec<Value>, }
    /// A completion has changed a file.
    AfterTabFileEdit = "afterTabFileEdit" { file_path: String, edits: Vec<Value>, }
    /// A sub-agent is about to start.
    SubagentStart = "subagentStart" {
        subagent_id: String,
        kind ["type"]: String,
        task: String,
        parent_conversation_id: String,
        tool_call_id: String,
        subagent_model: String,
        is_parallel_worker: bool,
        git_branch: String,
    }
    /// A sub-agent is about to rest.
    SubagentStop = "subagentStop" {
        status: String,
        summary: String,
        duration_ms: Number,
        modified_files: Vec<Value>,
        loop_count: u64,
        agent_transcript_path: String,
    }
    /// The conversation is about to be compacted.
    PreCompact = "preCompact" {
        trigger: String,
        context_usage_percent: Number,
        context_tokens: u64,
        context_window_size: u64,
        message_count: u64,
        messages_to_compact: u64,
        is_first_compaction: bool,
    }
    /// The model has answered.
    AfterAgentResponse = "afterAgentResponse" { text: String, }
    /// The model has thought.
    AfterAgentThought = "afterAgentThought" { text: String, duration_ms: Number, }
    /// The agent is about to rest; `status` is `completed`, `aborted` or `error`.
    Stop = "stop" { status: String, loop_count: u64, }
    /// A folder was opened.
    WorkspaceOpen = "workspaceOpen" {}
}

super::plain_wire!(Event, "hook_event_name");
