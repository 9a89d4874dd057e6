//! `active_context`: shows the model, with each request, the files that it most likely works on, as they
//! are now.
//!
//! **Watches** each call to the model. Off unless `enabled = true`. **Speaks** in one visible message of
//! that request, `# Context`: the working directory, the git status of the workspace, and at most
//! `max_files` files in fences, best first. The message goes into that one request and is never stored, so
//! that it can't grow old in the log. **Keeps** the list of the workspace's files for the length of a turn.
//! **Costs**, while it is on, a git status and the reading of the chosen files per request, and the listing
//! of the workspace's files per turn, on a thread that may block; git is given five seconds, and one that
//! fails is left alone until the next turn.
//!
//! Files are chosen by rule: (1 + 0.3 × mentions in the last messages) × how recently they changed (an hour
//! 1.3, a day 1.1, a week 1.05) × their type (Python 1.3, Markdown 1.2, TOML and YAML 1.1) × their state in
//! git (staged 3, modified 2.5, untracked 1.8). Lock files, minified and compiled files, files that hold
//! keys by their name, files of more than `max_file_chars` characters and links out of the workspace are
//! left out; so is what does not fit into `max_tokens`, while smaller files behind it may. A file that is
//! no text is shown as `<binary file>`.
//!
//! Different from gptme:
//! - no model chooses: its `hybrid` strategy asks one before each step of a tool loop, and pays for it; the
//!   rule costs milliseconds, and chooses the same files for the same workspace;
//! - mentions count in what was said, not only attached files; an attached file may lie anywhere;
//! - the status is that of the workspace, whatever the current directory; a workspace in a hidden directory
//!   works;
//! - limits count tokens, of all of the message; a fence is longer than any in its file;
//! - one switch, `enabled`, whichever files the project has.

mod candidates;
mod render;
mod score;

#[cfg(test)]
mod tests;

use hookspec::model::Request;
use hookspec::points::GENERATION_PRE;
use hookspec::{Message, Session, hook};
use serde::{Deserialize, Serialize};

use candidates::{Listing, Workspace};
use render::Limits;

/// `[hooks.active_context]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether it does anything.
    pub enabled: bool,
    /// Files per request.
    pub max_files: usize,
    /// Characters of a file; a longer one is left out.
    pub max_file_chars: usize,
    /// Tokens of the message, as OpenAI's newer models count them; others count about the same.
    pub max_tokens: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { enabled: false, max_files: 10, max_file_chars: 100_000, max_tokens: 30_000 }
    }
}

/// Adds the files that matter now to the request.
#[hook(GENERATION_PRE, blocking)]
fn on_generation(
    request: &Request,
    session: &Session,
    state: &mut Listing,
    settings: &Settings,
) -> Option<Message> {
    let root = session.workspace().filter(|_| settings.enabled)?;
    let workspace = Workspace::at(root);
    let (cwd, home) = (session.cwd(), crate::instructions::home(session));
    let mentions = score::Mentions::of(&request.messages, &cwd);
    let (status, candidates) = candidates::gather(&workspace, mentions.attached(), turn(request), state);
    let ranked = score::rank(candidates, &mentions, &workspace, session.clock().now());
    if ranked.is_empty() {
        return None;
    }
    let place = render::Place { workspace: &workspace, cwd: &cwd, home: home.as_deref() };
    let limits = Limits {
        files: settings.max_files,
        file_chars: settings.max_file_chars,
        tokens: settings.max_tokens,
    };
    render::message(&ranked, status.as_deref(), &place, limits).map(Message::system)
}

/// What changes from turn to turn: how many user messages there are, and the last one's text.
fn turn(request: &Request) -> (usize, &str) {
    let mut users = request.messages.iter().filter(|message| message.role == hookspec::Role::User);
    let last = users.clone().next_back();
    (users.by_ref().count(), last.map_or("", |message| message.content.as_str()))
}
