//! One record, and the text that is hashed.

use hookspec::tool::ToolStatus;
use hookspec::{Message, ToolUse};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::key::Key;

/// What a hash without a key begins with.
pub(super) const PLAIN: &str = "sha256:";
/// What a hash with a key begins with.
pub(super) const KEYED: &str = "hmac-sha256:";

/// SHA-256 in hex.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// SHA-256 of a text, with its prefix.
pub(super) fn hash(text: &str) -> String {
    format!("{PLAIN}{}", digest(text.as_bytes()))
}

/// The hash that ties a record, or the tail, to what it says.
pub(super) fn seal(fields: &Map<String, Value>, key: Option<&Key>) -> String {
    let text = canonical(fields);
    key.map_or_else(|| hash(&text), |key| format!("{KEYED}{}", key.sign(&text)))
}

/// Before or after the tool ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    Pre,
    Post,
}

impl Phase {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pre => "pre",
            Self::Post => "post",
        }
    }

    pub(super) fn read(value: Option<&Value>) -> Option<Self> {
        match value?.as_str()? {
            "pre" => Some(Self::Pre),
            "post" => Some(Self::Post),
            _ => None,
        }
    }
}

/// A record before it has a number and a place in the chain.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) fields: Map<String, Value>,
    /// What the two records of a call have in common.
    pub(super) mark: String,
}

impl Record {
    pub(super) fn new(phase: Phase, call: &ToolUse) -> Self {
        let args = if call.args.is_empty() { Value::Null } else { json!(call.args) };
        let mut arguments = Map::from_iter([("args_hash".to_owned(), json!(hash(&json_text(&args))))]);
        if !call.kwargs.is_empty() {
            arguments.insert("kwargs_hash".to_owned(), json!(hash(&canonical(&call.kwargs))));
        }
        if !call.content.is_empty() {
            arguments.insert("content_hash".to_owned(), json!(hash(&call.content)));
        }
        let mut fields = Map::from_iter([
            ("tool".to_owned(), json!(call.tool)),
            ("phase".to_owned(), json!(phase.name())),
        ]);
        if let Some(id) = &call.call_id {
            fields.insert("call_id".to_owned(), json!(id));
        }
        let mut both = fields.clone();
        both.extend(arguments.clone());
        let mark = mark(&both);
        Self { fields: if phase == Phase::Pre { both } else { fields }, mark }
    }

    /// Whether the call has an id of its own.
    pub(super) fn has_id(&self) -> bool {
        self.fields.contains_key("call_id")
    }

    /// The end of what this call was before it was changed.
    pub(super) fn superseded(&self) -> Map<String, Value> {
        let kept = ["tool", "call_id"].into_iter();
        let mut fields: Map<_, _> =
            kept.filter_map(|name| Some((name.to_owned(), self.fields.get(name)?.clone()))).collect();
        fields.insert("phase".to_owned(), json!(Phase::Post.name()));
        fields.insert("result_hash".to_owned(), json!(hash("")));
        fields.insert("status".to_owned(), json!("superseded"));
        fields
    }

    pub(super) fn ended(mut self, status: ToolStatus, result: &[Message]) -> Self {
        let text: Vec<&str> = result.iter().map(|message| message.content.as_str()).collect();
        self.fields.insert("result_hash".to_owned(), json!(hash(&text.join("\n"))));
        self.fields.insert("status".to_owned(), json!(status));
        self
    }
}

/// What tells one open call from another: its id, or else its tool and arguments.
pub(super) fn mark(fields: &Map<String, Value>) -> String {
    if let Some(id) = fields.get("call_id").and_then(Value::as_str) {
        return format!("id {id}");
    }
    let names = ["tool", "args_hash", "kwargs_hash", "content_hash"];
    let parts = names.map(|name| fields.get(name).and_then(Value::as_str).unwrap_or_default());
    parts.join(" ")
}

/// The text of a record that is hashed: keys sorted, `", "` and `": "` between, ASCII only.
pub(super) fn canonical(fields: &Map<String, Value>) -> String {
    let mut text = String::new();
    object(fields, &mut text);
    text
}

fn json_text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn object(fields: &Map<String, Value>, text: &mut String) {
    // Sorted here, since another crate may ask serde_json to keep the order in which keys came.
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(key, _)| key.as_str());
    text.push('{');
    for (index, (key, value)) in fields.into_iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        quote(key, text);
        text.push_str(": ");
        write(value, text);
    }
    text.push('}');
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::String(string) => quote(string, text),
        Value::Object(fields) => object(fields, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => text.push_str(&value.to_string()),
    }
}

fn quote(string: &str, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            ' '..='~' => text.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    text.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_canonical_text_is_pythons() {
        let Value::Object(fields) = json!({
            "z": [1, 2.5, null, true, {}],
            "a": "é \u{1F600}\u{7f}\u{1}\"\\\n\r\t\u{8}\u{c}",
            "B": {"y": [], "x": -3},
        }) else {
            panic!("an object")
        };
        assert_eq!(
            canonical(&fields),
            r#"{"B": {"x": -3, "y": []}, "a": "\u00e9 \ud83d\ude00\u007f\u0001\"\\\n\r\t\b\f", "z": [1, 2.5, null, true, {}]}"#
        );
    }

    #[test]
    fn row_17_no_arguments_and_an_empty_result() {
        let call = ToolUse::fenced("shell", [""; 0], "");
        let pre = Record::new(Phase::Pre, &call);
        let hash = pre.fields["args_hash"].as_str().unwrap();
        assert!(hash.starts_with("sha256:74234e98") && hash.ends_with("982b90b"), "{hash}");
        let post = Record::new(Phase::Post, &call).ended(ToolStatus::Ok, &[]);
        let hash = post.fields["result_hash"].as_str().unwrap();
        assert!(hash.starts_with("sha256:e3b0c442") && hash.ends_with("b855"), "{hash}");
        assert_eq!(pre.mark, post.mark);
    }

    #[test]
    fn calls_that_differ_in_any_argument_have_other_marks() {
        let call = |text: &str| ToolUse::fenced("shell", [""; 0], text);
        let mark = |call: &ToolUse| Record::new(Phase::Post, call).mark;
        let named = ToolUse { kwargs: Map::from_iter([("a".into(), json!(1))]), ..call("ls") };
        let with_id = ToolUse { call_id: Some("1".into()), ..call("ls") };
        let all = [mark(&call("ls")), mark(&call("ps")), mark(&named), mark(&with_id)];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "{one}");
        }
    }
}
