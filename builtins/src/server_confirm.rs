//! `server_confirm`: asks the clients that watch a session before a tool runs.
//!
//! **Watches** `TOOL_CONFIRM` in servers; chosen by that mode, and no allowlist takes it away. **Speaks** by putting
//! the question on the host's [`Desk`]: the call, the content that an edit replaces, the preview and why it is
//! asked. Any client of the session may answer, also one that comes later. **Keeps** how many further calls
//! are confirmed beforehand, for this process only. **Costs** an event to the clients; it waits without
//! holding a thread, at most `timeout_s` seconds.
//!
//! | reply | result |
//! |---|---|
//! | confirm | run it |
//! | skip | do not; the turn ends |
//! | edit, with content | run it with that content |
//! | auto, with a count | run it, and so many more |
//! | none in time, an interrupt, no desk, nobody to show it to | do not, and say why |
//!
//! Different from gptme: without a desk or with a broken one the answer is no, there it was yes; the preview is
//! sent, and an edit replaces the content and never the preview; one id serves event and answer, so that an
//! answer finds its question; a user's own policy (`confirm_policy`) is asked first; the entry goes when its
//! hook does, however that ends; a gate's question is asked also after auto.

use std::time::Duration;

use hookspec::ask::{Confirmation, Why};
use hookspec::points::TOOL_CONFIRM;
use hookspec::{First, Session, ToolUse, hook};
use serde::{Deserialize, Serialize};

use crate::beforehand::{Beforehand, Further};
use crate::cli_confirm::DECLINED;
use crate::desk::{Desk, NoAnswer, ToolQuestion, ToolReply};

/// How long it waits.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Seconds until a question that nobody answers is a refusal.
    timeout_s: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { timeout_s: 3600 }
    }
}

/// Asks the session's clients.
#[hook(TOOL_CONFIRM, modes = [server], confirmation, budget = "1440m")]
async fn ask(
    tool_use: &ToolUse,
    preview: Option<&str>,
    why: &Why,
    session: &Session,
    settings: &Settings,
) -> First<Confirmation> {
    match session.state::<Beforehand>().await.map(|mut beforehand| beforehand.take(why)) {
        Ok(Some(_)) => return First(Confirmation::Confirm),
        Ok(None) => {}
        Err(error) => return refuse(&error.to_string()),
    }
    let Some(desk) = session.extension::<Desk>() else { return refuse("this host has nowhere to ask") };
    let registry = session.hooks().load();
    let content = registry.tools().get(&tool_use.tool).map_or(&*tool_use.content, |t| t.content(tool_use));
    let question = ToolQuestion {
        tool_use: tool_use.clone(),
        content: content.to_owned(),
        preview: preview.map(str::to_owned),
        why: why.clone(),
    };
    let reply = desk.ask_tool(session, question, Duration::from_secs(settings.timeout_s)).await;
    decide(reply, session).await
}

async fn decide(reply: Result<ToolReply, NoAnswer>, session: &Session) -> First<Confirmation> {
    First(match reply {
        Ok(ToolReply::Confirm) => Confirmation::Confirm,
        Ok(ToolReply::Edit { content }) => Confirmation::Edit { content },
        Ok(ToolReply::Skip { reason: None }) => Confirmation::Skip { reason: DECLINED.to_owned() },
        Ok(ToolReply::Skip { reason: Some(reason) }) => {
            Confirmation::Skip { reason: format!("{DECLINED} The reason given: {reason}") }
        }
        Ok(ToolReply::Auto { count }) => match session.state::<Beforehand>().await {
            Ok(mut beforehand) => {
                beforehand.allow(Further::Count(count));
                Confirmation::Confirm
            }
            Err(error) => return refuse(&error.to_string()),
        },
        Err(none) => return refuse(&none.to_string()),
    })
}

fn refuse(why: &str) -> First<Confirmation> {
    First(Confirmation::Skip { reason: format!("This call was not confirmed: {why}.") })
}
