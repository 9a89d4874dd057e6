//! A file is formatted after it was changed: that file, if its formatter is there.

use hookspec::point::{Fired, Messages};
use hookspec::points::{FILE_POST_PATCH, FILE_POST_SAVE};
use hookspec::{Session, fire};

use crate::stage::{Stage, builder};

async fn save(session: &Session, path: &str, content: &str) -> Vec<String> {
    let path = session.workspace().unwrap().join(path);
    std::fs::write(&path, content).unwrap();
    told(fire!(session, FILE_POST_SAVE { path: &path, content, created: true }).await)
}

fn told(fired: Fired<Messages>) -> Vec<String> {
    assert!(fired.failures().is_empty(), "{fired:?}");
    crate::stage::texts(&fired.into_messages())
}

/// A formatter that makes everything upper case, and fails on what it cannot read.
const UPPER: &str = r#"formatters = { py = ["sh", "-c", "grep -q syntax && { echo 'no such syntax' >&2; exit 2; }; tr a-z A-Z < \"$1\"", "x", "{path}"], md = [] }"#;

#[tokio::test]
async fn the_file_is_formatted_and_no_other() {
    let mut stage = Stage::new();
    stage.settings = UPPER.into();
    stage.write("other.py", "stays");
    let session = stage.session(builder(), "a");
    let read = |name: &str| std::fs::read_to_string(stage.workspace().join(name)).unwrap();
    let said = save(&session, "a.py", "x = 1\n").await;
    assert_eq!(read("a.py"), "X = 1\n");
    assert!(said[0].ends_with("was formatted with `sh`; read it again before you patch it."), "{said:?}");
    assert_eq!(read("other.py"), "stays");
    assert!(save(&session, "a.py", "X = 1\n").await.is_empty(), "nothing to say where nothing changed");
    assert!(save(&session, "a.md", "text\n").await.is_empty());
    assert_eq!(read("a.md"), "text\n");
    let said = save(&session, "b.py", "syntax\n").await;
    assert!(said[0].contains("could not format") && said[0].contains("no such syntax"), "{said:?}");
    assert_eq!(read("b.py"), "syntax\n");
}

#[tokio::test]
async fn a_patched_file_is_formatted_too() {
    let mut stage = Stage::new();
    stage.settings = UPPER.into();
    stage.write("a.py", "y\n");
    let session = stage.session(builder(), "a");
    let path = stage.workspace().join("a.py");
    told(
        fire!(session, FILE_POST_PATCH { path: &path, before: "x\n", after: "y\n", diff: "-x\n+y\n" }).await,
    );
    assert_eq!(std::fs::read_to_string(path).unwrap(), "Y\n");
}

#[tokio::test]
async fn a_file_that_somebody_else_changed_meanwhile_is_left_alone() {
    let mut stage = Stage::new();
    stage.settings = UPPER.into();
    let session = stage.session(builder(), "a");
    let path = stage.workspace().join("a.py");
    std::fs::write(&path, "somebody else's\n").unwrap();
    let said = told(fire!(session, FILE_POST_SAVE { path: &path, content: "ours\n", created: false }).await);
    assert!(said.is_empty(), "{said:?}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "somebody else's\n");
}

#[tokio::test]
async fn a_formatter_that_is_missing_or_planted_is_told_once() {
    let mut stage = Stage::new();
    stage.settings = "formatters = { py = ['no-such-formatter', '{path}'] }".into();
    // A program of that name in the workspace is not it.
    stage.write("no-such-formatter", "#!/bin/sh\n");
    let session = stage.session(builder(), "a");
    let said = save(&session, "a.py", "x\n").await;
    assert_eq!(
        said,
        ["`no-such-formatter` is not installed, so files that it would format stay as they are."]
    );
    assert!(save(&session, "b.py", "x\n").await.is_empty());
}

#[tokio::test]
async fn a_formatter_that_hangs_is_ended() {
    let mut stage = Stage::new();
    stage.settings = "format_s = 1\nformatters = { py = ['sh', '-c', 'sleep 3600'] }".into();
    let session = stage.session(builder(), "a");
    let said = save(&session, "a.py", "x\n").await;
    assert!(said[0].contains("was not formatted") && said[0].contains("time limit"), "{said:?}");
}

#[tokio::test]
async fn rust_is_formatted_in_its_edition_and_its_modules_are_not_followed() {
    if hookspec_process::find("rustfmt", None).is_none() {
        return; // nothing to try it with
    }
    let stage = Stage::new();
    stage.write("Cargo.toml", "[package]\nname = 'x'\nedition = '2024'\n");
    stage.write("src/inner.rs", "fn  inner( ) { }\n");
    let session = stage.session(builder(), "a");
    let text = "mod inner;\nfn  main( ) { if let Some(x) = Some(1) && x > 0 { drop(x) } }\n";
    save(&session, "src/main.rs", text).await;
    let main = std::fs::read_to_string(stage.workspace().join("src/main.rs")).unwrap();
    assert!(main.contains("fn main() {\n    if let Some(x) = Some(1)"), "{main}");
    assert_eq!(
        std::fs::read_to_string(stage.workspace().join("src/inner.rs")).unwrap(),
        "fn  inner( ) { }\n"
    );
}

#[tokio::test]
async fn a_toolchain_that_the_project_brings_is_not_run() {
    let stage = Stage::new();
    stage.write("rust-toolchain.toml", "[toolchain]\npath = 'evil'\n");
    let ran = stage.path().join("ran");
    stage.write("evil/bin/rustfmt", &format!("#!/bin/sh\ntouch '{}'\ncat\n", ran.display()));
    let evil = stage.workspace().join("evil/bin/rustfmt");
    std::fs::set_permissions(&evil, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    stage.write("evil/bin/rustc", "#!/bin/sh\n");
    let session = stage.session(builder(), "a");
    stage.write("rustfmt.toml", "tab_spaces = 2\n");
    save(&session, "a.rs", "fn  a( ) { b() }\n").await;
    assert!(!ran.exists());
    if hookspec_process::find("rustfmt", None).is_some() {
        let text = std::fs::read_to_string(stage.workspace().join("a.rs")).unwrap();
        assert_eq!(text, "fn a() {\n  b()\n}\n", "the project's settings count all the same");
    }
}
