//! Create, read, post, step, edit, fork, move in and out.

use hookspec::points::MESSAGE_PRE_PROCESS;
use hookspec::{Gate, Hook};
use reqwest::Method;
use serde_json::{Value, json};

use crate::stage::{Stage, builder, call, say, slowly, streamed, types};

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_told_as_it_happens_and_kept() {
    let stage = Stage::new(&[say("Hello there, how are you today?")]).await;
    let session = stage.create("a").await;
    let mut events = stage.listen("a").await;
    assert_eq!(events.connected["session_id"], session);
    assert_eq!(events.connected["missed"], false);
    stage.prompt("a", "hi").await;
    let told = events.until("rested").await;
    assert_eq!(
        types(&told),
        ["message_added", "generation_started", "generation_progress", "generation_complete", "rested"]
    );
    assert_eq!(streamed(&told), "Hello there, how are you today?");
    assert_eq!(told.last().unwrap()["outcome"], "complete");
    assert_eq!(stage.texts("a").await, ["hi", "Hello there, how are you today?"]);
    let whole = stage.get("/conversations/a").await;
    assert_eq!(whole["generating"], false);
    assert_eq!(whole["log"][0]["hide"], true, "the system prompt is there and hidden");
}

#[tokio::test(flavor = "multi_thread")]
async fn creating_listing_and_deleting() {
    let stage = Stage::new(&[say("x")]).await;
    for id in ["one", "two", "three"] {
        stage.create(id).await;
    }
    let again = stage.request(Method::PUT, "/conversations/one").json(&json!({}));
    stage.refused(again, 409).await;
    let bad = stage.request(Method::PUT, "/conversations/.one").json(&json!({}));
    stage.refused(bad, 422).await;
    let ids = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    let page = stage.request(Method::GET, "/conversations?limit=2").send().await.unwrap();
    let cursor = page.headers()["x-next-cursor"].to_str().unwrap().to_owned();
    assert_eq!(ids(&page.json().await.unwrap()), ["three", "two"]);
    let rest =
        stage.request(Method::GET, "/conversations").query(&[("cursor", cursor)]).send().await.unwrap();
    assert_eq!(ids(&rest.json().await.unwrap()), ["one"]);
    assert_eq!(ids(&stage.get("/conversations?q=thr").await), ["three"]);
    stage.delete("/conversations/two").await;
    stage.refused(stage.request(Method::GET, "/conversations/two"), 404).await;
    stage.refused(stage.request(Method::DELETE, "/conversations/two"), 404).await;
    stage.refused(stage.request(Method::GET, "/conversations/two/events"), 404).await;
    let step = stage.request(Method::POST, "/conversations/two/step").json(&json!({}));
    stage.refused(step, 404).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_may_begin_with_messages_and_a_step_with_one() {
    let stage = Stage::new(&[say("first"), say("second")]).await;
    let body = json!({ "messages": [
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": "hi", "timestamp": "2026-01-01T00:00:00" },
    ], "config": { "chat": { "name": "A talk" } } });
    stage.put("/conversations/a", body).await;
    let mut events = stage.listen("a").await;
    stage.post("/conversations/a/step", json!({})).await;
    events.until("rested").await;
    stage.post("/conversations/a/step", json!({ "message": "and now?" })).await;
    events.until("rested").await;
    assert_eq!(stage.texts("a").await, ["Be brief.", "hi", "first", "and now?", "second"]);
    assert_eq!(stage.get("/conversations/a").await["name"], "A talk");
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_turn_runs_a_step_is_a_conflict_and_a_message_waits_and_is_answered() {
    let stage = Stage::new(&[slowly("a slow answer to the first one", 50), say("the second")]).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "one").await;
    events.expect("generation_progress").await;
    let step = |body: Value| stage.request(Method::POST, "/conversations/a/step").json(&body);
    stage.refused(step(json!({})), 409).await;
    stage.refused(step(json!({ "message": "x" })), 409).await;
    let edit = stage.request(Method::DELETE, "/conversations/a/messages/0");
    stage.refused(edit, 409).await;
    let system = json!({ "role": "system", "content": "not now" });
    stage.refused(stage.request(Method::POST, "/conversations/a").json(&system), 409).await;
    let posted = stage.post("/conversations/a", json!({ "role": "user", "content": "two" })).await;
    assert_eq!(posted["queued"], true);
    events.until("rested").await;
    assert_eq!(stage.texts("a").await, ["one", "a slow answer to the first one", "two", "the second"]);
    let log = stage.log("a").await;
    assert!(
        log.iter().any(|message| message["id"] == posted["message_id"]),
        "it keeps the id it was acknowledged by"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_waits_a_little_for_the_hooks_after_the_answer() {
    let bounds = hookspec_server::Bounds { settle: std::time::Duration::from_secs(20), ..Default::default() };
    let stage = Stage::with(&[slowly("a slow answer", 30), say("the second")], bounds).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "one").await;
    stage.post("/conversations/a/step", json!({ "message": "two" })).await;
    events.until("rested").await;
    events.until("rested").await;
    assert_eq!(stage.texts("a").await, ["one", "a slow answer", "two", "the second"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_cuts_the_answer_and_what_waits_is_kept_and_not_answered() {
    let long = "word ".repeat(400);
    let stage = Stage::new(&[slowly(&long, 20), say("an answer")]).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "one").await;
    events.expect("generation_progress").await;
    stage.post("/conversations/a", json!({ "role": "user", "content": "two" })).await;
    stage.post("/conversations/a/interrupt", json!({})).await;
    let told = events.until("rested").await;
    assert!(
        told.iter().any(|event| event["type"] == "interrupted" && event["reason"] == "user"),
        "{told:#?}"
    );
    let texts = stage.texts("a").await;
    assert_eq!(texts.last().unwrap(), "two");
    assert!(texts[1].starts_with("word") && texts[1].len() < long.len(), "{texts:?}");
    stage.post("/conversations/a/step", json!({})).await;
    events.until("rested").await;
    assert_eq!(stage.texts("a").await.last().unwrap(), "an answer");
    let idle = stage.post("/conversations/a/interrupt", json!({})).await;
    assert_eq!(idle["message"], "Nothing was running");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_a_hook_refuses_is_not_kept() {
    let hook = Hook::new(MESSAGE_PRE_PROCESS, "trial.no", |event, _| {
        event.message.content.contains("secret").then(|| Gate::deny("no secrets"))
    });
    let stage = Stage::with(&[say("x")], builder().register(hook)).await;
    stage.create("a").await;
    let message = json!({ "role": "user", "content": "a secret" });
    let problem = stage.refused(stage.request(Method::POST, "/conversations/a").json(&message), 422).await;
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("no secrets") && detail.contains("trial.no"), "{detail}");
    assert!(stage.texts("a").await.is_empty());
    // A conversation that is to begin with it is not made.
    let body = json!({ "messages": [{ "role": "user", "content": "fine" }, message] });
    stage.refused(stage.request(Method::PUT, "/conversations/b").json(&body), 422).await;
    stage.refused(stage.request(Method::GET, "/conversations/b"), 404).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_changed_and_taken_away_and_the_old_ones_stay_as_branches() {
    let stage = Stage::new(&[say("one"), say("two"), say("three")]).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    for text in ["a", "b"] {
        stage.prompt("a", text).await;
        events.until("rested").await;
    }
    assert_eq!(stage.texts("a").await, ["a", "one", "b", "two"]);
    // Index 0 is the system prompt.
    let edited = stage.patch("/conversations/a/messages/1", json!({ "content": "A" })).await;
    assert_eq!(edited["log"][1]["content"], "A");
    let told = events.expect("conversation_edited").await;
    assert_eq!((told["index"].as_u64(), told["truncated"].as_bool()), (Some(1), Some(false)));
    stage.delete("/conversations/a/messages/3?truncate=1").await;
    assert_eq!(stage.texts("a").await, ["A", "one"]);
    let branches = stage.get("/conversations/a").await["branches"].clone();
    assert_eq!(branches.as_object().unwrap().len(), 2);
    let gone = stage.request(Method::DELETE, "/conversations/a/messages/99");
    stage.refused(gone, 404).await;
    stage.prompt("a", "c").await;
    events.until("rested").await;
    assert_eq!(stage.texts("a").await, ["A", "one", "c", "three"]);
    // An older version can be gone on with, as a fork.
    let name = branches.as_object().unwrap().keys().next().unwrap();
    let fork = stage.post("/conversations/a/fork", json!({ "branch": name, "id": "old" })).await;
    assert_eq!(fork["conversation_id"], "old");
    assert_eq!(stage.texts("old").await, ["a", "one", "b", "two"]);
    assert_eq!(stage.get("/conversations/old").await["parent"], "a");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_ends_where_it_is_told_and_goes_its_own_way() {
    let stage = Stage::new(&[say("one"), say("two")]).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "first").await;
    events.until("rested").await;
    let fork = stage.post("/conversations/a/fork", json!({ "after_message": 2 })).await;
    let id = fork["conversation_id"].as_str().unwrap();
    let mut of_fork = stage.listen(id).await;
    stage.prompt(id, "second").await;
    of_fork.until("rested").await;
    assert_eq!(stage.texts(id).await, ["first", "one", "second", "two"]);
    assert_eq!(stage.texts("a").await, ["first", "one"]);
    let beyond = stage.request(Method::POST, "/conversations/a/fork").json(&json!({ "after_message": 9 }));
    stage.refused(beyond, 404).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_what_an_import_takes() {
    let stage = Stage::new(&[say("one"), say("two")]).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "<b>\"hi\"\n</b>").await;
    events.until("rested").await;
    let text =
        stage.request(Method::GET, "/conversations/a/export").send().await.unwrap().text().await.unwrap();
    assert_eq!(text.lines().count(), 3);
    let import = stage.request(Method::POST, "/conversations/b/import").body(text.clone());
    assert_eq!(import.send().await.unwrap().status(), 200);
    let again =
        stage.request(Method::GET, "/conversations/b/export").send().await.unwrap().text().await.unwrap();
    assert_eq!(again, text);
    let mut events = stage.listen("b").await;
    stage.prompt("b", "more").await;
    events.until("rested").await;
    assert_eq!(stage.texts("b").await.last().unwrap(), "two");
    let nonsense = stage.request(Method::POST, "/conversations/c/import").body("{}\n");
    stage.refused(nonsense, 422).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_run_again_when_asked() {
    let script = [call("read", json!({ "path": "a.txt" })), say("I see."), say("Again.")];
    let stage = Stage::new(&script).await;
    std::fs::write(stage.root().join("a.txt"), "before").unwrap();
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "look").await;
    let told = events.until("rested").await;
    let kinds = types(&told);
    let of_tools: Vec<_> = kinds.iter().filter(|kind| kind.starts_with("tool_")).collect();
    assert_eq!(of_tools, [&"tool_executing", &"tool_output", &"tool_complete"]);
    std::fs::write(stage.root().join("a.txt"), "after").unwrap();
    // The calls of the last answer: what came after them is taken away first.
    stage.delete("/conversations/a/messages/4?truncate=1").await;
    stage.post("/conversations/a/rerun", json!({})).await;
    let told = events.until("rested").await;
    let output = told.iter().find(|event| event["type"] == "tool_output").unwrap();
    assert!(output["output"]["content"].as_str().unwrap().contains("after"), "{output}");
    let log = stage.log("a").await;
    let results = log.iter().filter(|message| message["call_id"].is_string()).count();
    assert_eq!(results, 1, "a call has one result: {log:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn models_are_those_of_the_server() {
    let stage = Stage::new(&[say("x")]).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    for model in ["replay:/etc/passwd", "nonsense", "replay:../x"] {
        let config = json!({ "chat": { "model": model } });
        stage.refused(stage.request(Method::PATCH, "/conversations/a/config").json(&config), 422).await;
        let new = json!({ "config": config });
        stage.refused(stage.request(Method::PUT, "/conversations/b").json(&new), 422).await;
        let step = json!({ "model": model });
        stage.refused(stage.request(Method::POST, "/conversations/a/step").json(&step), 422).await;
    }
    stage.patch("/conversations/a/config", json!({ "chat": { "model": "ollama/tiny" } })).await;
    let told = events.expect("config_changed").await;
    assert_eq!(told["config"]["chat"]["model"], "ollama/tiny");
    assert_eq!(stage.get("/conversations/a").await["model"], "ollama/tiny");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_is_and_has() {
    let stage = Stage::new(&[say("x")]).await;
    assert_eq!(stage.get("/version").await["name"], "hookspec");
    assert_eq!(stage.get("/config").await["owner"], "ann");
    assert!(stage.get("/models").await["default"].as_str().unwrap().starts_with("replay:"));
    let tools = stage.get("/tools").await;
    assert!(tools.as_array().unwrap().iter().any(|tool| tool["name"] == "save"), "{tools}");
    let points = stage.get("/points").await;
    assert!(points.as_array().unwrap().iter().any(|point| point["wire"] == "loop.continue"));
    let hooks = stage.get("/hooks").await;
    let confirm = hooks.as_array().unwrap().iter().find(|hook| hook["name"] == "server_confirm.ask").unwrap();
    assert_eq!(confirm["on"], true);
    let document = stage.get("/openapi.json").await;
    assert_eq!(
        document,
        stage
            .raw(Method::GET, "/api/docs/openapi.json")
            .bearer_auth(crate::stage::TOKEN)
            .send()
            .await
            .unwrap()
            .json::<Value>()
            .await
            .unwrap()
    );
    let paths = document["paths"].as_object().unwrap();
    for path in [
        "/conversations",
        "/conversations/{id}",
        "/conversations/{id}/events",
        "/conversations/{id}/step",
        "/conversations/{id}/tool/confirm",
        "/conversations/{id}/elicit/respond",
        "/conversations/{id}/interrupt",
        "/conversations/{id}/rerun",
        "/conversations/{id}/fork",
        "/conversations/{id}/messages/{index}",
        "/sessions",
        "/sessions/{id}",
    ] {
        assert!(paths.contains_key(&format!("/api/v2{path}")), "{path} is not in {:?}", paths.keys());
    }
}
