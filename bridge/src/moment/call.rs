//! Tool calls: the client's names and arguments on one side, ours on the other.
//!
//! A hook that looks for `shell`, `save`, `patch` or `read`, and for their `command`, `path` and `content`,
//! finds them whatever the client calls them. Every other argument, and every tool that we have no name
//! for, is handed on as the client named it. A rewritten call is told back in the client's own words.

use hookspec::ToolUse;
use serde_json::{Map, Value};

/// What a tool does, as far as the bridge knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Runs a command: `shell`.
    Shell,
    /// Writes a whole file: `save`.
    Save,
    /// Replaces texts in a file: `patch`.
    Edit,
    /// Applies a patch to several files: `apply_patch`.
    Patch,
    /// Reads a file: `read`.
    Read,
    /// Anything else.
    Other,
}

/// A tool call as the client tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The client's name of the tool.
    pub tool: String,
    /// The arguments, usually an object.
    pub input: Value,
    /// Links the call to its result.
    pub id: Option<String>,
}

const PATHS: [&str; 6] = ["file_path", "path", "filePath", "absolute_path", "target_file", "notebook_path"];
const CONTENTS: [&str; 3] = ["content", "contents", "file_text"];
const OLD: [&str; 2] = ["old_string", "old_str"];
const NEW: [&str; 2] = ["new_string", "new_str"];
const PATCHES: [&str; 3] = ["command", "input", "patch"];
/// Where an input that is no object stands among the named arguments.
const WHOLE: &str = "input";

impl Call {
    /// A call.
    #[must_use]
    pub fn new(tool: &str, input: Value, id: Option<&str>) -> Self {
        Self { tool: tool.to_owned(), input, id: id.map(str::to_owned) }
    }

    /// What the tool does.
    #[must_use]
    pub fn shape(&self) -> Shape {
        match self.tool.to_ascii_lowercase().as_str() {
            "bash" | "powershell" | "shell" | "exec_command" | "local_shell" | "run_shell_command"
            | "terminal" | "developer__shell" | "run_terminal_cmd" | "execute_command" => Shape::Shell,
            "write" | "write_file" | "create" | "create_file" | "developer__write" => Shape::Save,
            "edit" | "multiedit" | "replace" | "str_replace" | "strreplace" | "edit_file"
            | "developer__edit" | "notebookedit" => Shape::Edit,
            "patch" if self.first(&OLD).is_some() => Shape::Edit,
            "apply_patch" | "applypatch" | "patch" => Shape::Patch,
            "read" | "read_file" | "view" => Shape::Read,
            "developer__text_editor" | "text_editor" => match self.text("command") {
                Some("write" | "create") => Shape::Save,
                Some("str_replace") => Shape::Edit,
                Some("view") => Shape::Read,
                _ => Shape::Other,
            },
            _ => Shape::Other,
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.input.get(key).and_then(Value::as_str)
    }

    fn first(&self, keys: &[&'static str]) -> Option<(&'static str, &str)> {
        keys.iter().find_map(|key| Some((*key, self.text(key)?)))
    }

    /// The file that it is about.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.first(&PATHS).map(|(_, path)| path)
    }

    /// What it writes.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.first(&CONTENTS).map(|(_, content)| content)
    }

    /// The text of a patch.
    #[must_use]
    pub fn patch(&self) -> Option<&str> {
        self.input.as_str().or_else(|| self.first(&PATCHES).map(|(_, patch)| patch))
    }

    /// Each text that it replaces, by what, and whether everywhere.
    #[must_use]
    pub fn edits(&self) -> Vec<(&str, &str, bool)> {
        fn edit(value: &Value) -> Option<(&str, &str, bool)> {
            let text = |keys: &[&str]| keys.iter().find_map(|key| value.get(key).and_then(Value::as_str));
            let all = value.get("replace_all").and_then(Value::as_bool).unwrap_or(false)
                || value.get("expected_replacements").and_then(Value::as_u64).is_some_and(|n| n > 1);
            Some((text(&OLD)?, text(&NEW)?, all))
        }
        if let Some(cell) = self.text("new_source") {
            // Where the cell stands in the notebook is not said: its text is new, and that is what hooks see.
            return vec![("", cell, false)];
        }
        match self.input.get("edits").and_then(Value::as_array) {
            Some(edits) => edits.iter().filter_map(edit).collect(),
            None => edit(&self.input).into_iter().collect(),
        }
    }

    /// The call in our words.
    #[must_use]
    pub fn tool_use(&self) -> ToolUse {
        let shape = self.shape();
        let mut kwargs = match &self.input {
            Value::Object(map) => map.clone(),
            Value::Null => Map::new(),
            other => Map::from_iter([(WHOLE.to_owned(), other.clone())]),
        };
        let (name, renamed): (&str, &[(&[&str], &str)]) = match shape {
            Shape::Shell => ("shell", &[]),
            Shape::Save => ("save", &[(&PATHS, "path"), (&CONTENTS, "content")]),
            Shape::Edit => ("patch", &[(&PATHS, "path")]),
            Shape::Read => ("read", &[(&PATHS, "path")]),
            Shape::Patch => ("apply_patch", &[]),
            Shape::Other => (&self.tool, &[]),
        };
        for (theirs, ours) in renamed {
            if let Some(value) = theirs.iter().find_map(|key| kwargs.remove(*key)) {
                kwargs.insert((*ours).to_owned(), value);
            }
        }
        if shape == Shape::Shell
            && let Some(Value::Array(words)) = kwargs.get("command")
        {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            let line = words.join(" ");
            kwargs.insert("command".to_owned(), Value::String(line));
        }
        ToolUse { call_id: self.id.clone(), ..ToolUse::native(name, "", kwargs) }
    }

