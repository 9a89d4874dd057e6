//! The rows of the specification's tables. Real processes are in `tests/workspace_agents.rs`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::detect::{Runtime, detect};
use super::format::{duration, line};
use super::parse::{Mode, Parsed, parse};
use super::scan::{Agent, Scan};
use super::stale::{Life, stale};
use super::tracker::{PAUSE, Tracker, begin, is_due, look};
use super::{claude, worktree};

fn argv(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn the_table_of_detection() {
    use Runtime::{Aider, Amp, ClaudeCode, Codex, Goose, Gptme, Opencode};
    let table: &[(&[&str], Option<Runtime>)] = &[
        (&["/usr/bin/gptme", "--model", "opus"], Some(Gptme)),
        (&["gptme"], Some(Gptme)),
        (&["python3", "/home/b/.local/bin/gptme", "-n"], Some(Gptme)),
        (&["claude", "-p", "x"], Some(ClaudeCode)),
        (&["/usr/local/bin/claude"], Some(ClaudeCode)),
        (&["node", "/usr/bin/claude", "-p"], Some(ClaudeCode)),
        (&["claude.exe"], Some(ClaudeCode)),
        (&["codex", "--model", "o3"], Some(Codex)),
        (&["node", "--max-old-space", "/usr/local/bin/codex", "exec", "x"], Some(Codex)),
        (&["aider", "--model", "s"], Some(Aider)),
        (&["goose"], Some(Goose)),
        (&["/usr/local/bin/goosed"], Some(Goose)),
        (&["python3", "/usr/bin/goose", "session"], Some(Goose)),
        (&["opencode"], Some(Opencode)),
        (&["go", "/usr/bin/opencode"], Some(Opencode)),
        (&["amp"], Some(Amp)),
        (&["node", "/usr/bin/amp", "run"], Some(Amp)),
        (&["vim", "file.py"], None),
        (&[], None),
        (&["bash", "-c", "claude -p hi"], None),
        (&["/bin/sh", "-c", "x"], None),
        (&["/usr/bin/timeout", "600", "claude"], None),
        (&["/usr/bin/tee", "f"], None),
        (&["python3", "server.py"], None),
        (&["twitter-loop.sh"], None),
        (&["discord_bot.py"], None),
        (&["/bin/bash", "--rcfile", "/home/u/.claude/shell-snapshots/f"], None),
        (&["gptme-server", "serve"], None),
        (&["python3", "-m", "gptme"], None),
        (&["sudo", "claude"], None),
        (&["CLAUDE.EXE"], None),
        (&["cursor-agent"], None),
        (&["/usr/bin/gptme-server", "serve"], Some(Gptme)),
        // False positives of the original, mended.
        (&["vim", "/home/u/claude"], None),
        (&["git", "-C", "/src/goose", "status"], None),
        (&["rg", "foo", "/src/opencode"], None),
        (&["dash", "-c", "/usr/bin/claude"], None),
        (&["timeout", "600", "/usr/bin/claude"], None),
        // False negatives of the original, mended.
        (&["claude", "fix server.py"], Some(ClaudeCode)),
        (&["gptme", "look at the discord_bot"], Some(Gptme)),
    ];
    for (words, expected) in table {
        assert_eq!(detect(&argv(words)), *expected, "{words:?}");
    }
}

fn parsed(runtime: Runtime, words: &[&str]) -> Parsed {
    parse(runtime, &argv(words), Path::new("/"))
}

#[test]
fn p1_p2_codex_exec_behind_any_launcher() {
    for prefix in [&["codex"][..], &["node", "/usr/bin/codex"]] {
        let words = [prefix, &["exec", "--model", "gpt-5", "Fix"]].concat();
        let parsed = parsed(Runtime::Codex, &words);
        assert_eq!((parsed.mode, parsed.model.as_deref()), (Mode::Autonomous, Some("gpt-5")));
        assert_eq!(parsed.summary, "Fix");
    }
}

#[test]
fn p3_to_p6_codex_modes() {
    let table: &[(&[&str], Mode)] = &[
        (&["codex", "--model", "gpt-5", "Investigate"], Mode::Interactive),
        (&["codex", "mcp-server"], Mode::Server),
        (&["codex", "login"], Mode::Unknown),
        (&["codex", "--full-auto", "exec", "x"], Mode::Autonomous),
        (&["codex", "-c", "a=b", "exec"], Mode::Autonomous),
        (&["codex"], Mode::Interactive),
    ];
    for (words, mode) in table {
        assert_eq!(parsed(Runtime::Codex, words).mode, *mode, "{words:?}");
    }
}

#[test]
fn p7_claude_prompts_skip_flags_and_their_values() {
    let plain = parsed(Runtime::ClaudeCode, &["claude", "--dangerously-skip-permissions", "hello", "bob"]);
    assert_eq!((plain.mode, plain.summary.as_str()), (Mode::Interactive, "hello bob"));
    let flags = parsed(Runtime::ClaudeCode, &["claude", "--permission-mode", "plan", "hi"]);
    assert_eq!(flags.summary, "hi");
    assert_eq!(parsed(Runtime::ClaudeCode, &["claude", "--print", "x"]).mode, Mode::Autonomous);
}

#[test]
fn p8_goose_servers_and_providers() {
    assert_eq!(parsed(Runtime::Goose, &["/usr/bin/goosed"]).mode, Mode::Server);
    let session = parsed(Runtime::Goose, &["goose", "session", "--provider", "anthropic"]);
    // Row P8 has `goose session` as unknown; W15 wants it known.
    assert_eq!((session.mode, session.provider.as_deref()), (Mode::Interactive, Some("anthropic")));
    assert_eq!(parsed(Runtime::Goose, &["goose", "-p", "a prompt"]).provider, None);
}

#[test]
fn w15_one_that_waits_for_its_user_is_not_stale_after_an_hour() {
    use Mode::{Autonomous, Interactive, Server};
    let table: &[(Runtime, &[&str], Mode)] = &[
        (Runtime::Aider, &["aider", "--model", "s", "a.py"], Interactive),
        (Runtime::Aider, &["aider", "--message=fix it", "a.py"], Autonomous),
        (Runtime::Aider, &["aider", "-m", "fix it"], Autonomous),
        (Runtime::Goose, &["goose"], Interactive),
        (Runtime::Goose, &["goose", "run", "-t", "x"], Autonomous),
        (Runtime::Goose, &["goose", "run", "-s"], Interactive),
        (Runtime::Goose, &["goose", "web"], Server),
        (Runtime::Goose, &["goose", "configure"], Mode::Unknown),
        (Runtime::Opencode, &["opencode"], Interactive),
        (Runtime::Opencode, &["opencode", "src"], Interactive),
        (Runtime::Opencode, &["opencode", "run", "fix it"], Autonomous),
        (Runtime::Opencode, &["opencode", "serve"], Server),
        (Runtime::Amp, &["node", "/usr/bin/amp"], Interactive),
        (Runtime::Amp, &["amp", "-x", "fix it"], Autonomous),
    ];
    for (runtime, words, mode) in table {
        assert_eq!(parsed(*runtime, words).mode, *mode, "{words:?}");
    }
    let idle = Life { uptime: Some(40_000), cpu: Some(3.0), state: Some('S') };
    assert_eq!(stale(idle, parsed(Runtime::Aider, &["aider"]).mode), None);
}

#[cfg(target_os = "linux")]
#[test]
fn w11_a_clock_that_is_set_does_not_make_a_process_another_one() {
    let line = |name: &str| format!("7 ({name}) S 1 7 7 0 -1 4194560 1 2 3 4 10 20 0 0 20 0 1 0 98765 1 2 3");
    for name in ["claude", "a) R 1 (b", ""] {
        assert_eq!(super::scan::start_ticks(&line(name)), Some(98765), "{name}");
    }
    assert_eq!(super::scan::start_ticks("7 (x) S 1"), None);
    let own = std::fs::read_to_string("/proc/self/stat").unwrap();
    let ticks = super::scan::start_ticks(&own).unwrap();
    assert_eq!(super::scan::started(std::process::id()), Some(ticks));
}

#[test]
fn p9_p10_gptme_prompt_files_and_servers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("prompt.txt"), "Mend the tests\nand more").unwrap();
    let at = |words: &[&str]| parse(Runtime::Gptme, &argv(words), folder.path());
    let named = at(&["gptme", "-n", "--name", "t", "prompt.txt"]);
    assert_eq!((named.summary.as_str(), named.name.as_deref()), ("Mend the tests", Some("t")));
    let absolute = folder.path().join("prompt.txt").display().to_string();
    assert_eq!(at(&["gptme", "-n", &absolute]).summary, "Mend the tests");
    assert_eq!(at(&["gptme", "-n", "gone.txt"]).summary, "gptme -n gone.txt");
    assert_eq!(at(&["gptme", "serve"]).mode, Mode::Server);
    assert_eq!(at(&["gptme", "please", "serve"]).mode, Mode::Interactive, "`serve` in a prompt is a word");
}

