//! What Claude Code makes of a handler's exit code and output, as its documentation has it.

use super::Event;
use super::fields::Fields;
use super::said::{Said, Status, Word};
use crate::command::Reply;

/// A refusal that gave no reason still refuses.
const NO_REASON: &str = "a hook refused this and gave no reason";

/// What a handler that ran to its end has said. JSON counts on every exit code.
pub(super) fn read(event: Event, reply: &Reply) -> Said {
    let text = reply.stdout.trim();
    let braced = text.starts_with('{') && text.ends_with('}');
    let parsed = braced.then(|| parse(event, text));
    match reply.code {
        Some(2) if event.blocks() => refused(event, reply, parsed.and_then(Result::ok)),
        Some(0 | 2) => match parsed {
            Some(parsed) => parsed.unwrap_or_else(Said::failed),
            None => plain(event, text),
        },
        _ => match parsed {
            Some(Ok(said)) => said,
            _ => {
                Said::failed(format!("it ended with {}; its last words: {}", reply.words, reply.last_words()))
            }
        },
    }
}

/// Exit code 2 refuses, whatever the JSON says; that gives the reason, if it has one.
fn refused(event: Event, reply: &Reply, spoken: Option<Said>) -> Said {
    let stderr = reply.stderr.trim();
    let mut said = spoken.unwrap_or_default();
    let reason = match said.word.take() {
        Some(Word::Deny(reason) | Word::Ask(reason)) if reason != NO_REASON => reason,
        _ if stderr.is_empty() => NO_REASON.to_owned(),
        _ => stderr.to_owned(),
    };
    if matches!(event, Event::Stop | Event::SubagentStop) && reason == NO_REASON {
        return Said::failed("it ended with exit code 2 and said nothing of why");
    }
    Said { word: Some(Word::Deny(reason)), status: Status::Blocked, rewrite: None, ..said }
}

fn plain(event: Event, text: &str) -> Said {
    let heard = matches!(event, Event::UserPromptSubmit | Event::SessionStart) && !text.is_empty();
    Said { contexts: heard.then(|| text.to_owned()).into_iter().collect(), ..Said::default() }
}

pub(super) fn parse(event: Event, text: &str) -> Result<Said, String> {
    let mut top = Fields::parse(text)?;
    let goes_on = top.flag("continue")?.unwrap_or(true);
    let stop_reason = top.text("stopReason")?;
    let mut said = Said { notices: top.words("systemMessage")?.into_iter().collect(), ..Said::default() };
    let reason = top.words("reason")?;
    let deny = |reason: Option<String>| Word::Deny(reason.unwrap_or_else(|| NO_REASON.to_owned()));
    match top.text("decision")?.as_deref() {
        None => {}
        Some("approve") if event == Event::PreToolUse => said.word = Some(Word::Allow),
        Some("block") if reason.is_none() && !event.gates() => {
            return Err("`decision` comes without a reason".to_owned());
        }
        Some("block") => said.word = Some(deny(reason)),
        Some(other) => return Err(format!("`decision` must be \"block\", and is \"{other}\"")),
    }
    if let Some(mut inner) = top.object("hookSpecificOutput")? {
        inner.text("hookEventName")?.ok_or("`hookSpecificOutput` has no `hookEventName`")?;
        said.contexts.extend(inner.words("additionalContext")?);
        match event {
            Event::PreToolUse => {
                let reason = inner.words("permissionDecisionReason")?;
                said.rewrite = inner.value("updatedInput");
                let word = match inner.text("permissionDecision")?.as_deref() {
                    None => None,
                    Some("allow") => Some(Word::Allow),
                    // There is nobody to defer to here but the user.
                    Some("ask" | "defer") => Some(Word::Ask(reason.unwrap_or_default())),
                    Some("deny") => Some(deny(reason)),
                    Some(other) => return Err(format!("`permissionDecision` \"{other}\" is not known")),
                };
                // A refusal in the older form is not undone by the newer one.
                if !matches!(said.word, Some(Word::Deny(_))) {
                    said.word = word.or(said.word);
                }
            }
            Event::PermissionRequest => {
                if let Some(mut decision) = inner.object("decision")? {
                    said.rewrite = decision.value("updatedInput");
                    said.word = match decision.text("behavior")?.as_deref() {
                        Some("allow") => Some(Word::Allow),
                        Some("deny") => Some(deny(decision.words("message")?)),
                        other => {
                            return Err(format!(
                                "`behavior` is {other:?}, and must be \"allow\" or \"deny\""
                            ));
                        }
                    };
                }
            }
            Event::PostToolUse => {
                said.replace = inner.value("updatedToolOutput").or(inner.value("updatedMCPToolOutput"));
            }
            _ => {}
        }
    }
    if matches!(said.word, Some(Word::Deny(_))) {
        (said.status, said.rewrite) = (Status::Blocked, None);
    }
    if !goes_on {
        (said.status, said.stop) = (Status::Stopped, Some(stop_reason));
    }
    Ok(said)
}
