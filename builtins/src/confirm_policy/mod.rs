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
//! **A rule's `command` is words.** The first is the program, the others are its words in their order. A `*` at the end stands for
//! whatever words follow: `cargo test*` is `cargo test` with anything behind it, and not `cargo test-evil`. Elsewhere `*` and
//! `?` stand for text within one word. The command is [read](https://docs.rs/hookspec-process) as a shell would: quotes, variables, patterns and functions are
//! followed, and what runs another program (`env`, `sudo`, `timeout`, `xargs`, `sh -c`, `find -exec`, `git -C`) is taken off.
//!
//! A **deny** rule is read widely: the program in any folder, options of the program before and between its words, its own
//! options in any spelling, whatever stands before it. What may fit, and what cannot be read with certainty, is asked. A call is
//! denied when **any** of its commands fits.
//!
//! An **allow** rule is read narrowly: **every** command of the call has to fit some rule, with all words known. It covers no redirection
//! into a file, no `&`, no variable that is set for it (but `CI`, `RUST_LOG` and their like), and no option that runs a program or takes
//! what runs from elsewhere (`cargo test --config …`, `git -c …`), unless the rule itself has that word.
//!
//! A rule on saving never covers what runs later: `.git/hooks/…`, `.git/config`, the settings of agents.
//!
//! `read_only` allows `shell` the commands that only show something of the workspace: `cat`, `echo`, `grep`, `head`,
//! `ls`, `pwd`, `tail`, `wc` and a few more; only for paths inside the workspace, without patterns for file names, and
//! without options that follow links, take the files from a list, or never end (`tail -f`). `git` is not among them: it starts programs that a repository's configuration names.
//!
//! A gate that wants a person to look is not answered by this policy, with `-y` neither, unless the rule says `answers_gates = true`.
//! Deny rules are a rail and no fence: a program that starts others by itself (a script, `make`) can start a denied one. An
//! allowlist of hooks does not take the policy away. A project's own `hookspec.toml` counts only once the user trusts the project.
//!
//! Different from gptme: there, only a fixed list of shell commands ran unasked, in whichever order it came
//! with other hooks; without a person everything ran.

mod read_only;
mod rule;

use hookspec::ask::{Confirmation, Why};
use hookspec::points::{TOOL_CONFIRM, TOOL_PRE_EXECUTE};
use hookspec::{First, Gate, Session, ToolUse, hook};
use hookspec_process::command::Reading;
use hookspec_process::sensitive;
use serde::{Deserialize, Serialize};

use crate::shared::call_paths::call_paths;
use crate::shared::commands::{content, reading};
use rule::{Fit, Rule};

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

/// Refuses what the policy denies.
#[hook(TOOL_PRE_EXECUTE, confirmation)]
fn deny(tool_use: &ToolUse, session: &Session, settings: &Policy) -> Option<Gate> {
    if settings.deny.is_empty() {
        return None;
    }
    if settings.deny.iter().any(|rule| rule.is_for_all(&tool_use.tool)) {
        return Some(Gate::deny(format!("the policy denies the tool `{}`", tool_use.tool)));
    }
    let rules: Vec<&Rule> = settings.deny.iter().filter(|rule| rule.is_for_some(&tool_use.tool)).collect();
    if rules.is_empty() {
        return None;
    }
    denied(&rules, &reading(&content(tool_use, session), session))
}

/// Confirms what the policy allows.
#[hook(TOOL_CONFIRM, priority = 10, confirmation)]
fn allow(tool_use: &ToolUse, why: &Why, session: &Session, settings: &Policy) -> Option<First<Confirmation>> {
    let by_gate = *why != Why::Policy;
    let rules: Vec<&Rule> = settings.allow.iter().filter(|rule| !by_gate || rule.answers_gates).collect();
    if rules.is_empty() && (by_gate || !settings.read_only) {
        return None;
    }
    let read_only = settings.read_only && !by_gate;
    allowed(&rules, read_only, tool_use, session).then_some(First(Confirmation::Confirm))
}

/// Whether a shell command only shows something of the workspace, as `read_only` has it.
pub(crate) fn only_shows(command: &str, session: &Session) -> bool {
    let reading = reading(command, session);
    is_plain(command)
        && reading.is_clear()
        && !reading.commands.is_empty()
        && reading.commands.iter().all(|command| read_only::only_shows(command, session))
}

/// Control characters have no place in a command, and a terminal would not show them.
fn is_plain(command: &str) -> bool {
    !command.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
}

fn denied(rules: &[&Rule], reading: &Reading) -> Option<Gate> {
    let mut maybe = None;
    for command in &reading.commands {
        for rule in rules {
            match rule.denies(command) {
                Fit::Yes => {
                    return Some(Gate::deny(format!("the policy denies the command `{}`", command.line())));
                }
                Fit::Maybe => maybe = maybe.or(Some(command)),
                Fit::No => {}
            }
        }
    }
    if let Some(unclear) = reading.unclear.first() {
        return Some(Gate::ask(format!(
            "the policy denies some commands, and this one cannot be read with certainty: {unclear}"
        )));
    }
    let command = maybe?;
    Some(Gate::ask(format!("the policy denies some commands, and `{}` may be one of them", command.line())))
}

fn allowed(rules: &[&Rule], read_only: bool, call: &ToolUse, session: &Session) -> bool {
    let tool = call.tool.as_str();
    let workspace = session.workspace();
    let protected = |path: &std::path::Path| {
        workspace.is_some_and(|workspace| sensitive::protected(path, workspace).is_some())
    };
    let is_for_all = rules.iter().any(|rule| rule.is_for_all(tool));
    if is_for_all
        && call_paths(call, session, std::env::home_dir().as_deref()).iter().any(|path| protected(path))
    {
        return false;
    }
    let some = rules.iter().any(|rule| rule.is_for_some(tool)) || read_only && tool == "shell";
    let is_shell = crate::shared::call_paths::runs_programs(tool);
    if is_for_all && !is_shell {
        return true;
    }
    if !is_for_all && !some {
        return false;
    }
    let content = content(call, session);
    let reading = reading(&content, session);
    if reading.files_written().iter().any(|file| protected(&file.path)) {
        return false;
    }
    if is_for_all {
        return true;
    }
    is_plain(&content)
        && reading.is_clear()
        && reading.multiplies.is_none()
        && !reading.commands.is_empty()
        && reading.commands.iter().all(|command| {
            rules.iter().any(|rule| rule.allows(tool, command))
                || read_only && tool == "shell" && read_only::only_shows(command, session)
        })
}

#[cfg(test)]
mod tests;
