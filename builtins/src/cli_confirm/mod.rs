//! `cli_confirm`: asks at the terminal before a tool runs.
//!
//! **Watches** `TOOL_CONFIRM` in an interactive terminal program; chosen by that mode, and no allowlist takes it
//! away. **Speaks** through the session's [`Terminal`]: shows the call, asks, and asks again after help, a
//! copy, or an answer that it does not know. **Keeps** how many further calls are confirmed beforehand, for
//! this process only: a resumed session asks again. **Costs** as long as a person takes; it waits on a
//! thread that may block, and other sessions go on.
//!
//! | answer | result |
//! |---|---|
//! | `y`, `yes` | run it |
//! | `n`, `no` | do not; the turn ends |
//! | Enter | the one with the capital letter, see below |
//! | `e` | edit the tool's own content (the file, the command) in `$VISUAL` or `$EDITOR`, and run that |
//! | `c` | copy the content, and ask again |
//! | `v` | show all of it, where it was too long, and ask again |
//! | `a`, `auto` | run it, and all that follow |
//! | `a 3`, `a3`, `auto 3` | run it, and three more |
//! | `?`, `h`, `help` | explain, and ask again |
//!
//! Enter runs only what loses nothing, by what the call says: a shell command that only shows something of the
//! workspace (what `read_only` of `confirm_policy` allows), `append`, `patch`, and `save` where there is no such
//! file; of files, only those of the workspace. Anything else, whatever a gate asks about, what was not shown whole, what
//! holds a hidden character, and a `patch` of which no diff could be shown is not run on Enter.
//!
//! A line above the text names the tool and its file, and says how long a text of more than a line is; such a text is
//! indented, so that no line of it looks like the question. Of a text that is
//! longer than some 24 lines of 80 columns, the beginning and the end are shown, and how much is between them.
//! All characters that move the cursor, turn text around, are blank without being a space, or do not show are written
//! out (`\u{3164}`): that goes by Unicode's properties for every character. Letters of one alphabet that look
//! like another's are shown as they are.
//!
//! Different from gptme: Enter is not always yes; `e` edits the content and never the diff that was shown; help, a copy
//! and a typing error ask again instead of refusing; a copy that failed says so; an editor may have arguments; the end
//! of the input, Ctrl-C, a failing terminal and three unknown answers in a row refuse. A diff is known by its hunks, so
//! that no list is taken for one. What was typed before the question is no answer to it. A gate's question is asked also
//! after `a`.

mod answers;
mod real;
mod shown;
mod terminal;
mod undo;

use hookspec::ask::{Confirmation, Why};
use hookspec::points::TOOL_CONFIRM;
use hookspec::{First, Session, ToolUse, hook};
use hookspec_process::visible_line;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use answers::{Choices, Reply};
use shown::Shown;
pub use terminal::{Ask, AskError, Terminal};

use crate::beforehand::{Beforehand, Further};
use undo::loses_nothing;

/// What the model reads when the user said no.
pub const DECLINED: &str = "The user declined this call.";

/// How it asks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether the terminal's bell rings with each question.
    bell: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { bell: true }
    }
}

/// Asks the person at the terminal.
#[hook(TOOL_CONFIRM, name = "cli_confirm.ask", modes = [interactive], confirmation, blocking, budget = "1440m")]
fn ask(
    tool_use: &ToolUse,
    preview: Option<&str>,
    why: &Why,
    session: &Session,
    settings: &Settings,
) -> First<Confirmation> {
    let registry = session.hooks().load();
    let tool = registry.tools().get(&tool_use.tool);
    let content = tool.map_or(&*tool_use.content, |tool| tool.content(tool_use));
    let shown = Shown::new(tool_use, tool, preview.unwrap_or(content), session);
    let is_seen =
        shown.short.is_none() && !shown.hides && (tool_use.tool != "patch" || preview.is_some_and(is_diff));
    let enter = *why == Why::Policy && is_seen && loses_nothing(tool_use, content, session);
    let question = Question { call: tool_use, content, shown, why, enter };
    First(match session.extension::<Terminal>() {
        Some(terminal) => {
            converse(&question, &terminal, settings, session).unwrap_or_else(|why| refuse(&why))
        }
        None => refuse("there is no terminal to ask at"),
    })
}

/// The file that a call is about; not what `text` gives, for which the block of a tool that is not linked passes for a path.
fn first_arg(call: &ToolUse) -> Option<&str> {
    call.kwargs.get("path").and_then(Value::as_str).or(call.args.first().map(String::as_str))
}

