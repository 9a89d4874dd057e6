//! An agent with a scripted model: an error, attempts, the fix; and the fix offered when the error is back.

use std::sync::Arc;

use hookspec::points::{ERROR, EndReason, ErrorSource};
use hookspec::{Fold, Hook, Message, fire};
use hookspec_session_buddy::errors::{Embed, Embedder};
use hookspec_session_buddy::metrics::Filter;
use hookspec_session_buddy::patterns::Kind;
use hookspec_session_buddy::points::PRE_REFLECTION_STORE;
use serde_json::json;

use crate::stage::{Stage, builder, call, log, run, say, scored, shell, texts};

/// Fails until `good` is there, with a text that names paths and numbers.
const CHECK: &str = "test -e good || { echo \"KeyError: 'colour' in /tmp/$$/x.py line $$\"; exit 1; }";

#[tokio::test(flavor = "multi_thread")]
async fn an_error_its_attempts_and_its_fix_become_a_chain_that_helps_the_next_session() {
    let stage = Stage::new();
    let script = [
        shell(CHECK),
        call("save", json!({ "path": "wrong", "content": "x\n" })),
        shell(CHECK),
        shell("ls"),
        call("save", json!({ "path": "good", "content": "y\n" })),
        shell(CHECK),
        say("Fixed."),
    ];
    let (mut agent, _) = stage.agent(builder(), "first", &script).await;
    agent.prompt(Message::user("mend it")).await;
    assert!(!log(&agent).iter().any(|text| text.contains("was fixed before")), "nothing is known yet");
    let closed =
        "<session_buddy>chain 1: error 1 (KeyError) is fixed after 0 s: created good</session_buddy>";
    assert_eq!(log(&agent).iter().filter(|text| *text == closed).count(), 1, "{:#?}", log(&agent));
    agent.end(EndReason::Exit).await;

    let store = stage.store();
    let chain = store.chain(1).unwrap().unwrap();
    assert_eq!((chain.error.kind.as_str(), chain.error.times), ("KeyError", 2));
    let tried: Vec<(&str, bool)> =
        chain.attempts.iter().map(|row| (row.action.as_str(), row.successful)).collect();
    assert_eq!(tried, [("created wrong", false), ("ran `ls`", false), ("created good", true)]);
    assert_eq!(chain.error.context["source"], "tool");

    std::fs::remove_file(stage.workspace().join("good")).unwrap();
    let (mut agent, _) = stage.agent(builder(), "second", &[shell(CHECK), say("I see.")]).await;
    agent.prompt(Message::user("again")).await;
    let said = log(&agent);
    let offered =
        said.iter().find(|text| text.contains("was fixed before")).unwrap_or_else(|| panic!("{said:#?}"));
    assert!(
        offered.contains("(chain 1, similarity 1.00, after 0 s)")
            && offered.contains("The fix: created good\ny"),
        "{offered}"
    );
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_command_fixes_nothing_and_an_error_that_goes_by_itself_says_so() {
    let stage = Stage::new();
    let once = "test -e seen || { touch seen; echo 'ConnectionError: refused'; exit 1; }";
    let script = [shell("echo 'ValueError: other'; exit 1"), shell(once), shell(once), say("Done.")];
    let (mut agent, _) = stage.agent(builder(), "first", &script).await;
    agent.prompt(Message::user("go")).await;
    agent.end(EndReason::Exit).await;
    let store = stage.store();
    let fixed: Vec<(String, bool)> =
        store.kinds().unwrap().into_iter().map(|row| (row.kind, row.fixed > 0.0)).collect();
    assert_eq!(fixed, [("ConnectionError".to_owned(), true), ("ValueError".to_owned(), false)]);
    assert_eq!(store.chain(1).unwrap().unwrap().fix.action, "ran it again, unchanged");
}

#[tokio::test(flavor = "multi_thread")]
async fn good_checkpoints_teach_a_skill_and_a_poor_one_is_refused() {
    let stage = Stage::new();
    let work = |label: &str| {
        [
            shell("true # cargo clippy"),
            shell("true # cargo test"),
            call("checkpoint", json!({ "label": label })),
            say("ok"),
        ]
    };
    for name in ["one", "two", "three"] {
        let (mut agent, _) = stage.agent(builder().register(scored(90)), name, &work(name)).await;
        agent.prompt(Message::user("go")).await;
        agent.end(EndReason::Exit).await;
    }
    let skills = stage.store().skills().unwrap();
    assert_eq!(skills.iter().map(|skill| skill.kind).collect::<Vec<_>>(), [Kind::TestDrivenQuality]);
    assert_eq!(skills[0].sessions, ["one", "three", "two"]);
    let (mut agent, _) = stage.agent(builder().register(scored(59)), "four", &work("four")).await;
    agent.prompt(Message::user("go")).await;
    let said = log(&agent);
    assert!(
        said.iter().any(|text| text.contains("The checkpoint was refused by `buddy.validate_quality`")),
        "{said:#?}"
    );
    agent.end(EndReason::Exit).await;
    assert_eq!(stage.store().skills().unwrap()[0].uses, 3, "a refused checkpoint is no use");
}

#[tokio::test]
async fn reflections_are_found_again_and_hooks_have_their_say() {
    let stage = Stage::new();
    let masks =
        Hook::new(PRE_REFLECTION_STORE, "test.masks", |event, _| Fold(event.text.replace("hunter2", "***")));
    let session = stage.session(builder().register(masks), "a");
    let store = |text: &str| json!({ "text": text });
    let stored = run(&session, "store_reflection", store("the display password is hunter2")).await.unwrap();
    assert_eq!(stored, "Stored as reflection 1.");
    run(&session, "store_reflection", store("ports are chosen by the system")).await.unwrap();
    assert!(run(&session, "store_reflection", store("  ")).await.unwrap_err().contains("no text"));
    let later = stage.session(builder(), "b");
    let found = run(&later, "search_reflections", json!({ "query": "choosing a port?" })).await.unwrap();
    assert!(found.ends_with("ports are chosen by the system") && !found.contains("display"), "{found}");
    let found = run(&later, "search_reflections", json!({ "query": "display" })).await.unwrap();
    assert!(found.ends_with("the display password is ***"), "{found}");
    let none = run(&later, "search_reflections", json!({ "query": "weather \" NEAR(" })).await.unwrap();
    assert!(none.starts_with("Nothing like"), "{none}");
    let limit = run(&later, "search_reflections", json!({ "query": "x", "limit": 101 })).await.unwrap_err();
    assert!(limit.contains("1 to 100"), "{limit}");
}

#[tokio::test(flavor = "multi_thread")]
async fn that_error_means_the_one_that_is_open() {
    let stage = Stage::new();
    let failing = "echo 'TypeError: cannot add colour and number'; test -e good";
    let mend = [
        shell(failing),
        call("save", json!({ "path": "good", "content": "y\n" })),
        shell(failing),
        say("ok"),
    ];
    let (mut agent, _) = stage.agent(builder(), "first", &mend).await;
    agent.prompt(Message::user("go")).await;
    agent.end(EndReason::Exit).await;
    std::fs::remove_file(stage.workspace().join("good")).unwrap();
    let script =
        [shell(failing), call("search_reflections", json!({ "query": "that error again" })), say("ok")];
    let (mut agent, _) = stage.agent(builder(), "second", &script).await;
    agent.prompt(Message::user("go")).await;
    let said = log(&agent);
    assert!(said.iter().any(|text| text.starts_with("1.00  ") && text.contains("created good")), "{said:#?}");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_where_the_database_cannot_be_used() {
    let mut stage = Stage::new();
    stage.write("file", "x");
    stage.settings = format!("database = '{}/file/no.sqlite'", stage.workspace().display());
    let (mut agent, timeline) = stage.agent(builder(), "first", &[shell("exit 1"), say("So be it.")]).await;
    agent.prompt(Message::user("go")).await;
    assert!(log(&agent).iter().any(|text| text == "So be it."), "{:#?}", log(&agent));
    agent.end(EndReason::Exit).await;
    let runs = timeline.runs();
    let error = runs.iter().find_map(|run| run.error.clone()).unwrap();
    assert!(error.contains("Name another as `database` in [hooks.buddy]"), "{error}");
    assert!(runs.iter().filter(|run| run.error.is_some()).count() < 100, "a failure does not beget failures");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_process_left_open_the_next_one_closes() {
    let stage = Stage::new();
    let (mut agent, _) = stage.agent(builder(), "long", &[shell(CHECK), say("Later.")]).await;
    agent.prompt(Message::user("go")).await;
    agent.end(EndReason::Exit).await;
    stage.clock.advance(std::time::Duration::from_secs(3600));
    // A resumed script goes on after what was said.
    let good = call("save", json!({ "path": "good", "content": "y\n" }));
    let script = [shell(CHECK), say("Later."), good, shell(CHECK), say("Now.")];
    let mut agent = stage.resumed(builder(), "long", &script).await;
    agent.prompt(Message::user("go on")).await;
    agent.end(EndReason::Exit).await;
    let chain = stage.store().chain(1).unwrap().unwrap();
    assert_eq!(chain.fix.action, "created good");
    assert!((chain.minutes - 60.0).abs() < 1e-9, "{}", chain.minutes);
}

#[tokio::test]
async fn an_error_without_words_or_tried_again_is_not_recorded() {
    let stage = Stage::new();
    let session = stage.session(builder(), "a");
    for (error, retryable, attempt) in [("", false, 0), (" \n ", false, 0), ("overloaded", true, 1)] {
        let fired = fire!(session, ERROR { source: ErrorSource::Model, error, retryable, attempt }).await;
        assert!(fired.failures().is_empty() && fired.messages().is_empty(), "{fired:?}");
    }
    assert!(stage.store().kinds().unwrap().is_empty());
    let first = fire!(
        session,
        ERROR { source: ErrorSource::Model, error: "overloaded", retryable: true, attempt: 0 }
    );
    assert!(first.await.failures().is_empty());
    assert_eq!(stage.store().kinds().unwrap()[0].count, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_without_a_word_are_told_apart_by_their_calls() {
    let stage = Stage::new();
    let script = [
        shell("test -e good"),
        call("save", json!({ "path": "good", "content": "y\n" })),
        shell("test -e good"),
        say("ok"),
    ];
    let (mut agent, _) = stage.agent(builder(), "first", &script).await;
    agent.prompt(Message::user("go")).await;
    agent.end(EndReason::Exit).await;
    assert!(stage.store().chain(1).unwrap().is_some());
    let (mut agent, _) =
        stage.agent(builder(), "second", &[shell("diff one another"), shell("grep x y"), say("ok")]).await;
    agent.prompt(Message::user("go")).await;
    assert!(!log(&agent).iter().any(|text| text.contains("was fixed before")), "{:#?}", log(&agent));
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn old_timelines_are_forgotten_and_what_was_learned_stays() {
    let stage = Stage::new();
    let (mut agent, _) = stage.agent(builder(), "old", &[shell("true"), say("ok")]).await;
    agent.prompt(Message::user("go")).await;
    agent.end(EndReason::Exit).await;
    assert!(!stage.store().history("old").unwrap().is_empty());
    stage.clock.advance(std::time::Duration::from_secs(91 * 24 * 3600));
    let (agent, _) = stage.agent(builder(), "new", &[say("ok")]).await;
    agent.end(EndReason::Exit).await;
    let store = stage.store();
    assert!(store.history("old").unwrap().is_empty());
    let rows = store.sessions(&Filter::default()).unwrap();
    assert_eq!((rows.len(), rows[0].tools), (2, 1));
}

/// Knows that two words mean the same.
struct Meaning;

impl Embed for Meaning {
    fn embed(&self, text: &str) -> Option<Vec<f32>> {
        let memory = ["memory", "allocation"].iter().any(|word| text.contains(word));
        Some(if memory { vec![1.0, 0.0] } else { vec![0.0, 1.0] })
    }
}

#[tokio::test]
async fn a_host_may_lend_what_embeds() {
    let stage = Stage::new();
    let session = stage.lent(builder(), "a", |session| session.extension(Arc::new(Embedder::new(Meaning))));
    let tell = async |error: &str| {
        let fired =
            fire!(session, ERROR { source: ErrorSource::Host, error, retryable: false, attempt: 0 }).await;
        texts(&fired.into_messages()).join("\n")
    };
    assert_eq!(tell("the process ran out of memory").await, "");
    let mut store = stage.store();
    let fix = store.record_attempt(1, "bought more of it", "", stage.clock.now()).unwrap().unwrap();
    store.resolve(1, fix).unwrap();
    assert!(tell("allocation of 7 bytes failed").await.contains("bought more of it"));
    assert_eq!(tell("the syntax is wrong").await, "");
}
