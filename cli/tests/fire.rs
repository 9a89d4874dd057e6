//! `hookspec fire`, and what a program with hooks of its own shows of them.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use common::{Home, demo, demo_lines};
use serde_json::{Value, json};

const STEP_PRE: [&str; 4] = ["fire", "step.pre", "--event", r#"{"step":0}"#];
const STEP_POST: [&str; 4] = ["fire", "STEP_POST", "--event", r#"{"step":7,"tool_calls":0,"usage":null}"#];

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

#[test]
fn a_line_has_exactly_the_documented_keys() {
    let home = Home::new();
    let (code, lines, _) = demo_lines(&home, &with(&STEP_PRE, &["--only", "demo"]));
    assert_eq!((code, lines.len()), (Some(0), 1));
    let keys: Vec<_> = lines[0].as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = ["hook", "point", "messages", "verdict", "error", "duration_us"];
    expected.sort_unstable();
    let mut keys = keys;
    keys.sort_unstable();
    assert_eq!(keys, expected);
    let message = json!({ "role": "system", "content": "step number 1", "hide": true, "hook": "demo.count" });
    assert_eq!(lines[0]["messages"], json!([message]));
}

#[test]
fn states_are_kept_under_the_sessions_id_and_nowhere_else() {
    let home = Home::new();
    let text = |more: &[&str]| {
        let (code, lines, _) = demo_lines(&home, &with(&STEP_PRE, &with(&["--only", "demo"], more)));
        assert_eq!(code, Some(0));
        lines[0]["messages"][0]["content"].as_str().unwrap().to_owned()
    };
    assert_eq!(text(&["--session", "a"]), "step number 1");
    assert_eq!(text(&["--session", "a"]), "step number 2");
    assert_eq!(text(&["--session", "b"]), "step number 1");
    assert_eq!(text(&[]), "step number 1");
    assert_eq!(text(&["--session", "a"]), "step number 3");
}

#[test]
fn async_failing_and_background_hooks_each_have_their_line() {
    let home = Home::new();
    let (code, lines, errors) = demo_lines(&home, &with(&STEP_POST, &["--only", "demo"]));
    assert_eq!(code, Some(0), "a hook that fails is data: {errors}");
    let line = |name: &str| lines.iter().find(|line| line["hook"] == name).unwrap();
    assert_eq!(line("demo.wait")["messages"][0]["content"], "waited");
    assert_eq!(line("demo.fails")["error"], "no luck today");
    assert_eq!(line("demo.report")["messages"][0]["content"], "step 7 is over");
    assert!(!errors.contains('\u{1b}'), "no colours in a pipe: {errors}");
}

#[test]
fn a_verdict_holds_all_that_was_said() {
    let home = Home::new();
    let event = json!({ "path": "/tmp/a", "content": " x " }).to_string();
    let (_, lines, _) =
        demo_lines(&home, &["fire", "FILE_PRE_SAVE", "--event", &event, "--only", "demo.tidy"]);
    assert_eq!(
        lines[0]["verdict"],
        json!({ "gate": "ask", "reason": "look at it once more", "fold": "x",
                "flow": "end_session", "session_end": "enough" })
    );
}

#[test]
fn a_point_that_the_program_does_not_fire_can_be_fired_by_hand_also_under_ci() {
    let home = Home::new();
    let args = ["fire", "BAKE_PRE", "--event", r#"{"degrees":400}"#];
    let output = home.command_of(&demo(), &args).env("CI", "true").output().unwrap();
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(line["verdict"], json!({ "gate": "deny", "reason": "too hot" }));
    let list = home.command_of(&demo(), &["list"]).env("CI", "true").output().unwrap();
    assert!(list.status.success());
    assert!(String::from_utf8_lossy(&list.stderr).contains("`demo.oven`"), "and the list says so");
}

#[test]
fn doctor_tells_dead_hooks_and_dead_points_along_with_the_rest() {
    let home = Home::new();
    home.config("[hooks]\npriority = { nothing = 1 }\ndisable = ['nowhere']\n");
    let output = home.command_of(&demo(), &["doctor"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    for part in ["`demo.oven`", "point BAKE_PRE", "`nothing`", "3 problems"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_hook_that_does_not_run_there_is_told() {
    let home = Home::new();
    let (code, lines, error) = demo_lines(&home, &with(&STEP_PRE, &["--only", "demo.tidy"]));
    assert_eq!((code, lines.len()), (Some(2), 0));
    assert!(
        error.contains("no hook of --only runs at STEP_PRE: `demo.tidy` listens at FILE_PRE_SAVE"),
        "{error}"
    );
    let error = home.bad(&with(&STEP_PRE, &["--only", "time_awarenes"]));
    assert!(error.contains("did you mean `time_awareness"), "{error}");
    let error = home.bad(&["fire", "step.pr", "--event", "{}"]);
    assert!(error.contains("did you mean `step.pre`"), "{error}");
    let error = home.bad(&with(&STEP_PRE, &["--workspace", "gone"]));
    assert!(error.contains("is no directory"), "{error}");
}

#[test]
fn a_damaged_state_is_not_written_over() {
    let home = Home::new();
    demo_lines(&home, &with(&STEP_PRE, &["--session", "s"]));
    let path = home.path().join("home/state/fire/s.json");
    std::fs::write(&path, "{\"demo\": 3").unwrap();
    let (code, lines, error) = demo_lines(&home, &with(&STEP_PRE, &["--session", "s"]));
    assert_eq!((code, lines.len()), (Some(2), 0), "no hook ran");
    assert!(error.contains("s.json is damaged") && error.contains("remove it"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"demo\": 3");
}

#[test]
fn a_home_that_cannot_hold_states_is_told_before_hooks_run() {
    let home = Home::new();
    let file = home.path().join("a-file");
    std::fs::write(&file, "").unwrap();
    // Below a file nothing can be made, not even by root.
    let args = with(&STEP_PRE, &["--session", "s", "--only", "demo"]);
    let output = home.command_of(&demo(), &args).env("HOOKSPEC_HOME", file.join("home")).output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("HOOKSPEC_HOME") && !error.contains("panicked"), "{error}");
}

#[test]
fn calls_on_one_session_wait_for_each_other() {
    let home = Home::new();
    let args = with(&STEP_PRE, &["--session", "s", "--only", "demo"]);
    demo_lines(&home, &args);
    let lock = OpenOptions::new().write(true).open(home.path().join("home/state/fire/s.lock")).unwrap();
    lock.lock().unwrap();
    let mut command = home.command_of(&demo(), &args);
    command.env("HOOKSPEC_LOG", "info").stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let waits = told.any(|line| line.unwrap().contains("waiting for another call"));
    lock.unlock().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(waits, "it ran beside the call that held the session");
    let (_, lines, _) = demo_lines(&home, &args);
    assert_eq!(lines[0]["messages"][0]["content"], "step number 3", "none was lost");
}

#[test]
fn a_torn_last_line_of_a_log_is_a_warning_and_a_broken_one_within_is_an_error() {
    let home = Home::new();
    let log = home.workspace().join("log.jsonl");
    std::fs::write(&log, "{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"us").unwrap();
    let args = with(&STEP_PRE, &["--only", "demo", "--log", "log.jsonl"]);
    let (code, lines, warning) = demo_lines(&home, &args);
    assert_eq!((code, lines.len()), (Some(0), 1));
    assert!(warning.contains("log.jsonl, line 2 is torn"), "{warning}");
    assert_eq!(lines[0]["messages"].as_array().unwrap().len(), 1, "what was in the log is not the hook's");
    std::fs::write(&log, "{\"role\":\"us\n{\"role\":\"user\",\"content\":\"hi\"}\n").unwrap();
    let (code, _, error) = demo_lines(&home, &args);
    assert!(code == Some(2) && error.contains("log.jsonl, line 1"), "{error}");
}

#[test]
fn the_built_in_crates_may_be_named_again() {
    let home = Home::new();
    let output = home.command_of(&demo(), &["list", "--json"]).output().unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let plugins = list["report"]["plugins"].as_array().unwrap();
    let builtins = plugins.iter().filter(|plugin| plugin["package"] == "hookspec-builtins").count();
    assert_eq!(builtins, 1, "{plugins:?}");
}

#[test]
fn a_call_is_judged_the_same_however_it_is_written() {
    let home = Home::new();
    let fire = |tool_use: Value| {
        let event = json!({ "tool_use": tool_use }).to_string();
        home.good(&["fire", "tool.execute.pre", "--text", "--only", "secrets_guard", "--event", &event])
    };
    let fenced = fire(json!({ "tool": "shell", "content": "cat .env" }));
    assert!(fenced.contains("`.env`, a file that holds credentials"), "{fenced}");
    for native in [
        json!({ "tool": "shell", "kwargs": { "command": "cat .env" } }),
        json!({ "tool": "shell", "kwargs": { "command": "cat .env" }, "format": "tool", "call_id": "c1" }),
    ] {
        assert_eq!(fire(native), fenced);
    }
}
