//! Which files a tool call names, however the call was written.
//!
//! A native call has them among its named arguments (`path`, `files`, `edits[].path`, …), at any depth that a
//! person would write; a fenced call in the words behind the tool's name, or in its block. A call that names
//! files nowhere names none: a shell's command is not searched.

use std::path::{Component, Path, PathBuf};

use hookspec::{Session, ToolUse};
use serde_json::{Map, Value};

/// Named arguments that hold a path, in lower case and without `_` and `-`.
const KEYS: [&str; 18] = [
    "path",
    "paths",
    "file",
    "files",
    "filepath",
    "filepaths",
    "filename",
    "filenames",
    "absolutepath",
    "relativepath",
    "targetfile",
    "notebookpath",
    "oldpath",
    "newpath",
    "directory",
    "dir",
    "cwd",
    "folder",
];

/// The same, only for tools with a name that speaks of files.
const KEYS_OF_FILE_TOOLS: [&str; 3] = ["source", "destination", "target"];

/// Words of a tool's name that speak of files.
const FILE_WORDS: [&str; 6] = ["file", "files", "directory", "directories", "folder", "notebook"];

/// Tools that take their path as the first word, for a host that has not registered them.
const FILE_TOOLS: [&str; 12] = [
    "read",
    "save",
    "append",
    "patch",
    "patch_many",
    "morph",
    "edit",
    "hashline_edit",
    "write",
    "read_file",
    "write_file",
    "edit_file",
];

/// Tools that run programs: their directory says nothing about the files that they touch.
const SHELLS: [&str; 12] = [
    "shell",
    "bash",
    "sh",
    "zsh",
    "fish",
    "tmux",
    "terminal",
    "run_command",
    "run_terminal_cmd",
    "exec_command",
    "python",
    "ipython",
];

/// Nesting of named arguments that is looked through.
const DEPTH: usize = 5;
/// Paths of one call; more would be a listing.
const MOST: usize = 256;
/// Bytes of a path, as most systems have it.
const LONGEST: usize = 4096;

