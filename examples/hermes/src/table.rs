//! Hermes's hook names: each one that concerns one agent, where it happens here, what a callback is told, and what
//! its return does.
//!
//! This table is the only place where that is written down: callbacks are registered by it, the README's table is
//! made from it, and the tests compare it with the points, their fire sites and the payloads.

use std::fmt::Write;

/// What kind of hook it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Its return decides something.
    Directive,
    /// Its return replaces something.
    Transform,
    /// Its return means nothing.
    Observer,
}

/// How its callbacks are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// On a thread that may block, under the time limit.
    Bounded,
    /// Where the point is fired, for as long as it takes.
    InPlace,
    /// Beside the stream, each callback from a queue of its own.
    Queued,
}

/// One of Hermes's hooks.
#[derive(Debug)]
pub struct Row {
    /// Hermes's name.
    pub name: &'static str,
    /// What kind of hook it is.
    pub category: Category,
    /// The hook point, by its name in code: of core where the name is an alias of it, else of this crate.
    pub point: &'static str,
    /// When callbacks are called, where that is not simply when the point fires.
    pub when: &'static str,
    /// What a callback is told beside [`COMMON`].
    pub passed: &'static [&'static str],
    /// What its return does.
    pub returned: &'static str,
    pub(crate) run: Run,
}

/// What every callback is told.
pub const COMMON: &[&str] =
    &["telemetry_schema_version", "session_id", "task_id", "turn_id", "api_request_id", "model", "platform"];

/// Hermes's names that do not concern one agent: its gateway, its media, its boards.
pub const ELSEWHERE: &[&str] = &[
    "pre_gateway_dispatch",
    "gateway_platform_event",
    "pre_command",
    "pre_transcription",
    "pre_tts_synthesis",
    "on_room_member_activity",
    "kanban_task_claimed",
    "kanban_task_completed",
    "kanban_task_blocked",
    "on_kanban_worker_spawned",
    "on_kanban_worker_exited",
    "on_kanban_worker_stale_claim",
    "on_kanban_task_updated",
    "on_kanban_dispatch_tick",
];

const IGNORED: &str = "nothing";
const CALL: &[&str] = &["tool_name", "args", "tool_call_id", "middleware_trace"];
const RESULT: &[&str] =
    &["tool_name", "args", "tool_call_id", "result", "duration_ms", "status", "error_type", "error_message"];
const ENDED_CALL: &[&str] = &[
    "tool_name",
    "args",
    "tool_call_id",
    "result",
    "duration_ms",
    "status",
    "error_type",
    "error_message",
    "middleware_trace",
];

const fn row(
    name: &'static str,
    category: Category,
    point: &'static str,
    run: Run,
    passed: &'static [&'static str],
) -> Row {
    Row { name, category, point, when: "", passed, returned: IGNORED, run }
}

impl Row {
    const fn when(self, when: &'static str) -> Self {
        Self { when, ..self }
    }

    const fn returns(self, returned: &'static str) -> Self {
        Self { returned, ..self }
    }
}

use Category::{Directive, Observer, Transform};
use Run::{Bounded, InPlace, Queued};

