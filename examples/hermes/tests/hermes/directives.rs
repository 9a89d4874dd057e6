//! What callbacks return, and what several of them say together: through the real dispatcher.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookspec::points::{TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE, TOOL_TRANSFORM};
use hookspec::tool::ToolStatus;
use hookspec::{Gate, Hook, Hooks, Message, Registry, Session, ToolUse, fire_now};
use hookspec_hermes::{Callbacks, Directive, Together, lower};
use serde_json::{Map, Value, json};

fn call() -> ToolUse {
    let kwargs = json!({ "command": "ls", "timeout_s": 5 });
    ToolUse::native("shell", "c1", serde_json::from_value(kwargs).unwrap())
}

fn session(callbacks: Callbacks) -> Session {
    let builder = Registry::builder().plugins(hookspec::plugins![hookspec_hermes]);
    Session::builder(&Hooks::new(callbacks.register(builder).build().unwrap()), "s").build()
}

/// Callbacks of `pre_tool_call` that return these, in this order.
fn returning(returns: Vec<Value>) -> Callbacks {
    returns.into_iter().enumerate().fold(Callbacks::new(), |callbacks, (index, returned)| {
        // Names fall while the order rises, so that an order by name shows.
        let name = format!("{:02}", 99 - index);
        callbacks.on("pre_tool_call", name, move |_, _| Ok(returned.clone())).unwrap()
    })
}

/// What an engine makes of a call: the call as it is transformed, then the gate's word about that.
fn judged(session: &Session, call: ToolUse) -> (ToolUse, Option<Gate>) {
    let mut fired = fire_now!(session, TOOL_TRANSFORM { tool_use: &call });
    let call = fired.take_value().unwrap_or(call);
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
    (call, fired.gate().cloned())
}

fn judged_by(returns: Vec<Value>) -> (ToolUse, Option<Gate>) {
    judged(&session(returning(returns)), call())
}

fn block(message: &str) -> Value {
    json!({ "action": "block", "message": message })
}

fn approve() -> Value {
    json!({ "action": "approve", "message": "sure?" })
}

fn modify(args: Value) -> Value {
    json!({ "action": "modify", "args": args })
}

#[test]
fn both_dialects_of_a_block_refuse_with_their_words() {
    for said in [block("not there"), json!({ "decision": "block", "reason": "not there" })] {
        assert_eq!(judged_by(vec![said]), (call(), Some(Gate::deny("not there"))));
    }
}

#[test]
fn shapes_that_mean_nothing_are_ignored_and_the_next_callback_counts() {
    for wrong in [
        json!("block"),
        json!(7),
        json!([block("x")]),
        json!({ "action": "block" }),
        json!({ "action": "block", "message": "" }),
        json!({ "action": "block", "message": 7 }),
        json!({ "action": "reject", "message": "x" }),
        json!({ "message": "x" }),
        json!({ "block": true }),
        json!({ "action": "modify", "args": "rm" }),
        json!({ "action": "modify" }),
    ] {
        assert!(lower("pre_tool_call", &wrong).is_err(), "{wrong}");
        assert_eq!(judged_by(vec![wrong.clone()]), (call(), None), "{wrong}");
        assert_eq!(judged_by(vec![wrong, block("no")]).1, Some(Gate::deny("no")));
    }
    for nothing in [Value::Null, json!({}), json!({ "decision": "approve" })] {
        assert_eq!(lower("pre_tool_call", &nothing), Ok(Directive::Nothing), "{nothing}");
    }
}

#[test]
fn the_first_block_counts() {
    let (_, gate) = judged_by(vec![Value::Null, block("first"), block("second")]);
    assert_eq!(gate, Some(Gate::deny("first")));
}

#[test]
fn a_block_outranks_an_approval_in_any_order_and_keeps_what_was_changed_before_it() {
    let changed = modify(json!({ "command": "ls -l" }));
    for order in
        [vec![approve(), changed.clone(), block("no")], vec![changed.clone(), block("no"), approve()]]
    {
        let (call, gate) = judged_by(order);
        assert_eq!((call.text("command").as_deref(), gate), (Some("ls -l"), Some(Gate::deny("no"))));
    }
    let (call, _) = judged_by(vec![block("no"), changed]);
    assert_eq!(call.text("command").as_deref(), Some("ls"), "after a refusal nothing can matter");
}

