//! Lists, pipelines, and what they are made of.

use super::super::reading::{Doubt, Redirect};
use super::cursor::{Cursor, Read};
use super::{Item, Node, RedirNode, Target, WordNode};

/// Words at which a list ends, where a command could begin.
const ENDS: [&str; 8] = ["}", "then", "do", "done", "fi", "elif", "else", "esac"];

impl Cursor<'_> {
    /// The commands of one line of the script; none at its end.
    pub(super) fn line(&mut self) -> Read<Option<Vec<Item>>> {
        self.newlines()?;
        if self.peek().is_none() {
            return Ok(None);
        }
        let mut items = Vec::new();
        loop {
            let node = self.and_or()?;
            self.blanks();
            let background = self.separator();
            items.push(Item { node, background: background == Some(true) });
            self.blanks();
            match self.peek() {
                Some(b'\n') => {
                    self.newline()?;
                    return Ok(Some(items));
                }
                // A here-document whose line is the last is empty.
                None => return if self.pending.is_empty() { Ok(Some(items)) } else { Err(Doubt::Syntax) },
                Some(_) if background.is_some() => {}
                Some(_) => return Err(Doubt::Syntax),
            }
        }
    }

    /// A list within a form; it ends before `)`, `;;`, or a word that ends one.
    pub(super) fn list(&mut self) -> Read<Vec<Item>> {
        self.deeper(|cursor| {
            let mut items = Vec::new();
            loop {
                cursor.newlines()?;
                if cursor.at_end() {
                    return Ok(items);
                }
                let node = cursor.and_or()?;
                cursor.blanks();
                let background = cursor.separator();
                items.push(Item { node, background: background == Some(true) });
                cursor.blanks();
                if background.is_none() && cursor.peek() != Some(b'\n') && !cursor.at_end() {
                    return Err(Doubt::Syntax);
                }
            }
        })
    }

    /// A list with at least one command.
    pub(super) fn some(&mut self) -> Read<Vec<Item>> {
        let items = self.list()?;
        if items.is_empty() { Err(Doubt::Syntax) } else { Ok(items) }
    }

    fn at_end(&self) -> bool {
        matches!(self.peek(), None | Some(b')'))
            || self.starts(";;")
            || self.starts(";&")
            || ENDS.contains(&self.plain())
    }

    /// `;` (false) or `&` (true).
    fn separator(&mut self) -> Option<bool> {
        match self.peek()? {
            b';' if self.peek_at(1) != Some(b';') && self.peek_at(1) != Some(b'&') => {
                self.at += 1;
                Some(false)
            }
            b'&' if self.peek_at(1) != Some(b'&') => {
                self.at += 1;
                Some(true)
            }
            _ => None,
        }
    }

    fn and_or(&mut self) -> Read<Node> {
        let first = self.pipeline()?;
        let mut others = Vec::new();
        loop {
            self.blanks();
            let and = self.starts("&&");
            if !and && !self.starts("||") {
                break;
            }
            self.at += 2;
            self.newlines()?;
            others.push((and, self.pipeline()?));
        }
        Ok(if others.is_empty() { first } else { Node::AndOr(Box::new(first), others) })
    }

    fn pipeline(&mut self) -> Read<Node> {
        let mut stages = Vec::new();
        self.blanks();
        loop {
            match self.plain() {
                "!" => self.at += 1,
                "time" => {
                    let before = self.at;
                    self.at += 4;
                    self.blanks();
                    for option in ["-p", "--"] {
                        if self.plain() == option {
                            self.at += 2;
                            self.blanks();
                        }
                    }
                    // Other shells have a program of that name, with options.
                    if self.peek() == Some(b'-') {
                        self.at = before;
                        break;
                    }
                }
                _ => break,
            }
            self.blanks();
        }
        loop {
            let mut node = self.command()?;
            self.blanks();
            if self.peek() != Some(b'|') || self.starts("||") {
                stages.push(node);
                break;
            }
            self.at += 1;
            if self.next_if("&") {
                self.only_bash()?;
                let one = WordNode {
                    pieces: vec![super::Piece::Text("1".to_owned())],
                    raw: "1".to_owned(),
                    array: None,
                };
                let both = RedirNode { fd: Some(2), kind: Redirect::Duplicate, target: Target::Word(one) };
                node = Node::Redirected(Box::new(node), vec![both]);
            }
            stages.push(node);
            self.newlines()?;
        }
        Ok(match stages.len() {
            1 => stages.swap_remove(0),
            _ => Node::Pipeline(stages),
        })
    }
}
