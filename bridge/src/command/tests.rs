#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::time::{Duration, Instant};

use super::*;

fn run(line: &str, seconds: u64, input: &[u8]) -> Result<Reply, CommandError> {
    let folder = tempfile::tempdir().unwrap();
    Command::shell(line, Duration::from_secs(seconds)).run(folder.path(), &[], input)
}

/// A pid that a hook wrote, once the process is gone or the patience is over.
fn is_gone(pid: &str) -> bool {
    let status = format!("/proc/{}/stat", pid.trim());
    (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        // A zombie whom nobody has reaped yet is gone as well.
        std::fs::read_to_string(&status).map_or(true, |stat| stat.contains(") Z "))
    })
}

#[test]
fn what_it_reads_and_writes_arrives() {
    let reply = run("cat; echo no >&2; exit 3", 10, b"event").unwrap();
    assert_eq!((reply.code, reply.stdout.as_str(), reply.stderr.as_str()), (Some(3), "event", "no\n"));
    assert_eq!((reply.words.as_str(), reply.last_words()), ("exit code 3", "no"));
}

#[test]
fn one_that_ignores_the_request_to_end_is_killed_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let command = Command::shell(
        "trap '' TERM; sleep 60 & echo $! > child; echo so far; while :; do sleep 1; done",
        Duration::from_secs(1),
    );
    let began = Instant::now();
    let error = command.run(folder.path(), &[], b"{}").unwrap_err();
    assert!(error.is_timeout() && began.elapsed() < Duration::from_secs(10));
    assert!(error.to_string().contains("so far"), "its output is lost: {error}");
    assert!(is_gone(&std::fs::read_to_string(folder.path().join("child")).unwrap()));
}

#[test]
fn one_that_never_reads_does_not_hold_us() {
    let big = vec![b'x'; 300_000];
    let began = Instant::now();
    assert!(run("sleep 60", 1, &big).unwrap_err().is_timeout());
    assert!(began.elapsed() < Duration::from_secs(10));
    let reply = run("echo early >&2; exit 2", 10, &big).unwrap();
    assert_eq!((reply.code, reply.stderr.as_str()), (Some(2), "early\n"));
}

#[test]
fn a_megabyte_is_kept_and_a_gigabyte_is_not() {
    let reply = run("head -c 1000000 /dev/zero | tr '\\0' x", 30, b"").unwrap();
    assert_eq!((reply.stdout.len(), reply.cut), (1_000_000, false));
    let reply = run("head -c 1000000000 /dev/zero; echo end >&2", 120, b"").unwrap();
    assert!(reply.cut && reply.stdout.len() < 2 * MOST);
    assert_eq!(reply.stderr, "end\n");
}

#[test]
fn a_daemon_that_holds_the_output_does_not_hold_us() {
    let began = Instant::now();
    let reply = run("setsid sleep 5 & echo done", 30, b"").unwrap();
    assert_eq!(reply.stdout, "done\n");
    assert!(began.elapsed() < Duration::from_secs(4));
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_does_not_outlive_the_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let command = Command::shell(
        "setsid sh -c 'echo $$ > daemon; sleep 60; true' & until [ -s daemon ]; do sleep 0.01; done; sleep 60",
        Duration::from_secs(2),
    );
    assert!(command.run(folder.path(), &[], b"").unwrap_err().is_timeout());
    assert!(is_gone(&std::fs::read_to_string(folder.path().join("daemon")).unwrap()));
    // One of a hook that ends in time goes on.
    let line = "setsid sh -c 'echo $$ > daemon; sleep 5; true' & until [ -s daemon ]; do sleep 0.01; done";
    std::fs::remove_file(folder.path().join("daemon")).unwrap();
    Command::shell(line, Duration::from_secs(20)).run(folder.path(), &[], b"").unwrap();
    let pid = std::fs::read_to_string(folder.path().join("daemon")).unwrap();
    assert!(Path::new("/proc").join(pid.trim()).exists());
}

#[test]
fn a_missing_program_and_a_missing_directory_are_told_apart() {
    let reply = run("no-such-program-here", 10, b"").unwrap();
    assert_eq!(reply.code, Some(127));
    let words =
        Command { line: Line::Words(vec!["no-such-program".into()]), ..Command::shell("", Duration::MAX) };
    let error = words.run(Path::new("/"), &[], b"").unwrap_err().to_string();
    assert!(error.contains("`no-such-program` could not be started"), "{error}");
    let error =
        Command::shell("true", Duration::from_secs(5)).run(Path::new("/no/such"), &[], b"").unwrap_err();
    assert!(error.to_string().starts_with("the directory /no/such does not exist"), "{error}");
}

#[test]
fn long_texts_are_kept_whole_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let overflow = Overflow::in_folder(folder.path().join("kept"));
    assert_eq!(overflow.fit("s", "é".repeat(WHOLE)), "é".repeat(WHOLE));
    let text = overflow.fit("../../escape", "é".repeat(WHOLE + 1));
    let path = Path::new(text.rsplit(" are in ").next().unwrap());
    assert_eq!(std::fs::read_to_string(path).unwrap(), "é".repeat(WHOLE + 1));
    assert!(path.starts_with(folder.path().join("kept")), "{}", path.display());
    let (preview, _) = text.split_once('\n').unwrap();
    assert_eq!(preview.chars().count(), PREVIEW);
    // A folder that cannot be made costs the rest of the text, not the preview.
    std::fs::write(folder.path().join("file"), "").unwrap();
    let text = Overflow::in_folder(folder.path().join("file")).fit("s", "x".repeat(WHOLE + 1));
    assert!(text.starts_with('x') && text.contains("could not be kept"));
}

#[test]
fn of_many_long_texts_the_last_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let overflow = Overflow::in_folder(folder.path());
    let mine = folder.path().join("s/mine.txt");
    let fit = |number: usize| overflow.fit("s", format!("{number:05}").repeat(WHOLE));
    let first = fit(0);
    std::fs::write(&mine, "").unwrap();
    // The file system's clock may stand still between two texts; the first one is older for certain.
    let path = |text: &str| Path::new(text.rsplit(" are in ").next().unwrap()).to_owned();
    let old = std::time::SystemTime::now() - Duration::from_secs(60);
    std::fs::File::options().write(true).open(path(&first)).unwrap().set_modified(old).unwrap();
    let later: Vec<_> = (1..=overflow::KEPT).map(fit).collect();
    assert!(!path(&first).exists());
    assert!(later.iter().all(|text| path(text).exists()) && mine.exists());
}
