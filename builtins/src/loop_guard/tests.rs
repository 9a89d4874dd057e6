use std::time::Duration;

use hookspec::{Config, Hooks, Registry, Session, fire_now};
use serde_json::json;

use super::*;

fn session(toml: &str) -> Session {
    let mut config = Config::new();
    config.add_toml("t.toml", &format!("[hooks.loop_guard]\n{toml}"), &[]).unwrap();
    let registry = Registry::builder().config(config).allow(["loop_guard"]).build().unwrap();
    Session::builder(&Hooks::new(registry), "s").build()
}

fn shell(command: &str) -> ToolUse {
    ToolUse::fenced("shell", [""; 0], command)
}

fn gate(session: &Session, call: &ToolUse) -> Option<Gate> {
    fire_now!(session, TOOL_PRE_EXECUTE { tool_use: call }).gate().cloned()
}

fn ran(session: &Session, call: &ToolUse, result: &str, status: ToolStatus) -> Vec<Message> {
    let result = [Message::system(result)];
    let duration = Duration::ZERO;
    fire_now!(session, TOOL_POST_EXECUTE { tool_use: call, result: &result, status, duration })
        .into_messages()
}

/// Runs a call whatever the gate says. Gives the gate's answer and whether there was a warning.
fn go(session: &Session, call: &ToolUse, result: &str) -> (Option<Gate>, bool) {
    (gate(session, call), !ran(session, call, result, ToolStatus::Ok).is_empty())
}

#[test]
fn the_third_time_warns_the_fifth_asks_the_eighth_is_refused() {
    let session = session("deny = 8");
    let call = shell("cargo test");
    for time in 1..=7 {
        let (gate, warned) = go(&session, &call, "failed");
        assert_eq!(warned, time == 3, "time {time}");
        assert_eq!(matches!(gate, Some(Gate::Ask(_))), time >= 5, "time {time}: {gate:?}");
    }
    let Some(Gate::Deny(reason)) = gate(&session, &call) else { panic!() };
    assert!(reason.contains("ran 7 times"), "{reason}");
    assert_eq!(gate(&session, &shell("ls")), None, "another call is free");
}

#[test]
fn nothing_is_refused_unless_the_settings_say_so() {
    let session = session("");
    let call = shell("x");
    for _ in 0..60 {
        let _ = go(&session, &call, "y");
    }
    assert!(matches!(gate(&session, &call), Some(Gate::Ask(_))));
}

#[test]
fn another_result_another_call_or_the_user_ends_it() {
    let call = shell("git status");
    let between: [fn(&Session); 3] = [
        |session| drop(go(session, &shell("git status"), "dirty")),
        |session| drop(go(session, &shell("ls"), "")),
        |session| drop(fire_now!(session, TURN_PRE { message: &Message::user("go on") })),
    ];
    for between in between {
        let session = session("");
        for _ in 0..4 {
            let _ = go(&session, &call, "clean");
        }
        assert!(gate(&session, &call).is_some());
        between(&session);
        assert_eq!(gate(&session, &call), None);
        assert!(!go(&session, &call, "clean").1);
    }
}

#[test]
fn a_message_with_which_a_hook_keeps_the_agent_going_does_not_end_it() {
    let session = session("");
    let by_hook = Message::user("the tests still fail").said_by("ci.go_on");
    for _ in 0..4 {
        let _ = go(&session, &shell("cargo test"), "1 failed");
        drop(fire_now!(session, TURN_PRE { message: &by_hook }));
    }
    assert!(matches!(gate(&session, &shell("cargo test")), Some(Gate::Ask(_))));
}

#[test]
fn cycles_of_two_and_three_are_seen() {
    let cycles: [&[&str]; 3] = [&["a", "b"], &["a", "b", "c"], &["a", "b", "b"]];
    for cycle in cycles {
        let session = session("");
        for time in 1..=6 {
            for (place, command) in cycle.iter().enumerate() {
                let (gate, warned) = go(&session, &shell(command), "same");
                let last = place + 1 == cycle.len();
                assert_eq!(warned, time == 3 && last, "{cycle:?}, time {time}, {command}");
                assert_eq!(gate.is_some(), time >= 5, "{cycle:?}, time {time}, {command}: {gate:?}");
            }
        }
        assert_eq!(gate(&session, &shell("z")), None);
    }
}

