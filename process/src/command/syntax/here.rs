//! Here-documents.

use super::super::reading::Doubt;
use super::cursor::{Cursor, Pending, Read};
use super::word::Until;
use super::{Piece, WordNode};

impl Cursor<'_> {
    /// Reads the text of one, from the begin of a line.
    pub(super) fn here_document(&mut self, pending: &Pending) -> Read<()> {
        let mut text = String::new();
        loop {
            if self.peek().is_none() {
                // The shell takes the end of the script for the end of the text, and warns.
                break;
            }
            let mut line = self.line_of_text().to_owned();
            // Lines that go on are joined before the end is looked for.
            while !pending.literal && goes_on(&line) && self.peek().is_some() {
                line.pop();
                line.push_str(self.line_of_text());
            }
            let shown = if pending.tabs { line.trim_start_matches('\t') } else { &line };
            if shown == pending.end {
                break;
            }
            text.push_str(shown);
            text.push('\n');
        }
        let pieces = if pending.literal {
            vec![Piece::Quoted(text.clone())]
        } else {
            let mut inner = Cursor::new(&text, self.depth, self.plain_sh);
            let pieces = inner.deeper(|cursor| cursor.pieces(Until::End))?;
            if inner.at < text.len() {
                return Err(Doubt::Syntax);
            }
            pieces
        };
        let raw = text;
        // Each is read once.
        let _ = pending.body.set(WordNode { pieces, raw, array: None });
        Ok(())
    }

    fn line_of_text(&mut self) -> &str {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        let end = rest.find('\n').unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        rest.get(..end).unwrap_or_default()
    }
}

fn goes_on(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}
