//! How a command ends, and what ends with it.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use super::*;
use hookspec_process::{ProcessError, Program};

/// Waits until it is so.
#[track_caller]
fn until(what: impl Fn() -> bool) {
    let began = Instant::now();
    while !what() {
        assert!(began.elapsed() < Duration::from_secs(20), "it did not come to that");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn status_and_signals_come_through() {
    let world = World::new();
    for sandbox in [world.sandbox.clone(), world.sandbox.granted(&[Grant::Everything])] {
        for (script, code, signal) in [
            ("exit 0", Some(0), None),
            ("exit 7", Some(7), None),
            ("exit 255", Some(255), None),
            ("kill -TERM $$", None, Some(15)),
            ("kill -KILL $$", None, Some(9)),
            ("kill -SEGV $$", None, Some(11)),
            ("sleep 0.01 & wait; exit 3", Some(3), None),
        ] {
            let ran = world.sh_with(&sandbox, script);
            assert_eq!((ran.output.status.code(), ran.output.status.signal()), (code, signal), "{script}");
        }
    }
    let missing = {
        let mut command = Command::new("no-such-program-of-hookspec");
        command.current_dir(world.path(""));
        let _leash = world.sandbox.confine(&mut command).unwrap();
        command.spawn().unwrap_err()
    };
    assert_eq!(missing.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn a_program_is_found_as_ever() {
    let world = World::new();
    let tool = world.write("bin/tool", "echo from-a-script-without-a-head $0 $1");
    let twin = world.write("not/tool", "no");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::set_permissions(twin, std::fs::Permissions::from_mode(0o644)).unwrap();
    let run = |program: &str, path: &str| {
        let mut command = Command::new(program);
        command.arg("one two").env("PATH", path).current_dir(world.path("bin"));
        let leash = world.sandbox.confine(&mut command).unwrap();
        let ended = command.output();
        assert_eq!(leash.failure(), None, "the sandbox is not to blame");
        ended.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).map_err(|error| error.kind())
    };
    let path =
        format!("/nothing:{}:{}:/usr/bin:/bin", world.path("not").display(), world.path("bin").display());
    let expected = format!("from-a-script-without-a-head {} one two\n", tool.display());
    assert_eq!(run("tool", &path), Ok(expected));
    assert!(run("./tool", "").unwrap().contains("./tool one two"));
    assert_eq!(
        run("tool", &world.path("not").display().to_string()),
        Err(std::io::ErrorKind::PermissionDenied)
    );
    assert_eq!(run("tool", "/nothing"), Err(std::io::ErrorKind::NotFound));
    assert_eq!(run("/nothing/at/all", &path), Err(std::io::ErrorKind::NotFound));
    assert_eq!(run("echo", "/usr/bin:/bin"), Ok("one two\n".to_owned()));
}

#[test]
fn a_signal_that_is_sent_to_it_reaches_its_group() {
    let world = World::new();
    let mark = sleep();
    let script = format!("trap 'echo asked; exit 5' TERM; {mark} & echo ready; wait");
    let mut command = bash(&world.path(""), &script);
    command.stdout(Stdio::piped());
    let _leash = world.sandbox.confine(&mut command).unwrap();
    let mut child = command.spawn().unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert_eq!((line.as_str(), child.wait().unwrap().code()), ("ready\nasked\n", Some(5)));
}

#[test]
fn a_background_server_outlives_its_call_and_not_its_leash() {
    let world = World::new();
    let mark = sleep();
    let ran = world
        .sh(&format!(
            "{mark} > /dev/null 2>&1 & echo $! > pid; setsid sh -c '{mark} & {mark}' > /dev/null 2>&1 &"
        ))
        .succeeds();
    until(|| running(&mark) == 3);
    assert!(!ran.leash.is_over());
    if is_whole() {
        // The next command sees it, and may end it.
        world.sh("kill -0 $(cat pid) && kill $(cat pid)").succeeds();
        until(|| running(&mark) == 2);
    }
    drop(ran);
    assert_eq!(running(&mark), 0);
    let ran = world.sh("true").succeeds();
    until(|| ran.leash.is_over());
}

#[test]
fn the_last_clone_ends_what_is_left() {
    let world = World::new();
    let mark = sleep();
    let ran = world.sh(&format!("{mark} > /dev/null 2>&1 &"));
    until(|| running(&mark) == 1);
    let World { sandbox, .. } = world;
    drop(sandbox);
    assert_eq!(running(&mark), 1, "its leash is held still");
    drop(ran);
    assert_eq!(running(&mark), 0);
}

#[test]
fn a_bomb_is_ended_with_its_leash() {
    let world = World::new();
    let mark = sleep();
    let script = format!(
        "f() {{ for i in 1 2 3; do (setsid {mark} &) ; done; }}; for i in $(seq 40); do f & done > /dev/null 2>&1; wait"
    );
    let ran = world.sh(&format!("({script}) > /dev/null 2>&1")).succeeds();
    until(|| running(&mark) == 120);
    drop(ran);
    assert_eq!(running(&mark), 0);
}

#[test]
fn a_deadline_ends_daemons_too() {
    let world = World::new();
    let mark = sleep();
    let script = format!("trap '' TERM; setsid {mark} & {mark}");
    let program = Program::new("bash").args(["-c", &script]).cwd(world.path("")).sandbox(&world.sandbox);
    let ended = program.clone().deadline(Duration::from_millis(700)).run();
    assert!(matches!(ended, Err(ProcessError::Deadline { .. })), "{ended:?}");
    assert_eq!(running(&mark), 0);
    let script = format!("setsid {mark} > /dev/null 2>&1 & exit 4");
    let ended =
        Program::new("bash").args(["-c", &script]).cwd(world.path("")).sandbox(&world.sandbox).run().unwrap();
    assert_eq!(ended.words(), "exit code 4");
    assert_eq!(running(&mark), 0);
}

#[test]
fn a_killed_monitor_takes_all_with_it() {
    let world = World::new();
    let mark = sleep();
    let mut command = bash(&world.path(""), &format!("setsid {mark} & {mark}"));
    let leash = world.sandbox.confine(&mut command).unwrap();
    let mut child = command.spawn().unwrap();
    until(|| running(&mark) == 2);
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    until(|| running(&mark) == 0);
    until(|| leash.is_over());
}

/// Not a test of its own: the host that the next test kills.
#[test]
fn host() {
    let Some(folder) = std::env::var_os("HOOKSPEC_TEST_HOST") else { return };
    let mark = std::env::var("HOOKSPEC_TEST_MARK").unwrap();
    let sandbox = Sandbox::new(Profile::Workspace, Path::new(&folder));
    let script = format!("setsid {mark} > /dev/null 2>&1 & {mark} > /dev/null 2>&1 &");
    let mut command = bash(Path::new(&folder), &script);
    let _leash = sandbox.confine(&mut command).unwrap();
    command.status().unwrap();
    let mut command = bash(Path::new(&folder), &mark);
    let _second = sandbox.confine(&mut command).unwrap();
    let mut running = command.spawn().unwrap();
    std::io::stdout().write_all(b"started\n").unwrap();
    running.wait().unwrap();
}

#[test]
fn a_host_that_is_killed_leaves_nothing() {
    let world = World::new();
    let mark = sleep();
    let mut host = Command::new(std::env::current_exe().unwrap());
    host.args(["--exact", "ends::host", "--nocapture"])
        .env("HOOKSPEC_TEST_HOST", world.path(""))
        .env("HOOKSPEC_TEST_MARK", &mark);
    let mut host = host.stdout(Stdio::null()).spawn().unwrap();
    until(|| running(&mark) == 3);
    host.kill().unwrap();
    host.wait().unwrap();
    until(|| running(&mark) == 0);
}

#[test]
fn a_command_that_was_never_started_holds_nothing() {
    let world = World::new();
    let mut command = bash(&world.path(""), "true");
    let leash = world.sandbox.confine(&mut command).unwrap();
    assert!(!leash.is_over());
    drop(command);
    // Other threads may be forking just now, with a copy of its end.
    until(|| leash.is_over());
    // And after its leash is gone, it is not started.
    let mut command = bash(&world.path(""), "echo ran > ran");
    drop(world.sandbox.confine(&mut command).unwrap());
    assert!(command.status().is_err() && !world.path("ran").exists());
}

#[test]
fn many_at_once() {
    let world = World::new();
    world.write(".env", SECRET);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let world = &world;
            scope.spawn(move || {
                for round in 0..5 {
                    let ran = world.sh(&format!("cat .env; echo {number}; exit {round}"));
                    assert_eq!(ran.output.status.code(), Some(round));
                    assert_eq!(String::from_utf8_lossy(&ran.output.stdout), format!("{number}\n"));
                }
            });
        }
    });
}
