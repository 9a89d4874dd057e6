//! Hooks that are commands, and the trust that a folder's files need, through the program.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use serde_json::{Value, json};

use common::{Home, hook};

const GUARD: &str =
    "[[hooks.scripts]]\nevent = 'tool.execute.pre'\nmatcher = 'save'\ncommand = 'sh ./guard.sh'\n";
const CALL: &str = r#"{"tool_use": {"tool": "save", "args": ["x"], "content": "y"}}"#;

/// A folder with a guard in it that nobody has trusted.
fn guarded() -> Home {
    let home = Home::new();
    std::fs::write(home.workspace().join("guard.sh"), "echo not on my watch >&2; exit 2\n").unwrap();
    std::fs::write(home.workspace().join("hookspec.toml"), format!("{GUARD}[hooks]\ndisable = ['linter']\n"))
        .unwrap();
    home
}

fn fire(home: &Home) -> String {
    home.good(&["fire", "tool.execute.pre", "--text", "--event", CALL, "--only", "script"])
}

fn rows(home: &Home) -> Value {
    serde_json::from_str(&home.good(&["list", "--json"])).unwrap()
}

#[test]
fn a_projects_file_counts_once_it_is_trusted_and_until_it_changes() {
    let home = guarded();
    let listed = rows(&home);
    let guard = hook(&listed, "script.001.tool.execute.pre");
    assert_eq!(guard["on"], false);
    assert!(guard["why"].as_str().unwrap().ends_with("not trusted it yet; look at it with `hookspec trust`"));
    assert_eq!(hook(&listed, "linter.lint")["on"], true, "its settings do not count either");
    let error = home.run(&["list"]).stderr;
    assert!(String::from_utf8(error).unwrap().contains("hookspec.toml does not count"));
    let error = home.bad(&["fire", "tool.execute.pre", "--event", CALL, "--only", "script"]);
    assert!(error.contains("you have not trusted it yet"), "{error}");

    let items: Value = serde_json::from_str(&home.good(&["trust", "--json"])).unwrap();
    assert_eq!(
        (items[0]["standing"].as_str(), items[0]["commands"][0].as_str()),
        (Some("new"), Some("sh ./guard.sh"))
    );
    assert!(items[0]["files"][0].as_str().unwrap().ends_with("/guard.sh"));
    let shown = home.good(&["trust", "show"]);
    assert!(shown.contains("disable = ['linter']") && shown.contains("echo not on my watch"), "{shown}");
    let print = items[0]["fingerprint"].as_str().unwrap();
    home.good(&["trust", "grant", &print[..19]]);

    assert_eq!(hook(&rows(&home), "linter.lint")["on"], false);
    assert_eq!(fire(&home), "script.001.tool.execute.pre\n  gate: deny, not on my watch\n");
    let explained = home.good(&["list", "--explain", "script"]);
    assert!(explained.contains("Runs `sh ./guard.sh`."), "{explained}");
    assert!(home.good(&["trust"]).starts_with("trusted  "));

    // The script, though the file is as it was.
    std::fs::write(home.workspace().join("guard.sh"), "exit 0\n").unwrap();
    assert!(home.good(&["trust"]).starts_with("changed  "));
    let why = rows(&home);
    let why = hook(&why, "script.001.tool.execute.pre")["why"].as_str().unwrap().to_owned();
    assert!(why.contains("has changed since you trusted it"), "{why}");
    assert!(home.bad(&["trust", "grant", &print[..19]]).contains("nothing here has a fingerprint"));
    home.good(&["trust", "grant", "--all"]);
    assert_eq!(fire(&home), "script.001.tool.execute.pre\n  said nothing\n");
    assert!(home.good(&["trust", "revoke", "--all"]).contains("no longer trusted"));
    assert!(home.good(&["trust"]).starts_with("changed  ") || home.good(&["trust"]).starts_with("new  "));
    home.bad(&["trust", "grant"]);
}

