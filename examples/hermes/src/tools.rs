//! Our tool calls in Hermes's words, and their arguments back in ours.

use std::borrow::Cow;

use hookspec::tool::CallFormat;
use hookspec::{Session, ToolUse};
use serde_json::{Map, Value, json};

/// The tool whose result is a terminal's output.
pub(crate) const TERMINAL: &str = "shell";

/// Our tools that Hermes calls by another name.
const NAMES: &[(&str, &str)] =
    &[("shell", "terminal"), ("save", "write_file"), ("read", "read_file"), ("patch", "patch")];

/// What Hermes calls a tool; tools that it does not have keep their names.
pub(crate) fn name(call: &ToolUse) -> &str {
    NAMES.iter().find(|(ours, _)| *ours == call.tool).map_or(call.tool.as_str(), |(_, theirs)| theirs)
}

/// The call's id; for a call without one, where it stands in its message.
pub(crate) fn call_id(call: &ToolUse) -> String {
    call.call_id.clone().unwrap_or_else(|| format!("call-{}", call.start.unwrap_or_default()))
}

/// The arguments by their names, however the call was written.
pub(crate) fn args(call: &ToolUse, session: &Session) -> Map<String, Value> {
    if let Some(tool) = session.hooks().load().tools().get(&call.tool) {
        return tool.arguments(call);
    }
    let mut args = call.kwargs.clone();
    if !call.args.is_empty() {
        args.entry("args").or_insert_with(|| json!(call.args));
    }
    if !call.content.is_empty() {
        args.entry("content").or_insert_with(|| json!(call.content));
    }
    args
}

/// The call with these arguments laid over its own; a later value of a key counts.
pub(crate) fn with_args(call: &ToolUse, over: &Map<String, Value>, session: &Session) -> ToolUse {
    let mut merged = args(call, session);
    merged.extend(over.clone());
    if over.is_empty() || merged == args(call, session) {
        return call.clone();
    }
    let registry = session.hooks().load();
    let block = registry.tools().get(&call.tool).and_then(|tool| tool.names.content);
    let mut changed = ToolUse { args: Vec::new(), kwargs: merged, ..call.clone() };
    // Whoever shows a call that was written as a block shows the block.
    if call.format != CallFormat::Tool
        && let Some(text) = block.and_then(|name| changed.text(name)).map(Cow::into_owned)
    {
        changed.content = text;
    }
    changed
}

#[cfg(test)]
mod tests {
    use hookspec::{Hooks, Registry};

    use super::*;

    fn session() -> Session {
        Session::builder(&Hooks::new(Registry::builder().linked(false).build().unwrap()), "s").build()
    }

    #[test]
    fn tools_go_by_hermess_names() {
        let names = ["shell", "save", "read", "patch", "other"].map(|tool| {
            let call = ToolUse::fenced(tool, [""; 0], "");
            name(&call).to_owned()
        });
        assert_eq!(names, ["terminal", "write_file", "read_file", "patch", "other"]);
    }

    #[test]
    fn arguments_are_laid_over_and_nothing_changes_without_any() {
        let session = session();
        let call = ToolUse::native("t", "c", Map::from_iter([("a".to_owned(), json!(1))]));
        assert_eq!(with_args(&call, &Map::new(), &session), call);
        let same = Map::from_iter([("a".to_owned(), json!(1))]);
        assert_eq!(with_args(&call, &same, &session), call, "no change is no rewrite");
        let block = ToolUse::fenced("t", ["a"], "text");
        let same = Map::from_iter([("content".to_owned(), json!("text"))]);
        assert_eq!(with_args(&block, &same, &session), block, "it stays as it was written");
        let over = Map::from_iter([("b".to_owned(), json!(2))]);
        assert_eq!(Value::Object(with_args(&call, &over, &session).kwargs), json!({ "a": 1, "b": 2 }));
    }
}
