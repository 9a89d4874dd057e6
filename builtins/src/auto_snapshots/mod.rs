//! `auto_snapshots`: keeps the working tree as it was before and after each tool call that may change it.
//!
//! **Watches** each tool call before it may run and after it is over. **Speaks** never; a snapshot that fails is a failure
//! of the hook, and the call goes on. **Keeps** a git repository of its own for each workspace in the host's state
//! folder, apart from any repository of the user's, with one branch and one index a session. Before a call that may write
//! it commits `pre:<tool>`, after it `post:<tool>` if anything changed; the newest `max` of a session stay. The command
//! `hookspec snapshots` lists, shows and restores them. **Costs** nothing unless `enabled`; then, for a call that may write,
//! half a dozen short runs of git, on a thread that may block, each with a deadline. Only files that changed are read.
//! Where three in a row took too long, the next twenty are left out.
//!
//! What git ignores, caches (`.venv/`, `node_modules/` and the like), files over `max_file_mb` and repositories within
//! the tree are left out; the latter two are named in the snapshot. Bytes are kept as they are, without line end conversion
//! or filters. A restore touches only files that it has saved before.
//!
//! Different from gptme:
//! - the shell's grammar is read, so that `2>&1`, `> /dev/null`, quoted signs and `echo make` are no writes, while `curl -o`,
//!   `dd of=`, `git switch`, `tar xzf` and scripts are: a command counts as reading only if it is known to;
//! - Python is read as Python; edits of every kind and tools that nobody knows count as writing (`reading` names
//!   those that do not);
//! - `enabled = false` means off, and nothing is left in the environment for children;
//! - sessions do not share an index, and a call's end is compared with its own beginning;
//! - pruning keeps the snapshots' ids; sessions that are over go after `keep_days`.

mod classify;
mod commands;
mod history;
mod python;
mod shadow;
mod shell;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use hookspec::points::{SESSION_END, TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE};
use hookspec::session::StateDir;
use hookspec::{Session, ToolUse, hook};
use serde::{Deserialize, Serialize};

use crate::places::place;

pub use history::{Change, Restored, Snapshot};
pub use shadow::{Shadow, SnapshotError};

/// `[hooks.auto_snapshots]` in `hookspec.toml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether snapshots are made.
    pub enabled: bool,
    /// How many snapshots of a session stay, at least 1.
    pub max: usize,
    /// For how many days a session's snapshots stay after its last one; 0 for ever.
    pub keep_days: u32,
    /// Bigger files are left out, in MiB.
    pub max_file_mb: u64,
    /// How long each run of git may take, in seconds.
    pub timeout: u64,
    /// Where the snapshots go; relative to the host's state folder, and `workspace-snapshots` in it where empty.
    pub dir: PathBuf,
    /// Tools that change no file, beside those that are known.
    pub reading: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            max: 50,
            keep_days: 30,
            max_file_mb: 10,
            timeout: 30,
            dir: PathBuf::new(),
            reading: Vec::new(),
        }
    }
}

impl Settings {
    /// The snapshots of a session in a workspace.
    ///
    /// # Errors
    /// If there is no place for them, or no git.
    pub fn shadow(
        &self,
        state: Option<&StateDir>,
        workspace: &std::path::Path,
        session: &str,
    ) -> Result<Shadow, SnapshotError> {
        let base = place(state, &self.dir, "workspace-snapshots").ok_or(SnapshotError::NoPlace)?;
        let mut own = vec![base.clone()];
        own.extend(state.map(|state| state.0.clone()));
        Shadow::at(&base, workspace, session, own).map(|shadow| {
            shadow
                .deadline(Duration::from_secs(self.timeout.max(1)))
                .biggest(self.max_file_mb.saturating_mul(1024 * 1024))
        })
    }
}

/// How many begun calls are remembered: of a call that another agent's user refused, nobody tells the end.
const MOST_OPEN: usize = 64;

/// After so many snapshots in a row that took too long…
const SLOW: u32 = 3;
/// …so many are left out: those before and after ten calls.
const REST: u32 = 20;

