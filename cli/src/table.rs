//! Tables that fit the screen.
//!
//! Columns give way as they may: some wrap, some lose the middle of what is in them, some are left out on a terminal.
//! Where that is not enough, each row becomes a block. In a pipe and with `--wide` everything is in its line.

use anstyle::Style;

use crate::output::{self, DIM, paint};
use crate::screen::{columns, shorten, width, wrap};

/// What a column does where there is no room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It stays as it is.
    Whole,
    /// The middle of its texts gives way, down to so many columns.
    Middle(usize),
    /// Its texts wrap, down to so many columns.
    Wrap(usize),
    /// It is left out on a terminal.
    Wide,
}

/// One cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    style: Option<Style>,
}

impl Cell {
    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style: Some(style) }
    }

    fn painted(&self, text: &str) -> String {
        self.style.map_or_else(|| text.to_owned(), |style| paint(style, text))
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), style: None }
    }
}

/// Writes rows under a heading.
pub(crate) fn print(heading: &[(&str, Fit)], rows: &[Vec<Cell>]) {
    for line in lay_out(heading, rows, columns()) {
        output::line(line);
    }
}

/// The same for columns of which nothing is known: all but the last may lose their middle.
pub(crate) fn plain(heading: &[&str], rows: &[Vec<String>]) {
    let last = heading.len().saturating_sub(1);
    let fit = |at| if at == last { Fit::Wrap(16) } else { Fit::Middle(12) };
    let heading: Vec<_> = heading.iter().enumerate().map(|(at, name)| (*name, fit(at))).collect();
    let rows: Vec<Vec<Cell>> =
        rows.iter().map(|row| row.iter().map(|text| Cell::from(text.as_str())).collect()).collect();
    print(&heading, &rows);
}

pub(crate) fn lay_out(heading: &[(&str, Fit)], rows: &[Vec<Cell>], columns: Option<usize>) -> Vec<String> {
    let shown: Vec<usize> =
        (0..heading.len()).filter(|at| columns.is_none() || heading[*at].1 != Fit::Wide).collect();
    let natural = |at: &usize| {
        let cells = rows.iter().filter_map(|row| row.get(*at)).map(|cell| width(&cell.text));
        cells.max().unwrap_or(0).max(width(heading[*at].0))
    };
    let mut widths: Vec<usize> = shown.iter().map(natural).collect();
    if let Some(columns) = columns {
        let room = columns.saturating_sub(2 * shown.len().saturating_sub(1));
        for wraps in [true, false] {
            for (at, width) in shown.iter().zip(0..widths.len()) {
                let least = match heading[*at].1 {
                    Fit::Wrap(least) if wraps => least,
                    Fit::Middle(least) if !wraps => least,
                    _ => continue,
                };
                let over = widths.iter().sum::<usize>().saturating_sub(room);
                widths[width] -= over.min(widths[width].saturating_sub(least));
            }
        }
        if widths.iter().sum::<usize>() > room {
            return rows.iter().flat_map(|row| block(heading, &shown, row, columns)).collect();
        }
    }
    let title: Vec<Cell> = heading.iter().map(|(name, _)| Cell::from(*name)).collect();
    let mut lines: Vec<String> =
        line(heading, &shown, &widths, &title).into_iter().map(|line| paint(DIM, line)).collect();
    lines.extend(rows.iter().flat_map(|row| line(heading, &shown, &widths, row)));
    lines
}

