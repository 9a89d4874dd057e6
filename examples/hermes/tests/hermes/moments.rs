//! Single moments, fired by hand: what is told of each, and what is not.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookspec::ask::Why;
use hookspec::model::{ChunkKind, Request, Usage};
use hookspec::points::{
    ERROR, ErrorSource, GENERATION_CHUNK, GENERATION_INTERRUPT, GENERATION_PRE, LOOP_CONTINUE,
    MESSAGE_TRANSFORM, TOOL_CONFIRM, TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE, TOOL_TRANSFORM, TURN_POST,
    TURN_PRE, TurnOutcome,
};
use hookspec::session::InterruptReason;
use hookspec::tool::ToolStatus;
use hookspec::{Hooks, Message, Registry, Session, ToolUse, fire_now};
use hookspec_hermes::Callbacks;
use serde_json::{Map, Value, json};

type Told = Arc<Mutex<Vec<Map<String, Value>>>>;

fn session(callbacks: Callbacks) -> Session {
    let builder = Registry::builder().plugins(hookspec::plugins![hookspec_hermes]);
    let hooks = Hooks::new(callbacks.register(builder).build().unwrap());
    Session::builder(&hooks, "s").model("local/small").build()
}

/// A session with one callback of this hook, what it is told, and what it returns.
fn listening(hook: &str, returned: Value) -> (Session, Told) {
    let told = Told::default();
    let keep = Arc::clone(&told);
    let callbacks = Callbacks::new().on(hook, "keep", move |kwargs, _| {
        keep.lock().unwrap().push(kwargs.clone());
        Ok(returned.clone())
    });
    (session(callbacks.unwrap()), told)
}

fn heard(session: &Session, told: &Told) -> Vec<Map<String, Value>> {
    assert_eq!(session.drain_now(Duration::from_secs(60)), []);
    std::mem::take(&mut *told.lock().unwrap())
}

fn call(id: &str) -> ToolUse {
    ToolUse::native("shell", id, Map::from_iter([("command".to_owned(), json!("ls"))]))
}

fn turn(session: &Session) {
    let _ = fire_now!(session, TURN_PRE { message: &Message::user("go") });
}

fn request(session: &Session, model: &str) {
    let request = Request { model: model.into(), ..Request::default() };
    let _ = fire_now!(session, GENERATION_PRE { request: &request, attempt: 0 });
}

#[test]
fn a_verdict_that_waits_is_for_the_call_it_was_given_and_not_for_its_twin() {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let (held, asked) = (Mutex::new(held), AtomicUsize::new(0));
    let callbacks =
        Callbacks::new().timeout(Duration::from_millis(500)).on("pre_tool_call", "g", move |_, _| {
            if asked.fetch_add(1, Ordering::Relaxed) > 0 {
                let _ = held.lock().unwrap().recv();
            }
            Ok(Value::Null)
        });
    let session = session(callbacks.unwrap());
    let call = call("c1");
    let _ = fire_now!(session, TOOL_TRANSFORM { tool_use: &call });
    let _ = fire_now!(session, TOOL_TRANSFORM { tool_use: &call });
    let denied = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call }).denied().is_some();
    drop(release);
    assert!(denied, "the second call was never judged");
}

#[test]
fn an_answer_is_transformed_once_a_turn_id() {
    let (session, told) = listening("transform_llm_output", json!("changed"));
    let answer = Message::assistant("plain");
    turn(&session);
    for expected in [Some("changed"), None] {
        let fired = fire_now!(session, MESSAGE_TRANSFORM { message: &answer });
        assert_eq!(fired.value().map(|message| message.content.as_str()), expected);
    }
    turn(&session);
    assert!(fire_now!(session, MESSAGE_TRANSFORM { message: &answer }).value().is_some());
    assert_eq!(heard(&session, &told).len(), 2);
}

