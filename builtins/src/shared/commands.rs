//! What of a tool call goes to a shell, read.

use std::borrow::Cow;

use hookspec::{Session, ToolUse};
use hookspec_process::command::{Reading, Scene, read};

use super::call_paths::runs_programs;

/// Variables that a shell surely has from this process, whatever is held back from it.
const PASSED: [&str; 4] = ["HOME", "LOGNAME", "PATH", "USER"];

/// The scripts that a call gives to a shell: a shell's command, and a notebook's lines for one.
pub(crate) fn scripts(call: &ToolUse, session: &Session) -> Vec<String> {
    let content = content(call, session);
    let name = call.tool.rsplit(['.', '/', ':']).next().unwrap_or(&call.tool);
    let name = name.rsplit("__").next().unwrap_or(name).to_ascii_lowercase();
    if matches!(name.as_str(), "python" | "ipython") {
        let cell = content.trim_start().strip_prefix("%%");
        if let Some((first, script)) = cell.and_then(|cell| cell.split_once('\n'))
            && matches!(first.split_whitespace().next(), Some("bash" | "sh" | "!" | "system" | "script"))
        {
            return vec![script.to_owned()];
        }
        return content
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix('!'))
            .map(str::to_owned)
            .collect();
    }
    let named = ["command", "cmd", "script"].iter().filter_map(|name| call.kwargs.get(*name)?.as_str());
    let mut scripts: Vec<String> = named.map(str::to_owned).collect();
    let is_shell = runs_programs(&call.tool) || name.contains("shell") || name.contains("command");
    if scripts.is_empty() && is_shell && !content.trim().is_empty() {
        scripts.push(content);
    }
    scripts
}

/// What a call is about, as its own tool has it.
pub(crate) fn content(call: &ToolUse, session: &Session) -> String {
    let registry = session.hooks().load();
    match registry.tools().get(&call.tool) {
        Some(tool) => tool.content(call).to_owned(),
        // Another agent has the tool, and this host does not offer it.
        None => call.text("command").map_or_else(|| call.content.clone(), Cow::into_owned),
    }
}

/// Reads a script where the session is.
pub(crate) fn reading(script: &str, session: &Session) -> Reading {
    let cwd = session.cwd();
    let home = std::env::home_dir();
    let variable = |name: &str| PASSED.contains(&name).then(|| std::env::var(name).ok()).flatten();
    read(script, &Scene { cwd: &cwd, home: home.as_deref(), variable: &variable })
}