#[test]
fn an_approval_asks_with_its_message_or_one_of_ours() {
    assert_eq!(judged_by(vec![approve(), block_less()]).1, Some(Gate::ask("sure?")));
    let (_, gate) = judged_by(vec![json!({ "action": "approve" })]);
    assert_eq!(gate, Some(Gate::ask("a callback wants `terminal` approved")));
}

fn block_less() -> Value {
    json!({ "action": "approve", "message": "and I?" })
}

#[test]
fn the_first_approvals_key_is_kept_and_a_bad_one_is_the_tools_name() {
    let key = |rule_key: Value| {
        let said = lower("pre_tool_call", &json!({ "action": "approve", "rule_key": rule_key })).unwrap();
        let later = lower("pre_tool_call", &json!({ "action": "approve", "rule_key": "later" })).unwrap();
        Together::of("terminal", [said, later]).rule_key.unwrap()
    };
    assert_eq!(key(json!("  git push ")), "git push");
    assert_eq!(key(json!("   ")), "terminal");
    assert_eq!(key(json!(7)), "terminal");
}

#[test]
fn changes_are_laid_over_add_up_and_the_last_one_counts() {
    let (changed, gate) = judged_by(vec![
        modify(json!({ "command": "a", "extra": 1 })),
        json!({ "decision": "modify", "tool_input": { "command": "b" } }),
    ]);
    let kwargs = Value::Object(changed.kwargs);
    assert_eq!((kwargs, gate), (json!({ "command": "b", "timeout_s": 5, "extra": 1 }), None));
}

#[test]
fn no_callback_sees_what_another_changed_and_each_is_asked_once() {
    let told: Arc<Mutex<Vec<Value>>> = Arc::default();
    let on = |callbacks: Callbacks, name: &str| {
        let told = Arc::clone(&told);
        let answer = move |kwargs: &Map<String, Value>, _: &Session| {
            told.lock().unwrap().push(kwargs["args"]["command"].clone());
            Ok(modify(json!({ "command": "changed" })))
        };
        callbacks.on("pre_tool_call", name, answer).unwrap()
    };
    let session = session(on(on(Callbacks::new(), "b"), "a"));
    assert_eq!(judged(&session, call()).0.text("command").as_deref(), Some("changed"));
    assert_eq!(*told.lock().unwrap(), ["ls", "ls"]);
}

#[test]
fn a_call_that_was_changed_after_it_was_judged_is_judged_again() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let guard = move |told: &Map<String, Value>, _: &Session| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(if told["args"]["command"] == "rm -rf /" { block("no") } else { Value::Null })
    };
    let session = session(Callbacks::new().on("pre_tool_call", "guard", guard).unwrap());
    assert_eq!(judged(&session, call()), (call(), None));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let _ = fire_now!(session, TOOL_TRANSFORM { tool_use: &call() });
    let mut edited = call();
    edited.kwargs.insert("command".into(), json!("rm -rf /"));
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &edited });
    assert_eq!(fired.gate(), Some(&Gate::deny("no")));
    // What was said about the first call is not said about the next one of the same words.
    assert_eq!(judged(&session, call()).1, None);
    assert_eq!(asked.load(Ordering::Relaxed), 4);
}

#[test]
fn a_change_that_comes_too_late_is_a_refusal() {
    let session = session(returning(vec![modify(json!({ "command": "safe" }))]));
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call() });
    let (reason, _) = fired.denied().unwrap();
    assert!(reason.contains("changed after it could be"), "{reason}");
}

#[test]
fn a_gate_that_fails_denies_and_names_the_callback_and_its_error() {
    let failing = || {
        let callbacks = Callbacks::new().on("pre_tool_call", "guard", |_, _| Err("no such table".into()));
        callbacks.unwrap().on("pre_tool_call", "other", |_, _| Ok(approve())).unwrap()
    };
    let panicking = || {
        let panics = |told: &Map<String, Value>, _: &Session| panic!("odd {}", told["tool_name"]);
        Callbacks::new().on("pre_tool_call", "guard", panics).unwrap()
    };
    for (callbacks, error) in [(failing(), "no such table"), (panicking(), "odd \"terminal\"")] {
        // On both ways: asked when the call could be changed, and asked by the gate alone.
        let session = session(callbacks);
        let (_, gate) = judged(&session, call());
        let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call() });
        for gate in [gate.as_ref(), fired.gate()] {
            let Some(Gate::Deny(reason)) = gate else { panic!("{gate:?}") };
            assert!(reason.contains("the callback `guard`") && reason.contains(error), "{reason}");
        }
    }
}

