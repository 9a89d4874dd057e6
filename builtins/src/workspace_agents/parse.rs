//! What an agent's command line says: its model, how it is used, what it is doing.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::detect::{Runtime, basename, program_at};

/// How an agent is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A person talks to it.
    Interactive,
    /// It works by itself.
    Autonomous,
    /// It serves others.
    Server,
    /// It cannot be told.
    #[default]
    Unknown,
}

/// What a command line says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) model: Option<String>,
    pub(super) mode: Mode,
    pub(super) summary: String,
    /// The prompt, where the summary is one.
    pub(super) prompt: Option<String>,
    pub(super) name: Option<String>,
    pub(super) provider: Option<String>,
}

/// Summaries are cut to so many characters.
const SUMMARY: usize = 120;

pub(super) fn parse(runtime: Runtime, argv: &[String], cwd: &Path) -> Parsed {
    let argv = program_at(argv).map_or(argv, |at| &argv[at..]);
    let args = Args(argv.get(1..).unwrap_or_default());
    match runtime {
        Runtime::ClaudeCode => claude(argv, &args),
        Runtime::Codex => codex(argv, &args),
        Runtime::Gptme => gptme(argv, &args, cwd),
        Runtime::Aider => {
            let asked = args.value(&["--message", "--msg", "-m", "--message-file", "-f"]).is_some();
            other(argv, args.value(&["--model"]), alone(asked))
        }
        Runtime::Goose => Parsed {
            provider: args.value(&["--provider"]),
            ..other(argv, args.value(&["--model", "-m"]), goose(argv, &args))
        },
        Runtime::Opencode => other(argv, args.value(&["--model", "-m"]), opencode(&args)),
        Runtime::Amp => other(argv, args.value(&["--model", "-m"]), alone(args.has(&["-x", "--execute"]))),
    }
}

/// Of a program whose prompt cannot be told from the rest of its command line.
fn other(argv: &[String], model: Option<String>, mode: Mode) -> Parsed {
    Parsed { model, mode, summary: first(argv, 5), ..Parsed::default() }
}

fn alone(alone: bool) -> Mode {
    if alone { Mode::Autonomous } else { Mode::Interactive }
}

fn goose(argv: &[String], args: &Args<'_>) -> Mode {
    if argv.first().is_some_and(|program| basename(program) == "goosed") {
        return Mode::Server;
    }
    match args.command() {
        Some("run") => alone(!args.has(&["-s", "--interactive"])),
        Some("web" | "acp") => Mode::Server,
        Some("session" | "s") | None => Mode::Interactive,
        Some(_) => Mode::Unknown,
    }
}

fn opencode(args: &Args<'_>) -> Mode {
    match args.command() {
        Some("run") => Mode::Autonomous,
        Some("serve" | "web" | "acp") => Mode::Server,
        // Without a command it opens on the folder that is named.
        _ => Mode::Interactive,
    }
}

const CLAUDE_VALUES: &[&str] = &[
    "--append-system-prompt",
    "--append-system-prompt-file",
    "--system-prompt",
    "--model",
    "--fallback-model",
    "--output-format",
    "--input-format",
    "--resume",
    "-r",
    "-m",
    "--permission-mode",
    "--allowedTools",
    "--disallowedTools",
    "--add-dir",
    "--mcp-config",
    "--settings",
    "--session-id",
    "--max-turns",
    "--agents",
];

fn claude(argv: &[String], args: &Args<'_>) -> Parsed {
    let words = args.positionals(CLAUDE_VALUES);
    let prompt = (!words.is_empty()).then(|| cut(&words[..words.len().min(12)].join(" ")));
    Parsed {
        model: args.value(&["--model", "-m"]),
        mode: if args.has(&["-p", "--print"]) { Mode::Autonomous } else { Mode::Interactive },
        summary: prompt.clone().unwrap_or_else(|| first(argv, 5)),
        prompt,
        ..Parsed::default()
    }
}

const CODEX_VALUES: &[&str] = &[
    "-a",
    "-c",
    "-C",
    "-i",
    "-m",
    "-p",
    "-s",
    "--add-dir",
    "--ask-for-approval",
    "--cd",
    "--config",
    "--disable",
    "--enable",
    "--image",
    "--local-provider",
    "--model",
    "--profile",
    "--sandbox",
];

