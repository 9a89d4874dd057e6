//! The terminal as the session's hooks see it: lent by the host as an extension of the session.

use std::fmt;
use std::io;
use std::sync::{Mutex, PoisonError};

use anstyle::{AnsiColor, Style};
use hookspec::Session;
use hookspec_process::{visible, visible_line};

use super::Language;
use super::real::Real;

/// A person who cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The input is at its end.
    #[error("the input is at its end")]
    End,
    /// The person broke the question off.
    #[error("the question was broken off")]
    BrokenOff,
    /// Nothing here can read a line without showing it.
    #[error("this terminal cannot read a line without showing it")]
    Shown,
    /// No editor.
    #[error("no editor: set VISUAL or EDITOR")]
    NoEditor,
    /// What is set as the editor is not there.
    #[error("the editor `{program}`, which {variable} names, is not there; name one that is")]
    EditorMissing {
        /// The program.
        program: String,
        /// The variable of the environment.
        variable: &'static str,
    },
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
    /// Asks as [`line`](Self::line) does, but gives up soon after `stop` says so: Ctrl-C must not leave a
    /// question standing whose answer is Enter.
    ///
    /// # Errors
    /// If there is no line, or it was given up.
    fn line_unless(&mut self, prompt: &str, _stop: &dyn Fn() -> bool) -> Result<String, AskError> {
        self.line(prompt)
    }
    /// Asks for a line that is not shown while it is typed.
    ///
    /// # Errors
    /// If there is none, or it would be shown.
    fn secret(&mut self, _prompt: &str) -> Result<String, AskError> {
        Err(AskError::Shown)
    }
    /// Offers a menu that begins at the option of index `start`. `None` where there are no menus; a list and
    /// a line then do.
    ///
    /// # Errors
    /// If the person breaks it off.
    fn menu(&mut self, _prompt: &str, _options: &[String], _start: usize) -> Result<Option<usize>, AskError> {
        Ok(None)
    }
    /// Offers a menu of which any number may be chosen; `None` as in [`menu`](Self::menu).
    ///
    /// # Errors
    /// If the person breaks it off.
    fn menu_of_many(
        &mut self,
        _prompt: &str,
        _options: &[String],
        _chosen: &[usize],
    ) -> Result<Option<Vec<usize>>, AskError> {
        Ok(None)
    }
    /// Drops what was typed before now: it cannot have been meant as the answer to a question that was not
    /// shown yet.
    fn forget_typed_ahead(&mut self) {}
    /// Calls a person who has looked away.
    fn bell(&mut self) {}
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
        let text = visible(text);
        self.write(&if self.with(|ask| ask.colours()) { coloured(&text, language) } else { text });
    }

    /// Shows the same indented: text of several lines, of which none may look like what is said here.
    pub(super) fn show_indented(&self, text: &str, language: Language) {
        let text = visible(text);
        let text = if self.with(|ask| ask.colours()) { coloured(&text, language) } else { text };
        let lines: Vec<String> = text.lines().map(|line| format!("  {line}").trim_end().to_owned()).collect();
        self.write(&lines.join("\n"));
    }

    /// Shows what the next text is: one line, that stands out where colours are shown.
    pub fn head(&self, text: &str) {
        let bold = Style::new().bold();
        let text = visible_line(text);
        let coloured = self.with(|ask| ask.colours());
        self.write(&if coloured { format!("{bold}{text}{bold:#}") } else { text });
    }

    /// Says something, on a line of its own.
    pub fn say(&self, text: &str) {
        self.write(&visible(text));
    }

    fn write(&self, text: &str) {
        if let Err(error) = self.with(|ask| ask.write(&format!("{}\n", text.trim_end_matches('\n')))) {
            tracing::warn!(%error, "the terminal cannot be written to");
        }
    }

    /// Asks for a line, as long as the session is not interrupted.
    ///
    /// # Errors
    /// If there is none.
    pub fn ask(&self, prompt: &str, session: &Session) -> Result<String, AskError> {
        let stop = || session.interrupted().is_some();
        let line = self.with(|ask| ask.line_unless(&visible(prompt), &stop))?;
        if stop() { Err(AskError::BrokenOff) } else { Ok(line) }
    }

    /// Asks for a line that is not shown while it is typed.
    ///
    /// # Errors
    /// If there is none, or it would be shown.
    pub fn secret(&self, prompt: &str) -> Result<String, AskError> {
        self.with(|ask| ask.secret(&visible(prompt)))
    }

    /// Offers a menu that begins at the option of index `start`; `None` where there are no menus.
    ///
    /// # Errors
    /// If the person breaks it off.
    pub fn menu(&self, prompt: &str, options: &[String], start: usize) -> Result<Option<usize>, AskError> {
        let options: Vec<String> = options.iter().map(|option| visible(option)).collect();
        self.with(|ask| ask.menu(&visible(prompt), &options, start))
    }

    /// Offers a menu of which any number may be chosen; `None` where there are no menus.
    ///
    /// # Errors
    /// If the person breaks it off.
    pub fn menu_of_many(
        &self,
        prompt: &str,
        options: &[String],
        chosen: &[usize],
    ) -> Result<Option<Vec<usize>>, AskError> {
        let options: Vec<String> = options.iter().map(|option| visible(option)).collect();
        self.with(|ask| ask.menu_of_many(&visible(prompt), &options, chosen))
    }

    /// Drops what was typed before now; for the first of some questions that belong together.
    pub fn forget_typed_ahead(&self) {
        self.with(|ask| ask.forget_typed_ahead());
    }

    /// Calls a person who has looked away.
    pub fn bell(&self) {
        self.with(|ask| ask.bell());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_its_colours() {
        let diff = coloured("@@ -1 +1 @@\n-a\n+b\n c\n", Language::Diff);
        assert_eq!(diff.matches("\u{1b}[0m").count(), 3, "{diff:?}");
        assert_eq!(coloured("a\nb", Language::Text), "a\nb\n");
        assert!(coloured("ls", Language::Shell).starts_with("\u{1b}[1mls"));
    }
}
