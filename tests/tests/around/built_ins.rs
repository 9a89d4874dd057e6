//! `retry`, `fallback_model` and `tool_cache` in sessions.

use std::sync::atomic::{AtomicU32, Ordering};

use hookspec::points::{ERROR, FILE_POST_SAVE, GENERATION_PRE, TurnOutcome};
use hookspec::tool::{ToolError, ToolOutput, ToolStatus};
use hookspec::{Hook, Message, Session, fire_now, tool};
use hookspec_agent::engine::TurnEnd;
use serde_json::json;

use super::{RESTED, fails, setup, used};
use crate::common::{call, say};

const RETRY: &str = "[hooks.retry]\nenabled = true\nfirst_wait_ms = 0\ntries = 3\n";

#[tokio::test(flavor = "multi_thread")]
async fn retry_crosses_a_stream_that_breaks_in_the_middle() {
    let (play, end) =
        setup(&[fails("cut", "half an"), used("The whole answer.", 9)], &["retry"], RETRY).play().await;
    assert_eq!(end, RESTED);
    assert_eq!(play.log(), ["The whole answer."]);
    let screen = play.screen.all();
    assert_eq!((screen[0].as_str(), screen[1].as_str()), ("generating 0", "+ half an"));
    assert!(
        screen[2].contains("broke off after 7 bytes") && screen[2].contains("(try 2 of 3)"),
        "{screen:?}"
    );
    assert_eq!((screen[3].as_str(), screen[4].as_str()), ("generating 1", "+ The whole answer"));
    let told = play.told.all();
    assert_eq!(told[0], "pre 0 script.jsonl");
    assert!(told[1].starts_with("error Model true 0 "), "{told:?}");
    assert_eq!(told[2], "pre 1 script.jsonl");
    assert_eq!(play.told.count("post"), 1);
    let data = play.metadata("The whole answer.");
    assert_eq!((data.answered_by, data.usage.unwrap().total()), (None, 9), "the model answered");
    assert_eq!(play.around(), [("retry.generation".to_owned(), 2, false)]);
    assert_eq!(play.timeline.points().iter().filter(|point| *point == "generation").count(), 1);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn its_tries_and_the_engines_are_not_multiplied() {
    let down = json!({ "error": { "kind": "server" }, "repeat": true }).to_string();
    let script = std::slice::from_ref(&down);
    let (play, end) = setup(script, &["retry"], RETRY).play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Error));
    assert_eq!(play.told.count("pre "), 3, "{:?}", play.told);
    assert_eq!(play.screen.count("Gave up after 3 tries."), 1, "{:?}", play.screen);
    let errors: Vec<_> = play.told.all().into_iter().filter(|text| text.starts_with("error")).collect();
    let heads: Vec<&str> = errors.iter().map(|text| &text[..19]).collect();
    assert_eq!(heads, ["error Model true 0 ", "error Model true 1 ", "error Model false 2"]);
    assert_eq!(play.log().len(), 1);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_among_its_kinds_is_tried_once_by_it_and_by_the_engine() {
    let only = format!("{RETRY}classes = [\"cut\"]\n");
    for (kind, settings) in [("authentication", RETRY), ("request", RETRY), ("server", &only)] {
        let (play, end) = setup(&[fails(kind, ""), say("no")], &["retry"], settings).play().await;
        assert_eq!(end, TurnEnd::Rested(TurnOutcome::Error), "{kind}");
        assert_eq!(play.told.count("pre "), 1, "{kind}");
        play.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_asks_for_more_than_there_is_ends_it_at_once() {
    let limited = json!({ "error": { "kind": "rate_limited", "retry_after_s": 600 } }).to_string();
    let (play, end) = setup(&[limited, say("no")], &["retry"], RETRY).play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Error));
    assert_eq!(play.told.count("pre "), 1);
    assert_eq!(
        play.screen.count("Gave up after 1 try: the next one would begin after 600."),
        1,
        "{:?}",
        play.screen
    );
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_its_wait() {
    let limited = json!({ "error": { "kind": "rate_limited", "retry_after_s": 3600 } }).to_string();
    let patient = format!("{RETRY}seconds = 9999\n");
    let (mut play, end) =
        setup(&[limited, say("afterwards")], &["retry"], &patient).stops_at("Trying again").play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Interrupted));
    assert_eq!(play.log(), ["Interrupted by the user."]);
    assert_eq!(play.told.count("interrupt User"), 1, "{:?}", play.told);
    assert_eq!(play.told.count("pre "), 1);
    assert_eq!(play.prompt("and now?").await, RESTED);
    assert_eq!(play.log().last().unwrap(), "afterwards");
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hooks_say_between_two_tries_comes_before_the_answer() {
    let notes = Hook::new(ERROR, "stage.notes", |_, _| Message::system("noted"));
    let (play, end) = setup(&[fails("server", ""), say("done")], &["retry"], RETRY).with(notes).play().await;
    assert_eq!((end, play.log()), (RESTED, vec!["noted".to_owned(), "done".to_owned()]));
    play.end().await;
}

