//! Hooks in shadow: what they would have refused happens, and the server counts it.

use hookspec::points::TOOL_PRE_EXECUTE;
use hookspec::{Gate, Hook};
use serde_json::json;

use crate::stage::{Stage, builder, call, say};

#[tokio::test(flavor = "multi_thread")]
async fn what_a_gate_in_shadow_would_have_refused_is_done_and_counted() {
    let guard = Hook::new(TOOL_PRE_EXECUTE, "trial.guard", |_, _| Gate::deny("no tools"));
    let script = [call("read", json!({ "path": "." })), call("read", json!({ "path": "." })), say("done")];
    let stage = Stage::with(&script, builder().register(guard).shadow(["trial.guard"])).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "read twice").await;
    events.until("rested").await;
    let texts = stage.texts("a").await;
    assert!(
        texts.iter().all(|text| !text.contains("no tools")) && texts.contains(&"done".to_owned()),
        "{texts:?}"
    );
    for path in ["/hooks", "/conversations/a/hooks"] {
        let listed = stage.get(path).await;
        let rows = listed.as_array().or_else(|| listed["hooks"].as_array()).unwrap();
        let guard = rows.iter().find(|row| row["name"] == "trial.guard").unwrap();
        assert_eq!(
            (&guard["shadow"], &guard["shadowed"]["denied"]),
            (&json!(true), &json!(2)),
            "{path}: {guard}"
        );
    }
    let timeline = stage.get("/conversations/a/timeline?limit=5000").await;
    let runs = timeline["entries"].as_array().unwrap().iter();
    assert_eq!(
        runs.filter(|run| run["hook"] == "trial.guard" && run["shadow"] == true).count(),
        2,
        "{timeline}"
    );
}
