//! Which tool calls may change files.

use hookspec::ToolUse;

use super::commands::{has, script_writes};
use super::python::code_writes;

/// First words of the names of tools that only look.
const LOOKS: &str = "
    browse browser cat check complete count describe diff elicit fetch find get glob grep list lookup ls query
    rag read screenshot search show status think todo view vision
";

/// Words by which a tool changes something, although its name begins like one that looks.
const CHANGES: &str = "
    add append apply commit create delete edit fix insert move patch put remove rename replace save set update write
";

/// Whether the call may change files. A tool that nothing is known of may, unless its name begins like one that only
/// looks and has no word for a change, or it is in `reading`.
pub(super) fn writes(call: &ToolUse, reading: &[String]) -> bool {
    if call.tool.is_empty() || reading.contains(&call.tool) {
        return false;
    }
    let runs = |argument: &str| call.text(argument).unwrap_or_default();
    match call.tool.as_str() {
        "shell" | "bash" => script_writes(&runs("command")),
        "ipython" | "python" => code_writes(&runs("code")),
        "tmux" => tmux_writes(&runs("command")),
        name => !looks(name),
    }
}

/// `read_file`, `mcp__files__list-all`, `github.getIssue`; not `search_replace`.
fn looks(tool: &str) -> bool {
    let name = tool.rsplit(['.', '/', ':']).next().unwrap_or(tool);
    let name = name.rsplit("__").next().unwrap_or(name);
    let mut words = words(name).into_iter();
    words.next().is_some_and(|first| has(LOOKS, &first)) && !words.any(|word| has(CHANGES, &word))
}

/// The words of a name, in lower case; signs end one, and a capital begins one.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for next in name.chars() {
        if !next.is_ascii_lowercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| next.is_ascii_alphabetic()) {
            word.push(next.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a new window runs, where it is quoted. Keys that are sent to one are typed, and nobody knows into what.
fn tmux_writes(text: &str) -> bool {
    ["new-session", "new-window", "split-window", "respawn-pane"].iter().any(|command| {
        let Some((_, rest)) = text.split_once(command) else { return false };
        quoted(rest, '\'').or_else(|| quoted(rest, '"')).is_some_and(script_writes)
    })
}

fn quoted(text: &str, quote: char) -> Option<&str> {
    text.split_once(quote)?.1.split_once(quote).map(|(inner, _)| inner)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn fenced(tool: &str, text: &str) -> bool {
        writes(&ToolUse::fenced(tool, [""; 0], text), &["mcp__x__run".to_owned()])
    }

    #[test]
    fn tools_that_edit_always_write_and_unknown_ones_unless_they_look() {
        for tool in [
            "save",
            "append",
            "patch",
            "morph",
            "patch_many",
            "hashline",
            "mcp__files__write",
            "deploy",
            "reader",
            "mcp.x.getaway",
            "search_replace",
            "find-and-replace",
            "checkAndFixFile",
            "mcp__x__get_or_create",
        ] {
            assert!(fenced(tool, ""), "{tool}");
        }
        for tool in [
            "read",
            "read_file",
            "mcp__files__list-all",
            "github.getIssue",
            "Search",
            "mcp__x__run",
            "",
            "vision",
        ] {
            assert!(!fenced(tool, ""), "{tool}");
        }
    }

    #[test]
    fn t_tmux() {
        assert!(fenced("tmux", "new-session -d 'echo hi > o'"));
        assert!(fenced("tmux", "split-window \"make\""));
        for text in
            ["new-session -d 'ls'", "send-keys 0 'rm x' Enter", "new-session -d", "respawn-pane \"ls\""]
        {
            assert!(!fenced("tmux", text), "{text}");
        }
    }

    #[test]
    fn native_calls_are_read_from_their_arguments() {
        let native = |tool: &str, name: &str, text: &str| {
            writes(&ToolUse::native(tool, "1", Map::from_iter([(name.to_owned(), json!(text))])), &[])
        };
        assert!(native("shell", "command", "touch a") && !native("shell", "command", "ls"));
        assert!(native("ipython", "code", "open('f','w')") && !native("ipython", "code", "a > b"));
        assert!(native("tmux", "command", "new-session 'touch a'"));
        assert!(!native("shell", "other", "touch a"));
    }
}
