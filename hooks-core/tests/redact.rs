//! Redactors: what goes through a session is redacted whatever the lists say, in pieces too, and what fails withholds.

#![cfg(all(feature = "config", feature = "json", feature = "live", feature = "time"))]
#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::sync::Arc;

use hookspec::hooks::BoxError;
use hookspec::model::Metadata;
use hookspec::points::{GENERATION_PRE, STEP_POST, STEP_PRE};
use hookspec::redact::{Cut, Opening, Redact, Redactor};
use hookspec::timeline::Timeline;
use hookspec::{Hook, Hooks, Message, Registry, Session, ToolUse, fire_now};
use serde_json::json;

/// Takes out words that begin with `key-`, and what stands behind `password: `; and fails at `fail` and panics at `panic`.
struct Keys;

impl Redactor for Keys {
    fn name(&self) -> &'static str {
        "keys"
    }
    fn open(&self, _: &Opening<'_>) -> Box<dyn Redact> {
        Box::new(Self)
    }
}

impl Redact for Keys {
    fn find(&self, text: &str) -> Result<Vec<Cut>, BoxError> {
        assert!(!text.contains("panic"), "in {text}");
        if text.contains("fail") {
            return Err(format!("cannot look at {text}").into());
        }
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
        let mut cuts = Vec::new();
        for (start, skip) in [("key-", 0), ("password: ", 10), ("BEGIN ", 6)] {
            for (at, _) in text.match_indices(start) {
                let from = at + skip;
                let ends = |c: char| if start == "BEGIN " { c == '.' } else { is_end(c) };
                let length = text[from..].find(ends).unwrap_or(text.len() - from);
                cuts.push(Cut { range: from..from + length, stand_in: "[out]".into() });
            }
        }
        Ok(cuts)
    }
}

/// A redactor that cannot be had.
struct Broken;

impl Redactor for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }
    fn open(&self, _: &Opening<'_>) -> Box<dyn Redact> {
        panic!("no")
    }
}

fn hooks() -> Hooks {
    let says = Hook::new(STEP_PRE, "stage.says", |_, _| Message::system("my key-1"));
    let adds = Hook::new(GENERATION_PRE, "stage.adds", |_, _| Message::system("my key-2"));
    let fails = Hook::new(STEP_POST, "stage.fails", |_, _| Err::<(), _>("lost key-3"));
    let builder = Registry::builder().linked(false).redactor(&Keys).allow(["stage"]);
    Hooks::new(builder.register(says).register(adds).register(fails).build().unwrap())
}

fn session() -> Session {
    Session::builder(&hooks(), "s").build()
}

#[test]
fn what_is_appended_restored_or_put_in_place_is_redacted() {
    let old = [Message::user("old key-0"), Message::user("plain")];
    let session = Session::builder(&hooks(), "s").log(old.clone(), None).build();
    session.append(Message::user("new key-1")).unwrap();
    let texts = |session: &Session| session.log().iter().map(|m| m.content.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&session), ["old [out]", "plain", "new [out]"]);
    session.replace_log(old.into_iter().collect());
    assert_eq!(texts(&session), ["old [out]", "plain"]);
}

#[test]
fn a_message_is_redacted_with_its_calls_and_by_the_names_of_their_arguments() {
    let arguments =
        json!({ "text": "a key-1", "password": "hunter", "deep": [{ "password": "hunter" }], "n": 3 });
    let mut message = Message::assistant("it");
    message.metadata = Some(Box::new(Metadata {
        tool_calls: vec![ToolUse::native("say", "c", arguments.as_object().unwrap().clone())],
        other: json!({ "thinking": ["key-2"] }).as_object().unwrap().clone(),
        ..Metadata::default()
    }));
    let kept = session().append(message).unwrap();
    let metadata = kept.metadata.as_ref().unwrap();
    let wanted = json!({ "text": "a [out]", "password": "[out]", "deep": [{ "password": "[out]" }], "n": 3 });
    assert_eq!(serde_json::Value::Object(metadata.tool_calls[0].kwargs.clone()), wanted);
    assert_eq!(metadata.other["thinking"], json!(["[out]"]));
}

