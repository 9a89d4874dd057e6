//! The terminal as the session's hooks see it: lent by the host as an extension of the session.

use std::fmt;
use std::io::{self, BufRead, IsTerminal, Write};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anstyle::{AnsiColor, Style};

use super::Language;

/// A person who cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The input is at its end.
    #[error("the input is at its end")]
    End,
    /// No editor.
    #[error("no editor: set VISUAL or EDITOR")]
    NoEditor,
    /// The editor did not end well.
    #[error("the editor `{0}` did not end well")]
    Editor(String),
    /// No program that copies.
    #[error("none of wl-copy, xclip, xsel and pbcopy took it")]
    NoClipboard,
    /// The system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A way to talk to a person.
pub trait Ask: Send {
    /// Writes text.
    ///
    /// # Errors
    /// If nobody can read it.
    fn write(&mut self, text: &str) -> Result<(), AskError>;
    /// Asks and waits for a line.
    ///
    /// # Errors
    /// If there is no line.
    fn line(&mut self, prompt: &str) -> Result<String, AskError>;
    /// Lets the person edit a text.
    ///
    /// # Errors
    /// If that cannot be done.
    fn edit(&mut self, text: &str, suffix: &str) -> Result<String, AskError>;
    /// Copies a text for the person.
    ///
    /// # Errors
    /// If that cannot be done.
    fn copy(&mut self, text: &str) -> Result<(), AskError>;
    /// Whether colours are shown.
    fn colours(&self) -> bool {
        false
    }
}

/// The terminal of a session.
pub struct Terminal(Mutex<Box<dyn Ask>>);

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Terminal")
    }
}

impl Terminal {
    /// The process's own terminal: asks on standard input, writes to standard error.
    #[must_use]
    pub fn real() -> Self {
        Self::new(Real)
    }

    /// Any other way to talk to a person; a test's, for one.
    pub fn new(ask: impl Ask + 'static) -> Self {
        Self(Mutex::new(Box::new(ask)))
    }

    fn with<T>(&self, work: impl FnOnce(&mut dyn Ask) -> T) -> T {
        work(&mut **self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Shows what is to be confirmed.
    pub fn show(&self, text: &str, language: Language) {
        let text = self.with(|ask| if ask.colours() { coloured(text, language) } else { text.to_owned() });
        self.say(&text);
    }

    /// Says something, on a line of its own.
    pub fn say(&self, text: &str) {
        if let Err(error) = self.with(|ask| ask.write(&format!("{}\n", text.trim_end_matches('\n')))) {
            tracing::warn!(%error, "the terminal cannot be written to");
        }
    }

    /// Asks for a line.
    ///
    /// # Errors
    /// If there is none.
    pub fn ask(&self, prompt: &str) -> Result<String, AskError> {
        self.with(|ask| ask.line(prompt))
    }

    /// Lets the person edit a text.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn edit(&self, text: &str, suffix: String) -> Result<String, AskError> {
        self.with(|ask| ask.edit(text, &suffix))
    }

    /// Copies a text for the person.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn copy(&self, text: &str) -> Result<(), AskError> {
        self.with(|ask| ask.copy(text))
    }
}

fn coloured(text: &str, language: Language) -> String {
    let style = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    let line_style = |line: &str| match language {
        Language::Diff if line.starts_with("@@") => Some(style(AnsiColor::Cyan)),
        Language::Diff if line.starts_with('+') => Some(style(AnsiColor::Green)),
        Language::Diff if line.starts_with('-') => Some(style(AnsiColor::Red)),
        Language::Shell => Some(Style::new().bold()),
        _ => None,
    };
    let lines = text.lines().map(|line| match line_style(line) {
        Some(style) => format!("{style}{line}{style:#}\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

struct Real;

impl Ask for Real {
    fn write(&mut self, text: &str) -> Result<(), AskError> {
        Ok(io::stderr().lock().write_all(text.as_bytes())?)
    }

    fn line(&mut self, prompt: &str) -> Result<String, AskError> {
        let mut err = io::stderr().lock();
        // A bell, for who has looked away.
        write!(err, "\x07{prompt}")?;
        err.flush()?;
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            return Err(AskError::End);
        }
        Ok(line)
    }

    fn edit(&mut self, text: &str, suffix: &str) -> Result<String, AskError> {
        let set = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let command = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "nano".to_owned());
        let mut words =
            shell_words::split(&command).map_err(|_| AskError::Editor(command.clone()))?.into_iter();
        let program = words.next().ok_or(AskError::NoEditor)?;
        let mut file = tempfile::Builder::new().prefix("hookspec-").suffix(suffix).tempfile()?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        let status = Command::new(&program).args(words).arg(file.path()).status();
        match status {
            Ok(status) if status.success() => Ok(std::fs::read_to_string(file.path())?),
            Ok(_) => Err(AskError::Editor(command)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(AskError::NoEditor),
            Err(error) => Err(error.into()),
        }
    }

    fn copy(&mut self, text: &str) -> Result<(), AskError> {
        let programs: [(&str, &[&str]); 4] = [
            ("wl-copy", &[]),
            ("xclip", &["-selection", "clipboard"]),
            ("xsel", &["--clipboard", "--input"]),
            ("pbcopy", &[]),
        ];
        for (program, args) in programs {
            let child = Command::new(program).args(args).stdin(std::process::Stdio::piped()).spawn();
            let Ok(mut child) = child else { continue };
            let written = child.stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes()));
            if matches!(written, Some(Ok(()))) && child.wait().is_ok_and(|status| status.success()) {
                return Ok(());
            }
        }
        Err(AskError::NoClipboard)
    }

    fn colours(&self) -> bool {
        io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
    }
}
