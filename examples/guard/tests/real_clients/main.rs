//! The guard in the real Codex and the real Gemini CLI.
//!
//! Each client is installed from the npm registry into a temporary folder, gets a home and a workspace of its
//! own, and talks to a server on 127.0.0.1 that plays the model. What reached the model is what its requests
//! say. Slow: half a gigabyte is fetched once. Where npm or its registry is out of reach the tests say so and
//! end; `cargo test --workspace -- --ignored slow_` runs them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)] // a test that cannot go on has failed

mod client;
mod model;
mod stage;

use client::{codex, gemini, trust_in_codex};
use model::Model;
use serde_json::Value;
use stage::Stage;

/// The commands that the model calls for, one after the other; then it says that it is done.
const COMMANDS: [&str; 3] = ["mv precious gone", "echo git push --force origin main", "echo once more"];

/// What must have reached the model, and what must have happened, whichever client it was.
fn check(stage: &Stage, requests: &[Value], output: &str) {
    let results = stage.client.results(requests.last().expect("the model was asked"));
    assert_eq!(results.len(), COMMANDS.len(), "{output}");
    assert!(results[0].contains("`precious` is protected"), "the reason reaches the model: {results:?}");
    assert!(stage.workspace().join("precious/letter").exists(), "the command was not run");
    assert!(results[1].contains("push --force-with-lease origin main"), "a rewritten command: {results:?}");
    assert!(results[2].contains("once more"), "{results:?}");
    let all = requests.last().unwrap().to_string();
    assert!(all.contains("Protected here: precious."), "the session's start: {all}");
    assert!(all.contains("Tests are run with `cargo test --workspace`."), "context for the prompt: {all}");
    assert!(all.contains("tool call 1 of this session"), "{all}");
    assert!(all.contains("tool call 2 of this session"), "state is carried from process to process: {all}");
    let asked = all.matches("Say in one sentence what you changed.").count();
    assert_eq!(asked, 1, "the end of the turn, once: {all}");
}

async fn tell(client: client::Client) -> Option<(Stage, Model)> {
    let stage = Stage::new(client)?;
    let model = Model::start(&COMMANDS).await;
    stage.install_hooks();
    Some((stage, model))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: installs other agents and runs them"]
async fn slow_codex_with_trust_waived() {
    let Some((stage, model)) = tell(codex()).await else { return };
    let output = stage.run(&model, &["--dangerously-bypass-hook-trust"]).await;
    check(&stage, &model.requests(), &output);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: installs other agents and runs them"]
async fn slow_codex_with_real_trust() {
    let Some((stage, model)) = tell(codex()).await else { return };
    // Untrusted hooks are skipped there without a word: what is protected goes.
    let output = stage.run(&model, &[]).await;
    assert!(!stage.workspace().join("precious").exists(), "{output}");
    drop(model);

    stage.lay_out();
    trust_in_codex(&stage).await;
    let model = Model::start(&COMMANDS).await;
    let output = stage.run(&model, &[]).await;
    check(&stage, &model.requests(), &output);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: installs other agents and runs them"]
async fn slow_gemini() {
    let Some((stage, model)) = tell(gemini()).await else { return };
    let output = stage.run(&model, &[]).await;
    check(&stage, &model.requests(), &output);
}
