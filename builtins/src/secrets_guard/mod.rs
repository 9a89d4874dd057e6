//! `secrets_guard`: keeps credentials out of files, commands, and all that is kept or sent.
//!
//! **Watches** what tools are about to write, the arguments of every other tool call, and every text that a session keeps or sends.
//! **Speaks** in three ways. It refuses to save text that holds a credential in clear, by the formats of more than a hundred
//! issuers; where the format alone does not prove it (a web token, a password in a URL, `secret = "…"` with a value that looks
//! random) the user is asked. It asks before a command prints credentials (`cat .env`, `printenv`, `gh auth token`) or a tool reads
//! a file that has them. And it takes credentials out of texts, with `[redacted: …]` in their place: that part is a redactor and no
//! hook, which core itself asks before any hook sees a result, a prompt or an error, and before anything reaches the log, the model,
//! a timeline or a saved state. No list of hooks takes it away; `redact = "off"` does. A credential is never repeated: its kind, its
//! line and its length are, and of a token with a public prefix the first four characters. **Keeps** nothing. **Costs** one pass for a
//! few words over each text, a pattern only where a word of it is there, and one question to the file system for each folder of
//! the workspace when something is redacted, in a tenth of the time at most.
//!
//! What is redacted: values by their format; and values that are known, because they stand in a secret file of the workspace
//! (`.env`, keys, `.netrc`, …), in one that clouds and registries keep in the home folder, or in a variable of the host whose name
//! says that it is secret. Known ones are found in base64, hexadecimal, in URLs and JSON, backwards, wrapped over lines and in part
//! too. What is compressed, encrypted or spelled out is not found; there the sandbox holds.
//!
//! The model's own words are redacted where they are kept, shown or handed to hooks; a call runs as it was written, and only the hooks
//! that decide about it see it so. The user's prompt is redacted before hooks, log and model have it, and the user is told. A text
//! that cannot be looked at is withheld.
//!
//! In a file a credential that was there already is no news. Values of manuals (`AKIAIOSFODNN7EXAMPLE`) and placeholders pass. What is
//! none can be let through by `allow_paths` (globs) and `allow_values` (patterns, of texts too). A line of a file with the comment
//! `hookspec: allow-secret` is asked about and not refused, since it may be the model that wrote the comment; in other texts the
//! comment means nothing. A file that would get a `[redacted: …]` in the place of a credential is asked about.
//!
//! It looks at files after all other hooks there, to see what will be written; a hook that ends the chain ends it for this one too.
//!
//! Its files: `table` are the formats (`data/secrets.toml`), `flat` is the text as they read it, `known` the values that are known,
//! `redactor` what core asks, `commands` the commands that print credentials, `patterns` those of the settings.
//!
//! Different from gptme, which has no such guard.

mod commands;
mod flat;
mod known;
mod patterns;
mod redactor;
pub(crate) mod screen;
mod table;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use hookspec::points::{FILE_PRE_PATCH, FILE_PRE_SAVE, TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE};
use hookspec::session::Label;
use hookspec::{Gate, Message, Session, ToolUse, hook};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::shared::globs::Globs;
use crate::shared::text::escape;

use commands::{Printed, is_credential_file};
pub use patterns::{PatternError, Patterns};
pub use redactor::redacted;
pub use table::TableError;
use table::{Found, table};

/// At most so many credentials are told one by one.
const TOLD: usize = 5;
/// A file that is larger, in bytes, is not read to see which credentials it had.
const LARGEST: u64 = 16 << 20;

/// Which credentials are taken out of what is kept and sent.
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
    /// Which credentials are taken out of what is kept and sent: `off`, `sure` or `all`.
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
fn before_call(tool_use: &ToolUse, session: &Session, settings: &Settings) -> Said<Gate> {
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
    let (prints, cwd) = (&table()?.prints, session.cwd());
    let allowed = |path: &Path| is_allowed(path, session, settings);
    let mut scripts = commands_of(tool_use).into_iter();
    let printed = scripts.find_map(|command| prints.printed_by(command, &cwd, &allowed));
    let is_read = |path: &&str| is_credential_file(&cwd.join(path), &allowed);
    let read = || files(tool_use).into_iter().find(is_read);
    let printed = printed.or_else(|| read().map(|path| Printed::File(path.to_owned())));
    Ok(printed.map(|printed| Gate::ask(question(&printed))))
}

/// Labels the session where a result had a credential in it: a stand-in is there now, for whoever sees it.
#[hook(TOOL_POST_EXECUTE, priority = 100)]
fn after_call(tool_use: &ToolUse, result: &[Message], session: &Session) {
    if result.iter().any(|message| has_stand_in(&message.content)) {
        let tool = escape(&tool_use.tool);
        session.add_label(Label::READ_SECRET, format!("a result of `{tool}` had a credential in it"));
    }
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

/// Whether a text has what the redactor puts in the place of a credential.
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
fn commands_of(call: &ToolUse) -> Vec<&str> {
    let is_shell = matches!(last_name(&call.tool), "bash" | "sh" | "shell" | "terminal" | "tmux" | "zsh");
    let block = Some(call.content.as_str()).filter(|_| is_shell);
    block.into_iter().chain(texts(&call.kwargs, &["command", "cmd", "script"])).collect()
}

/// The files that a reading tool is to show.
fn files(call: &ToolUse) -> Vec<&str> {
    let name = last_name(&call.tool).to_ascii_lowercase();
    if !(name.starts_with("read") || matches!(name.as_str(), "cat" | "grep" | "open" | "view")) {
        return Vec::new();
    }
    let words = call.args.iter().map(String::as_str).chain(call.content.lines().map(str::trim));
    words.chain(texts(&call.kwargs, &["path", "file", "file_path", "filename"])).collect()
}

/// A tool's name without its server: `files.read`, and `mcp__files__read` as clients have it.
fn last_name(tool: &str) -> &str {
    let name = tool.rsplit('.').next().unwrap_or(tool);
    name.rsplit("__").next().unwrap_or(name)
}

fn texts<'c>(kwargs: &'c Map<String, Value>, names: &[&str]) -> impl Iterator<Item = &'c str> {
    names.iter().filter_map(|name| kwargs.get(*name).and_then(Value::as_str)).collect::<Vec<_>>().into_iter()
}