/// The calls that have begun, each with the tree as it was then.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Calls {
    open: Vec<Open>,
    /// Whether snapshots were dropped, whose files are still on disk.
    dropped: bool,
    /// How many in a row failed because they took too long.
    #[serde(default)]
    slow: u32,
    /// How many of the next ones are left out.
    #[serde(default)]
    rest: u32,
}

impl Calls {
    /// Whether this one is left out.
    fn rests(&mut self) -> bool {
        let rests = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
        rests
    }

    /// Counts what took too long: where it always does, each call of the agent would wait for nothing.
    fn counted<T>(&mut self, done: Result<T, SnapshotError>) -> Result<T, SnapshotError> {
        self.slow = if done.as_ref().is_err_and(SnapshotError::took_long) { self.slow + 1 } else { 0 };
        if self.slow == SLOW {
            (self.slow, self.rest) = (0, REST);
            tracing::warn!("snapshots took too long {SLOW} times in a row; the next {REST} are left out");
        }
        done
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Open {
    call: String,
    tree: String,
}

/// Takes a snapshot before a call that may change files. It has no opinion on the call.
#[hook(TOOL_PRE_EXECUTE, priority = 90, blocking, timeout = "never", fail_open)]
fn pre(
    tool_use: &ToolUse,
    session: &Session,
    settings: &Settings,
    state: &mut Calls,
) -> Result<(), SnapshotError> {
    let Some(shadow) = wanted(settings, session, tool_use)?.filter(|_| !state.rests()) else { return Ok(()) };
    let call = mark(tool_use);
    state.open.retain(|open| open.call != call);
    let taken = shadow.take(&format!("pre:{}", tool_use.tool), session.clock().now());
    let snapshot = state.counted(taken)?;
    state.open.push(Open { call, tree: snapshot });
    let over = state.open.len().saturating_sub(MOST_OPEN);
    state.open.drain(..over);
    Ok(())
}

/// Takes a snapshot after a call that changed something, and drops the oldest ones.
#[hook(TOOL_POST_EXECUTE, priority = 90, blocking, timeout = "never")]
fn post(
    tool_use: &ToolUse,
    session: &Session,
    settings: &Settings,
    state: &mut Calls,
) -> Result<(), SnapshotError> {
    let Some(shadow) = wanted(settings, session, tool_use)?.filter(|_| !state.rests()) else { return Ok(()) };
    let call = mark(tool_use);
    let begun =
        state.open.iter().position(|open| open.call == call).map(|index| state.open.remove(index).tree);
    let label = format!("post:{}", tool_use.tool);
    let taken = shadow.take_if_changed(&label, session.clock().now(), begun.as_deref());
    state.counted(taken)?;
    state.dropped |= shadow.prune(settings.max)? > 0;
    Ok(())
}

/// Frees what dropped snapshots held, and drops those of sessions that were over long ago.
#[hook(SESSION_END, background)]
fn tidy(session: &Session, settings: &Settings, state: &mut Calls) -> Result<(), SnapshotError> {
    let Some(workspace) = session.workspace().filter(|_| settings.enabled) else { return Ok(()) };
    let shadow = settings.shadow(session.extension::<StateDir>().as_deref(), workspace, session.id())?;
    let expired = shadow.expire(session.clock().now(), settings.keep_days)?;
    if expired > 0 || state.dropped {
        shadow.collect_garbage()?;
        state.dropped = false;
    }
    Ok(())
}

/// Where this call's snapshots go; `None` where none are wanted.
fn wanted(settings: &Settings, session: &Session, call: &ToolUse) -> Result<Option<Shadow>, SnapshotError> {
    let Some(workspace) = session.workspace() else { return Ok(None) };
    if !settings.enabled || !classify::writes(call, &settings.reading) {
        return Ok(None);
    }
    settings.shadow(session.extension::<StateDir>().as_deref(), workspace, session.id()).map(Some)
}

/// What tells one open call from another.
fn mark(call: &ToolUse) -> String {
    let text = call.call_id.clone();
    text.unwrap_or_else(|| {
        let named = serde_json::Value::Object(call.kwargs.clone());
        let whole = format!("{:?} {named} {}", call.args, call.content);
        format!("{} {}", call.tool, crate::manifest::digest(whole.as_bytes()))
    })
}
