//! A process that stays and answers another agent's events: nobody may notice, but for the time.

#![allow(clippy::unwrap_used)]

mod common;

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use common::Home;
use serde_json::{Value, json};

/// However busy the machine is, the process that stays is waited for.
const RESIDENT: &[&str] = &["--resident", "--idle", "20", "--patience", "20"];

thread_local! {
    /// The program that the client starts for a process that stays; a test has its own thread.
    static PROGRAM: Cell<&'static str> = const { Cell::new(env!("CARGO_BIN_EXE_hookspec")) };
}

/// A home with one gate that is a command: it writes down who asked it and refuses what is named `no`.
struct World {
    home: Home,
    config: PathBuf,
    /// Processes that stay, to be ended with the test.
    met: RefCell<Vec<u32>>,
}

impl World {
    fn new(more: &str) -> Self {
        let home = Home::new();
        let asked = home.path().join("asked");
        let config = home.path().join("own.toml");
        let gate = format!(
            "[[hooks.scripts]]\nevent = 'tool.execute.pre'\ncommand = '''echo \"$PPID $WHO\" >> {}\n{more}\ngrep -q '\"no\"' || exit 0; echo \"$WHO says no\" >&2; exit 2'''\n",
            asked.display()
        );
        std::fs::write(&config, gate).unwrap();
        Self { home, config, met: RefCell::default() }
    }

    /// Who asked the gate, event by event: the process, and the environment's word.
    fn asked(&self) -> Vec<(u32, String)> {
        let text = std::fs::read_to_string(self.home.path().join("asked")).unwrap_or_default();
        let row = |line: &str| {
            let (process, who) = line.split_once(' ')?;
            Some((process.parse().ok()?, who.to_owned()))
        };
        text.lines().filter_map(row).collect()
    }

    /// One call of another agent; whether it was for a process that stays.
    fn call(&self, command: &str, who: &str, resident: bool) -> Output {
        self.call_with(command, who, if resident { RESIDENT } else { &[] })
    }

    fn call_with(&self, command: &str, who: &str, more: &[&str]) -> Output {
        let event = json!({
            "session_id": "s", "turn_id": "t", "transcript_path": null, "cwd": self.home.workspace(),
            "hook_event_name": "PreToolUse", "model": "m", "permission_mode": "default", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": "c"
        });
        self.send(&event.to_string(), who, more)
    }

    fn send(&self, event: &str, who: &str, more: &[&str]) -> Output {
        let mut arguments = vec!["bridge", "codex", "--event", "PreToolUse", "--config"];
        arguments.push(self.config.to_str().unwrap());
        arguments.extend(more);
        let program = if more.is_empty() { env!("CARGO_BIN_EXE_hookspec") } else { PROGRAM.with(Cell::get) };
        let mut child = self
            .home
            .command_of(Path::new(program), &arguments)
            .env("WHO", who)
            .env_remove("XDG_RUNTIME_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    fn sockets(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.home.path().join("home/state/resident")) else {
            return vec![];
        };
        let paths = entries.flatten().map(|entry| entry.path());
        paths.filter(|path| path.extension().is_some_and(|end| end == "sock")).collect()
    }

