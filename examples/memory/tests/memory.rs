//! Remembered in one session, known in the next.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use hookspec::points::{SESSION_START, StartReason};
use hookspec::registry::RegistryBuilder;
use hookspec::{Hooks, Registry, Session, ToolUse, fire};

fn builder() -> RegistryBuilder {
    Registry::builder().plugins(hookspec::plugins![memory])
}

async fn start(session: &Session, resumed: bool) -> Vec<hookspec::Message> {
    let reason = if resumed { StartReason::Resume } else { StartReason::New };
    fire!(session, SESSION_START { resumed, reason, initial: &[] }).await.into_messages()
}

#[tokio::test]
async fn what_one_session_remembers_the_next_one_knows() {
    let workspace = tempfile::tempdir().unwrap();
    let hooks = Hooks::new(builder().build().unwrap());
    let session = |id: &str| Session::builder(&hooks, id).workspace(workspace.path()).build();
    let first = session("first");
    assert!(start(&first, false).await.is_empty());
    let registry = hooks.load();
    let tool = registry.tools().get("remember").unwrap();
    let fenced = ToolUse::fenced("remember", [""; 0], "the tests\nneed a display\n");
    (tool.run)(&fenced, &first).await.unwrap();
    let arguments = serde_json::json!({ "fact": "ports are chosen by the system" });
    let native = ToolUse::native("remember", "c1", arguments.as_object().unwrap().clone());
    (tool.run)(&native, &first).await.unwrap();

    let said = start(&session("second"), false).await;
    assert_eq!(
        said[0].content,
        "<memory>\n- the tests need a display\n- ports are chosen by the system\n</memory>"
    );
    assert!(said[0].hide && start(&session("third"), true).await.is_empty());
}

#[test]
fn the_hook_goes_off_with_its_tool() {
    let registry = builder().disable(["tool.remember"]).build().unwrap();
    assert!(registry.tools().get("remember").is_none() && registry.hook("memory.remind").is_none());
    let row = registry.list().into_iter().find(|row| row.info.name == "memory.remind").unwrap();
    assert_eq!(row.why, "its tool `remember` is off");
}
