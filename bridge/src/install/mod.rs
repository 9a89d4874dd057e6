//! Installing: our command in a client's own configuration, and out of it again.
//!
//! [`installed`] and [`uninstalled`] turn the text of a configuration file into the new text; they touch nothing
//! else, and doing it twice changes nothing. Entries of ours are known by their command: `… bridge CLIENT --event …`.

pub mod jsonc;
pub mod version;

use std::path::{Path, PathBuf};

use hookspec::Registry;
use hookspec::point::find_point;
use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::lower::can;
use crate::moment::{Incoming, Kind};

pub use jsonc::JsonError;

/// Whose configuration it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The person's, for all projects.
    User,
    /// The project's, for all who work on it.
    Project,
}

/// The folders of this machine that configuration lies in.
#[derive(Clone, Debug)]
pub struct Places {
    /// The person's home.
    pub home: PathBuf,
    /// The project.
    pub project: PathBuf,
    /// `CODEX_HOME`, where it is set.
    pub codex_home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`, where it is set.
    pub claude_config_dir: Option<PathBuf>,
    /// `HERMES_HOME`, where it is set.
    pub hermes_home: Option<PathBuf>,
}

/// Why a client cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The client has no such scope.
    #[error("{client} has no configuration of hooks for a {scope}; use --scope {instead}")]
    Scope {
        /// The client.
        client: Client,
        /// What was asked for.
        scope: &'static str,
        /// What there is.
        instead: &'static str,
    },
    /// Its file cannot be understood.
    #[error("{path} cannot be edited: {source}; mend it first")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: JsonError,
    },
    /// A YAML file with hooks of its own.
    #[error("{path} has a `hooks:` of its own, which is not edited; add these lines to it:\n{lines}")]
    Yaml {
        /// The file.
        path: PathBuf,
        /// What to add.
        lines: String,
    },
}

/// The client's file.
///
/// # Errors
/// If the client has none of this scope.
pub fn file(client: Client, scope: Scope, places: &Places) -> Result<PathBuf, InstallError> {
    let (home, project) = (&places.home, &places.project);
    let or = |set: &Option<PathBuf>, name: &str| set.clone().unwrap_or_else(|| home.join(name));
    Ok(match (client, scope) {
        (Client::Codex, Scope::User) => or(&places.codex_home, ".codex").join("hooks.json"),
        (Client::Codex, Scope::Project) => project.join(".codex/hooks.json"),
        (Client::Claude, Scope::User) => or(&places.claude_config_dir, ".claude").join("settings.json"),
        (Client::Claude, Scope::Project) => project.join(".claude/settings.json"),
        (Client::Gemini, Scope::User) => home.join(".gemini/settings.json"),
        (Client::Gemini, Scope::Project) => project.join(".gemini/settings.json"),
        (Client::Cursor, Scope::User) => home.join(".cursor/hooks.json"),
        (Client::Cursor, Scope::Project) => project.join(".cursor/hooks.json"),
        (Client::Copilot, Scope::Project) => project.join(".github/hooks/hookspec.json"),
        (Client::Goose, Scope::User) => home.join(".agents/plugins/hookspec/hooks/hooks.json"),
        (Client::Hermes, Scope::User) => or(&places.hermes_home, ".hermes").join("config.yaml"),
        (Client::Copilot, Scope::User) => {
            return Err(InstallError::Scope { client, scope: "person", instead: "project" });
        }
        (Client::Goose | Client::Hermes, Scope::Project) => {
            return Err(InstallError::Scope { client, scope: "project", instead: "user" });
        }
    })
}

/// The events of a client at which one of these hooks listens, in the order of its life. Where hooks speak at events
/// that carry nothing to the model, the first event that does is among them.
#[must_use]
pub fn events(client: Client, registry: &Registry) -> Vec<&'static str> {
    let heard = |kind: Kind| {
        let mut points = kind.points().iter().chain(kind.prepares());
        points.any(|point| find_point(point.wire).is_some_and(|point| point.is_heard(registry)))
    };
    let table = Kind::table(client).iter().filter(|(name, _)| !client.doubled().contains(name));
    let table: Vec<_> = table.collect();
    let carries = |name: &str| can(&Incoming::read(client, Map::new(), Some(name))).context;
    let mut wanted: Vec<&str> =
        table.iter().filter(|(_, kind)| heard(*kind)).map(|(name, _)| *name).collect();
    if !wanted.is_empty() && !wanted.iter().any(|name| carries(name)) {
        let first = table.iter().map(|(name, _)| *name).find(|name| carries(name));
        wanted.extend(first);
        wanted.sort_by_key(|name| table.iter().position(|(held, _)| held == name));
    }
    wanted
}

/// What is written into a client's configuration.
#[derive(Clone, Debug)]
pub struct Entries {
    /// The client.
    pub client: Client,
    /// The program, as a shell reads it.
    pub program: String,
    /// Hooks to select, where not all are.
    pub allow: Vec<String>,
    /// Whether a process that stays shall answer.
    pub resident: bool,
    /// The events.
    pub events: Vec<&'static str>,
}

/// Seconds that a client waits for us, and those that we take.
fn limits(client: Client, event: &str) -> (u64, u64) {
    match (client, event) {
        // Codex cuts these off after three seconds whatever is written.
        (Client::Codex, "SessionEnd" | "Interrupt") => (3, 2),
        // The sum of all hooks of the end is limited; the largest of their limits raises it.
        (Client::Claude, "SessionEnd") => (5, 4),
        _ => (30, 25),
    }
}

impl Entries {
    fn command(&self, event: &str) -> String {
        let (_, deadline) = limits(self.client, event);
        let mut command = format!("{} bridge {} --event {event}", self.program, self.client);
        if deadline != 25 {
            command.push_str(&format!(" --deadline {deadline}"));
        }
        if self.resident {
            command.push_str(" --resident");
        }
        if !self.allow.is_empty() {
            command.push_str(&format!(" --allow {}", quoted(&self.allow.join(","))));
        }
        command
    }

    /// One entry, as the client wants it.
    fn entry(&self, event: &str) -> Value {
        let (command, (seconds, _)) = (self.command(event), limits(self.client, event));
        let gate = Kind::of(self.client, event).is_gate();
        match self.client {
            Client::Codex => {
                json!({ "hooks": [{ "type": "command", "command": command, "timeout": seconds }] })
            }
            Client::Claude => {
                let mut handler = json!({ "type": "command", "command": command, "timeout": seconds });
                if gate {
                    handler["onFailure"] = Value::from("block");
                }
                json!({ "hooks": [handler] })
            }
            Client::Gemini => json!({ "hooks": [
                { "name": "hookspec", "type": "command", "command": command, "timeout": seconds * 1000 }
            ] }),
            Client::Cursor => {
                let mut entry = json!({ "command": command, "timeout": seconds });
                if gate {
                    entry["failClosed"] = Value::from(true);
                }
                entry
            }
            Client::Copilot => json!({ "type": "command", "bash": command, "timeoutSec": seconds }),
            Client::Goose => {
                let mut handler = json!({ "type": "command", "command": command, "timeout": seconds });
                if event == "PreToolUse" {
                    handler["on_failure"] = Value::from("block");
                }
                json!({ "hooks": [handler] })
            }
            Client::Hermes => {
                let mut entry = json!({ "command": command, "timeout": seconds });
                if event == "pre_tool_call" {
                    entry["fail_closed"] = Value::from(true);
                }
                entry
            }
        }
    }
}

/// A word as a shell reads it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@,%=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The event of a command of ours.
#[must_use]
pub fn event_of(client: Client, command: &str) -> Option<&str> {
    let (_, rest) = command.split_once(&format!(" bridge {client} --event "))?;
    rest.split_whitespace().next()
}

/// The commands of an entry.
fn commands(entry: &Value) -> Vec<&str> {
    let own = ["command", "bash"].into_iter().filter_map(|key| entry.get(key).and_then(Value::as_str));
    let nested = entry.get("hooks").and_then(Value::as_array).into_iter().flatten();
    own.chain(nested.filter_map(|handler| handler.get("command").and_then(Value::as_str))).collect()
}

/// Whether an entry is ours, and ours alone.
pub(crate) fn is_ours(client: Client, entry: &Value) -> bool {
    let commands = commands(entry);
    !commands.is_empty() && commands.iter().all(|command| event_of(client, command).is_some())
}

/// The commands of ours in a configuration file, with their events.
///
/// # Errors
/// If the file cannot be understood.
pub fn found(client: Client, path: &Path, text: &str) -> Result<Vec<(String, String)>, InstallError> {
    if client == Client::Hermes {
        let lines = text.lines().filter_map(|line| line.trim().strip_prefix("- command: "));
        let commands = lines.filter_map(|line| serde_json::from_str::<String>(line).ok());
        return Ok(commands
            .filter_map(|command| Some((event_of(client, &command)?.to_owned(), command.clone())))
            .collect());
    }
    let root = jsonc::value(text).map_err(|source| InstallError::File { path: path.to_owned(), source })?;
    let hooks = root.get("hooks").and_then(Value::as_object);
    let mut all = Vec::new();
    for (event, entries) in hooks.into_iter().flatten() {
        let entries = entries.as_array().into_iter().flatten();
        for command in entries.flat_map(commands).filter(|command| event_of(client, command).is_some()) {
            all.push((event.clone(), command.to_owned()));
        }
    }
    Ok(all)
}

/// The text of a configuration file with these entries, and without other ones of ours.
///
/// # Errors
/// If it cannot be edited.
pub fn installed(entries: &Entries, path: &Path, text: &str) -> Result<String, InstallError> {
    if entries.client == Client::Hermes {
        return yaml(entries, path, text);
    }
    let edit = || {
        let mut text = without(entries.client, text, |event| entries.events.contains(&event))?;
        if matches!(entries.client, Client::Cursor | Client::Copilot) {
            text = jsonc::set_if_missing(&text, "version", &json!(1))?;
        }
        for event in &entries.events {
            let wanted = entries.entry(event);
            let path = ["hooks", *event];
            let root = jsonc::value(&text)?;
            let held = root["hooks"][*event].as_array();
            let ours = held.and_then(|held| held.iter().position(|entry| is_ours(entries.client, entry)));
            text = match (ours, held) {
                (Some(index), Some(held)) if held[index] == wanted => text,
                (Some(index), _) => jsonc::replace(&text, &path, index, &wanted)?,
                (None, _) => jsonc::append(&text, &path, &wanted)?,
            };
        }
        Ok(text)
    };
    edit().map_err(|source| InstallError::File { path: path.to_owned(), source })
}

/// The text of a configuration file without what is ours.
///
/// # Errors
/// If it cannot be edited.
pub fn uninstalled(client: Client, path: &Path, text: &str) -> Result<String, InstallError> {
    if client == Client::Hermes {
        return Ok(without_block(text));
    }
    without(client, text, |_| false).map_err(|source| InstallError::File { path: path.to_owned(), source })
}

/// Takes out the entries of ours but for those of the events to keep, of which one stays.
fn without(client: Client, text: &str, keep: impl Fn(&str) -> bool) -> Result<String, JsonError> {
    let mut text = text.to_owned();
    let events = jsonc::value(&text)?;
    let events = events.get("hooks").and_then(Value::as_object).cloned().unwrap_or_default();
    for event in events.keys() {
        loop {
            let root = jsonc::value(&text)?;
            let held = root["hooks"][event].as_array().cloned().unwrap_or_default();
            let mut ours =
                held.iter().enumerate().filter(|(_, entry)| is_ours(client, entry)).map(|(at, _)| at);
            if keep(event) {
                ours.next();
            }
            let Some(index) = ours.next_back() else { break };
            text = jsonc::remove(&text, &["hooks", event], index)?;
        }
    }
    Ok(text)
}

const BLOCK: (&str, &str) = ("# hookspec: begin", "# hookspec: end");

fn without_block(text: &str) -> String {
    let Some((before, rest)) = text.split_once(BLOCK.0) else { return text.to_owned() };
    let after = rest.split_once(BLOCK.1).map_or("", |(_, after)| after.strip_prefix('\n').unwrap_or(after));
    format!("{before}{after}")
}

/// Hermes has YAML: our part is a block of its own at the end.
fn yaml(entries: &Entries, path: &Path, text: &str) -> Result<String, InstallError> {
    let mut lines = String::from("hooks:\n");
    for event in &entries.events {
        lines.push_str(&format!("  {event}:\n"));
        if let Value::Object(entry) = entries.entry(event) {
            // JSON's texts and numbers are YAML's too.
            for (index, (key, value)) in entry.iter().enumerate() {
                lines.push_str(&format!("    {} {key}: {value}\n", if index == 0 { "-" } else { " " }));
            }
        }
    }
    let mut rest = without_block(text);
    if rest.lines().any(|line| line.starts_with("hooks:") || line.starts_with("\"hooks\":")) {
        return Err(InstallError::Yaml { path: path.to_owned(), lines });
    }
    if entries.events.is_empty() {
        return Ok(rest);
    }
    if !rest.is_empty() && !rest.ends_with('\n') {
        rest.push('\n');
    }
    Ok(format!("{rest}{}\n{lines}{}\n", BLOCK.0, BLOCK.1))
}

/// What the person still has to do in the client itself.
#[must_use]
pub fn still_to_do(client: Client, scope: Scope) -> &'static str {
    match (client, scope) {
        (Client::Codex, Scope::User) => {
            "Codex runs a hook only after you have trusted it: start it, type /hooks, and trust each of these. A changed command asks again."
        }
        (Client::Codex, Scope::Project) => {
            "Codex runs hooks of a project only in a trusted project, and each only after you have trusted it: start it there, type /hooks, and trust each of these."
        }
        (Client::Claude, Scope::User) => "Claude Code reads them when it starts; /hooks shows them.",
        (Client::Claude, Scope::Project) => {
            "Claude Code asks whether you trust this folder when you start it there; /hooks shows the hooks."
        }
        (Client::Gemini, _) => {
            "Gemini CLI shows new hooks of a project once and asks; /hooks shows them. Hooks must not be off in `hooksConfig`."
        }
        (Client::Cursor, _) => "Cursor reads them when the file is saved; Settings, Hooks shows them.",
        (Client::Copilot, _) => {
            "Commit the file to the default branch: the coding agent on GitHub reads it there."
        }
        (Client::Goose, _) => "Goose finds the plugin when it starts.",
        (Client::Hermes, _) => {
            "Hermes asks for each command when it is first used at a terminal; elsewhere start it once with --accept-hooks."
        }
    }
}

#[cfg(test)]
mod tests;