/// The files and directories that a call names: absolute, through links as far as they exist, each once;
/// named arguments in the order of their names. `home` is what `~` stands for.
pub(crate) fn call_paths(call: &ToolUse, session: &Session, home: Option<&Path>) -> Vec<PathBuf> {
    if runs_programs(&call.tool) {
        return Vec::new();
    }
    let registry = session.hooks().load();
    // The words of a fenced call, by the names that the tool itself gives them.
    let own = registry.tools().get(&call.tool).filter(|_| call.kwargs.is_empty());
    let own = own.map(|tool| tool.arguments(call));
    let cwd = session.cwd();
    let mut paths: Vec<PathBuf> = Vec::new();
    for name in named(call, own.as_ref()).into_iter().take(MOST) {
        let path = resolve(&cwd, home, &name);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Whether a tool runs programs, so that what it touches can't be told from its arguments.
pub(crate) fn runs_programs(tool: &str) -> bool {
    SHELLS.contains(&last_segment(tool))
}

/// An MCP tool's name without the server's: `mcp__files__read_file`, `files.read_file`, `files/read_file`.
fn last_segment(tool: &str) -> &str {
    let tool = tool.rsplit("__").next().unwrap_or(tool);
    tool.rsplit(['.', '/', ':']).next().unwrap_or(tool)
}

/// The paths as they were written.
fn named(call: &ToolUse, own: Option<&Map<String, Value>>) -> Vec<String> {
    let of_files = speaks_of_files(&call.tool);
    let mut found = Vec::new();
    gather(&call.kwargs, of_files, DEPTH, &mut found);
    if found.is_empty()
        && let Some(own) = own
    {
        gather(own, of_files, DEPTH, &mut found);
    }
    let tool = last_segment(&call.tool);
    if found.is_empty() && (of_files || FILE_TOOLS.contains(&tool)) {
        found.extend(first_word(call).filter(|word| fits(word)));
    }
    if found.is_empty() && tool == "read" {
        let lines = call.content.lines().map(str::trim);
        found.extend(lines.filter(|line| fits(line) && !line.starts_with('#')).map(str::to_owned));
    }
    if found.is_empty() && (tool.contains("patch") || tool.contains("edit")) {
        for key in ["input", "patch", "patches", "edits", "diff"] {
            from_patch(&call.text(key).unwrap_or_default(), of_files, &mut found);
        }
    }
    found
}

/// The first word behind the tool's name; some programs hand over the whole tag, name and all.
fn first_word(call: &ToolUse) -> Option<String> {
    let word = call.args.first()?.trim();
    let rest = word.strip_prefix(call.tool.as_str()).and_then(|rest| rest.strip_prefix(char::is_whitespace));
    Some(rest.unwrap_or(word).trim().to_owned())
}

fn speaks_of_files(tool: &str) -> bool {
    let tool = last_segment(tool).to_ascii_lowercase();
    tool.split(['_', '-']).any(|word| FILE_WORDS.contains(&word))
}

/// Whether a text can be a path at all.
fn fits(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && !text.contains(['\0', '\n', '\r'])
}

/// Paths among named arguments, in the order of their names: that in which a map keeps them depends on how
/// the program was built.
fn gather(arguments: &Map<String, Value>, of_files: bool, depth: usize, found: &mut Vec<String>) {
    let mut arguments: Vec<(&String, &Value)> = arguments.iter().collect();
    arguments.sort_by_key(|(key, _)| *key);
    for (key, value) in arguments {
        let key: String = key.chars().filter(|c| !matches!(c, '_' | '-')).collect();
        let key = key.to_ascii_lowercase();
        let is_path =
            KEYS.contains(&key.as_str()) || (of_files && KEYS_OF_FILE_TOOLS.contains(&key.as_str()));
        gather_value(value, is_path, key.ends_with('s'), of_files, depth, found);
    }
}

fn gather_value(
    value: &Value,
    is_path: bool,
    many: bool,
    of_files: bool,
    depth: usize,
    found: &mut Vec<String>,
) {
    match value {
        Value::String(text) if is_path => {
            let text = text.trim();
            if !many {
                found.extend(fits(text).then(|| plain(text)));
            } else if !from_json(text, of_files, found) {
                let parts = text.split([',', '\n']).map(str::trim);
                found.extend(parts.filter(|part| fits(part)).map(plain));
            }
        }
        Value::Array(values) if depth > 0 => {
            for value in values {
                gather_value(value, is_path, false, of_files, depth - 1, found);
            }
        }
        Value::Object(inner) if depth > 0 => gather(inner, of_files, depth - 1, found),
        _ => {}
    }
}

fn plain(text: &str) -> String {
    text.strip_prefix("file://").unwrap_or(text).to_owned()
}

/// Paths in JSON that was handed over as text; whether it was JSON.
fn from_json(text: &str, of_files: bool, found: &mut Vec<String>) -> bool {
    if !text.starts_with(['[', '{']) {
        return false;
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else { return false };
    gather_value(&value, true, false, of_files, DEPTH, found);
    true
}

/// Paths in a patch of several files.
fn from_patch(text: &str, of_files: bool, found: &mut Vec<String>) {
    if from_json(text.trim_start(), of_files, found) {
        return;
    }
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"];
    for line in text.lines() {
        let name = marks.iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim);
        found.extend(name.filter(|name| fits(name)).map(str::to_owned));
    }
}

/// Where a path leads: absolute, `~` expanded, without `..`, through the links of whatever exists of it.
pub(crate) fn resolve(cwd: &Path, home: Option<&Path>, path: &str) -> PathBuf {
    let expanded = match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    };
    let mut resolved = PathBuf::new();
    for component in cwd.join(expanded).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                resolved.pop();
            }
            other => {
                resolved.push(other);
                // Link by link, so that `link/..` means what the system means by it.
                if let Ok(real) = resolved.canonicalize() {
                    resolved = real;
                }
            }
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use hookspec::{Hooks, Registry};
    use serde_json::json;

    use super::*;

    fn paths(call: &ToolUse) -> Vec<String> {
        let hooks = Hooks::new(Registry::builder().linked(false).build().unwrap());
        let session = Session::builder(&hooks, "s").workspace("/nowhere/w").build();
        let found = call_paths(call, &session, Some(Path::new("/nowhere/home")));
        found.iter().map(|path| path.display().to_string()).collect()
    }

    fn native(tool: &str, arguments: Value) -> Vec<String> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        paths(&ToolUse::native(tool, "1", arguments))
    }

    fn fenced(tool: &str, args: &[&str], content: &str) -> Vec<String> {
        paths(&ToolUse::fenced(tool, args.iter().copied(), content))
    }

    #[test]
    fn named_arguments_of_any_tool() {
        assert_eq!(native("read", json!({"path": "sub/a.py"})), ["/nowhere/w/sub/a.py"]);
        assert_eq!(native("mcp__fs__read_text", json!({"filePath": "/x/../y"})), ["/y"]);
        assert_eq!(native("weather", json!({"city": "Oslo", "source": "met"})), [""; 0]);
        assert_eq!(
            native("fs.move_file", json!({"source": "a", "destination": "b/c"})),
            ["/nowhere/w/b/c", "/nowhere/w/a"],
            "in the order of the arguments' names"
        );
        assert_eq!(native("x", json!({"path": "file:///etc/hosts"})), ["/etc/hosts"]);
    }

    #[test]
    fn lists_come_as_arrays_or_split_at_commas_and_lines() {
        let expected = ["/nowhere/w/a", "/nowhere/w/b"];
        for files in [json!(["a", "b", "a"]), json!("a, b"), json!("a\nb\n"), json!("[\"a\",\"b\"]")] {
            assert_eq!(native("x", json!({ "files": files })), expected);
        }
        assert_eq!(native("x", json!({"path": "a, b"})), ["/nowhere/w/a, b"], "one path is one path");
    }

    #[test]
    fn patches_of_several_files() {
        let expected = ["/nowhere/w/a", "/nowhere/w/b"];
        let edits = json!({"edits": [{"path": "a", "patch": "…"}, {"path": "b", "patch": "…"}]});
        assert_eq!(native("patch_many", edits.clone()), expected);
        assert_eq!(native("patch_many", json!({"patches": edits["edits"].to_string()})), expected);
        assert_eq!(fenced("patch_many", &[], &edits["edits"].to_string()), expected);
        let patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Add File: b\n+z\n*** End Patch";
        assert_eq!(native("apply_patch", json!({"input": patch})), expected);
        assert_eq!(fenced("patch", &[], "--- a/a\n+++ b/a\n@@\n--- /dev/null\n+++ b/b\n"), expected);
    }

    #[test]
    fn words_of_a_fence() {
        assert_eq!(fenced("save", &["sub/x.py"], "path = 1"), ["/nowhere/w/sub/x.py"]);
        assert_eq!(fenced("save", &["save sub/x.py"], ""), ["/nowhere/w/sub/x.py"], "the whole tag");
        assert_eq!(fenced("append", &["a", "b"], ""), ["/nowhere/w/a"], "row 11: only the first word");
        assert_eq!(fenced("read", &["~/notes"], ""), ["/nowhere/home/notes"], "row 12");
        assert_eq!(fenced("read", &[], "a\n\n# note\n  b\n"), ["/nowhere/w/a", "/nowhere/w/b"], "row 8");
        assert_eq!(fenced("search", &["a"], ""), [""; 0], "not known to take a path");
    }

    #[test]
    fn programs_are_not_searched() {
        assert_eq!(fenced("shell", &["a"], "cat sub/x"), [""; 0]);
        assert_eq!(native("mcp__local__bash", json!({"command": "ls", "cwd": "/tmp"})), [""; 0]);
    }

    #[test]
    fn what_cannot_be_a_path_is_none() {
        assert_eq!(native("x", json!({"path": "a\0b"})), [""; 0]);
        assert_eq!(native("x", json!({"path": "", "file": 7, "files": [null, {}]})), [""; 0]);
        assert_eq!(native("x", json!({"path": "a".repeat(5000)})), [""; 0]);
        let deep = (0..50).fold(json!({"path": "a"}), |inner, _| json!({ "x": inner }));
        assert_eq!(native("x", deep), [""; 0]);
    }

    #[test]
    fn links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("a/b")).unwrap();
        std::os::unix::fs::symlink(real.join("a/b"), real.join("link")).unwrap();
        assert_eq!(resolve(&real, None, "link/../new"), real.join("a/new"));
        assert_eq!(resolve(&real, None, "~"), real.join("~"), "no home, no expansion");
    }
}
