//! Shadow and the operator's rules, in the program: what lists show, what a chat does and `trace` counts.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Home, hook};
use serde_json::{Value, json};

const GUARD: &str = "[[hooks.scripts]]\nevent = 'tool.execute.pre'\ncommand = 'echo not here >&2; exit 2'\n";

fn save(path: &str) -> Value {
    json!({ "text": "On it.", "tool_calls": [{ "tool": "save", "kwargs": { "path": path, "content": "x" } }] })
}

fn listed(home: &Home) -> Value {
    serde_json::from_str(&home.good(&["list", "--json", "--all"])).unwrap()
}

#[test]
fn a_guard_in_shadow_lets_a_chat_go_on_and_trace_counts_what_it_would_have_refused() {
    let home = Home::new();
    let model = home.script(&[save("a.txt"), save("b.txt"), json!({ "text": "Done." })]);
    let chat = |name: &str| home.good(&["chat", "save two", "-y", "--model", &model, "--name", name]);
    home.config(GUARD);
    chat("enforced");
    assert!(!home.workspace().join("a.txt").exists());
    let log = std::fs::read_to_string(home.path().join("home/logs/enforced/conversation.jsonl")).unwrap();
    assert!(log.contains("not here"), "{log}");

    home.config(&format!("{GUARD}[hooks]\nshadow = ['script']\n"));
    chat("tried");
    assert!(home.workspace().join("a.txt").exists() && home.workspace().join("b.txt").exists());
    let log = std::fs::read_to_string(home.path().join("home/logs/tried/conversation.jsonl")).unwrap();
    assert!(!log.contains("not here"), "{log}");
    let trace = home.good(&["trace", "tried"]);
    assert!(trace.contains(" in shadow: 2 refusals that were not made"), "{trace}");
    assert!(trace.contains("deny: ") && trace.contains("(in shadow: not done)"), "{trace}");
    let runs = home.good(&["trace", "tried", "--json"]);
    assert_eq!(runs.matches("\"shadow\":true").count(), 2, "{runs}");
    assert!(!home.good(&["trace", "enforced"]).contains("shadow"));
}

#[test]
fn lists_say_who_is_in_shadow_and_where_that_is_said() {
    let home = Home::new();
    home.config("[hooks]\n\nshadow = ['secrets_guard']\n[hooks.rules.loop_guard]\nquarantine = 3\n");
    let rows = listed(&home);
    let guard = rows["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"].as_str().unwrap().starts_with("secrets_guard."));
    let guard = guard.unwrap();
    assert_eq!((&guard["shadow"], &guard["shadowed"]["denied"]), (&json!(true), &json!(0)), "{guard}");
    assert!(guard["ruled"][0]["source"].as_str().unwrap().ends_with("hookspec.toml:3"), "{guard}");
    let text = home.good(&["list"]);
    assert!(text.contains("SHADOW secrets_guard.") && text.contains("; shadow in hookspec.toml:3"), "{text}");
    let explained = home.good(&["list", "--explain", "secrets_guard"]);
    assert!(
        explained.contains("it runs for trial, and nothing that it says is done: nothing so far"),
        "{explained}"
    );
    assert!(
        explained.contains("rule      shadow = true") && explained.contains("hookspec.toml:3"),
        "{explained}"
    );
    let explained = home.good(&["list", "--explain", "loop_guard"]);
    assert!(
        explained.contains("rule      quarantine = 3") && explained.contains("hookspec.toml:5"),
        "{explained}"
    );
    let model = home.script(&[json!({ "text": "Hello." })]);
    let chat = home.run(&["chat", "hi", "-y", "--model", &model]);
    let told = String::from_utf8(chat.stderr).unwrap();
    assert!(told.contains("in shadow: secrets_guard.") && told.contains("nothing that"), "{told}");
    let doctor = home.run(&["doctor"]);
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains("hooks in shadow") && doctor.contains("secrets_guard."), "{doctor}");
}

