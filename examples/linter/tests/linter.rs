//! The hook as a host runs it, with a linter that is there and one that is not.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::path::Path;

use hookspec::points::FILE_POST_SAVE;
use hookspec::{Config, Hooks, Message, Registry, Session, fire};

fn session(settings: &str) -> Session {
    let mut config = Config::new();
    config.add_toml("test.toml", &format!("[hooks.linter]\n{settings}"), &[]).unwrap();
    let plugins = hookspec::plugins![linter];
    let registry = Registry::builder().plugins(plugins).config(config).build().unwrap();
    Session::builder(&Hooks::new(registry), "s").workspace(std::env::temp_dir()).build()
}

async fn save(session: &Session, path: &Path) -> Vec<Message> {
    let fired = fire!(session, FILE_POST_SAVE { path, content: "", created: true }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
    fired.into_messages()
}

#[tokio::test]
async fn what_the_linter_finds_reaches_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.py");
    std::fs::write(&bad, "import os\n").unwrap();
    let session = session(
        r#"command = "sh"
args = ["-c", 'grep -q "import os" "$1" && echo "F401 unused import" && exit 1; exit 0', "lint"]
"#,
    );
    let said = save(&session, &bad).await;
    assert!(said.is_empty(), "`$1` is `--`, so nothing is found: {said:?}");
    let session = self::session(
        r#"command = "sh"
args = ["-c", 'grep -q "import os" "$2" && echo "F401 unused import" && exit 1; exit 0', "lint"]
"#,
    );
    assert_eq!(save(&session, &bad).await[0].content, "F401 unused import");
    std::fs::write(&bad, "x = 1\n").unwrap();
    assert!(save(&session, &bad).await.is_empty());
    assert!(save(&session, Path::new("/tmp/readme.md")).await.is_empty());
}

#[tokio::test]
async fn a_linter_that_is_not_there_is_told_once() {
    let session = session("command = 'no-such-linter'");
    let first = save(&session, Path::new("/tmp/a.py")).await;
    assert_eq!(first[0].content, "`no-such-linter` is not installed: files are not linted");
    assert!(save(&session, Path::new("/tmp/b.py")).await.is_empty());
}
