use std::io::Write;
use std::os::fd::OwnedFd;

use super::*;

fn limits() -> Limits {
    let short = Duration::from_millis(300);
    Limits {
        keep: 1024 * 1024,
        drain: 8 * 1024 * 1024,
        quiet: short,
        grace: Duration::from_millis(10),
        ..Limits::default()
    }
}

/// What is read of `bytes`; `open` leaves the pipe open behind them.
fn through(bytes: &[u8], open: bool) -> (Vec<u8>, Result<(), InputError>) {
    let (from, to) = std::io::pipe().unwrap();
    let bytes = bytes.to_vec();
    let (done, finished) = std::sync::mpsc::channel::<()>();
    let writer = std::thread::spawn(move || {
        let mut to = to;
        to.write_all(&bytes).unwrap();
        if open {
            // Until the reader has given up.
            let _ = finished.recv();
        }
    });
    let read = read(OwnedFd::from(from), &limits());
    drop(done);
    writer.join().unwrap();
    read
}

fn error_of(bytes: &[u8]) -> String {
    let (held, read) = through(bytes, false);
    read.and_then(|()| parse(&held).map(drop)).unwrap_err().to_string()
}

#[test]
fn one_document_is_read_whether_or_not_the_pipe_is_closed() {
    for text in ["{\"a\": \"}{\\\"\"}", "  {\"a\":[1,{}]}\n\n", "\u{feff}{\"a\":1}"] {
        for open in [false, true] {
            let (bytes, read) = through(text.as_bytes(), open);
            read.unwrap();
            assert!(parse(&bytes).unwrap().contains_key("a"), "{text}");
        }
    }
}

#[test]
fn what_is_no_event_says_what_it_is() {
    assert!(error_of(b"").contains("nothing came"));
    assert!(error_of(b" \n").contains("nothing came"));
    assert!(error_of(b"{\"a\":1}{\"b\":2}").contains("more than one"));
    assert!(error_of(b"{\"a\":1").contains("breaks off after 6 bytes"));
    assert!(error_of(b"{\"a\":\"\xff\"}").contains("UTF-8"));
    assert!(error_of(b"[1]").contains("no JSON object"));
    assert!(error_of(b"hello").contains("not JSON"));
    let (_, read) = through(b"{\"a\":", true);
    assert!(matches!(read, Err(InputError::Unfinished(5))));
}

#[test]
fn a_long_event_is_read_to_its_end_and_refused() {
    let mut text = b"{\"a\":\"".to_vec();
    text.resize(5 * 1024 * 1024, b'x');
    text.extend_from_slice(b"\"}");
    // The writer's own `unwrap` shows that it could write everything.
    let (bytes, read) = through(&text, false);
    assert!(matches!(read, Err(InputError::TooLong(_))));
    assert_eq!(bytes.len(), limits().keep);
}

#[test]
fn depth_is_an_error_and_no_overflow() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(error_of(deep.as_bytes()).contains("recursion limit"));
}

#[test]
fn halves_of_character_pairs_are_replaced_and_pairs_are_kept() {
    let map = parse(br#"{"a":"x\udcffy","b":"\ud83d\ude00","c":"\\udcff"}"#).unwrap();
    assert_eq!(map["a"], "x\u{fffd}y");
    assert_eq!(map["b"], "\u{1f600}");
    assert_eq!(map["c"], "\\udcff");
    assert!(parse(b"{\"a\":\"\\\xc3\xa4\"}").is_err());
}

#[test]
fn names_are_found_in_what_cannot_be_read() {
    assert_eq!(names_in(br#"{"hook_event_name" : "PreToolUse", "x": {"#), ["PreToolUse"]);
    assert!(names_in(b"\xff\xfe").is_empty());
}