#[test]
fn a_prompt_file_of_somebody_else_is_not_read_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let at = |words: &[&str]| parse(Runtime::Gptme, &argv(words), folder.path()).summary;
    assert!(
        std::process::Command::new("mkfifo").arg(folder.path().join("pipe.txt")).status().unwrap().success()
    );
    assert_eq!(at(&["gptme", "-n", "pipe.txt"]), "gptme -n pipe.txt");
    let large = std::fs::File::create(folder.path().join("large.txt")).unwrap();
    std::io::Write::write_all(&mut &large, "é".repeat(500).as_bytes()).unwrap();
    large.set_len(1 << 36).unwrap();
    assert_eq!(at(&["gptme", "-n", "large.txt"]), "é".repeat(120));
}

#[test]
fn p11_flags() {
    for (words, expected) in [
        (&["claude", "--model", "opus"][..], Some("opus")),
        (&["claude", "--model=opus"], Some("opus")),
        (&["claude", "-m", "opus"], Some("opus")),
        (&["claude", "--model"], None),
    ] {
        assert_eq!(parsed(Runtime::ClaudeCode, words).model.as_deref(), expected, "{words:?}");
    }
}

#[test]
fn the_table_of_staleness() {
    let is_stale = |uptime, cpu, state, mode| stale(Life { uptime, cpu, state }, mode).is_some();
    let table = [
        (Some(60), Some(0.0), None, Mode::Autonomous, false),
        (Some(10), Some(5.0), Some('Z'), Mode::Interactive, true),
        (Some(10), Some(5.0), Some('T'), Mode::Interactive, true),
        (Some(10_000), Some(0.5), None, Mode::Autonomous, true),
        (Some(10_000), Some(500.0), None, Mode::Autonomous, false),
        (Some(25_000), Some(100.0), None, Mode::Autonomous, true),
        (Some(999_999), Some(0.0), None, Mode::Server, false),
        (None, Some(0.0), Some('Z'), Mode::Autonomous, false),
        (Some(3_601), None, None, Mode::Unknown, false),
        (Some(10_801), None, None, Mode::Unknown, true),
    ];
    for (uptime, cpu, state, mode, expected) in table {
        assert_eq!(is_stale(uptime, cpu, state, mode), expected, "{uptime:?} {cpu:?} {state:?} {mode:?}");
    }
    let reason =
        stale(Life { uptime: Some(25_000), cpu: Some(100.0), state: None }, Mode::Autonomous).unwrap();
    assert!(reason.contains("3x"), "{reason}");
}

