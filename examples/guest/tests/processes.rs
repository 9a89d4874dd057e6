//! Whole processes with hostile input and hostile hooks: a refusal always arrives, an observer never blocks, and
//! standard output holds the answer and nothing else.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const GUEST: &str = env!("CARGO_BIN_EXE_guest");
const MISBEHAVING: &str = env!("CARGO_BIN_EXE_misbehaving");

fn event(name: &str, command: &str) -> Value {
    json!({
        "session_id": "s", "turn_id": "t", "transcript_path": null, "cwd": "/", "hook_event_name": name, "model": "m",
        "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c",
        "tool_response": "ok"
    })
}

fn start(program: &str, arguments: &[&str], state: &Path) -> std::process::Child {
    Command::new(program)
        .args(arguments)
        .env("GUEST_STATE", state)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs a program on bytes; that they can all be written is part of the test.
fn run(program: &str, arguments: &[&str], input: &[u8]) -> Output {
    let state = tempfile::tempdir().unwrap();
    run_in(program, arguments, input, state.path())
}

fn run_in(program: &str, arguments: &[&str], input: &[u8], state: &Path) -> Output {
    let mut child = start(program, arguments, state);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().expect("the client can write all of its event");
    output
}

fn reason(output: &Output) -> String {
    let body: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stdout)));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(body["hookSpecificOutput"]["permissionDecision"], "deny", "{body}");
    body["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned()
}

#[test]
fn what_hooks_and_their_children_print_is_not_in_the_answer() {
    for command in ["print", "child"] {
        let output = run(MISBEHAVING, &["codex"], event("PreToolUse", command).to_string().as_bytes());
        assert!(output.stdout.is_empty() && output.status.success(), "{command}");
        assert!(!output.stderr.is_empty(), "{command}");
    }
}

#[test]
fn a_gate_that_panics_fails_floods_or_sleeps_refuses() {
    for command in ["panic", "fail"] {
        let output = run(MISBEHAVING, &["codex"], event("PreToolUse", command).to_string().as_bytes());
        assert!(reason(&output).contains("bad.gate"), "{command}");
    }
    let output = run(MISBEHAVING, &["codex"], event("PreToolUse", "sleep").to_string().as_bytes());
    assert!(reason(&output).contains("not done after 2s"));
    // A flood that is read to its end does no harm.
    let output = run(MISBEHAVING, &["codex"], event("PreToolUse", "flood").to_string().as_bytes());
    assert!(output.stdout.is_empty() || reason(&output).contains("not done"));
}

#[test]
fn a_flood_that_nobody_reads_ends_in_a_refusal() {
    let state = tempfile::tempdir().unwrap();
    let mut child = start(MISBEHAVING, &["codex"], state.path());
    // Closed without being read at the end only: until then the pipe is full and the hook stands still.
    let unread = child.stderr.take().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(event("PreToolUse", "flood").to_string().as_bytes()).unwrap();
    drop(stdin);
    let mut body = String::new();
    child.stdout.take().unwrap().read_to_string(&mut body).unwrap();
    drop(unread);
    child.wait().unwrap();
    assert!(body.contains("\"permissionDecision\":\"deny\""), "{body}");
}

