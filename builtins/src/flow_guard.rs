//! `flow_guard`: what a session has met decides what it may still do.
//!
//! **Watches** every tool call before it runs. Off unless `enabled = true`. **Speaks** as a gate: a rule names a
//! [label](../sessions.md#labels), and what is refused, or asked about, in a session that carries it. With the rules that it comes
//! with, nothing is sent anywhere once a secret was read, and commands ask once foreign text was read. The reason names the label,
//! where it came from and when. **Keeps** nothing: labels are the session's, and are there after a restart. **Costs** a look at the
//! labels per call; a command is read only where a rule about it holds.
//!
//! | what | it is |
//! |---|---|
//! | `send` | a command that uses the network, a tool that goes to the web, a tool of an MCP server |
//! | `shell` | a command of the shell, whatever it does |
//! | `write` | `save`, `append`, `patch` and their like in other agents |
//! | `any` | every call |
//! | anything else | the glob of a tool's name, `mcp__*` |
//!
//! A command in which not all can be decided (`sh -c "$X"`) is asked about where `send` is refused. Programs have other ways to send
//! than those that are known by name: who wants to be sure closes the network too, `[sandbox] network = "off"`.
//!
//! | label | who sets it |
//! |---|---|
//! | `foreign-text` | the engine, when a tool that is not its own or a command that fetches gave a result, when a file of strangers was read, and for imported conversations; with `flow_guard` on, in other agents' sessions too, by the names of their tools |
//! | `read-secret` | `secrets_guard` and the sandbox, when a secret was taken out of a result or a yes opened a file that holds one |
//! | `left-workspace` | the sandbox, when a yes let a call out of the workspace |
//! | your own | `session.add_label` in any hook or tool |
//!
//! | who reads | what for |
//! |---|---|
//! | `flow_guard` | its rules |
//! | your own gates | `session.has_label` |
//! | people | a line in the terminal, the page, `GET /conversations/{id}`, the timeline |

use std::path::Path;

use hookspec::points::{TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE};
use hookspec::session::{Label, Labelled};
use hookspec::tool::ToolStatus;
use hookspec::{Gate, Session, ToolUse, hook};
use hookspec_process::command::{Scene, read};
use serde::{Deserialize, Serialize};

use crate::shared::globs::Globs;
use crate::shared::instructions::home;

#[cfg(test)]
mod tests;

/// `[hooks.flow_guard]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether it does anything.
    pub enabled: bool,
    /// What follows from which label: `{ when = "read-secret", deny = "send" }`, or `ask` in place of `deny`.
    pub rules: Vec<Rule>,
}

impl Default for Settings {
    fn default() -> Self {
        let rule = |when, verdict| Rule { when, verdict };
        Self {
            enabled: false,
            rules: vec![
                rule(Label::READ_SECRET, Answer::Deny(What::Send)),
                rule(Label::FOREIGN_TEXT, Answer::Ask(What::Shell)),
            ],
        }
    }
}

/// One line of the rules.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rule {
    /// The label.
    pub when: Label,
    /// What follows.
    #[serde(flatten)]
    pub verdict: Answer,
}

/// What becomes of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// It is refused.
    Deny(What),
    /// Somebody is asked.
    Ask(What),
}

/// Which calls.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum What {
    /// Those that use the network.
    Send,
    /// Commands.
    Shell,
    /// Those that change files.
    Write,
    /// All.
    Any,
    /// Those of tools whose names fit a glob.
    Tool(String),
}

impl From<String> for What {
    fn from(text: String) -> Self {
        match &*text {
            "send" => Self::Send,
            "shell" => Self::Shell,
            "write" => Self::Write,
            "any" => Self::Any,
            _ => Self::Tool(text),
        }
    }
}

impl From<What> for String {
    fn from(what: What) -> Self {
        match what {
            What::Send => "send".into(),
            What::Shell => "shell".into(),
            What::Write => "write".into(),
            What::Any => "any".into(),
            What::Tool(glob) => glob,
        }
    }
}

