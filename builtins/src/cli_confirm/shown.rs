//! What is shown of a call: which tool and which file, how much it is, and no more of it than fits a screen.

use std::path::Path;

use hookspec::tool::ToolEntry;
use hookspec::{Session, ToolUse};
use hookspec_process::{visible, visible_line};
use serde_json::Value;

use super::{Language, Terminal};
use crate::call_paths::call_paths;

/// So many rows of a terminal of 80 columns are shown whole; of more, the beginning and the end.
const ROWS: usize = 24;
const COLUMNS: usize = 80;
const FIRST_ROWS: usize = 12;
const LAST_ROWS: usize = 6;

/// A call as it is shown.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The tool, the file and the size, where the text does not say it.
    pub(super) head: Option<String>,
    /// All of it.
    pub(super) text: String,
    /// How it begins, what is left out, and how it ends, where it is long.
    pub(super) short: Option<(String, String, String)>,
    /// Whether there is a character in it that one would not see.
    pub(super) hides: bool,
}

impl Shown {
    /// `text` is the call's preview, or its content.
    pub(super) fn new(call: &ToolUse, tool: Option<&ToolEntry>, text: &str, session: &Session) -> Self {
        // Both lines name the file, which the head does.
        let mut body = text;
        if let Some(rest) = body.strip_prefix("--- ").and_then(|rest| rest.split_once("\n+++ "))
            && let Some((_, hunks)) = rest.1.split_once('\n')
            && hunks.starts_with("@@ ")
        {
            body = hunks;
        }
        let arguments = arguments(call, tool);
        let mut all = arguments.join("\n");
        if !all.is_empty() && !body.is_empty() {
            all.push('\n');
        }
        all.push_str(body);
        let short = shorten(&all);
        let place = place(call, session);
        let mut head = place.map(|place| format!("{} {place}", call.tool));
        let lines = all.lines().count();
        if short.is_some() || lines > 1 {
            let head = head.get_or_insert_with(|| call.tool.clone());
            head.push_str(&format!(" · {}, {}", counted(lines, "line"), size(all.len())));
        }
        let told = head.as_deref().unwrap_or(&call.tool);
        let hides = visible_line(told) != told || visible(&all) != all;
        Self { head, text: all, short, hides }
    }

    /// Shows all of it. What has more than a line is indented, so that no line of it looks like the question.
    pub(super) fn all(&self, terminal: &Terminal, language: Language) {
        if self.text.lines().nth(1).is_some() {
            terminal.show_indented(&self.text, language);
        } else {
            terminal.show(&self.text, language);
        }
    }
}

/// Arguments that neither the head nor the text shows, each on a line.
fn arguments(call: &ToolUse, tool: Option<&ToolEntry>) -> Vec<String> {
    let content = tool.and_then(|tool| tool.names.content);
    let is_told = |name: &str, value: &Value| name == "path" && value.is_string() || Some(name) == content;
    call.kwargs
        .iter()
        .filter(|(name, value)| !is_told(name, value))
        .map(|(name, value)| match value {
            Value::String(text) if text.contains('\n') => format!("{name}:\n{text}"),
            Value::String(text) => format!("{name}: {text}"),
            value => format!("{name}: {value}"),
        })
        .collect()
}

/// The file, as the model wrote it, and where that leads if it leads out of the workspace.
fn place(call: &ToolUse, session: &Session) -> Option<String> {
    // Not what `text` gives: of a tool that is not linked here, a block would pass for a path.
    let named = call.kwargs.get("path").and_then(Value::as_str);
    let written = named.map_or_else(|| call.args.join(" "), str::to_owned);
    if written.is_empty() {
        return None;
    }
    let workspace = session.workspace().is_some();
    let paths =
        if workspace { call_paths(call, session, std::env::home_dir().as_deref()) } else { Vec::new() };
    let outside = paths.iter().find(|path| !inside(path, session));
    Some(match outside {
        Some(path) if *path == Path::new(&written) => format!("{written} (outside the workspace)"),
        Some(path) => format!("{written} (outside the workspace: {})", path.display()),
        None => written,
    })
}