#[test]
fn an_observer_that_misbehaves_never_blocks() {
    for command in ["panic", "fail", "sleep", "print"] {
        let output = run(MISBEHAVING, &["codex"], event("PostToolUse", command).to_string().as_bytes());
        assert_eq!(output.status.code(), Some(0), "{command}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.is_empty() || text.contains("additionalContext"), "{command}: {text}");
        assert!(!text.contains("block"), "{command}: {text}");
    }
}

#[test]
fn long_events_are_read_to_their_end() {
    let mut long = event("PreToolUse", "deny");
    long["tool_input"]["note"] = Value::from("x".repeat(300_000));
    assert_eq!(reason(&run(MISBEHAVING, &["codex"], long.to_string().as_bytes())), "not that");
    long["tool_input"]["note"] = Value::from("x".repeat(50_000_000));
    assert_eq!(reason(&run(MISBEHAVING, &["codex"], long.to_string().as_bytes())), "not that");
    // Longer than what is kept: it cannot be judged.
    long["tool_input"] = json!({"command": "ls", "note": "x".repeat(70_000_000)});
    let output = run(MISBEHAVING, &["codex", "PreToolUse"], long.to_string().as_bytes());
    assert!(reason(&output).contains("more than can be judged"));
}

#[test]
fn what_cannot_be_read_is_refused_at_a_gate_and_passed_over_elsewhere() {
    let deep = format!(
        "{{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{}{}}}",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let two = format!("{}{}", event("PreToolUse", "ls"), event("PreToolUse", "ls"));
    let mut cut = event("PreToolUse", "ls").to_string();
    cut.pop();
    let bytes = b"{\"hook_event_name\":\"PreToolUse\",\"tool_input\":\"\xff\"}".to_vec();
    for input in [Vec::new(), deep.into(), two.into(), cut.into(), bytes, b"[]".to_vec()] {
        let output = run(MISBEHAVING, &["codex", "PreToolUse"], &input);
        assert!(!reason(&output).is_empty());
        let output = run(MISBEHAVING, &["codex", "PostToolUse"], b"oops");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
        assert!(!output.stderr.is_empty());
    }
    // Nobody knows what it was meant to be: the code that every client takes for a refusal, with a reason.
    let output = run(MISBEHAVING, &["codex"], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("nothing came"));
    let marked = format!("\u{feff}{}", event("PreToolUse", "deny"));
    assert_eq!(reason(&run(MISBEHAVING, &["codex"], marked.as_bytes())), "not that");
}

#[test]
fn a_pipe_that_is_never_closed_is_no_reason_to_wait() {
    let state = tempfile::tempdir().unwrap();
    let mut child = start(MISBEHAVING, &["codex"], state.path());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(event("PreToolUse", "deny").to_string().as_bytes()).unwrap();
    stdin.flush().unwrap();
    let began = Instant::now();
    let mut body = String::new();
    child.stdout.take().unwrap().read_to_string(&mut body).unwrap();
    child.wait().unwrap();
    drop(stdin);
    assert!(body.contains("not that"), "{body}");
    // Far below the limit for what is unfinished, far above what a busy machine needs.
    assert!(began.elapsed() < Duration::from_secs(4));
}

#[test]
fn a_refusal_that_cannot_be_written_is_an_exit_code() {
    let state = tempfile::tempdir().unwrap();
    let mut child = start(MISBEHAVING, &["codex"], state.path());
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(event("PreToolUse", "deny").to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("not that"));
}

#[test]
fn without_a_standard_error_it_answers_all_the_same() {
    let line = format!("exec {MISBEHAVING} codex 2>&-");
    for (command, refused) in [("print", false), ("deny", true)] {
        let output = run("sh", &["-c", &line], event("PreToolUse", command).to_string().as_bytes());
        assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(0), !refused), "{command}");
    }
}

#[test]
fn the_guest_refuses_changes_tells_and_remembers() {
    let state = tempfile::tempdir().unwrap();
    let say = |name: &str, command: &str| {
        let input = event(name, command).to_string();
        let output = run_in(GUEST, &["bridge", "codex", "--event", name], input.as_bytes(), state.path());
        assert!(output.status.success());
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default()["hookSpecificOutput"].take()
    };
    assert!(
        say("PreToolUse", "rm -rf /tmp/x")["permissionDecisionReason"].as_str().unwrap().contains("trash")
    );
    assert_eq!(say("PreToolUse", "echo loud")["updatedInput"], json!({"command": "echo quiet"}));
    assert_eq!(say("PreToolUse", "ls"), Value::Null);
    assert_eq!(say("PostToolUse", "ls")["additionalContext"], "Tool calls so far: 1.");
    assert_eq!(say("PostToolUse", "ls")["additionalContext"], "Tool calls so far: 2.");
    // It prints at a stop, and Codex would take that for a failure.
    let stop = run_in(GUEST, &["bridge", "codex"], event("Stop", "").to_string().as_bytes(), state.path());
    assert!(
        stop.stdout.is_empty() && String::from_utf8(stop.stderr).unwrap().contains("2 tool calls were made")
    );
}

#[test]
fn many_processes_of_one_session_lose_nothing() {
    let state = tempfile::tempdir().unwrap();
    let input = event("PostToolUse", "ls").to_string();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..8 {
                    run_in(GUEST, &["bridge", "codex"], input.as_bytes(), state.path());
                }
            });
        }
    });
    let last = run_in(GUEST, &["bridge", "codex"], input.as_bytes(), state.path());
    assert!(String::from_utf8(last.stdout).unwrap().contains("Tool calls so far: 33."));
}
