//! Questions at a real terminal: a pseudo-terminal of the test's own, and the program in it.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use common::Home;
use rexpect::session::{PtySession, spawn_command};
use serde_json::{Value, json};

/// Longer than any of this takes, so that a failure is one and not a hang.
const AT_MOST_MS: u64 = 60_000;

fn fire(home: &Home, point: &str, hook: &str, event: &Value, editor: &str) -> PtySession {
    let event = event.to_string();
    let mut command = home.command(&["fire", point, "--only", hook, "--event", &event]);
    // The terminal is the pseudo-terminal's; `Home` takes it away for tests without one.
    command.stdin(std::process::Stdio::inherit()).env("TERM", "xterm").env("NO_COLOR", "1");
    command.env_remove("VISUAL").env("EDITOR", editor);
    spawn_command(command, Some(AT_MOST_MS)).unwrap()
}

fn confirm(home: &Home, content: &str, editor: &str) -> PtySession {
    let call = json!({ "tool": "shell", "content": content });
    let event = json!({ "tool_use": call, "preview": null, "why": "policy" });
    fire(home, "TOOL_CONFIRM", "cli_confirm", &event, editor)
}

fn elicit(home: &Home, request: &Value) -> PtySession {
    fire(home, "ELICIT", "elicitation", &json!({ "request": request }), "false")
}

/// The program's one line of JSON, and all that the terminal showed before it.
fn said(mut terminal: PtySession) -> (Value, String) {
    let rest = terminal.exp_eof().unwrap();
    let at = rest.find("{\"hook\"").unwrap_or_else(|| panic!("{rest}"));
    let line = rest[at..].lines().next().unwrap();
    (serde_json::from_str::<Value>(line).unwrap()["verdict"]["first"].clone(), rest[..at].to_owned())
}

#[test]
fn a_secret_is_read_and_never_shown() {
    let home = Home::new();
    let mut terminal = elicit(&home, &json!({ "kind": "secret", "prompt": "Token?" }));
    terminal.exp_string("Token?").unwrap();
    terminal.send("hunter2\r").unwrap();
    terminal.flush().unwrap();
    let (answer, shown) = said(terminal);
    assert_eq!(answer, json!({ "answer": "secret", "value": "<secret provided>" }));
    assert!(!shown.contains("hunter2"), "{shown:?}");
}

#[test]
fn a_choice_is_picked_from_a_menu() {
    let home = Home::new();
    let request = json!({ "kind": "choice", "prompt": "Which?", "options": ["red", "green", "blue"] });
    let mut terminal = elicit(&home, &request);
    terminal.exp_string("blue").unwrap();
    terminal.send("\u{1b}[B\r").unwrap();
    terminal.flush().unwrap();
    assert_eq!(said(terminal).0, json!({ "answer": "text", "value": "green" }));
}

#[test]
fn ctrl_c_in_a_menu_cancels_the_question() {
    let home = Home::new();
    let request = json!({ "kind": "multi_choice", "prompt": "Which?", "options": ["red", "green"] });
    let mut terminal = elicit(&home, &request);
    terminal.exp_string("green").unwrap();
    terminal.send_control('c').unwrap();
    let (answer, shown) = said(terminal);
    assert_eq!(answer, json!({ "answer": "cancelled" }));
    assert!(shown.contains("not answered: the question was broken off"), "{shown:?}");
}

#[test]
fn a_confirmation_is_typed() {
    let home = Home::new();
    let mut terminal = confirm(&home, "make\u{1b}[2K", "false");
    terminal.exp_string("make\\u{1b}[2K").unwrap();
    terminal.exp_string("Run shell? [y]es [N]o [e]dit [c]opy [a]ll [?] ").unwrap();
    terminal.send_line("n").unwrap();
    assert_eq!(said(terminal).0, json!({ "action": "skip", "reason": "The user declined this call." }));
}