/// Tools that run commands, by the names that agents give them.
const SHELLS: [&str; 10] = [
    "shell",
    "bash",
    "run_shell_command",
    "execute_bash",
    "terminal",
    "tmux",
    "exec",
    "exec_command",
    "local_shell",
    "ipython",
];
/// Tools that change files.
const WRITERS: [&str; 12] = [
    "save",
    "append",
    "patch",
    "write",
    "edit",
    "multiedit",
    "write_file",
    "replace",
    "apply_patch",
    "notebookedit",
    "create_file",
    "str_replace_editor",
];
/// Parts of the names of tools that go to the web.
const WEB: [&str; 8] = ["web", "browser", "fetch", "http", "url", "search", "download", "crawl"];

/// Refuses what the session may no longer do, or asks.
#[hook(TOOL_PRE_EXECUTE, priority = 150)]
fn gate(tool_use: &ToolUse, session: &Session, settings: &Settings) -> Option<Gate> {
    if !settings.enabled {
        return None;
    }
    let labels = session.labels();
    let mut asks = None;
    for rule in &settings.rules {
        let Some(labelled) = labels.iter().find(|labelled| labelled.label == rule.when) else { continue };
        match &rule.verdict {
            Answer::Deny(what) => match fits(what, tool_use, session) {
                Fits::Yes => return Some(Gate::deny(reason(labelled, what, "is refused"))),
                Fits::Perhaps => asks = asks.or(Some(reason(labelled, what, "may be what is refused"))),
                Fits::No => {}
            },
            Answer::Ask(what) if !matches!(fits(what, tool_use, session), Fits::No) => {
                asks = asks.or(Some(reason(labelled, what, "has to be confirmed")));
            }
            Answer::Ask(_) => {}
        }
    }
    asks.map(Gate::ask)
}

/// Labels the sessions of other agents, whose tools are known by their names alone.
#[hook(TOOL_POST_EXECUTE, priority = 150)]
fn label(tool_use: &ToolUse, status: ToolStatus, session: &Session, settings: &Settings) {
    if settings.enabled && status != ToolStatus::Denied && (is_mcp(&tool_use.tool) || is_web(&tool_use.tool))
    {
        session.add_label(Label::FOREIGN_TEXT, format!("the tool `{}` gave a result", tool_use.tool));
    }
}

enum Fits {
    Yes,
    Perhaps,
    No,
}

impl From<bool> for Fits {
    fn from(fits: bool) -> Self {
        if fits { Self::Yes } else { Self::No }
    }
}

fn fits(what: &What, call: &ToolUse, session: &Session) -> Fits {
    let name = call.tool.to_ascii_lowercase();
    let is_shell = SHELLS.contains(&&*name);
    match what {
        What::Any => Fits::Yes,
        What::Shell => is_shell.into(),
        What::Write => WRITERS.contains(&&*name).into(),
        What::Tool(glob) => Globs::new([glob.as_str()]).is_ok_and(|globs| globs.fit(&call.tool)).into(),
        What::Send if is_shell => sends(call, &session.cwd(), home(session).as_deref()),
        What::Send => (is_mcp(&name) || is_web(&name)).into(),
    }
}

/// Whether a command sends anything.
fn sends(call: &ToolUse, cwd: &Path, home: Option<&Path>) -> Fits {
    let named = ["command", "cmd", "script", "code"].iter().find_map(|name| call.kwargs.get(*name)?.as_str());
    let Some(command) = named.or(Some(&*call.content).filter(|block| !block.is_empty())) else {
        return Fits::Perhaps;
    };
    let reading = read(command, &Scene { home, ..Scene::new(cwd) });
    match (reading.sends().next().is_some(), reading.is_clear()) {
        (true, _) => Fits::Yes,
        (false, true) => Fits::No,
        (false, false) => Fits::Perhaps,
    }
}

fn is_mcp(tool: &str) -> bool {
    tool.starts_with("mcp__") || tool.starts_with("mcp_") || tool == "mcp"
}

fn is_web(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    let words = tool.split(|c: char| !c.is_ascii_alphanumeric());
    tool.starts_with("web") || words.into_iter().any(|word| WEB.contains(&word))
}

fn reason(labelled: &Labelled, what: &What, verdict: &str) -> String {
    let Labelled { label, why, .. } = labelled;
    let what = String::from(what.clone());
    format!(
        "this session is labelled `{label}` ({why}), and `{what}` {verdict} then; see `[hooks.flow_guard]`, or go on in a new session"
    )
}
