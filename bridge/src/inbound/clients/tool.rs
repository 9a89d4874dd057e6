//! Our tool calls in their words, and their arguments back in ours.

use hookspec::ToolUse;
use hookspec::tool::CallFormat;
use serde_json::{Map, Value, json};

use super::Dialect;

/// A call as a handler is told of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Theirs {
    pub(super) name: String,
    pub(super) input: Value,
}

/// Their name of a tool, and its arguments: theirs, ours, and where a call in markdown has it.
struct Shape {
    name: &'static str,
    hermes: &'static str,
    fields: &'static [(&'static str, &'static str, Slot)],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    /// The first word after the tool's name.
    Word,
    /// The text of the block.
    Block,
}

fn shape(tool: &str) -> Option<Shape> {
    Some(match tool {
        "shell" => Shape { name: "Bash", hermes: "terminal", fields: &[("command", "command", Slot::Block)] },
        "save" => Shape {
            name: "Write",
            hermes: "write_file",
            fields: &[("file_path", "path", Slot::Word), ("content", "content", Slot::Block)],
        },
        "patch" => Shape {
            name: "Edit",
            hermes: "patch",
            fields: &[("file_path", "path", Slot::Word), ("patch", "patch", Slot::Block)],
        },
        "read" => Shape { name: "Read", hermes: "read_file", fields: &[("file_path", "path", Slot::Word)] },
        _ => return None,
    })
}

impl Theirs {
    pub(super) fn of(dialect: Dialect, call: &ToolUse) -> Self {
        let mut input = call.kwargs.clone();
        let Some(shape) = shape(&call.tool) else {
            if !call.args.is_empty() {
                input.entry("args").or_insert_with(|| json!(call.args));
            }
            if !call.content.is_empty() {
                input.entry("content").or_insert_with(|| json!(call.content));
            }
            return Self { name: call.tool.clone(), input: Value::Object(input) };
        };
        let hermes = dialect == Dialect::Hermes;
        for (theirs, ours, slot) in shape.fields {
            let theirs = if hermes { ours } else { theirs };
            let written = || match slot {
                Slot::Word => call.args.first().cloned(),
                Slot::Block => Some(call.content.clone()),
            };
            if let Some(value) = input.remove(*ours).or_else(|| written().map(Value::from)) {
                input.insert((*theirs).to_owned(), value);
            }
        }
        let name = if hermes { shape.hermes } else { shape.name };
        Self { name: name.to_owned(), input: Value::Object(input) }
    }

    /// All names that a matcher may mean.
    pub(super) fn names(&self, dialect: Dialect) -> Vec<&str> {
        let mut names = vec![self.name.as_str()];
        if dialect == Dialect::Codex && matches!(&*self.name, "Write" | "Edit") {
            names.extend(["apply_patch", "Write", "Edit"]);
        }
        names
    }

    /// Our call with the arguments that a handler gave instead.
    pub(super) fn rewritten(call: &ToolUse, input: &Value) -> Result<ToolUse, String> {
        let Value::Object(input) = input else {
            return Err(format!("the new arguments are no object: {input}"));
        };
        let mut input: Map<String, Value> = input.clone();
        let mut changed = call.clone();
        let Some(shape) = shape(&call.tool) else {
            changed.args.clear();
            changed.content.clear();
            if call.kwargs.is_empty() && call.format != CallFormat::Tool {
                let words = input.remove("args").unwrap_or_else(|| json!([]));
                changed.args = serde_json::from_value(words).map_err(|error| format!("`args`: {error}"))?;
                if let Some(Value::String(content)) = input.remove("content") {
                    changed.content = content;
                }
            }
            changed.kwargs = input;
            return Ok(changed);
        };
        let native = !call.kwargs.is_empty() || call.format == CallFormat::Tool;
        for (theirs, ours, slot) in shape.fields {
            // Hermes has our names of arguments.
            let value = input.remove(*theirs).or_else(|| input.remove(*ours));
            let Some(value) = value else { continue };
            if native {
                input.insert((*ours).to_owned(), value);
                continue;
            }
            let Value::String(text) = value else { return Err(format!("`{theirs}` must be a text")) };
            match slot {
                Slot::Word if changed.args.is_empty() => changed.args.push(text),
                Slot::Word => text.clone_into(&mut changed.args[0]),
                Slot::Block => changed.content = text,
            }
        }
        changed.kwargs = input;
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_every_form_go_there_and_back() {
        let native =
            |tool: &str, input: Value| ToolUse::native(tool, "c", serde_json::from_value(input).unwrap());
        for (call, name, input) in [
            (ToolUse::fenced("shell", [""; 0], "ls"), "Bash", json!({ "command": "ls" })),
            (native("shell", json!({ "command": "ls" })), "Bash", json!({ "command": "ls" })),
            (ToolUse::fenced("save", ["a"], "x"), "Write", json!({ "file_path": "a", "content": "x" })),
            (
                native("save", json!({ "path": "a", "content": "x" })),
                "Write",
                json!({ "file_path": "a", "content": "x" }),
            ),
            (ToolUse::fenced("read", ["a"], ""), "Read", json!({ "file_path": "a" })),
            (ToolUse::fenced("other", ["a"], "x"), "other", json!({ "args": ["a"], "content": "x" })),
            (native("other", json!({ "q": 1 })), "other", json!({ "q": 1 })),
        ] {
            let theirs = Theirs::of(Dialect::Claude, &call);
            assert_eq!((theirs.name.as_str(), &theirs.input), (name, &input));
            assert_eq!(Theirs::rewritten(&call, &theirs.input), Ok(call));
        }
        let call = ToolUse::fenced("save", ["a"], "x");
        let theirs = Theirs::of(Dialect::Hermes, &call);
        assert_eq!(
            (theirs.name.as_str(), &theirs.input),
            ("write_file", &json!({ "path": "a", "content": "x" }))
        );
        assert_eq!(Theirs::rewritten(&call, &theirs.input), Ok(call));
        let call = ToolUse::fenced("shell", [""; 0], "rm x");
        assert_eq!(Theirs::rewritten(&call, &json!({ "command": "ls" })).unwrap().content, "ls");
        assert!(Theirs::rewritten(&call, &json!("ls")).is_err());
    }
}
