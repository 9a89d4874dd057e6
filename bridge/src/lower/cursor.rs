//! Cursor. Its permission events refuse on an answer that is not JSON, so there always is one.

use serde_json::{Map, Value};

use super::{Body, Can, Rewrite, context, text};
use crate::moment::{Incoming, Moment};
use crate::outcome::{Opinion, Outcome};

pub(super) fn can(incoming: &Incoming) -> Can {
    let none = Can::default();
    match incoming.name.as_str() {
        "sessionStart" | "postToolUseFailure" => Can { context: true, ..none },
        "beforeSubmitPrompt" => Can { deny: true, ..none },
        // It takes "ask" here, and does not ask.
        "preToolUse" => Can { deny: true, allow: true, rewrite: Rewrite::Whole, ..none },
        "beforeShellExecution" | "beforeMCPExecution" => Can { deny: true, ask: true, allow: true, ..none },
        "beforeReadFile" | "beforeTabFileRead" => Can { deny: true, allow: true, ..none },
        "postToolUse" => {
            let mcp = match &incoming.moment {
                Moment::ToolPost(ended) => {
                    ended.call.tool.starts_with("MCP:") || ended.call.tool.starts_with("mcp__")
                }
                _ => true,
            };
            Can { replace: mcp, context: true, beside: true, ..none }
        }
        "stop" => Can { go_on: true, ..none },
        _ => none,
    }
}

pub(super) fn write(incoming: &Incoming, outcome: Outcome) -> Map<String, Value> {
    let mut body = Body::default();
    match incoming.name.as_str() {
        "beforeSubmitPrompt" => {
            if let Some(reason) = outcome.denied() {
                body.put("continue", false);
                body.put("user_message", text(reason));
            }
        }
        "stop" => body.maybe("followup_message", outcome.go_on.as_ref().map(text)),
        "postToolUse" => body.maybe("updated_mcp_tool_output", outcome.replace.map(Value::from)),
        _ => {
            let permission = match &outcome.opinion {
                Some(Opinion::Deny(reason)) => Some(("deny", Some(text(reason)))),
                Some(Opinion::Ask(reason)) => Some(("ask", Some(text(reason)))),
                Some(Opinion::Allow) => Some(("allow", None)),
                None => None,
            };
            if let Some((permission, reason)) = permission {
                body.put("permission", permission);
                body.maybe("user_message", reason.clone());
                body.maybe("agent_message", reason);
            }
            body.maybe("updated_input", outcome.rewrite);
        }
    }
    body.maybe("additional_context", context(&outcome.context));
    body.0
}
