//! `agents_md_inject`: gives the model the instructions that hold where it works.
//!
//! **Watches** the session's start, each change of directory, and the log being cut (a compaction, an
//! undo). **Speaks** in one hidden message per file, `<agent-instructions source="…">`, general before
//! special: `AGENTS.md`, `CLAUDE.md`, `COPILOT.md`, `GEMINI.md`, `.github/copilot-instructions.md`,
//! `.cursorrules` and `.windsurfrules` of the directory and of those above it, up to the home directory,
//! or, outside of it, to the top of the workspace's repository. What goes over `max_files` or `max_bytes`
//! at once is named in one note, `<agent-instructions-skipped source="…">`, once a session; special files
//! have precedence. At the start come first the files in the directories `also`. **Keeps** which file was
//! told with which text, shared with `tool_target_instructions` and made from the log when it is missing.
//! **Costs** seven looks per directory, and reading what is new or changed.
//!
//! Different from gptme:
//! - a file that was edited is told again, and says that it replaces what it said; copies and links of one
//!   text are told once;
//! - on resume, in the server and in a fork nothing is told twice: the log shows what was told. Only blocks
//!   that these hooks emitted count, so a tool's output can't hide a file;
//! - instructions outside of the workspace, its repository and the home directory are not loaded, nor from
//!   a directory above the workspace that others may write or own; a link out of the tree must lead to
//!   instructions;
//! - a file that is no text, no file or unreadable costs only itself; there are limits;
//! - `source` is escaped, and a file's text can't end its block.

use hookspec::points::{CACHE_INVALIDATED, CWD_CHANGED, InvalidationReason, SESSION_START};
use hookspec::{Message, Session, hook};
use serde::{Deserialize, Serialize};
use std::path::Path;

use crate::call_paths::resolve;
use crate::instructions::{Found, Limits, Loaded, Trees, deepest_first, inject};

#[cfg(test)]
mod tests;

/// `[hooks.agents_md_inject]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Files at once.
    pub max_files: usize,
    /// Bytes of their text at once.
    pub max_bytes: usize,
    /// Directories whose own instructions hold everywhere; `~` is the home directory.
    pub also: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_files: 16, max_bytes: 100_000, also: vec!["~/.config/hookspec".to_owned()] }
    }
}

impl Settings {
    fn limits(&self) -> Limits {
        Limits { files: self.max_files, bytes: self.max_bytes }
    }
}

/// Tells what holds in the workspace.
#[hook(SESSION_START, priority = 20)]
fn on_session_start(session: &Session, state: &mut Loaded, settings: &Settings) -> Vec<Message> {
    let trees = Trees::of(session);
    general_first(of_workspace(&trees, session, settings), &trees, session, state, settings)
}

/// Tells what holds in the new directory.
#[hook(CWD_CHANGED)]
fn on_cwd_change(new: &Path, session: &Session, state: &mut Loaded, settings: &Settings) -> Vec<Message> {
    let trees = Trees::of(session);
    general_first(trees.walk(&real(new)), &trees, session, state, settings)
}

/// Tells anew what holds in the workspace, and where the session is, if the log no longer has it.
#[hook(CACHE_INVALIDATED)]
fn on_log_cut(
    reason: InvalidationReason,
    session: &Session,
    state: &mut Loaded,
    settings: &Settings,
) -> Vec<Message> {
    if reason == InvalidationReason::Model {
        return Vec::new();
    }
    state.forget();
    let trees = Trees::of(session);
    let mut found = of_workspace(&trees, session, settings);
    found.extend(trees.walk(&real(&session.cwd())));
    general_first(found, &trees, session, state, settings)
}

/// What holds everywhere, and in the workspace.
fn of_workspace(trees: &Trees, session: &Session, settings: &Settings) -> Vec<Found> {
    let mut found = Vec::new();
    for directory in &settings.also {
        trees.look(&resolve(&session.cwd(), trees.home(), directory), &mut found);
    }
    // More general than any directory of the tree.
    found.iter_mut().for_each(|found| found.depth = 0);
    if let Some(workspace) = session.workspace() {
        found.extend(trees.walk(&real(workspace)));
    }
    found
}

fn general_first(
    found: Vec<Found>,
    trees: &Trees,
    session: &Session,
    state: &mut Loaded,
    settings: &Settings,
) -> Vec<Message> {
    state.seed(session, trees.home());
    let mut messages = inject(&deepest_first(found), state, trees.home(), settings.limits());
    messages.sort_by_key(|(depth, _)| *depth);
    messages.into_iter().map(|(_, message)| message).collect()
}

fn real(directory: &Path) -> std::path::PathBuf {
    directory.canonicalize().unwrap_or_else(|_| directory.to_owned())
}
