//! The recorded inputs through real hooks: the points that fire, the answers that come back, and what a session
//! remembers from one event to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use crate::common::{Setup, inputs};
use hookspec::points as p;
use hookspec::registry::RegistryBuilder;
use hookspec::{Fold, Gate, Hook, Message};
use hookspec_bridge::bridge::Event;
use hookspec_bridge::client::Client;
use hookspec_bridge::lower::lower;
use hookspec_bridge::moment::Kind;
use hookspec_bridge::outcome::{Opinion, Outcome};
use serde_json::{Value, json};

/// A hook at each point of the bridge that notes its name and says nothing.
fn watchers(seen: &Arc<Mutex<Vec<&'static str>>>) -> RegistryBuilder {
    let mut builder = hookspec::Registry::builder().linked(false);
    let mut points: BTreeMap<&str, &'static dyn hookspec::point::AnyPoint> = BTreeMap::new();
    for client in Client::ALL {
        for (_, kind) in Kind::table(client) {
            points.extend(
                kind.points().iter().map(|info| (info.wire, hookspec::point::find_point(info.wire).unwrap())),
            );
        }
    }
    for (wire, point) in points {
        let seen = Arc::clone(seen);
        let name = point.info().name;
        let watch: Arc<hookspec::hooks::JsonCall> = Arc::new(move |_, _| {
            seen.lock().unwrap().push(name);
            Ok(hookspec::hooks::JsonOutcome::default())
        });
        builder =
            builder.register_json(hookspec::hooks::JsonHook::new(point, format!("watch.{wire}"), watch));
    }
    builder
}

/// Which points each of the 61 inputs fires, in order; inputs that are not listed fire none.
const FIRED: [(&str, &str); 38] = [
    ("cc-session-start", "SESSION_START"),
    ("cc-session-resume", "SESSION_START"),
    ("cc-prompt", "MESSAGE_PRE_PROCESS TURN_PRE"),
    ("cc-message-display", "GENERATION_CHUNK MESSAGE_TRANSFORM"),
    ("cc-pre-bash", "TOOL_TRANSFORM TOOL_PRE_EXECUTE"),
    ("cc-pre-write", "TOOL_TRANSFORM TOOL_PRE_EXECUTE FILE_PRE_SAVE"),
    ("cc-pre-edit", "TOOL_TRANSFORM TOOL_PRE_EXECUTE FILE_PRE_PATCH"),
    ("cc-pre-read-subagent", "TOOL_TRANSFORM TOOL_PRE_EXECUTE"),
    ("cc-pre-mcp", "TOOL_TRANSFORM TOOL_PRE_EXECUTE"),
    ("cc-pre-agent", "TOOL_TRANSFORM TOOL_PRE_EXECUTE"),
    ("cc-pre-ask", "TOOL_TRANSFORM TOOL_PRE_EXECUTE"),
    ("cc-pre-plan", "TOOL_TRANSFORM TOOL_PRE_EXECUTE"),
    ("cc-permission", "TOOL_CONFIRM"),
    ("cc-post-bash", "TOOL_POST_EXECUTE TOOL_RESULT_TRANSFORM"),
    ("cc-post-write", "FILE_POST_SAVE TOOL_POST_EXECUTE TOOL_RESULT_TRANSFORM"),
    ("cc-post-failure", "ERROR TOOL_POST_EXECUTE TOOL_RESULT_TRANSFORM"),
    ("cc-batch", "STEP_POST"),
    ("cc-cwd", "CWD_CHANGED"),
    ("cc-postcompact", "CACHE_INVALIDATED"),
    ("cc-postmodel", "CACHE_INVALIDATED"),
    ("cc-elicit", "ELICIT"),
    ("cc-stop-failure", "ERROR"),
    ("cc-stop", "MESSAGE_POST_PROCESS TURN_POST LOOP_CONTINUE"),
    ("cc-stop-again", "MESSAGE_POST_PROCESS TURN_POST LOOP_CONTINUE"),
    ("cc-session-end", "SESSION_END"),
    ("cx-session-start", "SESSION_START"),
    ("cx-session-resume", "SESSION_START"),
    ("cx-prompt", "MESSAGE_PRE_PROCESS TURN_PRE"),
    ("cx-pre-bash", "TOOL_TRANSFORM TOOL_PRE_EXECUTE"),
    ("cx-pre-patch", "TOOL_TRANSFORM TOOL_PRE_EXECUTE FILE_PRE_PATCH"),
    ("cx-pre-mcp-sub", "TOOL_TRANSFORM TOOL_PRE_EXECUTE"),
    ("cx-permission", "TOOL_CONFIRM"),
    ("cx-post-bash", "TOOL_POST_EXECUTE TOOL_RESULT_TRANSFORM"),
    ("cx-post-mcp", "TOOL_POST_EXECUTE TOOL_RESULT_TRANSFORM"),
    ("cx-postcompact", "CACHE_INVALIDATED"),
    ("cx-stop", "MESSAGE_POST_PROCESS TURN_POST LOOP_CONTINUE"),
    ("cx-stop-null", "TURN_POST LOOP_CONTINUE"),
    ("cx-interrupt", "GENERATION_INTERRUPT"),
];

