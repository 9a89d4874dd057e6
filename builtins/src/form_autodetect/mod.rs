//! `form_autodetect`: offers the options of a question that the assistant ended its turn with, to be picked.
//!
//! **Watches** `LOOP_CONTINUE`, after a turn that is complete and with no other message waiting; off unless
//! `enabled = true`. **Speaks** where the assistant's last message asks to choose and lists what there is to
//! choose from: it puts the options to the user, by whichever way this host can ask (`ELICIT`: a menu in the
//! terminal, a form on a page), with "Something else" as the last one; what is picked goes on as the user's next
//! message. Where nobody can be asked, or nothing is picked, the agent rests and the user writes what they
//! like. **Keeps** nothing. **Costs** a look at the message, and no call to a model.
//!
//! A message is looked at if it has 50 to 5000 characters and no `form` fence. What may be options
//! ([`looks_like_options`]) is a broad test by shape; what is offered ([`detect`]) is the last list of the message
//! that is asked about: by a question mark or a phrase like "choose one" in the text before or after it, or by a
//! header like "Options:". Lists in code fences don't count, and a list that nobody asks about is just a list.
//!
//! Different from gptme: detection is by a parser, where a paid model was asked about every list; its result was
//! thrown away, here it is offered; an option may hold commas and brackets.

mod detect;

use hookspec::ask::{Answer, Continue, ElicitKind, Elicitation};
use hookspec::points::{ELICIT, LOOP_CONTINUE, TurnOutcome};
use hookspec::{First, Message, Role, Session, fire, hook};
use serde::{Deserialize, Serialize};

pub use detect::{Form, detect, looks_like_options};

/// The option that leaves the answer to the user's own words.
pub const SOMETHING_ELSE: &str = "Something else";

/// Whether it is on.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether options are offered at all.
    enabled: bool,
}

/// Offers the options of the assistant's question. Late, so that hooks with work to do go first; only in hosts
/// that may have somebody to ask, and await a hook.
#[hook(LOOP_CONTINUE, priority = -10, modes = [cli, server], timeout = "never", budget = "1440m")]
async fn offer(
    outcome: TurnOutcome,
    queue: &[Message],
    session: &Session,
    settings: &Settings,
) -> Option<First<Continue>> {
    if !settings.enabled || outcome != TurnOutcome::Complete || !queue.is_empty() || !session.listens(ELICIT)
    {
        return None;
    }
    let form = detect(&last_word(session)?)?;
    let mut options = form.options;
    options.push(SOMETHING_ELSE.to_owned());
    let request =
        Elicitation { kind: ElicitKind::Choice, prompt: form.question, options, ..Elicitation::default() };
    let mut fired = fire!(session, ELICIT { request: &request }).await;
    match fired.take_answer() {
        Some((Answer::Text(text), _)) if text != SOMETHING_ELSE => {
            Some(First(Continue::With(Message::user(text))))
        }
        _ => None,
    }
}

/// The assistant's last message, if it came after the user's last one.
fn last_word(session: &Session) -> Option<String> {
    let log = session.log();
    let last = log.iter().rev().find(|message| message.role != Role::System)?;
    (last.role == Role::Assistant).then(|| last.content.clone())
}

#[cfg(test)]
mod tests;
