//! The program made of `hookspec_cli` and this plugin: its subcommands.

use std::process::{Command, Output, Stdio};

use hookspec_session_buddy::errors::Seen;
use hookspec_session_buddy::store::Store;
use serde_json::{Value, json};

use crate::stage::Stage;

fn hookspec(stage: &Stage, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookspec-with-buddy"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("HOOKSPEC_")) {
        command.env_remove(name);
    }
    command
        .args(args)
        .current_dir(stage.workspace())
        .env("HOOKSPEC_HOME", stage.path().join("home"))
        .env_remove("CI")
        .stdin(Stdio::null());
    command.output().unwrap()
}

fn good(stage: &Stage, args: &[&str]) -> String {
    let output = hookspec(stage, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn data(stage: &Stage, args: &[&str]) -> Value {
    serde_json::from_str(&good(stage, args)).unwrap()
}

#[test]
fn a_checkpoint_is_refused_made_and_listed() {
    let stage = Stage::new();
    let refused = hookspec(&stage, &["checkpoint", "too early"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("refused by `buddy.validate_quality`"), "{said}");
    let refused: Value = serde_json::from_slice(&hookspec(&stage, &["checkpoint", "--json"]).stdout).unwrap();
    assert_eq!(refused["refused"]["hook"], "buddy.validate_quality");
    std::fs::write(stage.path().join("low.toml"), "[hooks.buddy]\nmin_quality = 5\n").unwrap();
    let low = stage.path().join("low.toml").display().to_string();
    let made = data(&stage, &["checkpoint", "--json", "--config", &low, "a start"]);
    assert_eq!(
        (&made["label"], &made["score"], &made["refused"]),
        (&json!("a start"), &json!(11), &Value::Null)
    );
    let all = data(&stage, &["buddy", "checkpoints", "--json"]);
    assert_eq!(all.as_array().unwrap().len(), 3);
    assert!(good(&stage, &["buddy", "checkpoints"]).contains("refused  too early"));
    assert_eq!(data(&stage, &["buddy", "metrics", "--json"])["sessions"], 0, "a command is no session");
}

#[test]
fn errors_skills_and_metrics_are_shown() {
    let stage = Stage::new();
    let mut store = Store::open(&stage.path().join("home/state/session-buddy.sqlite")).unwrap();
    let seen = Seen {
        session: "s",
        message: "KeyError: 'colour' in /tmp/x.py",
        context: &json!({}),
        at: stage.clock.now(),
        embedding: None,
    };
    let id = store.record_error(seen).unwrap().unwrap().0;
    let fix = store.record_attempt(id, "edited x.py", "", stage.clock.now()).unwrap().unwrap();
    store.resolve(id, fix).unwrap();
    let text = "KeyError: 'colour' in ./other.py";
    assert!(good(&stage, &["buddy", "errors", text]).contains("fixed after 0 s: edited x.py"));
    let found = data(&stage, &["--json", "buddy", "errors", text, "--limit", "1"]);
    assert_eq!(found["errors"][0]["action"], "edited x.py");
    assert!(good(&stage, &["buddy", "errors"]).contains("KeyError"));
    assert_eq!(data(&stage, &["buddy", "skills", "--json"]), json!([]));
    let svg = stage.path().join("page.svg").display().to_string();
    good(&stage, &["buddy", "metrics", "--svg", &svg, "--here", "--from", "2026-01-01"]);
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg"));
    let bad = hookspec(&stage, &["buddy", "metrics", "--from", "yesterday"]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8(bad.stderr).unwrap().contains("write it as 2026-01-31"));
}

#[test]
fn the_programs_own_commands_are_as_they_were() {
    let stage = Stage::new();
    assert!(good(&stage, &["list"]).contains("buddy.track_error"));
    let help = good(&stage, &["help"]);
    assert!(help.contains("checkpoint") && help.contains("buddy") && help.contains("doctor"), "{help}");
    let unknown = hookspec(&stage, &["checkpoin"]);
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("a similar subcommand exists: 'checkpoint'"));
}

/// The run of the README.
#[test]
fn the_scripted_session_closes_a_chain_refuses_a_checkpoint_and_brings_the_fix_back() {
    let stage = Stage::new();
    let script = format!("replay:{}/demo.jsonl", env!("CARGO_MANIFEST_DIR"));
    let output = hookspec(&stage, &["chat", "--model", &script, "--name", "demo", "-n", "-y", "go"]);
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let log = std::fs::read_to_string(stage.path().join("home/logs/demo/conversation.jsonl")).unwrap();
    let at = |text: &str| log.find(text).unwrap_or_else(|| panic!("no {text:?} in {log}"));
    let refused = at("The checkpoint was refused by `buddy.validate_quality`");
    assert!(
        refused < at("An error like this was fixed before") && log.contains("The fix: created config.toml")
    );
    let found = data(
        &stage,
        &[
            "buddy",
            "errors",
            "--json",
            "`shell`: The command ended with exit code 1.\nFileNotFoundError: config.toml",
        ],
    );
    assert_eq!(found["errors"][0]["action"], "created config.toml");
    assert!(
        good(&stage, &["buddy", "errors", "FileNotFoundError: config.toml"]).contains("created config.toml")
    );
    let metrics = data(&stage, &["buddy", "metrics", "--json"]);
    assert_eq!((&metrics["sessions"], &metrics["files"]), (&json!(1), &json!(1)));
    assert_eq!(data(&stage, &["buddy", "metrics", "--sessions", "--json"])[0]["id"], "demo");
    assert!(good(&stage, &["buddy", "metrics", "--sessions"]).contains("demo"));
}