fn agent(pid: u32, stale: bool) -> Agent {
    Agent { pid, started: u64::from(pid), cwd: PathBuf::from("/w"), stale, ..Agent::default() }
}

fn scan(agents: &[Agent]) -> Scan {
    Scan { agents: agents.to_vec(), partial: false }
}

#[test]
fn formats() {
    for (seconds, text) in [(45, "45s"), (300, "5m"), (7_200, "2h00m"), (90_000, "1d1h")] {
        assert_eq!(duration(seconds), text);
    }
    let full = Agent {
        model: Some("opus".into()),
        mode: Mode::Autonomous,
        branch: Some("main".into()),
        conversation_id: Some("abc".into()),
        uptime_seconds: Some(120),
        memory_mb: Some(512.0),
        ..agent(7, false)
    };
    assert_eq!(
        line(&full),
        "PID 7: claude-code (model=opus, autonomous, branch=main, conv=abc) up 2m mem=512MB"
    );
    assert_eq!(line(&agent(7, false)), "PID 7: claude-code");
    assert_eq!(
        line(&Agent { memory_mb: Some(42.0), ..agent(7, true) }),
        "PID 7: claude-code [STALE] mem=42MB"
    );
}

#[test]
fn s4_s5_alike_agents_are_shown_once_the_active_before_the_stale() {
    let exec = Agent { mode: Mode::Autonomous, ..agent(1, false) };
    let found = scan(&[exec, agent(2, false), agent(3, false), agent(4, true)]);
    let shown: Vec<_> = found.shown().iter().map(|agent| agent.pid).collect();
    assert_eq!(shown, [1, 3]);
}

