//! `cli_confirm`: asks at the terminal before a tool runs.
//!
//! **Watches** `TOOL_CONFIRM` in an interactive terminal program; chosen by that mode, and no allowlist takes it
//! away. **Speaks** through the session's [`Terminal`]: shows the preview, asks, and asks again after help, a
//! copy, or an answer that it does not know. **Keeps** how many further calls are confirmed beforehand, for
//! this process only: a resumed session asks again. **Costs** as long as a person takes; it waits on a
//! thread that may block, and other sessions go on.
//!
//! | answer | result |
//! |---|---|
//! | empty, `y`, `yes` | run it |
//! | `n`, `no` | do not; the turn ends |
//! | `e` | edit the tool's own content (the file, the command) in `$VISUAL` or `$EDITOR`, and run that |
//! | `c` | copy the content, and ask again |
//! | `a`, `auto` | run it, and all that follow |
//! | `a 3`, `a3`, `auto 3` | run it, and three more |
//! | `?`, `h`, `help` | explain, and ask again |
//!
//! Different from gptme: `e` edits the content and never the diff that was shown; help, a copy and a typing
//! error ask again instead of refusing; a copy that failed says so; an editor may have arguments; the end
//! of the input, Ctrl-C, a failing terminal and three unknown answers in a row refuse. A diff is known by its hunks, so
//! that no list is taken for one. What could move the cursor, turn text around or not show is written out, and
//! what was typed before the question is no answer to it. A gate's question is asked also after `a`.

mod real;
mod terminal;

use hookspec::points::TOOL_CONFIRM;
use hookspec::{Confirmation, First, Session, ToolUse, Why, hook};
use serde::{Deserialize, Serialize};

pub use terminal::{Ask, AskError, Terminal};

use crate::beforehand::{Beforehand, Further};

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
    let content = registry.tools().get(&tool_use.tool).map_or(&*tool_use.content, |t| t.content(tool_use));
    let question = Question { tool: &tool_use.tool, first_arg: first_arg(tool_use), content, preview, why };
    First(match session.extension::<Terminal>() {
        Some(terminal) => {
            converse(&question, &terminal, settings, session).unwrap_or_else(|why| refuse(&why))
        }
        None => refuse("there is no terminal to ask at"),
    })
}

struct Question<'a> {
    tool: &'a str,
    first_arg: Option<&'a str>,
    /// What an edit changes.
    content: &'a str,
    /// What is shown, where that is something else.
    preview: Option<&'a str>,
    why: &'a Why,
}

fn first_arg(call: &ToolUse) -> Option<&str> {
    call.text("path").or(call.args.first().map(String::as_str))
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
    let shown = question.preview.unwrap_or(question.content);
    if !shown.is_empty() {
        terminal.show(shown, language(question.tool, shown));
    }
    if let Why::Gate(reason) = question.why {
        terminal.say(reason);
    }
    let beforehand = || session.state::<Beforehand>().map_err(|error| error.to_string());
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
    let has_content = !question.content.is_empty();
    let choices = if has_content { "Y/n/c/e/a/?" } else { "Y/n/a/?" };
    let mut unknown = 0;
    loop {
        let reply = terminal
            .ask(&format!("Run {}? [{choices}] ", question.tool), session)
            .map_err(|error| error.to_string())?;
        match parse(&reply) {
            Reply::Yes => return Ok(Confirmation::Confirm),
            Reply::No => return Ok(Confirmation::Skip { reason: DECLINED.to_owned() }),
            Reply::Auto(further) => {
                beforehand()?.allow(further);
                return Ok(Confirmation::Confirm);
            }
            Reply::Help => terminal.say(HELP),
            Reply::Copy if has_content => match terminal.copy(question.content) {
                Ok(()) => terminal.say("copied"),
                Err(error) => terminal.say(&format!("not copied: {error}")),
            },
            Reply::Edit if has_content => {
                match terminal.edit(question.content, suffix(question.tool, question.first_arg)) {
                    Ok(edited) if edited == question.content => terminal.say("nothing was changed"),
                    Ok(edited) if edited.trim().is_empty() => {
                        terminal.say("nothing was left of it; n does not run it");
                    }
                    Ok(content) => return Ok(Confirmation::Edit { content }),
                    Err(error) => terminal.say(&format!("not edited: {error}")),
                }
            }
            _ => {
                unknown += 1;
                if unknown == 3 {
                    return Err("three answers in a row meant nothing".to_owned());
                }
                terminal.say(&format!("`{}` is no answer; ? shows the answers", reply.trim()));
            }
        }
    }
}

const HELP: &str = "y run it · n do not · e edit it first · c copy it · a run it and all that follow · a 3 run it and three more";

#[derive(Debug, PartialEq, Eq)]
enum Reply {
    Yes,
    No,
    Copy,
    Edit,
    Auto(Further),
    Help,
    Unknown,
}

fn parse(reply: &str) -> Reply {
    let reply = reply.trim().to_lowercase();
    match reply.as_str() {
        "" | "y" | "yes" => return Reply::Yes,
        "n" | "no" => return Reply::No,
        "c" | "copy" => return Reply::Copy,
        "e" | "edit" => return Reply::Edit,
        "h" | "help" | "?" => return Reply::Help,
        "a" | "auto" => return Reply::Auto(Further::All),
        _ => {}
    }
    let number = reply.strip_prefix("auto").or(reply.strip_prefix('a')).map(str::trim);
    match number.and_then(|number| number.parse().ok()) {
        Some(count) => Reply::Auto(Further::Count(count)),
        None => Reply::Unknown,
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
