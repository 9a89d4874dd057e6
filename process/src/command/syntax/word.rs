//! Words: quotes, and what stands between them.

use std::rc::Rc;

use super::super::reading::Doubt;
use super::cursor::{Cursor, Read};
use super::{Parsed, Piece, WordNode};

/// Whether a text can be the name of a variable.
pub(in crate::command) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Where the pieces of something that is not quoted as a whole end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// A word of a command.
    Word,
    /// The operand of `${…}`, outside quotes.
    Brace,
    /// The operand of `${…}` within double quotes.
    QuotedBrace,
    /// A text between double quotes.
    Quote,
    /// The text of a here-document.
    End,
}

impl Until {
    fn is_quoted(self) -> bool {
        matches!(self, Self::Quote | Self::End | Self::QuotedBrace)
    }
}

/// Pieces, neighbours of one kind joined.
#[derive(Default)]
pub(super) struct Pieces(pub(super) Vec<Piece>);

impl Pieces {
    pub(super) fn text(&mut self, text: &str) {
        if let Some(Piece::Text(last)) = self.0.last_mut() {
            last.push_str(text);
        } else {
            self.0.push(Piece::Text(text.to_owned()));
        }
    }

    pub(super) fn quoted(&mut self, text: &str) {
        if let Some(Piece::Quoted(last)) = self.0.last_mut() {
            last.push_str(text);
        } else {
            self.0.push(Piece::Quoted(text.to_owned()));
        }
    }
}

impl Cursor<'_> {
    /// A word, if one begins here.
    pub(super) fn word(&mut self) -> Read<Option<WordNode>> {
        let start = self.at;
        let pieces = self.pieces(Until::Word)?;
        if self.at == start {
            return Ok(None);
        }
        let raw = self.text.get(start..self.at).unwrap_or_default().to_owned();
        Ok(Some(WordNode { pieces, raw, array: None }))
    }

    pub(super) fn pieces(&mut self, until: Until) -> Read<Vec<Piece>> {
        let mut pieces = Pieces::default();
        let quoted = until.is_quoted();
        loop {
            let start = self.at;
            self.plain_run(until);
            if self.at > start {
                let run = self.text.get(start..self.at).unwrap_or_default();
                if quoted { pieces.quoted(run) } else { pieces.text(run) }
            }
            let Some(next) = self.peek() else { break };
            match next {
                b'\\' => self.backslash(until, &mut pieces),
                b'\'' if !quoted => {
                    self.at += 1;
                    let end = self.rest().find('\'').ok_or(Doubt::Syntax)?;
                    pieces.quoted(self.rest().get(..end).unwrap_or_default());
                    self.at += end + 1;
                }
                // What it means depends on the operator, and on the shell.
                b'\'' if until == Until::QuotedBrace => return Err(Doubt::Syntax),
                b'"' if until == Until::Quote => break,
                b'"' if until != Until::End => {
                    self.at += 1;
                    self.double(&mut pieces)?;
                }
                b'`' => pieces.0.push(self.backquoted(quoted)?),
                b'$' => self.dollar(quoted, &mut pieces)?,
                b'}' if matches!(until, Until::Brace | Until::QuotedBrace) => break,
                b'<' | b'>' if until == Until::Word && self.peek_at(1) == Some(b'(') => {
                    self.only_bash()?;
                    self.at += 2;
                    let items = self.inner_list()?;
                    pieces.0.push(Piece::Process(Rc::new(items)));
                }
                _ if until == Until::Word && ends_word(next) => break,
                _ => {
                    let from = self.at;
                    self.bump();
                    let one = self.text.get(from..self.at).unwrap_or_default();
                    if quoted { pieces.quoted(one) } else { pieces.text(one) }
                }
            }
        }
        Ok(pieces.0)
    }

    /// Goes over characters that mean only themselves everywhere.
    fn plain_run(&mut self, until: Until) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let special = |byte: &u8| {
            matches!(byte, b'\\' | b'\'' | b'"' | b'`' | b'$' | b'}' | b'<' | b'>')
                || (until == Until::Word && ends_word(*byte))
        };
        self.at += rest.iter().position(special).unwrap_or(rest.len());
    }

    fn backslash(&mut self, until: Until, pieces: &mut Pieces) {
        self.at += 1;
        let from = self.at;
        match self.bump() {
            Some('\n') => {}
            None => pieces.quoted("\\"),
            Some(next) => {
                let escapes = match until {
                    Until::Word | Until::Brace => true,
                    Until::Quote => matches!(next, '$' | '`' | '"' | '\\'),
                    Until::QuotedBrace => matches!(next, '$' | '`' | '"' | '\\' | '}'),
                    Until::End => matches!(next, '$' | '`' | '\\'),
                };
                let from = if escapes { from } else { from - 1 };
                pieces.quoted(self.text.get(from..self.at).unwrap_or_default());
            }
        }
    }

    /// `…"`, behind the first quote.
    pub(super) fn double(&mut self, pieces: &mut Pieces) -> Read<()> {
        let inner = self.deeper(|cursor| cursor.pieces(Until::Quote))?;
        if !self.next_if("\"") {
            return Err(Doubt::Syntax);
        }
        // Quotes make a word, also an empty one.
        pieces.quoted("");
        for piece in inner {
            match piece {
                Piece::Quoted(text) => pieces.quoted(&text),
                other => pieces.0.push(other),
            }
        }
        Ok(())
    }

    /// `` `…` ``: its text loses one layer of backslashes, and is a script.
    fn backquoted(&mut self, quoted: bool) -> Read<Piece> {
        let start = self.at;
        self.at += 1;
        let mut script = String::new();
        loop {
            match self.bump().ok_or(Doubt::Syntax)? {
                '`' => break,
                '\\' => match self.bump().ok_or(Doubt::Syntax)? {
                    c @ ('`' | '$' | '\\') => script.push(c),
                    '"' if quoted => script.push('"'),
                    c => script.extend(['\\', c]),
                },
                c => script.push(c),
            }
        }
        let Parsed { items, doubt } = super::parse(&script, self.depth + 1, self.plain_sh);
        if let Some((_, doubt)) = doubt {
            return Err(doubt);
        }
        let raw = self.text.get(start..self.at).unwrap_or_default().to_owned();
        Ok(Piece::Command(Rc::new(items), raw, quoted))
    }

    /// A list up to its `)`, which is taken. A here-document has to end before that.
    pub(super) fn inner_list(&mut self) -> Read<Vec<super::Item>> {
        let outer = std::mem::take(&mut self.pending);
        let items = self.list();
        let open = !std::mem::replace(&mut self.pending, outer).is_empty();
        let items = items?;
        if open || !self.next_if(")") { Err(Doubt::Syntax) } else { Ok(items) }
    }
}

fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}