#[test]
fn every_input_fires_its_points_in_order_and_is_answered_in_silence_by_silent_hooks() {
    let seen = Arc::default();
    let setup = Setup::new(watchers(&seen));
    let wanted: BTreeMap<_, _> = FIRED.into_iter().chain([("cx-session-end", "SESSION_END")]).collect();
    let mut known = BTreeSet::new();
    for (client, id, stdin) in inputs() {
        seen.lock().unwrap().clear();
        let (_, answer) = setup.send(client, &stdin);
        let fired = seen.lock().unwrap().join(" ");
        assert_eq!(fired, wanted.get(id.as_str()).copied().unwrap_or_default(), "{id}: {answer:?}");
        assert_eq!((answer.stdout().as_str(), answer.code), ("", 0), "{id}: {answer:?}");
        known.insert(id);
    }
    assert_eq!(known.len(), 61);
    assert!(wanted.keys().all(|id| known.contains(*id)), "an input of the table is not in the data");
    // What the map of events promises is what fires.
    for (client, id, stdin) in inputs() {
        let name = stdin["hook_event_name"].as_str().unwrap();
        let promised: Vec<_> = Kind::of(client, name).points().iter().map(|point| point.name).collect();
        for point in
            wanted.get(id.as_str()).copied().unwrap_or_default().split(' ').filter(|name| !name.is_empty())
        {
            assert!(promised.contains(&point), "{id} fires {point}");
        }
    }
}

/// Hooks that say all they can.
fn loud() -> RegistryBuilder {
    let note = |text: &'static str| Message::system(text);
    hookspec::Registry::builder()
        .linked(false)
        .register(Hook::new(p::SESSION_START, "loud.start", move |_, _| note("context at the start")))
        .register(Hook::new(p::TURN_PRE, "loud.turn", move |_, _| note("context of the turn")))
        .register(Hook::new(p::TOOL_PRE_EXECUTE, "loud.gate", |event, _| {
            (event.tool_use.text("command").as_deref() == Some("cargo test"))
                .then(|| Gate::deny("no tests today"))
        }))
        .register(Hook::new(p::TOOL_TRANSFORM, "loud.rewrite", |event, _| {
            (event.tool_use.tool == "mcp__memory__create").then(|| {
                let mut changed = event.tool_use.clone();
                changed.kwargs.insert("name".into(), json!("other"));
                Fold(changed)
            })
        }))
        .register(Hook::new(p::TOOL_CONFIRM, "loud.confirm", |_, _| {
            hookspec::First(hookspec::ask::Confirmation::Skip { reason: "not without review".into() })
        }))
        .register(Hook::new(p::TOOL_POST_EXECUTE, "loud.post", move |_, _| note("context of the tool")))
        .register(Hook::new(p::TOOL_RESULT_TRANSFORM, "loud.result", |event, _| {
            event.result[0].content.contains("12 passed").then(|| Fold(vec![Message::system("all passed")]))
        }))
        .register(Hook::new(p::CACHE_INVALIDATED, "loud.cache", |_, _| {
            hookspec::Flow::end_session("the context is full")
        }))
        .register(Hook::new(p::LOOP_CONTINUE, "loud.loop", |_, _| {
            hookspec::First(hookspec::ask::Continue::With(Message::user("now test it")))
        }))
}

