//! Documentation on a terminal: paragraphs that fit, headings, lists, code and tables without their marks.

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use crate::output::{ACCENT, BOLD, paint};
use crate::screen::{columns, wrap};
use crate::table::{Cell, Fit, lay_out};

/// The text as it is shown behind so many columns: whole and as it was written in a pipe, where something else may
/// read it.
pub(crate) fn shown(text: &str, indent: usize) -> String {
    let text = match columns() {
        Some(columns) => rendered(text, columns.saturating_sub(indent)),
        None => text.to_owned(),
    };
    text.trim_end().replace('\n', &format!("\n{:indent$}", ""))
}

/// What is being put together.
struct Page {
    columns: usize,
    out: String,
    /// The words of the paragraph, heading or cell so far.
    words: String,
    /// For each list that is open: the number of its next item, where it has numbers.
    lists: Vec<Option<u64>>,
    /// The mark of an item whose text has not begun.
    mark: Option<String>,
    code: bool,
    rows: Vec<Vec<Cell>>,
    heading: Vec<String>,
}

fn rendered(text: &str, columns: usize) -> String {
    // A name in brackets is a link of rustdoc's: its text says it.
    let known = |_: BrokenLink<'_>| Some((CowStr::Borrowed(""), CowStr::Borrowed("")));
    let parser = Parser::new_with_broken_link_callback(text, Options::ENABLE_TABLES, Some(known));
    let mut page = Page {
        columns,
        out: String::new(),
        words: String::new(),
        lists: Vec::new(),
        mark: None,
        code: false,
        rows: Vec::new(),
        heading: Vec::new(),
    };
    for event in parser {
        page.add(event);
    }
    page.out
}

impl Page {
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) if self.code => {
                for line in text.lines() {
                    let indent = " ".repeat(self.indent() + 4);
                    self.out.push_str(&format!("{indent}{}\n", paint(ACCENT, line)));
                }
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.words.push_str(&text),
            Event::Code(text) => self.words.push_str(&format!("`{text}`")),
            Event::SoftBreak => self.words.push(' '),
            Event::HardBreak => self.words.push('\n'),
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => self.code = true,
            Tag::List(first) => {
                self.paragraph();
                self.lists.push(*first);
            }
            Tag::Item => {
                self.mark = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => {
                self.paragraph();
                if self.lists.is_empty() {
                    self.out.push('\n');
                }
            }
            TagEnd::Heading(_) => {
                let text = std::mem::take(&mut self.words);
                self.out.push_str(&format!("{}\n\n", paint(BOLD, text)));
            }
            TagEnd::Item => self.paragraph(),
            TagEnd::List(_) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.out.push('\n');
                }
            }
            TagEnd::CodeBlock => {
                self.code = false;
                self.out.push('\n');
            }
            TagEnd::TableCell => {
                let text = std::mem::take(&mut self.words);
                match self.rows.last_mut() {
                    Some(row) => row.push(text.into()),
                    None => self.heading.push(text),
                }
            }
            // The first row is the heading; each end opens the next.
            TagEnd::TableHead | TagEnd::TableRow => self.rows.push(Vec::new()),
            TagEnd::Table => self.table(),
            _ => {}
        }
    }

    fn table(&mut self) {
        let heading = std::mem::take(&mut self.heading);
        let heading: Vec<_> = heading.iter().map(|name| (name.as_str(), Fit::Wrap(12))).collect();
        let mut rows = std::mem::take(&mut self.rows);
        rows.retain(|row| !row.is_empty());
        for line in lay_out(&heading, &rows, Some(self.columns)) {
            self.out.push_str(&format!("{line}\n"));
        }
        self.out.push('\n');
    }

    fn indent(&self) -> usize {
        2 * self.lists.len()
    }

    /// Writes the words, behind the mark of their item if they are its first.
    fn paragraph(&mut self) {
        let words = std::mem::take(&mut self.words);
        if words.trim().is_empty() {
            return;
        }
        let indent = self.indent();
        let mark = self.mark.take().unwrap_or_default();
        for (at, line) in wrap(&words, self.columns.saturating_sub(indent + 1).max(12)).iter().enumerate() {
            // The mark hangs before the text.
            let width = mark.chars().count();
            let before =
                if at == 0 { " ".repeat(indent.saturating_sub(width)) + &mark } else { " ".repeat(indent) };
            self.out.push_str(&format!("{before}{line}\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_what_they_mean() {
        let text = "# Title\n\n`x`: **says** what\nis [`here`] and [there](a.md).\n\n- one that is long enough to wrap\n  - two\n- three\n\n1. a\n2. b\n\n```toml\n[hooks]\n```\n\n| answer | result |\n|---|---|\n| `y` | run it |\n";
        let shown = anstream::adapter::strip_str(&rendered(text, 24)).to_string();
        assert_eq!(
            shown.trim_end(),
            "Title\n\n`x`: says what is\n`here` and there.\n\n• one that is long\n  enough to wrap\n  • two\n• three\n\n1. a\n2. b\n\n    [hooks]\n\nanswer  result\n`y`     run it"
        );
    }

    #[test]
    fn the_pages_of_the_built_ins_fit() {
        let plugins = hookspec::plugins![hookspec_builtins];
        for essay in plugins.into_iter().flat_map(|plugin| plugin.essays.iter()) {
            for line in rendered(essay.1, 80).lines().filter(|line| !line.starts_with("    ")) {
                let line = anstream::adapter::strip_str(line).to_string();
                assert!(crate::screen::width(&line) <= 80, "{line}");
            }
        }
    }
}
