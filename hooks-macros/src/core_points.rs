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
    ("GENERATION", "generation", &["wrap_model_call"]),
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
    ("TOOL_EXECUTE", "tool.execute", &["wrap_tool_call"]),
    ("TOOL_POST_EXECUTE", "tool.execute.post", &["post_tool_call"]),
    ("TOOL_PRE_EXECUTE", "tool.execute.pre", &["pre_tool_call", "PRE_TOOL_EXECUTION"]),
    ("TOOL_RESULT_TRANSFORM", "tool.result.transform", &["transform_tool_result"]),
    ("TOOL_TRANSFORM", "tool.transform", &["updatedInput", "modify"]),
    ("TURN_POST", "turn.post", &["on_session_end"]),
    ("TURN_PRE", "turn.pre", &["pre_llm_call"]),
];

/// Where core's points have a neighbour for what cannot be done at them: the point, the gate, the point that rewrites.
pub(crate) const NEIGHBOURS: &[(&str, Option<&str>, Option<&str>)] = &[
    ("FILE_POST_PATCH", Some("FILE_PRE_PATCH"), Some("FILE_PRE_PATCH")),
    ("FILE_POST_SAVE", Some("FILE_PRE_SAVE"), Some("FILE_PRE_SAVE")),
    ("GENERATION_CHUNK", None, Some("MESSAGE_TRANSFORM")),
    ("GENERATION_POST", None, Some("MESSAGE_TRANSFORM")),
    ("TOOL_CONFIRM", Some("TOOL_PRE_EXECUTE"), Some("TOOL_TRANSFORM")),
    ("TOOL_POST_EXECUTE", Some("TOOL_PRE_EXECUTE"), Some("TOOL_RESULT_TRANSFORM")),
    ("TOOL_PRE_EXECUTE", None, Some("TOOL_TRANSFORM")),
    ("TOOL_RESULT_TRANSFORM", Some("TOOL_PRE_EXECUTE"), None),
    ("TOOL_TRANSFORM", Some("TOOL_PRE_EXECUTE"), None),
    ("TURN_PRE", Some("MESSAGE_PRE_PROCESS"), Some("MESSAGE_PRE_PROCESS")),
];