#[test]
fn what_the_user_says_needs_no_trust() {
    let home = guarded();
    let named = home.path().join("named.toml");
    std::fs::write(&named, GUARD).unwrap();
    let args = ["fire", "tool.execute.pre", "--text", "--event", CALL, "--only", "script", "--config"];
    let text = home.good(&[&args[..], &[named.to_str().unwrap()]].concat());
    assert!(text.contains("script.002.tool.execute.pre\n  gate: deny, not on my watch"), "{text}");
    let folder = home.path().join("home/config");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("hookspec.toml"), GUARD).unwrap();
    assert!(fire(&home).contains("script.001.tool.execute.pre\n  gate: deny, not on my watch"));
    // One file in two roles counts once.
    let copy = folder.join("guard.sh");
    std::fs::copy(home.workspace().join("guard.sh"), copy).unwrap();
    let text = home.good(&["--workspace", folder.to_str().unwrap(), "list", "--json"]);
    assert_eq!(text.matches("\"script.0").count(), 1, "{text}");
}

#[test]
fn a_chat_runs_scripts_and_a_strict_one_wants_them_all() {
    let home = guarded();
    let model = home.script(&[
        json!({ "text": "", "tool_calls": [{ "tool": "save", "kwargs": { "path": "x", "content": "y" } }] }),
        json!({ "text": "Then not." }),
    ]);
    let chat = ["chat", "save it", "-y", "--model", &model, "--name"];
    let strict = home.bad(&[&chat[..], &["one", "--strict"]].concat());
    assert!(strict.contains("the session was not begun") && strict.contains("hookspec.toml does not count"));
    assert!(!home.path().join("home/logs/one").exists());
    let output = home.run(&[&chat[..], &["two"]].concat());
    assert!(
        String::from_utf8(output.stderr).unwrap().contains("does not count"),
        "it says which guard is off"
    );
    assert!(home.workspace().join("x").exists());
    std::fs::remove_file(home.workspace().join("x")).unwrap();

    home.good(&["trust", "grant", "--all"]);
    home.good(&[&chat[..], &["three", "--strict"]].concat());
    assert!(!home.workspace().join("x").exists());
    let log = std::fs::read_to_string(home.path().join("home/logs/three/conversation.jsonl")).unwrap();
    assert!(log.contains("not on my watch"), "the model reads the reason: {log}");
}

#[test]
fn what_a_hook_goes_on_with_is_shown_with_its_name() {
    let home = Home::new();
    let once = r#"test -e went || { touch went; echo '{"continue": "now run the tests"}'; }"#;
    let file = home.path().join("named.toml");
    std::fs::write(
        &file,
        format!("[[hooks.scripts]]\nevent = 'loop.continue'\ncommand = \"\"\"{once}\"\"\"\n"),
    )
    .unwrap();
    let model = home.script(&[json!({ "text": "Done." }), json!({ "text": "They pass." })]);
    let chat = ["chat", "mend it", "-y", "--model", &model, "--name", "s", "--config"];
    let shown = home.good(&[&chat[..], &[file.to_str().unwrap()]].concat());
    let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text} in {shown}"));
    assert!(at("Done.") < at("script.001.loop.continue now run the tests"), "{shown}");
    assert!(at("now run the tests") < at("They pass."), "{shown}");
    let log = std::fs::read_to_string(home.path().join("home/logs/s/conversation.jsonl")).unwrap();
    let by = |line: &str| serde_json::from_str::<Value>(line).unwrap()["hook"].clone();
    let line = log.lines().find(|line| line.contains("now run the tests")).unwrap();
    assert_eq!(by(line), "script.001.loop.continue");
}

