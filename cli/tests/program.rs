//! The program as a person uses it.

#![allow(clippy::unwrap_used)]

mod common;

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use common::{Home, hook};

fn save(path: &str) -> Value {
    json!({ "text": "Saving.", "tool_calls": [{ "tool": "save", "kwargs": { "path": path, "content": "x\n" } }] })
}

#[test]
fn the_tour_shows_what_it_promises() {
    let home = Home::new();
    let text = home.good(&["tour"]);
    for part in [
        "greet.py:1: F401 `os` imported but unused",
        "Denied by the hook `tour.guard`",
        "panicked: this hook cannot stand shells",
        "(background)",
        "the session has been going on for 7min",
        "Staged: a program called `claude`",
        "5 of 5 · Which hook ran when",
        "claude-code",
        "What to type next",
    ] {
        assert!(text.contains(part), "`{part}` in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "no colours in a pipe");
    assert!(!text.contains("<system_info>") && !text.contains("<workspace-agents"), "no tags: {text}");
    let picture = home.path().join("tour.svg");
    home.good(&["trace", "--svg", picture.to_str().unwrap()]);
    let svg = std::fs::read_to_string(picture).unwrap();
    assert!(svg.contains("tour.fragile") && svg.contains("<svg"));
    assert!(home.good(&["trace"]).contains("tour.guard"));
}

#[test]
fn the_list_says_what_is_on_and_why() {
    let home = Home::new();
    home.config("[hooks]\ndisable = ['time_awareness.time_message']\npriority = { 'linter' = 20 }\n");
    let rows: Value = serde_json::from_str(&home.good(&["list", "--json"])).unwrap();
    assert_eq!(hook(&rows, "time_awareness.time_message")["on"], false);
    let why = hook(&rows, "time_awareness.time_message")["why"].as_str().unwrap();
    assert!(why.starts_with("disable in ") && why.ends_with("hookspec.toml:2"), "{why}");
    assert_eq!(hook(&rows, "linter.lint")["priority"], 20);
    assert_eq!(hook(&rows, "cli_confirm.ask")["why"], "for interactive hosts only");
    assert_eq!(hook(&rows, "test.test_turn_pre")["why"], "off unless an allowlist names it");
    assert!(!rows.to_string().contains("\"tour."), "the tour's hooks are the tour's");
    let with_y: Value = serde_json::from_str(&home.good(&["list", "--json", "-y"])).unwrap();
    assert_eq!(hook(&with_y, "auto_confirm.confirm")["on"], true);
    for name in ["linter.lint", "linter"] {
        let text = home.good(&["list", "--explain", name]);
        for part in ["Runs the linter on the file.", "timeout   30s", "command = \"ruff\""] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    assert!(home.bad(&["list", "--explain", "lint"]).contains("did you mean `linter.lint`"));
}

#[test]
fn names_from_gptmes_documentation_work() {
    let home = Home::new();
    let output = home
        .command(&["list", "--json"])
        .env("GPTME_HOOKS_DISABLED", "linter.lint, cwd_awareness")
        .env("GPTME_HOOK_PRIORITY_TIME_AWARENESS", "7")
        .output()
        .unwrap();
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(hook(&rows, "linter.lint")["why"], "GPTME_HOOKS_DISABLED");
    assert_eq!(hook(&rows, "cwd_tracking.notification")["on"], false);
    assert_eq!(hook(&rows, "time_awareness.time_message")["priority"], 7);
}

#[test]
fn mistakes_are_told_with_the_culprit_and_the_remedy() {
    let home = Home::new();
    home.config("[hooks\n");
    assert!(home.bad(&["list"]).contains("hookspec.toml is not valid TOML: TOML parse error at line 1"));
    home.config("[hooks]\nallow = ['lintr']\n");
    let error = home.bad(&["list"]);
    assert!(error.contains("`lintr` in ") && error.contains("did you mean `linter"), "{error}");
    assert!(error.contains("plugins![…]"));
    home.config("[hooks.linter]\ncomand = 'x'\n");
    assert!(home.bad(&["list"]).contains("unknown key `comand` (did you mean `command`?)"));
    home.config("[agent]\nmodle = 'x'\n");
    assert!(home.bad(&["list"]).contains("unknown field `modle`"));
    home.config("[models.'openai/gpt-5']\ninput = 'free'\n");
    let error = home.bad(&["list"]);
    assert!(error.contains("hookspec.toml: `[models.\"openai/gpt-5\"]`: `free` is not an amount"), "{error}");
    home.config("");
    assert!(
        home.bad(&["fire", "file.saved", "--event", "{}"]).contains("no hook point is called `file.saved`")
    );
    assert!(
        home.bad(&["fire", "step.pre", "--event", "{}"])
            .contains("this is no event of STEP_PRE: missing field `step`")
    );
    assert!(home.bad(&["chat", "hi"]).contains("no model was named"));
    assert!(home.bad(&["chat", "hi", "--model", "nobody/x"]).contains("nobody/x"));
    assert!(home.bad(&["chat", "hi", "--model", "replay:gone.jsonl"]).contains("gone.jsonl"));
    assert!(home.bad(&["chat", "hi", "--model", "x/y", "--workspace", "gone"]).contains("cannot be used"));
    assert!(home.bad(&["chat", "hi", "--resume", "gone"]).contains("there is no session `gone`"));
    assert!(home.bad(&["chat", "-n", "--model", "x/y"]).contains("there is no prompt"));
    for command in ["list", "trust", "snapshots"] {
        assert!(home.bad(&[command, "--workspace", "gone"]).contains("gone is no directory"), "{command}");
    }
    // None of these began a session.
    assert!(home.bad(&["trace"]).contains("there is no session yet"));
    assert!(home.bad(&["list", "--explain", "time_awarenes"]).contains("did you mean `time_awareness`"));
    assert!(home.bad(&["trace", "nothing"]).contains("there is no session `nothing`"));
    assert!(home.bad(&["new", "No"]).contains("cannot be a crate's name"));
}

#[test]
fn doctor_finds_every_problem_in_one_go_and_exits_with_one() {
    let home = Home::new();
    let text = home.good(&["doctor"]);
    assert!(text.contains("ok   plugin hookspec-builtins") && text.contains("no problems"), "{text}");
    // A file that is not TOML hides neither the other file's problems nor those of the project.
    home.config("[hooks\n");
    let named = home.path().join("named.toml");
    std::fs::write(&named, "[hooks]\nallow = ['nothing', 'nobody']\n[hooks.linter]\nx = 1\n").unwrap();
    let lock = "version = 4\n[[package]]\nname = 'my-hooks'\nversion = '1.0.0'\ndependencies = ['hookspec', 'serde']\n";
    std::fs::write(home.workspace().join("Cargo.lock"), lock).unwrap();
    let manifest = "[package]\nname = 'my-bot'\n[dependencies]\nmy-hooks = '1'\n";
    std::fs::write(home.workspace().join("Cargo.toml"), manifest).unwrap();
    let output = home.run(&["doctor", "--json", "--config", named.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let findings: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = findings.as_array().unwrap();
    let problems: Vec<_> = rows.iter().filter_map(|row| row["problem"].as_str()).collect();
    for part in ["at line 1", "`nothing`", "`nobody`", "unknown key `x`", "name it in the host's"] {
        assert!(problems.iter().any(|problem| problem.contains(part)), "{part} in {problems:?}");
    }
    assert_eq!(problems.len(), 5, "{problems:?}");
    assert!(rows.iter().any(|row| row["what"] == "crate my-hooks"), "{rows:?}");
}

#[test]
fn doctor_says_that_a_folders_own_plugin_is_in_another_program() {
    let home = Home::new();
    home.good(&["new", "my-hooks"]);
    let output = home.run(&["doctor", "--workspace", "my-hooks"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    let remedy = "cargo run -p my-hooks-program -- list";
    assert!(text.contains("crate my-hooks") && text.contains(remedy), "{text}");
}

#[test]
fn doctor_has_nothing_to_say_about_this_repository() {
    let home = Home::new();
    home.good(&["doctor", "--workspace", concat!(env!("CARGO_MANIFEST_DIR"), "/..")]);
}

#[test]
fn a_home_that_cannot_be_written_is_a_finding_and_not_a_panic() {
    let home = Home::new();
    let output = home.command(&["doctor"]).env("HOOKSPEC_HOME", "/proc/nothing").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("set HOOKSPEC_HOME to a folder that can"));
    let model = home.script(&[json!({ "text": "hi" })]);
    let chat = home
        .command(&["chat", "hi", "--model", &model])
        .env("HOOKSPEC_HOME", "/proc/nothing")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&chat.stderr);
    assert!(
        !chat.status.success() && error.contains("/proc/nothing") && !error.contains("panicked"),
        "{error}"
    );
    let tour = home.command(&["tour"]).env("HOOKSPEC_HOME", "/proc/nothing").output().unwrap();
    assert!(tour.status.success(), "the tour needs no home");
}

#[test]
fn fire_runs_hooks_on_one_event_and_keeps_their_states() {
    let home = Home::new();
    let event = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/events/tool.execute.post.json"
    ))
    .unwrap();
    let fire = |clock: &str| {
        let text = home.good(&[
            "fire",
            "post_tool_call",
            "--event",
            &event,
            "--session",
            "s1",
            "--only",
            "time_awareness",
            "--clock",
            clock,
        ]);
        serde_json::from_str::<Value>(text.trim()).unwrap()
    };
    let first = fire("2026-01-01T12:00:00Z");
    assert_eq!((&first["hook"], &first["messages"]), (&json!("time_awareness.time_message"), &json!([])));
    let later = fire("2026-01-01T12:06:00Z");
    assert!(later["messages"][0]["content"].as_str().unwrap().contains("6min"), "{later}");
    assert_eq!((&later["messages"][0]["hide"], &later["error"]), (&json!(true), &Value::Null));
    assert!(later["duration_us"].is_u64());
    assert!(
        home.bad(&["fire", "step.pre", "--event", "{\"step\":0}", "--session", "../x"])
            .contains("session's id")
    );
}

#[test]
fn points_are_listed_described_and_have_schemas() {
    let home = Home::new();
    let all: Value = serde_json::from_str(&home.good(&["points", "--json"])).unwrap();
    assert_eq!(all.as_array().unwrap().iter().filter(|point| point["package"] == "hookspec").count(), 29);
    assert!(home.good(&["points", "PermissionRequest"]).contains("TOOL_CONFIRM"));
    let schema: Value = serde_json::from_str(&home.good(&["points", "file.save.post", "--schema"])).unwrap();
    assert_eq!(schema["properties"]["created"]["type"], "boolean");
    let page = home.good(&["points", "--markdown"]);
    let kept = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/points.md")).unwrap();
    assert_eq!(page, kept, "docs/points.md is out of date; make it anew with `hookspec points --markdown`");
}

#[test]
fn a_chat_without_a_person_refuses_and_with_y_does() {
    let home = Home::new();
    let refused = home.script(&[save("a.txt"), json!({ "text": "Then not." })]);
    home.good(&["chat", "save a file", "-n", "--model", &refused, "--name", "one"]);
    assert!(!home.workspace().join("a.txt").exists());
    let log = std::fs::read_to_string(home.path().join("home/logs/one/conversation.jsonl")).unwrap();
    assert!(log.contains("nobody is there to ask"), "{log}");

    let script = home.script(&[save("a.txt"), json!({ "text": "Saved." }), json!({ "text": "Still here." })]);
    let text = home.good(&["chat", "save a file", "-y", "--model", &script, "--name", "two"]);
    assert!(text.contains("Saved.") && home.workspace().join("a.txt").exists());
    let again = home.good(&["chat", "and now?", "-y", "--resume", "two"]);
    assert!(again.contains("Still here."), "{again}");
}

#[test]
fn a_chat_knows_what_it_cost_and_says_so_after_a_resume() {
    let home = Home::new();
    let usage = json!({ "input_tokens": 1000, "output_tokens": 500 });
    let script = home.script(&[
        json!({ "text": "Hello.", "usage": usage }),
        json!({ "expect": "Session cost reached $0.12 (passed $0.10;", "text": "Oh.", "usage": usage }),
    ]);
    let name = script.replacen(':', "/", 1);
    home.config(&format!("[models.{name:?}]\ncontext = 9000\ninput = 100\noutput = 40.5\n"));
    let chat = |args: &[&str]| {
        let output = home.run(&[&["chat", "-n"], args].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{told}");
        told
    };
    let told = chat(&["hi", "--name", "paid", "--model", &name]);
    assert!(told.contains("Session: $0.12 | 1 request | 1k context | 0% cached"), "{told}");
    // Another process: the script's second line wants the warning behind the prompt.
    let told = chat(&["and now?", "--resume", "paid"]);
    assert!(told.contains("Session: $0.24 | 2 requests |"), "{told}");
    let log = std::fs::read_to_string(home.path().join("home/logs/paid/conversation.jsonl")).unwrap();
    assert_eq!(log.matches("\"cost_micro_usd\":120250").count(), 2, "{log}");
    assert_eq!(log.matches("<budget:token_budget>9000</budget:token_budget>").count(), 1, "{log}");
    assert!(!log.contains("Session cost"), "it is for one request: {log}");
}

#[test]
fn an_allowlist_does_not_take_the_confirmation_away() {
    let home = Home::new();
    let script = home.script(&[save("a.txt"), json!({ "text": "ok" })]);
    home.good(&["chat", "save", "--model", &script, "--allow", "linter"]);
    assert!(!home.workspace().join("a.txt").exists(), "nobody confirmed it");
}

#[test]
fn ctrl_c_and_sigterm_end_the_session_properly() {
    for (signal, reason) in [("-INT", "exit"), ("-TERM", "shutdown")] {
        let home = Home::new();
        let long = json!({ "text": "word ".repeat(4_000), "delay_ms": 20 });
        let script = home.script(&[long]);
        let mut child = home
            .command(&["chat", "talk", "-n", "--model", &script, "--name", "s"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let timeline = home.path().join("home/logs/s/timeline.jsonl");
        // It is talking as soon as something arrives.
        let mut first = [0; 1];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
        let mut rest = child.stdout.take().unwrap();
        let drained = std::thread::spawn(move || std::io::copy(&mut rest, &mut std::io::sink()));
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        child.wait().unwrap();
        drained.join().unwrap().unwrap();
        let text = std::fs::read_to_string(timeline).unwrap();
        let points: Vec<String> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|entry| entry["what"] == "fired")
            .map(|entry| entry["point"].as_str().unwrap().to_owned())
            .collect();
        let end: Vec<_> = points.iter().rev().take(4).rev().collect();
        assert_eq!(
            end,
            ["generation.interrupt", "turn.post", "loop.continue", "session.end"],
            "{signal} {reason}"
        );
        let log = std::fs::read_to_string(home.path().join("home/logs/s/conversation.jsonl")).unwrap();
        assert!(log.contains("Interrupted by"), "{log}");
    }
}

#[test]
fn a_torn_timeline_costs_the_torn_line() {
    let home = Home::new();
    let script = home.script(&[json!({ "text": "hi" })]);
    home.good(&["chat", "hi", "-n", "--model", &script, "--name", "s"]);
    let path = home.path().join("home/logs/s/timeline.jsonl");
    let mut text = std::fs::read_to_string(&path).unwrap();
    let whole = home.good(&["trace", "s"]).lines().count();
    text.push_str("{\"what\":\"fir");
    std::fs::write(&path, text).unwrap();
    let output = home.run(&["trace", "s"]);
    assert!(output.status.success() && String::from_utf8_lossy(&output.stderr).contains("was skipped"));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), whole);
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error() {
    let home = Home::new();
    for args in [&["list"][..], &["points", "--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = home.command(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("standard output cannot be written"), "{error}");
    }
}

#[test]
fn a_picture_is_well_formed_and_obeys_no_message() {
    let home = Home::new();
    let folder = home.path().join("home/logs/s");
    std::fs::create_dir_all(&folder).unwrap();
    let entries = [
        json!({ "what": "fired", "point": "step.pre", "at": "2026-01-01T00:00:00Z", "offset_us": 0 }),
        json!({ "what": "ran", "hook": "a.b", "point": "step.pre", "at": "2026-01-01T00:00:00Z", "offset_us": 3,
                "duration_us": 40, "messages": ["<script>\u{1b}[31m & more"] }),
        json!({ "what": "ran", "hook": "a.guard", "point": "step.pre", "at": "2026-01-01T00:00:00Z",
                "offset_us": 60, "duration_us": 9, "gate": { "gate": "deny", "reason": "no" } }),
    ];
    let text: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
    std::fs::write(folder.join("timeline.jsonl"), text).unwrap();
    home.good(&["trace", "s", "--svg", "s.svg"]);
    let svg = std::fs::read_to_string(home.workspace().join("s.svg")).unwrap();
    assert!(svg.contains("&lt;script&gt;\\u{1b}[31m &amp; more") && !svg.contains("<script>"), "{svg}");
    assert!(svg.contains("a.guard at step.pre") && svg.contains("deny: no") && svg.contains("⊘"), "{svg}");
    let text = home.good(&["trace", "s"]);
    assert!(text.contains("│ deny: no") && !text.contains('\u{1b}'), "{text}");
    let data = home.good(&["trace", "s", "--json"]);
    assert_eq!(data.lines().count(), 3);
    assert!(home.bad(&["trace", "t"]).contains("there is no session `t`"));
}

#[test]
fn colours_are_for_people_who_want_them() {
    let home = Home::new();
    let coloured = home.command(&["doctor"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(String::from_utf8_lossy(&coloured.stdout).contains('\u{1b}'));
    let plain = home.command(&["doctor", "--no-color"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(!String::from_utf8_lossy(&plain.stdout).contains('\u{1b}'));
}

/// Every signature that `points` prints, each in a module of its own.
fn every_signature(home: &Home) -> String {
    let mut text = String::from(
        "//! Every signature that `hookspec points` prints, compiled.\n//!\n//! Made by `UPDATE_PAGES=1 cargo test -p hookspec-cli --test program signature`; do not edit.\n\n#![allow(unused_variables, clippy::unwrap_used)] // what is pasted says nothing yet\n",
    );
    let points: Value = serde_json::from_str(&home.good(&["points", "--json"])).unwrap();
    let mut hooks = 0;
    for point in points.as_array().unwrap() {
        let name = point["name"].as_str().unwrap();
        let said: Value = serde_json::from_str(&home.good(&["points", name, "--json"])).unwrap();
        for (suffix, key) in [("", "fn"), ("_async", "async fn")] {
            let Some(signature) = said["signatures"][key].as_str() else { continue };
            let indented: String = signature
                .lines()
                .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") })
                .collect();
            text.push_str(&format!(
                "\n#[rustfmt::skip]\nmod {}{suffix} {{\n{indented}}}\n",
                name.to_lowercase()
            ));
            hooks += 1;
        }
        let shown = home.good(&["points", name]);
        // Around work one mostly waits.
        let around = said["signatures"]["fn"].as_str().unwrap().contains("next: ");
        let key = if around { "async fn" } else { "fn" };
        assert!(shown.contains(said["signatures"][key].as_str().unwrap()), "{shown}");
    }
    text.push_str(&format!(
        "\n#[test]\nfn every_one_is_a_hook() {{\n    let registry = hookspec::Registry::builder().build().unwrap();\n    assert_eq!(registry.list().len(), {hooks});\n}}\n"
    ));
    text
}

#[test]
fn every_signature_that_points_prints_is_one_that_is_compiled() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/ui/tests/every_signature.rs");
    let made = every_signature(&Home::new());
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap();
    assert_eq!(kept, made, "run with UPDATE_PAGES=1");
}