#[test]
fn what_was_typed_before_a_question_does_not_answer_it() {
    let home = Home::new();
    let save = |path| {
        let call = json!({ "tool": "save", "kwargs": { "path": path, "content": "x" } });
        json!({ "text": "Saving.", "tool_calls": [call] })
    };
    let model = home.script(&[save("a.txt"), save("b.txt"), json!({ "text": "Done." })]);
    let mut command = home.command(&["chat", "--model", &model, "save both"]);
    command.stdin(std::process::Stdio::inherit()).env("TERM", "xterm").env("NO_COLOR", "1");
    let mut terminal = spawn_command(command, Some(AT_MOST_MS)).unwrap();
    terminal.exp_string("Run save? [Y]es [n]o [e]dit [c]opy [a]ll [?] ").unwrap();
    terminal.send("y\ny\n").unwrap();
    terminal.flush().unwrap();
    terminal.exp_string("Run save? [Y]es [n]o [e]dit [c]opy [a]ll [?] ").unwrap();
    terminal.send_line("n").unwrap();
    terminal.exp_eof().unwrap();
    assert!(home.workspace().join("a.txt").exists(), "the first was confirmed");
    assert!(!home.workspace().join("b.txt").exists(), "the second was asked for, and refused");
}

#[test]
fn an_editor_may_have_arguments_and_may_fail() {
    let home = Home::new();
    let mut terminal = confirm(&home, "make", r#"sh -c 'echo "$(cat "$0") -j2" > "$0"'"#);
    terminal.exp_string("Run shell?").unwrap();
    terminal.send_line("e").unwrap();
    assert_eq!(said(terminal).0, json!({ "action": "edit", "content": "make -j2\n" }));

    let mut terminal = confirm(&home, "make", "false");
    terminal.exp_string("Run shell?").unwrap();
    terminal.send_line("e").unwrap();
    terminal.exp_string("not edited: the editor `false` did not end well").unwrap();
    terminal.exp_string("Run shell?").unwrap();
    terminal.send_line("n").unwrap();
    assert_eq!(said(terminal).0["action"], "skip");
}

#[test]
fn an_editor_that_is_not_there_is_named_with_its_variable() {
    let home = Home::new();
    let mut terminal = confirm(&home, "make", "nosuchedit -w");
    terminal.exp_string("Run shell?").unwrap();
    terminal.send_line("e").unwrap();
    terminal.exp_string("not edited: the editor `nosuchedit`, which EDITOR names, is not there").unwrap();
    terminal.exp_string("Run shell?").unwrap();
    terminal.send_line("n").unwrap();
    assert_eq!(said(terminal).0["action"], "skip");
}

#[test]
fn what_is_said_after_a_break_begins_a_line() {
    let home = Home::new();
    let mut terminal = confirm(&home, "make", "false");
    terminal.exp_string("[a]ll [?] ").unwrap();
    terminal.send_control('d').unwrap();
    let (answer, shown) = said(terminal);
    assert_eq!(answer["reason"], "This call was not confirmed: the input is at its end.");
    assert!(shown.contains('\n'), "{shown:?}");

    let shell = json!({ "tool": "shell", "kwargs": { "command": "touch begun; sleep 60" } });
    let model = home.script(&[json!({ "text": "Waiting.", "tool_calls": [shell] })]);
    let chat = |args: &[&str]| {
        let mut command = home.command(&[&["chat", "--model", &model][..], args].concat());
        command.stdin(std::process::Stdio::inherit()).env("TERM", "xterm").env("NO_COLOR", "1");
        spawn_command(command, Some(AT_MOST_MS)).unwrap()
    };
    for key in ['c', 'd'] {
        let mut terminal = chat(&[]);
        terminal.exp_string("\n> ").unwrap();
        terminal.send_control(key).unwrap();
        let rest = terminal.exp_eof().unwrap();
        let end = rest.trim_start_matches("^C").trim_start_matches("^D").trim_start_matches('\u{8}');
        assert!(end.starts_with("\r\n"), "{key}: {rest:?}");
    }

    // At the question of a session, and while a command runs.
    let mut terminal = chat(&["wait"]);
    terminal.exp_string("[a]ll [?] ").unwrap();
    terminal.send_control('c').unwrap();
    let rest = terminal.exp_eof().unwrap();
    assert!(rest.trim_start_matches("^C").starts_with("\r\n"), "{rest:?}");

    let mut terminal = chat(&["-y", "wait"]);
    terminal.exp_string("sleep 60").unwrap();
    let (begun, patience) = (home.workspace().join("begun"), std::time::Instant::now());
    while !begun.exists() {
        assert!(patience.elapsed() < std::time::Duration::from_millis(AT_MOST_MS), "the command never began");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    terminal.send_control('c').unwrap();
    let rest = terminal.exp_eof().unwrap();
    assert!(rest.trim_start_matches("^C").starts_with("\r\n"), "{rest:?}");
    assert!(rest.contains("nterrupted"), "{rest:?}");
}

#[test]
fn nothing_that_a_model_or_a_tool_writes_reaches_the_terminal_as_it_is() {
    let home = Home::new();
    let hostile = "a\rb\u{202e}\u{200b}\u{3164}\u{9b}2K\u{1b}]0;t\u{7}z";
    let call = json!({ "tool": "save", "kwargs": { "path": "x\u{1b}[2K.txt", "content": "x" } });
    let read = json!({ "tool": "read", "kwargs": { "path": "x\u{1b}[2K.txt" } });
    let model = home.script(&[
        json!({ "text": hostile, "tool_calls": [call] }),
        json!({ "text": "line\r\nend", "tool_calls": [read] }),
        json!({ "text": "Done." }),
    ]);
    let output = home.run(&["chat", "--model", &model, "-y", "go"]);
    let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let written = r"a\rb\u{202e}\u{200b}\u{3164}\u{9b}2K\u{1b}]0;t\u{7}z";
    assert!(said.contains(written) && said.contains("line\nend"), "{said:?}");
    assert!(said.contains(r"x\u{1b}[2K.txt"), "{said:?}");
    for hidden in ['\r', '\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{200b}', '\u{3164}'] {
        assert!(!said.contains(hidden), "{hidden:?} in {said:?}");
    }
}

#[test]
fn ctrl_c_at_a_confirmation_is_a_no_without_a_further_key() {
    let home = Home::new();
    let call = json!({ "tool": "save", "kwargs": { "path": "a.txt", "content": "x" } });
    let model =
        home.script(&[json!({ "text": "Saving.", "tool_calls": [call] }), json!({ "text": "Done." })]);
    let mut command = home.command(&["chat", "--model", &model, "save it"]);
    command.stdin(std::process::Stdio::inherit()).env("TERM", "xterm").env("NO_COLOR", "1");
    let mut terminal = spawn_command(command, Some(AT_MOST_MS)).unwrap();
    terminal.exp_string("Run save? [Y]es [n]o [e]dit [c]opy [a]ll [?] ").unwrap();
    terminal.send_control('c').unwrap();
    terminal.exp_eof().unwrap();
    assert!(!home.workspace().join("a.txt").exists());
}

#[test]
fn a_call_is_shown_once_and_enter_runs_only_what_loses_nothing() {
    let home = Home::new();
    let shell = |command| {
        let call = json!({ "tool": "shell", "kwargs": { "command": command } });
        json!({ "text": "Running.", "tool_calls": [call] })
    };
    let model =
        home.script(&[shell("pwd && pwd -L"), shell("touch made-by-enter"), json!({ "text": "Done." })]);
    let mut command = home.command(&["chat", "--model", &model, "run them"]);
    command.stdin(std::process::Stdio::inherit()).env("TERM", "xterm").env("NO_COLOR", "1");
    let mut terminal = spawn_command(command, Some(AT_MOST_MS)).unwrap();
    let first = terminal.exp_string("Run shell? [Y]es [n]o [e]dit [c]opy [a]ll [?] ").unwrap();
    terminal.send_line("").unwrap();
    let second = terminal.exp_string("Run shell? [y]es [N]o [e]dit [c]opy [a]ll [?] ").unwrap();
    terminal.send_line("").unwrap();
    let rest = terminal.exp_eof().unwrap();
    assert_eq!(first.matches("pwd && pwd -L").count(), 1, "{first}");
    assert!(second.contains("workspace"), "the first has run: {second}");
    assert_eq!((second + &rest).matches("touch made-by-enter").count(), 1);
    assert!(!home.workspace().join("made-by-enter").exists());
}
