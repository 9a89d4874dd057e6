//! Session-buddy's queries over what years of sessions leave behind: similar failures among 100 000 errors that were fixed
//! (of two hundred kinds, with names of their own), and the metrics' page over 10 000 sessions.
//!
//! Four searches: a text that is there, one that shares only some words, one made of words that every error has, and
//! one as long as a backtrace.
//! A figure is the median of its rounds, beside it the slowest. The limits are the issue's: 50 ms and 1 s; a median
//! over its limit makes the run fail. `BUDDY_ERRORS=1000` makes it smaller.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hookspec_session_buddy::errors::Seen;
use hookspec_session_buddy::metrics::{Filter, TimeOfDay, picture};
use hookspec_session_buddy::store::Store;
use hookspec_session_buddy::timeline::Moment;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

const ROUNDS: usize = 50;
const SESSIONS: i64 = 10_000;
const PARTS: [&str; 20] = [
    "parser", "socket", "cache", "index", "token", "buffer", "thread", "schema", "router", "cursor",
    "digest", "ledger", "mutex", "packet", "render", "session", "signal", "stream", "symbol", "widget",
];
const WRONG: [&str; 10] = [
    "mismatched types: expected a reference, found a value",
    "cannot borrow as mutable more than once at a time",
    "the connection was refused by the other side",
    "no such file or directory",
    "assertion failed: left == right",
    "the operation timed out before an answer came",
    "unexpected end of input while reading a string",
    "permission denied while opening the file",
    "index out of bounds: the length is too small",
    "the value does not live long enough",
];

/// A number in letters: numbers are masked.
fn letters(number: u64) -> String {
    let mut number = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let mut text = String::new();
    for _ in 0..5 {
        text.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    text
}

fn error(number: u64) -> String {
    let (part, wrong) = (PARTS[(number % 20) as usize], WRONG[(number / 20 % 10) as usize]);
    let name = letters(number);
    format!(
        "error: {wrong}\n  --> src/{part}.rs:{number}:7\n  in the function {part}_{name}, called by the main loop of the program\nThe command ended with exit code 101."
    )
}

fn fill(store: &mut Store, errors: u64, now: Timestamp) {
    for number in 0..errors {
        let session = format!("s{}", number / 10);
        let message = error(number);
        let seen =
            Seen { session: &session, message: &message, context: &json!({}), at: now, embedding: None };
        let id = store.record_error(seen).unwrap().unwrap().0;
        let fix = store.record_attempt(id, "edited src/lib.rs", "-a\n+b\n", now).unwrap().unwrap();
        store.resolve(id, fix).unwrap();
    }
    for number in 0..SESSIONS {
        let id = format!("s{number}");
        let at = now - SignedDuration::from_mins(number * 60);
        store.begin_session(&id, &format!("/projects/{}", number % 7), at, TimeOfDay::Morning, None).unwrap();
        store.note_quality(&id, (60 + number % 40) as f64).unwrap();
        let call = Moment::Call { tool: PARTS[(number % 20) as usize].into(), text: String::new(), ok: true };
        store.record_moment(&id, &call, at).unwrap();
        let edit = Moment::Edit { path: format!("{number}.rs"), added: String::new(), created: false };
        store.record_moment(&id, &edit, at).unwrap();
    }
}

fn measure<T>(name: &str, limit: Duration, mut work: impl FnMut() -> T) -> bool {
    black_box(work());
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            black_box(work());
            began.elapsed()
        })
        .collect();
    times.sort();
    let (median, worst) = (times[ROUNDS / 2], times[ROUNDS - 1]);
    println!("{name:<44} median {median:>10.2?}  slowest {worst:>10.2?}  limit {limit:?}");
    median <= limit
}

fn main() -> ExitCode {
    let errors = std::env::var("BUDDY_ERRORS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("buddy.sqlite")).unwrap();
    let now: Timestamp = "2026-03-31T12:00:00Z".parse().unwrap();
    let began = Instant::now();
    fill(&mut store, errors, now);
    println!(
        "{errors} errors with their fixes and {SESSIONS} sessions were written in {:.1?}",
        began.elapsed()
    );
    let known = error(errors / 2);
    let other =
        "error: cannot borrow as mutable more than once\n  --> lib/x.rs:3:7\n  in the function cache_other";
    let common = "error: in the function called by the main loop of the program";
    let frame = |number: u64| {
        format!(
            "  at {}_{} in src/{number}.rs, called by the main loop\n",
            PARTS[(number % 20) as usize],
            letters(number)
        )
    };
    let long = format!("{}{}", error(7), (0..80).map(frame).collect::<String>());
    let (search, page) = (Duration::from_millis(50), Duration::from_secs(1));
    assert!(!store.similar(&known, None, 5).unwrap().is_empty());
    let good = [
        measure("similar: a text that is there", search, || store.similar(&known, None, 5).unwrap()),
        measure("similar: some words of it", search, || store.similar(other, None, 5).unwrap()),
        measure("similar: words that every error has", search, || store.similar(common, None, 5).unwrap()),
        measure("similar: a long text", search, || store.similar(&long, None, 5).unwrap()),
        measure("metrics: the page", page, || {
            let filter = Filter::default();
            picture(&store.summary(&filter).unwrap(), &store.sessions(&filter).unwrap())
        }),
    ];
    if good.contains(&false) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
