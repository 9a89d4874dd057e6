//! `server_elicit`: asks the clients that watch a session what a tool or a hook wants to know.
//!
//! **Watches** `ELICIT` in servers; chosen by that mode, and no allowlist takes it away. **Speaks** by putting the
//! question on the host's [`Desk`], with its options, fields, default and description. Any client of the session
//! may answer, also one that comes later; an answer that does not fit (no such option, a required field left
//! empty, a number that is none) is refused with the reason and may be given again. **Keeps** nothing.
//! **Costs** an event to the clients; it waits without holding a thread, at most `timeout_s` seconds.
//!
//! | reply | answer |
//! |---|---|
//! | accept, with a value or values | what was said, by the rules of `elicitation` |
//! | decline | declined |
//! | cancel, none in time, an interrupt | cancelled |
//!
//! Without a desk it leaves the question to other hooks, and then nobody is asked.
//!
//! Different from gptme: a declined question is not taken for an empty answer; answers are checked; a form's
//! secrets are kept out of logs and out of what the model reads; a question can be answered only from its
//! own session; the server's own terminal is never used.

use std::time::Duration;

use hookspec::ask::{Answer, Elicitation};
use hookspec::points::ELICIT;
use hookspec::{First, Session, hook};
use serde::{Deserialize, Serialize};

use crate::desk::Desk;

/// How long it waits.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Seconds until a question that nobody answers is cancelled.
    timeout_s: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { timeout_s: 3600 }
    }
}

/// Asks the session's clients.
#[hook(ELICIT, modes = [server], confirmation, budget = "1440m")]
async fn ask(request: &Elicitation, session: &Session, settings: &Settings) -> Option<First<Answer>> {
    let Some(desk) = session.extension::<Desk>() else {
        tracing::warn!(session = session.id(), "a question was not asked: this host has no desk");
        return None;
    };
    let timeout = Duration::from_secs(settings.timeout_s);
    let answer = desk.ask(session, request.clone(), timeout).await.unwrap_or_else(|none| {
        tracing::info!(session = session.id(), %none, "a question was cancelled");
        Answer::Cancelled
    });
    Some(First(answer))
}