    /// The client's arguments for a call that hooks made of this one; `None` where it is the same.
    ///
    /// # Errors
    /// Why the client cannot be told.
    pub fn rewritten(&self, changed: &ToolUse) -> Result<Option<Value>, &'static str> {
        let mine = self.tool_use();
        if changed.tool != mine.tool {
            return Err(
                "a hook put another tool in its place, and a client can only be given other arguments",
            );
        }
        if changed.kwargs == mine.kwargs {
            return Ok(None);
        }
        let Value::Object(input) = &self.input else {
            return Ok(changed.kwargs.get(WHOLE).cloned());
        };
        let mut input = input.clone();
        for (ours, value) in &changed.kwargs {
            if mine.kwargs.get(ours) == Some(value) {
                continue;
            }
            let was_words = ours == "command" && input.get("command").is_some_and(Value::is_array);
            let value = match value {
                Value::String(line) if was_words => serde_json::json!(["bash", "-c", line]),
                other => other.clone(),
            };
            input.insert(self.theirs(ours), value);
        }
        for ours in mine.kwargs.keys().filter(|ours| !changed.kwargs.contains_key(*ours)) {
            input.remove(&self.theirs(ours));
        }
        Ok(Some(Value::Object(input)))
    }

    /// The client's name of one of our arguments.
    fn theirs(&self, ours: &str) -> String {
        let keys: &[&'static str] = match (self.shape(), ours) {
            (Shape::Save | Shape::Edit | Shape::Read, "path") => &PATHS,
            (Shape::Save, "content") => &CONTENTS,
            _ => &[],
        };
        keys.iter().find(|key| self.input.get(**key).is_some()).map_or(ours, |key| key).to_owned()
    }

    /// The arguments with which the tool would write `content` instead.
    #[must_use]
    pub fn with_content(&self, content: &str) -> Option<Value> {
        let (key, _) = self.first(&CONTENTS)?;
        self.with(&[(key, Value::from(content))])
    }

    /// The arguments with which the tool would put `after` in the place of the whole file.
    #[must_use]
    pub fn with_whole(&self, before: &str, after: &str) -> Option<Value> {
        if before.is_empty() {
            return None;
        }
        let edit = |old: &str, new: &str| [(old.to_owned(), before), (new.to_owned(), after)];
        if self.input.get("edits").is_some() {
            let edit: Map<String, Value> =
                edit(OLD[0], NEW[0]).into_iter().map(|(key, text)| (key, Value::from(text))).collect();
            return self.with(&[("edits", Value::Array(vec![Value::Object(edit)]))]);
        }
        let (old, new) = (self.first(&OLD)?.0, self.first(&NEW)?.0);
        let mut input = self.with(&[(old, Value::from(before)), (new, Value::from(after))])?;
        if let Value::Object(map) = &mut input {
            map.remove("replace_all");
            map.remove("expected_replacements");
        }
        Some(input)
    }

    /// The arguments with another patch.
    #[must_use]
    pub fn with_patch(&self, patch: &str) -> Option<Value> {
        if self.input.is_string() {
            return Some(Value::from(patch));
        }
        let (key, _) = self.first(&PATCHES)?;
        self.with(&[(key, Value::from(patch))])
    }

    fn with(&self, changed: &[(&str, Value)]) -> Option<Value> {
        let mut input = self.input.as_object()?.clone();
        for (key, value) in changed {
            input.insert((*key).to_owned(), value.clone());
        }
        Some(Value::Object(input))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hooks_see_our_names_and_clients_get_theirs_back() {
        let call = Call::new("Write", json!({"file_path": "/a", "content": "x", "mode": 1}), Some("c1"));
        let mut seen = call.tool_use();
        assert_eq!(
            (seen.tool.as_str(), seen.text("path").as_deref(), seen.text("content").as_deref()),
            ("save", Some("/a"), Some("x"))
        );
        assert_eq!(seen.call_id.as_deref(), Some("c1"));
        assert_eq!(call.rewritten(&seen), Ok(None));
        seen.kwargs.insert("path".into(), json!("/b"));
        seen.kwargs.remove("mode");
        assert_eq!(call.rewritten(&seen), Ok(Some(json!({"file_path": "/b", "content": "x"}))));
        seen.tool = "shell".into();
        assert!(call.rewritten(&seen).is_err());
    }

    #[test]
    fn a_command_in_words_is_one_line_for_hooks() {
        let call = Call::new("shell", json!({"command": ["ls", "-l"]}), None);
        let mut seen = call.tool_use();
        assert_eq!(seen.text("command").as_deref(), Some("ls -l"));
        seen.kwargs.insert("command".into(), json!("ls"));
        assert_eq!(call.rewritten(&seen), Ok(Some(json!({"command": ["bash", "-c", "ls"]}))));
    }

    #[test]
    fn tools_that_nobody_knows_are_handed_on() {
        let call = Call::new("mcp__memory__write", json!({"path": 1}), None);
        assert_eq!(call.shape(), Shape::Other);
        assert_eq!(call.tool_use().tool, "mcp__memory__write");
        let text = Call::new("custom", json!("free text"), None);
        assert_eq!(text.tool_use().text("input").as_deref(), Some("free text"));
        let mut changed = text.tool_use();
        changed.kwargs.insert("input".into(), json!("other"));
        assert_eq!(text.rewritten(&changed), Ok(Some(json!("other"))));
    }
}
