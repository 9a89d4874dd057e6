//! Runs of tools.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use hookspec::hooks::BoxFuture;
use hookspec::points::{TOOL_EXECUTE, TOOL_PRE_EXECUTE, TOOL_TRANSFORM, TurnOutcome};
use hookspec::tool::{ToolError, ToolOutput, ToolResult};
use hookspec::{Around, Fold, Gate, Hook, Message, ToolUse};
use hookspec_agent::engine::TurnEnd;
use serde_json::json;

use super::{Notes, RESTED, setup};
use crate::common::{call, say};

type Answer = Option<Around<ToolResult>>;

fn shell(command: &str) -> String {
    call("shell", json!({ "command": command }))
}

/// A hook that dies before, while or after the tool runs.
fn dies(at: &'static str) -> Hook<TOOL_EXECUTE::Point> {
    Hook::around(TOOL_EXECUTE, "stage.dies", move |_, _, next| -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            assert!(at != "before", "before");
            let mut running = pin!(next.run());
            let result = poll_fn(|cx| {
                let polled = running.as_mut().poll(cx);
                assert!(at != "during" || polled.is_ready(), "during");
                polled
            });
            result.await.ok();
            panic!("after");
        })
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_dies_loses_no_result_and_runs_nothing_twice() {
    for at in ["before", "during", "after"] {
        let script = [shell("echo ran >> count; sleep 0.1; echo done"), say("I see.")];
        let (play, end) = setup(&script, &[], "").with(dies(at)).play().await;
        assert_eq!(end, RESTED, "{at}");
        assert_eq!(std::fs::read_to_string(play.stage.workspace().join("count")).unwrap(), "ran\n", "{at}");
        assert!(play.log().iter().any(|text| text.contains("done")), "{at}: {:?}", play.log());
        let error = play.told.all().into_iter().find(|text| text.starts_with("error Hook")).unwrap();
        assert!(error.contains("`stage.dies`") && error.contains(at), "{error}");
        play.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_call_never_gets_there_and_neither_does_one_of_a_tool_that_is_not() {
    let there = Notes::default();
    let notes = there.clone();
    let sees = Hook::around_now(TOOL_EXECUTE, "stage.sees", move |event, _, _| {
        notes.add(event.tool_use.tool.clone());
    });
    let denies = Hook::new(TOOL_PRE_EXECUTE, "stage.guard", |event, _| {
        (event.tool_use.tool == "shell").then(|| Gate::deny("not today"))
    });
    let script = [shell("echo hi"), call("nothing", json!({})), say("I see.")];
    let (play, end) = setup(&script, &[], "").with(sees).with(denies).play().await;
    assert_eq!(end, RESTED);
    assert_eq!(there.all(), [""; 0]);
    assert_eq!(play.told.count("ran"), 2, "what is behind a call is told all the same: {:?}", play.told);
    play.end().await;
}

/// A hook that puts another command in place of the one that was allowed.
fn swaps(command: &'static str) -> Hook<TOOL_EXECUTE::Point> {
    Hook::around(TOOL_EXECUTE, "stage.swaps", move |event, _, next| -> BoxFuture<'_, Answer> {
        let mut other: ToolUse = event.tool_use.with_text("command", command);
        other.call_id = Some("another".into());
        Box::pin(async move { Some(Around(next.with(other).run().await)) })
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_a_hook_changed_is_judged_again_before_it_runs() {
    let guard = || {
        Hook::new(TOOL_PRE_EXECUTE, "stage.guard", |event, _| {
            let command = event.tool_use.text("command").unwrap_or_default();
            command.contains("secret").then(|| Gate::deny("not that file"))
        })
    };
    let script = [shell("echo hi > a"), say("I see.")];
    let (play, end) = setup(&script, &[], "").with(guard()).with(swaps("touch secret")).play().await;
    assert_eq!(end, RESTED);
    assert!(!play.stage.workspace().join("secret").exists() && !play.stage.workspace().join("a").exists());
    assert!(play.log().contains(&"Denied by the hook `stage.guard`: not that file".to_owned()));
    let told = play.told.all();
    assert!(told.contains(&"gate shell touch secret".to_owned()), "{told:?}");
    assert_eq!(play.told.count("ran echo hi > a Denied"), 1, "{told:?}");
    assert_eq!(play.screen.count("tool shell"), 0, "{:?}", play.screen);
    play.end().await;

    let (play, end) = setup(&script, &[], "").with(guard()).with(swaps("echo there > b")).play().await;
    assert_eq!(end, RESTED);
    assert!(play.stage.workspace().join("b").exists() && !play.stage.workspace().join("a").exists());
    assert_eq!(play.told.count("ran echo there > b Ok"), 1, "what ran is what is told: {:?}", play.told);
    assert_eq!(play.screen.count("called shell"), 2, "and shown");
    let log = play.agent.session().log();
    let ids: Vec<_> = log.iter().filter_map(|message| message.call_id.clone()).collect();
    assert_eq!(ids, ["replay-0-0"], "it answers the call that was announced");
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_call_is_confirmed_where_its_tool_asks_for_it() {
    let becomes = Hook::around(TOOL_EXECUTE, "stage.becomes", |_, _, next| -> BoxFuture<'_, Answer> {
        let kwargs = json!({ "command": "touch made" }).as_object().cloned().unwrap();
        Box::pin(async move { Some(Around(next.with(ToolUse::native("shell", "x", kwargs)).run().await)) })
    });
    // Nobody is there, and `read` asks nobody.
    let mut setup = setup(&[call("read", json!({ "path": "a" })), say("I see.")], &[], "").with(becomes);
    setup.builder = setup.builder.no_confirm(false);
    let (play, end) = setup.play().await;
    assert_eq!(end, RESTED);
    assert!(!play.stage.workspace().join("made").exists());
    assert!(play.log().iter().any(|text| text.contains("nobody is there to ask")), "{:?}", play.log());
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_call_that_the_user_declines_ends_the_turn() {
    let declines = Hook::new(hookspec::points::TOOL_CONFIRM, "stage.declines", |event, _| {
        let command = event.tool_use.text("command").unwrap_or_default();
        hookspec::First(if command.contains("touch") {
            hookspec::ask::Confirmation::Skip { reason: "no".into() }
        } else {
            hookspec::ask::Confirmation::Confirm
        })
    });
    let mut setup =
        setup(&[shell("echo hi"), say("never said")], &[], "").with(swaps("touch made")).with(declines);
    setup.builder = setup.builder.no_confirm(false);
    let (play, end) = setup.play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Declined));
    assert!(!play.stage.workspace().join("made").exists());
    assert_eq!(play.log().last().unwrap(), "no");
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_changed_to_a_tool_that_is_not_there_says_so() {
    let becomes = Hook::around(TOOL_EXECUTE, "stage.becomes", |_, _, next| -> BoxFuture<'_, Answer> {
        let other = ToolUse::fenced("nothing", [""; 0], "");
        Box::pin(async move { Some(Around(next.with(other).run().await)) })
    });
    let (play, _) = setup(&[shell("touch made"), say("I see.")], &[], "").with(becomes).play().await;
    assert!(
        play.log().iter().any(|text| text.starts_with("There is no tool `nothing`.")),
        "{:?}",
        play.log()
    );
    assert!(!play.stage.workspace().join("made").exists());
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_in_place_of_the_tools_says_in_the_log_whose_it_is() {
    let mocks = Hook::around_now(TOOL_EXECUTE, "stage.mocks", |_, _, _| -> Answer {
        Some(Around(Ok(ToolOutput { messages: vec![Message::system("a mock")], status: None })))
    });
    // Also where another hook puts messages of its own in the result's place.
    let rewrites = Hook::new(hookspec::points::TOOL_RESULT_TRANSFORM, "stage.rewrites", |_, _| {
        Fold(vec![Message::system("a fair copy")])
    });
    let (play, end) =
        setup(&[shell("touch made"), say("I see.")], &[], "").with(mocks).with(rewrites).play().await;
    assert_eq!(end, RESTED);
    assert!(!play.stage.workspace().join("made").exists());
    let data = play.metadata("a fair copy");
    assert_eq!((data.answered_by.as_deref(), data.tool.as_deref()), (Some("stage.mocks"), Some("shell")));
    assert_eq!(play.told.count("gate shell"), 1);
    assert_eq!(play.told.count("ran touch made Ok a mock"), 1, "{:?}", play.told);
    assert_eq!(play.screen.count("tool shell"), 0);
    assert_eq!(play.around(), [("stage.mocks".to_owned(), 0, true)]);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_a_hook_dropped_is_a_failure_that_names_it() {
    let drops = Hook::around(TOOL_EXECUTE, "stage.drops", |_, _, next| -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut running = Box::pin(next.run());
            poll_fn(|cx| {
                assert!(running.as_mut().poll(cx).is_pending());
                Poll::Ready(())
            })
            .await;
        })
    });
    let (play, end) = setup(&[shell("sleep 60"), say("I see.")], &[], "").with(drops).play().await;
    assert_eq!(end, RESTED);
    let log = play.log();
    assert!(log[1].starts_with("`shell` was running, and the hook `stage.drops`"), "{log:?}");
    assert_eq!(play.told.count("error Tool false 0 `shell`: `shell` was running"), 1, "{:?}", play.told);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_may_be_a_time_limit() {
    let limits = Hook::around(TOOL_EXECUTE, "stage.limits", |_, session, next| -> BoxFuture<'_, Answer> {
        let mut alarm = session.sleep(std::time::Duration::from_millis(20));
        Box::pin(async move {
            let mut running = Box::pin(next.run());
            let result = poll_fn(|cx| match running.as_mut().poll(cx) {
                Poll::Ready(result) => Poll::Ready(result),
                Poll::Pending => {
                    alarm.as_mut().poll(cx).map(|()| Err(ToolError::Timeout("Enough of that.".into())))
                }
            });
            Some(Around(result.await))
        })
    });
    let (play, end) = setup(&[shell("sleep 60"), say("I see.")], &[], "").with(limits).play().await;
    assert_eq!(end, RESTED);
    assert_eq!(play.log()[1], "Enough of that.");
    assert_eq!(play.told.count("ran sleep 60 Timeout"), 1, "{:?}", play.told);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_that_a_run_changed_is_told_behind_it_and_files_are_told_within() {
    let stays = Hook::around(TOOL_EXECUTE, "stage.stays", |_, _, next| -> BoxFuture<'_, Answer> {
        Box::pin(async move { Some(Around(next.run().await)) })
    });
    let rewrites = Hook::new(TOOL_TRANSFORM, "stage.rewrites", |event, _| {
        Fold(event.tool_use.with_text("command", "mkdir d && cd d"))
    });
    let (play, end) = setup(&[shell("ls"), say("I see.")], &[], "").with(stays).with(rewrites).play().await;
    assert_eq!(end, RESTED);
    let points = play.timeline.points();
    let at = |point: &str| points.iter().position(|fired| fired == point).unwrap();
    assert!(at("tool.transform") < at("tool.execute.pre") && at("tool.execute.pre") < at("tool.execute"));
    assert!(at("tool.execute") < at("cwd.changed") && at("cwd.changed") < at("tool.execute.post"));
    assert_eq!(play.metadata(&play.log()[1]).answered_by, None, "what is handed on is the tool's");
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_that_a_hook_made_good_is_told_all_the_same() {
    let mends = Hook::around(TOOL_EXECUTE, "stage.mends", |_, _, next| -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            next.run().await.unwrap_err();
            Some(Around(Ok(ToolOutput { messages: vec![Message::system("never mind")], status: None })))
        })
    });
    let script = [call("read", json!({ "path": "none" })), say("I see.")];
    let (play, end) = setup(&script, &[], "").with(mends).play().await;
    assert_eq!((end, play.log()[1].as_str()), (RESTED, "never mind"));
    assert_eq!(play.told.count("error Tool false 0 `read`: "), 1, "{:?}", play.told);
    play.end().await;
}
