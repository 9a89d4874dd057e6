//! What is noted along the way: the session, its messages, calls and edits.

use std::path::Path;

use hookspec::points::{
    EndReason, FILE_POST_PATCH, FILE_POST_SAVE, MESSAGE_POST_PROCESS, MESSAGE_PRE_PROCESS, SESSION_END,
    SESSION_START, TOOL_POST_EXECUTE,
};
use hookspec::tool::ToolStatus;
use hookspec::{Message, Session, ToolUse, fire, hook};
use jiff::ToSpan;

use crate::errors::{self, Memory};
use crate::ordering::rank;
use crate::points::PRE_SESSION_END;
use crate::settings::Settings;
use crate::store::{self, StoreError, short};
use crate::timeline::{KEPT, Moment, record};
use crate::{git, metrics};

/// Begins the session's row of metrics; a resumed session goes on with its own. Forgets old timelines.
#[hook(SESSION_START, name = "buddy.begin_session", priority = rank(100, 0), blocking, timeout = "30s")]
fn begin_session(session: &Session, settings: &Settings) -> Result<(), StoreError> {
    let at = session.clock().now();
    let head = session.workspace().and_then(|workspace| git::Git::at(workspace)?.head());
    let time_of_day = metrics::TimeOfDay::of(at.to_zoned(settings.zone()).hour());
    let project = store::project(session);
    store::with(session, |store| {
        if settings.keep_days > 0
            && let Ok(oldest) = at.checked_sub((i64::from(settings.keep_days) * 24).hours())
        {
            store.forget_before(oldest)?;
        }
        store.begin_session(session.id(), &project, at, time_of_day, head.as_deref())
    })
}

/// Says that the session is about to end, before any other hook there does what it does.
#[hook(SESSION_END, name = "buddy.announce_end", priority = rank(0, 0))]
async fn announce_end(reason: EndReason, session: &Session) {
    // What its hooks said is in the log, their failures are in the host's.
    let _ = fire!(session, PRE_SESSION_END { reason }).await;
}

/// Completes the session's row of metrics.
#[hook(SESSION_END, name = "buddy.end_session", priority = rank(300, 0), blocking, timeout = "30s")]
fn end_session(session: &Session) -> Result<(), StoreError> {
    metrics::update(session)
}

/// Notes what the user says.
#[hook(MESSAGE_PRE_PROCESS, name = "buddy.note_prompt", priority = 0, fail_open)]
fn note_prompt(message: &Message, session: &Session) -> Result<(), StoreError> {
    record(session, &Moment::Message { role: message.role, text: short(&message.content, KEPT) })
}

/// Notes what the model says.
#[hook(MESSAGE_POST_PROCESS, name = "buddy.note_answer")]
fn note_answer(message: &Message, session: &Session) -> Result<(), StoreError> {
    record(session, &Moment::Message { role: message.role, text: short(&message.content, KEPT) })
}

/// Notes a file that was written, which is also an attempt at what is broken.
#[hook(FILE_POST_SAVE, name = "buddy.note_saved", priority = rank(10, 0))]
fn note_saved(
    path: &Path,
    content: &str,
    created: bool,
    session: &Session,
    state: &mut Memory,
) -> Result<(), StoreError> {
    edited(session, state, path, content, created, content)
}

/// Notes a file that was changed.
#[hook(FILE_POST_PATCH, name = "buddy.note_patched", priority = rank(10, 0))]
fn note_patched(path: &Path, diff: &str, session: &Session, state: &mut Memory) -> Result<(), StoreError> {
    let added: Vec<&str> = diff
        .lines()
        .filter(|line| !line.starts_with("+++"))
        .filter_map(|line| line.strip_prefix('+'))
        .collect();
    edited(session, state, path, &added.join("\n"), false, diff)
}

fn edited(
    session: &Session,
    state: &mut Memory,
    path: &Path,
    added: &str,
    created: bool,
    changes: &str,
) -> Result<(), StoreError> {
    state.edited = true;
    let path = relative(session, path);
    record(session, &Moment::Edit { path: path.clone(), added: short(added, KEPT), created })?;
    let done = if created { "created" } else { "edited" };
    errors::tried(session, state, &format!("{done} {path}"), changes)
}

/// A path as it is told: relative to the workspace where it lies in it, also through links.
fn relative(session: &Session, path: &Path) -> String {
    let inside = session.workspace().and_then(|workspace| {
        let real = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        path.strip_prefix(workspace).or_else(|_| path.strip_prefix(real)).ok()
    });
    inside.unwrap_or(path).display().to_string()
}

/// Notes a call that ended; where it succeeded, it may be the proof that something is fixed.
#[hook(TOOL_POST_EXECUTE, name = "buddy.note_result", priority = rank(10, 0))]
fn note_result(
    tool_use: &ToolUse,
    status: ToolStatus,
    session: &Session,
    settings: &Settings,
    state: &mut Memory,
) -> Result<Option<Message>, StoreError> {
    let ok = status == ToolStatus::Ok;
    let text = short(&errors::call_text(tool_use), KEPT);
    record(session, &Moment::Call { tool: tool_use.tool.clone(), text, ok })?;
    if !ok {
        return Ok(None);
    }
    let is_command = settings.command_tools.contains(&tool_use.tool);
    errors::succeeded(session, state, tool_use, is_command)
}