#[test]
fn only_a_turn_that_is_complete_is_verified() {
    let (session, told) = listening("pre_verify", json!({ "action": "continue", "message": "go on" }));
    for outcome in
        [TurnOutcome::Interrupted, TurnOutcome::Error, TurnOutcome::Declined, TurnOutcome::Complete]
    {
        let (changed, usage) = (["/there/a".into()], Usage::default());
        let _ = fire_now!(session, TURN_POST { steps: 1, changed: &changed, usage: &usage, outcome });
        let fired = fire_now!(session, LOOP_CONTINUE { outcome, queue: &[], continued: 0 });
        assert_eq!(fired.answer().is_some(), outcome == TurnOutcome::Complete, "{outcome:?}");
    }
    assert_eq!(heard(&session, &told).len(), 1);
}

#[test]
fn only_the_models_errors_are_errors_of_the_api() {
    let (session, told) = listening("api_request_error", Value::Null);
    for source in [ErrorSource::Tool, ErrorSource::Hook, ErrorSource::Host, ErrorSource::Model] {
        let _ = fire_now!(session, ERROR { source, error: "busy", retryable: true, attempt: 0 });
    }
    assert_eq!(heard(&session, &told).len(), 1);
}

#[test]
fn a_request_is_told_by_its_own_model_and_counted_in_its_turn() {
    let (session, told) = listening("pre_api_request", Value::Null);
    turn(&session);
    request(&session, "local/small");
    request(&session, "cloud/large");
    turn(&session);
    request(&session, "local/small");
    let told = heard(&session, &told);
    let of = |field: &str| told.iter().map(|told| told[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("model"), ["local/small", "cloud/large", "local/small"]);
    assert_eq!(of("provider"), ["local", "cloud", "local"]);
    assert_eq!(of("api_call_count"), [1, 2, 1]);
    assert_eq!(of("api_request_id"), ["s:request:1", "s:request:2", "s:request:3"]);
}

fn chunk(session: &Session, index: u32) {
    let _ = fire_now!(session, GENERATION_CHUNK { chunk: "x", kind: ChunkKind::Text, index });
}

#[test]
fn a_stream_that_fails_ends_once_and_what_never_began_does_not_end() {
    let (session, told) = listening("on_stream_end", Value::Null);
    let fails = || {
        let source = ErrorSource::Model;
        let _ = fire_now!(session, ERROR { source, error: "cut", retryable: true, attempt: 0 });
    };
    let cut = || {
        let reason = InterruptReason::User;
        let _ = fire_now!(session, GENERATION_INTERRUPT { reason, partial: "x" });
    };
    fails();
    cut();
    assert!(heard(&session, &told).is_empty());
    chunk(&session, 0);
    chunk(&session, 1);
    fails();
    cut();
    let told = heard(&session, &told);
    assert_eq!((told.len(), &told[0]["error"], &told[0]["finished"]), (1, &json!("cut"), &json!(false)));
}

#[test]
fn a_tools_error_does_not_end_a_stream() {
    let (session, told) = listening("on_stream_end", Value::Null);
    chunk(&session, 0);
    let _ = fire_now!(session, ERROR { source: ErrorSource::Hook, error: "x", retryable: false, attempt: 0 });
    assert!(heard(&session, &told).is_empty());
}

#[test]
fn an_approval_is_told_for_the_call_that_was_asked_about() {
    let (session, told) = listening("post_approval_response", Value::Null);
    let ended = |call: &ToolUse| {
        let (result, status, duration) = (&[], ToolStatus::Ok, Duration::ZERO);
        let _ = fire_now!(session, TOOL_POST_EXECUTE { tool_use: call, result, status, duration });
    };
    let asked = call("c1");
    let _ = fire_now!(session, TOOL_CONFIRM { tool_use: &asked, preview: None, why: &Why::Policy });
    ended(&call("c2"));
    assert!(heard(&session, &told).is_empty());
    let _ = fire_now!(session, TOOL_CONFIRM { tool_use: &asked, preview: None, why: &Why::Policy });
    // The user may have edited what runs.
    let mut edited = asked;
    edited.kwargs.insert("command".into(), json!("ls -l"));
    ended(&edited);
    ended(&edited);
    assert_eq!(heard(&session, &told).len(), 1);
}
