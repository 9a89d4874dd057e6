//! One command hook: a program that reads an event and answers.
//!
//! The deadline covers all of it: start, write, read and wait. When it is over, or the program has ended, its
//! whole process group is ended too. The program reads from a pipe and never from the terminal; it gets our
//! environment without the variables whose names speak of secrets, unless it was promised one by name.
//!
//! What it writes is bounded: up to [`MOST`] bytes of each output are kept. Texts that go on to the model are
//! bounded again, and the whole of a longer one is kept in a file: [`Overflow`].
//!
//! A process that made itself a session of its own (a daemon) does not make us wait by holding the output. It
//! outlives a hook that ends in time, since that may be what the hook is for; after a deadline it is looked for and ended.

mod overflow;
mod stray;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec::hooks::Cause;
use hookspec_process::{Ended, Environment, Kept, ProcessError, Program};

pub use overflow::{Overflow, PREVIEW, WHOLE};

/// Bytes of each output that are kept.
pub const MOST: usize = 8 * 1024 * 1024;

/// What comes before its last words.
const LAST: &str = "; its last words: ";

/// How much of its last words an error repeats.
const LAST_WORDS: usize = 2048;

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line for the system's shell.
    Shell(String),
    /// A program and its arguments, without a shell.
    Words(Vec<String>),
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell(line) => f.write_str(line),
            Self::Words(words) => f.write_str(&words.join(" ")),
        }
    }
}

/// A command hook's process, ready to be run any number of times.
#[derive(Clone, Debug)]
pub struct Command {
    /// What is run.
    pub line: Line,
    /// How long one run may take, start and end included.
    pub timeout: Duration,
    /// Variables of ours that it gets although their names speak of secrets.
    pub pass: Vec<String>,
}

/// What a program that ran to its end left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// How it ended, in words.
    pub words: String,
    /// What it wrote.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
    /// Whether it wrote more than [`MOST`] to its standard output, so that the middle is missing.
    pub cut: bool,
}

impl Reply {
    /// The last words of what it complained of, or else of what it wrote.
    #[must_use]
    pub fn last_words(&self) -> &str {
        let all = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        tail(all.trim())
    }
}

/// A command hook that gave no reply.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// There is no directory to run it in.
    #[error("the directory {0} does not exist, so that `{1}` could not be started there")]
    NoDirectory(PathBuf, Line),
    /// It did not run, or not to its end.
    #[error("{source}{words}")]
    Process {
        /// What happened.
        source: ProcessError,
        /// `: ` and its last words, where it had any.
        words: String,
    },
}

impl CommandError {
    /// Whether its time was up.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Process { source: ProcessError::Deadline { .. }, .. })
    }
}

impl CommandError {
    /// Why a hook that ran it has failed: one whose time was up overran, with its last words.
    #[must_use]
    pub fn into_cause(self) -> Cause {
        match self {
            Self::Process { source: ProcessError::Deadline { after, .. }, words } => {
                let words = words.strip_prefix(LAST).map_or(words.clone(), str::to_owned);
                Cause::Timeout { limit: after, words }
            }
            other => Cause::Error(other.to_string()),
        }
    }
}

impl Command {
    /// A line for the shell, with that time limit.
    #[must_use]
    pub fn shell(line: impl Into<String>, timeout: Duration) -> Self {
        Self { line: Line::Shell(line.into()), timeout, pass: Vec::new() }
    }

    /// Runs it in `cwd` with these variables set, and gives it `input` to read.
    ///
    /// # Errors
    /// If it cannot be started, or is not done in time. A failing exit code is a reply.
    pub fn run(&self, cwd: &Path, variables: &[(&str, String)], input: &[u8]) -> Result<Reply, CommandError> {
        if !cwd.is_dir() {
            return Err(CommandError::NoDirectory(cwd.to_owned(), self.line.clone()));
        }
        let mut program = match &self.line {
            Line::Shell(line) => Program::new("/bin/sh").arg("-c").arg(line),
            Line::Words(words) => {
                let mut words = words.iter();
                Program::new(words.next().map_or("", String::as_str)).args(words)
            }
        };
        for name in &self.pass {
            if let Some(value) = std::env::var_os(name) {
                program = program.env(name, value);
            }
        }
        for (name, value) in variables {
            program = program.env(name, value);
        }
        let mark = stray::mark();
        let ran = program
            .env(stray::VARIABLE, &mark)
            .cwd(cwd)
            .env("PWD", cwd)
            .environment(Environment::WithoutSecrets)
            .input(input)
            .deadline(self.timeout)
            .keep(MOST)
            .run();
        if matches!(ran, Err(ProcessError::Deadline { .. })) {
            stray::end(&mark);
        }
        ran.map(reply).map_err(|source| CommandError::Process { words: words_of(&source), source })
    }
}

fn reply(ended: Ended) -> Reply {
    let words = ended.words();
    Reply {
        code: ended.status.code(),
        words,
        stdout: ended.stdout.text(),
        stderr: ended.stderr.text(),
        cut: ended.stdout.dropped() > 0,
    }
}

fn words_of(error: &ProcessError) -> String {
    let ProcessError::Deadline { stdout, stderr, .. } = error else { return String::new() };
    let kept: &Kept = if stderr.is_empty() { stdout } else { stderr };
    let text = kept.text();
    let text = text.trim();
    if text.is_empty() { String::new() } else { format!("{LAST}{}", tail(text)) }
}

/// The end of a text, since that is where a program says why it failed.
fn tail(text: &str) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(LAST_WORDS));
    &text[start..]
}
