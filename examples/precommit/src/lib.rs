//! When a turn rests, runs the repository's pre-commit checks on the files that it changed.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use hookspec::points::TURN_POST;
use hookspec::{Message, Session, hook};
use serde::{Deserialize, Serialize};

hookspec::plugin!();

/// `[hooks.repo_checks]` in `hookspec.toml`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    command: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self { command: "pre-commit".into() }
    }
}

/// Whether this session knows that the checks are missing.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Told(bool);

/// Runs the checks.
#[hook(TURN_POST, blocking, timeout = "5m", name = "repo_checks.run")]
fn run_checks(
    changed: &[PathBuf],
    session: &Session,
    settings: &Settings,
    state: &mut Told,
) -> Option<Message> {
    let workspace = session.workspace()?;
    if changed.is_empty() || !workspace.join(".pre-commit-config.yaml").exists() {
        return None;
    }
    let mut checks = Command::new(&settings.command);
    checks
        .args(["run", "--color", "never", "--files"])
        .args(changed)
        .current_dir(workspace)
        .stdin(Stdio::null());
    match checks.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(Message::system(format!(
            "The pre-commit checks failed:\n{}",
            String::from_utf8_lossy(&output.stdout).trim()
        ))),
        Err(error) => {
            let first = !std::mem::replace(&mut state.0, true);
            let text = format!("`{}` cannot be run, so nothing is checked: {error}", settings.command);
            first.then(|| Message::system(text))
        }
    }
}