#[test]
fn h2_to_h4_the_start() {
    let mut state = Tracker::default();
    assert_eq!(begin(&mut state, scan(&[]), Duration::ZERO), None);
    assert!(is_due(&state, PAUSE));
    let active = begin(&mut state, scan(&[agent(7, false)]), Duration::ZERO).unwrap();
    assert!(active.hide && active.content.contains("claude-code") && active.content.contains("worktree"));
    let stale = begin(&mut state, scan(&[agent(7, true)]), Duration::ZERO).unwrap();
    assert!(stale.content.contains("1 stale agent") && !stale.content.contains("worktree add"));
}

#[test]
fn h5_a_table_that_cannot_be_read_says_nothing() {
    let mut state = Tracker::default();
    let unreadable = Scan { partial: true, ..Scan::default() };
    assert_eq!(begin(&mut state, unreadable, Duration::ZERO), None);
    assert!(is_due(&state, PAUSE), "and it is looked at again");
}

#[test]
fn h6_h7_nothing_before_a_start_and_nothing_within_a_minute() {
    let mut state = Tracker::default();
    assert!(!is_due(&state, Duration::from_secs(9_999)));
    begin(&mut state, scan(&[]), Duration::from_secs(100));
    assert!(!is_due(&state, Duration::from_secs(159)));
    assert!(is_due(&state, Duration::from_secs(160)));
}

fn texts(state: &mut Tracker, agents: &[Agent]) -> Vec<String> {
    look(state, scan(agents), Duration::ZERO).into_iter().map(|message| message.content).collect()
}

#[test]
fn h8_to_h10_arrivals_and_departures() {
    let mut state = Tracker::default();
    begin(&mut state, scan(&[]), Duration::ZERO);
    let said = texts(&mut state, &[agent(7, false)]);
    assert_eq!(said, ["<workspace-agent-arrived>PID 7: claude-code</workspace-agent-arrived>"]);
    assert_eq!(
        texts(&mut state, &[agent(7, false), agent(8, true)]),
        [""; 0],
        "a stale one arrives silently"
    );
    let said = texts(&mut state, &[agent(9, false)]);
    assert_eq!(said.len(), 3);
    assert!(said[0].contains("PID 9"), "arrivals first: {said:?}");
    assert_eq!(said[2], "<workspace-agent-departed>claude-code (PID 8)</workspace-agent-departed>");
}

#[test]
fn w1_a_second_agent_of_the_same_kind_does_not_make_the_first_leave() {
    let mut state = Tracker::default();
    begin(&mut state, scan(&[agent(7, false)]), Duration::ZERO);
    let said = texts(&mut state, &[agent(7, false), agent(8, false)]);
    assert_eq!(said, ["<workspace-agent-arrived>PID 8: claude-code</workspace-agent-arrived>"]);
    let said = texts(&mut state, &[agent(7, false)]);
    assert_eq!(said, ["<workspace-agent-departed>claude-code (PID 8)</workspace-agent-departed>"]);
}

#[test]
fn w11_a_process_id_that_is_used_again_is_somebody_else() {
    let mut state = Tracker::default();
    begin(&mut state, scan(&[agent(7, false)]), Duration::ZERO);
    let again = Agent { started: 99, ..agent(7, false) };
    assert_eq!(texts(&mut state, &[again]).len(), 2, "one came, one went");
}

