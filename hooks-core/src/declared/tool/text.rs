//! A call's texts by their names, however the call was written.
//!
//! A native call names its arguments; a fenced one has words and a block, and the tool's declaration says what they
//! are called (`#[tool(args = [path], content = command)]`). A hook that looked at one way only could be walked
//! around by the other.

use std::borrow::Cow;

use serde_json::Value;

use crate::plain::tool_use::{CallFormat, ToolUse};

use super::entry::ArgumentNames;
use super::linked::linked_tools;

/// Where an argument stands in a call.
#[derive(Clone, Copy, PartialEq)]
enum Slot {
    /// Among the named arguments.
    Named,
    /// The words from there on; of that one alone if others follow by declaration.
    Words { from: usize, to_the_end: bool },
    /// The block.
    Block,
}

/// What a path is called where nobody says what the words of a call are.
const PATHS: [&str; 4] = ["path", "file", "file_path", "filename"];

impl ToolUse {
    /// An argument that is a text, however the call was written: of a native call the one of that name, of a fenced
    /// one what the tool's declaration calls so, be it the block or words behind the tool's name.
    ///
    /// Of a fenced call of a tool that is not linked into this program nothing says what is called how: then a path
    /// is its words, and anything else its block, so that a gate sees too much rather than nothing.
    ///
    /// ```
    /// use hookspec::ToolUse;
    ///
    /// let arguments = serde_json::json!({ "command": "rm -rf /" });
    /// let native = ToolUse::native("shell", "c1", arguments.as_object().cloned().unwrap_or_default());
    /// let fenced = ToolUse::fenced("shell", [""; 0], "rm -rf /");
    /// for call in [native, fenced] {
    ///     assert!(call.text("command").is_some_and(|command| command.contains("rm -rf")));
    /// }
    /// ```
    #[must_use]
    pub fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        match self.slot(name)? {
            Slot::Named => self.kwargs.get(name).and_then(Value::as_str).map(Cow::Borrowed),
            Slot::Block => Some(Cow::Borrowed(&self.content)),
            Slot::Words { from, to_the_end } => match self.args.get(from..)? {
                [] => None,
                [word] => Some(Cow::Borrowed(word)),
                [word, ..] if !to_the_end => Some(Cow::Borrowed(word)),
                words => Some(Cow::Owned(words.join(" "))),
            },
        }
    }

    /// The same call with another text for an argument, written the way that the call is: what
    /// [`text`](Self::text) gives is then `text`, and the tool reads it so.
    ///
    /// ```
    /// use hookspec::ToolUse;
    ///
    /// let fenced = ToolUse::fenced("shell", [""; 0], "git push --force");
    /// let gentle = fenced.with_text("command", "git push --force-with-lease");
    /// assert_eq!(gentle.content, "git push --force-with-lease");
    /// ```
    #[must_use]
    pub fn with_text(&self, name: &str, text: impl Into<String>) -> Self {
        let (mut call, text) = (self.clone(), text.into());
        match self.slot(name) {
            None | Some(Slot::Named) => {
                call.kwargs.insert(name.to_owned(), Value::String(text));
            }
            Some(Slot::Block) => call.content = text,
            Some(Slot::Words { from, to_the_end }) => {
                if to_the_end {
                    call.args.truncate(from);
                }
                call.args.resize(call.args.len().max(from + 1), String::new());
                call.args[from] = text;
            }
        }
        call
    }

    fn slot(&self, name: &str) -> Option<Slot> {
        if self.kwargs.contains_key(name) {
            return Some(Slot::Named);
        }
        let mut declared = linked_tools().iter().filter(|tool| tool.name == self.tool).peekable();
        if declared.peek().is_some() {
            return declared.find_map(|tool| self.declared_slot(tool.names, name));
        }
        let unwritten = self.args.is_empty() && self.content.is_empty();
        if unwritten && (self.format == CallFormat::Tool || !self.kwargs.is_empty()) {
            return None;
        }
        let words = (!self.args.is_empty()).then_some(Slot::Words { from: 0, to_the_end: true });
        let block = (!self.content.trim().is_empty()).then_some(Slot::Block);
        if PATHS.contains(&name) { words.or(block) } else { block.or(words) }
    }

    /// Where the tool itself reads what the call does not name: see [`ToolEntry::arguments`](super::ToolEntry::arguments).
    fn declared_slot(&self, names: ArgumentNames, name: &str) -> Option<Slot> {
        // A native call has no words and no block, unless a hook gave it some; then the tool reads them.
        let native = self.format == CallFormat::Tool || !self.kwargs.is_empty();
        let words = names.words;
        let word = words.iter().position(|word| *word == name);
        let word = word.filter(|from| !native || self.args.len() > *from);
        let word = word.map(|from| Slot::Words { from, to_the_end: from + 1 == words.len() });
        let block = names.content == Some(name) && (!native || !self.content.is_empty());
        word.or_else(|| block.then_some(Slot::Block))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn native(arguments: &Value) -> ToolUse {
        ToolUse::native("unknown", "c", arguments.as_object().cloned().unwrap())
    }

    #[test]
    fn a_native_call_has_what_it_names_and_nothing_else() {
        let call = native(&json!({ "command": "ls", "n": 7 }));
        assert_eq!(call.text("command").as_deref(), Some("ls"));
        assert_eq!((call.text("n"), call.text("path")), (None, None));
        assert_eq!(native(&json!({})).text("command"), None);
        assert_eq!(call.with_text("command", "pwd").kwargs["command"], "pwd");
        assert_eq!(call.with_text("path", "/x").kwargs["path"], "/x");
        // As events are written by hand: named arguments, and no word of the format.
        let by_hand: ToolUse =
            serde_json::from_value(json!({ "tool": "x", "kwargs": { "a": "b" } })).unwrap();
        assert_eq!((by_hand.text("a").as_deref(), by_hand.text("c")), (Some("b"), None));
    }

    #[test]
    fn what_a_hook_added_to_a_native_call_is_seen_as_the_tool_reads_it() {
        let names = ArgumentNames { words: &["path"], content: Some("command") };
        let call = native(&json!({ "n": 7 }));
        assert!(
            call.declared_slot(names, "command").is_none() && call.declared_slot(names, "path").is_none()
        );
        let more = ToolUse { content: "rm -rf /".into(), args: vec!["a".into()], ..call };
        assert!(more.declared_slot(names, "command") == Some(Slot::Block));
        assert!(more.declared_slot(names, "path") == Some(Slot::Words { from: 0, to_the_end: true }));
        assert_eq!(more.text("command").as_deref(), Some("rm -rf /"), "and of a tool that is not linked");
        let empty = ToolUse::fenced("unknown", [""; 0], "");
        assert!(
            empty.declared_slot(names, "command") == Some(Slot::Block),
            "a fence without text is an empty text"
        );
    }

    #[test]
    fn of_a_tool_that_is_not_linked_a_path_is_the_words_and_the_rest_the_block() {
        let save = ToolUse::fenced("unknown", ["my", "file.txt"], "text");
        assert_eq!(save.text("path").as_deref(), Some("my file.txt"));
        assert_eq!(save.text("content").as_deref(), Some("text"));
        assert_eq!(save.with_text("path", "b c").args, ["b c"]);
        let read = ToolUse::fenced("unknown", [""; 0], "a.txt");
        assert_eq!(read.text("path").as_deref(), Some("a.txt"));
        assert_eq!(ToolUse::fenced("unknown", ["rm", "-rf"], "").text("command").as_deref(), Some("rm -rf"));
        assert_eq!(ToolUse::fenced("unknown", [""; 0], " \n").text("command"), None);
    }
}
