//! Checkpoints: refused or made, committed, kept, learned from.

use hookspec::registry::RegistryBuilder;
use hookspec::{Gate, Hook, Message};
use hookspec_session_buddy::checkpoint::{Checkpoint, CheckpointError, Wanted, take};
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
    for text in ["cargo clippy", "cargo test"] {
        let moment = Moment::Call { tool: "shell".into(), text: text.into(), ok: true };
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
    stage.write("old", "1");
    stage.write("made", "1");
    stage.write("stranger", "1");
    stage.git(&["add", "old"]);
    stage.git(&["-c", "filter.evil.clean=", "commit", "-qm", "begin"]);
    let _ = std::fs::remove_file(stage.workspace().join("ran"));
    stage.write("old", "2");
    let moment = Moment::Edit { path: "made".into(), added: "1".into(), created: true };
    stage.store().record_moment("a", &moment, stage.clock.now()).unwrap();
    let session = stage.session(with(90), "a");
    let made = run(&session, "checkpoint", json!({ "commit": "fix: more", "tag": "v1" })).await.unwrap();
    assert!(made.contains("Commit ") && made.contains("Tag v1."), "{made}");
    assert_eq!(stage.git(&["show", "--format=%s", "--name-only", "v1^{}"]), "fix: more\n\nmade\nold");
    assert!(!stage.workspace().join("ran").exists(), "a filter that the repository names was run");
    let kept = stage.store().checkpoints(None, 1).unwrap();
    assert_eq!(kept[0].tag.as_deref(), Some("v1"));
    let again = run(&session, "checkpoint", json!({ "commit": "nothing" })).await.unwrap();
    assert!(!again.contains("Commit"), "{again}");
}

#[tokio::test]
async fn a_commit_stays_in_the_workspace_and_may_be_the_first() {
    let mut stage = Stage::new();
    stage.settings = "commits = 'yes'".into();
    stage.git(&["init", "-q"]);
    stage.git(&["config", "user.name", "T"]);
    stage.git(&["config", "user.email", "t@example.org"]);
    stage.write("part/made", "1");
    stage.write("outside", "1");
    let part = stage.workspace().join("part");
    let moment = Moment::Edit { path: "made".into(), added: "1".into(), created: true };
    stage.store().record_moment("a", &moment, stage.clock.now()).unwrap();
    let session = stage.lent(with(90), "a", |session| session.workspace(part));
    run(&session, "checkpoint", json!({ "commit": "first" })).await.unwrap();
    assert_eq!(stage.git(&["show", "--format=%s", "--name-only"]), "first\n\npart/made");
    stage.git(&["add", "outside"]);
    stage.write("part/made", "2");
    stage.write("part/stranger", "2");
    run(&session, "checkpoint", json!({ "commit": "second" })).await.unwrap();
    assert_eq!(stage.git(&["show", "--format=%s", "--name-only"]), "second\n\npart/made");
    assert_eq!(stage.git(&["status", "--porcelain"]), "A  outside\n?? part/stranger");
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
