//! `confirm_policy`: says beforehand which tool calls run unasked, and which never.
//!
//! **Watches** `TOOL_PRE_EXECUTE` for what is denied, and `TOOL_CONFIRM`, before anybody is asked, for what is allowed.
//! **Speaks** by the lists in `[hooks.confirm_policy]`; both are empty by default, and it then has no opinion.
//! **Keeps** nothing. **Costs** nothing while the lists are empty; otherwise it reads the command once.
//!
//! ```toml
//! [hooks.confirm_policy]
//! allow = [{ tool = "save" }, { tool = "shell", command = "cargo test*" }]
//! deny = [{ tool = "shell", command = "git push*" }]
//! read_only = true
//! ```
//!
//! In a pattern, `*` stands for any text and `?` for one character. A rule with a `command` is for tools whose
//! content is a shell command. Such a call is allowed when **every** simple command in it fits some rule, and
//! denied when **any** does; each is matched as its words, joined by single spaces. Pipes, `&&`, `||`, `;` and
//! quotes are understood; whatever could run or write something else (a substitution, a variable, a redirection, a
//! subshell, `&`, a loop, an assignment) is never allowed by a rule with a `command`, and is asked where rules
//! deny commands of that tool.
//!
//! `read_only` allows `shell` the commands that only show something of the workspace: `cat`, `echo`, `grep`, `head`,
//! `ls`, `pwd`, `tail`, `wc` and a few more; only for paths inside the workspace, without patterns for file names, and
//! without options that follow links, take the files from a list, or never end (`tail -f`). `git` is not among them: it starts programs that a repository's configuration names.
//!
//! A gate that wants a person to look is not answered by this policy. Deny rules are a rail and no fence: a
//! program that starts others can start a denied one. An allowlist of hooks does not take the policy away. A
//! project's own `hookspec.toml` counts only once the user trusts the project.
//!
//! Different from gptme: there, only a fixed list of shell commands ran unasked, in whichever order it came
//! with other hooks; without a person everything ran.

mod read_only;
mod shell;

use std::borrow::Cow;

use hookspec::ask::{Confirmation, Why};
use hookspec::points::{TOOL_CONFIRM, TOOL_PRE_EXECUTE};
use hookspec::{First, Gate, Session, ToolUse, hook};
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use shell::SimpleCommand;

/// What runs unasked, and what never.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// What runs unasked.
    allow: Vec<Rule>,
    /// What never runs.
    deny: Vec<Rule>,
    /// Whether shell commands that only show something of the workspace run unasked.
    read_only: bool,
}

/// Which calls are meant.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    tool: Pattern,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Pattern>,
}

/// A text with `*` and `?`; never empty.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Pattern(WildMatch);

impl TryFrom<String> for Pattern {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.trim().is_empty() {
            return Err("a pattern is empty, and would fit nothing; `*` fits everything");
        }
        Ok(Self(WildMatch::new(&text)))
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.to_string()
    }
}

impl Rule {
    /// Whether the rule is for all calls of this tool.
    fn is_for_all(&self, tool: &str) -> bool {
        self.command.is_none() && self.tool.0.matches(tool)
    }

    /// Whether the rule is for some commands of this tool.
    fn is_for_some(&self, tool: &str) -> bool {
        self.command.is_some() && self.tool.0.matches(tool)
    }

    fn fits(&self, tool: &str, command: &SimpleCommand) -> bool {
        self.tool.0.matches(tool)
            && self.command.as_ref().is_some_and(|pattern| pattern.0.matches(&command.text()))
    }
}

/// Refuses what the policy denies.
#[hook(TOOL_PRE_EXECUTE, confirmation)]
fn deny(tool_use: &ToolUse, session: &Session, settings: &Policy) -> Option<Gate> {
    if settings.deny.is_empty() {
        return None;
    }
    denied(settings, &tool_use.tool, &content(tool_use, session))
}

/// Confirms what the policy allows.
#[hook(TOOL_CONFIRM, priority = 10, confirmation)]
fn allow(tool_use: &ToolUse, why: &Why, session: &Session, settings: &Policy) -> Option<First<Confirmation>> {
    if *why != Why::Policy || settings.allow.is_empty() && !settings.read_only {
        return None;
    }
    allowed(settings, &tool_use.tool, &content(tool_use, session), session)
        .then_some(First(Confirmation::Confirm))
}

/// Whether a shell command only shows something of the workspace, as `read_only` has it.
pub(crate) fn only_shows(command: &str, session: &Session) -> bool {
    shell::simple_commands(command).is_some_and(|commands| {
        !commands.is_empty() && commands.iter().all(|command| read_only::only_shows(command, session))
    })
}

fn content(call: &ToolUse, session: &Session) -> String {
    let registry = session.hooks().load();
    match registry.tools().get(&call.tool) {
        Some(tool) => tool.content(call).to_owned(),
        // Another agent has the tool, and this host does not offer it.
        None => call.text("command").map_or_else(|| call.content.clone(), Cow::into_owned),
    }
}

fn denied(policy: &Policy, tool: &str, content: &str) -> Option<Gate> {
    if policy.deny.iter().any(|rule| rule.is_for_all(tool)) {
        return Some(Gate::deny(format!("the policy denies the tool `{tool}`")));
    }
    if !policy.deny.iter().any(|rule| rule.is_for_some(tool)) {
        return None;
    }
    let Some(commands) = shell::simple_commands(content) else {
        return Some(Gate::ask(
            "the policy denies some commands, and this one cannot be read with certainty",
        ));
    };
    let bad = commands.iter().find(|command| policy.deny.iter().any(|rule| rule.fits(tool, command)))?;
    Some(Gate::deny(format!("the policy denies the command `{}`", bad.text())))
}

fn allowed(policy: &Policy, tool: &str, content: &str, session: &Session) -> bool {
    if policy.allow.iter().any(|rule| rule.is_for_all(tool)) {
        return true;
    }
    let Some(commands) = shell::simple_commands(content) else { return false };
    !commands.is_empty()
        && commands.iter().all(|command| {
            policy.allow.iter().any(|rule| rule.fits(tool, command))
                || policy.read_only && tool == "shell" && read_only::only_shows(command, session)
        })
}

#[cfg(test)]
mod tests;
