//! `transform_terminal_output`: what a command wrote, before it becomes a tool's result.

use hookspec::points::TOOL_RESULT_TRANSFORM;
use hookspec::tool::ToolStatus;
use hookspec::{Flow, Fold, Message, Session, ToolUse, fire_now, hook};

use crate::points::TRANSFORM_TERMINAL_OUTPUT;
use crate::seen::Seen;
use crate::settle::settled;
use crate::tools::TERMINAL;

/// What a result becomes, and whether the session ends.
type Changed = (Option<Fold<Vec<Message>>>, Option<Flow>);

/// Asks what shall stand in place of a command's output.
#[hook(TOOL_RESULT_TRANSFORM, priority = 1000, name = "hermes_points.terminal")]
fn terminal(tool_use: &ToolUse, result: &[Message], session: &Session) -> Option<Changed> {
    if tool_use.tool != TERMINAL || !session.listens(TRANSFORM_TERMINAL_OUTPUT) {
        return None;
    }
    let status = Seen::of(session).over(tool_use).map_or(ToolStatus::Ok, |over| over.status);
    let first = result.first().filter(|_| status != ToolStatus::Denied)?;
    let command = &*tool_use.text("command").unwrap_or_default();
    let (told, output) = parts(status, &first.content);
    let returncode = returncode(status, told);
    let mut fired = fire_now!(session, TRANSFORM_TERMINAL_OUTPUT { tool_use, command, output, returncode });
    let changed = fired.take_answer().map(|(text, _)| {
        let mut changed = result.to_vec();
        if let Some(first) = changed.first_mut() {
            first.content = format!("{told}{text}");
        }
        Fold(changed)
    });
    Some((changed, settled(session, &fired)))
}

/// What the tool says of how the command ended, and what the command wrote. The former stands whatever is put in
/// place of the latter.
fn parts(status: ToolStatus, text: &str) -> (&str, &str) {
    match text.find('\n') {
        Some(end) if status != ToolStatus::Ok => text.split_at(end + 1),
        _ => ("", text),
    }
}

fn returncode(status: ToolStatus, told: &str) -> Option<i32> {
    if status == ToolStatus::Ok {
        return Some(0);
    }
    told.trim_end().strip_suffix('.')?.rsplit_once("exit code ")?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_own_sentence_is_no_output() {
        let failed = "The command ended with exit code 3.\nno such file\n";
        let (told, output) = parts(ToolStatus::Error, failed);
        assert_eq!((returncode(ToolStatus::Error, told), output), (Some(3), "no such file\n"));
        assert_eq!(parts(ToolStatus::Ok, "a\nb"), ("", "a\nb"));
        let (told, _) = parts(ToolStatus::Timeout, "The command was ended after 1 s.\n");
        assert_eq!(returncode(ToolStatus::Timeout, told), None);
    }
}
