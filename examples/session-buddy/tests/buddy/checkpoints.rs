//! Checkpoints: refused or made, committed, kept, learned from.

use hookspec::model::Usage;
use hookspec::points::{FILE_POST_SAVE, FILE_PRE_SAVE, TURN_POST, TurnOutcome};
use hookspec::registry::RegistryBuilder;
use hookspec::{Gate, Hook, Message, Session, fire};
use hookspec_session_buddy::checkpoint::{Checkpoint, CheckpointError, Wanted, take};
use hookspec_session_buddy::checks::Proof;
use hookspec_session_buddy::patterns::{Kind, Match};
use hookspec_session_buddy::points::{POST_CHECKPOINT, PRE_CHECKPOINT};
use hookspec_session_buddy::skills::suggested;
use hookspec_session_buddy::timeline::Moment;
use serde_json::json;

use crate::stage::{Stage, builder, quality, run, scored};

fn with(score: u8) -> RegistryBuilder {
    builder().register(scored(score))
}

/// A timeline that shows a pattern.
fn linted_and_tested(stage: &Stage, session: &str) {
    for (text, proof) in [("cargo clippy", Proof::Lint), ("cargo test", Proof::Tests)] {
        let proof = Some(proof);
        let moment = Moment::Call { tool: "shell".into(), text: text.into(), ok: true, proof };
        stage.store().record_moment(session, &moment, stage.clock.now()).unwrap();
    }
}

#[tokio::test]
async fn fifty_nine_is_refused_and_sixty_passes() {
    let stage = Stage::new();
    let refused =
        run(&stage.session(with(59), "a"), "checkpoint", json!({ "label": "try" })).await.unwrap_err();
    assert!(
        refused.contains("`buddy.validate_quality`: the quality score is 59, and at least 60"),
        "{refused}"
    );
    assert!(refused.contains("all: better work (up to 41.0 more)"), "{refused}");
    let made = run(&stage.session(with(60), "a"), "checkpoint", json!({})).await.unwrap();
    assert!(made.starts_with("Checkpoint 2. Quality 60 of 100"), "{made}");
    let kept = stage.store().checkpoints(None, 10).unwrap();
    assert_eq!(
        kept.iter().map(|kept| kept.refused.is_some()).collect::<Vec<_>>(),
        [false, true],
        "both are kept"
    );
    assert_eq!(kept[1].label.as_deref(), Some("try"));
}

#[tokio::test]
async fn the_minimum_is_a_setting_and_a_refusal_happens_before_anything_else() {
    let mut stage = Stage::new();
    stage.settings = "min_quality = 95\ncommits = 'yes'".into();
    stage.git(&["init", "-q"]);
    stage.write("a", "x");
    let told = Hook::new(POST_CHECKPOINT, "test.told", |_, _| Message::system("told"));
    let session = stage.session(with(94).register(told), "a");
    run(&session, "checkpoint", json!({ "commit": "never", "tag": "never" })).await.unwrap_err();
    assert_eq!(stage.git(&["tag"]), "");
    assert!(session.log().is_empty(), "nobody is told of a checkpoint that was not made");
}

#[tokio::test]
async fn strangers_may_refuse_and_ask() {
    let stage = Stage::new();
    let friday = Hook::new(PRE_CHECKPOINT, "test.friday", |event, _| {
        (event.label == Some("friday")).then(|| Gate::deny("not on Fridays"))
    });
    let ask =
        Hook::new(PRE_CHECKPOINT, "test.asks", |event, _| (event.score < 99).then(|| Gate::ask("sure?")));
    let session = stage.session(with(90).register(friday).register(ask), "a");
    let wanted = |label: &str| Wanted { label: Some(label.into()), ..Wanted::default() };
    let error = take(&session, wanted("friday")).await.unwrap_err();
    assert!(matches!(&error, CheckpointError::Refused { hook, .. } if hook == "test.friday"), "{error}");
    let error = take(&session, wanted("x")).await.unwrap_err();
    assert_eq!(error.to_string(), "The checkpoint was refused by `test.asks`: sure? (nobody agreed)");
}

