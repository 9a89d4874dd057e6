//! Metrics, per session and over sessions.

use std::time::Duration;

use hookspec::points::{EndReason, SESSION_END, SESSION_START, StartReason};
use hookspec::{Session, fire};
use hookspec_session_buddy::metrics::{
    Filter, TimeOfDay, Trend, language_of, picture, slope, summarize, thirty_days_before, trend, velocity,
};
use hookspec_session_buddy::timeline::Moment;
use serde_json::json;

use crate::stage::{Stage, builder, run, scored};

#[test]
fn hours_have_names() {
    for (hour, name) in [
        (4, TimeOfDay::Night),
        (5, TimeOfDay::Morning),
        (11, TimeOfDay::Morning),
        (12, TimeOfDay::Afternoon),
        (16, TimeOfDay::Afternoon),
        (17, TimeOfDay::Evening),
        (20, TimeOfDay::Evening),
        (21, TimeOfDay::Night),
        (0, TimeOfDay::Night),
    ] {
        assert_eq!(TimeOfDay::of(hour), name, "{hour}");
    }
}

#[test]
fn a_trend_is_more_than_half_a_point_a_session() {
    for (step, wanted) in [
        (0.5, Trend::Stable),
        (0.51, Trend::Improving),
        (-0.5, Trend::Stable),
        (-0.51, Trend::Declining),
        (0.0, Trend::Stable),
    ] {
        // Small numbers, so that the sums are exact.
        let values: Vec<f64> = (0..3).map(|index| step * f64::from(index)).collect();
        assert_eq!(trend(&values), wanted, "{step}");
    }
    assert_eq!((trend(&[]), trend(&[99.0])), (Trend::Stable, Trend::Stable));
    assert!((slope(&[1.0, 3.0, 2.0, 4.0]).unwrap() - 0.8).abs() < 1e-9);
}

#[test]
fn no_time_is_no_velocity_and_no_session_is_zero() {
    assert!(velocity(5.0, 0.0).abs() < 1e-9 && (velocity(3.0, 90.0) - 2.0).abs() < 1e-9);
    let none = summarize(&[], Vec::new());
    assert_eq!(
        (none.sessions, none.trend, none.best_time.as_str(), none.first),
        (0, Trend::Stable, "unknown", None)
    );
    assert!(none.quality.abs() < 1e-9 && none.velocity.abs() < 1e-9);
}

#[tokio::test]
async fn the_best_time_is_that_of_most_work_a_session_and_of_equals_the_first_by_name() {
    let stage = Stage::new();
    let mut store = stage.store();
    let rows = [
        ("a", TimeOfDay::Night, 2),
        ("b", TimeOfDay::Evening, 3),
        ("c", TimeOfDay::Evening, 1),
        ("d", TimeOfDay::Morning, 1),
    ];
    for (id, time, checkpoints) in rows {
        store.begin_session(id, "p", stage.clock.now(), time, None).unwrap();
        for _ in 0..checkpoints {
            store.note_quality(id, 80.0).unwrap();
        }
    }
    let summary = store.summary(&Filter::default()).unwrap();
    let times: Vec<(&str, u32, f64)> =
        summary.times.iter().map(|row| (&*row.time, row.sessions, row.done)).collect();
    assert_eq!(times, [("evening", 2, 2.0), ("morning", 1, 1.0), ("night", 1, 2.0)]);
    assert_eq!(summary.best_time, "evening");
}

#[test]
fn languages_go_by_extension() {
    for (path, language) in [
        ("a.py", Some("Python")),
        ("a.tsx", Some("JavaScript")),
        ("a.go", Some("Go")),
        ("x/a.rs", Some("Rust")),
        ("a.java", Some("Java")),
        ("a.hpp", Some("C/C++")),
        ("a.rb", Some("Ruby")),
        ("a.php", Some("PHP")),
        ("a.md", None),
        ("Makefile", None),
    ] {
        assert_eq!(language_of(path), language, "{path}");
    }
}

