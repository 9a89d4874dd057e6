//! `verify` and `snapshots`, as somebody at a terminal or a script meets them.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use common::Home;
use serde_json::Value;

/// A home whose own settings switch a built-in on.
fn home(settings: &str) -> Home {
    let home = Home::new();
    let config = home.path().join("home/config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("hookspec.toml"), settings).unwrap();
    home
}

const CALL: &str = r#"{"tool_use":{"tool":"shell","content":"touch b"}}"#;
const END: &str = r#"{"tool_use":{"tool":"shell","content":"touch b"},"result":[],"status":"ok","duration":{"secs":0,"nanos":0}}"#;

fn fire(home: &Home, group: &str, point: &str, event: &str) {
    home.good(&["fire", point, "--only", group, "--session", "s", "--event", event]);
}

#[test]
fn verify_ends_with_1_when_something_is_wrong() {
    let home = home("[hooks.manifest]\nenabled = true\n");
    fire(&home, "manifest", "TOOL_PRE_EXECUTE", CALL);
    fire(&home, "manifest", "TOOL_POST_EXECUTE", END);
    let report: Value = serde_json::from_str(&home.good(&["verify", "--json"])).unwrap();
    assert_eq!((&report["records"], &report["keyed"]), (&Value::from(2), &Value::from(2)));
    let file = home.path().join("home/state/manifests/s.manifest.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.lines().next().unwrap().to_owned() + "\n").unwrap();
    let output = home.run(&["verify"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("2 records were written and 1 are there"), "{said}");
    assert!(home.bad(&["verify", "no/such/folder"]).contains("cannot be read"));
    assert!(home.bad(&["verify", "--key-file", "none"]).contains("could not be read"));
}

#[test]
fn verify_says_where_there_are_no_records_yet() {
    let home = Home::new();
    let output = home.run(&["verify"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{said}");
    assert!(said.starts_with("there are no records of tool calls in "), "{said}");
    assert!(said.ends_with("; `enabled = true` in `[hooks.manifest]` makes them\n"), "{said}");
    let report: Value = serde_json::from_str(&home.good(&["verify", "--json"])).unwrap();
    assert_eq!(report["records"], 0);
}

#[test]
fn snapshots_are_listed_shown_and_restored() {
    let home = home("[hooks.auto_snapshots]\nenabled = true\n");
    let said = home.run(&["snapshots"]);
    assert!(said.status.success() && said.stdout.is_empty());
    std::fs::write(home.workspace().join("a"), "one\n").unwrap();
    fire(&home, "auto_snapshots", "TOOL_PRE_EXECUTE", CALL);
    std::fs::write(home.workspace().join("b"), "").unwrap();
    fire(&home, "auto_snapshots", "TOOL_POST_EXECUTE", END);
    let list: Value =
        serde_json::from_str(&home.good(&["snapshots", "list", "--session", "s", "--json"])).unwrap();
    let labels: Vec<&str> =
        list.as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["post:shell", "pre:shell", "initial"]);
    assert_eq!(home.good(&["snapshots", "list", "--session", "other", "--json"]).trim(), "[]");
    let id = list[1]["id"].as_str().unwrap();
    let restored: Value = serde_json::from_str(&home.good(&["snapshots", "restore", id, "--json"])).unwrap();
    assert_eq!(restored["deleted"], serde_json::json!(["b"]));
    assert!(!home.workspace().join("b").exists());
    home.good(&["snapshots", "restore", restored["safety"].as_str().unwrap()]);
    assert!(home.workspace().join("b").exists());
    assert!(home.bad(&["snapshots", "restore", "--", "--force"]).contains("there is no snapshot `--force`"));
}
