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
}

/// Names of programs, in the order in which they are tried.
const PROGRAMS: [(&str, Runtime); 8] = [
    ("gptme", Runtime::Gptme),
    ("claude", Runtime::ClaudeCode),
    ("codex", Runtime::Codex),
    ("aider", Runtime::Aider),
    ("goosed", Runtime::Goose),
    ("goose", Runtime::Goose),
    ("opencode", Runtime::Opencode),
    ("amp", Runtime::Amp),
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
        }
    }
}

pub(super) fn basename(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".exe").unwrap_or(name)
}

fn named(program: &str) -> Option<Runtime> {
    PROGRAMS.iter().find(|(name, _)| *name == basename(program)).map(|(_, runtime)| *runtime)
}

/// `/bin/NAME` and then something that is not part of a word: `/usr/bin/gptme-server`.
fn installed(program: &str) -> Option<Runtime> {
    let (_, name) = program.rsplit_once("/bin/")?;
    let begins = |wanted: &str| {
        name.strip_prefix(wanted)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    PROGRAMS.iter().find(|(wanted, _)| begins(wanted)).map(|(_, runtime)| *runtime)
}

fn is_interpreter(program: &str) -> bool {
    let name = basename(program);
    INTERPRETERS.contains(&name) || name.strip_prefix("python3.").is_some_and(|v| v.parse::<u8>().is_ok())
}

/// Where in the command line the agent's program stands: 0, or the place of an interpreter's script.
pub(super) fn program_at(argv: &[String]) -> Option<usize> {
    let first = argv.first()?;
    if named(first).or_else(|| installed(first)).is_some() {
        return Some(0);
    }
    if !is_interpreter(first) {
        return None;
    }
    let script = argv.iter().position(|arg| !std::ptr::eq(arg, first) && !arg.starts_with('-'))?;
    // `-c` and `-m` are followed by code and a module, not by a script.
    let runs_code = argv[1..script].iter().any(|arg| matches!(arg.as_str(), "-c" | "-m" | "-e"));
    let is_path = argv[script].contains('/');
    let found = named(&argv[script]).or_else(|| installed(&argv[script]));
    (!runs_code && is_path && found.is_some()).then_some(script)
}

/// Which agent a command line is, if it is one.
#[must_use]
pub(super) fn detect(argv: &[String]) -> Option<Runtime> {
    let program = &argv[program_at(argv)?];
    named(program).or_else(|| installed(program))
}

/// Whether an executable can be that of an agent: of its name, an interpreter, or from a folder of its name
/// (an installed version).
pub(super) fn fits(runtime: Runtime, exe: &Path) -> bool {
    let text = exe.to_string_lossy();
    let names = PROGRAMS.iter().filter(|(_, of)| *of == runtime);
    is_interpreter(text.trim_end_matches(" (deleted)"))
        || names.into_iter().any(|(name, _)| text.contains(name))
}
