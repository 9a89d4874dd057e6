//! Asking the user outside of a tool's confirmation.

use hookspec::ask::{Answer, ElicitKind, Elicitation};
use hookspec::points::ELICIT;
use hookspec::{Session, fire};

use super::report_failures;

/// Asks the user, through whichever `ELICIT` hook can. Nobody there to answer is [`Answer::Cancelled`].
pub async fn ask_user(session: &Session, request: &Elicitation) -> Answer {
    let mut fired = fire!(session, ELICIT { request }).await;
    report_failures(session, &fired).await;
    fired.take_answer().map_or(Answer::Cancelled, |(answer, _)| answer)
}

/// Asks yes or no. Anything but a yes is a no.
pub(crate) async fn agreed(session: &Session, prompt: String) -> bool {
    let request = Elicitation {
        kind: ElicitKind::Confirmation,
        prompt,
        default: Some("no".into()),
        ..Default::default()
    };
    matches!(ask_user(session, &request).await, Answer::Text(text) if text == "yes")
}