    fn wait_for_sockets(&self, count: usize) {
        for _ in 0..500 {
            if self.sockets().len() == count {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{count} resident processes were expected: {:?}", self.sockets());
    }

    /// Asks until the process that stays was free to answer.
    fn resident(&self, who: &str) -> u32 {
        for _ in 0..50 {
            let mut child = 0;
            for _ in 0..2 {
                assert!(self.call("yes", who, true).status.success());
                let last = self.asked().last().unwrap().0;
                if last == child {
                    self.met.borrow_mut().push(child);
                    return child;
                }
                child = last;
            }
        }
        panic!("no process has answered two events running: {:?}", self.asked());
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // One that no test has met ends by itself when it has been idle.
        for process in self.met.borrow().iter() {
            let _ = Command::new("kill").args(["-KILL", &process.to_string()]).stderr(Stdio::null()).status();
        }
    }
}

fn reason(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let body: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(body["hookSpecificOutput"]["permissionDecision"], "deny", "{body}");
    body["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned()
}

#[test]
fn one_process_answers_event_after_event_as_each_would_by_itself() {
    let world = World::new("");
    let first = world.call("no", "w", true);
    world.wait_for_sockets(1);
    let resident = world.resident("w");
    let again = world.call("no", "w", true);
    let alone = world.call("no", "w", false);
    assert_eq!((&first.stdout, &again.stdout), (&alone.stdout, &alone.stdout));
    assert!(reason(&again).contains("w says no"), "{}", reason(&again));
    let asked = world.asked();
    assert_eq!(asked.iter().filter(|(process, _)| *process == resident).count() + 2, asked.len());
}

#[test]
fn a_changed_configuration_counts_for_the_next_event() {
    let world = World::new("");
    world.call("yes", "w", true);
    world.wait_for_sockets(1);
    world.resident("w");
    assert!(world.call("no", "w", true).stdout != b"");
    let text = std::fs::read_to_string(&world.config).unwrap();
    std::fs::write(&world.config, text.replace("says no", "says never")).unwrap();
    assert!(reason(&world.call("no", "w", true)).contains("w says never"));
    std::fs::write(&world.config, "[hooks]\ndisabled = 1\n").unwrap();
    assert!(reason(&world.call("yes", "w", true)).contains("own.toml"), "a broken one refuses");
}

#[test]
fn another_environment_has_another_process() {
    let world = World::new("");
    world.call("yes", "one", true);
    world.wait_for_sockets(1);
    let one = world.resident("one");
    assert!(reason(&world.call("no", "two", true)).contains("two says no"));
    world.wait_for_sockets(2);
    let two = world.resident("two");
    assert_ne!(one, two);
    assert!(world.asked().iter().all(|(process, who)| match who.as_str() {
        "one" => *process != two,
        _ => *process != one,
    }));
}

#[test]
fn where_the_process_is_killed_in_the_middle_a_gate_refuses_and_nothing_runs_twice() {
    // The marker lets it live for the first events.
    let world = World::new("[ -e \"$HOME_OF_TEST/kill\" ] && kill -9 $PPID");
    let text = std::fs::read_to_string(&world.config).unwrap();
    let home = world.home.path().display().to_string();
    std::fs::write(&world.config, text.replace("$HOME_OF_TEST", &home)).unwrap();
    world.call("yes", "w", true);
    world.wait_for_sockets(1);
    world.resident("w");
    std::fs::write(world.home.path().join("kill"), "").unwrap();
    let before = world.asked().len();
    let refused = world.call("yes", "w", true);
    assert!(reason(&refused).contains("did not answer"), "{}", reason(&refused));
    assert_eq!(world.asked().len(), before + 1);
    // Its socket is still there, and nobody listens: the next event is answered all the same, and starts another.
    std::fs::remove_file(world.home.path().join("kill")).unwrap();
    assert!(reason(&world.call("no", "w", true)).contains("w says no"));
    world.resident("w");
}

#[test]
fn a_folder_that_others_may_write_to_is_not_used() {
    let world = World::new("");
    let folder = world.home.path().join("home/state/resident");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let output = world.call("no", "w", true);
    assert!(reason(&output).contains("w says no"));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("is not yours alone"), "{words}");
    assert!(world.sockets().is_empty());
}

#[test]
fn who_is_idle_ends_and_leaves_no_socket() {
    let world = World::new("");
    world.call_with("yes", "w", &["--resident", "--idle", "5"]);
    world.wait_for_sockets(1);
    world.wait_for_sockets(0);
}

#[test]
fn a_hook_that_overruns_is_answered_for_and_its_process_ends() {
    let world = World::new("[ -e \"$HOME_OF_TEST/slow\" ] && sleep 60");
    let text = std::fs::read_to_string(&world.config).unwrap();
    let home = world.home.path().display().to_string();
    std::fs::write(&world.config, text.replace("$HOME_OF_TEST", &home)).unwrap();
    world.call("yes", "w", true);
    world.wait_for_sockets(1);
    let first = world.resident("w");
    std::fs::write(world.home.path().join("slow"), "").unwrap();
    let refused = world.call_with("yes", "w", &[RESIDENT, &["--deadline", "0.5"]].concat());
    assert!(reason(&refused).contains("overruns denies"), "{}", reason(&refused));
    std::fs::remove_file(world.home.path().join("slow")).unwrap();
    assert_eq!(world.asked().last().unwrap().0, first, "the process that stays was asked");
    assert_ne!(world.resident("w"), first);
}

#[test]
fn what_is_said_on_the_way_reaches_the_standard_error_of_the_event() {
    let world = World::new("");
    std::fs::write(world.home.workspace().join("hookspec.toml"), "[hooks]\ndisable = ['linter']\n").unwrap();
    world.call("yes", "w", true);
    world.wait_for_sockets(1);
    world.resident("w");
    let said = |resident| String::from_utf8(world.call("yes", "w", resident).stderr).unwrap();
    assert!(said(true).contains("hookspec.toml does not count"), "{}", said(true));
    assert_eq!(said(true), said(false));
}

#[test]
fn a_small_program_asks_for_it() {
    PROGRAM.set(env!("CARGO_BIN_EXE_hookspec-ask"));
    one_process_answers_event_after_event_as_each_would_by_itself();
    where_the_process_is_killed_in_the_middle_a_gate_refuses_and_nothing_runs_twice();
    a_hook_that_overruns_is_answered_for_and_its_process_ends();
    what_is_said_on_the_way_reaches_the_standard_error_of_the_event();
}

#[test]
fn what_cannot_be_read_is_refused_by_the_small_program_too() {
    let world = World::new("");
    PROGRAM.set(env!("CARGO_BIN_EXE_hookspec-ask"));
    world.call("yes", "w", true);
    world.wait_for_sockets(1);
    world.resident("w");
    let before = world.asked().len();
    // The gate's event breaks off.
    let broken =
        world.send(r#"{"hook_event_name": "PreToolUse", "tool_input": {"command": "no"#, "w", RESIDENT);
    assert!(reason(&broken).contains("breaks off"), "{}", reason(&broken));
    assert_eq!(world.asked().len(), before);
    world.resident("w");
}
