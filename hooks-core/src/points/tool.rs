//! Tool calls.

use std::time::Duration;

use crate::declared::tool::ToolResult;
use crate::hook_point;
use crate::plain::ask::{Confirmation, Why};
use crate::plain::message::Message;
use crate::plain::tool_use::{ToolStatus, ToolUse};

hook_point! {
    /// A tool call is about to be checked; hooks may rewrite it, so that the gate sees what will run.
    pub TOOL_TRANSFORM("tool.transform", aliases = ["updatedInput", "modify"]) -> Fold<ToolUse> {
        /// The call.
        #[fold]
        tool_use: &ToolUse,
    }

    /// A tool call is about to run, before any confirmation. A refusal becomes the tool's result, and the
    /// model reads the reason.
    pub TOOL_PRE_EXECUTE("tool.execute.pre", aliases = ["pre_tool_call", "PRE_TOOL_EXECUTION"]) -> Gate {
        /// The call.
        tool_use: &ToolUse,
    }

    /// The tool's own policy or a gate wants the call confirmed. If nobody answers it is refused.
    pub TOOL_CONFIRM("tool.confirm", aliases = ["pre_approval_request", "PermissionRequest"])
        -> First<Confirmation>
    {
        /// The call.
        tool_use: &ToolUse,
        /// What to show: a diff, a command.
        preview: Option<&str>,
        /// Who wants it confirmed.
        why: &Why,
    }

    /// A tool call runs, which gates and user have let through: hooks stand around the tool itself. They may time it, run it again,
    /// change what runs, or answer in its place. A call that a hook changed is looked at by `TOOL_PRE_EXECUTE`, and confirmed
    /// where it has to be, before it runs.
    pub TOOL_EXECUTE("tool.execute", aliases = ["wrap_tool_call"]) -> Around<ToolResult> {
        /// The call.
        #[fold]
        tool_use: &ToolUse,
    }

    /// A tool call is over: always after `TOOL_PRE_EXECUTE`, whatever happened.
    pub TOOL_POST_EXECUTE("tool.execute.post", aliases = ["post_tool_call"]) -> Messages {
        /// The call.
        tool_use: &ToolUse,
        /// What the tool gave back.
        result: &[Message],
        /// How it ended.
        status: ToolStatus,
        /// How long it ran.
        duration: Duration,
    }

    /// A tool's result is about to be stored, after `TOOL_POST_EXECUTE` saw the original.
    pub TOOL_RESULT_TRANSFORM("tool.result.transform", aliases = ["transform_tool_result"])
        -> Fold<Vec<Message>>
    {
        /// The call.
        tool_use: &ToolUse,
        /// What will be stored.
        #[fold]
        result: &[Message],
    }
}