#[test]
fn an_entry_that_cannot_be_used_is_told_with_its_place_and_takes_no_other_with_it() {
    let home = guarded();
    home.config(&format!("{GUARD}[[hooks.scripts]]\nevent = 'turn.pre'\ncommand = 'x'\ntimeout = 0\n"));
    assert!(fire(&home).contains("not on my watch"));
    let error = String::from_utf8(home.run(&["list"]).stderr).unwrap();
    assert!(
        error.contains("hookspec.toml:5: this `[[hooks.scripts]]` is left out: `timeout = 0`"),
        "{error}"
    );
    let listed = rows(&home);
    let row = hook(&listed, "script.002.turn.pre");
    assert_eq!((&row["on"], &row["line"]), (&json!(false), &json!(5)));
    let doctor = home.run(&["doctor"]);
    assert!(!doctor.status.success() && String::from_utf8(doctor.stdout).unwrap().contains("is left out"));
}

#[test]
fn secrets_reach_a_script_only_by_name() {
    let home = Home::new();
    let entry = |pass: &str| {
        format!(
            "[[hooks.scripts]]\nevent = 'step.pre'\n{pass}\ncommand = 'printf %s \"{{\\\"message\\\": \\\"t:$MY_TOKEN\\\"}}\"'\n"
        )
    };
    let run = |pass: &str| {
        home.config(&entry(pass));
        let args = ["fire", "step.pre", "--text", "--event", "{\"step\": 0}", "--only", "script"];
        let output = home.command(&args).env("MY_TOKEN", "abc").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(run("").ends_with("message (system): t:\n"));
    assert!(run("pass = ['MY_TOKEN']").ends_with("message (system): t:abc\n"));
}

#[test]
fn a_file_that_wants_to_be_trusted_cannot_command_the_terminal() {
    let home = Home::new();
    let text = "[[hooks.scripts]]\nevent = 'step.pre'\ncommand = \"true \\u001b[2J # \\u202e\"\n# \u{202e} \u{1b}]0;x\u{7}\n";
    std::fs::write(home.workspace().join("hookspec.toml"), text).unwrap();
    for args in [&["trust"][..], &["trust", "show"]] {
        let shown = home.good(args);
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown:?}");
    }
}

#[test]
fn a_damaged_list_of_grants_trusts_nothing_and_says_so() {
    let home = guarded();
    std::fs::create_dir_all(home.path().join("home/data")).unwrap();
    std::fs::write(home.path().join("home/data/trust.json"), "{").unwrap();
    assert!(home.bad(&["list"]).contains("is damaged"));
    assert!(home.bad(&["trust", "grant", "--all"]).contains("repair or remove it"));
}

#[test]
fn handlers_of_other_agents_run_in_a_chat_once_they_are_trusted() {
    let home = Home::new();
    std::fs::create_dir(home.workspace().join(".claude")).unwrap();
    let handler = json!({ "type": "command", "command": "grep -q secret && echo secrets stay here >&2 && exit 2; exit 0" });
    let settings =
        json!({ "permissions": {}, "hooks": { "PreToolUse": [{ "matcher": "Write", "hooks": [handler] }] } });
    std::fs::write(home.workspace().join(".claude/settings.json"), settings.to_string()).unwrap();
    let save = |content: &str| json!({ "text": "", "tool_calls": [{ "tool": "save", "kwargs": { "path": "x", "content": content } }] });
    let model = home.script(&[save("a secret"), json!({ "text": "Then not." })]);
    let chat = ["chat", "save it", "-y", "--model", &model, "--name"];
    let error = String::from_utf8(home.run(&[&chat[..], &["one"]].concat()).stderr).unwrap();
    assert!(error.contains("settings.json that do not run: claude.PreToolUse.001; look at them"), "{error}");
    assert!(home.workspace().join("x").exists());
    assert!(home.bad(&[&chat[..], &["strict", "--strict"]].concat()).contains("not begun"));
    std::fs::remove_file(home.workspace().join("x")).unwrap();

    let listed = rows(&home);
    assert_eq!(hook(&listed, "claude.PreToolUse.001")["on"], false);
    assert!(!home.run(&["doctor"]).status.success());
    home.good(&["trust", "grant", "--all"]);
    assert_eq!(hook(&rows(&home), "claude.PreToolUse")["on"], true);
    home.good(&[&chat[..], &["two", "--strict"]].concat());
    assert!(!home.workspace().join("x").exists());
    let log = std::fs::read_to_string(home.path().join("home/logs/two/conversation.jsonl")).unwrap();
    assert!(log.contains("secrets stay here"), "{log}");
    // A client that runs its hooks itself must not see them run twice.
    let listed: Value = serde_json::from_str(&home.good(&["list", "--json", "--host", "bridge"])).unwrap();
    assert!(listed["hooks"].as_array().unwrap().iter().all(|row| row["name"] != "claude.PreToolUse"));
}

