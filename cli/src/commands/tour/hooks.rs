//! The tour's own hooks. They are off unless the tour's allowlist names them.

use std::path::Path;
use std::time::Duration;

use hookspec::points::{FILE_PRE_PATCH, STEP_POST, TOOL_POST_EXECUTE, TURN_POST};
use hookspec::{Gate, Message, Session, ToolUse, hook};

use crate::output::count;

/// A gate: nobody changes what runs in production.
#[hook(FILE_PRE_PATCH, name = "tour.guard", enabled = false)]
fn guard(path: &Path) -> Option<Gate> {
    path.ends_with("production.toml").then(|| Gate::deny("production settings are changed by people only"))
}

/// A hook with a bug: it panics, and the session goes on.
#[hook(TOOL_POST_EXECUTE, name = "tour.fragile", enabled = false)]
fn fragile(tool_use: &ToolUse) {
    assert!(tool_use.tool != "shell", "this hook cannot stand shells");
}

/// Reports beside the chain; nobody waits for it.
#[hook(TURN_POST, name = "tour.report", enabled = false, background)]
fn report(steps: u32, changed: &[std::path::PathBuf]) -> Message {
    std::thread::sleep(Duration::from_millis(30));
    Message::system(format!("{}, {} changed", count(steps, "step"), count(changed.len(), "file")))
}

/// Seven minutes pass with each step, so that `time_awareness` has something to say.
#[hook(STEP_POST, name = "tour.time_flies", enabled = false)]
fn time_flies(session: &Session) {
    session.clock().advance(Duration::from_secs(7 * 60));
}