/// Settings of `fallback_model` with a script in the workspace.
fn second(folder: &tempfile::TempDir, lines: &[String]) -> String {
    let path = folder.path().join("second.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    format!("[hooks.fallback_model]\nenabled = true\nmodels = [\"replay:{}\"]\n", path.display())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_model_answers_and_everything_says_that_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let settings = second(&folder, &[used("I can.", 5)]);
    let script = [fails("server", "I will"), used("I am back.", 3)];
    let groups = ["fallback_model", "cost_awareness"];
    let (mut play, end) = setup(&script, &groups, &settings).play().await;
    assert_eq!(end, RESTED);
    let data = play.metadata("I can.");
    assert!(data.model.as_deref().unwrap().ends_with("second.jsonl"), "{data:?}");
    assert_eq!((data.cost_micro_usd.unwrap().0, data.answered_by), (5_000_000, None));
    assert_eq!(play.screen.count("in place of"), 1, "{:?}", play.screen);
    assert_eq!(play.told.count("post second.jsonl Some(5) Some(5000000) I can."), 1, "{:?}", play.told);
    let pre: Vec<_> = play.told.all().into_iter().filter(|text| text.starts_with("pre")).collect();
    assert_eq!(pre, ["pre 0 script.jsonl", "pre 1 second.jsonl"]);
    // The session's model is what it was, and goes on where it was.
    assert!(play.agent.session().model().ends_with("script.jsonl"));
    assert_eq!(play.prompt("and you?").await, RESTED);
    assert_eq!(play.metadata("I am back.").cost_micro_usd.unwrap().0, 30_000);
    let ledger = play.agent.session().state_now::<hookspec_builtins::cost_awareness::Ledger>().unwrap();
    assert_eq!((ledger.requests, ledger.cost.0), (2, 5_030_000));
    drop(ledger);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_that_every_model_would_have_goes_to_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let settings = second(&folder, &[say("never asked")]);
    let (play, end) = setup(&[fails("request", "")], &["fallback_model"], &settings).play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Error));
    assert_eq!(play.told.count("second.jsonl"), 0);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_cannot_be_opened_is_passed_over_and_retry_tries_each() {
    let folder = tempfile::tempdir().unwrap();
    let settings = second(&folder, &[fails("cut", "he"), say("here")]);
    let settings = settings.replace("[\"replay:", "[\"nobody/x\", \"replay:") + RETRY;
    let script = [fails("server", ""), fails("timeout", ""), fails("connect", "")];
    let (play, end) = setup(&script, &["fallback_model", "retry"], &settings).play().await;
    assert_eq!((end, play.log()), (RESTED, vec!["here".to_owned()]));
    let pre: Vec<_> = play.told.all().into_iter().filter(|text| text.starts_with("pre")).collect();
    let models: Vec<&str> = pre.iter().filter_map(|text| text.rsplit(' ').next()).collect();
    assert_eq!(models, ["script.jsonl", "script.jsonl", "script.jsonl", "x", "second.jsonl", "second.jsonl"]);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_asks_no_other_model() {
    let folder = tempfile::tempdir().unwrap();
    let settings = second(&folder, &[say("never asked")]);
    let stops = Hook::new(GENERATION_PRE, "stage.stops", |_, session| {
        session.interrupt(hookspec::session::InterruptReason::User);
    });
    let (play, end) = setup(&[say("no")], &["fallback_model"], &settings).with(stops).play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Interrupted));
    assert_eq!((play.told.count("second.jsonl"), play.screen.count("in place of")), (0, 0));
    play.end().await;
}

