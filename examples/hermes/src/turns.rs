//! `post_llm_call`: a turn that ended with an answer.

use hookspec::points::{TURN_POST, TurnOutcome};
use hookspec::{Flow, Message, Role, Session, fire_now, hook};

use crate::points::POST_LLM_CALL;
use crate::seen::Seen;
use crate::settle::settled;

/// Tells of the answer.
#[hook(TURN_POST, priority = 1_900_000, name = "hermes_points.answered")]
fn answered(outcome: TurnOutcome, session: &Session) -> Option<Flow> {
    let answer = last_answer(session).filter(|_| outcome == TurnOutcome::Complete)?;
    let prompt = Seen::of(session).prompt;
    let (user_message, assistant_response) = (prompt.as_str(), answer.content.as_str());
    settled(session, &fire_now!(session, POST_LLM_CALL { user_message, assistant_response }))
}

/// The last thing that the model said, if it says anything.
pub(crate) fn last_answer(session: &Session) -> Option<std::sync::Arc<Message>> {
    let log = session.log();
    let last = log.iter().rev().find(|message| message.role == Role::Assistant)?;
    (!last.content.trim().is_empty()).then(|| std::sync::Arc::clone(last))
}