#[test]
fn a_failing_callback_does_not_hide_anothers_reason() {
    let callbacks = Callbacks::new().on("pre_tool_call", "a", |_, _| Err("broken".into())).unwrap();
    let callbacks = callbacks.on("pre_tool_call", "b", |_, _| Ok(block("my reason"))).unwrap();
    assert_eq!(judged(&session(callbacks), call()).1, Some(Gate::deny("my reason")));
}

#[test]
fn a_gate_that_does_not_come_back_denies() {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = Mutex::new(held);
    let hangs = move |_: &Map<String, Value>, _: &Session| {
        let _ = held.lock().unwrap().recv();
        Ok(Value::Null)
    };
    let callbacks = Callbacks::new().timeout(Duration::from_millis(50)).on("pre_tool_call", "hangs", hangs);
    let session = session(callbacks.unwrap());
    let (_, gate) = judged(&session, call());
    drop(release);
    let Some(Gate::Deny(reason)) = gate else { panic!("{gate:?}") };
    assert!(reason.contains("hermes_plugins.pre_tool_call") && reason.contains("timeout"), "{reason}");
}

#[test]
fn verifications_continue_or_block_and_say_with_what() {
    for said in [
        json!({ "action": "continue", "message": " run the tests \n" }),
        json!({ "decision": "block", "reason": " run the tests" }),
    ] {
        assert_eq!(lower("pre_verify", &said), Ok(Directive::Continue("run the tests".into())));
    }
    for wrong in [
        json!("run the tests"),
        json!({ "action": "continue" }),
        json!({ "action": "continue", "message": "  " }),
        json!({ "action": "continue", "message": 7 }),
        json!({ "decision": "approve", "reason": "x" }),
    ] {
        assert!(lower("pre_verify", &wrong).is_err(), "{wrong}");
    }
}

#[test]
fn contexts_are_texts_or_dictionaries_and_whatever_they_hold_becomes_a_text() {
    let context = |text: &str| Ok(Directive::Context(text.into()));
    assert_eq!(lower("pre_llm_call", &json!("a")), context("a"));
    assert_eq!(lower("pre_llm_call", &json!({ "context": "a" })), context("a"));
    assert_eq!(lower("pre_llm_call", &json!({ "context": 7 })), context("7"));
    for nothing in [json!(" "), json!({ "context": "" }), json!({ "context": 0 }), json!({ "context": null })]
    {
        assert_eq!(lower("pre_llm_call", &nothing), Ok(Directive::Nothing), "{nothing}");
    }
    assert!(
        lower("pre_llm_call", &json!(7)).is_err() && lower("pre_llm_call", &json!({ "text": "a" })).is_err()
    );
}

#[test]
fn replacements_are_texts_an_empty_one_too_but_not_for_an_answer() {
    for hook in ["transform_tool_result", "transform_terminal_output"] {
        assert_eq!(lower(hook, &json!("")), Ok(Directive::Replace(String::new())));
        assert!(lower(hook, &json!({ "context": "a" })).is_err());
        assert_eq!(lower(hook, &Value::Null), Ok(Directive::Nothing));
    }
    assert_eq!(lower("transform_llm_output", &json!("")), Ok(Directive::Nothing));
    let said = ["a", "b"].map(|text| Directive::Replace(text.into()));
    assert_eq!(Together::of("", said).replacement.as_deref(), Some("a"));
}