#[test]
fn a_cycle_of_four_is_not_looked_for() {
    let session = session("");
    for _ in 0..9 {
        for command in ["a", "b", "c", "d"] {
            assert_eq!(go(&session, &shell(command), ""), (None, false));
        }
    }
}

#[test]
fn a_refused_call_leaves_the_circle_as_it_is() {
    let session = session("");
    let call = shell("x");
    for _ in 0..4 {
        let _ = go(&session, &call, "y");
    }
    for status in [ToolStatus::Denied, ToolStatus::Interrupted] {
        assert!(gate(&session, &call).is_some());
        let _ = ran(&session, &call, "Denied by the hook", status);
    }
    assert!(gate(&session, &call).is_some());
}

#[test]
fn failures_count_too() {
    let session = session("");
    let call = shell("x");
    let warned: Vec<_> = (0..4).map(|_| ran(&session, &call, "exit 1", ToolStatus::Error).len()).collect();
    assert_eq!(warned, [0, 0, 1, 0]);
}

#[test]
fn tools_that_wait_may_repeat_themselves() {
    let session = session("except = [\"ci.*\"]");
    let call = ToolUse::fenced("ci.status", [""; 0], "");
    for _ in 0..9 {
        assert_eq!(go(&session, &call, "running"), (None, false));
    }
}

#[test]
fn a_call_is_the_same_whatever_its_id_place_and_order_of_arguments() {
    let call = |json: &str, id: &str| ToolUse::native("t", id, serde_json::from_str(json).unwrap());
    let mut moved = call(r#"{"b": {"y": [2], "x": 1}, "a": 1}"#, "2");
    moved.start = Some(7);
    assert_eq!(hash_of(&call(r#"{"a": 1, "b": {"x": 1, "y": [2]}}"#, "1")), hash_of(&moved));
    for other in [
        shell("a"),
        ToolUse::fenced("shell", ["a"], ""),
        ToolUse::fenced("shell", ["", "a"], ""),
        ToolUse::native("shell", "1", json!({"a": ""}).as_object().unwrap().clone()),
        ToolUse::native("shell", "1", json!({"a": null}).as_object().unwrap().clone()),
    ] {
        let calls = [shell("a"), ToolUse::fenced("shell", ["a"], "")];
        assert_eq!(
            calls.iter().filter(|call| hash_of(call) == hash_of(&other)).count(),
            usize::from(calls.contains(&other)),
            "{other:?}"
        );
    }
}

#[test]
fn the_hash_is_the_same_in_every_process() {
    assert_eq!(hash(["shell", "ls"]), "45df36eccd67dda3");
}

#[test]
fn a_resumed_session_goes_on_counting() {
    let first = session("");
    let call = shell("x");
    for _ in 0..4 {
        let _ = go(&first, &call, "y");
    }
    let resumed = Session::builder(first.hooks(), "s").states(first.save_states()).build();
    assert!(matches!(gate(&resumed, &call), Some(Gate::Ask(_))));
    let other = Session::builder(first.hooks(), "t").build();
    assert_eq!(gate(&other, &call), None);
}

#[test]
fn limits_that_make_no_sense_are_errors() {
    for toml in ["warn = 1", "ask = 51"] {
        let mut config = Config::new();
        config.add_toml("t.toml", &format!("[hooks.loop_guard]\n{toml}"), &[]).unwrap();
        let error = Registry::builder().config(config).allow(["loop_guard"]).build().unwrap_err();
        assert!(error.to_string().contains("cannot be a limit"), "{error}");
    }
    let session = session("warn = 0\nask = 0");
    for _ in 0..9 {
        assert_eq!(go(&session, &shell("x"), ""), (None, false));
    }
}