fn codex(argv: &[String], args: &Args<'_>) -> Parsed {
    let mut words = args.positionals(CODEX_VALUES);
    let (mode, is_command) = match words.first().copied() {
        Some("exec" | "e" | "review") => (Mode::Autonomous, true),
        Some("mcp-server" | "app-server") => (Mode::Server, true),
        Some("resume" | "fork" | "cloud") => (Mode::Interactive, true),
        Some(
            "login" | "logout" | "mcp" | "completion" | "sandbox" | "debug" | "apply" | "a" | "features"
            | "help",
        ) => (Mode::Unknown, true),
        _ => (Mode::Interactive, false),
    };
    if is_command {
        words.remove(0);
    }
    let prompt = (!words.is_empty()).then(|| cut(&words[..words.len().min(6)].join(" ")));
    Parsed {
        model: args.value(&["--model", "-m"]),
        mode,
        summary: prompt.clone().unwrap_or_else(|| first(argv, 5)),
        prompt,
        ..Parsed::default()
    }
}

const GPTME_VALUES: &[&str] = &[
    "--model",
    "-m",
    "--name",
    "-w",
    "--workspace",
    "--system",
    "--tools",
    "-t",
    "--tool-format",
    "--agent-path",
];

fn gptme(argv: &[String], args: &Args<'_>, cwd: &Path) -> Parsed {
    let words = args.positionals(GPTME_VALUES);
    let program = argv.first().map_or("", |program| basename(program));
    // `serve` is a command only in its place; as a word of a prompt it says nothing.
    let server = program == "gptme-server" || words.first().is_some_and(|word| *word == "serve");
    let mode = if server {
        Mode::Server
    } else if args.has(&["--non-interactive", "-n"]) {
        Mode::Autonomous
    } else {
        Mode::Interactive
    };
    let file = words.iter().find(|word| word.ends_with(".txt"));
    let from_file = file.filter(|_| mode == Mode::Autonomous).and_then(|file| first_line(&cwd.join(file)));
    let summary =
        if server { "gptme-server".to_owned() } else { from_file.unwrap_or_else(|| first(argv, 6)) };
    Parsed {
        model: args.value(&["--model", "-m"]),
        mode,
        summary,
        name: args.value(&["--name"]),
        ..Parsed::default()
    }
}

/// The beginning of a file's first line. It is somebody else's file: it may be a pipe, or of any size.
fn first_line(path: &Path) -> Option<String> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut start = Vec::new();
    File::open(path).ok()?.take(4 * SUMMARY as u64).read_to_end(&mut start).ok()?;
    String::from_utf8_lossy(&start).lines().next().map(cut)
}

fn first(argv: &[String], count: usize) -> String {
    cut(&argv[..argv.len().min(count)].join(" "))
}

fn cut(text: &str) -> String {
    text.chars().take(SUMMARY).collect()
}

/// The arguments behind a program.
struct Args<'a>(&'a [String]);

impl<'a> Args<'a> {
    fn value(&self, flags: &[&str]) -> Option<String> {
        self.0.iter().enumerate().find_map(|(index, arg)| {
            if flags.contains(&arg.as_str()) {
                return self.0.get(index + 1).cloned();
            }
            let (flag, value) = arg.split_once('=')?;
            flags.contains(&flag).then(|| value.to_owned())
        })
    }

    fn has(&self, flags: &[&str]) -> bool {
        self.0.iter().any(|arg| flags.contains(&arg.as_str()))
    }

    /// The command of a program that takes one first.
    fn command(&self) -> Option<&'a str> {
        self.0.first().map(String::as_str).filter(|word| !word.starts_with('-'))
    }

    fn positionals(&self, with_value: &[&str]) -> Vec<&'a str> {
        let mut words = Vec::new();
        let mut args = self.0.iter();
        while let Some(arg) = args.next() {
            if arg == "--" {
                words.extend(args.map(String::as_str));
                break;
            }
            if with_value.contains(&arg.as_str()) {
                args.next();
            } else if !arg.starts_with('-') {
                words.push(arg);
            }
        }
        words
    }
}