#[test]
fn h11_a_pass_that_was_cut_short_says_nothing() {
    let mut state = Tracker::default();
    begin(&mut state, scan(&[agent(7, false)]), Duration::ZERO);
    assert!(look(&mut state, Scan { partial: true, ..Scan::default() }, PAUSE).is_empty());
    assert_eq!(texts(&mut state, &[agent(7, false)]), [""; 0]);
}

#[test]
fn a_session_that_goes_on_in_a_new_process_looks_at_once() {
    let mut state = Tracker::default();
    begin(&mut state, scan(&[agent(7, false)]), Duration::from_secs(5_000));
    let resumed: Tracker = serde_json::from_value(serde_json::to_value(&state).unwrap()).unwrap();
    assert!(is_due(&resumed, Duration::ZERO));
}

#[test]
fn s7_claude_conversations() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str, time: &str, content: &str| {
        let text = format!(
            "{{\"timestamp\":\"{time}\"}}\nnot json\n{{\"type\":\"user\",\"message\":{{\"content\":{content}}}}}\n"
        );
        std::fs::write(folder.path().join(format!("{name}.jsonl")), text).unwrap();
    };
    log("near", "2026-01-01T12:00:02Z", "\"something else entirely\"");
    log("asked", "2026-01-01T12:05:00Z", "[{\"type\":\"text\",\"text\":\"mend  the broken tests\"}]");
    let noon: jiff::Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
    let noon = noon.as_duration().as_secs_f64();
    let find = |started, prompt, most| claude::conversation(folder.path(), started, prompt, most);
    assert_eq!(
        find(noon, Some("mend the broken tests"), 9).as_deref(),
        Some("asked"),
        "the prompt counts more"
    );
    assert_eq!(find(noon, None, 9).as_deref(), Some("near"));
    assert_eq!(find(noon + 9_000.0, None, 9), None, "too far away");
    log("close", "2026-01-01T11:59:58Z", "\"yet another conversation\"");
    assert_eq!(find(noon, None, 9), None, "two as near as each other");
    assert_eq!(find(noon, None, 0), None, "only so many logs are read");
    // A line with a picture in it, without end: what came before it counts, and the rest is not read.
    std::fs::remove_file(folder.path().join("close.jsonl")).unwrap();
    std::fs::create_dir(folder.path().join("folder.jsonl")).unwrap();
    let pictures = std::fs::File::options().append(true).open(folder.path().join("near.jsonl")).unwrap();
    pictures.set_len(1 << 36).unwrap();
    assert_eq!(find(noon, None, 9).as_deref(), Some("near"));
}

#[test]
fn h1_without_a_workspace_nobody_is_looked_for() {
    use hookspec::{Hooks, Registry, Session};

    let registry = Registry::builder().linked(false).build().unwrap();
    let session = Session::builder(&Hooks::new(registry), "s").build();
    let mut state = Tracker::default();
    assert!(super::session_start(&session, &mut state).is_none());
    assert!(super::step_pre(&session, &mut state).is_empty());
    assert_eq!(state, Tracker::default());
}

#[test]
fn w8_claude_folders_replace_every_other_character() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".claude/projects/-w-my-app-v1-2");
    std::fs::create_dir_all(&folder).unwrap();
    assert_eq!(claude::folder(home.path(), Path::new("/w/my_app.v1 2")), Some(folder));
}

#[test]
fn s6_places_without_git_go_by_path() {
    let root = tempfile::tempdir().unwrap();
    for dir in ["ws/sub", "ws-other"] {
        std::fs::create_dir_all(root.path().join(dir)).unwrap();
    }
    std::os::unix::fs::symlink(root.path().join("ws"), root.path().join("link")).unwrap();
    let place = |dir: &str| worktree::Place::of(&root.path().join(dir));
    assert!(place("ws").conflicts(&place("ws/sub")) && place("ws/").conflicts(&place("ws")));
    assert!(!place("ws").conflicts(&place("ws-other")) && !place("ws/sub").conflicts(&place("ws")));
    assert!(place("link").conflicts(&place("ws/sub")));
    assert!(place("ws").conflicts(&place("ws/gone (deleted)")));
}
