//! The score of real workspaces.

use hookspec::fire;
use hookspec_session_buddy::points::QUALITY_MEASURE;
use hookspec_session_buddy::quality::{Part, Quality};

use crate::stage::{Stage, builder, quality};

async fn measure(stage: &Stage) -> Quality {
    let session = stage.session(builder(), "a");
    let workspace = stage.workspace();
    let mut fired = fire!(session, QUALITY_MEASURE { workspace: &workspace }).await;
    fired.take_answer().unwrap().0
}

fn part<'q>(quality: &'q Quality, name: &str) -> &'q Part {
    quality.parts.iter().find(|part| part.name == name).unwrap()
}

#[tokio::test]
async fn an_empty_folder_has_no_score_to_boast_of() {
    let quality = measure(&Stage::new()).await;
    assert_eq!(
        (quality.parts.len(), quality.parts.iter().map(|part| u32::from(part.most)).sum::<u32>()),
        (16, 100)
    );
    assert_eq!(quality.score, 11, "4 points for hygiene of 35 that can be measured: {quality:#?}");
    let unmeasured: Vec<&str> = quality.unmeasured().collect();
    assert_eq!(
        unmeasured,
        [
            "coverage",
            "lint",
            "types",
            "complexity",
            "dependencies' age",
            "commit frequency",
            "conventional commits",
            "issue references",
            "branches"
        ]
    );
    assert!(quality.sentence().contains("Not measured: coverage, lint,"), "{}", quality.sentence());
    for part in
        quality.parts.iter().filter(|part| part.points.is_some_and(|points| points < f64::from(part.most)))
    {
        assert!(!part.raise.is_empty(), "{part:?} does not say what would raise it");
    }
    assert_eq!(Quality::of(Vec::new()).sentence(), "Nothing could be measured, so the score is 0.");
}

#[tokio::test]
async fn a_kept_workspace_has_a_score_part_by_part() {
    let mut stage = Stage::new();
    stage.settings = "lint = ['sh', '-c', 'echo finding; exit 1']".into();
    for (path, text) in [
        ("Cargo.toml", "[package]\n"),
        ("Cargo.lock", "version = 4\n"),
        ("README.md", "x"),
        ("docs/a.md", "x"),
        ("lcov.info", "LF:10\nLH:8\n"),
        (".gitignore", ".env\ntarget\n"),
        (".env", "PASSWORD='hunter22hunter'\n"),
        (".github/workflows/ci.yml", "on: push\n"),
        ("deny.toml", "\n"),
        ("tests/a.rs", "fn a() {}\n"),
        ("src/lib.rs", "fn a() {\n    b();\n}\n// 4\n// 5\n// 6\n// 7\n// 8\n// 9\n"),
    ] {
        stage.write(path, text);
    }
    stage.git(&["init", "-q"]);
    stage.git(&["add", "."]);
    let date = "2026-03-30T00:00:00Z";
    stage.git(&["commit", "-qm", "feat: begin (#1)", "--date", date]);
    let quality = measure(&stage).await;
    for (name, points) in [
        ("coverage", 12.0),
        ("lint", 9.0),
        ("types", 10.0),
        ("complexity", 5.0),
        ("package management", 5.0),
        ("version control", 3.0),
        ("dependencies' age", 5.0),
        ("tests", 1.0),
        ("documentation", 3.0),
        ("continuous integration", 3.0),
        ("conventional commits", 5.0),
        ("issue references", 5.0),
        ("branches", 1.0),
        ("security tools", 5.0 / 3.0),
        ("hygiene", 5.0),
    ] {
        let part = part(&quality, name);
        let found = part.points.unwrap_or_else(|| panic!("{part:?}"));
        assert!((found - points).abs() < 1e-6, "{part:?}, not {points}");
    }
    assert!(quality.unmeasured().next().is_none() && (quality.of - 100.0).abs() < 1e-9);
}

#[tokio::test]
async fn what_is_open_costs_points_and_is_named() {
    let stage = Stage::new();
    stage.write(".env", "x");
    stage.write("a.py", "password = 'hunter22'\n");
    stage.write("tests/a.py", "password = 'hunter22'\n");
    let quality = measure(&stage).await;
    let hygiene = part(&quality, "hygiene");
    assert_eq!(hygiene.points, Some(0.0));
    assert_eq!(hygiene.found, ".env is not ignored; there is no .gitignore; literal secrets in a.py");
}

#[tokio::test]
async fn a_linter_that_fails_or_is_missing_is_named_and_gives_nothing() {
    let mut stage = Stage::new();
    stage.write("a.py", "x = 1\n");
    for (lint, why) in [
        ("['no-such-linter']", "`no-such-linter` is not installed"),
        ("['sh', '-c', 'exit 3']", "`sh` ended with exit code 3"),
    ] {
        stage.settings = format!("lint = {lint}");
        let quality = measure(&stage).await;
        let lint = part(&quality, "lint");
        assert_eq!((lint.points, lint.found.as_str()), (None, why));
    }
}

#[tokio::test]
async fn a_part_of_a_repository_has_the_wholes_ignore_file() {
    let stage = Stage::new();
    let session = stage.session(builder(), "a");
    let workspace = stage.workspace().join("part");
    let hygiene = async || {
        let mut fired = fire!(session, QUALITY_MEASURE { workspace: &workspace }).await;
        part(&fired.take_answer().unwrap().0, "hygiene").points
    };
    stage.write("part/a.txt", "x");
    stage.write(".gitignore", ".env\n");
    assert_eq!(hygiene().await, Some(4.0), "what lies above is somebody else's while there is no repository");
    stage.git(&["init", "-q"]);
    stage.write("part/.env", "x");
    assert_eq!(hygiene().await, Some(5.0));
}

#[test]
fn remedies_are_those_that_give_most() {
    let mut quality = quality(40);
    quality.parts.push(Part {
        name: "b".into(),
        most: 100,
        points: Some(10.0),
        found: String::new(),
        raise: "more".into(),
    });
    quality.parts.push(Part {
        name: "c".into(),
        most: 5,
        points: None,
        found: String::new(),
        raise: "it".into(),
    });
    assert_eq!(quality.remedies(9), ["b: more (up to 90.0 more)", "all: better work (up to 60.0 more)"]);
}
