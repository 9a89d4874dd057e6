//! What the engine promises beside the order of its points.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use std::sync::Arc;
use std::time::Duration;

use hookspec::ask::{Confirmation, Continue};
use hookspec::points::{
    CACHE_INVALIDATED, ERROR, FILE_PRE_SAVE, GENERATION_PRE, MESSAGE_PRE_PROCESS, SESSION_END, SESSION_START,
    STEP_PRE, TOOL_CONFIRM, TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE, TOOL_TRANSFORM, TURN_PRE,
};
use hookspec::points::{EndReason, LOOP_CONTINUE, TurnOutcome};
use hookspec::registry::RegistryBuilder;
use hookspec::session::InterruptReason;
use hookspec::tool::ToolStatus;
use hookspec::{First, Flow, Fold, Gate, Hook, Message, Mode, Registry, Role};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Opening, TurnEnd};
use serde_json::json;

use common::{Stage, call, say, texts};

/// Nobody can be asked; no hooks but what the test adds under `stage`.
fn nobody() -> RegistryBuilder {
    let silent = Hook::new(STEP_PRE, "stage.silent", |_, _| ());
    Registry::builder()
        .plugins(hookspec::plugins![hookspec_builtins])
        .mode(Mode::Cli)
        .allow(["stage"])
        .register(silent)
}

/// The same, with everything confirmed beforehand.
fn yes() -> RegistryBuilder {
    nobody().no_confirm(true)
}

fn save(path: &str, content: &str) -> String {
    call("save", json!({ "path": path, "content": content }))
}

