//! Printing: colours where there is somebody to see them, and a reader that goes away.

use std::fmt::Display;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::{foreign, screen};

pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const ACCENT: Style = AnsiColor::Cyan.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();

/// `text` in a style; the stream takes the colours out where nobody would see them.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Writes a line; on a terminal that is too narrow for it, it breaks at words. Where it cannot be written (a full disk) the program says so and ends: what it was asked to
/// print is what it is there for.
pub(crate) fn line(text: impl Display) {
    code(screen::fitted(&text.to_string(), screen::columns()));
}

/// Writes something to paste: its lines stay as they are.
pub(crate) fn code(text: impl Display) {
    if let Err(error) = write(&format!("{text}\n")) {
        self::error(&error);
        std::process::exit(2);
    }
}

/// Writes something to type or to look at, and beside it what it is good for.
pub(crate) fn hint(what: &str, width: usize, why: &str) {
    if why.is_empty() {
        line(format!("  {what}"));
    } else {
        let fits = screen::columns().is_none_or(|columns| width.max(what.len()) + 3 + why.len() <= columns);
        match fits {
            true => line(format!("  {what:<width$} {}", paint(DIM, why))),
            false => line(format!("  {what}\n      {}", paint(DIM, screen::behind(why, 6)))),
        }
    }
}

/// So many of something, as in "1 hook" and "2 hooks".
pub(crate) fn count(number: impl Display, one: &str) -> String {
    let number = number.to_string();
    let end = if number == "1" { "" } else { "s" };
    format!("{number} {one}{end}")
}

/// Writes text as it is.
pub(crate) fn raw(text: &str) {
    if let Err(error) = write(text) {
        self::error(&error);
    }
}

/// What was asked for could not be printed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrintError {
    #[error("standard output cannot be written: {0}")]
    Write(io::Error),
    #[error("the data cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// A reader that has gone away (`| head`) ends the program quietly.
fn write(text: &str) -> Result<(), PrintError> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        written => written.map_err(PrintError::Write),
    }
}

/// Writes a line for the person, beside the data; it breaks at words too.
pub(crate) fn note(text: impl Display) {
    // If not even that can be written there is nobody left to tell.
    let text = screen::fitted(&text.to_string(), screen::error_columns());
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Whether the person's stream shows colours.
pub(crate) fn errors_are_coloured() -> bool {
    anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}

/// Writes a warning for the person, beside the data.
pub(crate) fn warning(text: impl Display) {
    note(format!("{} {}", paint(WARN, "warning:"), foreign::text(&text.to_string())));
}

/// Writes an error with its causes, but for those that its own text already tells.
pub(crate) fn error(error: &dyn std::error::Error) {
    let mut told = error.to_string();
    note(format!("{} {}", paint(BAD, "error:"), foreign::text(&told)));
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !told.contains(&text) {
            note(format!("  because {}", foreign::text(&text)));
            told = text;
        }
        cause = inner.source();
    }
}

/// Writes a value as one line of JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<(), PrintError> {
    let text = serde_json::to_string(value)?;
    write(&format!("{text}\n"))
}
