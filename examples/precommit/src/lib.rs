//! When a turn rests, runs the repository's pre-commit checks on the files that it changed, while the user trusts them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookspec::points::TURN_POST;
use hookspec::{Message, Session, hook};
use hookspec_process::consent::{Asked, Consent};
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

/// Why the checks did not run, as this session was told last.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Told(String);

/// Runs the checks.
#[hook(TURN_POST, blocking, timeout = "5m", name = "repo_checks.run")]
fn run_checks(
    changed: &[PathBuf],
    session: &Session,
    settings: &Settings,
    state: &mut Told,
) -> Option<Message> {
    let workspace = session.workspace()?;
    let file = workspace.join(".pre-commit-config.yaml");
    if changed.is_empty() || !file.exists() {
        return None;
    }
    let mut once = |why: String| {
        let is_news = state.0 != why;
        state.0.clone_from(&why);
        is_news.then(|| Message::system(why))
    };
    // Somebody else wrote that file, or the model did a moment ago.
    if let Err(why) = agreed(session, &file) {
        return once(format!("The pre-commit checks do not run: {why}"));
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
        Err(error) => once(format!("`{}` cannot be run, so nothing is checked: {error}", settings.command)),
    }
}

/// Whether the user trusts what is in the file, and in the files that it names, as it is now.
fn agreed(session: &Session, file: &Path) -> Result<(), String> {
    let asked = Asked::about(file).map_err(|error| error.to_string())?;
    let consent = session.extension::<Consent>().ok_or("this host does not know what you trust")?;
    consent.to(&asked)
}