struct Question<'a> {
    call: &'a ToolUse,
    /// What an edit changes.
    content: &'a str,
    shown: Shown,
    why: &'a Why,
    /// Whether Enter runs it.
    enter: bool,
}

fn refuse(why: &str) -> Confirmation {
    Confirmation::Skip { reason: format!("This call was not confirmed: {why}.") }
}

/// An answer, or why there is none. What was confirmed beforehand is looked at before and after the person
/// is asked, and not held meanwhile.
fn converse(
    question: &Question<'_>,
    terminal: &Terminal,
    settings: &Settings,
    session: &Session,
) -> Result<Confirmation, String> {
    let Question { call, content, shown, .. } = question;
    if let Some(head) = &shown.head {
        terminal.head(head);
    }
    let language = language(&call.tool, &shown.text);
    match &shown.short {
        Some((start, left_out, end)) => {
            terminal.show_indented(start, language);
            terminal.say(left_out);
            terminal.show_indented(end, language);
        }
        None if shown.text.is_empty() => {}
        None => shown.all(terminal, language),
    }
    if let Why::Gate(reason) = question.why {
        terminal.say(reason);
    }
    let beforehand = || session.state_now::<Beforehand>().map_err(|error| error.to_string());
    match beforehand()?.take(question.why) {
        Some(Further::All) => return Ok(Confirmation::Confirm),
        Some(Further::Count(left)) => {
            terminal.say(&format!("confirmed beforehand; {left} more"));
            return Ok(Confirmation::Confirm);
        }
        None => {}
    }
    terminal.forget_typed_ahead();
    if settings.bell {
        terminal.bell();
    }
    let choices =
        Choices { enter: question.enter, content: !content.is_empty(), more: shown.short.is_some() };
    let prompt = format!("Run {}? {choices} ", visible_line(&call.tool));
    let mut unknown = 0;
    loop {
        let reply = terminal.ask(&prompt, session).map_err(|error| error.to_string())?;
        match choices.parse(&reply) {
            Reply::Yes => return Ok(Confirmation::Confirm),
            Reply::No => return Ok(Confirmation::Skip { reason: DECLINED.to_owned() }),
            Reply::Auto(further) => {
                beforehand()?.allow(further);
                return Ok(Confirmation::Confirm);
            }
            Reply::Help => terminal.say(&choices.help()),
            Reply::View if shown.short.is_none() => terminal.say("that is all of it"),
            Reply::View => shown.all(terminal, language),
            Reply::Copy => match terminal.copy(content) {
                Ok(()) => terminal.say("copied"),
                Err(error) => terminal.say(&format!("not copied: {error}")),
            },
            Reply::Edit => match terminal.edit(content, suffix(&call.tool, first_arg(call))) {
                Ok(edited) if edited == *content => terminal.say("nothing was changed"),
                Ok(edited) if edited.trim().is_empty() => {
                    terminal.say("nothing was left of it; n does not run it");
                }
                Ok(content) => return Ok(Confirmation::Edit { content }),
                Err(error) => terminal.say(&format!("not edited: {error}")),
            },
            Reply::Unknown => {
                unknown += 1;
                if unknown == 3 {
                    return Err("three answers in a row meant nothing".to_owned());
                }
                terminal.say(&format!("`{}` is no answer; ? shows the answers", reply.trim()));
            }
        }
    }
}

/// How to colour what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A unified diff.
    Diff,
    /// A shell command.
    Shell,
    /// Anything else.
    Text,
}

fn language(tool: &str, shown: &str) -> Language {
    match tool {
        "shell" => Language::Shell,
        "patch" => Language::Diff,
        "save" | "append" if is_diff(shown) => Language::Diff,
        _ => Language::Text,
    }
}

/// Whether a text is a unified diff: it has a hunk, and every line in it begins as one may.
fn is_diff(text: &str) -> bool {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("@@ "));
    lines.next().is_some()
        && lines.all(|line| line.is_empty() || line.starts_with([' ', '+', '-', '@', '\\']))
}

/// The ending of the file that an editor gets, so that it knows the language.
fn suffix(tool: &str, first_arg: Option<&str>) -> String {
    match tool {
        "shell" => ".sh".to_owned(),
        "python" | "ipython" => ".py".to_owned(),
        "patch" => ".diff".to_owned(),
        _ => first_arg
            .and_then(|path| std::path::Path::new(path).extension())
            .map_or_else(String::new, |extension| format!(".{}", extension.to_string_lossy())),
    }
}

#[cfg(test)]
mod tests;
