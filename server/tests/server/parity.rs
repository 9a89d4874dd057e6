//! One scenario, played in the terminal's host and on the server: the same points in the same order, the same
//! conversation, the same files. The table in `docs/hosts.md` is made here (`UPDATE_PAGES=1`).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hookspec::ask::{Answer, Confirmation, Continue};
use hookspec::points::{
    ELICIT, EndReason, GENERATION_CHUNK, LOOP_CONTINUE, TOOL_CONFIRM, TURN_PRE, TurnOutcome,
};
use hookspec::registry::RegistryBuilder;
use hookspec::session::Clock;
use hookspec::timeline::Timeline;
use hookspec::{First, Flow, Hook, Hooks, Message, Mode, Registry};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Limits, Opening, Silent};
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::stage::{Setting, Stage};

#[derive(Deserialize)]
struct Scenario {
    answers: Vec<Value>,
    prompts: Vec<String>,
    answer: String,
    skip: String,
    edit: Edit,
    ends: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Edit {
    index: usize,
    content: String,
}

/// What a host made of it.
#[derive(Debug, PartialEq)]
struct Played {
    points: Vec<String>,
    log: Vec<Value>,
}

fn scenario() -> Scenario {
    serde_json::from_str(include_str!("../scenario.json")).unwrap()
}

/// The hooks of the scenario, and those that come with every host.
fn hooks(mode: Mode) -> RegistryBuilder {
    Registry::builder()
        .mode(mode)
        .plugins(hookspec::plugins![hookspec_agent, hookspec_builtins])
        .allow(["trial", "time_awareness", "tool.*", "tool.elicit"])
        .register(Hook::new(TURN_PRE, "trial.says", |_, _| Message::system("a turn begins")))
        .register(Hook::new(LOOP_CONTINUE, "trial.once_more", |event, session| {
            let first = session.log().iter().all(|message| message.content != "and again");
            (first && event.outcome == TurnOutcome::Complete)
                .then(|| First(Continue::With(Message::user("and again"))))
        }))
        .register(Hook::new(GENERATION_CHUNK, "trial.cuts", |event, _| {
            (event.chunk == "l").then_some(Flow::Stop)
        }))
        .fires(hookspec_agent::FIRES.iter().copied())
        .strict(true)
}

/// What is left when ids, times and places are taken out, which differ from run to run.
fn essence(message: &Value, root: &Path) -> Value {
    let content = message["content"].as_str().unwrap().replace(&root.display().to_string(), "ROOT");
    json!([message["role"], content, message["hook"], message["hide"], message["call_id"]])
}

fn check_files(scenario: &Scenario, root: &Path) {
    for (name, text) in &scenario.ends {
        assert_eq!(std::fs::read_to_string(root.join(name)).unwrap(), *text, "{name}");
    }
    assert!(!root.join(&scenario.skip).exists());
}

/// In the terminal's host: the answers come from hooks.
async fn in_the_terminal() -> Played {
    let scenario = scenario();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    std::fs::create_dir(&root).unwrap();
    let root = root.canonicalize().unwrap();
    let script = folder.path().join("script.jsonl");
    let lines: Vec<String> = scenario.answers.iter().map(Value::to_string).collect();
    std::fs::write(&script, lines.join("\n")).unwrap();
    let (answer, skip) = (scenario.answer.clone(), scenario.skip.clone());
    let builder = hooks(Mode::Cli)
        .register(Hook::new(ELICIT, "trial.answers", move |_, _| First(Answer::Text(answer.clone()))))
        .register(Hook::new(TOOL_CONFIRM, "trial.confirms", move |event, _| {
            First(match event.tool_use.kwargs.get("path") {
                Some(path) if *path == skip => {
                    Confirmation::Skip { reason: "The user declined this call.".into() }
                }
                _ => Confirmation::Confirm,
            })
        }));
    let timeline = Arc::new(Timeline::new(100_000));
    let opening = Opening {
        hooks: Hooks::with_spawn(builder.build().unwrap(), Arc::new(TokioSpawn::current().unwrap())),
        begin: Begin::New("a".into()),
        logs: folder.path().join("logs"),
        workspace: root.clone(),
        model: Some(format!("replay:{}", script.display())),
        model_options: ModelOptions::default(),
        frontend: Arc::new(Silent),
        limits: Limits::default(),
        clock: Clock::system(),
        observer: Some(timeline.clone()),
    };
    let mut agent = Agent::open(opening, |session| session).await.unwrap();
    for prompt in &scenario.prompts {
        agent.prompt(Message::user(prompt)).await;
    }
    let mut log: Vec<Message> = agent.session().log().iter().map(|message| (**message).clone()).collect();
    log[scenario.edit.index].content.clone_from(&scenario.edit.content);
    agent.edit(log).await.unwrap();
    let log = agent.session().log().iter().map(|message| essence(&json!(**message), &root)).collect();
    agent.end(EndReason::Exit).await;
    check_files(&scenario, &root);
    let mut points = timeline.points();
    points.dedup(); // a stream fires once a piece
    Played { points, log }
}

/// On the server: the answers come from a client.
async fn on_the_server() -> Played {
    let scenario = scenario();
    let stage = Stage::with(&scenario.answers, Setting::from(hooks(Mode::Server))).await;
    let session = stage.create("a").await;
    let mut events = stage.listen("a").await;
    for prompt in &scenario.prompts {
        stage.prompt("a", prompt).await;
        loop {
            let event = events.next().await.unwrap();
            if event["type"] == "tool_pending" {
                let skip = event["tooluse"]["kwargs"]["path"] == scenario.skip;
                let action = if skip { "skip" } else { "confirm" };
                let body = json!({ "tool_id": event["tool_id"], "action": action });
                stage.post("/conversations/a/tool/confirm", body).await;
            } else if event["type"] == "elicit_pending" {
                let body =
                    json!({ "elicit_id": event["elicit_id"], "action": "accept", "value": scenario.answer });
                stage.post("/conversations/a/elicit/respond", body).await;
            } else if event["type"] == "rested" {
                break;
            }
        }
    }
    let path = format!("/conversations/a/messages/{}", scenario.edit.index);
    stage.patch(&path, json!({ "content": scenario.edit.content })).await;
    stage.delete(&format!("/sessions/{session}")).await;
    check_files(&scenario, &stage.root());
    let log = stage.log("a").await.iter().map(|message| essence(message, &stage.root())).collect();
    let mut points = stage.points("a").await;
    points.dedup();
    Played { points, log }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_hosts_play_the_scenario_alike() {
    let (terminal, server) = (in_the_terminal().await, on_the_server().await);
    assert_eq!(terminal.points, server.points);
    assert_eq!(terminal.log, server.log);
    let fired = |point: &&hookspec::point::PointInfo| server.points.iter().any(|fired| fired == point.wire);
    let silent: Vec<&str> =
        hookspec_agent::FIRES.iter().filter(|point| !fired(point)).map(|point| point.wire).collect();
    assert!(silent.is_empty(), "the scenario leaves out {silent:?}");
    check_table(&table(&terminal, &server));
}

/// Which points fired how often in which host.
fn table(terminal: &Played, server: &Played) -> String {
    let mut text = String::from("| point | terminal | server |\n|---|---|---|\n");
    for point in hookspec_agent::FIRES {
        let count = |played: &Played| match played.points.iter().filter(|fired| *fired == point.wire).count()
        {
            0 => "never".to_owned(),
            count => format!("✓ {count}"),
        };
        text.push_str(&format!("| `{}` | {} | {} |\n", point.wire, count(terminal), count(server)));
    }
    text
}

fn check_table(table: &str) {
    const BEGIN: &str = "<!-- the table is made by server/tests/server/parity.rs -->\n";
    const END: &str = "<!-- end of the table -->";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/hosts.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (held, after) = rest.split_once(END).unwrap();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
    } else {
        assert_eq!(held, table, "docs/hosts.md is out of date: run this test with UPDATE_PAGES=1");
    }
}