/// Whether a path, with its links followed, lies in the workspace.
pub(super) fn inside(path: &Path, session: &Session) -> bool {
    session.workspace().is_some_and(|workspace| {
        path.starts_with(workspace)
            || workspace.canonicalize().is_ok_and(|workspace| path.starts_with(workspace))
    })
}

/// The beginning, what is left out, and the end of a text that is too long.
fn shorten(text: &str) -> Option<(String, String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    if lines.iter().map(|line| rows(line)).sum::<usize>() <= ROWS {
        return None;
    }
    let start = taken(lines.iter().copied(), FIRST_ROWS);
    let end = taken(lines[start..].iter().rev().copied(), LAST_ROWS);
    let middle = lines.len() - start - end;
    let joined = |lines: &[&str]| lines.join("\n");
    if start > 0 && end > 0 && middle > 0 {
        let note = format!("… {} left out; v shows them …", counted(middle, "line"));
        return Some((joined(&lines[..start]), note, joined(&lines[lines.len() - end..])));
    }
    // Some line is longer than all that is shown.
    let chars: Vec<char> = text.chars().collect();
    let (first, last) = (FIRST_ROWS * COLUMNS / 2, LAST_ROWS * COLUMNS / 2);
    let middle = chars.len().saturating_sub(first + last);
    if middle == 0 {
        return None;
    }
    let note = format!("… {} left out; v shows them …", counted(middle, "character"));
    let (start, end) = (&chars[..first], &chars[chars.len() - last..]);
    Some((start.iter().collect(), note, end.iter().collect()))
}

/// How many lines fit into so many rows.
fn taken<'a>(lines: impl Iterator<Item = &'a str>, rows_at_most: usize) -> usize {
    let mut left = rows_at_most;
    lines
        .take_while(|line| match left.checked_sub(rows(line)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
        .count()
}

fn rows(line: &str) -> usize {
    line.chars().count().div_ceil(COLUMNS).max(1)
}

/// `3 052 lines`, `1 line`.
fn counted(number: usize, one: &str) -> String {
    format!("{} {one}{}", grouped(number), if number == 1 { "" } else { "s" })
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => counted(bytes, "byte"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", grouped(bytes.div_ceil(1_000_000))),
    }
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_shown_from_both_ends_and_every_line_is_counted() {
        let text: String = (1..=3_052).map(|line| format!("line {line}\n")).collect();
        let (start, note, end) = shorten(&text).unwrap();
        assert!(start.starts_with("line 1\n") && start.ends_with("line 12"), "{start}");
        assert_eq!(note, "… 3 034 lines left out; v shows them …");
        assert!(end.starts_with("line 3047\n") && end.ends_with("line 3052"), "{end}");
        assert!(shorten(&"x\n".repeat(24)).is_none());
        assert!(shorten(&"x\n".repeat(25)).is_some());
        assert!(shorten("").is_none());
    }

    #[test]
    fn a_long_line_is_shown_from_both_ends() {
        let (start, note, end) = shorten(&format!("{}end", "ä".repeat(100_000))).unwrap();
        assert_eq!(note, "… 99 283 characters left out; v shows them …");
        assert_eq!((start.chars().count(), end.chars().count()), (480, 240));
        assert!(end.ends_with("end"));
        // One long line between short ones is left out as a line.
        let text = format!("{}{}\n{}", "a\n".repeat(9), "b".repeat(5_000), "c\n".repeat(9));
        let (start, note, end) = shorten(&text).unwrap();
        assert!(!start.contains('b') && !end.contains('b'), "{start} {note} {end}");
        assert_eq!(note, "… 4 lines left out; v shows them …");
    }

    #[test]
    fn sizes_are_told_for_people() {
        assert_eq!(["1 byte", "999 bytes", "94 KB", "2 MB"], [1, 999, 93_500, 1_500_000].map(size));
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1 000", "1 234 567"]);
    }
}
