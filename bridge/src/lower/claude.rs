//! Claude Code. Bad answers are shown to the user and let things pass, so only documented keys are written.

use hookspec::ask::{Answer, FieldAnswer};
use serde_json::{Map, Value, json};

use super::{Body, Can, Rewrite, context, text};
use crate::moment::{Incoming, Moment};
use crate::outcome::{Opinion, Outcome};

pub(super) fn can(incoming: &Incoming) -> Can {
    let none = Can { halt: true, ..Can::default() };
    let told = Can { context: true, beside: true, ..none };
    match incoming.name.as_str() {
        "SessionStart" | "PostToolUseFailure" | "PostToolBatch" | "PostModelSwitch" => told,
        "UserPromptSubmit" => Can { deny: true, ..told },
        "MessageDisplay" => Can { replace: true, halt: false, ..none },
        "PreToolUse" => Can { deny: true, ask: true, allow: true, rewrite: Rewrite::Whole, ..told },
        "PermissionRequest" => Can { deny: true, allow: true, rewrite: Rewrite::Whole, ..none },
        "PostToolUse" => {
            let replace = match &incoming.moment {
                Moment::ToolPost(ended) => reshaped(ended.raw.as_ref(), "").is_some(),
                _ => true,
            };
            Can { replace, ..told }
        }
        // What is said at Stop keeps the agent going, so nothing is said that does not mean to.
        "Stop" => Can { go_on: true, ..none },
        "Elicitation" => Can { answer: true, ..none },
        "SessionEnd" | "StopFailure" => Can::default(),
        _ => none,
    }
}

pub(super) fn write(incoming: &Incoming, outcome: Outcome) -> Map<String, Value> {
    let event = incoming.name.as_str();
    let mut body = Body::default();
    let mut inner = Body::default();
    match event {
        "PreToolUse" => {
            let decision = match &outcome.opinion {
                Some(Opinion::Deny(reason)) => Some(("deny", text(reason))),
                Some(Opinion::Ask(reason)) => Some(("ask", text(reason))),
                Some(Opinion::Allow) => Some(("allow", Value::from("a hook answered for the user"))),
                None => None,
            };
            if let Some((decision, reason)) = decision {
                inner.put("permissionDecision", decision);
                inner.put("permissionDecisionReason", reason);
            }
            // Without a decision the user's own rules still look at what will run.
            inner.maybe("updatedInput", outcome.rewrite);
        }
        "PermissionRequest" => match &outcome.opinion {
            Some(Opinion::Deny(reason)) => {
                inner.put("decision", json!({ "behavior": "deny", "message": text(reason) }));
            }
            Some(Opinion::Allow) => {
                let mut decision = Body::default();
                decision.put("behavior", "allow");
                decision.maybe("updatedInput", outcome.rewrite);
                inner.put("decision", decision.0);
            }
            Some(Opinion::Ask(_)) | None => {}
        },
        "PostToolUse" => {
            let raw = match &incoming.moment {
                Moment::ToolPost(ended) => ended.raw.as_ref(),
                _ => None,
            };
            inner.maybe("updatedToolOutput", outcome.replace.and_then(|text| reshaped(raw, &text)));
        }
        "MessageDisplay" => inner.maybe("displayContent", outcome.replace.map(Value::from)),
        "Stop" => {
            if let Some(reason) = &outcome.go_on {
                body.block(reason);
            }
        }
        "Elicitation" => {
            if let Some(answer) = &outcome.answer {
                answered(&mut inner, incoming, answer);
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

/// A text in the shape of the tool's own result; `None` where that shape is not known.
fn reshaped(raw: Option<&Value>, text: &str) -> Option<Value> {
    match raw? {
        Value::String(_) => Some(Value::from(text)),
        Value::Array(_) => Some(json!([{ "type": "text", "text": text }])),
        Value::Object(map) => {
            let mut map = map.clone();
            if map.contains_key("stdout") {
                map.insert("stdout".to_owned(), Value::from(text));
                if map.contains_key("stderr") {
                    map.insert("stderr".to_owned(), Value::from(""));
                }
                return Some(Value::Object(map));
            }
            if let Some(Value::Object(file)) = map.get_mut("file")
                && file.contains_key("content")
            {
                file.insert("content".to_owned(), Value::from(text));
                return Some(Value::Object(map));
            }
            let content = map.get("content").and_then(|content| reshaped(Some(content), text))?;
            map.insert("content".to_owned(), content);
            Some(Value::Object(map))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn answered(inner: &mut Body, incoming: &Incoming, answer: &Answer) {
    let field = match &incoming.moment {
        Moment::Elicit(request) => request.fields.first().map(|field| field.name.clone()),
        _ => None,
    };
    let one = |value: Value| field.map(|field| Value::Object(Map::from_iter([(field, value)])));
    let (action, content) = match answer {
        Answer::Form(fields) => {
            let said = fields.iter().map(|(name, said)| (name.clone(), revealed(said)));
            ("accept", Some(Value::Object(said.collect())))
        }
        Answer::Text(text) => ("accept", one(Value::from(text.as_str()))),
        Answer::Many(texts) => ("accept", one(Value::from(texts.clone()))),
        Answer::Secret(secret) => ("accept", one(Value::from(secret.reveal()))),
        Answer::Declined => ("decline", None),
        Answer::Cancelled => ("cancel", None),
    };
    inner.put("action", action);
    inner.maybe("content", content);
}

/// What was said in a field, a secret too: the client asked for it.
fn revealed(said: &FieldAnswer) -> Value {
    match said {
        FieldAnswer::Boolean(said) => Value::from(*said),
        FieldAnswer::Number(said) => Value::Number(said.clone()),
        FieldAnswer::Text(said) => Value::from(said.as_str()),
        FieldAnswer::Secret(said) => Value::from(said.reveal()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_result_has_the_shape_of_the_tools_own() {
        let to = |raw: Value| reshaped(Some(&raw), "x");
        assert_eq!(
            to(json!({"stdout": "a", "stderr": "b", "isImage": false})),
            Some(json!({"stdout": "x", "stderr": "", "isImage": false}))
        );
        assert_eq!(to(json!("a")), Some(json!("x")));
        assert_eq!(
            to(json!({"type": "text", "file": {"content": "a", "numLines": 1}})),
            Some(json!({"type": "text", "file": {"content": "x", "numLines": 1}}))
        );
        assert_eq!(
            to(json!({"content": [{"type": "text", "text": "a"}], "isError": false})),
            Some(json!({"content": [{"type": "text", "text": "x"}], "isError": false}))
        );
        assert_eq!(to(json!({"filePath": "/a", "success": true})), None);
    }
}
