//! How wide the screen is, and text that fits it.
//!
//! Only a terminal has a width. What goes into a pipe or a file is whole, so that a search finds it, and so is all that
//! `--wide` prints.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::OnceLock;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

static COLUMNS: OnceLock<Option<usize>> = OnceLock::new();
/// The same of standard error.
static ERROR_COLUMNS: OnceLock<Option<usize>> = OnceLock::new();

/// Fewer columns than this are no screen.
const LEAST: usize = 20;
/// Where a terminal does not say.
const USUAL: usize = 80;

/// Says for this process whether lines may be as long as they are.
pub(crate) fn start(wide: bool) {
    COLUMNS.get_or_init(|| if wide { None } else { measure(&io::stdout()) });
    ERROR_COLUMNS.get_or_init(|| if wide { None } else { measure(&io::stderr()) });
}

/// The columns that a line has to fit into; `None` where it may be as long as it is.
pub(crate) fn columns() -> Option<usize> {
    *COLUMNS.get_or_init(|| measure(&io::stdout()))
}

/// The same for what is told beside the data.
pub(crate) fn error_columns() -> Option<usize> {
    *ERROR_COLUMNS.get_or_init(|| measure(&io::stderr()))
}

/// `COLUMNS`, where somebody set it, counts over what the terminal says.
fn measure(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
    let measured = || Some(usize::from(terminal_size::terminal_size_of(stream)?.0.0));
    Some(said.or_else(measured).filter(|columns| *columns > 0).unwrap_or(USUAL).max(LEAST))
}

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// A text in so many columns: its middle gives way, since names differ at both ends.
pub(crate) fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let start: String = take(text.chars(), room.div_ceil(2));
    let end = take(text.chars().rev(), room - width(&start).min(room));
    format!("{start}…{}", end.chars().rev().collect::<String>())
}

/// The first characters, as many as fit.
fn take(text: impl Iterator<Item = char>, columns: usize) -> String {
    let mut used = 0;
    text.take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= columns
    })
    .collect()
}

/// A text in lines of so many columns, broken at spaces; a word that is longer than a line gives its middle.
/// Line breaks in it stay.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let indent: String = paragraph.chars().take_while(|c| *c == ' ').collect();
        let mut line = indent.clone();
        for word in paragraph.split_whitespace() {
            let word = shorten(word, columns.saturating_sub(indent.len()).max(1));
            let is_empty = line.trim().is_empty();
            if !is_empty && width(&line) + 1 + width(&word) > columns {
                lines.push(std::mem::replace(&mut line, indent.clone()));
            } else if !is_empty {
                line.push(' ');
            }
            line.push_str(&word);
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// A text whose lines break at words where they are too long for so many columns, and stay as they are elsewhere. It may
/// have colours. A word that is longer than a line stays whole: it may be a path that somebody copies.
pub(crate) fn fitted(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let shown = |text: &str| width(&anstream::adapter::strip_str(text).to_string());
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| {
            if shown(line) <= columns {
                return line.to_owned();
            }
            let indent: String = line.chars().take_while(|c| *c == ' ').collect();
            let (mut broken, mut used) = (indent.clone(), indent.len());
            for word in line[indent.len()..].split_inclusive(' ') {
                if used > indent.len() && used + shown(word.trim_end()) > columns {
                    broken = format!("{}\n{indent}", broken.trim_end());
                    used = indent.len();
                }
                broken.push_str(word);
                used += shown(word);
            }
            broken
        })
        .collect();
    lines.join("\n")
}

/// A text behind something that takes `indent` columns: wrapped to the screen, its further lines indented.
pub(crate) fn behind(text: &str, indent: usize) -> String {
    let lines = match columns() {
        Some(columns) => wrap(text, columns.saturating_sub(indent).max(LEAST)),
        None => text.lines().map(str::to_owned).collect(),
    };
    lines.join(&format!("\n{:indent$}", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_gives_way() {
        for (text, columns, short) in [
            ("time_awareness.time_message", 27, "time_awareness.time_message"),
            ("time_awareness.time_message", 13, "time_a…essage"),
            ("ab", 1, "…"),
            ("", 0, ""),
            ("你好世界你好", 7, "你…你好"),
        ] {
            assert_eq!(shorten(text, columns), short);
            assert!(width(short) <= columns);
        }
    }

    #[test]
    fn what_is_too_long_breaks_at_words_and_the_rest_stays() {
        let fitted = |text, columns| fitted(text, Some(columns));
        assert_eq!(fitted("one  two three", 14), "one  two three");
        assert_eq!(fitted("one  two three", 9), "one  two\nthree");
        assert_eq!(fitted("  a bb ccc\n\nd", 6), "  a bb\n  ccc\n\nd");
        assert_eq!(fitted("see /a/very/long/path now", 8), "see\n/a/very/long/path\nnow");
        let red = "\u{1b}[31m";
        assert_eq!(
            fitted(&format!("{red}one\u{1b}[0m two three"), 7),
            format!("{red}one\u{1b}[0m two\nthree")
        );
        assert_eq!(super::fitted("one two", None), "one two");
    }

    #[test]
    fn lines_break_at_spaces_and_no_line_is_too_long() {
        assert_eq!(wrap("one two three", 9), ["one two", "three"]);
        assert_eq!(wrap("  a bb ccc\n\nd", 6), ["  a bb", "  ccc", "", "d"]);
        assert_eq!(wrap("see /a/very/long/path/to/it now", 11), ["see", "/a/ve…to/it", "now"]);
        assert_eq!(wrap("", 9), Vec::<String>::new());
        for columns in 1..30 {
            for line in wrap("wörter 你好世界 und /ein/langer/weg dazu", columns) {
                assert!(width(&line) <= columns, "{columns}: {line}");
            }
        }
    }
}
