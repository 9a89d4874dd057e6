//! A place in a script.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

use super::super::reading::Doubt;
use super::{Parsed, WordNode};

/// How deep forms may lie in one another.
pub(super) const DEEPEST: u8 = 48;

pub(super) type Read<T> = Result<T, Doubt>;

pub(super) struct Cursor<'s> {
    pub(super) text: &'s str,
    pub(super) at: usize,
    pub(super) depth: u8,
    /// Whether it is for an `sh`, which need not be bash.
    pub(super) plain_sh: bool,
    /// Here-documents whose text begins with the next line.
    pub(super) pending: Vec<Pending>,
    /// Where `((` turned out to be no arithmetic: each place is tried once, so that nested ones take no exponential time.
    pub(super) no_arithmetic: HashSet<usize>,
}

pub(super) struct Pending {
    pub(super) end: String,
    pub(super) tabs: bool,
    pub(super) literal: bool,
    pub(super) body: Rc<OnceCell<WordNode>>,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(text: &'s str, depth: u8, plain_sh: bool) -> Self {
        Self { text, at: 0, depth, plain_sh, pending: Vec::new(), no_arithmetic: HashSet::new() }
    }

    /// A shell reads and runs one line after the other, so what stands before a mistake runs.
    pub(super) fn script(mut self) -> Parsed {
        let mut items = Vec::new();
        let doubt = loop {
            let before = self.at;
            match self.line() {
                Ok(Some(mut more)) => items.append(&mut more),
                Ok(None) => break None,
                Err(doubt) => {
                    let text = self.text.get(before..).unwrap_or_default().trim_start();
                    break Some((text.to_owned(), doubt));
                }
            }
        };
        Parsed { items, doubt }
    }

    pub(super) fn rest(&self) -> &'s str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn starts(&self, with: &str) -> bool {
        self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(with.as_bytes()))
    }

    pub(super) fn next_if(&mut self, with: &str) -> bool {
        let is = self.starts(with);
        if is {
            self.at += with.len();
        }
        is
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// What only bash has, or reads in its own way.
    pub(super) fn only_bash(&self) -> Read<()> {
        if self.plain_sh { Err(Doubt::Dialect) } else { Ok(()) }
    }

    /// Goes one form deeper for `read`.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= DEEPEST {
            return Err(Doubt::Deep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Spaces, tabs, lines that go on, and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                Some(b'#') => {
                    let end = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += end;
                }
                _ => return,
            }
        }
    }

    /// Blanks and line ends.
    pub(super) fn newlines(&mut self) -> Read<()> {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// One line end, with the here-documents that follow it.
    pub(super) fn newline(&mut self) -> Read<()> {
        self.at += 1;
        for pending in std::mem::take(&mut self.pending) {
            self.here_document(&pending)?;
        }
        Ok(())
    }

    /// The unquoted plain word that stands here, if it is one: what a word of the grammar looks like.
    pub(super) fn plain(&self) -> &'s str {
        let rest = self.rest();
        let end = rest.find([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')']).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        if word.len() <= 8 { word } else { "" }
    }

    /// Takes a word of the grammar.
    pub(super) fn take(&mut self, word: &str) -> Read<()> {
        self.newlines()?;
        if self.plain() == word {
            self.at += word.len();
            return Ok(());
        }
        Err(Doubt::Syntax)
    }
}