async fn start(session: &Session, resumed: bool) {
    let fired = fire!(session, SESSION_START { resumed, reason: StartReason::New, initial: &[] }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
}

async fn end(session: &Session) {
    let fired = fire!(session, SESSION_END { reason: EndReason::Exit }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
}

#[tokio::test]
async fn a_session_has_one_row_that_is_updated_in_place() {
    let stage = Stage::new();
    stage.git(&["init", "-q"]);
    stage.git(&["commit", "--allow-empty", "-qm", "before"]);
    let session = stage.session(builder().register(scored(70)), "a");
    start(&session, false).await;
    for (path, count) in [("a.rs", 2), ("b.py", 1), ("c.py", 1)] {
        for _ in 0..count {
            let moment = Moment::Edit { path: path.into(), added: String::new(), created: false };
            stage.store().record_moment("a", &moment, stage.clock.now()).unwrap();
        }
    }
    let moment = Moment::Call { tool: "shell".into(), text: "ls".into(), ok: true };
    stage.store().record_moment("a", &moment, stage.clock.now()).unwrap();
    stage.git(&["commit", "--allow-empty", "-qm", "within"]);
    run(&session, "checkpoint", json!({})).await.unwrap();
    let better = stage.session(builder().register(scored(90)), "a");
    stage.clock.advance(Duration::from_secs(30 * 60));
    run(&better, "checkpoint", json!({})).await.unwrap();
    start(&better, true).await;
    stage.clock.advance(Duration::from_secs(30 * 60));
    end(&better).await;
    let rows = stage.store().sessions(&Filter::default()).unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    let row = &rows[0];
    assert_eq!((row.checkpoints, row.commits, row.files, row.tools), (2, 1, 3, 1));
    assert_eq!(
        (row.quality_start, row.quality_end, row.quality_delta, row.quality),
        (Some(70.0), Some(90.0), Some(20.0), Some(80.0))
    );
    assert_eq!(
        (row.time_of_day.as_str(), row.language.as_deref()),
        ("afternoon", Some("Python")),
        "of equals the first by name"
    );
    assert!((row.minutes - 60.0).abs() < 1e-9);
    let summary = stage.store().summary(&Filter::default()).unwrap();
    assert!((summary.velocity - 1.0).abs() < 1e-9);
    assert_eq!((summary.tools, summary.best_time.as_str()), (vec![("shell".to_owned(), 1)], "afternoon"));
}

#[tokio::test]
async fn the_users_hour_counts_and_not_greenwichs() {
    let mut stage = Stage::new();
    stage.settings = String::new();
    let session = stage.session(builder(), "utc");
    start(&session, false).await;
    let rows = stage.store().sessions(&Filter::default()).unwrap();
    assert_eq!(rows[0].time_of_day, "afternoon");
    // 12:00 UTC is 21:00 there.
    let zone =
        hookspec_session_buddy::settings::Settings { time_zone: "JST-9".into(), ..Default::default() }.zone();
    assert_eq!(TimeOfDay::of(stage.clock.now().to_zoned(zone).hour()), TimeOfDay::Night);
}

#[tokio::test]
async fn filters_take_a_project_and_a_time() {
    let (one, two) = (Stage::new(), Stage::new());
    for (stage, id, days) in [(&one, "a", 0), (&one, "b", 31)] {
        stage.clock.advance(Duration::from_secs(days * 24 * 3600));
        start(&stage.session(builder(), id), false).await;
    }
    start(&two.session(builder(), "c"), false).await;
    let store = one.store();
    let ids =
        |filter: Filter| store.sessions(&filter).unwrap().into_iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(ids(Filter::default()), ["a", "b"]);
    assert_eq!(ids(Filter { from: Some(thirty_days_before(one.clock.now())), ..Filter::default() }), ["b"]);
    assert_eq!(ids(Filter { to: Some(thirty_days_before(one.clock.now())), ..Filter::default() }), ["a"]);
    assert!(ids(Filter { project: Some("elsewhere".into()), ..Filter::default() }).is_empty());
    let summary = store.summary(&Filter::default()).unwrap();
    assert_eq!(summary.projects, [one.workspace().display().to_string()]);
}

#[tokio::test]
async fn the_picture_shows_the_figures() {
    let stage = Stage::new();
    let session = stage.session(builder().register(scored(70)), "a <b>");
    start(&session, false).await;
    run(&session, "checkpoint", json!({})).await.unwrap();
    let store = stage.store();
    let svg =
        picture(&store.summary(&Filter::default()).unwrap(), &store.sessions(&Filter::default()).unwrap());
    assert!(svg.starts_with("<svg") && svg.contains("70, stable") && svg.contains("<polyline"), "{svg}");
    assert!(picture(&summarize(&[], Vec::new()), &[]).contains("unknown"));
    let strange = picture(&summarize(&[], vec![("<script>&".into(), 1)]), &[]);
    assert!(strange.contains("&lt;script&gt;&amp; 1") && !strange.contains("<script"), "{strange}");
}