#[test]
fn settings_with_which_nobody_could_be_asked_are_errors() {
    for (text, part) in [
        ("enabled = true", "names none"),
        ("models = [\"gpt\"]", "`gpt` is no model"),
        ("models = [\"ollama/\"]", "`ollama/` is no model"),
        ("on = [\"interrupted\"]", "somebody wanted it to stop"),
        ("model = [\"ollama/x\"]", "unknown key `model`"),
    ] {
        let setup = setup(&[], &["fallback_model"], &format!("[hooks.fallback_model]\n{text}\n"));
        let error = setup.builder.build().unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    let setup = setup(&[], &["retry"], "[hooks.retry]\ntries = 0\n");
    assert!(setup.builder.build().is_err());
}

/// How often the tools below were run in a session.
#[derive(Default)]
pub(super) struct Runs(AtomicU32);

fn fail_at_first(session: &Session, error: ToolError) -> Result<String, ToolError> {
    let runs = session.extension::<Runs>().unwrap();
    if runs.0.fetch_add(1, Ordering::SeqCst) == 0 { Err(error) } else { Ok("at last".into()) }
}

/// Looks at something for too long, the first time.
#[tool(name = "slow_look", pure)]
fn slow_look(session: &Session) -> Result<String, ToolError> {
    fail_at_first(session, ToolError::Timeout("too slow".into()))
}

/// Looks at something that is not there, the first time.
#[tool(name = "bad_look", pure)]
fn bad_look(session: &Session) -> Result<String, ToolError> {
    fail_at_first(session, ToolError::Failed("not there".into()))
}

/// Sends something, and fails the first time.
#[tool(name = "send")]
fn send(session: &Session) -> Result<String, ToolError> {
    fail_at_first(session, ToolError::Failed("the line is busy".into()))
}

/// May not.
#[tool(name = "forbidden")]
fn forbidden(session: &Session) -> Result<String, ToolError> {
    fail_at_first(session, ToolError::Denied("you may not".into()))
}

async fn tool_runs(tool: &str, more: &str) -> (u32, super::Play) {
    let settings = format!("{RETRY}{more}\n");
    let setup = setup(&[call(tool, json!({})), say("I see.")], &["retry"], &settings);
    let (play, end) = setup.play().await;
    assert_eq!(end, RESTED);
    let runs = play.agent.session().extension::<Runs>().unwrap();
    (runs.0.load(Ordering::SeqCst), play)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_run_again_only_where_that_does_no_harm() {
    for (tool, more, runs) in [
        ("slow_look", "", 2),
        ("bad_look", "", 1),
        ("send", "", 1),
        ("send", "tools = [\"se*\"]", 2),
        ("send", "tools = [\"se*\"]\ntool_classes = [\"timeout\"]", 1),
        ("slow_look", "tool_classes = []", 2),
        ("bad_look", "tools = [\"bad_look\"]", 2),
        ("forbidden", "tools = [\"*\"]", 1),
    ] {
        let (ran, play) = tool_runs(tool, more).await;
        assert_eq!(ran, runs, "{tool} {more}");
        let last = &play.log()[1];
        assert_eq!(last == "at last", runs == 2, "{tool} {more}: {last}");
        if runs == 2 {
            assert_eq!(play.screen.count(&format!("tool {tool}")), 2);
            assert_eq!(play.screen.count("(try 2 of 3)"), 1, "{:?}", play.screen);
            assert_eq!(play.told.count("error Tool true 0"), 1, "{:?}", play.told);
            assert_eq!(play.told.count("gate"), 1, "it is the call that was allowed");
        }
        play.end().await;
    }
}

const CACHE: &str = "[hooks.tool_cache]\nenabled = true\n";

fn read(path: &str) -> String {
    call("read", json!({ "path": path }))
}

/// What answered each run of a tool that was asked: a hook, or the tool itself.
fn answered(play: &super::Play) -> Vec<bool> {
    let log = play.agent.session().log();
    let results = log.iter().filter(|message| message.call_id.is_some());
    results.map(|message| message.metadata.as_ref().is_some_and(|data| data.answered_by.is_some())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_call_is_answered_again_until_something_changes() {
    let script = [
        call("save", json!({ "path": "a.txt", "content": "one\n" })),
        read("a.txt"),
        read("a.txt"),
        read("./a.txt"),
        call("save", json!({ "path": "a.txt", "content": "two\n" })),
        read("a.txt"),
        read("a.txt"),
        call("shell", json!({ "command": "echo three > a.txt" })),
        read("a.txt"),
        call("shell", json!({ "command": "mkdir -p d && echo four > d/a.txt && cd d" })),
        read("a.txt"),
        read("a.txt"),
        say("Enough."),
        read("a.txt"),
        say("Enough."),
    ];
    let (mut play, end) = setup(&script, &["tool_cache"], CACHE).play().await;
    assert_eq!(end, RESTED);
    let (no, yes) = (false, true);
    assert_eq!(answered(&play), [no, no, yes, no, no, no, yes, no, no, no, no, yes]);
    let reads: Vec<String> = play.log().into_iter().filter(|text| text.starts_with("```/")).collect();
    let texts: Vec<&str> = reads.iter().filter_map(|text| text.lines().nth(1)).collect();
    assert_eq!(texts, ["one", "one", "one", "two", "two", "three", "four", "four"]);
    let around = play.around();
    assert_eq!(around.iter().filter(|(_, runs, by)| *runs == 0 && *by).count(), 3, "{around:?}");
    assert_eq!(play.screen.count("tool read"), 5, "{:?}", play.screen);
    assert_eq!(play.told.count("gate read"), 8, "gates look at each call");
    // A new message: somebody may have changed the file since.
    assert_eq!(play.prompt("once more").await, RESTED);
    assert_eq!(answered(&play).last(), Some(&no));
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_a_block_is_the_same_as_a_native_one() {
    let fenced = say("```read a.txt\n```");
    let script = [
        call("save", json!({ "path": "a.txt", "content": "one\n" })),
        read("a.txt"),
        fenced,
        call("read", json!({ "path": "a.txt", "from": 2 })),
        say("Enough."),
    ];
    let (play, end) = setup(&script, &["tool_cache"], CACHE).play().await;
    assert_eq!((end, answered(&play)), (RESTED, vec![false, false, true, false]));
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_and_what_the_user_was_asked_for_are_not_kept() {
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().join("a.txt").display().to_string();
    std::fs::write(&path, "x\n").unwrap();
    let agrees = Hook::new(hookspec::points::ELICIT, "stage.agrees", |_, _| {
        hookspec::First(hookspec::ask::Answer::Text("yes".into()))
    });
    let script = [read("none"), read("none"), read(&path), read(&path), say("Enough.")];
    let (play, end) = setup(&script, &["tool_cache"], CACHE).with(agrees).play().await;
    assert_eq!((end, answered(&play)), (RESTED, vec![false; 4]));
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_that_are_not_pure_or_are_left_out_always_run_and_denied_ones_never() {
    let shell = || call("shell", json!({ "command": "echo hi" }));
    let script = [shell(), shell(), read("a"), read("a"), say("Enough.")];
    let settings = format!("{CACHE}except = [\"read\"]\n");
    let setup = setup(&script, &["tool_cache"], &settings);
    let mut play = setup.open().await;
    std::fs::write(play.stage.workspace().join("a"), "x\n").unwrap();
    assert_eq!((play.prompt("go").await, answered(&play)), (RESTED, vec![false; 4]));
    play.end().await;

    let script = [read("a"), read("a"), say("Enough.")];
    let second = std::sync::atomic::AtomicBool::new(false);
    let denies = Hook::new(hookspec::points::TOOL_PRE_EXECUTE, "stage.guard", move |_, _| {
        second.swap(true, Ordering::SeqCst).then(|| hookspec::Gate::deny("once is enough"))
    });
    let mut play = super::setup(&script, &["tool_cache"], CACHE).with(denies).open().await;
    std::fs::write(play.stage.workspace().join("a"), "x\n").unwrap();
    assert_eq!((play.prompt("go").await, answered(&play)), (RESTED, vec![false; 2]));
    assert!(play.log().iter().any(|text| text.contains("once is enough")));
    play.end().await;
}

/// Looks, and finds that it is not well.
#[tool(name = "sick_look", pure)]
fn sick_look(session: &Session) -> ToolOutput {
    session.extension::<Runs>().unwrap().0.fetch_add(1, Ordering::SeqCst);
    ToolOutput { messages: vec![Message::system("not well")], status: Some(ToolStatus::Error) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_is_no_good_one_is_not_kept() {
    let script = [call("sick_look", json!({})), call("sick_look", json!({})), say("Enough.")];
    let (play, end) = setup(&script, &["tool_cache"], CACHE).play().await;
    assert_eq!((end, answered(&play)), (RESTED, vec![false; 2]));
    assert_eq!(play.agent.session().extension::<Runs>().unwrap().0.load(Ordering::SeqCst), 2);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hooks_do_behind_the_tools_is_noticed_too() {
    // Before the second look a hook writes the file, before the third it moves the session.
    let meddles = Hook::new(hookspec::points::STEP_PRE, "stage.meddles", |event, session| {
        let path = session.workspace().unwrap().join("a.txt");
        match event.step {
            1 => {
                std::fs::write(&path, "two\n").unwrap();
                let content = "two\n";
                drop(fire_now!(session, FILE_POST_SAVE { path: &path, content, created: false }));
            }
            2 => session.set_cwd(session.workspace().unwrap().join("d")),
            _ => {}
        }
    });
    let script = [read("a.txt"), read("a.txt"), read("a.txt"), read("a.txt"), say("Enough.")];
    let mut play = setup(&script, &["tool_cache"], CACHE).with(meddles).open().await;
    let workspace = play.stage.workspace();
    std::fs::create_dir(workspace.join("d")).unwrap();
    std::fs::write(workspace.join("a.txt"), "one\n").unwrap();
    std::fs::write(workspace.join("d/a.txt"), "three\n").unwrap();
    assert_eq!(play.prompt("go").await, RESTED);
    assert_eq!(answered(&play), [false, false, false, true]);
    let log = play.log().join("\n");
    let found: Vec<bool> =
        ["one", "two", "three"].iter().map(|text| log.contains(&format!("\n{text}\n"))).collect();
    assert_eq!(found, [true; 3], "{log}");
    play.end().await;
}
