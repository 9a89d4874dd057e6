//! What hooks decide holds in rig's loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hookspec::points::{TOOL_EXECUTE, TOOL_PRE_EXECUTE};
use hookspec::tool::{ToolResult, ToolUse};
use hookspec::{Around, Gate, Hooks, Registry, Session, hook};
use hookspec_example_rig_agent::{Answer, MODEL_CALL, agent, tool};
use rig_agent::core::completion::CompletionRequest;
use rig_agent::core::message::ToolName;
use rig_agent::core::test_utils::{MockCompletionModel, MockTurn};
use rig_agent::core::tool::{DynamicTool, ToolExecutionError, ToolOutput};
use serde_json::json;

#[hook(TOOL_PRE_EXECUTE)]
fn gate() -> Gate {
    Gate::deny("not today")
}

#[hook(TOOL_EXECUTE)]
async fn again(next: TOOL_EXECUTE::Next<'_>) -> Around<ToolResult> {
    let mut tries = next.repeatable();
    match tries.run().await {
        Err(_) => Around(tries.run().await),
        done => Around(done),
    }
}

#[hook(TOOL_EXECUTE)]
async fn rewrite(next: TOOL_EXECUTE::Next<'_>, tool_use: &ToolUse) -> Around<ToolResult> {
    let mut changed = tool_use.clone();
    changed.kwargs.insert("number".to_owned(), json!(7));
    Around(next.with(changed).run().await)
}

#[hook(TOOL_EXECUTE)]
async fn panics(next: TOOL_EXECUTE::Next<'_>) -> Around<ToolResult> {
    let _ = next.run().await;
    panic!("afterwards")
}

#[hook(MODEL_CALL)]
async fn shorter(next: MODEL_CALL::Next<'_>, request: &CompletionRequest) -> Around<Answer> {
    let mut changed = request.clone();
    changed.max_tokens = Some(5);
    Around(next.with(changed).run().await)
}

#[hook(MODEL_CALL)]
async fn twice(next: MODEL_CALL::Next<'_>) -> Around<Answer> {
    let mut tries = next.repeatable();
    match tries.run().await {
        Err(_) => Around(tries.run().await),
        answer => Around(answer),
    }
}

fn session(hook: &str) -> Session {
    let names = (!hook.is_empty()).then(|| format!("rig.{hook}"));
    let registry = Registry::builder().allow(names).build().expect("it builds");
    Session::builder(&Hooks::new(registry), "test").build()
}

/// What one call of a tool came to in a run of the loop: the last thing that the model was told, and how often the tool ran. The
/// tool fails so many times first.
async fn run(
    hook: &str,
    turns: Vec<MockTurn>,
    fails: u32,
) -> (Result<String, String>, String, u32, MockCompletionModel) {
    let (session, runs) = (session(hook), Arc::new(AtomicU32::new(0)));
    let counted = Arc::clone(&runs);
    let name = ToolName::new("count").expect("a name");
    let plain = DynamicTool::new(name, "Counts.", json!({ "type": "object" }), move |args| {
        let run = counted.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            if run < fails {
                Err(ToolExecutionError::other("asleep"))
            } else {
                Ok(ToolOutput::text(format!("counted to {}", args["number"])))
            }
        })
    });
    let model = MockCompletionModel::from_turns(turns);
    let rig = agent(&session, model.clone()).expect("it builds").dynamic_tool(tool(&session, plain)).build();
    let said = rig.prompt("go").max_turns(5).await;
    let said = said.map(|said| said.output().to_owned()).map_err(|error| error.to_string());
    let last = model.requests().last().map(|request| json!(request.chat_history.last()).to_string());
    (said, last.unwrap_or_default(), runs.load(Ordering::SeqCst), model)
}

fn turns() -> Vec<MockTurn> {
    vec![MockTurn::tool_call("1", "count", json!({ "number": 3 })), MockTurn::text("done")]
}

#[tokio::test]
async fn without_hooks_it_is_rigs_own_loop() {
    let (said, told, runs, _) = run("", turns(), 0).await;
    assert_eq!((said.as_deref(), runs), (Ok("done"), 1));
    assert!(told.contains("counted to 3"), "{told}");
}

#[tokio::test]
async fn a_refused_tool_does_not_run_and_the_model_reads_why() {
    let (said, told, runs, _) = run("gate", turns(), 0).await;
    assert_eq!((said.as_deref(), runs), (Ok("done"), 0));
    assert!(told.contains("not today (rig.gate)") && told.contains("\"is_error\":true"), "{told}");
}

#[tokio::test]
async fn a_tool_that_fails_is_run_again_where_a_hook_wants_it() {
    let (_, told, runs, _) = run("again", turns(), 1).await;
    assert_eq!(runs, 2);
    assert!(told.contains("counted to 3"), "{told}");
    let (_, told, runs, _) = run("", turns(), 1).await;
    assert_eq!(runs, 1);
    assert!(told.contains("\"is_error\":true"), "{told}");
}

#[tokio::test]
async fn a_hook_changes_what_the_tool_gets() {
    let (_, told, _, _) = run("rewrite", turns(), 0).await;
    assert!(told.contains("counted to 7"), "{told}");
}

#[tokio::test]
async fn a_hook_that_panics_loses_nothing() {
    let (said, told, runs, _) = run("panics", turns(), 0).await;
    assert_eq!((said.as_deref(), runs), (Ok("done"), 1));
    assert!(told.contains("counted to 3"), "{told}");
}

#[tokio::test]
async fn a_hook_changes_what_the_model_is_asked_and_asks_it_again() {
    let (said, _, _, model) = run("shorter", vec![MockTurn::text("yes")], 0).await;
    assert_eq!((said.as_deref(), model.requests()[0].max_tokens), (Ok("yes"), Some(5)));
    let busy = || vec![MockTurn::error("busy"), MockTurn::text("yes")];
    let (said, _, _, model) = run("twice", busy(), 0).await;
    assert_eq!((said.as_deref(), model.request_count()), (Ok("yes"), 2));
    let (said, _, _, model) = run("", busy(), 0).await;
    assert_eq!((said.is_err(), model.request_count()), (true, 1));
}
