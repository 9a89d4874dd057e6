//! The plugin in the engine that every host runs: nothing here calls a hook itself.

use std::sync::Arc;

use crate::common::{Stage, builder, runs, words};
use hookspec::points::{EndReason, TurnOutcome};
use hookspec::session::Clock;
use hookspec::{Hooks, Message};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Limits, Opening, Silent, TurnEnd};
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use hookspec_llm_switch::Phase;
use serde_json::json;

async fn open(stage: &Stage, id: &str, model: &str) -> Agent {
    let registry = builder().strict(true).build().unwrap();
    let opening = Opening {
        hooks: Hooks::with_spawn(registry, Arc::new(TokioSpawn::current().unwrap())),
        begin: Begin::New(id.into()),
        logs: stage.path("logs"),
        workspace: stage.path("workspace"),
        model: Some(model.into()),
        model_options: ModelOptions::default(),
        frontend: Arc::new(Silent),
        limits: Limits::default(),
        clock: Clock::system(),
        observer: None,
    };
    let switch = Arc::clone(&stage.switch);
    Agent::open(opening, |session| session.extension(switch)).await.unwrap()
}

fn answers(agent: &Agent) -> Vec<String> {
    let log = agent.session().log();
    let answers = log.iter().filter(|message| message.role == hookspec::Role::Assistant);
    answers.map(|message| message.content.clone()).collect()
}

const RESTED: TurnEnd = TurnEnd::Rested(TurnOutcome::Complete);

#[tokio::test(flavor = "multi_thread")]
async fn edge_02_the_engine_starts_the_server_before_the_call_and_stops_it_at_the_end() {
    let stage = Stage::one(&["delay=200", "loading=3"]);
    let mut agent = open(&stage, "s", "ollama/write").await;
    assert!(stage.starts().is_empty(), "not before there is a call");
    assert_eq!(agent.prompt(Message::user("Hello?")).await, RESTED);
    assert_eq!(agent.prompt(Message::user("Once more?")).await, RESTED);
    assert_eq!(answers(&agent), ["This is write.", "This is write."]);
    assert_eq!(stage.starts().len(), 1);
    agent.end(EndReason::Exit).await;
    assert_eq!(stage.status().phase, Phase::Stopped);
    assert!(!runs(stage.starts()[0].1));
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_03_a_call_whose_server_is_not_there_does_not_go_out() {
    let stage = Stage::one(&["exit=3"]);
    let mut agent = open(&stage, "s", "ollama/write").await;
    assert_eq!(agent.prompt(Message::user("Hello?")).await, TurnEnd::Rested(TurnOutcome::Interrupted));
    let log = agent.session().log();
    let said = log.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n");
    assert!(said.contains("held back") && said.contains("exit code 3"), "{said}");
    assert!(!said.contains("The model could not answer"), "{said}");
    stage.write("", &[("write", &words(&["say=Better now."]))]);
    assert_eq!(agent.prompt(Message::user("And now?")).await, RESTED);
    assert_eq!(answers(&agent), ["Better now."]);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_06_a_server_that_died_between_turns_is_started_again_and_found() {
    let stage = Stage::one(&[]);
    let mut agent = open(&stage, "s", "ollama/write").await;
    assert_eq!(agent.prompt(Message::user("Hello?")).await, RESTED);
    let server = crate::common::pid_of(stage.starts()[0].1);
    rustix::process::kill_process(server, rustix::process::Signal::KILL).unwrap();
    stage.reaches(Phase::Failed).await;
    // On another port, since the file says that any will do.
    assert_eq!(agent.prompt(Message::user("Still there?")).await, RESTED);
    assert_eq!((answers(&agent).len(), stage.starts().len()), (2, 2));
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_15_a_model_that_switches_itself_stays_switched() {
    let stage = Stage::one(&[]);
    let script = stage.path("script.jsonl");
    let calls = [json!({ "tool": "switch_local_llm", "kwargs": { "model": "write" } })];
    std::fs::write(&script, json!({ "text": "I switch.", "tool_calls": calls }).to_string()).unwrap();
    let mut agent = open(&stage, "s", &format!("replay:{}", script.display())).await;
    assert_eq!(agent.prompt(Message::user("Switch.")).await, RESTED);
    assert_eq!(agent.prompt(Message::user("Who are you?")).await, RESTED);
    assert_eq!(answers(&agent), ["I switch.", "This is write.", "This is write."]);
    assert_eq!((agent.session().model().as_str(), stage.starts().len()), ("ollama/write", 1));
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_may_stand_for_a_local_model() {
    let stage = Stage::one(&[]);
    let script = stage.path("script.jsonl");
    let lines = [json!({ "text": "first" }).to_string(), json!({ "text": "second" }).to_string()];
    std::fs::write(&script, lines.join("\n")).unwrap();
    let model = format!("replay:{}", script.display());
    stage.write("", &[("write", &format!("model = '{model}'"))]);
    let mut agent = open(&stage, "s", &model).await;
    agent.prompt(Message::user("1")).await;
    agent.prompt(Message::user("2")).await;
    assert_eq!(answers(&agent), ["first", "second"], "the script is not begun anew");
    assert_eq!(stage.starts().len(), 1, "and its server was up");
    agent.end(EndReason::Exit).await;
}