#[test]
fn gptmes_scripts_run_once_they_are_trusted() {
    let home = Home::new();
    let text = "[prompt]\nx = 1\n[[hooks.scripts]]\nevent = 'session.start'\ncommand = 'echo $GPTME_HOOK_EVENT > ran'\n";
    std::fs::write(home.workspace().join("gptme.toml"), text).unwrap();
    let fire = || {
        let event = r#"{"resumed": false, "reason": "new", "initial": []}"#;
        home.run(&["fire", "session.start", "--text", "--event", event, "--only", "script"]);
        std::fs::read_to_string(home.workspace().join("ran")).unwrap_or_default()
    };
    assert_eq!(fire(), "");
    let shown = home.good(&["trust", "show"]);
    assert!(shown.contains("gptme.toml, its scripts") && !shown.contains("[prompt]"), "{shown}");
    home.good(&["trust", "grant", "--all"]);
    // The rest of gptme's file is none of ours, and may change.
    std::fs::write(home.workspace().join("gptme.toml"), format!("[env]\ny = 2\n{text}")).unwrap();
    assert_eq!(fire(), "session.start\n");
}

/// Answers one request with this body; gives the address, and what was asked.
fn answering(body: &'static str) -> (String, std::thread::JoinHandle<String>) {
    use std::io::{BufRead, BufReader, Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let asked = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {
            let last = head.lines().last().unwrap_or_default().to_ascii_lowercase();
            length = last.strip_prefix("content-length: ").map_or(length, |text| text.parse().unwrap());
        }
        let mut content = vec![0; length];
        reader.read_exact(&mut content).unwrap();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        head + &String::from_utf8(content).unwrap()
    });
    (url, asked)
}

#[test]
fn a_handler_may_be_an_address() {
    let home = Home::new();
    let (url, asked) = answering(
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"says the server"}}"#,
    );
    std::fs::create_dir(home.workspace().join(".claude")).unwrap();
    let handler = json!({ "type": "http", "url": url, "headers": { "x-key": "${MY_TOKEN}${OTHER}" }, "allowedEnvVars": ["MY_TOKEN"] });
    let settings = json!({ "hooks": { "PreToolUse": [{ "hooks": [handler] }] } });
    std::fs::write(home.workspace().join(".claude/settings.json"), settings.to_string()).unwrap();
    home.good(&["trust", "grant", "--all"]);
    let args = ["fire", "tool.execute.pre", "--text", "--event", CALL, "--only", "claude"];
    let run = || {
        let output = home.command(&args).env("MY_TOKEN", "abc").env("OTHER", "def").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(run(), "claude.PreToolUse\n  gate: deny, says the server\n");
    let asked = asked.join().unwrap();
    assert!(asked.starts_with("POST /hook ") && asked.contains("x-key: abc\r\n"), "{asked}");
    assert!(asked.contains(r#""tool_name":"Write""#), "{asked}");
    // Nobody answers any more: it fails, and lets things pass as Claude Code does.
    assert_eq!(run(), "claude.PreToolUse\n  said nothing\n");
}