#[test]
fn an_error_is_held_for_the_first_reason_that_a_callback_gives() {
    let none = |_: &Map<String, Value>, _: &Session| Ok(json!({ "retryable": true }));
    let busy = |_: &Map<String, Value>, _: &Session| {
        Ok(
            json!({ "reason": "overloaded", "retryable": true, "should_compress": "yes", "message": "x".repeat(900) }),
        )
    };
    let other = |_: &Map<String, Value>, _: &Session| Ok(json!({ "reason": "billing" }));
    let name = "transform_api_error_classification";
    let callbacks = Callbacks::new().on(name, "a", none).unwrap().on(name, "b", busy).unwrap();
    let session = session(callbacks.on(name, "c", other).unwrap());
    let held = hookspec_hermes::hosts::classify(&session, "503", Some(503), 4).unwrap();
    assert_eq!(
        (held.reason.as_str(), held.retryable, held.should_compress),
        ("overloaded", Some(true), None)
    );
    assert_eq!(held.message.unwrap().len(), 500);
}

/// Fires the end of a tool call.
fn over(session: &Session) -> hookspec::point::Fired<hookspec::point::Messages> {
    let (call, result) = (call(), [Message::system("done")]);
    let (status, duration) = (ToolStatus::Ok, Duration::ZERO);
    fire_now!(session, TOOL_POST_EXECUTE { tool_use: &call, result: &result, status, duration })
}

#[test]
fn observers_are_called_in_their_order_and_what_they_return_means_nothing() {
    let order: Arc<Mutex<Vec<usize>>> = Arc::default();
    let observers = (0..12).fold(Callbacks::new(), |callbacks, index| {
        let order = Arc::clone(&order);
        let observe = move |_: &Map<String, Value>, _: &Session| {
            order.lock().unwrap().push(index);
            match index {
                3 => Err("broken".into()),
                4 => panic!("odd"),
                5 => Ok(json!("a text")),
                _ => Ok(block("no")),
            }
        };
        callbacks.on("post_tool_call", format!("{}", 99 - index), observe).unwrap()
    });
    let session = session(observers);
    let fired = over(&session);
    assert_eq!(*order.lock().unwrap(), (0..12).collect::<Vec<_>>());
    assert!(fired.messages().is_empty());
    let failed: Vec<_> = fired.failures().iter().map(ToString::to_string).collect();
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert!(failed[0].contains("broken") && failed[1].contains("odd"), "{failed:?}");
}

#[test]
fn an_observer_cannot_decide_however_it_is_asked() {
    for returned in [block("no"), json!("text"), json!({ "context": "x" }), json!({ "decision": "block" })] {
        assert_eq!(lower("post_tool_call", &returned), Ok(Directive::Nothing));
    }
}

#[test]
fn streams_are_told_in_order_beside_the_stream() {
    let order: Arc<Mutex<Vec<String>>> = Arc::default();
    let on = |callbacks: Callbacks, who: &'static str| {
        let order = Arc::clone(&order);
        let observe = move |told: &Map<String, Value>, _: &Session| {
            order.lock().unwrap().push(format!("{who}{}", told["delta"].as_str().unwrap()));
            Ok(Value::Null)
        };
        callbacks.on("on_stream_delta", who, observe).unwrap()
    };
    let session = session(on(on(Callbacks::new(), "x"), "y"));
    for index in 0..20 {
        let (chunk, kind) = (index.to_string(), hookspec::model::ChunkKind::Text);
        let _ = fire_now!(session, hookspec::points::GENERATION_CHUNK { chunk: &chunk, kind, index });
    }
    let (thought, kind) = ("hm", hookspec::model::ChunkKind::Reasoning);
    let _ = fire_now!(session, hookspec::points::GENERATION_CHUNK { chunk: thought, kind, index: 20 });
    assert_eq!(session.drain_now(Duration::from_secs(60)), []);
    let order = order.lock().unwrap();
    for who in ["x", "y"] {
        let heard: Vec<_> = order.iter().filter_map(|line| line.strip_prefix(who)).collect();
        assert_eq!(heard, (0..20).map(|index| index.to_string()).collect::<Vec<_>>());
    }
}

#[test]
fn a_hook_of_ours_and_a_callback_of_hermess_are_judged_by_one_rule() {
    let builder = Registry::builder().plugins(hookspec::plugins![hookspec_hermes]);
    let ours = Hook::new(TOOL_PRE_EXECUTE, "ours.guard", |_, _| Gate::deny("mine")).priority(-5);
    let registry = returning(vec![approve()]).register(builder).register(ours).build().unwrap();
    let session = Session::builder(&Hooks::new(registry), "s").build();
    assert_eq!(judged(&session, call()).1, Some(Gate::deny("mine")));
}
