//! Sessions open, rest, end and come back; the points fire as they do in the terminal.

use std::time::Duration;

use hookspec::ask::Continue;
use hookspec::points::{
    LOOP_CONTINUE, MESSAGE_PRE_PROCESS, SESSION_END, SESSION_START, STEP_PRE, TURN_POST, TURN_PRE,
    TurnOutcome,
};
use hookspec::registry::RegistryBuilder;
use hookspec::{First, Flow, Gate, Hook, Message, hook};
use hookspec_server::Bounds;
use reqwest::Method;
use serde_json::json;

use crate::stage::{Notes, Setting, Stage, builder, eventually, note, say, slowly};

/// Hooks that note how sessions begin and end.
fn noting(notes: &Notes) -> RegistryBuilder {
    let (begins, ends) = (notes.clone(), notes.clone());
    builder()
        .register(Hook::new(SESSION_START, "trial.begins", move |event, session| {
            note(&begins, format!("{} begins: {:?}, resumed {}", session.id(), event.reason, event.resumed));
        }))
        .register(Hook::new(SESSION_END, "trial.ends", move |event, session| {
            note(&ends, format!("{} ends: {:?}", session.id(), event.reason));
        }))
}

fn taken(notes: &Notes) -> Vec<String> {
    std::mem::take(&mut *notes.lock().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_ended_is_resumed_and_a_fork_is_told_apart() {
    let notes = Notes::default();
    let stage = Stage::with(&[say("one"), say("two")], noting(&notes)).await;
    let session = stage.create("a").await;
    let mut events = stage.listen("a").await;
    assert!(taken(&notes).is_empty(), "creating and watching open nothing");
    stage.prompt("a", "hi").await;
    events.until("rested").await;
    assert_eq!(taken(&notes), ["a begins: New, resumed false"]);
    let sessions = stage.get("/sessions").await;
    assert_eq!((&sessions[0]["session_id"], &sessions[0]["open"]), (&json!(session), &json!(true)));
    stage.delete(&format!("/sessions/{session}")).await;
    assert_eq!(taken(&notes), ["a ends: Exit"]);
    assert_eq!(stage.get("/sessions").await[0]["open"], false);
    // The same stream tells what comes next.
    stage.prompt("a", "again").await;
    events.until("rested").await;
    assert_eq!(taken(&notes), ["a begins: Resume, resumed true"]);
    stage.post("/conversations/a/fork", json!({ "id": "b" })).await;
    stage.post("/conversations/b", json!({ "role": "user", "content": "x" })).await;
    assert_eq!(taken(&notes), ["b begins: Fork, resumed false"]);
    stage.delete("/conversations/a").await;
    assert_eq!(taken(&notes), ["a ends: Deleted"]);
    stage.stop().await;
    assert_eq!(taken(&notes), ["b ends: Shutdown"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_session_ends_and_is_forgotten_unless_watched() {
    let notes = Notes::default();
    let bounds = Bounds { idle: Duration::from_millis(150), ..Bounds::default() };
    let stage = Stage::with(&[say("one"), say("two")], Setting { bounds, ..noting(&notes).into() }).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "hi").await;
    events.until("rested").await;
    eventually("the session ends", async || notes.lock().unwrap().contains(&"a ends: Idle".to_owned())).await;
    assert_eq!(stage.get("/sessions").await.as_array().unwrap().len(), 1, "somebody watches");
    stage.prompt("a", "still there?").await;
    events.until("rested").await;
    drop(events);
    eventually("it is forgotten", async || stage.get("/sessions").await == json!([])).await;
    assert_eq!(stage.texts("a").await, ["hi", "one", "still there?", "two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_keeps_a_session_going_by_itself() {
    let hook = Hook::new(LOOP_CONTINUE, "trial.goes_on", |event, _| {
        (event.continued < 2 && event.outcome == TurnOutcome::Complete)
            .then(|| First(Continue::With(Message::user(format!("more {}", event.continued)))))
    });
    let stage = Stage::with(&[say("a"), say("b"), say("c")], builder().register(hook)).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "go").await;
    let told = events.until("rested").await;
    assert_eq!(stage.texts("a").await, ["go", "a", "more 0", "b", "more 1", "c"]);
    let added = told.iter().filter(|event| event["type"] == "message_added").count();
    assert_eq!(added, 3, "clients are told of what hooks say for the user");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hooks_see_what_waits_and_nothing_that_they_say_is_lost() {
    let notes = Notes::default();
    let seen = notes.clone();
    let hooks = builder()
        .register(Hook::new(LOOP_CONTINUE, "trial.sees", move |event, _| {
            note(&seen, format!("{} wait", event.queue.len()));
            None::<First<Continue>>
        }))
        .register(Hook::new(TURN_POST, "trial.says", |_, _| Message::system("a turn is over")))
        .register(Hook::new(TURN_PRE, "trial.hides", |_, _| Message::system("for the model").hidden()));
    let stage = Stage::with(&[slowly("a slow one, to be sure", 50), say("quick")], hooks).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "one").await;
    events.expect("generation_progress").await;
    stage.post("/conversations/a", json!({ "role": "user", "content": "two" })).await;
    let told = events.until("rested").await;
    assert_eq!(taken(&notes), ["1 wait", "0 wait"]);
    let log = stage.log("a").await;
    let by_hooks = |name: &str| log.iter().filter(|message| message["hook"] == name).count();
    assert_eq!((by_hooks("trial.says"), by_hooks("trial.hides")), (2, 2), "{log:#?}");
    assert!(!json!(told).to_string().contains("for the model"), "what is hidden is not shown");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_may_end_the_session() {
    let notes = Notes::default();
    let hook = Hook::new(STEP_PRE, "trial.enough", |_, session| {
        (session.log().len() > 3).then(|| Flow::EndSession("enough".into()))
    });
    let stage = Stage::with(&[say("one"), say("two")], noting(&notes).register(hook)).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "1").await;
    events.until("rested").await;
    stage.prompt("a", "2").await;
    assert_eq!(events.expect("rested").await["outcome"], "session_ended");
    eventually("the session ends", async || notes.lock().unwrap().contains(&"a ends: Complete".to_owned()))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_ends_what_runs_and_loses_nothing() {
    let notes = Notes::default();
    let long = "word ".repeat(2000);
    let stage = Stage::with(&[slowly(&long, 20), say("after")], noting(&notes)).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "one").await;
    events.expect("generation_progress").await;
    stage.post("/conversations/a", json!({ "role": "user", "content": "two" })).await;
    let folder = stage.stop().await;
    assert_eq!(taken(&notes), ["a begins: New, resumed false", "a ends: Shutdown"]);
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        told.push(event);
    }
    assert!(
        told.iter().any(|event| event["type"] == "interrupted" && event["reason"] == "shutdown"),
        "{told:#?}"
    );
    let stage = Stage::on(folder, noting(&notes).into()).await;
    let texts = stage.texts("a").await;
    assert_eq!(texts[0], "one");
    assert_eq!(texts.last().unwrap(), "two");
    let mut events = stage.listen("a").await;
    stage.post("/conversations/a/step", json!({})).await;
    events.until("rested").await;
    assert_eq!(stage.texts("a").await.last().unwrap(), "after");
    assert_eq!(taken(&notes), ["a begins: Resume, resumed true"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_is_off_in_a_conversation_stays_off_there_and_runs_elsewhere() {
    let hook = || Hook::new(TURN_PRE, "trial.says", |_, _| Message::system("hello from a hook"));
    let stage = Stage::with(&[say("x"), say("y")], builder().register(hook())).await;
    for id in ["a", "b"] {
        stage.create(id).await;
    }
    stage.put("/conversations/a/hooks/trial.says", json!({ "enabled": false })).await;
    let unknown =
        stage.request(Method::PUT, "/conversations/a/hooks/trial.none").json(&json!({ "enabled": false }));
    stage.refused(unknown, 404).await;
    assert_eq!(stage.get("/conversations/a/hooks").await["off"], json!(["trial.says"]));
    let folder = stage.stop().await;
    let stage = Stage::on(folder, builder().register(hook()).into()).await;
    for id in ["a", "b"] {
        let mut events = stage.listen(id).await;
        stage.prompt(id, "hi").await;
        events.until("rested").await;
    }
    assert!(!stage.texts("a").await.contains(&"hello from a hook".to_owned()));
    assert!(stage.texts("b").await.contains(&"hello from a hook".to_owned()));
    stage.put("/conversations/a/hooks/trial.says", json!({ "enabled": true })).await;
    assert_eq!(stage.get("/conversations/a/hooks").await["off"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_panics_costs_itself_only() {
    let hook = Hook::new(TURN_PRE, "trial.panics", |_, _| {
        if true {
            panic!("on purpose");
        }
    });
    let stage = Stage::with(&[say("one"), say("two")], builder().register(hook)).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    for text in ["a", "b"] {
        stage.prompt("a", text).await;
        events.until("rested").await;
    }
    assert_eq!(stage.texts("a").await, ["a", "one", "b", "two"]);
    let timeline = stage.get("/conversations/a/timeline").await.to_string();
    assert!(timeline.contains("trial.panics") && timeline.contains("on purpose"), "{timeline}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_one_server_do_not_see_each_other() {
    let seen = Hook::new(TURN_PRE, "trial.cwd", |_, session| {
        Message::system(format!("in {}", session.cwd().display()))
    });
    let stage = Stage::with(&[say("x")], builder().register(seen)).await;
    let ids: Vec<String> = (0..20).map(|number| format!("s{number}")).collect();
    for id in &ids {
        std::fs::create_dir(stage.root().join(id)).unwrap();
        stage
            .put(&format!("/conversations/{id}"), json!({ "config": { "chat": { "workspace": id } } }))
            .await;
    }
    let turns = ids.iter().map(|id| async {
        let mut events = stage.listen(id).await;
        stage.prompt(id, id).await;
        events.until("rested").await;
    });
    futures_util::future::join_all(turns).await;
    for id in &ids {
        let place = format!("in {}", stage.root().join(id).display());
        assert_eq!(stage.texts(id).await, [id, &place, "x"]);
    }
}

/// Asks before each message is taken.
#[hook(MESSAGE_PRE_PROCESS, name = "careful.asks", enabled = false)]
fn careful() -> Gate {
    Gate::ask("it may be dangerous")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_does_not_wait_for_an_answer_to_a_question() {
    let stage = Stage::with(&[say("x")], crate::stage::allowing(["trial", "careful", "tool.*"])).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    let message = json!({ "role": "user", "content": "hi" });
    let posting = tokio::spawn(stage.request(Method::POST, "/conversations/a").json(&message).send());
    events.expect("elicit_pending").await;
    // Nobody answers; many more wait behind it.
    let waiting: Vec<_> = (0..100)
        .map(|_| tokio::spawn(stage.request(Method::POST, "/conversations/a").json(&message).send()))
        .collect();
    eventually("the queue is full", async || {
        let answer = stage.request(Method::POST, "/conversations/a").json(&message).send();
        tokio::time::timeout(std::time::Duration::from_millis(300), answer)
            .await
            .is_ok_and(|answer| answer.unwrap().status() == 429)
    })
    .await;
    let began = std::time::Instant::now();
    let folder = stage.stop().await;
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    posting.abort();
    waiting.iter().for_each(tokio::task::JoinHandle::abort);
    let stage = Stage::on(folder, builder().into()).await;
    assert!(stage.texts("a").await.is_empty(), "what nobody agreed to is not kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_hook_keeps_a_session_going_that_is_to_end() {
    let hook = Hook::new(LOOP_CONTINUE, "trial.goes_on", |_, _| First(Continue::With(Message::user("more"))));
    let long = "word ".repeat(2000);
    let stage = Stage::with(&[slowly(&long, 20), slowly(&long, 20)], builder().register(hook)).await;
    let session = stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "go").await;
    events.expect("generation_progress").await;
    stage.delete(&format!("/sessions/{session}")).await;
    assert!(!stage.texts("a").await.contains(&"more".to_owned()));
    assert_eq!(stage.get("/sessions").await[0]["open"], false);
}
