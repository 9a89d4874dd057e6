//! The hook points that core declares: for errors that name the right one. `hooks-core/tests/point_names.rs` holds the
//! list equal to the declarations.

/// The name in code, the name on the wire, other systems' names.
pub(crate) const CORE_POINTS: &[(&str, &str, &[&str])] = &[
    ("CACHE_INVALIDATED", "cache.invalidated", &[]),
    ("CWD_CHANGED", "cwd.changed", &[]),
    ("ELICIT", "elicit", &[]),
    ("ERROR", "error", &["post_error", "api_request_error"]),
    ("FILE_POST_PATCH", "file.patch.post", &[]),
    ("FILE_POST_SAVE", "file.save.post", &["post_file_edit"]),
    ("FILE_PRE_PATCH", "file.patch.pre", &[]),
    ("FILE_PRE_SAVE", "file.save.pre", &[]),
    ("GENERATION_CHUNK", "generation.chunk", &["on_stream_delta"]),
    ("GENERATION_INTERRUPT", "generation.interrupt", &["agent_loop_stopped"]),
    ("GENERATION_POST", "generation.post", &["post_api_request"]),
    ("GENERATION_PRE", "generation.pre", &["pre_api_request"]),
    ("LOOP_CONTINUE", "loop.continue", &["pre_verify", "Stop"]),
    ("MESSAGE_POST_PROCESS", "message.post", &[]),
    ("MESSAGE_PRE_PROCESS", "message.pre", &["user_prompt_submit", "pre_gateway_dispatch"]),
    ("MESSAGE_TRANSFORM", "message.transform", &["transform_llm_output"]),
    ("SESSION_END", "session.end", &["on_session_finalize"]),
    ("SESSION_START", "session.start", &["on_session_start"]),
    ("STEP_POST", "step.post", &[]),
    ("STEP_PRE", "step.pre", &[]),
    ("TOOL_CONFIRM", "tool.confirm", &["pre_approval_request", "PermissionRequest"]),
    ("TOOL_POST_EXECUTE", "tool.execute.post", &["post_tool_call"]),
    ("TOOL_PRE_EXECUTE", "tool.execute.pre", &["pre_tool_call", "PRE_TOOL_EXECUTION"]),
    ("TOOL_RESULT_TRANSFORM", "tool.result.transform", &["transform_tool_result"]),
    ("TOOL_TRANSFORM", "tool.transform", &["updatedInput", "modify"]),
    ("TURN_POST", "turn.post", &["on_session_end"]),
    ("TURN_PRE", "turn.pre", &["pre_llm_call"]),
];
