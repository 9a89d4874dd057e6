//! What `pre_llm_call` adds to a user's message.
//!
//! The stored message stays what the user wrote. What was added is kept beside it, by the message's id, and put behind its
//! text in each request from then on, so that the system prompt and all that was sent before stay byte for byte
//! the same and a provider's cache goes on fitting. It is saved with the session.

use std::collections::{BTreeMap, BTreeSet};

use hookspec::hooks::BoxError;
use hookspec::model::Request;
use hookspec::points::GENERATION_PRE;
use hookspec::{Fold, Message, Session, hook};
use serde::{Deserialize, Serialize};

/// What was added to which message.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Injected(BTreeMap<String, String>);

/// The hook that puts what was added into requests.
const INJECT: &str = "hermes_points.inject";

/// Adds a text to a message. Where messages have no id, or that hook is off, it becomes a message of its own, hidden and
/// the user's; that is given back.
pub(crate) fn add(session: &Session, message: &Message, text: String) -> Result<Option<Message>, BoxError> {
    let injects = session.hooks().load().hook(INJECT).is_some();
    let Some(id) = message.id.clone().filter(|_| injects) else {
        return Ok(Some(Message::user(text).hidden()));
    };
    let log = session.log();
    let there: BTreeSet<&str> = log.iter().filter_map(|message| message.id.as_deref()).collect();
    let mut injected = session.state_now::<Injected>()?;
    // A message that is gone (an undo, a compaction) takes with it what was added.
    injected.0.retain(|id, _| there.contains(id.as_str()));
    injected.0.insert(id, text);
    Ok(None)
}

/// Puts what was added behind the users' messages.
#[hook(GENERATION_PRE, priority = -900, name = "hermes_points.inject")]
fn inject(request: &Request, state: &mut Injected) -> Option<Fold<Request>> {
    if state.0.is_empty() {
        return None;
    }
    let mut request = request.clone();
    for message in &mut request.messages {
        if let Some(text) = message.id.as_ref().and_then(|id| state.0.get(id)) {
            message.content.push_str("\n\n");
            message.content.push_str(text);
        }
    }
    Some(Fold(request))
}
