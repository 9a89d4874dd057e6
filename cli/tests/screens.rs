//! What a person reads on the terminal.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use common::Home;
use rexpect::session::spawn_command;

/// What a command shows on a terminal of so many columns, without colours.
fn screen(home: &Home, columns: usize, args: &[&str]) -> String {
    let mut command = home.command(args);
    command.stdin(std::process::Stdio::inherit()).env("COLUMNS", columns.to_string());
    command.env("TERM", "xterm").env("NO_COLOR", "1");
    text(&spawn_command(command, Some(60_000)).unwrap().exp_eof().unwrap())
}

/// What was shown: `rexpect` gives each byte as a character.
fn text(bytes: &str) -> String {
    let bytes: Vec<u8> = bytes.chars().filter_map(|c| u8::try_from(c).ok()).collect();
    String::from_utf8(bytes).unwrap().replace('\r', "")
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap()
}

#[test]
fn every_table_fits_the_screen_and_a_pipe_gets_whole_lines() {
    let home = Home::new();
    home.config("[hooks]\ndisable = ['loop_guard']\n");
    let explain = ["list", "--explain", "cli_confirm"];
    for args in [&["list"][..], &["list", "--all"], &["points"], &["points", "TOOL_CONFIRM"], &explain] {
        for columns in [60, 80, 120] {
            let shown = screen(&home, columns, args);
            // Code to paste keeps its lines.
            let shown = shown.split("\n// ").next().unwrap();
            assert!(widest(shown) <= columns, "{args:?} at {columns}: {shown}");
        }
    }
    let rendered = screen(&home, 80, &explain);
    assert!(!rendered.contains("**") && !rendered.contains("|---"), "{rendered}");
    assert!(home.good(&explain).contains("**Watches**"), "a pipe gets it as it was written");
    let piped = home.good(&["list", "--all"]);
    assert_eq!(piped, home.good(&["list", "--all", "--wide"]), "a pipe is wide");
    let wide = screen(&home, 80, &["list", "--all", "--wide"]);
    for part in ["off unless `enabled = true` in [hooks.autocommit]", "builtins/src/autocommit/mod.rs:"] {
        assert!(piped.contains(part) && wide.contains(part), "{part}: {piped}");
    }
}

#[test]
fn the_list_is_of_what_is_on_and_nothing_of_the_tour_is_in_it() {
    let home = Home::new();
    home.config("[hooks]\n# The guard is somebody else's work here.\ndisable = [\n  'loop_guard',\n]\n");
    let on = screen(&home, 80, &["list"]);
    assert!(on.contains("on  secrets_guard.redact ") && !on.contains("\noff "), "{on}");
    let all = screen(&home, 120, &["list", "--all"]);
    let row = all.lines().find(|line| line.contains("loop_guard.stop")).unwrap();
    assert!(row.starts_with("off ") && row.ends_with("disable in hookspec.toml:4"), "{row}");
    for args in [&["list"][..], &["list", "--allow", "*"], &["list", "--all", "--allow", "*"]] {
        let text = home.good(args);
        assert!(!text.contains("tour.") && !text.contains("on   test."), "{args:?}: {text}");
    }
    let named = home.good(&["list", "--allow", "*,test"]);
    let row = named.lines().find(|line| line.contains("test.test_turn_pre")).unwrap();
    assert!(row.starts_with("on") && row.contains("  --allow  "), "{row}");
    assert!(home.bad(&["list", "--allow", "tour"]).contains("matches no hook or tool"));
}

