//! No dead points: one scripted session fires every point that is declared, in the documented order.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use hookspec::ask::{Answer, Continue};
use hookspec::points::{EndReason, TurnOutcome};
use hookspec::timeline::Timeline;
use hookspec::{First, Hook, Message, Mode, Registry};
use hookspec_agent::engine::TurnEnd;

use common::{Stage, call, say};

fn core_points() -> BTreeSet<&'static str> {
    let all = hookspec::point::all_points();
    all.iter()
        .map(|point| point.info())
        .filter(|info| info.package == "hookspec")
        .map(|info| info.wire)
        .collect()
}

/// One session that does everything: saves, patches, asks, moves, fails, goes on, changes its model.
async fn play() -> Vec<String> {
    let stage = Stage::new(&[
        call("save", serde_json::json!({ "path": "a.txt", "content": "one\n" })),
        call(
            "patch",
            serde_json::json!({ "path": "a.txt", "patch": "<<<<<<< ORIGINAL\none\n=======\ntwo\n>>>>>>> UPDATED\n" }),
        ),
        call("elicit", serde_json::json!({ "prompt": "Which?" })),
        call("shell", serde_json::json!({ "command": "mkdir d && cd d" })),
        say("Done."),
        r#"{"error":{"kind":"rate_limited","retry_after_s":0.001}}"#.to_owned(),
        say("Once more."),
        r#"{"text":"far too long","chunk_size":1}"#.to_owned(),
    ]);
    let builder = Registry::builder()
        .mode(Mode::Cli)
        .no_confirm(true)
        .plugins(hookspec::plugins![hookspec_agent, hookspec_builtins])
        .allow(["stage", "tool.*", "tool.elicit"])
        .register(Hook::new(hookspec::points::ELICIT, "stage.answer", |_, _| {
            First(Answer::Text("this".into()))
        }))
        .register(Hook::new(hookspec::points::LOOP_CONTINUE, "stage.once_more", |event, _| {
            (event.continued == 0 && event.outcome == TurnOutcome::Complete)
                .then(|| First(Continue::With(Message::user("and again"))))
        }))
        .register(Hook::new(hookspec::points::GENERATION_CHUNK, "stage.cuts", |event, _| {
            (event.chunk == "l").then_some(hookspec::Flow::Stop)
        }))
        .fires(hookspec_agent::FIRES.iter().copied())
        .strict(true);
    let timeline = Arc::new(Timeline::new(10_000));
    let mut agent = stage.open(builder, Some(timeline.clone())).await;
    assert_eq!(agent.prompt(Message::user("begin")).await, TurnEnd::Rested(TurnOutcome::Complete));
    let interrupted = agent.prompt(Message::user("go on")).await;
    assert_eq!(interrupted, TurnEnd::Rested(TurnOutcome::Interrupted));
    let model = agent.session().model();
    agent.set_model(&model).await.unwrap();
    agent.end(EndReason::Exit).await;
    assert_eq!(std::fs::read_to_string(stage.workspace().join("a.txt")).unwrap(), "two\n");
    timeline.points()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_declared_point_fires_and_every_fired_point_is_declared() {
    let fired: BTreeSet<String> = play().await.into_iter().collect();
    let declared: BTreeSet<String> = core_points().into_iter().map(str::to_owned).collect();
    assert_eq!(fired, declared);
    let promised: BTreeSet<String> = hookspec_agent::FIRES.iter().map(|info| info.wire.to_owned()).collect();
    assert_eq!(promised, declared, "the engine's declaration is complete");
    let sites: BTreeSet<String> = hookspec::point::fire_sites()
        .iter()
        .filter(|site| site.package == "hookspec-agent")
        .map(|site| site.point.wire.to_owned())
        .collect();
    assert_eq!(sites, declared, "every point has a fire site in the engine");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_points_fire_in_the_documented_order() {
    let mut fired = play().await;
    fired.dedup(); // a stream fires once a piece
    let step = |tool: &[&'static str]| {
        let mut points = vec![
            "step.pre",
            "generation",
            "generation.pre",
            "generation.chunk",
            "generation.post",
            "message.transform",
            "message.post",
        ];
        if !tool.is_empty() {
            points.extend(["tool.transform", "tool.execute.pre"]);
            points.extend(tool.iter().copied());
            points.extend(["tool.execute.post", "tool.result.transform"]);
        }
        points.push("step.post");
        points
    };
    let expected: Vec<&str> = [
        vec!["session.start", "message.pre", "turn.pre"],
        step(&["tool.confirm", "tool.execute", "file.save.pre", "file.save.post"]),
        step(&["tool.confirm", "tool.execute", "file.patch.pre", "file.patch.post"]),
        step(&["tool.execute", "elicit"]),
        step(&["tool.confirm", "tool.execute", "cwd.changed"]),
        step(&[]),
        vec!["turn.post", "loop.continue"],
        // The hook goes on: a turn with a call to the model that fails first.
        vec![
            "message.pre",
            "turn.pre",
            "step.pre",
            "generation",
            "generation.pre",
            "error",
            "generation",
            "generation.pre",
            "generation.chunk",
        ],
        vec![
            "generation.post",
            "message.transform",
            "message.post",
            "step.post",
            "turn.post",
            "loop.continue",
        ],
        // A hook cuts the stream.
        vec![
            "message.pre",
            "turn.pre",
            "step.pre",
            "generation",
            "generation.pre",
            "generation.chunk",
            "generation.interrupt",
        ],
        vec!["turn.post", "loop.continue", "cache.invalidated", "session.end"],
    ]
    .concat();
    assert_eq!(fired, expected);
}

#[test]
fn a_sample_event_of_every_point_is_read_and_has_a_schema() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/events");
    let session = common::bare_session();
    for point in hookspec::point::all_points() {
        let info = point.info();
        if info.package != "hookspec" {
            continue;
        }
        let path = folder.join(format!("{}.json", info.wire));
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let event: serde_json::Value = serde_json::from_str(&text).unwrap();
        point.check_json(&event).unwrap_or_else(|error| panic!("{}: {error}", info.wire));
        let _ = point.fire_json(&session, event.clone()).unwrap();
        let schema = point.schema().unwrap();
        for field in info.fields {
            assert!(
                schema["properties"][field.name] != serde_json::Value::Null,
                "{}.{}",
                info.wire,
                field.name
            );
        }
        let mut broken = event.as_object().unwrap().clone();
        if let Some(field) = info.fields.iter().find(|field| !field.ty.starts_with("Option")) {
            broken.remove(field.name);
            assert!(point.check_json(&broken.into()).is_err(), "{} without {}", info.wire, field.name);
        }
    }
}
