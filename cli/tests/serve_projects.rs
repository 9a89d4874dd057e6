//! A session on a server has the hooks of its own workspace, once the user trusts them.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use common::hook;
use common::server::{Server, place, start};

/// Refuses, and says where it ran.
const GUARD: &str = "echo not on my watch in $PWD >&2; exit 2\n";
const ENTRY: &str =
    "[[hooks.scripts]]\nevent = 'tool.execute.pre'\nmatcher = 'save'\ncommand = 'sh ./guard.sh'\n";
const NAME: &str = "script.001.tool.execute.pre";

fn guard(workspace: &Path) {
    std::fs::create_dir_all(workspace).unwrap();
    std::fs::write(workspace.join("hookspec.toml"), ENTRY).unwrap();
    std::fs::write(workspace.join("guard.sh"), GUARD).unwrap();
}

fn trust(folder: &TempDir, workspace: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookspec"));
    command.current_dir(folder.path()).env_clear().env("HOME", folder.path());
    command.env("HOOKSPEC_HOME", folder.path().join("home"));
    let output = command.args(["trust", "grant", "--all", "--workspace", workspace]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A root with two projects, one of them guarded, and a model that saves a file.
fn projects() -> TempDir {
    let folder = place();
    let save =
        json!({ "text": "", "tool_calls": [{ "tool": "save", "kwargs": { "path": "x", "content": "y" } }] });
    let script = [save, json!({ "text": "That is that." })].map(|line| line.to_string()).join("\n");
    std::fs::write(folder.path().join("script.jsonl"), script).unwrap();
    guard(&folder.path().join("root/guarded"));
    std::fs::create_dir_all(folder.path().join("root/free")).unwrap();
    folder
}

fn serve(folder: &TempDir) -> Server {
    start(folder.path(), &["--token-file", "tokens", "--workspace", "root"])
}

/// Begins a conversation in a project and lets it save; gives what was said.
fn saving(server: &Server, id: &str, workspace: &str) -> String {
    let body = json!({ "config": { "chat": { "workspace": workspace } }, "messages": [{ "role": "user", "content": "save it" }] });
    server.good("PUT", &format!("/conversations/{id}"), &body);
    server.good("POST", &format!("/conversations/{id}/step"), &json!({ "auto_confirm": 9 }));
    server.rested(id)["log"].to_string()
}

fn hooks_of(server: &Server, id: &str) -> Value {
    server.good("GET", &format!("/conversations/{id}/hooks"), &Value::Null)
}

#[test]
fn a_projects_guard_is_listed_as_off_until_it_is_trusted_and_guards_its_own_sessions_only() {
    let folder = projects();
    let server = serve(&folder);
    let saved = folder.path().join("root/guarded/x");
    let said = saving(&server, "before", "guarded");
    assert!(saved.exists(), "{said}");
    std::fs::remove_file(&saved).unwrap();
    let listed = hooks_of(&server, "before");
    let row = hook(&listed, NAME);
    assert_eq!(row["on"], false);
    assert!(row["why"].as_str().unwrap().contains("you have not trusted it yet"), "{row}");
    let warning = listed["warnings"][0].as_str().unwrap();
    assert!(warning.contains("guarded/hookspec.toml does not count"), "{warning}");

    trust(&folder, "root/guarded");
    let said = saving(&server, "after", "guarded");
    assert!(!saved.exists(), "{said}");
    let place = folder.path().join("root/guarded").canonicalize().unwrap();
    assert!(said.contains(&format!("not on my watch in {}", place.display())), "{said}");
    assert_eq!(hook(&hooks_of(&server, "after"), NAME)["on"], true);
    // The session that was open has what it had; when it is opened next it has the guard.
    assert_eq!(hook(&hooks_of(&server, "before"), NAME)["on"], false);
    let session = server.good("GET", "/conversations/before", &Value::Null)["session_id"].clone();
    server.good("DELETE", &format!("/sessions/{}", session.as_str().unwrap()), &Value::Null);
    assert_eq!(hook(&hooks_of(&server, "before"), NAME)["on"], true);

    let said = saving(&server, "elsewhere", "free");
    assert!(folder.path().join("root/free/x").exists(), "{said}");
    let listed = hooks_of(&server, "elsewhere");
    assert!(listed["hooks"].as_array().unwrap().iter().all(|row| row["name"] != NAME));
    assert_eq!(listed["warnings"], json!([]));
}

#[test]
fn the_roots_guard_is_for_sessions_in_the_root() {
    let folder = projects();
    guard(&folder.path().join("root"));
    trust(&folder, "root");
    let server = serve(&folder);
    let said = saving(&server, "there", ".");
    assert!(said.contains("not on my watch") && !folder.path().join("root/x").exists(), "{said}");
    let said = saving(&server, "below", "free");
    assert!(!said.contains("not on my watch") && folder.path().join("root/free/x").exists(), "{said}");
}

#[test]
fn a_guard_that_changes_is_not_run_and_is_off_in_the_next_session() {
    let folder = projects();
    trust(&folder, "root/guarded");
    let server = serve(&folder);
    server.good("PUT", "/conversations/open", &json!({ "config": { "chat": { "workspace": "guarded" } } }));
    server.good("POST", "/conversations/open", &json!({ "role": "user", "content": "save it" }));
    std::fs::write(folder.path().join("root/guarded/guard.sh"), "exit 0\n").unwrap();
    // A gate that may not run refuses where it was in force.
    server.good("POST", "/conversations/open/step", &json!({ "auto_confirm": 9 }));
    let said = server.rested("open")["log"].to_string();
    assert!(said.contains("no longer what it was when you trusted it"), "{said}");
    assert!(!folder.path().join("root/guarded/x").exists());
    saving(&server, "later", "guarded");
    let listed = hooks_of(&server, "later");
    assert!(hook(&listed, NAME)["why"].as_str().unwrap().contains("has changed since you trusted it"));
}

#[test]
fn a_trusted_file_that_cannot_be_used_keeps_its_sessions_from_beginning() {
    let folder = projects();
    let file = folder.path().join("root/guarded/hookspec.toml");
    std::fs::write(&file, format!("{ENTRY}[agent]\nsteps = 'many'\n")).unwrap();
    trust(&folder, "root/guarded");
    let server = serve(&folder);
    server.good("PUT", "/conversations/c", &json!({ "config": { "chat": { "workspace": "guarded" } } }));
    for (method, path) in [("POST", "/conversations/c/step"), ("GET", "/conversations/c/hooks")] {
        let (status, text) =
            common::server::ask(server.address(), common::server::TOKEN, method, path, "{}").unwrap();
        assert_eq!(status, 422, "{text}");
        assert!(text.contains("hookspec.toml: `[agent]`"), "{text}");
    }
}
