//! What Codex makes of a handler's exit code and output.
//!
//! As its engine does, but where that loses a refusal; `docs/clients/codex.md` has each difference. Its engine is strict:
//! an unknown key, a null where a boolean belongs, or an answer that an event does not take fails the run, and a
//! run that failed has said nothing.

use super::Event;
use super::fields::Fields;
use super::said::{Said, Status, Word};
use crate::command::Reply;

/// A refusal that gave no reason still refuses.
const NO_REASON: &str = "a hook refused this and gave no reason";

/// What a handler that ran to its end has said.
pub(super) fn read(event: Event, reply: &Reply) -> Said {
    let text = reply.stdout.trim();
    match reply.code {
        Some(0) => completed(event, text),
        Some(2)
            if event.gates() || matches!(event, Event::PostToolUse | Event::Stop | Event::SubagentStop) =>
        {
            let spoken = parse(event, text).ok().and_then(|said| match said.word {
                Some(Word::Deny(reason)) => Some(reason),
                _ => None,
            });
            let stderr = reply.stderr.trim();
            let reason = if stderr.is_empty() { spoken } else { Some(stderr.to_owned()) };
            match reason {
                Some(reason) => Said::denied(reason),
                None if event.gates() => Said::denied(NO_REASON),
                None => Said::failed("it ended with exit code 2 and said nothing of why"),
            }
        }
        _ => match parse(event, text) {
            Ok(said) if event.gates() && said.status == Status::Blocked => said,
            _ => {
                Said::failed(format!("it ended with {}; its last words: {}", reply.words, reply.last_words()))
            }
        },
    }
}

fn completed(event: Event, text: &str) -> Said {
    if event == Event::SessionEnd || text.is_empty() {
        return Said::default();
    }
    if text.starts_with(['{', '[']) {
        return parse(event, text).unwrap_or_else(Said::failed);
    }
    // A line for people before the answer must not cost the answer.
    let answer = text.match_indices("\n{").next().map(|(index, _)| text[index..].trim());
    if let Some(said) = answer.and_then(|answer| parse(event, answer).ok()) {
        return said;
    }
    match event {
        Event::UserPromptSubmit | Event::SessionStart | Event::SubagentStart => {
            Said { contexts: vec![text.to_owned()], ..Said::default() }
        }
        Event::Stop | Event::SubagentStop => Said::failed("it wrote text that is no JSON object"),
        _ => Said::default(),
    }
}

fn parse(event: Event, text: &str) -> Result<Said, String> {
    let mut top = Fields::parse(text)?;
    let goes_on = top.flag("continue")?.unwrap_or(true);
    let stop_reason = top.text("stopReason")?;
    let suppress = top.flag("suppressOutput")?.unwrap_or(false);
    let mut said = Said { notices: top.text("systemMessage")?.into_iter().collect(), ..Said::default() };
    let (mut decision, mut reason, mut inner) = (None, None, None);
    if event.takes_decision() {
        (decision, reason) = (top.text("decision")?, top.words("reason")?);
    }
    if event.takes_inner() {
        inner = top.object("hookSpecificOutput")?;
    }
    top.done()?;
    let strict = matches!(event, Event::PreToolUse | Event::PermissionRequest | Event::PostToolUse);
    if strict && suppress {
        return Err("`suppressOutput` is not taken here".to_owned());
    }
    if let Some(mut inner) = inner {
        let name = inner.text("hookEventName")?.ok_or("`hookSpecificOutput` has no `hookEventName`")?;
        if Event::named(&name).is_none_or(|event| event == Event::PostToolUseFailure) {
            return Err(format!("`{name}` is no event of Codex"));
        }
        match event {
            Event::PreToolUse => before_tool(&mut inner, &mut said, decision.is_some())?,
            Event::PermissionRequest => permission(&mut inner, &mut said)?,
            _ => {
                if inner.value("updatedMCPToolOutput").is_some() {
                    return Err("`updatedMCPToolOutput` is not taken".to_owned());
                }
                said.contexts.extend(inner.text("additionalContext")?);
            }
        }
        inner.done()?;
    }
    match decision.as_deref() {
        None if reason.is_some() && matches!(event, Event::PreToolUse | Event::PostToolUse) && goes_on => {
            return Err("`reason` comes without a decision".to_owned());
        }
        None => {}
        Some("block") => {
            let reason = reason.clone().or_else(|| event.gates().then(|| NO_REASON.to_owned()));
            said.word = Some(Word::Deny(reason.ok_or("`decision` comes without a reason")?));
            (said.status, said.rewrite) = (Status::Blocked, None);
        }
        Some(other) => return Err(format!("`decision` must be \"block\", and is \"{other}\"")),
    }
    if !goes_on {
        stop(event, &mut said, stop_reason, reason)?;
    }
    Ok(said)
}

