//! Hooks around tools and models, seen by a client: `retry`, `fallback_model`, `tool_cache`.

use hookspec::hooks::BoxFuture;
use hookspec::model::GenerationResult;
use hookspec::points::{GENERATION, TOOL_EXECUTE};
use hookspec::registry::RegistryBuilder;
use hookspec::tool::ToolResult;
use hookspec::{Around, Hook};
use serde_json::{Value, json};

use crate::stage::{Events, Stage, allowing, call, config, say, types};

/// A session with one prompt, up to its rest.
async fn played(script: &[Value], builder: RegistryBuilder) -> (Stage, Events, Vec<Value>) {
    let stage = Stage::with(script, builder).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "go").await;
    let told = events.until("rested").await;
    (stage, events, told)
}

fn notices(told: &[Value], part: &str) -> usize {
    let notices = told.iter().filter(|event| event["type"] == "notice");
    notices.filter(|event| event["text"].as_str().is_some_and(|text| text.contains(part))).count()
}

async fn metadata(stage: &Stage, content: &str) -> Value {
    let log = stage.log("a").await;
    let message = log.iter().find(|message| message["content"].as_str().unwrap().contains(content));
    message.unwrap_or_else(|| panic!("{content} in {log:?}"))["metadata"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_breaks_begins_anew_for_who_watches() {
    let settings = config("[hooks.retry]\nenabled = true\nfirst_wait_ms = 0\n");
    let builder = allowing(["trial", "retry", "tool.*"]).config(settings);
    let script = [json!({ "text": "half an answer", "error": { "kind": "cut" } }), say("The whole answer.")];
    let (stage, _events, told) = played(&script, builder).await;
    let began: Vec<usize> = told
        .iter()
        .enumerate()
        .filter(|(_, event)| event["type"] == "generation_started")
        .map(|(at, _)| at)
        .collect();
    assert_eq!(began.len(), 2, "{:?}", types(&told));
    let shown = crate::stage::streamed(&told[began[1]..]);
    assert_eq!(shown, "The whole answer.", "what came before is not part of it");
    assert_eq!(notices(&told, "(try 2 of 4)"), 1, "{told:?}");
    let texts = stage.texts("a").await;
    assert!(!texts.iter().any(|text| text.contains("half an")), "{texts:?}");
    assert_eq!(texts.last().unwrap(), "The whole answer.");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_the_wait_for_another_try() {
    let settings = config("[hooks.retry]\nenabled = true\nseconds = 9999\n");
    let builder = allowing(["trial", "retry", "tool.*"]).config(settings);
    let limited = json!({ "error": { "kind": "rate_limited", "retry_after_s": 3600 } });
    let stage = Stage::with(&[limited, say("never said")], builder).await;
    let session = stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "go").await;
    loop {
        let told = events.expect("notice").await;
        if told["text"].as_str().unwrap().contains("Trying again in 3600.0 s") {
            break;
        }
    }
    stage.post("/conversations/a/interrupt", json!({ "session_id": session })).await;
    let told = events.until("rested").await;
    assert_eq!(told.last().unwrap()["outcome"], "interrupted");
    assert!(types(&told).contains(&"interrupted"), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_says_which_model_gave_it() {
    let folder = tempfile::tempdir().unwrap();
    let second = folder.path().join("second.jsonl");
    std::fs::write(&second, say("I can.").to_string()).unwrap();
    let text =
        format!("[hooks.fallback_model]\nenabled = true\nmodels = [\"replay:{}\"]\n", second.display());
    let builder = allowing(["trial", "fallback_model", "tool.*"]).config(config(&text));
    let script = [json!({ "text": "", "error": { "kind": "authentication" } })];
    let (stage, _events, told) = played(&script, builder).await;
    assert_eq!(notices(&told, "in place of"), 1, "{told:?}");
    let model = metadata(&stage, "I can.").await["model"].clone();
    assert!(model.as_str().unwrap().ends_with("second.jsonl"), "{model}");
    let complete = told.iter().find(|event| event["type"] == "generation_complete").unwrap();
    assert_eq!(complete["message"]["metadata"]["model"], model, "who watches is told too");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_from_the_cache_says_so_in_the_log_and_no_tool_runs() {
    let settings = config("[hooks.tool_cache]\nenabled = true\n");
    let builder = allowing(["trial", "tool_cache", "tool.*"]).config(settings);
    let read = || call("read", json!({ "path": "a.txt" }));
    let script = [read(), read(), say("Twice the same.")];
    let stage = Stage::with(&script, builder).await;
    std::fs::write(stage.root().join("a.txt"), "one\n").unwrap();
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "go").await;
    let told = events.until("rested").await;
    let count = |kind: &str| types(&told).iter().filter(|told| **told == kind).count();
    assert_eq!((count("tool_executing"), count("tool_complete"), count("tool_output")), (1, 2, 2));
    let log = stage.log("a").await;
    let by: Vec<&Value> = log
        .iter()
        .filter(|message| message["call_id"].is_string())
        .map(|message| &message["metadata"]["answered_by"])
        .collect();
    assert_eq!(by, [&Value::Null, &json!("tool_cache.answer")]);
    let points = stage.points("a").await;
    assert_eq!(points.iter().filter(|point| *point == "tool.execute.post").count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_dies_around_something_costs_the_client_nothing() {
    let tool = Hook::around(TOOL_EXECUTE, "trial.dies", |_, _, next| -> BoxFuture<'_, Around<ToolResult>> {
        Box::pin(async move {
            next.run().await.ok();
            panic!("after the tool")
        })
    });
    let model =
        Hook::around(GENERATION, "trial.dies", |_, _, _| -> BoxFuture<'_, Around<GenerationResult>> {
            Box::pin(async { panic!("before the model") })
        });
    let script = [call("read", json!({ "path": "a.txt" })), say("I see.")];
    let builder = allowing(["trial", "tool.*"]).register(tool).register(model);
    let stage = Stage::with(&script, builder).await;
    std::fs::write(stage.root().join("a.txt"), "one\n").unwrap();
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "go").await;
    let told = events.until("rested").await;
    assert_eq!(told.last().unwrap()["outcome"], "complete", "{told:?}");
    let texts = stage.texts("a").await;
    assert!(texts.iter().any(|text| text.contains("one\n")), "{texts:?}");
    assert_eq!(texts.last().unwrap(), "I see.");
}
