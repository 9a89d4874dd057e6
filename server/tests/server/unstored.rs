//! A database that takes nothing more: what it cannot store did not happen.

use hookspec::points::{ERROR, GENERATION_PRE};
use hookspec::{Hook, Role};
use reqwest::Method;
use serde_json::{Value, json};

use crate::stage::{Notes, Stage, builder, note, say, slowly};

/// Notes what users said in each request to the model, and the errors.
async fn stage(script: &[Value]) -> (Stage, Notes) {
    let notes = Notes::default();
    let (asked, errors) = (notes.clone(), notes.clone());
    let builder = builder()
        .register(Hook::new(GENERATION_PRE, "trial.asked", move |event, _| {
            let said = event.request.messages.iter().filter(|message| message.role == Role::User);
            let said: Vec<&str> = said.map(|message| message.content.as_str()).collect();
            note(&asked, format!("asked {}", said.join(", ")));
        }))
        .register(Hook::new(ERROR, "trial.errors", move |event, _| note(&errors, event.error.to_owned())));
    (Stage::with(script, builder).await, notes)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_not_stored_is_refused_and_no_model_ever_reads_it() {
    let (stage, notes) = stage(&[say("one")]).await;
    stage.create("a").await;
    stage.post("/conversations/a", json!({ "role": "system", "content": "first" })).await;
    let mut events = stage.listen("a").await;
    stage.set_full(true);
    for role in ["user", "system", "assistant"] {
        let lost = json!({ "role": role, "content": "lost" });
        let post = stage.request(Method::POST, "/conversations/a").json(&lost);
        let problem = stage.refused(post, 500).await;
        assert!(problem["detail"].as_str().unwrap().contains("could not be stored"), "{problem}");
    }
    stage.set_full(false);
    stage.prompt("a", "go").await;
    let told = events.until("rested").await;
    assert_eq!(stage.texts("a").await, ["first", "go", "one"]);
    let told: Vec<String> = told.iter().map(Value::to_string).collect();
    assert!(!told.iter().any(|event| event.contains("\"lost\"")), "{told:#?}");
    let notes = notes.lock().unwrap().clone();
    assert_eq!(notes.iter().filter(|note| note.starts_with("asked")).collect::<Vec<_>>(), ["asked go"]);
    assert!(notes[0].contains("database or disk is full"), "{notes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_while_nothing_can_be_stored_waits_on_and_is_answered_later() {
    let (stage, notes) = stage(&[slowly("a slow answer that is lost", 40), say("two"), say("three")]).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "go").await;
    events.until("generation_progress").await;
    stage.post("/conversations/a", json!({ "role": "user", "content": "and then?" })).await;
    stage.set_full(true);
    let told = events.until("rested").await;
    assert_eq!(told.last().unwrap()["outcome"], "error", "{told:#?}");
    let notices: Vec<_> = told.iter().filter(|event| event["type"] == "notice").collect();
    assert_eq!(notices.len(), 1, "{notices:#?}");
    assert_eq!(stage.texts("a").await, ["go"]);

    stage.set_full(false);
    stage.post("/conversations/a/step", json!({})).await;
    events.until("rested").await;
    assert_eq!(stage.texts("a").await, ["go", "two", "and then?", "three"]);
    let notes = notes.lock().unwrap().clone();
    let asked: Vec<_> = notes.iter().filter(|note| note.starts_with("asked")).collect();
    assert_eq!(asked, ["asked go", "asked go", "asked go, and then?"]);
    assert_eq!(notes.len(), 4, "one error: {notes:#?}");
}
