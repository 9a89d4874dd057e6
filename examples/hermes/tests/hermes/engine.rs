//! Callbacks in the real engine: what they refuse does not run, what they change is what runs, and what they are told is
//! what happened.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hookspec::ask::Confirmation;
use hookspec::points::{EndReason, TOOL_CONFIRM, TOOL_POST_EXECUTE, TurnOutcome};
use hookspec::{First, Hook, Message, Role};
use hookspec_agent::engine::TurnEnd;
use hookspec_hermes::Callbacks;
use serde_json::{Map, Value, json};

use crate::common::{Stage, Told, call, listening, names, said, save, say};

fn returning(name: &str, returned: Value) -> Callbacks {
    Callbacks::new().on(name, "c", move |_, _| Ok(returned.clone())).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocked_tool_never_runs_and_its_end_is_told() {
    let stage = Stage::new(&[save("a.txt", "one\n"), say("Then not.")]);
    let told = Told::default();
    let block = returning("pre_tool_call", json!({ "action": "block", "message": "not here" }));
    let mut agent = stage.open(listening(block, &["post_tool_call"], &told).register(stage.builder())).await;
    assert_eq!(agent.prompt(Message::user("go")).await, TurnEnd::Rested(TurnOutcome::Complete));
    assert!(!stage.workspace().join("a.txt").exists());
    let result = said(&agent, Role::System).into_iter().find(|text| text.contains("not here")).unwrap();
    assert!(result.contains("hermes_plugins.pre_tool_call"), "{result}");
    let told = told.lock().unwrap().clone();
    assert_eq!((told.len(), &told[0].1["status"]), (1, &json!("blocked")));
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_callback_changes_is_what_runs_and_all_is_told_once() {
    let stage = Stage::new(&[save("a.txt", "one\n"), say("Done.")]);
    let (told, asked) = (Told::default(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&asked);
    let modify = Callbacks::new().on("pre_tool_call", "c", move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(json!({ "action": "modify", "args": { "content": "two\n" } }))
    });
    let listen = &["post_tool_call", "pre_approval_request", "post_approval_response"];
    let callbacks = listening(modify.unwrap(), listen, &told);
    let mut agent = stage.open(callbacks.register(stage.builder())).await;
    agent.prompt(Message::user("go")).await;
    assert_eq!(std::fs::read_to_string(stage.workspace().join("a.txt")).unwrap(), "two\n");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    assert_eq!(names(&told), ["pre_approval_request", "post_approval_response", "post_tool_call"]);
    let told = told.lock().unwrap().clone();
    assert_eq!(told[1].1["choice"], "once");
    assert_eq!(told[2].1["args"]["content"], "two\n");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_a_block_is_changed_like_any_other() {
    let stage = Stage::new(&[say("```save a.txt\none\n```"), say("Done.")]);
    let modify = returning("pre_tool_call", json!({ "action": "modify", "args": { "content": "two\n" } }));
    let shown: Arc<Mutex<String>> = Arc::default();
    let keep = Arc::clone(&shown);
    let look = Hook::new(TOOL_POST_EXECUTE, "stage.look", move |event, _| {
        keep.lock().unwrap().clone_from(&event.tool_use.content);
    });
    let mut agent = stage.open(modify.register(stage.builder()).register(look)).await;
    agent.prompt(Message::user("go")).await;
    assert_eq!(std::fs::read_to_string(stage.workspace().join("a.txt")).unwrap(), "two\n");
    assert_eq!(*shown.lock().unwrap(), "two\n", "who shows the block shows what ran");
    agent.end(EndReason::Exit).await;
}

/// A tool that asks nobody by itself, after a callback wanted it approved and the user said this.
async fn approved(user: Option<Confirmation>, crashes: bool) -> (Vec<Value>, String) {
    let stage = Stage::new(&[call("read", json!({ "path": "a.txt" })), say("Done.")]);
    std::fs::write(stage.workspace().join("a.txt"), "inside\n").unwrap();
    *stage.user.lock().unwrap() = user;
    let told = Told::default();
    let approve = returning("pre_tool_call", json!({ "action": "approve", "message": "may I?" }));
    let callbacks = listening(approve, &["post_tool_call", "post_approval_response"], &told);
    let mut builder = callbacks.register(stage.builder());
    if crashes {
        let crash = Hook::new(TOOL_CONFIRM, "stage.crash", |_, _| -> Option<First<Confirmation>> {
            panic!("no terminal")
        });
        builder = builder.register(crash.priority(10));
    }
    let mut agent = stage.open(builder).await;
    agent.prompt(Message::user("go")).await;
    let texts = said(&agent, Role::System).join("\n");
    agent.end(EndReason::Exit).await;
    let told = told.lock().unwrap().clone();
    let of = |name: &str, field: &str| {
        told.iter().find(|(hook, _)| hook == name).map_or(Value::Null, |(_, told)| told[field].clone())
    };
    (vec![of("post_tool_call", "status"), of("post_approval_response", "choice")], texts)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_that_is_granted_lets_it_run_and_any_other_end_blocks_it() {
    let (told, texts) = approved(Some(Confirmation::Confirm), false).await;
    assert_eq!(told, [json!("success"), json!("once")]);
    assert!(texts.contains("inside"), "{texts}");
    let refused = Some(Confirmation::Skip { reason: "the user says no".into() });
    for (user, crashes, words) in
        [(refused, false, "the user says no"), (None, false, "may I?"), (None, true, "may I?")]
    {
        let (told, texts) = approved(user, crashes).await;
        assert_eq!(told, [json!("blocked"), json!("deny")]);
        assert!(texts.contains(words) && !texts.contains("inside"), "{texts}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agent_is_sent_back_while_it_edits_and_three_times_at_most() {
    let turn = [save("a.txt", "one\n"), say("I am done.")];
    let script: Vec<String> = turn.iter().cloned().cycle().take(12).collect();
    let stage = Stage::new(&script);
    let told = Told::default();
    let callbacks = listening(Callbacks::new(), &["pre_verify"], &told)
        .on("pre_verify", "blank", |_, _| Ok(json!({ "action": "continue", "message": "  " })))
        .unwrap()
        .on("pre_verify", "tests", |_, _| Ok(json!({ "decision": "block", "reason": " run the tests " })))
        .unwrap()
        .on("pre_verify", "late", |_, _| Ok(json!({ "action": "continue", "message": "too late" })))
        .unwrap();
    let mut agent = stage.open(callbacks.register(stage.builder())).await;
    agent.prompt(Message::user("go")).await;
    assert_eq!(said(&agent, Role::User), ["go", "run the tests", "run the tests", "run the tests"]);
    {
        let told = told.lock().unwrap().clone();
        let attempts: Vec<_> = told.iter().map(|(_, told)| told["attempt"].clone()).collect();
        assert_eq!(attempts, [0, 1, 2]);
        let changed = stage.workspace().join("a.txt");
        assert_eq!(told[2].1["changed_paths"], json!([changed]));
        assert_eq!(
            (&told[0].1["final_response"], &told[0].1["coding"]),
            (&json!("I am done."), &json!(true))
        );
    }
    // The next prompt is another matter: it counts from the beginning.
    agent.prompt(Message::user("again")).await;
    assert_eq!(told.lock().unwrap()[3].1["attempt"], 0);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_edited_nothing_may_rest() {
    let stage = Stage::new(&[say("Hello.")]);
    let callbacks = returning("pre_verify", json!({ "action": "continue", "message": "go on" }));
    let mut agent = stage.open(callbacks.register(stage.builder())).await;
    agent.prompt(Message::user("go")).await;
    assert_eq!(said(&agent, Role::User), ["go"]);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_told_as_it_was_and_stored_as_it_was_changed() {
    let stage = Stage::new(&[call("read", json!({ "path": "a.txt" })), say("Done.")]);
    std::fs::write(stage.workspace().join("a.txt"), "inside\n").unwrap();
    let order: Arc<Mutex<Vec<(&str, Value)>>> = Arc::default();
    let on = |callbacks: Callbacks, hook: &'static str, returned: Option<Value>| {
        let order = Arc::clone(&order);
        let keep = move |told: &Map<String, Value>, _: &hookspec::Session| {
            order.lock().unwrap().push((hook, told["result"].clone()));
            returned.clone().ok_or_else(|| "broken".into())
        };
        callbacks.on(hook, "c", keep).unwrap()
    };
    let transform = "transform_tool_result";
    let callbacks = on(Callbacks::new(), transform, None); // fails
    let callbacks = on(callbacks, transform, Some(json!(7))); // no text
    let callbacks = on(callbacks, transform, Some(json!("short")));
    let callbacks = on(callbacks, transform, Some(json!("too late")));
    let callbacks = on(callbacks, "post_tool_call", Some(json!("an observer's text")));
    let mut agent = stage.open(callbacks.register(stage.builder())).await;
    agent.prompt(Message::user("go")).await;
    let order = order.lock().unwrap().clone();
    let names: Vec<_> = order.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["post_tool_call", transform, transform, transform, transform]);
    assert!(order[0].1.as_str().unwrap().contains("inside"));
    assert!(order.iter().all(|(_, result)| *result == order[0].1), "{order:?}");
    let log = agent.session().log();
    let result = log.iter().find(|message| message.call_id.is_some()).unwrap();
    assert_eq!(result.content, "short");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_stays_where_every_callback_fails_or_says_nothing() {
    for returned in [Value::Null, json!({ "context": "x" })] {
        let stage = Stage::new(&[call("read", json!({ "path": "a.txt" })), say("Done.")]);
        std::fs::write(stage.workspace().join("a.txt"), "inside\n").unwrap();
        let mut agent =
            stage.open(returning("transform_tool_result", returned).register(stage.builder())).await;
        agent.prompt(Message::user("go")).await;
        let log = agent.session().log();
        let result = log.iter().find(|message| message.call_id.is_some()).unwrap();
        assert!(result.content.contains("inside"));
        agent.end(EndReason::Exit).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commands_output_is_changed_and_its_exit_code_stands() {
    let stage = Stage::new(&[call("shell", json!({ "command": "echo password; exit 3" })), say("Done.")]);
    let told = Told::default();
    let callbacks =
        listening(returning("transform_terminal_output", json!("***\n")), &["post_tool_call"], &told);
    let told_too = Arc::clone(&told);
    let callbacks = callbacks.on("transform_terminal_output", "keep", move |kwargs, _| {
        told_too.lock().unwrap().push(("terminal".into(), kwargs.clone()));
        Ok(Value::Null)
    });
    let mut agent = stage.open(callbacks.unwrap().register(stage.builder())).await;
    agent.prompt(Message::user("go")).await;
    let log = agent.session().log();
    let result = log.iter().find(|message| message.call_id.is_some()).unwrap();
    assert_eq!(result.content, "The command ended with exit code 3.\n***\n");
    let told = told.lock().unwrap().clone();
    let (_, terminal) = told.iter().find(|(name, _)| name == "terminal").unwrap();
    assert_eq!(
        (&terminal["output"], &terminal["returncode"], &terminal["command"]),
        (&json!("password\n"), &json!(3), &json!("echo password; exit 3"))
    );
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_changed_once_a_turn_and_what_is_stored_is_what_is_shown() {
    let stage = Stage::new(&[save("a.txt", "x"), say("One."), say("Two.")]);
    let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
    let keep = Arc::clone(&asked);
    let callbacks = Callbacks::new()
        .on("transform_llm_output", "nothing", |_, _| Ok(json!("")))
        .unwrap()
        .on("transform_llm_output", "shout", move |told, _| {
            keep.lock().unwrap().push(told["turn_id"].clone());
            Ok(json!(format!("{}!", told["response_text"].as_str().unwrap())))
        })
        .unwrap();
    let mut agent = stage.open(callbacks.register(stage.builder())).await;
    agent.prompt(Message::user("go")).await;
    agent.prompt(Message::user("on")).await;
    assert_eq!(*asked.lock().unwrap(), ["test:turn:1", "test:turn:2"]);
    let stored = said(&agent, Role::Assistant);
    assert_eq!(stored, ["On it.", "One.!", "Two.!"]);
    assert_eq!(*stage.answers.0.lock().unwrap(), stored);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_is_told_of_and_may_be_changed_whatever_it_is() {
    let registry = hookspec::Registry::builder().plugins(hookspec::plugins![hookspec_agent]).build().unwrap();
    let mut tools: Vec<&str> = registry.tools().names().collect();
    tools.push("nobody_has_this");
    assert!(tools.len() > 4, "{tools:?}");
    let mut script: Vec<String> = tools.iter().map(|tool| call(tool, json!({ "odd": true }))).collect();
    script.push(say("Done."));
    let stage = Stage::new(&script);
    let told = Told::default();
    let callbacks = returning("transform_tool_result", json!("changed"));
    let callbacks = listening(callbacks, &["pre_tool_call", "post_tool_call"], &told);
    let mut agent = stage.open(callbacks.register(stage.builder())).await;
    agent.prompt(Message::user("go")).await;
    let expected: Vec<_> = tools.iter().flat_map(|_| ["pre_tool_call", "post_tool_call"]).collect();
    assert_eq!(names(&told), expected);
    let log = agent.session().log();
    let results: Vec<_> = log.iter().filter(|message| message.call_id.is_some()).collect();
    assert!(results.iter().all(|message| message.content == "changed"), "{results:?}");
    assert_eq!(results.len(), tools.len());
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_was_refused_has_no_output() {
    let stage = Stage::new(&[call("shell", json!({ "command": "ls" })), say("Then not.")]);
    let told = Told::default();
    let block = returning("pre_tool_call", json!({ "action": "block", "message": "not here" }));
    let listen = ["transform_terminal_output", "transform_tool_result"];
    let mut agent = stage.open(listening(block, &listen, &told).register(stage.builder())).await;
    agent.prompt(Message::user("go")).await;
    assert_eq!(names(&told), ["transform_tool_result"]);
    agent.end(EndReason::Exit).await;
}
