//! `secrets_guard`: keeps credentials out of files, commands and the conversation.
//!
//! **Watches** what tools are about to write, the arguments of every other tool call, and each result before it
//! is stored. **Speaks** in three ways. It refuses text that holds a credential in clear, by the formats of some
//! thirty issuers; where the format alone does not prove it (a web token, a password in a URL, `secret = "…"` with
//! a value that looks random) the user is asked. It asks before a command prints credentials (`cat .env`,
//! `printenv`, `gh auth token`) or a tool reads a file that has them. It replaces credentials in results by
//! `[redacted: …]`. A credential is never repeated: its kind, its line and its length are, and of a token with a
//! public prefix the first four characters. **Keeps** nothing. **Costs** one pass for a few words over each text, two
//! over a result; a pattern runs only where a word of it is there.
//!
//! A credential that was in the file already is no news. Values of manuals (`AKIAIOSFODNN7EXAMPLE`) and
//! placeholders pass. What is none can be let through by `allow_paths` (globs) and `allow_values` (patterns); a line
//! with the comment `hookspec: allow-secret` is asked about and not refused, since it may be the model that wrote
//! the comment, and it stays as it is in results.
//!
//! It looks at files after all other hooks there, to see what will be written; a hook that ends the chain ends it for
//! this one too. It looks at results twice: first, so that no other hook sees the credential and no version of the
//! result in the timeline has it, and last, for what other hooks put in. A hook that puts one in has it in its own
//! version there. What the model itself wrote, a refused call included, stays in the conversation. A file that would get a `[redacted: …]` in the place of a credential is
//! asked about. It is a net with holes: a credential that is encoded is not seen, and what a program prints that it
//! does not know is seen only in the result.
//!
//! Different from gptme, which has no such guard.

mod patterns;
mod prints;
mod table;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use hookspec::points::{FILE_PRE_PATCH, FILE_PRE_SAVE, TOOL_PRE_EXECUTE, TOOL_RESULT_TRANSFORM};
use hookspec::{Fold, Gate, Message, Session, ToolUse, hook};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::globs::Globs;
use crate::text::escape;

pub use patterns::{PatternError, Patterns};
use prints::Printed;
pub use table::TableError;
use table::{Found, table};

/// At most so many credentials are told one by one.
const TOLD: usize = 5;
/// A file that is larger, in bytes, is not read to see which credentials it had.
const LARGEST: u64 = 16 << 20;

/// Which credentials are taken out of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Redact {
    /// None.
    Off,
    /// Those whose format proves it.
    Sure,
    /// Guesses too.
    #[default]
    All,
}

/// `[hooks.secrets_guard]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Which credentials are taken out of results: `off`, `sure` or `all`.
    pub redact: Redact,
    /// Whether the user is asked before a command prints credentials.
    pub commands: bool,
    /// Globs of tools whose arguments are not looked at, because the file points see what they write.
    pub except: Globs,
    /// Globs of files that may hold credentials: paths in the workspace, or absolute ones.
    pub allow_paths: Globs,
    /// Patterns of values that are no credentials.
    pub allow_values: Patterns,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            redact: Redact::default(),
            commands: true,
            except: Globs::new(["append", "patch", "save"]).unwrap_or_default(),
            allow_paths: Globs::default(),
            allow_values: Patterns::default(),
        }
    }
}

type Said<T> = Result<Option<T>, TableError>;

/// Looks at a file that is about to be written.
#[hook(FILE_PRE_SAVE, priority = -100)]
fn before_save(path: &Path, content: &str, session: &Session, settings: &Settings) -> Said<Gate> {
    let found = credentials(content, settings)?;
    if (found.is_empty() && !has_stand_in(content)) || is_allowed(path, session, settings) {
        return Ok(None);
    }
    let before = text_at(path);
    Ok(verdict("the file", content, &news(found, content, &before)?).or_else(|| loss(content, &before)))
}

