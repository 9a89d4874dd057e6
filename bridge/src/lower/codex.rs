//! Codex. Its engine lets things pass on every answer that it does not expect to the letter: unknown keys, nulls,
//! a bare "allow", "ask", a block without a reason. None of these is ever written.

use serde_json::{Map, Value, json};

use super::{Body, Can, Rewrite, context, text};
use crate::moment::Incoming;
use crate::outcome::{Opinion, Outcome, Reason};

pub(super) fn can(incoming: &Incoming) -> Can {
    let none = Can::default();
    match incoming.name.as_str() {
        "SessionStart" => Can { context: true, halt: true, ..none },
        "UserPromptSubmit" => Can { deny: true, context: true, beside: true, halt: true, ..none },
        "PreToolUse" => Can { deny: true, rewrite: Rewrite::Whole, context: true, ..none },
        "PermissionRequest" => Can { deny: true, allow: true, ..none },
        "PostToolUse" => Can { replace: true, context: true, halt: true, ..none },
        "PostCompact" => Can { halt: true, ..none },
        "Stop" => Can { go_on: true, halt: true, ..none },
        _ => none,
    }
}

pub(super) fn write(incoming: &Incoming, outcome: Outcome) -> Map<String, Value> {
    let event = incoming.name.as_str();
    let mut body = Body::default();
    let mut inner = Body::default();
    match event {
        "PreToolUse" => {
            if let Some(reason) = outcome.denied() {
                inner.put("permissionDecision", "deny");
                inner.put("permissionDecisionReason", text(reason));
            } else if let Some(input) = outcome.rewrite {
                inner.put("permissionDecision", "allow");
                inner.put("updatedInput", input);
            }
        }
        "PermissionRequest" => match &outcome.opinion {
            Some(Opinion::Deny(reason)) => {
                inner.put("decision", json!({ "behavior": "deny", "message": text(reason) }));
            }
            Some(Opinion::Allow) => inner.put("decision", json!({ "behavior": "allow" })),
            Some(Opinion::Ask(_)) | None => {}
        },
        // The text of a block takes the place of the result.
        "PostToolUse" => {
            if let Some(replaced) = outcome.replace.filter(|_| outcome.halt.is_none()) {
                let blank = replaced.trim().is_empty();
                body.block(&Reason::new(if blank {
                    "(a hook removed this result)".into()
                } else {
                    replaced
                }));
            }
        }
        "Stop" => {
            if let Some(reason) = &outcome.go_on {
                body.block(reason);
            }
        }
        _ => {
            if let Some(reason) = outcome.denied() {
                body.block(reason);
            }
        }
    }
    inner.maybe("additionalContext", context(&outcome.context));
    body.specific(event, inner);
    body.halt(outcome.halt.as_ref());
    body.0
}