const RESTED: TurnEnd = TurnEnd::Rested(TurnOutcome::Complete);

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_call_does_not_run_and_the_model_reads_why() {
    let stage = Stage::new(&[save("a", "x"), say("I see.")]);
    let deny = Hook::new(TOOL_PRE_EXECUTE, "stage.guard", |_, _| Gate::deny("not on Sundays"));
    let status =
        Hook::new(TOOL_POST_EXECUTE, "stage.sees", |event, _| Message::system(format!("{:?}", event.status)));
    let mut agent = stage.open(yes().register(deny).register(status), None).await;
    assert_eq!(agent.prompt(Message::user("save")).await, RESTED);
    let log = texts(&agent);
    assert_eq!(log[2], format!("{:?}", ToolStatus::Denied));
    assert_eq!(log[3], "Denied by the hook `stage.guard`: not on Sundays");
    assert!(!stage.workspace().join("a").exists());
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_to_ask_is_a_refusal_and_the_turn_goes_on() {
    let stage = Stage::new(&[save("a", "x"), say("Then not.")]);
    let mut agent = stage.open(nobody(), None).await;
    assert_eq!(agent.prompt(Message::user("save")).await, RESTED);
    assert!(texts(&agent)[2].contains("nobody is there to ask"));
    assert!(!stage.workspace().join("a").exists());
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_what_runs_and_the_gate_sees_it() {
    let stage = Stage::new(&[save("a", "old"), say("ok")]);
    let edit =
        Hook::new(TOOL_CONFIRM, "stage.edits", |_, _| First(Confirmation::Edit { content: "new".into() }));
    let gate = Hook::new(TOOL_PRE_EXECUTE, "stage.gate", |event, _| {
        Message::system(format!("gate saw {}", event.tool_use.kwargs["content"]))
    });
    let mut agent = stage.open(nobody().register(edit).register(gate), None).await;
    agent.prompt(Message::user("save")).await;
    assert_eq!(std::fs::read_to_string(stage.workspace().join("a")).unwrap(), "new");
    let log = texts(&agent);
    assert_eq!(log[2..4], ["gate saw \"old\"", "gate saw \"new\""]);
    assert!(log[4].starts_with("The user edited this call, and it ran with:\nnew\n\n"), "{log:?}");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_call_ends_the_turn_but_not_its_neighbours() {
    let two = json!({ "text": "", "tool_calls": [
        { "tool": "save", "kwargs": { "path": "a", "content": "x" } },
        { "tool": "save", "kwargs": { "path": "b", "content": "x" } },
    ] });
    let stage = Stage::new(&[two.to_string(), say("never said")]);
    let picky = Hook::new(TOOL_CONFIRM, "stage.picky", |event, _| {
        let first = event.tool_use.kwargs["path"] == "a";
        First(if first { Confirmation::Skip { reason: "no".into() } } else { Confirmation::Confirm })
    });
    let mut agent = stage.open(nobody().register(picky), None).await;
    let end = agent.prompt(Message::user("save both")).await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Declined));
    assert!(!stage.workspace().join("a").exists() && stage.workspace().join("b").exists());
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_rewrite_calls_files_and_requests() {
    let stage = Stage::new(&[save("a", "x"), say("ok")]);
    let elsewhere = Hook::new(TOOL_TRANSFORM, "stage.moves", |event, _| {
        let mut call = event.tool_use.clone();
        call.kwargs.insert("path".into(), "b".into());
        Fold(call)
    });
    let shout = Hook::new(FILE_PRE_SAVE, "stage.shouts", |event, _| Fold(event.content.to_uppercase()));
    let whisper = Hook::new(GENERATION_PRE, "stage.whispers", |_, _| Message::system("only this once"));
    let mut agent = stage.open(yes().register(elsewhere).register(shout).register(whisper), None).await;
    agent.prompt(Message::user("save")).await;
    assert_eq!(std::fs::read_to_string(stage.workspace().join("b")).unwrap(), "X");
    assert!(!stage.log_text().contains("only this once"), "request-only messages are not stored");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_a_hook_interrupts_beforehand_does_not_go_out() {
    let stage = Stage::new(&[say("first answer")]);
    let hold = Hook::new(GENERATION_PRE, "stage.holds", |event, session| {
        if event.request.messages.iter().all(|message| message.content != "again") {
            session.interrupt(InterruptReason::Hook);
        }
    });
    let mut agent = stage.open(yes().register(hold), None).await;
    assert_eq!(agent.prompt(Message::user("go")).await, TurnEnd::Rested(TurnOutcome::Interrupted));
    assert!(texts(&agent).contains(&"Interrupted by a hook.".to_owned()));
    assert_eq!(agent.prompt(Message::user("again")).await, RESTED);
    assert!(texts(&agent).contains(&"first answer".to_owned()), "the script's first answer was still there");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_is_shown_and_not_kept() {
    let stage = Stage::new(&[say("ok")]);
    let wait = Hook::new(GENERATION_PRE, "stage.waits", |_, session| session.notice("loading, 10 s"));
    let mut agent = stage.open(yes().register(wait), None).await;
    assert_eq!(agent.prompt(Message::user("go")).await, RESTED);
    assert!(stage.shown.0.lock().unwrap().contains(&"! loading, 10 s".to_owned()));
    assert!(!stage.log_text().contains("loading"));
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_message_never_enters_the_log() {
    let stage = Stage::new(&[say("never said")]);
    let refuse = Hook::new(MESSAGE_PRE_PROCESS, "stage.refuses", |event, _| {
        event.message.content.contains("secret").then(|| Gate::deny("that looks like a secret"))
    });
    let mut agent = stage.open(yes().register(refuse), None).await;
    let end = agent.prompt(Message::user("my secret")).await;
    assert_eq!(
        end,
        TurnEnd::Refused { reason: "that looks like a secret".into(), hook: "stage.refuses".into() }
    );
    assert!(!stage.log_text().contains("my secret"));
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_ends_the_session_after_the_result_is_stored() {
    let stage = Stage::new(&[save("a", "x"), say("never said")]);
    let end = Hook::new(TOOL_POST_EXECUTE, "stage.ends", |_, _| {
        (Message::system("enough"), Flow::end_session("done"))
    });
    let last =
        Hook::new(SESSION_END, "stage.last", |event, _| Message::system(format!("{:?}", event.reason)));
    let mut agent = stage.open(yes().register(end).register(last), None).await;
    assert_eq!(agent.prompt(Message::user("save")).await, TurnEnd::Rested(TurnOutcome::SessionEnded));
    assert_eq!(agent.ending(), Some("done"));
    agent.end(EndReason::Exit).await;
    let log = stage.log_text();
    let order: Vec<_> =
        ["enough", "Created", "Complete"].iter().map(|text| log.find(text).unwrap()).collect();
    assert!(order.is_sorted(), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn going_on_is_capped_with_a_notice() {
    let stage = Stage::new(&[json!({ "text": "again", "repeat": true }).to_string()]);
    let forever =
        Hook::new(LOOP_CONTINUE, "stage.forever", |_, _| First(Continue::With(Message::user("more"))));
    let mut agent = stage.open(yes().register(forever), None).await;
    agent.prompt(Message::user("go")).await;
    let log = agent.session().log();
    let said = log.iter().filter(|message| message.role == Role::User);
    let by: Vec<_> = said.map(|message| message.hook.as_deref()).collect();
    assert_eq!(by[0], None);
    assert_eq!(by[1..], [Some("stage.forever"); 8]);
    assert!(log.last().unwrap().content.contains("8 times in a row"));
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewritten_message_keeps_the_name_of_the_hook_that_said_it() {
    let stage = Stage::new(&[json!({ "text": "again", "repeat": true }).to_string()]);
    let once = Hook::new(LOOP_CONTINUE, "stage.once", |event, _| {
        (event.continued == 0).then(|| First(Continue::With(Message::user("more"))))
    });
    let louder = Hook::new(MESSAGE_PRE_PROCESS, "stage.louder", |event, _| {
        Fold(Message::user(event.message.content.to_uppercase()))
    });
    let mut agent = stage.open(yes().register(once).register(louder), None).await;
    agent.prompt(Message::user("go")).await;
    let log = agent.session().log();
    let said = log.iter().filter(|message| message.role == Role::User);
    let said: Vec<_> = said.map(|message| (message.content.as_str(), message.hook.as_deref())).collect();
    assert_eq!(said, [("GO", None), ("MORE", Some("stage.once"))]);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_cuts_a_generation_and_a_tool() {
    let slow = json!({ "text": "one two three four five six", "chunk_size": 1, "delay_ms": 50 }).to_string();
    let stage = Stage::new(&[slow, call("shell", json!({ "command": "sleep 60 & sleep 60" }))]);
    let mut agent = stage.open(yes(), None).await;
    let session = agent.session().clone();
    let interrupt = |session: hookspec::Session| async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        session.interrupt(InterruptReason::User);
    };
    let (end, ()) = tokio::join!(agent.prompt(Message::user("talk")), interrupt(session.clone()));
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Interrupted));
    let partial = texts(&agent)[1].clone();
    assert!("one two three four five six".starts_with(&partial) && !partial.is_empty());
    assert_eq!(texts(&agent)[2], "Interrupted by the user.");

    let began = std::time::Instant::now();
    let (end, ()) = tokio::join!(agent.prompt(Message::user("sleep")), interrupt(session));
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Interrupted));
    assert!(texts(&agent).last().unwrap().contains("The command was interrupted"));
    assert!(began.elapsed() < Duration::from_secs(50), "it did not wait for the sleepers");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_session_goes_on_where_it_was() {
    let stage = Stage::new(&[save("a", "x"), say("first"), say("second")]);
    let counts = || {
        Hook::new(TURN_PRE, "stage.counts", |_, session: &hookspec::Session| {
            let mut count = session.try_state::<Count>().unwrap();
            count.0 += 1;
            Message::system(format!("turn {}", count.0))
        })
    };
    let starts = || {
        Hook::new(SESSION_START, "stage.starts", |event, _| Message::system(format!("{:?}", event.reason)))
    };
    let mut agent = stage.open(yes().register(counts()).register(starts()), None).await;
    agent.prompt(Message::user("one")).await;
    let locked = stage.resume(yes()).await.unwrap_err().to_string();
    assert!(locked.contains("is open in process"), "{locked}");
    let before = texts(&agent);
    agent.end(EndReason::Exit).await;

    let mut agent = stage.resume(yes().register(counts()).register(starts())).await.unwrap();
    assert_eq!(texts(&agent)[..before.len()], before, "what hooks emitted at the first start is still there");
    assert_eq!(texts(&agent).last().unwrap(), "Resume");
    agent.prompt(Message::user("two")).await;
    let after = texts(&agent);
    assert_eq!(after[after.len() - 2..], ["turn 2", "second"]);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_a_hook_has_set_is_told_once_and_kept_for_the_next_time() {
    let stage = Stage::new(&[save("a", "x"), say("never said")]);
    let other = stage.logs().with_file_name("other.jsonl");
    std::fs::write(&other, [say("from another"), say("and again")].join("\n")).unwrap();
    let name = format!("replay:{}", other.display());
    let wanted = name.clone();
    let switches = Hook::new(TOOL_POST_EXECUTE, "stage.switches", move |_, session: &hookspec::Session| {
        session.set_model(wanted.as_str());
    });
    let told =
        Hook::new(CACHE_INVALIDATED, "stage.told", |event, _| Message::system(format!("{:?}", event.reason)));
    let mut agent = stage.open(yes().register(switches).register(told), None).await;
    assert_eq!(agent.prompt(Message::user("save")).await, RESTED);
    let log = texts(&agent);
    assert_eq!(log[log.len() - 2..], ["Model", "from another"]);
    assert_eq!(log.iter().filter(|text| *text == "Model").count(), 1);
    agent.end(EndReason::Exit).await;
    let opening = Opening { model: None, ..stage.opening(yes(), Begin::Resume("test".into())) };
    let agent = Agent::open(opening, |session| session).await.unwrap();
    assert_eq!(agent.session().model(), name);
    agent.end(EndReason::Exit).await;
}

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Count(u32);

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_a_crash_left_open_is_closed_on_resume() {
    let stage = Stage::new(&[save("a", "x"), say("ok")]);
    let mut agent = stage.open(yes(), None).await;
    agent.prompt(Message::user("save")).await;
    agent.end(EndReason::Exit).await;
    // As a crash between the announcement and the result would leave it, with a torn line on top.
    let path = stage.logs().join("test/conversation.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let announced: String =
        text.lines().take_while(|line| !line.contains("Created")).map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, announced + "{\"role\":\"sys").unwrap();

    let agent = stage.resume(yes()).await.unwrap();
    let log = agent.session().log();
    let last = log.last().unwrap();
    assert!(last.content.starts_with("Interrupted") && last.call_id.is_some(), "{last:?}");
    assert!(stage.shown.0.lock().unwrap().iter().any(|text| text.contains("conversation.jsonl, line")));
    agent.end(EndReason::Exit).await;
    assert!(stage.log_text().ends_with('\n'));
    let again = stage.resume(yes()).await.unwrap();
    assert_eq!(again.session().log().len(), log.len(), "closed once");
    again.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_of_tools_models_and_hooks_fire_error() {
    let stage = Stage::new(&[
        call("shell", json!({ "command": "exit 3" })),
        call("nothing", json!({})),
        r#"{"error":{"kind":"server"}}"#.to_owned(),
        r#"{"error":{"kind":"authentication"}}"#.to_owned(),
    ]);
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let notes = seen.clone();
    let note = Hook::new(ERROR, "stage.notes", move |event, _| {
        notes.lock().unwrap().push(format!("{:?} {} {}", event.source, event.retryable, event.error));
    });
    let broken = Hook::new(STEP_PRE, "stage.broken", |event, _| assert!(event.step != 0, "first step"));
    let mut agent = stage.open(yes().register(note).register(broken), None).await;
    assert_eq!(agent.prompt(Message::user("fail")).await, TurnEnd::Rested(TurnOutcome::Error));
    agent.end(EndReason::Exit).await;
    let seen = seen.lock().unwrap();
    assert!(seen[0].starts_with("Hook false the hook `stage.broken`"), "{seen:?}");
    assert!(seen[1].contains("exit code 3") && seen[2].contains("no tool `nothing`"));
    assert!(seen[3].starts_with("Model true") && seen[4].starts_with("Model false"), "{seen:?}");
    assert_eq!(seen.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_outside_the_workspace_need_a_yes() {
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("a").display().to_string();
    let stage = Stage::new(&[save(&target, "x"), save("../../b", "x"), save("link/c", "x"), say("ok")]);
    std::os::unix::fs::symlink(outside.path(), stage.workspace().join("link")).unwrap();
    let mut agent = stage.open(yes(), None).await;
    agent.prompt(Message::user("save")).await;
    let refused = texts(&agent).iter().filter(|text| text.contains("lies outside the workspace")).count();
    assert_eq!(refused, 3, "{:?}", texts(&agent));
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_keeps_its_directory_and_ends_its_whole_group() {
    let late = json!({ "command": "trap '' TERM; (sleep 60; touch late) & sleep 60", "timeout_s": 1 });
    let stage = Stage::new(&[
        call(
            "shell",
            json!({ "command": "mkdir -p d/e && pushd d >/dev/null && cd e && echo out; echo err >&2" }),
        ),
        call("shell", json!({ "command": "pwd; (cd /)" })),
        call("shell", late),
        say("ok"),
    ]);
    let mut agent = stage.open(yes(), None).await;
    agent.prompt(Message::user("go")).await;
    let log = texts(&agent);
    assert!(log.contains(&"out\nerr\n".to_owned()), "{log:?}");
    let cwd = stage.workspace().join("d/e");
    assert_eq!(agent.session().cwd(), cwd);
    assert!(log.contains(&format!("{}\n", cwd.display())));
    assert!(log.iter().any(|text| text.starts_with("The command was ended after 1 s")), "{log:?}");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_command_moved_too_and_a_directory_that_is_gone_is_left() {
    let stage = Stage::new(&[
        call("shell", json!({ "command": "mkdir -p d/e && cd d/e && false" })),
        call("shell", json!({ "command": "pwd; rm -r ../../d" })),
        call("shell", json!({ "command": "echo here; pwd" })),
        say("ok"),
    ]);
    let mut agent = stage.open(yes().allow(["cwd_awareness"]), None).await;
    agent.prompt(Message::user("go")).await;
    let (log, root) = (texts(&agent), stage.workspace().display().to_string());
    let told = |path: &str| log.iter().filter(|text| text.contains(&format!("is now {path}<"))).count();
    assert_eq!((told(&format!("{root}/d/e")), told(&root)), (1, 1), "{log:?}");
    assert!(log.iter().any(|text| text.starts_with(&format!("{root}/d/e\n"))), "{log:?}");
    assert!(log.contains(&format!("here\n{root}\n")), "{log:?}");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fenced_calls_work_as_native_ones_do() {
    let stage = Stage::new(&[say("Now.\n\n````save notes.md\n# Hi\n```sh\nls\n```\n````\n"), say("ok")]);
    let mut agent = stage.open(yes(), None).await;
    assert_eq!(agent.prompt(Message::user("save")).await, RESTED);
    let text = std::fs::read_to_string(stage.workspace().join("notes.md")).unwrap();
    assert_eq!(text, "# Hi\n```sh\nls\n```\n");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_takes_back_the_last_turn_for_good() {
    let stage = Stage::new(&[say("first"), say("second")]);
    let mut agent = stage.open(yes(), None).await;
    agent.prompt(Message::user("one")).await;
    agent.prompt(Message::user("two")).await;
    assert_eq!(agent.undo().await.unwrap(), 2);
    assert_eq!(texts(&agent), ["one", "first"]);
    agent.end(EndReason::Exit).await;
    let agent = stage.resume(yes()).await.unwrap();
    assert_eq!(texts(&agent), ["one", "first"]);
    let branch = std::fs::read_dir(stage.logs().join("test/branches")).unwrap().next().unwrap().unwrap();
    let kept = std::fs::read_to_string(branch.path()).unwrap();
    assert!(kept.contains("second"), "what was taken back is kept beside");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_example_inside_a_file_is_never_run() {
    // The fence is too short for what it holds: where the file ends is in doubt, so nothing of it runs.
    let doubtful = "```save a.md\n# Use\n```sh\nls\n```\n```\n\n```shell\ntouch ran\n```\n";
    let stage = Stage::new(&[say(doubtful), say("I see.")]);
    let mut agent = stage.open(yes(), None).await;
    assert_eq!(agent.prompt(Message::user("go")).await, RESTED);
    assert!(!stage.workspace().join("ran").exists() && !stage.workspace().join("a.md").exists());
    assert!(texts(&agent).iter().any(|text| text.contains("a fence longer than")), "{:?}", texts(&agent));
    agent.end(EndReason::Exit).await;
}