/// A row as a line, or several where a text wraps.
fn line(heading: &[(&str, Fit)], shown: &[usize], widths: &[usize], row: &[Cell]) -> Vec<String> {
    let none = Cell::default();
    let cell = |at: usize| row.get(at).unwrap_or(&none);
    let texts: Vec<Vec<String>> = shown
        .iter()
        .zip(widths)
        .map(|(at, columns)| match heading[*at].1 {
            Fit::Wrap(_) => wrap(&cell(*at).text, *columns),
            _ => vec![shorten(&cell(*at).text, *columns)],
        })
        .collect();
    let height = texts.iter().map(Vec::len).max().unwrap_or(0);
    let lines = (0..height).map(|number| {
        let mut line = String::new();
        let mut pad = 0;
        for ((at, texts), columns) in shown.iter().zip(&texts).zip(widths) {
            let text = texts.get(number).map_or("", String::as_str);
            if !text.is_empty() {
                line.push_str(&" ".repeat(pad));
                line.push_str(&cell(*at).painted(text));
                pad = 0;
            }
            pad += columns - width(text).min(*columns) + 2;
        }
        line
    });
    lines.collect()
}

/// A row as a block: its first texts as far as they fit into a line, and below it what each of the others is.
fn block(heading: &[(&str, Fit)], shown: &[usize], row: &[Cell], columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut used, mut first) = (0, true);
    for at in shown {
        let Some(cell) = row.get(*at).filter(|cell| !cell.text.is_empty()) else { continue };
        let gap = if used == 0 { 0 } else { 2 };
        if first && used + gap + width(&cell.text) <= columns {
            lines[0].push_str(&" ".repeat(gap));
            lines[0].push_str(&cell.painted(&cell.text));
            used += gap + width(&cell.text);
            continue;
        }
        let name = heading[*at].0;
        let name = if name.is_empty() { String::new() } else { format!("{}: ", name.to_lowercase()) };
        let indent = if used == 0 { 0 } else { 4 };
        for text in wrap(&format!("{name}{}", cell.text), columns.saturating_sub(indent).max(1)) {
            lines.push(format!("{:indent$}{}", "", cell.painted(&text)));
        }
        first = false;
    }
    if lines[0].is_empty() {
        lines.remove(0);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: [(&str, Fit); 4] =
        [("", Fit::Whole), ("HOOK", Fit::Middle(12)), ("WHERE", Fit::Wide), ("WHY", Fit::Wrap(10))];

    fn rows() -> Vec<Vec<Cell>> {
        let row = |cells: [&str; 4]| cells.map(Cell::from).to_vec();
        vec![
            row(["on", "time_awareness.time_message", "src/time.rs:3", "default"]),
            row(["off", "a.b", "src/a.rs:1", "off unless an allowlist names it"]),
        ]
    }

    fn plain(columns: Option<usize>) -> Vec<String> {
        let lines = lay_out(&HEADING, &rows(), columns);
        lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
    }

    #[test]
    fn a_pipe_gets_everything_in_a_line_each() {
        assert_eq!(
            plain(None),
            [
                "     HOOK                         WHERE          WHY",
                "on   time_awareness.time_message  src/time.rs:3  default",
                "off  a.b                          src/a.rs:1     off unless an allowlist names it",
            ]
        );
    }

    #[test]
    fn a_screen_wraps_then_shortens_then_makes_blocks() {
        assert_eq!(
            plain(Some(60)),
            [
                "     HOOK                         WHY",
                "on   time_awareness.time_message  default",
                "off  a.b                          off unless an allowlist",
                "                                  names it",
            ]
        );
        assert_eq!(
            plain(Some(36)),
            [
                "     HOOK                 WHY",
                "on   time_awar…e_message  default",
                "off  a.b                  off unless",
                "                          an",
                "                          allowlist",
                "                          names it",
            ]
        );
        assert_eq!(
            plain(Some(20)),
            [
                "on",
                "    hook:",
                "    time_awa…message",
                "    why: default",
                "off  a.b",
                "    why: off unless",
                "    an allowlist",
                "    names it"
            ]
        );
        for columns in 20..100 {
            for line in plain(Some(columns)) {
                assert!(width(&line) <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn nothing_is_a_heading() {
        assert_eq!(lay_out(&[("A", Fit::Whole)], &[], Some(80)).len(), 1);
    }
}