#[tokio::test]
async fn a_commit_takes_what_changed_and_a_tag_names_it() {
    let mut stage = Stage::new();
    stage.settings = "commits = 'yes'".into();
    stage.git(&["init", "-q"]);
    stage.git(&["config", "user.name", "T"]);
    stage.git(&["config", "user.email", "t@example.org"]);
    stage.git(&["config", "filter.evil.clean", "touch ran; cat"]);
    stage.write(".gitattributes", "* filter=evil\n");
    for name in ["old", "users", "both"] {
        stage.write(name, "1");
    }
    stage.write("stranger", "1");
    stage.git(&["add", "old", "users", "both"]);
    stage.git(&["-c", "filter.evil.clean=", "commit", "-qm", "begin"]);
    let _ = std::fs::remove_file(stage.workspace().join("ran"));
    let session = stage.session(with(90), "a");
    stage.write("users", "unfinished");
    stage.write("both", "unfinished");
    for name in ["old", "made", "both"] {
        edit(&stage, &session, name, "2").await;
    }
    let made = run(&session, "checkpoint", json!({ "commit": "fix: more", "tag": "v1" })).await.unwrap();
    assert!(made.contains("Commit ") && made.contains("Tag v1."), "{made}");
    assert!(made.contains("Not committed: both (it was changed before the agent changed it)."), "{made}");
    assert_eq!(stage.git(&["show", "--format=%s", "--name-only", "v1^{}"]), "fix: more\n\nmade\nold");
    let left = stage.git(&["-c", "filter.evil.clean=", "status", "--porcelain", "-uno"]);
    assert_eq!(left, "M both\n M users", "the user's unfinished work stays");
    let _ = std::fs::remove_file(stage.workspace().join("ran"));
    let kept = stage.store().checkpoints(None, 1).unwrap();
    assert_eq!((kept[0].tag.as_deref(), kept[0].left_out.len()), (Some("v1"), 1));
    let again = run(&session, "checkpoint", json!({ "commit": "nothing" })).await.unwrap();
    assert!(!again.contains("Commit "), "{again}");
    assert!(!stage.workspace().join("ran").exists(), "a filter that the repository names was run");
}

