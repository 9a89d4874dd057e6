//! Errors, attempts and fixes, as the database keeps them.

use std::time::Duration;

use hookspec_session_buddy::errors::{Attempt, Seen};
use hookspec_session_buddy::store::{Store, StoreError};
use serde_json::json;

use crate::stage::Stage;

fn error(stage: &Stage, store: &mut Store, session: &str, message: &str) -> i64 {
    let context = json!({ "source": "tool" });
    let seen = Seen { session, message, context: &context, at: stage.clock.now(), embedding: None };
    store.record_error(seen).unwrap().unwrap().0
}

/// Records an error that is fixed after so many seconds.
fn fixed(stage: &Stage, store: &mut Store, session: &str, message: &str, seconds: u64) -> i64 {
    let id = error(stage, store, session, message);
    let at = stage.clock.now() + hookspec_after(seconds);
    let fix = store.record_attempt(id, "edited a.rs", "-a\n+b\n", at).unwrap().unwrap();
    store.resolve(id, fix).unwrap().unwrap();
    id
}

fn hookspec_after(seconds: u64) -> jiff::SignedDuration {
    jiff::SignedDuration::from_secs(seconds.cast_signed())
}

#[test]
fn a_failed_attempt_and_the_fix_are_both_in_the_chain() {
    let stage = Stage::new();
    let mut store = stage.store();
    let id = error(&stage, &mut store, "s", "KeyError: 'name'");
    stage.clock.advance(Duration::from_secs(60));
    let failed = store.record_attempt(id, "edited a.py", "", stage.clock.now()).unwrap().unwrap();
    stage.clock.advance(Duration::from_secs(90));
    let right = store.record_attempt(id, "edited b.py", "+x\n", stage.clock.now()).unwrap().unwrap();
    let chain = store.resolve(id, right).unwrap().unwrap();
    let chain = store.chain(chain).unwrap().unwrap();
    assert_eq!(
        chain.attempts.iter().map(|a: &Attempt| (a.id, a.successful)).collect::<Vec<_>>(),
        [(failed, false), (right, true)]
    );
    assert_eq!(
        (chain.fix.id, chain.fix.changes.as_str(), chain.error.kind.as_str()),
        (right, "+x\n", "KeyError")
    );
    assert!((chain.minutes - 2.5).abs() < 1e-9);
}

#[test]
fn what_is_unknown_makes_no_chain() {
    let stage = Stage::new();
    let mut store = stage.store();
    assert_eq!(store.record_attempt(99, "x", "", stage.clock.now()).unwrap(), None);
    assert_eq!(store.resolve(99, 1).unwrap(), None);
    let (one, two) = (error(&stage, &mut store, "s", "first"), error(&stage, &mut store, "s", "second"));
    let other = store.record_attempt(two, "x", "", stage.clock.now()).unwrap().unwrap();
    assert_eq!(store.resolve(one, other).unwrap(), None, "an attempt at another error fixes nothing here");
    assert!(store.chain(1).unwrap().is_none() && store.error(99).unwrap().is_none());
}

#[test]
fn the_same_error_again_only_counts_and_two_successes_are_one_chain() {
    let stage = Stage::new();
    let mut store = stage.store();
    let id = error(&stage, &mut store, "s", "no file /tmp/a at 0x7f");
    assert_eq!(error(&stage, &mut store, "s", "no file /tmp/b at 0x8e"), id);
    assert_ne!(error(&stage, &mut store, "other", "no file /tmp/b at 0x8e"), id, "each session has its own");
    assert_eq!(store.error(id).unwrap().unwrap().times, 2);
    let first = store.record_attempt(id, "x", "", stage.clock.now()).unwrap().unwrap();
    let second = store.record_attempt(id, "y", "", stage.clock.now()).unwrap().unwrap();
    let chain = store.resolve(id, first).unwrap().unwrap();
    assert_eq!(store.resolve(id, second).unwrap(), Some(chain));
    let chain = store.chain(chain).unwrap().unwrap();
    assert_eq!((chain.fix.id, chain.attempts[0].successful), (second, false));
}

