//! Lists in real files and variables: what covers what, in the listing, in `doctor` and in another agent's bridge.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::Write;
use std::process::Stdio;

use common::{Home, hook};
use serde_json::{Value, json};

/// What the bridge answers to a call that nobody has anything against: nothing.
fn bridged(home: &Home, variables: &[(&str, &str)]) -> String {
    let mut command = home.command(&["bridge", "claude"]);
    command
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let event = json!({
        "session_id": "s", "cwd": home.workspace(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": "ls" }, "transcript_path": ""
    });
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn listed(home: &Home, variables: &[(&str, &str)]) -> Value {
    let output = home.command(&["list", "--json"]).envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_two_files_say_of_one_hook_or_tool_stops_neither_the_listing_nor_the_bridge() {
    let disable = ("HOOKSPEC_DISABLE", "loop_guard, tool.read");
    for (user, project, variables) in [
        ("disable = ['loop_guard']", "disable = ['loop_guard', 'loop_guard.*']", &[disable][..]),
        ("allow = ['*', 'loop_guard', 'tool.*', 'tool.read', 'tool']", "disable = ['*']", &[]),
        (
            "allow = ['loop_guard', 'tool.read']\ndisable = ['tool.read', 'tool.*']",
            "disable = ['tool']",
            &[disable],
        ),
        ("allow = ['hookspec-agent', 'hookspec-builtins']", "disable = ['hookspec-agent']", &[]),
        ("allow = ['loop_guard']\npriority = { loop_guard = 3 }", "disable = ['loop_guard']", &[disable]),
        ("allow = ['loop_guard', 'script', 'claude.PreToolUse.001']", "priority = { script = 3 }", &[]),
        ("disable = ['only.there', 'script', '']", "", &[("HOOKSPEC_DISABLE", "nowhere.*")]),
        ("allow = ['+test']", "allow = ['+loop_guard', '+*']", &[]),
    ] {
        let home = Home::new();
        let folder = home.path().join("home/config");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("hookspec.toml"), format!("[hooks]\n{user}\n")).unwrap();
        home.config(&format!("[hooks]\n{project}\n"));
        listed(&home, variables);
        assert_eq!(bridged(&home, variables), "", "{user} | {project}");
    }
}

#[test]
fn a_list_that_wants_what_is_not_there_still_refuses_with_the_way_out() {
    let home = Home::new();
    home.config("[hooks]\nallow = ['loop_gard']\n");
    let answer: Value = serde_json::from_str(&bridged(&home, &[])).unwrap();
    let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("did you mean `loop_guard`") && reason.contains("`plugins![…]`"), "{reason}");
}

#[test]
fn a_plus_adds_to_the_defaults_wherever_it_is_written() {
    let home = Home::new();
    let before = listed(&home, &[]);
    home.config("[hooks]\nallow = ['+test']\n");
    let file = listed(&home, &[]);
    home.config("");
    let variable = listed(&home, &[("HOOKSPEC_ALLOW", "+test")]);
    let option: Value = serde_json::from_str(&home.good(&["list", "--json", "--allow", "+test"])).unwrap();
    for (rows, why) in [(&file, "hookspec.toml:2"), (&variable, "HOOKSPEC_ALLOW"), (&option, "--allow")] {
        let added = hook(rows, "test.test_turn_pre")["why"].as_str().unwrap().to_owned();
        assert!(added.starts_with("added by ") && added.ends_with(why), "{added}");
        for row in rows["hooks"].as_array().unwrap() {
            let (name, on) = (row["name"].as_str().unwrap(), row["on"].as_bool().unwrap());
            let default = before["hooks"]
                .as_array()
                .unwrap()
                .iter()
                .find(|held| held["name"] == row["name"] && held["point"] == row["point"]);
            assert_eq!(on, name.starts_with("test.") || default.unwrap()["on"] == true, "{name}");
        }
        assert_eq!(rows["tools"], before["tools"]);
    }
}

#[test]
fn what_is_to_be_left_out_and_is_not_there_is_told_and_is_no_problem() {
    let home = Home::new();
    home.config("[hooks]\ndisable = ['loop_gard']\n");
    let told = "`loop_gard` in ";
    let output = home.run(&["list"]);
    let text = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
    assert!(output.status.success() && text.contains(told) && text.contains("`loop_guard`"), "{text}");
    let rows: Value = serde_json::from_str(&home.good(&["doctor", "--json"])).unwrap();
    let warnings: Vec<_> =
        rows.as_array().unwrap().iter().filter_map(|row| row["warning"].as_str()).collect();
    assert!(warnings.iter().any(|warning| warning.contains(told)), "{rows}");
    assert!(home.good(&["doctor"]).contains("no problems"));
}

#[test]
fn what_stands_around_work_is_said_to_be_idle_in_other_agents_and_nowhere_else() {
    let home = Home::new();
    home.config("[hooks.retry]\nenabled = true\n");
    for (host, idle) in [("chat", false), ("server", false), ("bridge", true)] {
        let said: Value = serde_json::from_str(&home.good(&["list", "--json", "--host", host])).unwrap();
        assert_eq!(hook(&said, "retry.generation")["on"], true, "{host}");
        let told = said["report"]["warnings"].to_string();
        for name in ["retry.generation", "retry.tool"] {
            assert_eq!(told.contains(&format!("\"{name}\"")), idle, "{host}: {told}");
        }
        assert!(!told.contains("secrets_guard"), "{host}: {told}");
    }
}