#[test]
fn what_hooks_say_is_redacted_in_the_log_the_request_the_failure_and_the_timeline() {
    let timeline = Arc::new(Timeline::new(100));
    let session = Session::builder(&hooks(), "s").observer(Arc::<Timeline>::clone(&timeline)).build();
    let fired = fire_now!(session, STEP_PRE { step: 0 });
    assert_eq!(fired.messages()[0].content, "my [out]");
    let request = hookspec::model::Request::default();
    let fired = fire_now!(session, GENERATION_PRE { request: &request, attempt: 0 });
    assert_eq!(fired.messages()[0].content, "my [out]");
    let fired = fire_now!(session, STEP_POST { step: 0, tool_calls: 0, usage: None });
    assert!(fired.failures()[0].to_string().ends_with("lost [out]"));
    let seen = serde_json::to_string(&timeline.entries()).unwrap();
    assert!(seen.matches("[out]").count() == 3 && !seen.contains("key-"), "{seen}");
}

#[test]
fn a_redactor_that_fails_panics_or_cannot_be_had_withholds_the_text_and_says_so() {
    let session = session();
    let withheld = "[withheld: the redactor `keys` failed, so this text is neither kept nor sent]";
    for text in ["will fail here", "will panic here"] {
        assert_eq!(session.append(Message::user(text)).unwrap().content, withheld);
    }
    let mut pieces = session.redact_pieces();
    assert_eq!(format!("{}{}", pieces.push("fine so far, fail "), pieces.push("and more ")), "");
    assert_eq!(pieces.end(), withheld);
    let registry = Registry::builder().linked(false).redactor(&Broken).build().unwrap();
    let session = Session::builder(&Hooks::new(registry), "s").build();
    assert!(session.redacted("a").starts_with("[withheld: the redactor `broken`"));
    assert_eq!(session.redacted(""), "");
}

#[test]
fn cuts_that_overlap_are_one_and_one_that_is_not_in_the_text_withholds_it() {
    assert_eq!(session().redacted("password: key-1 x"), "password: [out] x");
    struct Odd;
    impl Redactor for Odd {
        fn name(&self) -> &'static str {
            "odd"
        }
        fn open(&self, _: &Opening<'_>) -> Box<dyn Redact> {
            Box::new(Self)
        }
    }
    impl Redact for Odd {
        fn find(&self, _: &str) -> Result<Vec<Cut>, BoxError> {
            let cut = |range| Cut { range, stand_in: "-".into() };
            Ok(vec![cut(2..2), cut(4..5), cut(3..6)])
        }
    }
    let registry = Registry::builder().linked(false).redactor(&Odd).build().unwrap();
    let session = Session::builder(&Hooks::new(registry), "s").build();
    assert_eq!(session.redacted("é234567"), "é2-67");
    // Behind the end, and within a letter.
    for text in ["é23", "é2éé"] {
        assert!(session.redacted(text).starts_with("[withheld: the redactor `odd`"), "{text}");
    }
}

#[test]
fn in_pieces_of_any_size_the_same_comes_out_as_in_one() {
    let session = session();
    let long = format!("{} key-9 {}", "x".repeat(9000), "word ".repeat(4000));
    for text in [
        "a key-abc, b\nkey-d\n\npassword: secret end BEGIN a b\nc d. after",
        "key-1",
        "",
        " ",
        "é key-ü ö",
        "BEGIN never ended\nand so on",
        &long,
    ] {
        let whole = session.redacted(text);
        for size in [1, 2, 3, 7, 50, 100_000].into_iter().filter(|size| text.len() < 9000 || *size > 10) {
            let mut pieces = session.redact_pieces();
            let chars: Vec<char> = text.chars().collect();
            let mut out = String::new();
            for piece in chars.chunks(size) {
                out.push_str(&pieces.push(&piece.iter().collect::<String>()));
                assert!(whole.starts_with(&out), "{size}: {out}");
            }
            out.push_str(&pieces.end());
            assert!(out == whole, "{size}: {out} and not {whole}");
        }
    }
}

#[test]
fn without_a_redactor_pieces_go_on_as_they_come() {
    let registry = Registry::builder().linked(false).build().unwrap();
    let session = Session::builder(&Hooks::new(registry), "s").build();
    let mut pieces = session.redact_pieces();
    assert_eq!(["wor", "d key-", "1"].map(|piece| pieces.push(piece)).concat(), "word key-1");
    assert!(pieces.end().is_empty() && !session.redacts());
}
