//! GitHub Copilot. Under a camel-case key the answer is flat; under Claude's spelling VS Code wants Claude's
//! envelope, and the program in the terminal the flat keys: it gets both, and neither minds the other.

use serde_json::{Map, Value, json};

use super::{Body, Can, Rewrite, context, text};
use crate::events::Spelling;
use crate::moment::Incoming;
use crate::outcome::{Opinion, Outcome};

pub(super) fn can(incoming: &Incoming) -> Can {
    let none = Can::default();
    match incoming.name.as_str() {
        "userPromptSubmitted" => Can { deny: true, context: true, beside: true, ..none },
        "preToolUse" => Can { deny: true, ask: true, allow: true, rewrite: Rewrite::Whole, ..none },
        "permissionRequest" => Can { deny: true, allow: true, ..none },
        "postToolUse" => Can { replace: true, context: true, beside: true, ..none },
        "sessionStart" | "postToolUseFailure" => Can { context: true, ..none },
        "agentStop" => Can { go_on: true, ..none },
        _ => none,
    }
}

pub(super) fn write(incoming: &Incoming, spelling: Spelling, outcome: Outcome) -> Map<String, Value> {
    let mut body = Body::default();
    match incoming.name.as_str() {
        "preToolUse" => {
            let decision = match &outcome.opinion {
                Some(Opinion::Deny(reason)) => Some(("deny", text(reason))),
                Some(Opinion::Ask(reason)) => Some(("ask", text(reason))),
                Some(Opinion::Allow) => Some(("allow", Value::from("a hook answered for the user"))),
                None => None,
            };
            if let Some((decision, reason)) = decision {
                body.put("permissionDecision", decision);
                body.put("permissionDecisionReason", reason);
            }
            if let Some(input) = outcome.rewrite {
                let key = if spelling == Spelling::Camel { "modifiedArgs" } else { "updatedInput" };
                body.put(key, input.clone());
                body.put("modifiedArgs", input);
            }
        }
        "permissionRequest" => match &outcome.opinion {
            Some(Opinion::Deny(reason)) => {
                body.put("behavior", "deny");
                body.put("message", text(reason));
            }
            Some(Opinion::Allow) => body.put("behavior", "allow"),
            Some(Opinion::Ask(_)) | None => {}
        },
        "postToolUse" => {
            let result = |text| json!({ "resultType": "success", "textResultForLlm": text });
            body.maybe("modifiedResult", outcome.replace.map(result));
        }
        _ => {
            if let Some(reason) = outcome.denied().or(outcome.go_on.as_ref()) {
                body.block(reason);
            }
        }
    }
    body.maybe("additionalContext", context(&outcome.context));
    if spelling == Spelling::Snake && !body.0.is_empty() {
        let mut inner = Body(body.0.clone());
        if let Some(event) = pascal(&incoming.name) {
            inner.0.remove("modifiedArgs");
            body.0.remove("updatedInput");
            body.specific(event, inner);
        }
    }
    body.0
}

/// Claude's name of an event.
fn pascal(event: &str) -> Option<&'static str> {
    Some(match event {
        "sessionStart" => "SessionStart",
        "userPromptSubmitted" => "UserPromptSubmit",
        "preToolUse" => "PreToolUse",
        "postToolUse" => "PostToolUse",
        _ => return None,
    })
}