/// Looks at what a patch adds.
#[hook(FILE_PRE_PATCH, priority = -100)]
fn before_patch(
    path: &Path,
    before: &str,
    after: &str,
    session: &Session,
    settings: &Settings,
) -> Said<Gate> {
    let found = credentials(after, settings)?;
    if (found.is_empty() && !has_stand_in(after)) || is_allowed(path, session, settings) {
        return Ok(None);
    }
    Ok(verdict("the patched file", after, &news(found, after, before)?).or_else(|| loss(after, before)))
}

/// Looks at a call: for credentials in it, and for commands that print some.
#[hook(TOOL_PRE_EXECUTE, priority = 100)]
fn before_call(tool_use: &ToolUse, settings: &Settings) -> Said<Gate> {
    if settings.except.fit(&tool_use.tool) {
        return Ok(None);
    }
    let text = arguments(tool_use);
    if let Some(gate) = verdict("the call", &text, &credentials(&text, settings)?) {
        return Ok(Some(gate));
    }
    if !settings.commands {
        return Ok(None);
    }
    let prints = &table()?.prints;
    let allowed = &settings.allow_paths;
    let printed = commands(tool_use).into_iter().find_map(|command| prints.printed_by(command, allowed));
    let read = || files(tool_use).into_iter().find(|path| prints.is_credential_file(path, allowed));
    let printed = printed.or_else(|| read().map(|path| Printed::File(path.to_owned())));
    Ok(printed.map(|printed| Gate::ask(question(&printed))))
}

/// Takes credentials out of a result before other hooks see it.
#[hook(TOOL_RESULT_TRANSFORM, priority = 1000)]
fn redact(result: &[Message], settings: &Settings) -> Said<Fold<Vec<Message>>> {
    without_credentials(result, settings)
}

/// Takes out what other hooks put into a result.
#[hook(TOOL_RESULT_TRANSFORM, priority = -100)]
fn redact_again(result: &[Message], settings: &Settings) -> Said<Fold<Vec<Message>>> {
    without_credentials(result, settings)
}

fn without_credentials(result: &[Message], settings: &Settings) -> Said<Fold<Vec<Message>>> {
    let mut changed = None;
    for (index, message) in result.iter().enumerate() {
        let mut found = credentials(&message.content, settings)?;
        found.retain(|found| {
            let wanted = match settings.redact {
                Redact::Off => false,
                Redact::Sure => found.rule.sure,
                Redact::All => true,
            };
            wanted && !found.marked
        });
        if found.is_empty() {
            continue;
        }
        let messages: &mut Vec<Message> = changed.get_or_insert_with(|| result.to_vec());
        if let Some(into) = messages.get_mut(index) {
            into.content = redacted(&message.content, &found);
        }
    }
    Ok(changed.map(Fold))
}

fn credentials(text: &str, settings: &Settings) -> Result<Vec<Found>, TableError> {
    let mut found = table()?.credentials(text)?;
    found.retain(|found| !settings.allow_values.fit(found.value(text)));
    Ok(found)
}

/// Those that were not there before.
fn news(mut found: Vec<Found>, text: &str, before: &str) -> Result<Vec<Found>, TableError> {
    let old = table()?.credentials(before)?;
    let old: HashSet<_> = old.iter().map(|found| found.value(before)).collect();
    found.retain(|found| !old.contains(found.value(text)));
    Ok(found)
}

/// What a file holds now: nothing, as far as old credentials go, if it is no text, no file or too large.
fn text_at(path: &Path) -> String {
    // A pipe or a device would be read for ever.
    let is_readable = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
    if is_readable { std::fs::read_to_string(path).unwrap_or_default() } else { String::new() }
}

fn is_allowed(path: &Path, session: &Session, settings: &Settings) -> bool {
    let inside = session.workspace().and_then(|workspace| {
        let real = workspace.canonicalize().ok();
        path.strip_prefix(workspace).ok().or_else(|| path.strip_prefix(real?).ok())
    });
    settings.allow_paths.fit(path) || inside.is_some_and(|path| settings.allow_paths.fit(path))
}

fn redacted(text: &str, found: &[Found]) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut from = 0;
    for found in found {
        redacted.push_str(text.get(from..found.range.start).unwrap_or_default());
        let _ = write!(redacted, "[redacted: {}]", found.described(text));
        from = found.range.end;
    }
    redacted.push_str(text.get(from..).unwrap_or_default());
    redacted
}

