//! Hermes's shell hooks.

use serde_json::{Map, Value};

use super::{Body, Can, Rewrite, context, text};
use crate::moment::Incoming;
use crate::outcome::{Opinion, Outcome};

pub(super) fn can(incoming: &Incoming) -> Can {
    let none = Can::default();
    match incoming.name.as_str() {
        "pre_tool_call" => Can { deny: true, ask: true, rewrite: Rewrite::Merge, ..none },
        "pre_llm_call" => Can { context: true, ..none },
        "pre_verify" => Can { go_on: true, ..none },
        _ => none,
    }
}

pub(super) fn write(incoming: &Incoming, outcome: Outcome) -> Map<String, Value> {
    let mut body = Body::default();
    match incoming.name.as_str() {
        "pre_tool_call" => match (&outcome.opinion, outcome.rewrite) {
            (Some(Opinion::Deny(reason)), _) => {
                body.put("action", "block");
                body.put("message", text(reason));
            }
            // One answer holds one action; where a question is wanted too, `fit` has made a refusal of both.
            (_, Some(input)) => {
                body.put("action", "modify");
                body.put("args", input);
            }
            (Some(Opinion::Ask(reason)), None) => {
                body.put("action", "approve");
                body.put("message", text(reason));
            }
            (Some(Opinion::Allow) | None, None) => {}
        },
        "pre_verify" => {
            if let Some(reason) = &outcome.go_on {
                body.put("action", "continue");
                body.put("message", text(reason));
            }
        }
        _ => {}
    }
    body.maybe("context", context(&outcome.context));
    body.0
}