#[test]
fn every_answer_to_codex_is_valid_by_its_schema() {
    let setup = Setup::new(loud());
    let mut answered = 0;
    for (client, id, stdin) in inputs().into_iter().filter(|(client, ..)| *client == Client::Codex) {
        let name = stdin["hook_event_name"].as_str().unwrap().to_owned();
        let (_, answer) = setup.send(client, &stdin);
        let Some(body) = answer.body else { continue };
        answered += 1;
        let body = Value::Object(body);
        let errors: Vec<_> = crate::common::codex_schema(&name, "output")
            .iter_errors(&body)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{id} {body}: {errors:?}");
        assert!(!body.to_string().contains("null"), "{id} {body}");
    }
    assert!(answered >= 9, "{answered} inputs were answered");
}

/// An answer with the free texts taken out: what Codex's engine decides by.
fn shape(value: &Value) -> Value {
    const TELLING: [&str; 5] = ["hookEventName", "permissionDecision", "decision", "behavior", "continue"];
    match value {
        Value::Object(map) => {
            let telling = |key: &str, value: &Value| match value {
                Value::Object(_) if key != "updatedInput" => shape(value),
                other if TELLING.contains(&key) => other.clone(),
                Value::String(text) if text.trim().is_empty() => json!("blank"),
                _ => json!("given"),
            };
            // A stop counts with and without its reason.
            let decides = map.iter().filter(|(key, _)| *key != "stopReason");
            decides.map(|(key, value)| (key.clone(), telling(key, value))).collect()
        }
        other => other.clone(),
    }
}

/// Whether all that one shape holds stands in the other one too.
fn within(wanted: &Value, held: &Value) -> bool {
    match (wanted, held) {
        (Value::Object(wanted), Value::Object(held)) => {
            wanted.iter().all(|(key, value)| held.get(key).is_some_and(|held| within(value, held)))
        }
        _ => wanted == held,
    }
}