fn stop(
    event: Event,
    said: &mut Said,
    stop_reason: Option<String>,
    reason: Option<String>,
) -> Result<(), String> {
    match event {
        Event::PreToolUse | Event::PermissionRequest if said.status != Status::Blocked => {
            return Err("`continue` must not be false here".to_owned());
        }
        Event::PreToolUse | Event::PermissionRequest | Event::SubagentStart => {}
        Event::PostToolUse => {
            let text =
                reason.or(stop_reason).unwrap_or_else(|| "PostToolUse hook stopped execution".to_owned());
            said.status = Status::Stopped;
            said.word = None;
            said.stop = Some(Some(text));
        }
        _ => {
            said.status = Status::Stopped;
            said.stop = Some(stop_reason);
        }
    }
    Ok(())
}

fn before_tool(inner: &mut Fields, said: &mut Said, decided: bool) -> Result<(), String> {
    let word = inner.text("permissionDecision")?;
    let reason = inner.words("permissionDecisionReason")?;
    let input = inner.value("updatedInput");
    said.contexts.extend(inner.text("additionalContext")?);
    match (word.as_deref(), input) {
        (Some("deny"), _) => {
            said.word = Some(Word::Deny(reason.unwrap_or_else(|| NO_REASON.to_owned())));
            said.status = Status::Blocked;
        }
        (Some("allow"), Some(input)) => said.rewrite = Some(input),
        // The older form of a refusal, beside it, still stands.
        _ if decided => {}
        (Some("allow"), None) => return Err("\"allow\" without `updatedInput` is not taken".to_owned()),
        (Some(other), _) => return Err(format!("`permissionDecision` \"{other}\" is not taken")),
        (None, Some(_)) => return Err("`updatedInput` comes without \"allow\"".to_owned()),
        (None, None) if reason.is_some() => {
            return Err("`permissionDecisionReason` comes without a decision".to_owned());
        }
        (None, None) => {}
    }
    Ok(())
}

fn permission(inner: &mut Fields, said: &mut Said) -> Result<(), String> {
    let Some(mut decision) = inner.object("decision")? else { return Ok(()) };
    let behaviour = decision.text("behavior")?;
    let message = decision.words("message")?;
    if decision.value("updatedInput").is_some() || decision.value("updatedPermissions").is_some() {
        return Err("`updatedInput` and `updatedPermissions` are not taken".to_owned());
    }
    if decision.flag("interrupt")?.unwrap_or(false) {
        return Err("`interrupt` is not taken".to_owned());
    }
    decision.done()?;
    match behaviour.as_deref() {
        Some("allow") => said.word = Some(Word::Allow),
        Some("deny") => {
            said.word = Some(Word::Deny(message.unwrap_or_else(|| NO_REASON.to_owned())));
            said.status = Status::Blocked;
        }
        other => return Err(format!("`behavior` must be \"allow\" or \"deny\", and is {other:?}")),
    }
    Ok(())
}
