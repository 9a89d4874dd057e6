//! Labels of a session: told to clients, kept, taken along by a fork, and there again when it is resumed.

use hookspec::points::TURN_PRE;
use hookspec::registry::RegistryBuilder;
use hookspec::session::Label;
use hookspec::{Hook, Message, Session};
use serde_json::{Value, json};

use crate::stage::{Setting, Stage, builder, say};

/// Sets a label when it is told to, and says what there is.
fn setting() -> RegistryBuilder {
    builder().register(Hook::new(TURN_PRE, "trial.labels", |event, session: &Session| {
        if event.message.content == "set" {
            session.add_label(Label::READ_SECRET, "a file\nwas read");
        }
        let names: Vec<_> = session.labels().iter().map(|labelled| labelled.label.to_string()).collect();
        Message::system(format!("labels: {}", names.join(" ")))
    }))
}

fn labels(whole: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = whole["labels"].as_array().unwrap();
    all.iter().map(|labelled| (text(&labelled["label"]), text(&labelled["why"]))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_is_told_kept_and_taken_along() {
    let stage = Stage::with(&[say("one"), say("two"), say("three")], setting()).await;
    stage.create("a").await;
    assert_eq!(labels(&stage.get("/conversations/a").await), []);
    let mut events = stage.listen("a").await;
    stage.prompt("a", "set").await;
    let told = events.until("rested").await;
    let place = |kind: &str| told.iter().position(|event| event["type"] == kind);
    assert!(place("labelled") < place("generation_started"), "at once");
    let labelled = &told[place("labelled").unwrap()];
    assert_eq!((&labelled["label"], &labelled["why"]), (&json!("read-secret"), &json!("a file was read")));
    let had = [("read-secret".to_owned(), "a file was read".to_owned())];
    assert_eq!(labels(&stage.get("/conversations/a").await), had);
    let entries = stage.get("/conversations/a/timeline").await;
    let in_timeline = entries["entries"].as_array().unwrap().iter();
    assert_eq!(in_timeline.filter(|entry| entry["what"] == "labelled").count(), 1);

    // All that was said is taken back, and the label stays.
    let count = stage.log("a").await.len();
    stage.delete(&format!("/conversations/a/messages/{}?truncate=1", count - 1)).await;
    assert_eq!(labels(&stage.get("/conversations/a").await), had);

    stage.post("/conversations/a/fork", json!({ "id": "b", "after_message": 0 })).await;
    let text = stage.request(reqwest::Method::GET, "/conversations/a/export").send().await.unwrap();
    let text = text.text().await.unwrap();
    let import = stage.request(reqwest::Method::POST, "/conversations/c/import").body(text);
    assert!(import.header("content-type", "text/plain").send().await.unwrap().status().is_success());
    assert_eq!(labels(&stage.get("/conversations/b").await), had);
    assert_eq!(labels(&stage.get("/conversations/c").await)[0].0, "foreign-text");

    let folder = stage.stop().await;
    let stage = Stage::on(folder, Setting::from(setting())).await;
    for (id, wanted) in
        [("a", "labels: read-secret"), ("b", "labels: read-secret"), ("c", "labels: foreign-text")]
    {
        let mut events = stage.listen(id).await;
        stage.prompt(id, "and now?").await;
        events.until("rested").await;
        assert!(stage.texts(id).await.iter().any(|text| text == wanted), "{id}");
    }
}