#[test]
fn the_real_engine_has_taken_every_shape_of_answer_that_it_can_get() {
    let corpus: Vec<Value> = include_str!("../data/codex_outcomes.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(corpus.len(), 216);
    let taken = |event: &str, wanted: &Value| {
        corpus.iter().any(|case| {
            let hooks = case["hooks"].as_array().unwrap();
            let runs = case["observed"]["runs"].as_array().unwrap();
            case["event"] == event
                && hooks.iter().zip(runs).any(|(hook, run)| {
                    let stdout = hook["stdout"].as_str().unwrap_or_default();
                    let given = serde_json::from_str::<Value>(stdout).ok();
                    hook["exit"].as_i64().unwrap_or(0) == 0
                        && given.is_some_and(|given| within(wanted, &shape(&given)))
                        && run["status"] != "Failed"
                })
        })
    };
    let outcomes = || {
        let reason = || hookspec_bridge::outcome::Reason::new("why");
        let all = [
            Outcome::deny("why"),
            Outcome { opinion: Some(Opinion::Allow), ..Outcome::default() },
            Outcome { opinion: Some(Opinion::Ask(reason())), ..Outcome::default() },
            Outcome { rewrite: Some(json!({"command": "ls"})), ..Outcome::default() },
            Outcome { replace: Some("text".into()), ..Outcome::default() },
            Outcome { go_on: Some(reason()), ..Outcome::default() },
            Outcome { halt: Some(reason()), ..Outcome::default() },
            Outcome::default(),
        ];
        let told = all.clone().map(|outcome| Outcome { context: vec!["note".into()], ..outcome });
        all.into_iter().chain(told)
    };
    let (mut shapes, mut unseen) = (BTreeSet::new(), BTreeSet::new());
    for (client, _, stdin) in inputs().into_iter().filter(|(client, ..)| *client == Client::Codex) {
        let event = Event::read(client, stdin.as_object().unwrap().clone(), None);
        for outcome in outcomes() {
            let answer = lower(&event.incoming, event.spelling, outcome.clone());
            let Some(body) = answer.body.map(Value::Object) else { continue };
            let (name, shape) = (&event.incoming.name, shape(&body));
            // An end may stand beside a result's context; each of the two is in the corpus, and their sum is not.
            let both = body["continue"] == false && body["hookSpecificOutput"].is_object();
            if both || shapes.contains(&format!("{name} {shape}")) {
                continue;
            }
            if !taken(name, &shape) {
                unseen.insert(format!("{name} {shape}"));
            }
            shapes.insert(format!("{name} {shape}"));
        }
    }
    assert!(shapes.len() >= 12, "{shapes:#?}");
    // The corpus is a part of what was run; these the documents tell, and the schemas allow.
    let told = [
        r#"PermissionRequest {"hookSpecificOutput":{"decision":{"behavior":"allow"},"hookEventName":"PermissionRequest"}}"#,
        r#"PostCompact {"continue":false}"#,
        r#"SessionStart {"continue":false}"#,
    ];
    assert_eq!(unseen.iter().map(String::as_str).collect::<Vec<_>>(), told);
}

#[test]
fn what_hooks_say_comes_out_in_the_clients_words() {
    let setup = Setup::new(loud());
    let body = |id: &str| {
        let (client, _, stdin) = inputs().into_iter().find(|(_, held, _)| held == id).unwrap();
        setup.send(client, &stdin).1.body.map(Value::Object).unwrap_or_default()
    };
    assert_eq!(
        body("cx-pre-bash"),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no tests today"}})
    );
    assert_eq!(body("cx-prompt")["hookSpecificOutput"]["additionalContext"], "context of the turn");
    assert_eq!(
        body("cx-permission")["hookSpecificOutput"]["decision"],
        json!({"behavior": "deny", "message": "not without review"})
    );
    assert_eq!(body("cx-stop"), json!({"decision": "block", "reason": "now test it"}));
    assert_eq!(body("cx-postcompact"), json!({"continue": false, "stopReason": "the context is full"}));
    // Beside another result Codex is told nothing more: it waits for the next event that can carry it.
    assert_eq!(body("cx-post-bash"), json!({"decision": "block", "reason": "all passed"}));
    let next = body("cx-post-mcp");
    assert_eq!(next["hookSpecificOutput"]["additionalContext"], "context of the tool\n\ncontext of the tool");
    let claude = body("cc-post-bash");
    assert_eq!(claude["hookSpecificOutput"]["updatedToolOutput"]["stdout"], "all passed");
    assert_eq!(claude["hookSpecificOutput"]["additionalContext"], "context of the tool");
}

#[test]
fn a_stop_is_kept_going_eight_times_and_not_for_ever() {
    let setup = Setup::new(loud());
    let (client, _, mut stdin) = inputs().into_iter().find(|(_, id, _)| id == "cx-stop").unwrap();
    for round in 0..12 {
        stdin["stop_hook_active"] = json!(round > 0);
        let (_, answer) = setup.send(client, &stdin);
        assert_eq!(answer.body.is_some(), round < 8, "round {round}");
    }
    // A new turn counts anew.
    stdin["stop_hook_active"] = json!(false);
    assert!(setup.send(client, &stdin).1.body.is_some());
}

#[test]
fn a_gate_that_panics_fails_or_overruns_denies_and_an_observer_never_blocks() {
    let sleepy = || std::thread::sleep(std::time::Duration::from_secs(2));
    let builders: [RegistryBuilder; 3] = [
        crate::common::bare()
            .register(Hook::new(p::TOOL_PRE_EXECUTE, "bad.panics", |_, _| -> () { panic!("oops") })),
        crate::common::bare()
            .register(Hook::new(p::TOOL_PRE_EXECUTE, "bad.fails", |_, _| Err::<(), _>("oops"))),
        crate::common::bare().register(Hook::new(p::TOOL_PRE_EXECUTE, "bad.sleeps", move |_, _| sleepy())),
    ];
    for builder in builders {
        let mut setup = Setup::new(builder);
        setup.bridge.deadline = std::time::Duration::from_millis(200);
        for id in ["cx-pre-bash", "cc-pre-bash"] {
            let (client, _, stdin) = inputs().into_iter().find(|(_, held, _)| held == id).unwrap();
            let (_, answer) = setup.send(client, &stdin);
            assert!(answer.refusal.is_some_and(|reason| !reason.trim().is_empty()), "{id}");
        }
    }
    let mut setup = Setup::new(
        crate::common::bare()
            .register(Hook::new(p::TOOL_POST_EXECUTE, "bad.panics", |_, _| -> () { panic!("oops") }))
            .register(Hook::new(p::TURN_POST, "bad.sleeps", move |_, _| sleepy())),
    );
    setup.bridge.deadline = std::time::Duration::from_millis(200);
    for id in ["cx-post-bash", "cx-stop"] {
        let (client, _, stdin) = inputs().into_iter().find(|(_, held, _)| held == id).unwrap();
        let (_, answer) = setup.send(client, &stdin);
        assert_eq!((answer.body, answer.code), (None, 0), "{id}");
    }
}

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Count(u32);

#[test]
fn state_goes_on_from_event_to_event_and_none_is_lost_between_many_at_once() {
    let setup = Setup::new(crate::common::bare().register(Hook::new(
        p::TOOL_PRE_EXECUTE,
        "count.calls",
        |_, session| {
            let mut count = session.try_state::<Count>()?;
            count.0 += 1;
            Ok::<_, hookspec::session::StateError>((count.0 == 200).then(|| Gate::deny("two hundred")))
        },
    )));
    let (client, _, stdin) = inputs().into_iter().find(|(_, id, _)| id == "cx-pre-bash").unwrap();
    let refused: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| (0..25).filter(|_| setup.send(client, &stdin).1.refusal.is_some()).count())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(refused, 1);
    let mut other = stdin.clone();
    other["session_id"] = json!("another");
    assert!(setup.send(client, &other).1.refusal.is_none());
}

