//! Claude Code.

use serde_json::{Map, Number, Value};

super::record! {
    /// What Claude Code sends with every event.
    Common {
        session_id: String,
        prompt_id: String,
        transcript_path: String,
        cwd: String,
        scratchpad_dir: String,
        permission_mode: String,
        effort: Map<String, Value>,
        hook_event_name: String,
        agent_id: String,
        agent_type: String,
    }
}

super::events! {
    /// An event of Claude Code.
    pub enum Event with Common;

    /// A session starts; `source` is `startup`, `resume`, `clear`, `compact` or `fork`.
    SessionStart = "SessionStart" {
        source: String,
        model: String,
        session_title: String,
        seconds_since_last_response: Number,
        context_tokens: u64,
        prompt_cache_likely_expired: bool,
        estimated_cache_write_usd: Number,
    }
    /// Before anything else, with `--init` or `--maintenance`.
    Setup = "Setup" { trigger: String, }
    /// A file of instructions was read.
    InstructionsLoaded = "InstructionsLoaded" {
        file_path: String,
        memory_type: String,
        load_reason: String,
        globs: Vec<String>,
        trigger_file_path: String,
        parent_file_path: String,
    }
    /// The user sent a prompt.
    UserPromptSubmit = "UserPromptSubmit" { prompt: String, session_title: String, }
    /// A slash command or an MCP prompt was expanded.
    UserPromptExpansion = "UserPromptExpansion" {
        expansion_type: String,
        command_name: String,
        command_args: String,
        command_source: String,
        prompt: String,
    }
    /// A piece of the answer is about to be shown.
    MessageDisplay = "MessageDisplay" {
        turn_id: String,
        message_id: String,
        index: u64,
        is_final ["final"]: bool,
        delta: String,
    }
    /// A tool call is about to run.
    PreToolUse = "PreToolUse" {
        tool_name: String,
        tool_input: Value,
        tool_use_id: String,
        mcp_server: Map<String, Value>,
    }
    /// The user would be asked about a tool call.
    PermissionRequest = "PermissionRequest" {
        tool_name: String,
        tool_input: Value,
        permission_suggestions: Vec<Value>,
    }
    /// The classifier of auto mode refused a tool call.
    PermissionDenied = "PermissionDenied" {
        tool_name: String,
        tool_input: Value,
        tool_use_id: String,
        reason: String,
    }
    /// A tool call succeeded.
    PostToolUse = "PostToolUse" {
        tool_name: String,
        tool_input: Value,
        tool_response: Value,
        tool_use_id: String,
        mcp_server: Map<String, Value>,
        duration_ms: u64,
    }
    /// A tool call failed.
    PostToolUseFailure = "PostToolUseFailure" {
        tool_name: String,
        tool_input: Value,
        tool_use_id: String,
        error: String,
        is_interrupt: bool,
        duration_ms: u64,
    }
    /// All tool calls of a step have run.
    PostToolBatch = "PostToolBatch" { tool_calls: Vec<Value>, }
    /// The user is told something.
    Notification = "Notification" { message: String, title: String, notification_type: String, }
    /// A sub-agent starts.
    SubagentStart = "SubagentStart" {}
    /// A sub-agent is about to rest.
    SubagentStop = "SubagentStop" {
        stop_hook_active: bool,
        agent_transcript_path: String,
        last_assistant_message: String,
        background_tasks: Vec<Value>,
        session_crons: Vec<Value>,
    }
    /// A task is about to be created.
    TaskCreated = "TaskCreated" {
        task_id: String,
        task_subject: String,
        task_description: String,
        teammate_name: String,
        team_name: String,
    }
    /// A task is about to be closed.
    TaskCompleted = "TaskCompleted" {
        task_id: String,
        task_subject: String,
        task_description: String,
        teammate_name: String,
        team_name: String,
    }
    /// The agent is about to rest.
    Stop = "Stop" {
        stop_hook_active: bool,
        last_assistant_message: String,
        background_tasks: Vec<Value>,
        session_crons: Vec<Value>,
    }
    /// The model could not be reached.
    StopFailure = "StopFailure" {
        error: String,
        error_details: String,
        last_assistant_message: String,
    }
    /// A teammate is about to idle.
    TeammateIdle = "TeammateIdle" { teammate_name: String, team_name: String, }
    /// A settings file changed.
    ConfigChange = "ConfigChange" { source: String, file_path: String, }
    /// The session moved to another directory.
    CwdChanged = "CwdChanged" { old_cwd: String, new_cwd: String, }
    /// A directory was added to the session.
    DirectoryAdded = "DirectoryAdded" { directory: String, source: String, }
    /// A watched file changed on disk.
    FileChanged = "FileChanged" { file_path: String, event: String, }
    /// A worktree is wanted; the answer is its path, so the bridge leaves this event alone.
    WorktreeCreate = "WorktreeCreate" { name ["name"]: String, }
    /// A worktree is about to be removed.
    WorktreeRemove = "WorktreeRemove" { worktree_path: String, }
    /// The conversation is about to be compacted.
    PreCompact = "PreCompact" { trigger: String, custom_instructions: String, }
    /// The conversation was compacted.
    PostCompact = "PostCompact" { trigger: String, compact_summary: String, }
    /// Another model is about to be used.
    PreModelSwitch = "PreModelSwitch" {
        from_model: String,
        to_model: String,
        requested_model: String,
        source: String,
        context_tokens: u64,
        prompt_cache_warm: bool,
        cache_ttl: String,
        estimated_cache_write_usd: Number,
        pricing: String,
    }
    /// Another model is used from now on.
    PostModelSwitch = "PostModelSwitch" {
        from_model: String,
        to_model: String,
        requested_model: String,
        source: String,
        context_tokens: u64,
        prompt_cache_warm: bool,
        cache_ttl: String,
        estimated_cache_write_usd: Number,
        pricing: String,
    }
    /// An MCP server asks the user.
    Elicitation = "Elicitation" {
        mcp_server_name: String,
        message: String,
        mode: String,
        url: String,
        elicitation_id: String,
        requested_schema: Map<String, Value>,
    }
    /// The user answered an MCP server.
    ElicitationResult = "ElicitationResult" {
        mcp_server_name: String,
        action: String,
        mode: String,
        elicitation_id: String,
        content: Value,
    }
    /// The session ends.
    SessionEnd = "SessionEnd" { reason: String, }
}

super::plain_wire!(Event, "hook_event_name");
