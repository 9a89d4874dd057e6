//! `tool_cache`: gives the answer of a tool again that it gave a moment ago.
//!
//! **Watches** each run of a tool that is `pure`, from around it. The same call, in the same workspace and directory, is answered from what
//! is kept, without running the tool; the call's result says so in the log (`answered_by`), and so does the timeline. **Forgets**
//! everything when something may have changed what a pure tool looks at: a file was written or patched, the session moved to another
//! directory, any tool ran that is not pure, or a new message of the user's came; and each answer after `seconds`. An answer for
//! which the user was asked is not kept, nor a failure. Gates and confirmations come before, as always: what is refused is not
//! answered from here. **Keeps** at most `entries` answers of at most `bytes` bytes together, per session, in memory only. **Costs** nothing
//! unless `enabled`.
//!
//! A tool that is pure (`#[tool(pure)]`) promises that its answer hangs on its arguments, the workspace, the directory and files there.
//! Of the tools that come with hookspec, `read` is. What is not noticed: a file that somebody else changes while a turn runs, a program that
//! was left running among them, until `seconds` are over. `except` names tools that are always run.
//!
//! gptme has no such thing.

mod kept;

use std::num::NonZeroUsize;

use hookspec::points::{
    CWD_CHANGED, ELICIT, FILE_POST_PATCH, FILE_POST_SAVE, TOOL_EXECUTE, TOOL_POST_EXECUTE, TURN_PRE,
};
use hookspec::tool::{ToolEntry, ToolResult, ToolStatus};
use hookspec::{Around, Session, ToolUse, hook};
use serde::{Deserialize, Serialize};

use crate::globs::Globs;

pub use kept::Kept;
use kept::Key;

/// `[hooks.tool_cache]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether anything is answered from here.
    pub enabled: bool,
    /// How many answers a session keeps; the one that was not asked for longest goes first.
    pub entries: NonZeroUsize,
    /// How many bytes they have together; a longer one is not kept.
    pub bytes: usize,
    /// How many seconds an answer is good for.
    pub seconds: u32,
    /// Globs of tools that are always run.
    pub except: Globs,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            entries: NonZeroUsize::MIN.saturating_add(63),
            bytes: 1024 * 1024,
            seconds: 300,
            except: Globs::default(),
        }
    }
}

/// Answers a call that was answered before.
#[hook(TOOL_EXECUTE, priority = 30, timeout = "never", budget = "1h")]
async fn answer(
    next: TOOL_EXECUTE::Next<'_>,
    tool_use: &ToolUse,
    session: &Session,
    settings: &Settings,
) -> Option<Around<ToolResult>> {
    let tool = pure(tool_use, session).filter(|tool| !settings.except.fit(tool.name))?;
    let key = Key::of(tool, tool_use, session);
    // Held for a moment only: while the tool runs, what it does may have to be forgotten here.
    let change = {
        let mut kept = session.state::<Kept>().await.ok()?;
        if let Some(output) = kept.get(&key, session.clock().now(), settings) {
            return Some(Around(Ok(output)));
        }
        kept.change()
    };
    let result = next.run().await;
    if let Ok(output) = &result
        && matches!(output.status, None | Some(ToolStatus::Ok))
        && let Ok(mut kept) = session.state::<Kept>().await
        && kept.change() == change
    {
        kept.put(key, output.clone(), session.clock().now(), settings);
    }
    None
}

/// Forgets what a tool that is not pure may have changed.
#[hook(TOOL_POST_EXECUTE, priority = 100)]
fn ran(tool_use: &ToolUse, status: ToolStatus, session: &Session, settings: &Settings, state: &mut Kept) {
    if status != ToolStatus::Denied && pure(tool_use, session).is_none() {
        forget(settings, state);
    }
}

/// Forgets: a file was written.
#[hook(FILE_POST_SAVE, priority = 100)]
fn saved(settings: &Settings, state: &mut Kept) {
    forget(settings, state);
}

/// Forgets: a file was patched.
#[hook(FILE_POST_PATCH, priority = 100)]
fn patched(settings: &Settings, state: &mut Kept) {
    forget(settings, state);
}

/// Forgets: the session is somewhere else.
#[hook(CWD_CHANGED, priority = 100)]
fn moved(settings: &Settings, state: &mut Kept) {
    forget(settings, state);
}

/// Forgets: since the last turn anything may have happened.
#[hook(TURN_PRE, priority = 100)]
fn turn(settings: &Settings, state: &mut Kept) {
    forget(settings, state);
}

/// Keeps nothing of what hangs on the user's answer.
#[hook(ELICIT, priority = 1000)]
fn asked(settings: &Settings, state: &mut Kept) {
    forget(settings, state);
}

/// While it is off nothing is kept.
fn forget(settings: &Settings, state: &mut Kept) {
    if settings.enabled {
        state.forget();
    }
}

fn pure(call: &ToolUse, session: &Session) -> Option<&'static ToolEntry> {
    session.hooks().load().tools().get(&call.tool).filter(|tool| tool.pure)
}