/// All of them.
pub static TABLE: [Row; 28] = [
    row("pre_tool_call", Directive, "TOOL_PRE_EXECUTE", Bounded, CALL)
        .when("once a call, at `TOOL_TRANSFORM`; again only where the call was changed after that")
        .returns("block refuses, approve asks the user, modify lays arguments over the model's; a callback that fails blocks"),
    row("post_tool_call", Observer, "TOOL_POST_EXECUTE", Bounded, ENDED_CALL),
    row("transform_tool_result", Transform, "TOOL_RESULT_TRANSFORM", Bounded, RESULT)
        .returns("the first text, even an empty one, replaces the result"),
    row("transform_terminal_output", Transform, "TRANSFORM_TERMINAL_OUTPUT", Bounded,
        &["command", "output", "returncode", "env_type", "tool_call_id"])
        .when("for results of `shell`, before `transform_tool_result`")
        .returns("the first text, even an empty one, replaces the output"),
    row("pre_llm_call", Directive, "TURN_PRE", Bounded,
        &["user_message", "conversation_history", "is_first_turn", "parent_session_id", "sender_id"])
        .returns("a text, or `context`, is added to the user's message as the model gets it"),
    row("post_llm_call", Observer, "POST_LLM_CALL", Bounded,
        &["user_message", "assistant_response", "conversation_history"])
        .when("once a turn that ended with an answer"),
    row("transform_llm_output", Transform, "MESSAGE_TRANSFORM", Bounded, &["response_text"])
        .when("once a turn, for the answer without tool calls")
        .returns("the first text that is not empty replaces the answer"),
    row("pre_verify", Directive, "LOOP_CONTINUE", Bounded,
        &["coding", "attempt", "final_response", "changed_paths"])
        .when("where files were changed and the turn is complete, at most three times in a row")
        .returns("continue, or a decision to block, sends the agent back with a message; the first one counts"),
    row("pre_api_request", Observer, "GENERATION_PRE", Bounded,
        &["provider", "user_message", "request_messages", "request", "api_call_count", "retry_count", "message_count",
          "tool_count", "approx_input_tokens", "request_char_count", "max_tokens", "started_at", "middleware_trace"])
        .when("after all hooks that change the request"),
    row("post_api_request", Observer, "GENERATION_POST", Bounded,
        &["provider", "api_call_count", "api_duration", "ended_at", "finish_reason", "response_model", "usage",
          "assistant_message", "assistant_content_chars", "assistant_tool_call_count"]),
    row("api_request_error", Observer, "ERROR", Bounded, &["provider", "error", "retryable", "retry_count"])
        .when("for errors of the model"),
    row("pre_auxiliary_call", Observer, "PRE_AUXILIARY_CALL", Bounded,
        &["aux_task", "provider", "retry_count", "request_messages", "message_count", "tool_count", "max_tokens"])
        .when("by whoever makes such calls"),
    row("post_auxiliary_call", Observer, "POST_AUXILIARY_CALL", Bounded,
        &["aux_task", "provider", "api_duration", "usage", "response", "error"])
        .when("by whoever makes such calls"),
    row("transform_api_error_classification", Transform, "TRANSFORM_API_ERROR_CLASSIFICATION", InPlace,
        &["provider", "status_code", "error_message", "error", "num_messages"])
        .when("by hosts that ask")
        .returns("the first with a `reason` counts; others are told"),
    row("on_stream_start", Observer, "ON_STREAM_START", Queued, &["provider", "iteration"]),
    row("on_stream_delta", Observer, "GENERATION_CHUNK", Queued, &["delta", "kind", "iteration"])
        .when("thoughts only where that is wanted"),
    row("on_stream_end", Observer, "ON_STREAM_END", Queued, &["final_text", "finished", "error", "iteration"]),
    row("on_interim_message", Observer, "ON_INTERIM_MESSAGE", Queued, &["text", "already_streamed", "iteration"])
        .when("before the first tool call of a step in which the model also said something"),
    row("on_skill_lifecycle", Observer, "ON_SKILL_LIFECYCLE", InPlace,
        &["action", "skill_name", "provenance", "use_count", "reused"])
        .when("by whoever keeps skills"),
    row("on_session_start", Observer, "SESSION_START", Bounded, &["reason"])
        .when("for sessions that were not opened before"),
    row("on_session_end", Observer, "TURN_POST", Bounded,
        &["completed", "failed", "interrupted", "turn_exit_reason"])
        .when("**at the end of every turn**"),
    row("on_session_finalize", Observer, "SESSION_END", InPlace, &["reason"])
        .when("at the real end of the session"),
    row("on_session_reset", Observer, "ON_SESSION_RESET", InPlace, &["reason", "old_session_id", "new_session_id"])
        .when("for sessions that the host opens with `Replaces`"),
    row("agent_loop_stopped", Observer, "GENERATION_INTERRUPT", InPlace, &["session_key", "reason"]),
    row("subagent_start", Observer, "SUBAGENT_START", InPlace,
        &["parent_session_id", "parent_turn_id", "child_session_id", "child_role", "child_goal"])
        .when("by whoever runs sub-agents"),
    row("subagent_stop", Observer, "SUBAGENT_STOP", InPlace,
        &["parent_session_id", "parent_turn_id", "child_session_id", "child_role", "child_summary", "child_status",
          "tool_call_history", "duration_ms"])
        .when("by whoever runs sub-agents"),
    row("pre_approval_request", Observer, "TOOL_CONFIRM", InPlace,
        &["command", "description", "pattern_key", "pattern_keys", "session_key", "tool_call_id"])
        .when("before anybody answers"),
    row("post_approval_response", Observer, "POST_APPROVAL_RESPONSE", InPlace,
        &["command", "description", "pattern_key", "pattern_keys", "session_key", "tool_call_id", "choice"])
        .when("when the call is over"),
];

/// The hook of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

/// The table as the README shows it.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from("| Hermes | | here | told | its return |\n|---|---|---|---|---|\n");
    for Row { name, category, point, when, passed, returned, .. } in &TABLE {
        let kind = match category {
            Directive => "D",
            Transform => "T",
            Observer => "O",
        };
        let when = if when.is_empty() { String::new() } else { format!("; {when}") };
        let passed = passed.join("`, `");
        // Writing into a text does not fail.
        let _ = writeln!(text, "| `{name}` | {kind} | `{point}`{when} | `{passed}` | {returned} |");
    }
    text
}
