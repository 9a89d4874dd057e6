//! `docs/terminal.md`: what the commands show at 80 and 120 columns. `UPDATE_PAGES=1` writes it anew.
//!
//! What differs from run to run (times, process ids, folders) is written as a word.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use std::path::Path;

use common::Home;
use rexpect::session::spawn_command;
use serde_json::json;

/// What stands before the captures.
const HEAD: &str = "# On the terminal

What the commands show on a terminal of 80 and of 120 columns. A test of the program makes this page; times, process ids and
folders stand as words.

Tables fit the screen: a text gives its middle (`time_a…message`) or wraps, columns that are not needed are left out, and where
that is not enough each row is a block. `--wide` shows whole lines. A pipe or a file gets them always, so that a search finds what
is there. `COLUMNS` counts over what the terminal says. `NO_COLOR`, `--no-color` and a pipe take the colours away.
";

fn capture(home: &Home, columns: usize, args: &[&str], answer: Option<&str>) -> String {
    let mut command = home.command(args);
    command.stdin(std::process::Stdio::inherit()).env("COLUMNS", columns.to_string());
    command.env("TERM", "xterm").env("NO_COLOR", "1").env("HOME", home.path());
    let mut terminal = spawn_command(command, Some(60_000)).unwrap();
    let mut shown = String::new();
    if let Some(answer) = answer {
        shown = terminal.exp_string("[?] ").unwrap() + "[?] ";
        terminal.send_line(answer).unwrap();
    }
    shown.push_str(&terminal.exp_eof().unwrap());
    // A pseudo-terminal does not show what is typed; a person's does.
    let mut parts = shown.split("[?] ");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for (part, typed) in parts.zip(answer.unwrap_or_default().lines()) {
        shown.push_str(&format!("[?] {typed}\n{part}"));
    }
    let bytes: Vec<u8> = shown.chars().filter_map(|c| u8::try_from(c).ok()).collect();
    let text = String::from_utf8(bytes).unwrap().replace(['\r', '\u{7}'], "");
    steady(home, &text)
}

/// The text without what differs from run to run.
fn steady(home: &Home, text: &str) -> String {
    let workspace = home.workspace().canonicalize().unwrap();
    let mut text = text.to_owned();
    for (path, name) in
        [(workspace, "/project"), (home.workspace(), "/project"), (home.path().to_owned(), "/home/me")]
    {
        text = text.replace(&format!("{}/", path.display()), &format!("{name}/"));
        text = text.replace(&path.display().to_string(), name);
    }
    // As it is for a program with everything in it, which has its place on the path.
    let built = ["cargo run -p hookspec-cli --features full --", "cargo run -p hookspec-cli --"];
    let optimised = built.map(|command| command.replace("run", "run --release"));
    for command in built.into_iter().map(str::to_owned).chain(optimised) {
        text = text.replace(&command, "hookspec");
    }
    let mut steady = String::new();
    for line in text.lines() {
        let line = line.trim_end();
        // A timeline's bars and times are of this run.
        let line =
            match line.split_once('│').and_then(|(before, rest)| Some((before, rest.split_once('│')?.1)))
            {
                Some((before, after)) => {
                    let name = before.split_whitespace().next().unwrap_or_default();
                    format!("    {name} TIME │BAR│{}", numbers_of_this_run(after))
                }
                None => numbers_of_this_run(line),
            };
        steady.push_str(line.trim_end());
        steady.push('\n');
    }
    steady
}

fn numbers_of_this_run(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    if line.starts_with("tour-") {
        return "tour-ID  TIME".to_owned();
    }
    if line.starts_with("  ")
        && line.trim_start().split_once(" s  ").is_some_and(|(time, _)| time.parse::<f64>().is_ok())
    {
        return format!("  TIME  {}", line.split_once(" s  ").map_or("", |(_, point)| point));
    }
    let mut kept = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let after = |name: &str| at > 0 && words[at - 1] == name;
        kept.push(match *word {
            _ if after("PID") => "NUMBER:".to_owned(),
            _ if after("up") && words.contains(&"PID") => "TIME".to_owned(),
            word if word.starts_with("mem=") => "mem=SIZE".to_owned(),
            _ if after("is") && words.get(at + 1) == Some(&"UTC;") => "TIME".to_owned(),
            word if word.contains("hookspec-tour-") => "FOLDER".to_owned(),
            word => word.to_owned(),
        });
    }
    kept.join(" ")
}

fn page() -> String {
    let home = Home::new();
    home.config("[hooks]\n# Somebody else's work here.\ndisable = [\n  'loop_guard',\n]\n");
    let long: String = (1..=3_052).map(|line| format!("echo step number {line:>13}\n")).collect();
    let question = |content: &str| {
        let call = json!({ "tool": "shell", "content": content });
        json!({ "tool_use": call, "preview": null, "why": "policy" }).to_string()
    };
    let (short, long) = (question("rm -rf build\u{3164}\u{202e} && make"), question(&long));
    let ask = |event| ["fire", "TOOL_CONFIRM", "--text", "--only", "cli_confirm", "--event", event];
    let mut page = HEAD.to_owned();
    for columns in [80, 120] {
        page.push_str(&format!("\n## {columns} columns\n"));
        let mut add = |title: &str, shown: String| {
            page.push_str(&format!("\n### {title}\n\n```text\n{}\n```\n", shown.trim_end()));
        };
        add("`hookspec tour`", capture(&home, columns, &["tour", "--no-pause"], None));
        add("`hookspec list`", capture(&home, columns, &["list"], None));
        add("`hookspec list --all`", capture(&home, columns, &["list", "--all"], None));
        add("`hookspec points`", capture(&home, columns, &["points"], None));
        add("`hookspec doctor`", capture(&home, columns, &["doctor"], None));
        add("The question before a call", capture(&home, columns, &ask(&short), Some("?\nn")));
        add("The question before a long call", capture(&home, columns, &ask(&long), Some("n")));
    }
    page
}

#[test]
fn the_page_of_captures_is_what_the_program_shows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/terminal.md");
    let shown = page();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &shown).unwrap();
    }
    let held = std::fs::read_to_string(&path).unwrap();
    assert_eq!(held, shown, "run with UPDATE_PAGES=1");
}