#[test]
fn a_gate_that_a_rule_takes_from_is_not_listed_as_any_other() {
    let home = Home::new();
    home.config(&format!(
        "{GUARD}[hooks.rules.secrets_guard]\ntools = ['none']\n[hooks.rules.script]\non_failure = 'pass'\n"
    ));
    let text = home.good(&["list", "--wide"]);
    assert!(text.contains("; tools in ") && text.contains("; on_failure in "), "{text}");
    assert!(text.contains("hookspec.toml:5") && text.contains("hookspec.toml:7"), "{text}");
}

#[test]
fn a_hook_in_shadow_that_is_tried_says_so() {
    let home = Home::new();
    let event = json!({ "tool_use": { "tool": "shell", "content": "cat .env" } }).to_string();
    let fire = |more: &[&str], shadow: &str| {
        let mut command = home.command(
            &[&["fire", "tool.execute.pre", "--only", "secrets_guard", "--event", &event], more].concat(),
        );
        let output = command.env("HOOKSPEC_SHADOW", shadow).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let (enforced, tried) = (fire(&["--text"], ""), fire(&["--text"], "secrets_guard"));
    assert!(enforced.contains("gate: ask") && !enforced.contains("shadow"), "{enforced}");
    assert!(tried.contains("gate: ask") && tried.contains("(in shadow: nothing of this is done)"), "{tried}");
    assert!(fire(&[], "secrets_guard").contains("\"shadow\":true") && !fire(&[], "").contains("shadow"));
}

#[test]
fn a_folder_takes_no_guard_out_unless_it_is_trusted() {
    let home = Home::new();
    let file = home.workspace().join("hookspec.toml");
    std::fs::write(&file, "[hooks]\nshadow = ['*']\n[hooks.rules.secrets_guard]\ntools = ['none']\n")
        .unwrap();
    let rows = listed(&home);
    assert!(rows["hooks"].as_array().unwrap().iter().all(|row| row["shadow"].is_null()), "{rows}");
    // What the user says of this very hook stands over what a folder says of all.
    std::fs::create_dir_all(home.path().join("home/config")).unwrap();
    let user = home.path().join("home/config/hookspec.toml");
    std::fs::write(user, "[hooks.rules.secrets_guard]\nshadow = false\n").unwrap();
    home.config("[hooks]\nshadow = ['*']\n");
    let rows = listed(&home);
    assert_eq!(hook(&rows, "loop_guard.stop")["shadow"], true);
    let guards = rows["hooks"].as_array().unwrap().iter();
    let mut guards = guards.filter(|row| row["name"].as_str().unwrap().starts_with("secrets_guard."));
    assert!(guards.all(|row| row["shadow"].is_null()));
    // No glob puts the way to ask in shadow.
    assert!(
        rows["hooks"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["confirmation"] == false || row["shadow"].is_null())
    );
}

#[test]
fn a_name_of_nobody_a_circle_and_a_rule_for_nothing_say_where() {
    let home = Home::new();
    for (text, parts) in [
        (
            "[hooks]\nshadow = ['secret_guard']\n",
            &["`secret_guard` in ", "hookspec.toml:2", "secrets_guard"][..],
        ),
        ("[hooks.rules.loop_gard]\npriority = 1\n", &["`loop_gard` in ", "hookspec.toml:2", "loop_guard"]),
        ("[hooks.rules.loop_guard]\nbefor = 'x'\n", &["`befor` in line 2", "did you mean `before`?"]),
        ("[hooks.rules.cache_awareness]\ntools = ['x']\n", &["`tools` holds for no hook", "hookspec.toml:2"]),
        ("[hooks]\nshadow = ['auto_confirm']\n", &["is how the user is asked"]),
    ] {
        home.config(text);
        let told = home.bad(&["list", "-y"]).replace('\n', " ");
        for part in parts {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}
