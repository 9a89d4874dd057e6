//! Turns end, and sessions end: two things that Hermes calls alike, and that are never confused here. And the streams,
//! the interim words and the sub-agents in between.

use std::sync::Arc;
use std::time::Duration;

use hookspec::points::{ERROR, EndReason, GENERATION_CHUNK, TurnOutcome};
use hookspec::timeline::Timeline;
use hookspec::{Flow, Hook, Message};
use hookspec_agent::engine::{Begin, TurnEnd};
use hookspec_hermes::hosts::{
    Auxiliary, AuxiliaryEnd, Child, ChildEnd, Replaces, Skill, auxiliary_starts, auxiliary_stops,
    skill_changed, subagent_starts, subagent_stops,
};
use hookspec_hermes::{Callbacks, ChildStatus, POST_LLM_CALL};
use serde_json::{Value, json};

use crate::common::{Stage, Told, listening, names, save, say};

const BOUNDARIES: &[&str] =
    &["on_session_start", "on_session_end", "on_session_finalize", "on_session_reset"];

fn sessions(told: &Told) -> Vec<(String, Value)> {
    told.lock().unwrap().iter().map(|(name, told)| (name.clone(), told["session_id"].clone())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_turn_ends_and_the_session_ends_once() {
    for reason in [
        EndReason::Exit,
        EndReason::Complete,
        EndReason::Deleted,
        EndReason::Idle,
        EndReason::Shutdown,
        EndReason::Error,
    ] {
        let stage = Stage::new(&[say("One."), say("Two."), say("Three.")]);
        let told = Told::default();
        let callbacks = listening(Callbacks::new(), BOUNDARIES, &told);
        let mut agent = stage.open(callbacks.register(stage.builder())).await;
        for _ in 0..3 {
            agent.prompt(Message::user("go")).await;
        }
        let turns = ["on_session_start", "on_session_end", "on_session_end", "on_session_end"];
        assert_eq!(names(&told), turns);
        agent.end(reason).await;
        assert_eq!(names(&told)[4..], ["on_session_finalize"]);
        assert_eq!(told.lock().unwrap()[4].1["reason"], json!(reason));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_is_cut_short_ends_too_and_the_session_goes_on() {
    let cut = r#"{"text":"far too long","chunk_size":1}"#.to_owned();
    let failed = r#"{"error":{"kind":"authentication"}}"#.to_owned();
    let stage = Stage::new(&[cut, failed, say("Well.")]);
    let told = Told::default();
    let listen =
        ["on_session_end", "agent_loop_stopped", "post_llm_call", "api_request_error", "on_session_finalize"];
    let callbacks = listening(Callbacks::new(), &listen, &told);
    let scissors =
        Hook::new(GENERATION_CHUNK, "stage.cuts", |event, _| (event.chunk == "l").then_some(Flow::Stop));
    let mut agent = stage.open(callbacks.register(stage.builder()).register(scissors)).await;
    assert_eq!(agent.prompt(Message::user("a")).await, TurnEnd::Rested(TurnOutcome::Interrupted));
    assert_eq!(agent.prompt(Message::user("b")).await, TurnEnd::Rested(TurnOutcome::Error));
    assert_eq!(names(&told), ["agent_loop_stopped", "on_session_end", "api_request_error", "on_session_end"]);
    {
        let told = told.lock().unwrap();
        let how =
            |index: usize| ["completed", "failed", "interrupted"].map(|field| told[index].1[field].clone());
        assert_eq!(how(1), [json!(false), json!(false), json!(true)]);
        assert_eq!(how(3), [json!(false), json!(true), json!(false)]);
    }
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_takes_anothers_place_comes_after_its_end_and_before_its_own_start() {
    let stage = Stage::new(&[say("One."), say("Two.")]);
    let told = Told::default();
    let callbacks = || listening(Callbacks::new(), BOUNDARIES, &told);
    let agent = stage.open(callbacks().register(stage.builder())).await;
    let old = agent.session().id().to_owned();
    agent.end(EndReason::Complete).await;
    let replaces = Replaces { session: old, reason: "new".into() };
    let builder = callbacks().register(stage.builder());
    let new =
        stage.open_with(builder, Begin::New("second".into()), None, |session| replaces.lend(session)).await;
    let expected = [
        ("on_session_start", "test"),
        ("on_session_finalize", "test"),
        ("on_session_reset", "second"),
        ("on_session_start", "second"),
    ];
    assert_eq!(sessions(&told), expected.map(|(name, id)| (name.to_owned(), json!(id))));
    assert_eq!(told.lock().unwrap()[2].1["old_session_id"], "test");
    new.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_fails_keeps_no_session_from_ending_and_no_other_from_starting() {
    let stage = Stage::new(&[say("One.")]);
    let told = Told::default();
    let callbacks = || {
        let broken = BOUNDARIES.iter().fold(Callbacks::new(), |callbacks, name| {
            callbacks.on(name, "broken", |_, _| panic!("no disk")).unwrap()
        });
        listening(broken, BOUNDARIES, &told)
    };
    let mut agent = stage.open(callbacks().register(stage.builder())).await;
    assert_eq!(agent.prompt(Message::user("go")).await, TurnEnd::Rested(TurnOutcome::Complete));
    agent.end(EndReason::Exit).await;
    assert_eq!(names(&told), ["on_session_start", "on_session_end", "on_session_finalize"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_opened_before_does_not_start_again() {
    let stage = Stage::new(&[say("One."), say("Two.")]);
    let told = Told::default();
    let callbacks = || listening(Callbacks::new(), BOUNDARIES, &told);
    let mut agent = stage.open(callbacks().register(stage.builder())).await;
    agent.prompt(Message::user("go")).await;
    agent.end(EndReason::Exit).await;
    let resumed = stage.resume(callbacks().register(stage.builder())).await;
    resumed.end(EndReason::Exit).await;
    let expected = ["on_session_start", "on_session_end", "on_session_finalize", "on_session_finalize"];
    assert_eq!(names(&told), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_with_a_tool_is_told_in_hermess_words_from_end_to_end() {
    let stage = Stage::new(&[save("a.txt", "x"), say("Done.")]);
    let told = Told::default();
    let timeline = Arc::new(Timeline::new(10_000));
    let everything: Vec<_> = hookspec_hermes::TABLE.iter().map(|row| row.name).collect();
    let callbacks = listening(Callbacks::new(), &everything, &told);
    let mut agent = stage
        .open_with(
            callbacks.register(stage.builder()),
            Begin::New("test".into()),
            Some(timeline.clone()),
            |session| session,
        )
        .await;
    agent.prompt(Message::user("go")).await;
    let session = agent.session().clone();
    agent.end(EndReason::Exit).await;
    assert_eq!(session.drain_now(Duration::from_secs(60)), []);
    // Streams are told beside the rest, so that only their own order counts.
    let (streams, rest): (Vec<_>, Vec<_>) = names(&told)
        .into_iter()
        .partition(|name| name.starts_with("on_stream") || name == "on_interim_message");
    let expected = [
        "on_session_start",
        "pre_llm_call",
        "pre_api_request",
        "post_api_request",
        "pre_tool_call",
        "pre_approval_request",
        "post_approval_response",
        "post_tool_call",
        "transform_tool_result",
        "pre_api_request",
        "post_api_request",
        "transform_llm_output",
        "post_llm_call",
        "on_session_end",
        "pre_verify",
        "on_session_finalize",
    ];
    assert_eq!(rest, expected);
    let count = |name: &str| streams.iter().filter(|held| *held == name).count();
    assert_eq!((count("on_stream_start"), count("on_stream_end"), count("on_interim_message")), (2, 2, 1));
    let fired = timeline.points();
    let at = |wire: &str| fired.iter().position(|point| point == wire).unwrap();
    assert_eq!(at("hermes.stream.start"), at("generation.chunk") + 1);
    assert_eq!(at("hermes.stream.end"), at("generation.post") + 1);
    assert!(at("hermes.message.interim") < at("tool.execute.pre"));
    let told = told.lock().unwrap();
    let (_, interim) = told.iter().find(|(name, _)| name == "on_interim_message").unwrap();
    assert_eq!((&interim["text"], &interim["already_streamed"]), (&json!("On it."), &json!(true)));
    let (_, answered) = told.iter().find(|(name, _)| name == "post_llm_call").unwrap();
    assert_eq!((&answered["user_message"], &answered["assistant_response"]), (&json!("go"), &json!("Done.")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_model_said_before_its_tools_is_told_once_a_step() {
    let read = |path: &str| json!({ "tool": "read", "kwargs": { "path": path } });
    let two = json!({ "text": "Two at once.", "tool_calls": [read("a"), read("b")] }).to_string();
    let silent = json!({ "text": "", "tool_calls": [read("a")] }).to_string();
    let stage = Stage::new(&[two, silent, say("Done.")]);
    let told = Told::default();
    let callbacks = listening(Callbacks::new(), &["on_interim_message"], &told);
    let mut agent = stage.open(callbacks.register(stage.builder())).await;
    agent.prompt(Message::user("go")).await;
    agent.end(EndReason::Exit).await;
    assert_eq!(names(&told), ["on_interim_message"]);
    assert_eq!(told.lock().unwrap()[0].1["text"], "Two at once.");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_a_host_knows_is_told_where_the_host_says_it_and_on_its_thread() {
    let stage = Stage::new(&[say("One.")]);
    let told = Told::default();
    let listen = [
        "subagent_start",
        "subagent_stop",
        "pre_auxiliary_call",
        "post_auxiliary_call",
        "on_skill_lifecycle",
    ];
    let threads: Arc<std::sync::Mutex<Vec<std::thread::ThreadId>>> = Arc::default();
    let keep = Arc::clone(&threads);
    let callbacks = listening(Callbacks::new(), &listen, &told)
        .on("subagent_stop", "where", move |_, _| {
            keep.lock().unwrap().push(std::thread::current().id());
            Ok(Value::Null)
        })
        .unwrap();
    let agent = stage.open(callbacks.register(stage.builder())).await;
    let session = agent.session().clone();
    let child = Child { session: "child", role: "researcher" };
    assert_eq!(subagent_starts(&session, child, "find it"), None);
    let (status, duration) = (ChildStatus::Completed, Duration::from_secs(2));
    let _ = subagent_stops(&session, child, ChildEnd { summary: "found", status, calls: &[], duration });
    let here = std::thread::current().id();
    let title = Auxiliary { task: "title", id: "aux-1" };
    let _ = auxiliary_starts(&session, title, &hookspec::model::Request::default(), 0);
    let end = AuxiliaryEnd { model: "local/tiny", answer: Err("busy"), usage: None, duration };
    let _ = auxiliary_stops(&session, title, end);
    let skill = Skill { name: "flaky-tests", provenance: "agent", use_count: 1, reused: false };
    let _ = skill_changed(&session, "created", skill);
    agent.end(EndReason::Exit).await;
    assert_eq!(names(&told), listen);
    assert_eq!(*threads.lock().unwrap(), [here]);
    let told = told.lock().unwrap();
    assert_eq!((&told[1].1["child_status"], &told[1].1["duration_ms"]), (&json!("completed"), &json!(2000)));
    assert_eq!((&told[3].1["error"], &told[3].1["api_request_id"]), (&json!("busy"), &json!("aux-1")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_at_a_point_of_this_crate_ends_the_session_and_its_failure_is_told() {
    let stage = Stage::new(&[say("One."), say("Two.")]);
    let errors: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
    let keep = Arc::clone(&errors);
    let builder = stage
        .builder()
        .register(Hook::new(POST_LLM_CALL, "stage.breaks", |_, _| -> Flow { panic!("no disk") }))
        .register(
            Hook::new(POST_LLM_CALL, "stage.ends", |_, _| Flow::end_session("that was it")).priority(-1),
        )
        .register(Hook::new(ERROR, "stage.errors", move |event, _| {
            keep.lock().unwrap().push(event.error.to_owned());
        }));
    let mut agent = stage.open(builder).await;
    agent.prompt(Message::user("go")).await;
    assert_eq!(agent.ending(), Some("that was it"));
    agent.end(EndReason::Exit).await;
    let errors = errors.lock().unwrap();
    assert!(errors.len() == 1 && errors[0].contains("stage.breaks"), "{errors:?}");
}
