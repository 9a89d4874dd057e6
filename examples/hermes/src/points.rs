//! Moments that Hermes has and core has not.
//!
//! Where it can be, they are fired by hooks of this crate that listen to core points, so that they happen in every
//! host that links it. What a host alone can know is fired by the functions of [`hosts`](crate::hosts). All are `sync`: they are
//! fired from within plain hooks.

use std::time::Duration;

use hookspec::ask::Why;
use hookspec::model::{Request, Usage};
use hookspec::{Message, ToolUse, hook_point};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What became of a question to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The call ran.
    Once,
    /// The call was refused: by the user, or because nobody could be asked.
    Deny,
    /// The session was interrupted before the call was over.
    Cancelled,
}

/// How a sub-agent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChildStatus {
    /// It did its work.
    Completed,
    /// It did not.
    Failed,
    /// It was cut short.
    Interrupted,
    /// It could not go on.
    Error,
}

/// One tool call of a sub-agent: what it was, not what was in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChildCall {
    /// The tool.
    pub tool_name: String,
    /// How many bytes its arguments had.
    pub input_bytes: u64,
    /// How many bytes its result had.
    pub output_bytes: u64,
    /// How it ended.
    pub status: hookspec::tool::ToolStatus,
}

/// What a failed call to a model is held for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Classification {
    /// The reason for going to another model, by the host's name for it.
    pub reason: String,
    /// Whether to try again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// Whether the conversation should be compacted first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub should_compress: Option<bool>,
    /// Whether another key should be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub should_rotate_credential: Option<bool>,
    /// Whether another model should be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub should_fallback: Option<bool>,
    /// What to say about it, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whatever else is known.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub error_context: Map<String, Value>,
}

hook_point! {
    /// The output of a command is about to become the tool's result. The first text replaces it.
    pub TRANSFORM_TERMINAL_OUTPUT("hermes.terminal.output", aliases = ["transform_terminal_output"], sync)
        -> First<String>
    {
        /// The call.
        tool_use: &ToolUse,
        /// The command.
        command: &str,
        /// What it wrote.
        output: &str,
        /// How it ended; nothing where it was ended, or is not known.
        returncode: Option<i32>,
    }

    /// A turn has ended with an answer: once a turn, and not when it was interrupted or failed.
    pub POST_LLM_CALL("hermes.turn.answered", aliases = ["post_llm_call"], sync) -> Messages {
        /// What the user had said.
        user_message: &str,
        /// The answer.
        assistant_response: &str,
    }

    /// A call to a model beside the conversation (a title, a summary, an approval) is about to go out.
    pub PRE_AUXILIARY_CALL("hermes.auxiliary.pre", aliases = ["pre_auxiliary_call"], sync) -> Messages {
        /// What it is for.
        aux_task: &str,
        /// Links all attempts at one call.
        api_request_id: &str,
        /// What will be sent.
        request: &Request,
        /// How often this call was tried before, from 0.
        attempt: u32,
    }

    /// A call to a model beside the conversation is over.
    pub POST_AUXILIARY_CALL("hermes.auxiliary.post", aliases = ["post_auxiliary_call"], sync) -> Messages {
        /// What it was for.
        aux_task: &str,
        /// Links all attempts at one call.
        api_request_id: &str,
        /// The model.
        model: &str,
        /// The answer, if there was one.
        response: Option<&Message>,
        /// Tokens, where the model told.
        usage: Option<&Usage>,
        /// How long it took.
        duration: Duration,
        /// What went wrong, if something did.
        error: Option<&str>,
    }

    /// A call to a model failed, and the host is about to decide what that means.
    pub TRANSFORM_API_ERROR_CLASSIFICATION(
        "hermes.error.classify", aliases = ["transform_api_error_classification"], sync
    ) -> First<Classification> {
        /// The model.
        model: &str,
        /// What happened.
        error: &str,
        /// The status of the answer, where there was one.
        status_code: Option<u16>,
        /// How many messages were sent.
        num_messages: u32,
    }

    /// The first piece of an answer has come.
    pub ON_STREAM_START("hermes.stream.start", aliases = ["on_stream_start"], sync) -> Messages {
        /// The model.
        model: &str,
    }

    /// A stream is over.
    pub ON_STREAM_END("hermes.stream.end", aliases = ["on_stream_end"], sync) -> Messages {
        /// The answer, as far as it came.
        final_text: &str,
        /// Whether it came to its end.
        finished: bool,
        /// What went wrong, if something did.
        error: Option<&str>,
    }

    /// What the model said before it called tools.
    pub ON_INTERIM_MESSAGE("hermes.message.interim", aliases = ["on_interim_message"], sync) -> Messages {
        /// What it said.
        text: &str,
        /// Whether that was shown while it came.
        already_streamed: bool,
    }

    /// A skill was made, used or changed, and whoever keeps it has stored that.
    pub ON_SKILL_LIFECYCLE("hermes.skill", aliases = ["on_skill_lifecycle"], sync) -> Messages {
        /// What happened.
        action: &str,
        /// The skill.
        skill_name: &str,
        /// Where it comes from.
        provenance: &str,
        /// How often it was used.
        use_count: u32,
        /// Whether it was used before.
        reused: bool,
    }

    /// This session has taken the place of another, which is over: before its own `SESSION_START` hooks.
    pub ON_SESSION_RESET("hermes.session.reset", aliases = ["on_session_reset"], sync) -> Messages {
        /// The session before.
        old_session: &str,
        /// Why.
        reason: &str,
    }

    /// A sub-agent is about to run. Fired in the session that started it.
    pub SUBAGENT_START("hermes.subagent.start", aliases = ["subagent_start"], sync) -> Messages {
        /// Its session.
        child_session: &str,
        /// What it is.
        role: &str,
        /// What it shall do.
        goal: &str,
    }

    /// A sub-agent is over. Fired in the session that started it, on its thread.
    pub SUBAGENT_STOP("hermes.subagent.stop", aliases = ["subagent_stop"], sync) -> Messages {
        /// Its session.
        child_session: &str,
        /// What it is.
        role: &str,
        /// What it came to.
        summary: &str,
        /// How it ended.
        status: ChildStatus,
        /// The tool calls it made.
        calls: &[ChildCall],
        /// How long it took.
        duration: Duration,
    }

    /// A tool call about which the user was asked is decided.
    pub POST_APPROVAL_RESPONSE("hermes.approval.post", aliases = ["post_approval_response"], sync) -> Messages {
        /// The call.
        tool_use: &ToolUse,
        /// Why it was asked about.
        why: &Why,
        /// What became of it.
        choice: Choice,
    }
}