/// Whether a text has what [`redacted`] puts in the place of a credential.
fn has_stand_in(text: &str) -> bool {
    text.split("[redacted: ")
        .skip(1)
        .any(|after| after.lines().next().is_some_and(|line| line.contains(" characters)]")))
}

/// A model that writes back what it was shown would overwrite the credential that it was not shown.
fn loss(text: &str, before: &str) -> Option<Gate> {
    (has_stand_in(text) && !has_stand_in(before)).then(|| {
        Gate::ask(
            "the text holds `[redacted: …]`, which stands for a credential that was not shown; what is in the file in its place would be lost",
        )
    })
}

/// What a gate says about credentials in a text.
fn verdict(place: &str, text: &str, found: &[Found]) -> Option<Gate> {
    if found.is_empty() {
        return None;
    }
    let refused = found.iter().any(|found| found.rule.sure && !found.marked);
    let told: Vec<_> = found
        .iter()
        .take(TOLD)
        .map(|found| format!("line {}: {}", found.line, found.described(text)))
        .collect();
    let more = found.len().saturating_sub(TOLD);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    let told = format!("{}{more}", told.join("; "));
    Some(if refused {
        Gate::deny(format!(
            "{place} would hold credentials in clear ({told}). Use a variable of the environment, or a file that is read when the program runs. If this is none, end its line with the comment `hookspec: allow-secret`; then the user is asked."
        ))
    } else {
        Gate::ask(format!("{place} seems to hold credentials in clear ({told})"))
    })
}

fn question(printed: &Printed) -> String {
    let short = |text: &str| escape(&text.chars().filter(|c| !c.is_control()).take(80).collect::<String>());
    match printed {
        Printed::File(path) => format!("this shows `{}`, a file that holds credentials", short(path)),
        Printed::Environment => {
            "this shows all variables of the environment, credentials among them".to_owned()
        }
        Printed::Variable(name) => {
            format!("this shows the variable `{}`, which holds a credential", short(name))
        }
        Printed::Command(command) => format!("`{}` shows a credential", short(command)),
    }
}

/// Everything that a call says, each named argument with its name.
fn arguments(call: &ToolUse) -> String {
    fn add(text: &mut String, name: &str, value: &Value) {
        match value {
            Value::String(value) => {
                let _ = writeln!(text, "{name}: {value}");
            }
            Value::Array(items) => items.iter().for_each(|item| add(text, name, item)),
            Value::Object(fields) => fields.iter().for_each(|(name, value)| add(text, name, value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut text = format!("{}\n{}\n", call.content, call.args.join(" "));
    call.kwargs.iter().for_each(|(name, value)| add(&mut text, name, value));
    text
}

/// What of a call goes to a shell.
fn commands(call: &ToolUse) -> Vec<&str> {
    let is_shell = matches!(last_name(&call.tool), "bash" | "sh" | "shell" | "terminal" | "tmux" | "zsh");
    let block = Some(call.content.as_str()).filter(|_| is_shell);
    block.into_iter().chain(texts(&call.kwargs, &["command", "cmd", "script"])).collect()
}

/// The files that a reading tool is to show.
fn files(call: &ToolUse) -> Vec<&str> {
    let name = last_name(&call.tool);
    if !(name.starts_with("read") || matches!(name, "cat" | "open" | "view")) {
        return Vec::new();
    }
    let words = call.args.iter().map(String::as_str).chain(call.content.lines().map(str::trim));
    words.chain(texts(&call.kwargs, &["path", "file", "file_path", "filename"])).collect()
}

/// A tool's name without its server.
fn last_name(tool: &str) -> &str {
    tool.rsplit('.').next().unwrap_or(tool)
}

fn texts<'c>(kwargs: &'c Map<String, Value>, names: &[&str]) -> impl Iterator<Item = &'c str> {
    names.iter().filter_map(|name| kwargs.get(*name).and_then(Value::as_str)).collect::<Vec<_>>().into_iter()
}
