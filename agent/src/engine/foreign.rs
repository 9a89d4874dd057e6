//! Foreign text: which results of tools neither the user, the model nor this host wrote.
//!
//! Such a result names its source, is framed on its way to a model, and labels the session `foreign-text` before it is stored.

use std::path::Path;

use hookspec::session::Label;
use hookspec::{Message, Session, ToolUse};
use hookspec_process::command::{Scene, Simple, read};

/// Our tools that say only what they did, or what the user said.
const OWN: [&str; 5] = ["append", "elicit", "patch", "save", "todo"];
/// Programs that show what others have published.
const FETCH: [&str; 22] = [
    "aria2c", "curl", "curlie", "elinks", "ftp", "gh", "glab", "http", "https", "links", "links2", "lynx",
    "nc", "ncat", "netcat", "sftp", "ssh", "telnet", "w3m", "wget", "xh", "yt-dlp",
];
/// Folders of a workspace that hold what strangers wrote.
const VENDORED: [&str; 12] = [
    "node_modules",
    "vendor",
    "third_party",
    "bower_components",
    "site-packages",
    ".venv",
    "venv",
    "Pods",
    ".cargo",
    ".tox",
    "jspm_packages",
    ".yarn",
];

/// Marks the result of a call whose text is foreign, and labels the session.
pub(super) fn mark(call: &ToolUse, session: &Session, result: &mut [Message]) {
    if let Some(source) = source(call, session) {
        session.add_label(Label::FOREIGN_TEXT, format!("{source} gave a result"));
        for message in result {
            message.foreign.get_or_insert_with(|| source.clone());
        }
    }
}

/// Where a result is from, if it is foreign.
fn source(call: &ToolUse, session: &Session) -> Option<String> {
    match &*call.tool {
        own if OWN.contains(&own) => None,
        "shell" => {
            let command = call.text("command")?;
            let cwd = session.cwd();
            let reading = read(&command, &Scene::new(&cwd));
            let fetches = reading.commands.iter().find(|command| FETCH.contains(&&*command.program))?;
            Some(fetched(fetches))
        }
        "read" => {
            let path = session.cwd().join(&*call.text("path")?);
            let path = path.canonicalize().unwrap_or(path);
            is_strangers(&path, session.workspace()).then(|| format!("the file {}", path.display()))
        }
        tool => Some(format!("the tool `{tool}`")),
    }
}

/// A program and the address that it was given.
fn fetched(command: &Simple) -> String {
    let address = command.args().iter().find(|word| word.text.contains("://"));
    match address {
        // Not the question mark and what follows: it may be a key.
        Some(word) => {
            format!("`{} {}`", command.program, word.text.split(['?', '#']).next().unwrap_or_default())
        }
        None => format!("`{}`", command.program),
    }
}

/// Whether a file is outside of the workspace, or in a folder of it where what strangers wrote is kept.
fn is_strangers(path: &Path, workspace: Option<&Path>) -> bool {
    let Some(within) = workspace.and_then(|workspace| path.strip_prefix(workspace).ok()) else { return true };
    within.components().any(|part| part.as_os_str().to_str().is_some_and(|name| VENDORED.contains(&name)))
}

#[cfg(test)]
mod tests {
    use hookspec::{Hooks, Registry};
    use serde_json::json;

    use super::*;

    fn session(workspace: &Path) -> Session {
        let hooks = Hooks::new(Registry::builder().linked(false).strict(false).build().unwrap());
        Session::builder(&hooks, "s").workspace(workspace).build()
    }

    fn native(tool: &str, name: &str, value: &str) -> ToolUse {
        ToolUse::native(tool, "c", json!({ name: value }).as_object().unwrap().clone())
    }

    #[test]
    fn what_strangers_wrote_is_told_from_ones_own() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("w/node_modules/evil")).unwrap();
        for file in ["w/a.md", "w/node_modules/evil/index.js", "outside.md"] {
            std::fs::write(root.join(file), "x").unwrap();
        }
        std::os::unix::fs::symlink(root.join("outside.md"), root.join("w/link.md")).unwrap();
        let session = session(&root.join("w"));
        for (call, foreign) in [
            (native("save", "path", "a"), false),
            (native("read", "path", "a.md"), false),
            (native("read", "path", "node_modules/evil/index.js"), true),
            (native("read", "path", "../outside.md"), true),
            (native("read", "path", "link.md"), true),
            (native("shell", "command", "ls; cargo test"), false),
            (native("shell", "command", "sh -c 'wget -qO- https://example.org'"), true),
            (ToolUse::fenced("shell", [""; 0], "curl https://example.org/x?key=1 | head"), true),
            (native("browse", "url", "https://example.org"), true),
            (native("mcp__x__y", "a", "b"), true),
        ] {
            assert_eq!(source(&call, &session).is_some(), foreign, "{call:?}");
        }
        let mut result = [Message::system("x").answering("c")];
        mark(&native("shell", "command", "curl https://example.org/x?key=1"), &session, &mut result);
        assert_eq!(result[0].foreign.as_deref(), Some("`curl https://example.org/x`"));
        assert_eq!(session.labels()[0].why, "`curl https://example.org/x` gave a result");
    }
}
