//! Gemini CLI. Standard output must be JSON and nothing else.

use serde_json::{Map, Value, json};

use super::{Body, Can, Rewrite, context, text};
use crate::moment::{Incoming, Moment};
use crate::outcome::Outcome;

pub(super) fn can(incoming: &Incoming) -> Can {
    let none = Can::default();
    let halts = Can { halt: true, ..none };
    match incoming.name.as_str() {
        "SessionStart" => Can { context: true, ..none },
        "BeforeAgent" => Can { deny: true, context: true, beside: true, ..halts },
        "BeforeModel" => Can { rewrite: Rewrite::Whole, ..halts },
        "AfterModel" => Can { replace: true, ..halts },
        "BeforeTool" => Can { deny: true, rewrite: Rewrite::Merge, ..halts },
        "AfterTool" => Can { replace: true, context: true, beside: true, ..halts },
        "AfterAgent" => Can { go_on: true, ..halts },
        _ => none,
    }
}

pub(super) fn write(incoming: &Incoming, outcome: Outcome) -> Map<String, Value> {
    let event = incoming.name.as_str();
    let mut body = Body::default();
    let mut inner = Body::default();
    if let Some(reason) = outcome.denied().or(outcome.go_on.as_ref()) {
        body.put("decision", "deny");
        body.put("reason", text(reason));
    }
    match event {
        "BeforeTool" => inner.maybe("tool_input", outcome.rewrite),
        "BeforeModel" => inner.maybe("llm_request", outcome.rewrite),
        "AfterModel" => inner.maybe("llm_response", outcome.replace.map(|text| response(incoming, &text))),
        "AfterTool" => {
            if let Some(replaced) = outcome.replace {
                body.put("decision", "deny");
                let blank = replaced.trim().is_empty();
                body.put("reason", if blank { "(a hook removed this result)".to_owned() } else { replaced });
            }
        }
        _ => {}
    }
    inner.maybe("additionalContext", context(&outcome.context));
    body.specific(event, inner);
    body.halt(outcome.halt.as_ref());
    body.0
}

fn response(incoming: &Incoming, text: &str) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": [text] } });
    if let Moment::ModelPost { finish: Some(_), .. } = &incoming.moment {
        candidate["finishReason"] = Value::from("STOP");
    }
    json!({ "candidates": [candidate] })
}
