//! What Hermes makes of a shell hook's exit code and output.

use super::Event;
use super::fields::Fields;
use super::said::{Said, Status, Word};
use crate::command::Reply;

const NO_REASON: &str = "a hook refused this and gave no reason";

/// What a handler that ran to its end has said. Its output counts on every exit code; 2 refuses a tool call.
pub(super) fn read(event: Event, reply: &Reply) -> Said {
    let text = reply.stdout.trim();
    let text = if text.starts_with('{') { text } else { text.find("\n{").map_or("", |at| text[at..].trim()) };
    let parsed = if text.is_empty() { Ok(Said::default()) } else { parse(event, text) };
    let refuses = event == Event::PreToolUse && reply.code == Some(2);
    match parsed {
        Ok(said) if matches!(said.word, Some(Word::Deny(_))) => said,
        _ if refuses => {
            let stderr = reply.stderr.trim();
            Said::denied(if stderr.is_empty() { NO_REASON } else { stderr })
        }
        Err(why) => Said::failed(why),
        Ok(said) if reply.code == Some(0) => said,
        Ok(said) => {
            let words = format!("it ended with {}; its last words: {}", reply.words, reply.last_words());
            Said { status: Status::Failed, problem: Some(words), ..said }
        }
    }
}

fn parse(event: Event, text: &str) -> Result<Said, String> {
    let mut top = Fields::parse(text)?;
    let (action, decision) = (top.words("action")?, top.words("decision")?);
    let (message, reason) = (top.words("message")?, top.words("reason")?);
    let mut said = Said { contexts: top.words("context")?.into_iter().collect(), ..Said::default() };
    let verb = action.as_deref().or(decision.as_deref());
    let words = if action.is_some() { message.or(reason) } else { reason.or(message) };
    match (event, verb) {
        (Event::PreToolUse, Some("block")) => {
            said.word = Some(Word::Deny(words.unwrap_or_else(|| NO_REASON.to_owned())));
            said.status = Status::Blocked;
        }
        (Event::PreToolUse, Some("modify")) => {
            let input = top.value(if action.is_some() { "args" } else { "tool_input" });
            said.rewrite = Some(input.ok_or("\"modify\" comes without arguments")?);
        }
        (Event::PreToolUse, Some("approve")) if action.is_some() => said.word = Some(Word::Allow),
        (Event::Stop, Some("block" | "continue")) => {
            said.word =
                Some(Word::Deny(words.ok_or("it wants the agent to go on, and does not say with what")?));
            said.status = Status::Blocked;
        }
        _ => {}
    }
    Ok(said)
}
