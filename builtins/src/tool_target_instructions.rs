//! `tool_target_instructions`: gives the model the instructions that hold where a tool reads or writes.
//!
//! **Watches** the end of each tool call that names files or directories, whichever tool and however the
//! call was written: named arguments, the words or lines of a fenced block, patches of several files, tools
//! of MCP servers. Programs (a shell) say nothing about what they touch, and refused calls touch nothing.
//! **Speaks** like `agents_md_inject`, one hidden message per file not told yet, the most special
//! directory's first, at most `max_files` files and `max_bytes` bytes a call; what is too much is named
//! once a session and may be told after a later call. **Keeps** the same list of what was told. **Costs**
//! seven looks per directory for calls that name files; nothing for others.
//!
//! Different from gptme:
//! - any tool that names files counts, in every way of writing a call;
//! - within a directory, files keep their order, so that `AGENTS.md` is not the first to be left out;
//! - a file that is too large is mentioned once, not after each call;
//! - all that `agents_md_inject` does differently: edited files are told again, places that others may
//!   write are not trusted, and what the log shows is not told twice.

use hookspec::points::TOOL_POST_EXECUTE;
use hookspec::tool::ToolStatus;
use hookspec::{Message, Session, ToolUse, hook};
use serde::{Deserialize, Serialize};

use crate::call_paths::call_paths;
use crate::instructions::{Limits, Loaded, Trees, deepest_first, directories, inject};

#[cfg(test)]
mod tests;

/// `[hooks.tool_target_instructions]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Files after one call.
    pub max_files: usize,
    /// Bytes of their text after one call.
    pub max_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_files: 3, max_bytes: 12_000 }
    }
}

/// Tells what holds where the tool worked.
#[hook(TOOL_POST_EXECUTE, priority = 10)]
fn on_tool_post(
    tool_use: &ToolUse,
    status: ToolStatus,
    session: &Session,
    state: &mut Loaded,
    settings: &Settings,
) -> Vec<Message> {
    if status == ToolStatus::Denied {
        return Vec::new();
    }
    let home = crate::instructions::home(session);
    let paths = call_paths(tool_use, session, home.as_deref());
    if paths.is_empty() {
        return Vec::new();
    }
    let trees = Trees::of(session);
    let mut found = Vec::new();
    for directory in directories(paths) {
        found.extend(trees.walk(&directory));
    }
    state.seed(session, trees.home());
    let limits = Limits { files: settings.max_files, bytes: settings.max_bytes };
    let messages = inject(&deepest_first(found), state, trees.home(), limits);
    messages.into_iter().map(|(_, message)| message).collect()
}
