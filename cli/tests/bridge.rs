//! The program inside other agents: answering, installing, looking after itself.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use common::Home;
use serde_json::{Value, json};

fn event(home: &Home, name: &str, tool: &str, input: &Value) -> String {
    json!({
        "session_id": "s", "turn_id": "t", "transcript_path": null, "cwd": home.workspace(),
        "hook_event_name": name, "model": "m", "permission_mode": "default", "tool_name": tool,
        "tool_input": input, "tool_use_id": "c", "tool_response": "ok"
    })
    .to_string()
}

fn bridge(home: &Home, arguments: &[&str], event: &str) -> Output {
    let mut arguments = arguments.to_vec();
    arguments.insert(0, "bridge");
    let mut child = home
        .command(&arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn inner(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default()["hookSpecificOutput"].take()
}

/// A configuration of the user's own, which needs no trust.
fn configure(home: &Home, text: &str) -> PathBuf {
    let path = home.path().join("own.toml");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_built_in_gate_refuses_a_call_of_another_agent() {
    let home = Home::new();
    let config =
        configure(&home, "[hooks.confirm_policy]\ndeny = [{ tool = \"shell\", command = \"curl*\" }]\n");
    let config = config.to_str().unwrap();
    let call = event(&home, "PreToolUse", "Bash", &json!({"command": "curl example.invalid"}));
    let refused = inner(&bridge(&home, &["codex", "--config", config], &call));
    assert_eq!(refused["permissionDecision"], "deny", "{refused}");
    assert!(refused["permissionDecisionReason"].as_str().is_some_and(|reason| !reason.trim().is_empty()));
    // The same through the command that shows it.
    let shown = home.good(&["fire", "--client", "codex", "--event", &call, "--config", config]);
    assert!(shown.contains("points: TOOL_TRANSFORM") && shown.contains("\"deny\""), "{shown}");
}

#[test]
fn a_configuration_that_cannot_be_read_refuses_what_waits_and_passes_what_does_not() {
    let home = Home::new();
    let config = configure(&home, "[hooks\n");
    let config = config.to_str().unwrap();
    let call = event(&home, "PreToolUse", "Bash", &json!({"command": "ls"}));
    let refused = inner(&bridge(&home, &["claude", "--config", config], &call));
    assert_eq!(refused["permissionDecision"], "deny", "{refused}");
    let observed = event(&home, "PostToolUse", "Bash", &json!({"command": "ls"}));
    let output = bridge(&home, &["claude", "--config", config], &observed);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("not valid TOML"));
}

#[test]
fn state_goes_on_from_process_to_process() {
    let home = Home::new();
    // The same call over and over: the guard against loops counts in its state.
    let pre = event(&home, "PreToolUse", "Bash", &json!({"command": "false"}));
    let post = event(&home, "PostToolUse", "Bash", &json!({"command": "false"}));
    let mut refused = 0;
    for _ in 0..40 {
        if inner(&bridge(&home, &["codex", "--allow", "loop_guard"], &pre))["permissionDecision"] == "deny" {
            refused += 1;
            break;
        }
        bridge(&home, &["codex", "--allow", "loop_guard"], &post);
    }
    assert_eq!(refused, 1, "loop_guard never saw the calls as one session's");
}

#[test]
fn installing_writes_what_is_needed_and_uninstalling_takes_it_out() {
    let home = Home::new();
    let at = |arguments: &[&str]| {
        let output =
            home.command(arguments).env("HOME", home.path()).env_remove("CODEX_HOME").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code(), text)
    };
    let path = home.path().join(".codex/hooks.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let theirs = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}\n    ]\n  }\n}\n";
    std::fs::write(&path, theirs).unwrap();
    let (code, text) = at(&["install", "codex", "--allow", "time_awareness", "--dry-run"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("+ ") && text.contains("nothing was written"), "{text}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
    let (code, text) = at(&["install", "codex", "--allow", "time_awareness"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("/hooks") && text.contains("SessionStart, PreToolUse, PermissionRequest, PostToolUse"),
        "{text}"
    );
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.contains("bell") && written.contains("--allow time_awareness"), "{written}");
    // Nothing listens there.
    assert!(!written.contains("UserPromptSubmit"), "{written}");
    assert_eq!(
        std::fs::read_to_string(home.path().join(".codex/hooks.json.before-hookspec")).unwrap(),
        theirs
    );
    assert!(at(&["install", "codex", "--allow", "time_awareness"]).1.contains("nothing to change"));
    let (_, text) = at(&["install", "codex", "--allow", "time_awareness", "--resident", "--dry-run"]);
    assert!(text.contains("--event PreToolUse --resident --allow time_awareness"), "{text}");
    // Codex has not trusted them.
    let (code, text) = at(&["doctor"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("client codex") && text.contains("type /hooks"), "{text}");
    // Of those that are well it is told what can never fire there.
    at(&["install", "claude", "--allow", "linter,mcp_namespace_hint"]);
    let (_, text) = at(&["doctor"]);
    let line = text.lines().find(|line| line.contains("client claude")).unwrap();
    assert!(line.starts_with("ok") && line.contains("mcp_namespace_hint.hint cannot fire there"), "{line}");
    at(&["uninstall", "codex"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
    // A scope that the client has not.
    let (code, text) = at(&["install", "goose", "--scope", "project"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("--scope user"), "{text}");
}

#[test]
fn the_doctor_tells_a_clients_version_and_whether_it_is_too_old() {
    let home = Home::new();
    let folder = home.path().join("programs");
    let plant = |folder: &Path, script: &str| {
        let path = folder.join("claude");
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    // What lies in the project is never run, though `PATH` names it first.
    let planted = home.workspace().join("bin");
    plant(&planted, "echo 9.9.9; : > \"$0.ran\"");
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        [planted.clone(), folder.clone()].into_iter().chain(std::env::split_paths(&old)),
    );
    let path = path.unwrap();
    let at = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        let output = command.env("HOME", home.path()).env_remove("CLAUDE_CONFIG_DIR").env("PATH", &path);
        let output = output.output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let version = |script: &str| {
        plant(&folder, script);
        let text = at(&["doctor"]);
        let mut lines = text.lines().skip_while(|line| !line.contains("client claude: version"));
        let told = lines.next().unwrap_or_default().to_owned();
        (told, lines.next().unwrap_or_default().to_owned())
    };
    // Clients without us are left alone.
    assert_eq!(version("echo '2.1.317 (Claude Code)'").0, "");
    at(&["install", "claude", "--allow", "loop_guard"]);
    let (told, _) = version("echo '2.1.317 (Claude Code)'");
    assert!(told.starts_with("ok") && told.contains("2.1.317"), "{told}");
    let (told, why) = version("echo '2.1.99 (Claude Code)'");
    assert!(told.starts_with("BAD") && told.contains("2.1.99") && why.contains("2.1.295"), "{told} {why}");
    let (told, why) = version("echo oops; exit 3");
    assert!(told.starts_with("BAD") && why.contains("exit code 3"), "{told} {why}");
    assert!(!planted.join("claude.ran").exists());
}
