//! The hook as a host runs it: checks that pass, fail, and are not there.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::path::{Path, PathBuf};

use hookspec::model::Usage;
use hookspec::points::{TURN_POST, TurnOutcome};
use hookspec::{Config, Hooks, Message, Registry, Session, fire};

fn session(workspace: &Path, command: &str) -> Session {
    let mut config = Config::new();
    config.add_toml("test.toml", &format!("[hooks.repo_checks]\ncommand = {command:?}"), &[]).unwrap();
    let registry = Registry::builder().plugins(hookspec::plugins![precommit]).config(config).build().unwrap();
    Session::builder(&Hooks::new(registry), "s").workspace(workspace).build()
}

async fn rest(session: &Session, changed: &[PathBuf]) -> Vec<Message> {
    let usage = Usage::default();
    let fired =
        fire!(session, TURN_POST { steps: 1, changed, usage: &usage, outcome: TurnOutcome::Complete }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
    fired.into_messages()
}

/// A `pre-commit` that fails for files that hold tabs, and says which files it was given.
fn checks(folder: &Path) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("fake-pre-commit");
    let script =
        "#!/bin/sh\nshift 4\nfor f in \"$@\"; do grep -l '\t' \"$f\" && bad=1; done\nexit ${bad:-0}\n";
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[tokio::test]
async fn only_the_changed_files_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (folder.path().join("good"), folder.path().join("bad"));
    std::fs::write(&good, "fine\n").unwrap();
    std::fs::write(&bad, "a\tb\n").unwrap();
    let session = session(folder.path(), &checks(folder.path()));
    assert!(rest(&session, std::slice::from_ref(&bad)).await.is_empty(), "no configuration, no checks");
    std::fs::write(folder.path().join(".pre-commit-config.yaml"), "repos: []\n").unwrap();
    assert!(
        rest(&session, &[]).await.is_empty() && rest(&session, std::slice::from_ref(&good)).await.is_empty()
    );
    let said = rest(&session, &[good, bad.clone()]).await;
    assert_eq!(said[0].content, format!("The pre-commit checks failed:\n{}", bad.display()));
}

#[tokio::test]
async fn checks_that_are_not_there_are_told_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".pre-commit-config.yaml"), "repos: []\n").unwrap();
    let session = session(folder.path(), "no-such-pre-commit");
    let changed = [folder.path().join("a")];
    let told = &rest(&session, &changed).await[0].content;
    assert!(told.starts_with("`no-such-pre-commit` cannot be run, so nothing is checked: "), "{told}");
    assert!(rest(&session, &changed).await.is_empty());
}
