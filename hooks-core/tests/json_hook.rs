//! Hooks at points that are chosen at run time.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::path::Path;
use std::sync::Arc;

use hookspec::hooks::{JsonCall, JsonHook, JsonOutcome};
use hookspec::points::{FILE_POST_SAVE, FILE_PRE_SAVE};
use hookspec::{Gate, Hooks, Message, Registry, Session, fire_now};
use serde_json::json;

fn session(point: &str, answer: JsonOutcome) -> Session {
    let point = hookspec::point::find_point(point).unwrap();
    let call: Arc<JsonCall> = Arc::new(move |event, _| {
        assert_eq!(event["path"], "/f");
        Ok(answer.clone())
    });
    let hook = JsonHook::new(point, "json.hook", call);
    let registry = Registry::builder().linked(false).register_json(hook).build().unwrap();
    Session::builder(&Hooks::new(registry), "s").build()
}

#[test]
fn an_answer_that_fits_is_the_hooks_word() {
    let answer = JsonOutcome {
        fold: Some(json!("better")),
        messages: vec![Message::system("m")],
        ..JsonOutcome::default()
    };
    let session = session("FILE_PRE_SAVE", answer);
    let fired = fire_now!(session, FILE_PRE_SAVE { path: Path::new("/f"), content: "x" });
    assert_eq!(fired.value().map(String::as_str), Some("better"));
    assert_eq!(fired.messages().len(), 1);
}

#[test]
fn a_refusal_where_nothing_can_be_refused_is_a_failure_and_messages_stand() {
    let answer = JsonOutcome {
        gate: Some(Gate::deny("no")),
        messages: vec![Message::system("m")],
        ..JsonOutcome::default()
    };
    let session = session("file.save.post", answer);
    let fired = fire_now!(session, FILE_POST_SAVE { path: Path::new("/f"), content: "x", created: true });
    assert_eq!(fired.messages().len(), 1);
    let text = fired.failures()[0].to_string();
    assert!(text.contains("FILE_POST_SAVE (Messages) does not take"), "{text}");
}

#[test]
fn a_gate_denies_when_the_answer_has_the_wrong_shape() {
    let answer = JsonOutcome { fold: Some(json!(7)), ..JsonOutcome::default() };
    let session = session("FILE_PRE_SAVE", answer);
    let fired = fire_now!(session, FILE_PRE_SAVE { path: Path::new("/f"), content: "x" });
    assert!(fired.denied().is_some(), "{fired:?}");
}

#[test]
fn a_barred_hook_is_listed_with_its_reason_and_no_list_makes_it_run() {
    let point = hookspec::point::find_point("file.save.post").unwrap();
    let call: Arc<JsonCall> = Arc::new(|_, _| panic!("it must not run"));
    let hook = JsonHook::new(point, "json.hook", call).barred("nobody agreed to it");
    let registry =
        Registry::builder().linked(false).register_json(hook).allow(["json.hook"]).build().unwrap();
    let rows = registry.list();
    assert_eq!((rows[0].on, rows[0].why.as_str()), (false, "nobody agreed to it"));
    let session = Session::builder(&Hooks::new(registry), "s").build();
    let fired = fire_now!(session, FILE_POST_SAVE { path: Path::new("/f"), content: "x", created: true });
    assert!(fired.failures().is_empty() && fired.messages().is_empty());
}