#[test]
fn an_error_without_words_is_nothing() {
    let stage = Stage::new();
    let mut store = stage.store();
    let seen =
        Seen { session: "s", message: " \n", context: &json!({}), at: stage.clock.now(), embedding: None };
    assert_eq!(store.record_error(seen).unwrap(), None);
    assert!(store.kinds().unwrap().is_empty());
}

#[test]
fn similar_failures_are_fixed_ones_by_similarity_and_then_by_time() {
    let stage = Stage::new();
    let mut store = stage.store();
    let text = "error[E0308]: mismatched types: expected `Vec<Foo>`, found `Option<Foo>`";
    let slow = fixed(&stage, &mut store, "a", text, 600);
    let quick = fixed(&stage, &mut store, "b", text, 60);
    let near = fixed(
        &stage,
        &mut store,
        "c",
        "error[E0308]: mismatched types: expected `Vec<Bar>`, found `Option<Bar>`",
        1,
    );
    let far = fixed(&stage, &mut store, "d", "the connection was refused by the peer", 1);
    let open = error(&stage, &mut store, "e", text);
    let found = store.similar(text, None, 5).unwrap();
    assert_eq!(found.iter().map(|row| row.error).collect::<Vec<_>>(), [quick, slow, near]);
    assert!(!found.iter().any(|row| row.error == far || row.error == open));
    assert!(
        (found[0].similarity - 1.0).abs() < 1e-9 && found[2].similarity > 0.7 && found[2].similarity < 1.0
    );
    assert_eq!((found[0].action.as_str(), found[0].changes.as_str()), ("edited a.rs", "-a\n+b\n"));
    assert_eq!(store.similar(text, None, 1).unwrap().len(), 1);
    assert!(store.similar("", None, 5).unwrap().is_empty());
    assert!(store.similar("\" OR * NEAR( -x", None, 5).unwrap().is_empty(), "a query is no program");
}

#[test]
fn limits_are_one_to_a_hundred() {
    let store = Stage::new().store();
    for limit in [0, 101] {
        let error = store.similar("x", None, limit).unwrap_err();
        assert!(matches!(error, StoreError::Limit(_)) && error.to_string().contains("1 to 100"), "{error}");
    }
    assert!(store.similar("x", None, 100).is_ok());
}

#[test]
fn embeddings_find_what_words_do_not() {
    let stage = Stage::new();
    let mut store = stage.store();
    for (session, message, vector) in [("a", "out of memory", [1.0, 0.0]), ("b", "bad syntax", [0.0, 1.0])] {
        let seen =
            Seen { session, message, context: &json!({}), at: stage.clock.now(), embedding: Some(&vector) };
        let id = store.record_error(seen).unwrap().unwrap().0;
        let fix = store.record_attempt(id, "x", "", stage.clock.now()).unwrap().unwrap();
        store.resolve(id, fix).unwrap();
    }
    let found = store.similar("allocation failure", Some(&[0.9, 0.1]), 5).unwrap();
    assert_eq!(found.iter().map(|row| row.message.as_str()).collect::<Vec<_>>(), ["out of memory"]);
    assert!(store.similar("allocation failure", None, 5).unwrap().is_empty());
}

#[test]
fn statistics_are_by_kind() {
    let stage = Stage::new();
    let mut store = stage.store();
    for (session, seconds) in [("a", 60), ("b", 120), ("c", 600)] {
        fixed(&stage, &mut store, session, "KeyError: 'x'", seconds);
    }
    error(&stage, &mut store, "d", "KeyError: 'y'");
    error(&stage, &mut store, "d", "it broke");
    let kinds = store.kinds().unwrap();
    assert_eq!(
        kinds.iter().map(|row| (row.kind.as_str(), row.count)).collect::<Vec<_>>(),
        [("KeyError", 4), ("unknown", 1)]
    );
    assert!((kinds[0].fixed - 0.75).abs() < 1e-9 && (kinds[0].median_minutes.unwrap() - 2.0).abs() < 1e-9);
    assert_eq!((kinds[0].usual_fix.as_deref(), kinds[1].median_minutes), (Some("edited a.rs"), None));
}
