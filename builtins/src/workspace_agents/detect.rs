//! Whether a command line is an agent's.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// An agent program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    /// Claude Code.
    #[default]
    ClaudeCode,
    /// Codex.
    Codex,
    /// gptme.
    Gptme,
    /// aider.
    Aider,
    /// goose.
    Goose,
    /// opencode.
    Opencode,
    /// amp.
    Amp,
    /// hookspec itself, or a program that is made of it.
    Hookspec,
    /// Gemini CLI.
    Gemini,
    /// Cursor's.
    CursorAgent,
    /// GitHub Copilot CLI.
    Copilot,
    /// Hermes.
    Hermes,
    /// Crush.
    Crush,
    /// Qwen Code.
    Qwen,
}

/// Names of programs, in the order in which they are tried.
const PROGRAMS: [(&str, Runtime); 16] = [
    ("gptme", Runtime::Gptme),
    ("claude", Runtime::ClaudeCode),
    ("codex", Runtime::Codex),
    ("aider", Runtime::Aider),
    ("goosed", Runtime::Goose),
    ("goose", Runtime::Goose),
    ("opencode", Runtime::Opencode),
    // What its launcher starts.
    (".opencode", Runtime::Opencode),
    ("amp", Runtime::Amp),
    ("hookspec", Runtime::Hookspec),
    ("gemini", Runtime::Gemini),
    ("cursor-agent", Runtime::CursorAgent),
    ("copilot", Runtime::Copilot),
    ("hermes", Runtime::Hermes),
    ("crush", Runtime::Crush),
    ("qwen", Runtime::Qwen),
];

/// Programs beside which others of their name begin, as `gptme-server`.
const FAMILIES: [Runtime; 6] =
    [Runtime::Gptme, Runtime::ClaudeCode, Runtime::Codex, Runtime::Aider, Runtime::Goose, Runtime::Opencode];

/// Folders of packages whose scripts are the agent, by whatever name they are called: what a launcher starts again shows
/// the script's own path.
const PACKAGES: [(&str, Runtime); 9] = [
    ("/node_modules/@anthropic-ai/claude-code/", Runtime::ClaudeCode),
    ("/node_modules/@openai/codex/", Runtime::Codex),
    ("/node_modules/@google/gemini-cli/", Runtime::Gemini),
    ("/node_modules/@github/copilot/", Runtime::Copilot),
    ("/node_modules/@qwen-code/qwen-code/", Runtime::Qwen),
    ("/node_modules/@sourcegraph/amp/", Runtime::Amp),
    ("/node_modules/opencode-ai/", Runtime::Opencode),
    ("/node_modules/@charmland/crush/", Runtime::Crush),
    ("/cursor-agent/versions/", Runtime::CursorAgent),
];

/// Modules that Python runs with `-m`.
const MODULES: [(&str, Runtime); 3] =
    [("gptme", Runtime::Gptme), ("aider", Runtime::Aider), ("hermes_cli", Runtime::Hermes)];

/// Options of interpreters that take the next word.
const WITH_WORD: [&str; 11] = [
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "-C",
    "--conditions",
    "-W",
    "-X",
    "--rcfile",
    "--init-file",
];

/// Programs that run a script: the agent is then their first argument that is not an option.
const INTERPRETERS: [&str; 12] =
    ["node", "nodejs", "bun", "deno", "python", "python2", "python3", "ruby", "go", "bash", "sh", "zsh"];

impl Runtime {
    /// The name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gptme => "gptme",
            Self::Aider => "aider",
            Self::Goose => "goose",
            Self::Opencode => "opencode",
            Self::Amp => "amp",
            Self::Hookspec => "hookspec",
            Self::Gemini => "gemini",
            Self::CursorAgent => "cursor-agent",
            Self::Copilot => "copilot",
            Self::Hermes => "hermes",
            Self::Crush => "crush",
            Self::Qwen => "qwen",
        }
    }
}

pub(super) fn basename(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".exe").unwrap_or(name)
}

fn named(program: &str) -> Option<Runtime> {
    let name = basename(program);
    // Programs that are made of hookspec are called so by custom.
    let made_of = || name.starts_with("hookspec-with-").then_some(Runtime::Hookspec);
    PROGRAMS.iter().find(|(wanted, _)| *wanted == name).map(|(_, runtime)| *runtime).or_else(made_of)
}

/// A script in the folder of an agent's package. What the package depends on lies deeper, and what it brings along beside it.
fn packaged(script: &str) -> Option<Runtime> {
    let is_script = [".js", ".mjs", ".cjs"].iter().any(|ending| script.ends_with(ending));
    let (_, runtime) = PACKAGES.iter().find(|(folder, _)| {
        script
            .split_once(folder)
            .is_some_and(|(_, rest)| !rest.split('/').any(|part| matches!(part, "node_modules" | "vendor")))
    })?;
    is_script.then_some(*runtime)
}

