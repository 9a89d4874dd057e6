//! The hook set `test` on the engine that every host runs: which moments a conversation shows, and how often.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use hookspec::points::EndReason;
use hookspec::registry::RegistryBuilder;
use hookspec::{Message, Mode, Registry};
use serde_json::json;

use common::{Stage, call, say};

fn host(mode: Mode) -> RegistryBuilder {
    Registry::builder().plugins(hookspec::plugins![hookspec_builtins]).mode(mode).no_confirm(true)
}

async fn markers(builder: RegistryBuilder) -> Vec<String> {
    let stage = Stage::new(&[call("save", json!({"path": "a", "content": "x"})), say("Done.")]);
    let mut agent = stage.open(builder, None).await;
    agent.prompt(Message::user("save")).await;
    let log = agent.session().log();
    let shown = log.iter().filter(|message| message.content.starts_with("TEST_") && !message.hide);
    let shown = shown.map(|message| message.content.clone()).collect();
    agent.end(EndReason::Exit).await;
    shown
}

#[tokio::test(flavor = "multi_thread")]
async fn each_turn_once_and_each_step_once_on_every_host() {
    for mode in [Mode::Cli, Mode::Server] {
        assert_eq!(
            markers(host(mode).allow(["test"])).await,
            [
                "TEST_SESSION_START hook triggered",
                "TEST_TURN_PRE hook triggered",
                "TEST_STEP_PRE hook triggered",
                "TEST_STEP_PRE hook triggered",
                "TEST_TURN_POST hook triggered",
            ],
            "{mode:?}"
        );
        assert!(markers(host(mode)).await.is_empty(), "{mode:?}: not unless it is named");
    }
}
