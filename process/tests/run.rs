//! Programs that misbehave, for real.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::time::{Duration, Instant};

use hookspec_process::{Environment, ProcessError, Program};

fn sh(script: &str) -> Program {
    Program::new("/bin/sh").args(["-c", script]).deadline(Duration::from_secs(20))
}

/// Whether a process is there and not just waiting to be reaped.
fn alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

fn gone(pid: &str) -> bool {
    (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !alive(pid)
    })
}

#[test]
fn status_and_both_outputs_come_back() {
    let ended = sh("echo out; echo err >&2; exit 3").run().unwrap();
    assert_eq!((ended.stdout.text(), ended.stderr.text()), ("out\n".into(), "err\n".into()));
    assert_eq!(ended.words(), "exit code 3");
}

#[test]
fn long_input_and_output_at_once_do_not_lock_up() {
    let input = vec![b'x'; 3_000_000];
    let ended = Program::new("cat").input(input).keep(4_000_000).run().unwrap();
    assert_eq!((ended.stdout.bytes().len(), ended.stdout.dropped()), (3_000_000, 0));
}

#[test]
fn a_program_that_reads_nothing_is_no_error() {
    assert!(sh("exit 0").input(vec![b'x'; 1_000_000]).run().unwrap().status.success());
}

#[test]
fn a_flood_is_bounded() {
    let ended = sh("head -c 200000000 /dev/zero").keep(1000).run().unwrap();
    assert_eq!(ended.stdout.bytes().len(), 1000);
    assert_eq!(ended.stdout.dropped(), 199_999_000);
}

#[test]
fn the_deadline_ends_the_whole_group_also_one_that_ignores_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let script = "trap '' TERM; sleep 300 & echo $! > child; echo begun; wait; sleep 300";
    let program = sh(script).cwd(folder.path()).deadline(Duration::from_millis(500));
    match program.run() {
        Err(ProcessError::Deadline { stdout, .. }) => assert_eq!(stdout.text(), "begun\n"),
        other => panic!("{other:?}"),
    }
    let child = std::fs::read_to_string(folder.path().join("child")).unwrap();
    assert!(gone(&child));
}

#[test]
fn what_is_left_in_the_background_is_ended_with_its_leader() {
    let ended = sh("sleep 300 & echo $!").run().unwrap();
    assert!(ended.status.success());
    assert!(gone(&ended.stdout.text()));
}

#[test]
fn a_daemon_that_holds_the_output_is_not_waited_for() {
    let began = Instant::now();
    let ended = sh("setsid sleep 15 & echo $!").run().unwrap();
    assert!(ended.stdout.text().trim().parse::<u32>().is_ok());
    assert!(began.elapsed() < Duration::from_secs(14), "it was waited for");
}

#[test]
fn a_program_that_is_not_there_and_a_folder_that_is_not_there_are_told() {
    let error = Program::new("no-such-program-here").run().unwrap_err().to_string();
    assert!(error.starts_with("`no-such-program-here` could not be started: "), "{error}");
    assert!(matches!(sh("true").cwd("/no/such/folder").run(), Err(ProcessError::Start { .. })));
}

#[test]
fn only_what_it_needs_of_the_environment_is_handed_on() {
    let ended = sh("env").env("GIVEN", "1").run().unwrap();
    let text = ended.stdout.text();
    assert!(text.contains("GIVEN=1") && text.contains("PATH="));
    // Cargo sets this for tests; a plain environment has no use for it.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !text.contains("CARGO_MANIFEST_DIR"));
    let all = sh("env").environment(Environment::All).run().unwrap().stdout.text();
    assert!(all.contains("CARGO_MANIFEST_DIR"));
}