/// The agent that a program or a script is.
fn agent_of(program: &str) -> Option<Runtime> {
    named(program).or_else(|| installed(program)).or_else(|| packaged(program))
}

/// `/bin/NAME` and then something that is not part of a word: `/usr/bin/gptme-server`.
fn installed(program: &str) -> Option<Runtime> {
    let (_, name) = program.rsplit_once("/bin/")?;
    let begins = |wanted: &str| {
        name.strip_prefix(wanted)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let families = PROGRAMS.iter().filter(|(_, runtime)| FAMILIES.contains(runtime));
    families.into_iter().find(|(wanted, _)| begins(wanted)).map(|(_, runtime)| *runtime)
}

fn is_interpreter(program: &str) -> bool {
    let name = basename(program);
    INTERPRETERS.contains(&name)
        || name.strip_prefix("python3.").is_some_and(|v| v.trim_end_matches('t').parse::<u8>().is_ok())
}

/// Where in the command line the agent's program stands: 0, or the place of an interpreter's script or module.
pub(super) fn program_at(argv: &[String]) -> Option<usize> {
    let first = argv.first()?;
    if agent_of(first).is_some() {
        return Some(0);
    }
    if !is_interpreter(first) {
        return None;
    }
    let at = script_at(argv)?;
    let before = &argv[1..at];
    let is_module = before.last().is_some_and(|option| option == "-m");
    // `-c` and `-e` are followed by code.
    if before.iter().any(|arg| matches!(arg.as_str(), "-c" | "-e")) {
        return None;
    }
    let is_agent = if is_module {
        basename(first).starts_with("python") && module(&argv[at]).is_some()
    } else {
        argv[at].contains('/') && agent_of(&argv[at]).is_some()
    };
    is_agent.then_some(at)
}

/// The first word behind an interpreter that is neither an option nor an option's.
fn script_at(argv: &[String]) -> Option<usize> {
    let mut at = 1;
    while let Some(arg) = argv.get(at) {
        if !arg.starts_with('-') {
            return Some(at);
        }
        at += if WITH_WORD.contains(&arg.as_str()) { 2 } else { 1 };
    }
    None
}

fn module(name: &str) -> Option<Runtime> {
    let package = name.split('.').next().unwrap_or(name);
    MODULES.iter().find(|(module, _)| *module == package).map(|(_, runtime)| *runtime)
}

/// Which agent a command line is, if it is one.
#[must_use]
pub(super) fn detect(argv: &[String]) -> Option<Runtime> {
    let at = program_at(argv)?;
    let runtime = agent_of(&argv[at]).or_else(|| module(&argv[at]))?;
    works(runtime, &argv[at + 1..]).then_some(runtime)
}

/// The same of a program that was called by another name, as through a link.
#[must_use]
pub(super) fn detect_by_executable(exe: &Path, argv: &[String]) -> Option<Runtime> {
    let path = exe.to_string_lossy();
    let runtime = named(path.trim_end_matches(" (deleted)"))?;
    works(runtime, argv.get(1..).unwrap_or_default()).then_some(runtime)
}

/// Whether a program does an agent's work with these arguments. Others have names of agents too.
fn works(runtime: Runtime, args: &[String]) -> bool {
    let command = args.iter().map(String::as_str).find(|arg| !arg.starts_with('-'));
    match runtime {
        // Its other commands are over at once, or belong to another agent's hooks.
        Runtime::Hookspec => args.iter().any(|arg| matches!(arg.as_str(), "chat" | "serve")),
        // Amazon's tool for containers.
        Runtime::Copilot => !command.is_some_and(|word| {
            matches!(
                word,
                "svc" | "app" | "env" | "job" | "pipeline" | "deploy" | "task" | "storage" | "secret"
            )
        }),
        // A relayer between chains.
        Runtime::Hermes => {
            let relays = ["start", "keys", "create", "query", "tx", "clear"];
            let is_word = |words: &[&str]| args.iter().any(|arg| words.contains(&arg.as_str()));
            is_word(&["chat"]) || !is_word(&relays)
        }
        _ => true,
    }
}

/// Whether an executable can be that of an agent: of its name, an interpreter, or from a folder of its name
/// (an installed version).
pub(super) fn fits(runtime: Runtime, exe: &Path) -> bool {
    let text = exe.to_string_lossy();
    let names = PROGRAMS.iter().filter(|(_, of)| *of == runtime);
    is_interpreter(text.trim_end_matches(" (deleted)"))
        || names.into_iter().any(|(name, _)| text.contains(name))
}
