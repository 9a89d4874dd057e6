//! `hookspec serve` as a process: how it starts, refuses to, ends, and what a kill costs.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on has failed

mod common;

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::server::{TOKEN, ask, command, place, start};

fn said(folder: &Path, args: &[&str]) -> String {
    let output = command(folder).args(args).output().unwrap();
    assert!(!output.status.success(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn it_does_not_start_where_others_could_reach_it_without_a_token_file() {
    let folder = place();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let text = said(folder.path(), &["--listen", address]);
        assert!(text.contains("--token-file"), "{text}");
    }
    std::fs::write(folder.path().join("open"), "ann 0123456789abcdef").unwrap();
    std::fs::set_permissions(folder.path().join("open"), std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .unwrap();
    let text = said(folder.path(), &["--listen", "127.0.0.1:0", "--token-file", "open"]);
    assert!(text.contains("chmod 600") && !text.contains("0123456789abcdef"), "{text}");
}

#[test]
fn an_address_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let text = said(place().path(), &["--listen", &address]);
    assert!(text.contains(&address) && text.contains("--listen"), "{text}");
}

#[test]
fn the_printed_link_has_a_fresh_token_that_opens_it_and_a_signal_ends_it() {
    let folder = place();
    let mut server = start(folder.path(), &[]);
    let token = server.link.split_once("#token=").unwrap().1.to_owned();
    assert_eq!(token.len(), 64);
    let address = server.address().to_owned();
    assert_eq!(ask(&address, &token, "GET", "/version", "").unwrap().0, 200);
    assert_eq!(ask(&address, "wrong-wrong-wrong", "GET", "/version", "").unwrap().0, 401);
    let (status, page) = ask(&address, "", "GET", "/../../", "").unwrap_or((404, String::new()));
    assert!(status == 404 || status == 200, "{page}");
    let ended = Command::new("kill").args(["-TERM", &server.child.id().to_string()]).status().unwrap();
    assert!(ended.success());
    let began = Instant::now();
    let status = loop {
        if let Some(status) = server.child.try_wait().unwrap() {
            break status;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "it did not end");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "{status}");
}

#[test]
fn a_kill_at_any_moment_loses_no_acknowledged_message() {
    let folder = place();
    let acknowledged: Arc<Mutex<Vec<String>>> = Arc::default();
    for round in 0..3 {
        let mut server = start(folder.path(), &["--token-file", "tokens"]);
        let address = server.address().to_owned();
        for id in 0..4 {
            let made = ask(&address, TOKEN, "PUT", &format!("/conversations/c{id}"), "{}").unwrap().0;
            assert!(made == if round == 0 { 200 } else { 409 }, "{made}");
        }
        let writers: Vec<_> = (0..4)
            .map(|id| {
                let (address, acknowledged) = (address.clone(), Arc::clone(&acknowledged));
                std::thread::spawn(move || {
                    for number in 0..10_000 {
                        let text = format!("r{round}-c{id}-{number}");
                        let body = format!(r#"{{"role":"user","content":"{text}"}}"#);
                        let path = format!("/conversations/c{id}");
                        match ask(&address, TOKEN, "POST", &path, &body) {
                            Some((200, _)) => acknowledged.lock().unwrap().push(format!("c{id} {text}")),
                            Some((429 | 503, _)) => {}
                            Some((status, text)) => panic!("{status}: {text}"),
                            None => return,
                        }
                        if number % 7 == 3 {
                            // Turns run meanwhile, so that some messages wait.
                            let _ = ask(&address, TOKEN, "POST", &format!("{path}/step"), "{}");
                        }
                    }
                })
            })
            .collect();
        let wanted = (round + 1) * 60;
        let began = Instant::now();
        while acknowledged.lock().unwrap().len() < wanted {
            assert!(began.elapsed() < Duration::from_secs(60), "too few were acknowledged");
            std::thread::sleep(Duration::from_millis(5));
        }
        server.child.kill().unwrap(); // SIGKILL
        server.child.wait().unwrap();
        for writer in writers {
            writer.join().unwrap();
        }
    }
    let server = start(folder.path(), &["--token-file", "tokens"]);
    let mut logs = String::new();
    for id in 0..4 {
        // Opening takes in what waited.
        let path = format!("/conversations/c{id}");
        let last = r#"{"role":"user","content":"last"}"#;
        assert_eq!(ask(server.address(), TOKEN, "POST", &path, last).unwrap().0, 200);
        logs.push_str(&ask(server.address(), TOKEN, "GET", &format!("{path}/export"), "").unwrap().1);
    }
    let acknowledged = acknowledged.lock().unwrap();
    for text in acknowledged.iter().map(|line| line.split_once(' ').unwrap().1) {
        let count = logs.matches(&format!("\"{text}\"")).count();
        assert_eq!(count, 1, "{text} is there {count} times");
    }
}