#[test]
fn a_call_that_was_edited_goes_through_the_gate_again() {
    use hookspec::First;
    use hookspec::ask::Confirmation;

    let gate = || {
        Hook::new(p::TOOL_PRE_EXECUTE, "t.gate", |event, _| match event.tool_use.text("command").as_deref() {
            Some("rm x") => Gate::deny("not that one"),
            _ => Gate::ask("somebody should look"),
        })
    };
    let edits = |to: &'static str| {
        let answer = First(Confirmation::Edit { content: to.to_owned() });
        Hook::new(p::TOOL_CONFIRM, "t.edits", move |_, _| answer.clone())
    };
    let event = json!({
        "session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "make" }, "tool_use_id": "c1"
    });
    for (to, refusal) in [("rm x", Some("not that one")), ("make -j2", None)] {
        let setup = Setup::new(crate::common::bare().register(gate()).register(edits(to)));
        let (_, answer) = setup.send(Client::Claude, &event);
        let inner = answer.body.as_ref().map(|body| body["hookSpecificOutput"].clone()).unwrap_or_default();
        assert_eq!(answer.refusal.as_deref(), refusal, "{to}: {answer:?}");
        let rewritten = inner["updatedInput"]["command"].as_str();
        assert_eq!(rewritten, refusal.is_none().then_some(to), "{answer:?}");
    }
}