/// As a tool writes a file.
async fn edit(stage: &Stage, session: &Session, name: &str, text: &str) {
    let path = &stage.workspace().join(name);
    let created = !path.exists();
    let fired = fire!(session, FILE_PRE_SAVE { path, content: text }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
    stage.write(name, text);
    let fired = fire!(session, FILE_POST_SAVE { path, content: text, created }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
}

async fn rest(session: &Session) {
    let usage = Usage::default();
    let outcome = TurnOutcome::Complete;
    let fired = fire!(session, TURN_POST { steps: 1, changed: &[], usage: &usage, outcome }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
}

fn repository(stage: &Stage) {
    stage.git(&["init", "-q"]);
    stage.git(&["config", "user.name", "T"]);
    stage.git(&["config", "user.email", "t@example.org"]);
}

#[tokio::test]
async fn a_commit_stays_in_the_repository_and_may_be_the_first() {
    let mut stage = Stage::new();
    stage.settings = "commits = 'yes'".into();
    repository(&stage);
    stage.write("outside", "1");
    std::fs::create_dir(stage.workspace().join("part")).unwrap();
    let part = stage.workspace().join("part");
    let session = stage.lent(with(90), "a", |session| session.workspace(part));
    edit(&stage, &session, "part/made", "1").await;
    run(&session, "checkpoint", json!({ "commit": "first" })).await.unwrap();
    assert_eq!(stage.git(&["show", "--format=%s", "--name-only"]), "first\n\npart/made");
    stage.git(&["add", "outside"]);
    stage.write("part/stranger", "2");
    edit(&stage, &session, "part/made", "2").await;
    run(&session, "checkpoint", json!({ "commit": "second" })).await.unwrap();
    assert_eq!(stage.git(&["show", "--format=%s", "--name-only"]), "second\n\npart/made");
    assert_eq!(stage.git(&["status", "--porcelain"]), "A  outside\n?? part/stranger");
}

#[tokio::test]
async fn what_somebody_else_changed_between_two_turns_stays() {
    let mut stage = Stage::new();
    stage.settings = "commits = 'yes'".into();
    repository(&stage);
    let session = stage.session(with(90), "a");
    for name in ["a", "b", "c"] {
        edit(&stage, &session, name, "agent").await;
    }
    rest(&session).await;
    stage.write("a", "user");
    stage.write("b", "user");
    edit(&stage, &session, "b", "agent again").await;
    let made = run(&session, "checkpoint", json!({ "commit": "x" })).await.unwrap();
    assert_eq!(stage.git(&["show", "--format=", "--name-only"]), "c");
    assert!(made.contains("a (it was changed by somebody else since)"), "{made}");
    assert!(made.contains("b (it was changed before the agent changed it)"), "{made}");
    // Once it is committed, what comes is the agent's again.
    stage.git(&["add", "a", "b"]);
    stage.git(&["commit", "-qm", "the user's"]);
    edit(&stage, &session, "b", "agent").await;
    run(&session, "checkpoint", json!({ "commit": "x" })).await.unwrap();
    assert_eq!(stage.git(&["show", "--format=", "--name-only"]), "b");
}

#[tokio::test]
async fn no_credential_is_committed_nor_in_a_message() {
    let mut stage = Stage::new();
    stage.settings = "commits = 'yes'".into();
    repository(&stage);
    let session = stage.session(with(90), "a");
    let token = format!("ghp_{}", "a8Kd03mZqL7xVw2RtY5uNb9cHe4fJg6sPo1i");
    for (name, text) in [("fine", "x"), (".env", "x"), ("config", token.as_str())] {
        edit(&stage, &session, name, &format!("first\n{text}\n")).await;
    }
    let wanted = json!({ "commit": format!("with {token}"), "label": token.as_str(), "tag": "v1" });
    let made = run(&session, "checkpoint", wanted).await.unwrap();
    assert_eq!(stage.git(&["show", "--format=", "--name-only", "v1^{}"]), "fine");
    assert!(made.contains(".env (it is a file that holds credentials)"), "{made}");
    assert!(made.contains("config (line 2 holds a credential)"), "{made}");
    let all = stage.git(&["log", "--all", "-p", "--format=%B"]) + &stage.git(&["tag", "-n9"]) + &made;
    assert!(!all.contains(&token), "{all}");
}

#[tokio::test]
async fn the_models_commits_need_a_yes() {
    let mut stage = Stage::new();
    let refused =
        run(&stage.session(with(90), "a"), "checkpoint", json!({ "commit": "x" })).await.unwrap_err();
    assert!(refused.starts_with("Nobody agreed to the commit"), "{refused}");
    stage.settings = "commits = 'no'".into();
    run(&stage.session(with(90), "a"), "checkpoint", json!({ "tag": "x" })).await.unwrap_err();
    assert!(stage.store().checkpoints(None, 10).unwrap().is_empty());
    stage.settings = "commits = 'yes'".into();
    let none = run(&stage.session(with(90), "a"), "checkpoint", json!({ "tag": "x" })).await.unwrap_err();
    assert!(none.contains("no git repository"), "{none}");
}

#[tokio::test]
async fn a_checkpoint_that_nobody_measures_is_none() {
    let stage = Stage::new();
    let session = stage.session(builder().disable(["buddy.measure"]), "a");
    let error = run(&session, "checkpoint", json!({})).await.unwrap_err();
    assert!(error.contains("`buddy.measure` is off or failed (nobody answered)"), "{error}");
}

#[tokio::test]
async fn eighty_five_teaches_nothing_and_eighty_six_does() {
    let stage = Stage::new();
    for (score, session) in [(85, "a"), (85, "b"), (85, "c"), (86, "d"), (86, "e")] {
        linted_and_tested(&stage, session);
        run(&stage.session(with(score), session), "checkpoint", json!({})).await.unwrap();
        assert!(stage.store().skills().unwrap().is_empty(), "{session}");
    }
    linted_and_tested(&stage, "f");
    run(&stage.session(with(86), "f"), "checkpoint", json!({})).await.unwrap();
    let skills = stage.store().skills().unwrap();
    assert_eq!((skills.len(), skills[0].kind, skills[0].uses), (1, Kind::TestDrivenQuality, 3));
    assert_eq!(skills[0].sessions, ["d", "e", "f"]);

    // A fourth updates the same one; one that does not teach is a use without success.
    linted_and_tested(&stage, "g");
    run(&stage.session(with(99), "g"), "checkpoint", json!({})).await.unwrap();
    linted_and_tested(&stage, "h");
    run(&stage.session(with(70), "h"), "checkpoint", json!({})).await.unwrap();
    let skills = stage.store().skills().unwrap();
    assert_eq!((skills.len(), skills[0].uses, skills[0].successes), (1, 5, 4));
    assert!((skills[0].rate - 0.8).abs() < 1e-9);
    assert_eq!(suggested(skills.clone(), &["tests".into(), "lint".into()]).len(), 1);
    assert!(suggested(skills.clone(), &["tests".into()]).is_empty(), "half of the tags is not enough");
    assert!(suggested(skills, &[]).is_empty());
}

#[tokio::test]
async fn what_was_counted_for_one_checkpoint_is_not_for_the_next() {
    let stage = Stage::new();
    linted_and_tested(&stage, "a");
    let session = stage.session(with(90), "a");
    for _ in 0..4 {
        run(&session, "checkpoint", json!({})).await.unwrap();
    }
    assert!(
        stage.store().skills().unwrap().is_empty(),
        "the timeline before a checkpoint is that checkpoint's"
    );
}

#[test]
fn three_with_a_mean_of_84_make_no_skill() {
    let stage = Stage::new();
    let found = [Match { kind: Kind::CheckpointIteration, context: "x".into() }];
    let mut store = stage.store();
    let learn = |store: &mut hookspec_session_buddy::store::Store, id: i64, score: u8| {
        let checkpoint = Checkpoint {
            id,
            session: format!("s{id}"),
            project: "p".into(),
            at: stage.clock.now(),
            label: None,
            score,
            quality: quality(score),
            commit: None,
            left_out: Vec::new(),
            tag: None,
            refused: None,
        };
        store.learn(&checkpoint, &found, true).unwrap();
    };
    for (id, score) in [(1, 82), (2, 84), (3, 86)] {
        learn(&mut store, id, score);
    }
    assert!(store.skills().unwrap().is_empty());
    learn(&mut store, 4, 88);
    assert_eq!(store.skills().unwrap()[0].uses, 4);
    learn(&mut store, 4, 88);
    assert_eq!(store.skills().unwrap()[0].uses, 4, "one checkpoint counts once");
}

#[tokio::test]
async fn learning_that_fails_does_not_fail_the_checkpoint() {
    let stage = Stage::new();
    let fails = Hook::new(POST_CHECKPOINT, "test.fails", |_, _| Err::<(), _>("no luck")).priority(2_000_000);
    let panics =
        Hook::new(POST_CHECKPOINT, "test.panics", |_, _| -> () { panic!("no luck") }).priority(2_000_000);
    let session = stage.session(with(90).register(fails).register(panics), "a");
    run(&session, "checkpoint", json!({})).await.unwrap();
    assert_eq!(stage.store().checkpoints(None, 10).unwrap().len(), 1);
}
