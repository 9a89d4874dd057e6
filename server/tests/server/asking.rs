//! Confirmations and elicitations: answered, edited, refused, timed out, from any client, once.

use hookspec::ask::{Answer, ElicitKind, Elicitation, FieldKind, FormField};
use hookspec::points::{TOOL_PRE_EXECUTE, TURN_PRE};
use hookspec::{Gate, Hook, Message, Session, hook};
use hookspec_agent::engine::ask_user;
use reqwest::Method;
use serde_json::{Value, json};

use crate::stage::{Events, Setting, Stage, allowing, builder, call, config, say};

fn save(name: &str, content: &str) -> Value {
    call("save", json!({ "path": name, "content": content }))
}

/// A session that waits for a yes to a `save`.
async fn asked(script: &[Value], setting: impl Into<Setting>) -> (Stage, Events, Value) {
    let stage = Stage::with(script, setting).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "save it").await;
    let pending = events.expect("tool_pending").await;
    (stage, events, pending)
}

async fn answer(stage: &Stage, pending: &Value, mut body: Value) -> Value {
    body["tool_id"] = pending["tool_id"].clone();
    stage.post("/conversations/a/tool/confirm", body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmed_call_runs_under_the_id_of_its_question() {
    let (stage, mut events, pending) = asked(&[save("a.txt", "one\n"), say("Done.")], builder()).await;
    assert_eq!(pending["tooluse"]["tool"], "save");
    assert_eq!(pending["tooluse"]["content"], "one\n");
    assert!(pending["preview"].is_string(), "{pending}");
    assert!(!stage.root().join("a.txt").exists());
    answer(&stage, &pending, json!({ "action": "confirm" })).await;
    let told = events.until("rested").await;
    for kind in ["tool_executing", "tool_output", "tool_complete"] {
        let event = told.iter().find(|event| event["type"] == kind).unwrap();
        assert_eq!(event["tool_id"], pending["tool_id"], "{kind}");
    }
    let complete = told.iter().find(|event| event["type"] == "tool_complete").unwrap();
    assert_eq!(complete["success"], true);
    assert_eq!(std::fs::read_to_string(stage.root().join("a.txt")).unwrap(), "one\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skipped_call_does_not_run_and_the_model_reads_why() {
    let (stage, mut events, pending) = asked(&[save("a.txt", "one\n")], builder()).await;
    answer(&stage, &pending, json!({ "action": "skip", "reason": "not there" })).await;
    let told = events.until("rested").await;
    assert_eq!(told.last().unwrap()["outcome"], "declined");
    assert!(!stage.root().join("a.txt").exists());
    assert!(stage.texts("a").await.iter().any(|text| text.contains("not there")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_replaces_the_content_and_the_gate_looks_again() {
    let gate = Hook::new(TOOL_PRE_EXECUTE, "trial.gate", |event, _| {
        let content = event.tool_use.kwargs.get("content").and_then(Value::as_str).unwrap_or_default();
        content.contains("forbidden").then(|| Gate::deny("that word"))
    });
    let script = [save("a.txt", "one\n"), save("b.txt", "one\n"), say("Done.")];
    let (stage, mut events, pending) = asked(&script, builder().register(gate)).await;
    let empty = json!({ "tool_id": pending["tool_id"], "action": "edit", "content": "" });
    let problem = stage.request(Method::POST, "/conversations/a/tool/confirm").json(&empty);
    stage.refused(problem, 422).await;
    answer(&stage, &pending, json!({ "action": "edit", "content": "two\n" })).await;
    let pending = events.expect("tool_pending").await;
    assert_eq!(std::fs::read_to_string(stage.root().join("a.txt")).unwrap(), "two\n");
    answer(&stage, &pending, json!({ "action": "edit", "content": "forbidden\n" })).await;
    events.until("rested").await;
    assert!(!stage.root().join("b.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_confirms_this_one_and_so_many_more() {
    let script = [save("a", "1\n"), save("b", "2\n"), save("c", "3\n"), save("d", "4\n"), say("Done.")];
    let (stage, mut events, pending) = asked(&script, builder()).await;
    let none = json!({ "tool_id": pending["tool_id"], "action": "auto", "count": 0 });
    stage.refused(stage.request(Method::POST, "/conversations/a/tool/confirm").json(&none), 422).await;
    answer(&stage, &pending, json!({ "action": "auto", "count": 2 })).await;
    let fourth = events.expect("tool_pending").await;
    assert_eq!(fourth["tooluse"]["content"], "4\n");
    assert!(stage.root().join("c").exists() && !stage.root().join("d").exists());
    answer(&stage, &fourth, json!({ "action": "skip" })).await;
    events.until("rested").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_may_confirm_beforehand_and_take_that_back() {
    let script = [save("a", "1\n"), save("b", "2\n"), say("Done.")];
    let stage = Stage::new(&script).await;
    stage.put("/conversations/a", json!({ "auto_confirm": 5 })).await;
    let mut events = stage.listen("a").await;
    stage.post("/conversations/a/step", json!({ "message": "go", "auto_confirm": true })).await;
    let pending = events.expect("tool_pending").await;
    assert_eq!(pending["tooluse"]["content"], "2\n", "true is one call");
    answer(&stage, &pending, json!({ "action": "confirm" })).await;
    events.until("rested").await;
    let stage = Stage::new(&script).await;
    stage.put("/conversations/a", json!({ "auto_confirm": 5 })).await;
    let mut events = stage.listen("a").await;
    stage.post("/conversations/a/step", json!({ "message": "go", "auto_confirm": false })).await;
    assert_eq!(events.expect("tool_pending").await["tooluse"]["content"], "1\n");
    stage.post("/conversations/a/interrupt", json!({})).await;
    events.until("rested").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_outlives_its_client_and_is_answered_once_from_another() {
    let (stage, events, pending) = asked(&[save("a.txt", "one\n"), say("Done.")], builder()).await;
    drop(events);
    let mut other = stage.listen("a").await;
    assert_eq!(other.connected["pending_tools"][0]["tool_id"], pending["tool_id"]);
    assert_eq!(other.connected["generating"], true);
    let body = json!({ "tool_id": pending["tool_id"], "action": "confirm" });
    // Many at once: one counts.
    let answers = (0..20).map(|_| {
        let request = stage.request(Method::POST, "/conversations/a/tool/confirm").json(&body);
        async move { request.send().await.unwrap().status().as_u16() }
    });
    let mut statuses = futures_util::future::join_all(answers).await;
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200);
    assert!(statuses[1..].iter().all(|status| *status == 409), "{statuses:?}");
    let told = other.until("rested").await;
    let closed = told.iter().find(|event| event["type"] == "question_closed").unwrap();
    assert_eq!((&closed["id"], &closed["how"]), (&pending["tool_id"], &json!("answered")));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_answering_in_time_is_a_refusal() {
    let impatient = builder().config(config("[hooks.server_confirm]\ntimeout_s = 1\n"));
    let (stage, mut events, pending) = asked(&[save("a.txt", "one\n")], impatient).await;
    let told = events.until("rested").await;
    assert!(
        told.iter().any(|event| event["type"] == "question_closed" && event["how"] == "timed_out"),
        "{told:#?}"
    );
    assert!(!stage.root().join("a.txt").exists());
    assert!(
        stage.texts("a").await.iter().any(|text| text.contains("nobody answered")),
        "{:?}",
        stage.texts("a").await
    );
    let late = json!({ "tool_id": pending["tool_id"], "action": "confirm" });
    stage.refused(stage.request(Method::POST, "/conversations/a/tool/confirm").json(&late), 409).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_clears_what_waits() {
    let (stage, mut events, _) = asked(&[save("a.txt", "one\n"), say("after")], builder()).await;
    stage.post("/conversations/a/interrupt", json!({})).await;
    let told = events.until("rested").await;
    assert!(
        told.iter().any(|event| event["type"] == "question_closed" && event["how"] == "interrupted"),
        "{told:#?}"
    );
    assert!(!stage.root().join("a.txt").exists());
    assert!(stage.listen("a").await.connected["pending_tools"].as_array().unwrap().is_empty());
    // The session is not stuck.
    stage.prompt("a", "go on").await;
    events.until("rested").await;
    assert_eq!(stage.texts("a").await.last().unwrap(), "after");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_only_in_its_own_conversation_and_by_its_kind() {
    let (stage, mut events, pending) = asked(&[save("a.txt", "one\n"), say("Done.")], builder()).await;
    stage.create("b").await;
    let body = json!({ "tool_id": pending["tool_id"], "action": "confirm" });
    stage.refused(stage.request(Method::POST, "/conversations/b/tool/confirm").json(&body), 404).await;
    let unknown = json!({ "tool_id": "none", "action": "confirm" });
    stage.refused(stage.request(Method::POST, "/conversations/a/tool/confirm").json(&unknown), 404).await;
    let kind = json!({ "elicit_id": pending["tool_id"], "action": "accept", "value": "x" });
    stage.refused(stage.request(Method::POST, "/conversations/a/elicit/respond").json(&kind), 422).await;
    let action = json!({ "tool_id": pending["tool_id"], "action": "explode" });
    stage.refused(stage.request(Method::POST, "/conversations/a/tool/confirm").json(&action), 422).await;
    answer(&stage, &pending, json!({ "action": "confirm" })).await;
    events.until("rested").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_that_asks_says_why() {
    let gate = Hook::new(TOOL_PRE_EXECUTE, "trial.gate", |_, _| Gate::ask("it looks odd"));
    let script = [call("read", json!({ "path": "a.txt" })), say("Done.")];
    let (stage, mut events, pending) = asked(&script, builder().register(gate)).await;
    assert_eq!(pending["why"], "it looks odd");
    answer(&stage, &pending, json!({ "action": "skip" })).await;
    events.until("rested").await;
}

/// Asks what the user's message says, as JSON, and tells the answer.
#[hook(TURN_PRE, name = "asks_back.ask", enabled = false)]
async fn ask_back(message: &Message, session: &Session) -> Option<Message> {
    let request: Elicitation = serde_json::from_str(&message.content).ok()?;
    Some(Message::system(match ask_user(session, &request).await {
        Answer::Secret(secret) => format!("a secret of {} bytes", secret.reveal().len()),
        other => format!("{other:?}"),
    }))
}

async fn elicited(request: Elicitation) -> (Stage, Events, Value) {
    let stage = Stage::with(&[say("ok"), say("ok")], allowing(["trial", "asks_back", "tool.*"])).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", &serde_json::to_string(&request).unwrap()).await;
    let pending = events.expect("elicit_pending").await;
    (stage, events, pending)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_choice_is_one_of_its_options() {
    let request = Elicitation {
        kind: ElicitKind::Choice,
        prompt: "Which?".into(),
        options: vec!["red".into(), "blue".into()],
        ..Elicitation::default()
    };
    let (stage, mut events, pending) = elicited(request).await;
    assert_eq!((&pending["elicit_type"], &pending["options"]), (&json!("choice"), &json!(["red", "blue"])));
    let reply = |value: Value| {
        let body = json!({ "elicit_id": pending["elicit_id"], "action": "accept", "value": value });
        stage.request(Method::POST, "/conversations/a/elicit/respond").json(&body)
    };
    stage.refused(reply(json!("green")), 422).await;
    assert_eq!(stage.listen("a").await.connected["elicitations"][0], {
        let mut shown = pending.clone();
        shown.as_object_mut().unwrap().remove("type");
        shown
    });
    assert_eq!(reply(json!("blue")).send().await.unwrap().status(), 200);
    stage.refused(reply(json!("red")), 409).await;
    events.until("rested").await;
    assert!(stage.texts("a").await.contains(&r#"Text("blue")"#.to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn declined_and_cancelled_are_told_apart() {
    for (action, noted) in [("decline", "Declined"), ("cancel", "Cancelled")] {
        let request = Elicitation { prompt: "Who?".into(), ..Elicitation::default() };
        let (stage, mut events, pending) = elicited(request).await;
        let body = json!({ "elicit_id": pending["elicit_id"], "action": action });
        stage.post("/conversations/a/elicit/respond", body).await;
        events.until("rested").await;
        assert!(stage.texts("a").await.contains(&noted.to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_reaches_who_asked_and_nobody_else() {
    const SECRET: &str = "hunter2-hunter2";
    let field = |name: &str, kind| FormField {
        name: name.into(),
        prompt: name.into(),
        kind,
        options: Vec::new(),
        required: true,
        default: None,
    };
    for (request, value, told) in [
        (
            Elicitation { kind: ElicitKind::Secret, prompt: "Key?".into(), ..Elicitation::default() },
            json!(SECRET),
            "a secret of 15 bytes",
        ),
        (
            Elicitation {
                kind: ElicitKind::Form,
                prompt: "Login".into(),
                fields: vec![field("user", FieldKind::Text), field("password", FieldKind::Secret)],
                ..Elicitation::default()
            },
            json!({ "user": "ann", "password": SECRET }),
            "ann",
        ),
    ] {
        let (stage, mut events, pending) = elicited(request).await;
        let body = json!({ "elicit_id": pending["elicit_id"], "action": "accept", "value": value });
        stage.post("/conversations/a/elicit/respond", body).await;
        events.until("rested").await;
        assert!(
            stage.texts("a").await.iter().any(|text| text.contains(told)),
            "{:?}",
            stage.texts("a").await
        );
        assert!(!events.raw.contains(SECRET), "{}", events.raw);
        assert!(!stage.get("/conversations/a").await.to_string().contains(SECRET));
        assert!(!stage.get("/conversations/a/timeline").await.to_string().contains(SECRET));
        let folder = stage.stop().await;
        for file in std::fs::read_dir(folder.path()).unwrap().flatten().filter(|file| file.path().is_file()) {
            let bytes = std::fs::read(file.path()).unwrap();
            assert!(!bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "{file:?}");
        }
    }
}