#[test]
fn what_is_told_breaks_at_words_on_a_terminal_and_not_in_a_pipe() {
    let home = Home::new();
    let told = [&["snapshots"][..], &["verify"], &["points", "FILE_PRE_PATCH"], &["trace", "nosuch"]];
    for args in told.into_iter().chain([&["points", "GENERATION_POST"][..]]) {
        let (narrow, wide) = (screen(&home, 80, args), screen(&home, 400, args));
        for line in narrow.lines() {
            // A path may be longer than a line; nothing stands beside it.
            assert!(line.chars().count() <= 80 || !line.trim().contains(' '), "{args:?}: {line}");
        }
        let words = |text: &str| -> Vec<String> {
            let text = text.replace("// ", "").replace(['{', '}', '(', ')', ','], " ");
            text.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(words(&narrow), words(&wide), "{args:?}");
    }
    let note = String::from_utf8(home.run(&["snapshots"]).stderr).unwrap();
    assert_eq!(note.lines().count(), 1, "a pipe gets whole lines: {note}");
}

/// The tour on a terminal of 80 columns, with a key at each pause; what was shown until each, and the end.
fn tour(keys: &[&str]) -> Vec<String> {
    let home = Home::new();
    let mut command = home.command(&["tour"]);
    command.stdin(std::process::Stdio::inherit()).env("COLUMNS", "80");
    command.env("TERM", "xterm").env("NO_COLOR", "1");
    let mut terminal = spawn_command(command, Some(60_000)).unwrap();
    let mut screens = Vec::new();
    for key in keys {
        screens.push(text(&terminal.exp_string("any key goes on ").unwrap()));
        terminal.exp_string("q ends").unwrap();
        terminal.send(key).unwrap();
        terminal.flush().unwrap();
    }
    screens.push(text(&terminal.exp_eof().unwrap()));
    screens
}

#[test]
fn the_tour_stops_for_a_key_between_its_scenes_and_each_fits_a_screen() {
    let screens = tour(&[" ", "\u{1b}[B", "x", "\n", " "]);
    assert_eq!(screens.len(), 6);
    for (at, screen) in screens.iter().enumerate() {
        let screen = screen.replace("\u{1b}[K", "");
        assert!(screen.lines().count() <= 40 && widest(&screen) <= 80, "{at}: {screen}");
        match at {
            5 => assert!(screen.contains("What to type next"), "{screen}"),
            _ => assert!(screen.contains(&format!("{} of 5 · ", at + 1)), "{screen}"),
        }
    }
    // What happened is told where it happened, in the order of the timeline.
    let place = |screen: usize, text: &str| {
        screens[screen].find(text).unwrap_or_else(|| panic!("{text} in {}", screens[screen]))
    };
    assert!(place(2, "going on for 7min") < place(2, "Denied by the hook"));
    let told = ["now config", "for 14min", "✗ tour.fragile panicked", "⚙ shell", "greet.py is written;"];
    assert!(told.map(|text| place(3, text)).is_sorted(), "{}", screens[3]);
    let all = screens.concat();
    for once in ["F401 `os` imported but unused\n", "panicked: this hook cannot stand shells\n  ⚙", "PID "]
    {
        assert_eq!(all.matches(once).count(), 1, "{once}: {all}");
    }
}

#[test]
fn q_and_ctrl_c_end_the_tour() {
    for key in ["q", "\u{3}"] {
        let screens = tour(&[" ", key]);
        assert!(!screens.concat().contains("3 of 5"), "{screens:?}");
        // Who has seen enough learns how to go on; who breaks it off is left alone.
        assert_eq!(screens.concat().contains("What to type next"), key == "q", "{screens:?}");
    }
}

#[test]
fn the_tour_of_a_pipe_and_of_who_asks_for_it_does_not_stop() {
    let home = Home::new();
    assert!(screen(&home, 120, &["tour", "--no-pause"]).contains("What to type next"));
    let text = home.good(&["tour"]);
    assert!(text.contains("What to type next") && !text.contains("any key"), "{text}");
    // The program that cargo has built is run by cargo.
    assert!(
        text.contains("cargo run -p hookspec-cli -- list") || text.contains("cargo run --release -p"),
        "{text}"
    );
}

#[cfg(feature = "models")]
#[test]
fn a_model_that_cannot_be_reached_is_told_once_with_the_remedy() {
    let home = Home::new();
    home.config("[agent]\nretries = 1\n");
    // A port at which nobody listens: it was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let output = home
        .command(&["chat", "--model", "ollama/llama3.2", "hi"])
        .env("OLLAMA_HOST", format!("127.0.0.1:{port}"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let (said, log) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(said.matches("can't be reached").count(), 1, "{said}");
    assert!(said.contains("Start it with `ollama serve`, or say where it runs with OLLAMA_HOST."), "{said}");
    assert!(
        said.contains("! trying again in 0.5 s\n") && said.ends_with("! gave up after 2 tries\n"),
        "{said}"
    );
    assert_eq!(log.lines().count(), 1, "the session's name, and no error beside: {log}");
}
