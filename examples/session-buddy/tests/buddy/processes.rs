//! Two processes on one database, and one that is killed in the middle.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hookspec_session_buddy::errors::Seen;
use hookspec_session_buddy::metrics::Filter;
use hookspec_session_buddy::store::Store;
use hookspec_session_buddy::timeline::Moment;
use serde_json::json;

use crate::stage::Stage;

const DATABASE: &str = "BUDDY_TEST_DATABASE";
const SESSION: &str = "BUDDY_TEST_SESSION";

/// Not a test of its own: what the other tests run as a process. Writes until it is killed, and says what is written.
#[test]
#[ignore = "the other tests of this file run it"]
fn writer() {
    let (Ok(database), Ok(session)) = (std::env::var(DATABASE), std::env::var(SESSION)) else { return };
    let mut store = Store::open(Path::new(&database)).unwrap();
    let now = "2026-03-31T12:00:00Z".parse().unwrap();
    for number in 0..100_000 {
        let message = format!("failure of the {} kind", words(number));
        let seen =
            Seen { session: &session, message: &message, context: &json!({}), at: now, embedding: None };
        let id = store.record_error(seen).unwrap().unwrap().0;
        let fix = store.record_attempt(id, "x", "", now).unwrap().unwrap();
        store.resolve(id, fix).unwrap().unwrap();
        let moment = Moment::Call { tool: "shell".into(), text: number.to_string(), ok: true };
        store.record_moment(&session, &moment, now).unwrap();
        println!("written {id}");
    }
}

/// A number in letters, since numbers are masked.
fn words(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).collect()
}

struct Writer(Child);

impl Writer {
    fn start(database: &Path, session: &str) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "processes::writer", "--ignored", "--nocapture"])
            .env(DATABASE, database)
            .env(SESSION, session)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }

    /// Reads what was written: at least `count` errors; then kills it and reads the rest.
    fn kill_after(mut self, count: usize) -> BTreeSet<i64> {
        let mut lines = BufReader::new(self.0.stdout.take().unwrap()).lines();
        let mut written = BTreeSet::new();
        let id = |line: &str| line.rsplit_once("written ").and_then(|(_, id)| id.parse().ok());
        while written.len() < count {
            // The writer goes on until it is killed.
            let line = lines.next().unwrap().unwrap();
            written.extend(id(&line));
        }
        self.0.kill().unwrap();
        self.0.wait().unwrap();
        // A last line may be half of one.
        for line in lines.map_while(Result::ok).filter(|line| !line.is_empty()) {
            written.extend(
                id(&line).filter(|id: &i64| written.iter().next_back().is_none_or(|last| *id > *last)),
            );
        }
        written
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_kill_loses_nothing_and_leaves_no_lock() {
    let stage = Stage::new();
    let database = stage.path().join("state/session-buddy.sqlite");
    drop(stage.store());
    let (one, two) = (Writer::start(&database, "one"), Writer::start(&database, "two"));
    let first = one.kill_after(50);
    let second = two.kill_after(50);
    assert!(first.is_disjoint(&second));
    let mut store = Store::open(&database).unwrap();
    for id in first.union(&second) {
        let attempts = store.attempts(*id).unwrap();
        assert!(store.error(*id).unwrap().is_some() && attempts.len() == 1, "{id} is lost");
        assert!(attempts[0].successful, "the fix of {id} is lost");
    }
    // Somebody else writes at once.
    let moment = Moment::Checkpoint { score: 1, accepted: true };
    store.record_moment("three", &moment, stage.clock.now()).unwrap();
    assert!(store.sessions(&Filter::default()).unwrap().is_empty());
    let sound: String = rusqlite::Connection::open(&database)
        .and_then(|connection| connection.pragma_query_value(None, "integrity_check", |row| row.get(0)))
        .unwrap();
    assert_eq!(sound, "ok");
    let mode: String = rusqlite::Connection::open(&database)
        .and_then(|connection| connection.pragma_query_value(None, "journal_mode", |row| row.get(0)))
        .unwrap();
    assert_eq!(mode, "wal", "readers do not wait for writers");
}

#[test]
fn many_may_make_the_database_at_once() {
    let stage = Stage::new();
    let database = stage.path().join("fresh/buddy.sqlite");
    std::thread::scope(|scope| {
        let opened: Vec<_> = (0..8).map(|_| scope.spawn(|| Store::open(&database).map(drop))).collect();
        for opened in opened {
            opened.join().unwrap().unwrap();
        }
    });
}

#[test]
fn many_sessions_write_at_once() {
    let stage = Stage::new();
    let database = stage.path().join("state/session-buddy.sqlite");
    std::thread::scope(|scope| {
        for session in 0..8 {
            let database = &database;
            scope.spawn(move || {
                let (mut store, session) = (Store::open(database).unwrap(), format!("s{session}"));
                let now = "2026-03-31T12:00:00Z".parse().unwrap();
                for number in 0..50 {
                    let context = json!({});
                    let message = format!("failure of the {} kind", words(number));
                    let seen = Seen {
                        session: &session,
                        message: &message,
                        context: &context,
                        at: now,
                        embedding: None,
                    };
                    let id = store.record_error(seen).unwrap().unwrap().0;
                    let fix = store.record_attempt(id, "x", "", now).unwrap().unwrap();
                    store.resolve(id, fix).unwrap().unwrap();
                }
            });
        }
    });
    let kinds = stage.store().kinds().unwrap();
    assert_eq!((kinds[0].count, kinds[0].fixed.to_bits()), (400, 1f64.to_bits()));
}

#[test]
fn a_newer_database_is_refused() {
    let stage = Stage::new();
    let database = stage.path().join("state/session-buddy.sqlite");
    drop(stage.store());
    rusqlite::Connection::open(&database).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = Store::open(&database).unwrap_err();
    assert!(error.to_string().contains("version 99"), "{error}");
}

#[cfg(unix)]
#[test]
fn nobody_else_reads_the_database() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new();
    drop(stage.store());
    let mode =
        std::fs::metadata(stage.path().join("state/session-buddy.sqlite")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}
