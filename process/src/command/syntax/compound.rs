//! Compound commands and functions.

use std::rc::Rc;

use super::super::reading::Doubt;
use super::cursor::{Cursor, Read};
use super::{Item, Node, WordNode};

impl Cursor<'_> {
    /// One command of a pipeline.
    pub(super) fn command(&mut self) -> Read<Node> {
        self.deeper(|cursor| {
            cursor.blanks();
            let Some(node) = cursor.compound()? else { return cursor.simple() };
            if matches!(node, Node::Function(..) | Node::Coproc(_)) {
                return Ok(node);
            }
            cursor.redirected(node)
        })
    }

    fn redirected(&mut self, node: Node) -> Read<Node> {
        let mut redirs = Vec::new();
        loop {
            self.blanks();
            match self.redirection()? {
                Some(redir) => redirs.push(redir),
                None => break,
            }
        }
        Ok(if redirs.is_empty() { node } else { Node::Redirected(Box::new(node), redirs) })
    }

    /// A command that begins with a word of the grammar or a parenthesis.
    fn compound(&mut self) -> Read<Option<Node>> {
        if self.peek() == Some(b'(') {
            if self.starts("((") {
                self.only_bash()?;
            }
            if self.starts("((")
                && let Some(inside) = self.arithmetic(2)?
            {
                return Ok(Some(Node::Arithmetic(inside)));
            }
            self.at += 1;
            let items = self.some()?;
            return if self.next_if(")") { Ok(Some(Node::Subshell(items))) } else { Err(Doubt::Syntax) };
        }
        let word = self.plain();
        let start = self.at;
        self.at += word.len();
        if matches!(word, "[[" | "function" | "coproc" | "select") {
            self.only_bash()?;
        }
        Ok(Some(match word {
            "{" => {
                let items = self.some()?;
                self.take("}")?;
                Node::Group(items)
            }
            "if" => self.branches()?,
            "while" | "until" => {
                let condition = self.some()?;
                Node::While(condition, self.body()?)
            }
            "for" | "select" => self.each()?,
            "case" => self.case()?,
            "[[" => self.test()?,
            "function" => {
                self.blanks();
                let name = self.name_of_function()?;
                self.blanks();
                if self.next_if("(") {
                    self.blanks();
                    if !self.next_if(")") {
                        return Err(Doubt::Syntax);
                    }
                }
                self.function(name)?
            }
            "coproc" => self.coproc()?,
            "}" | "then" | "do" | "done" | "fi" | "elif" | "else" | "esac" => return Err(Doubt::Syntax),
            _ => {
                self.at = start;
                return Ok(None);
            }
        }))
    }

    fn name_of_function(&mut self) -> Read<String> {
        let name = self.word()?.ok_or(Doubt::Syntax)?;
        match name.pieces.as_slice() {
            [super::Piece::Text(text)] => Ok(text.clone()),
            _ => Err(Doubt::Syntax),
        }
    }

    /// The body of a function whose name and parentheses were read.
    pub(super) fn function(&mut self, name: String) -> Read<Node> {
        self.newlines()?;
        let body = self.deeper(|cursor| {
            let node = cursor.compound()?.ok_or(Doubt::Syntax)?;
            cursor.redirected(node)
        })?;
        Ok(Node::Function(name, Rc::new(body)))
    }

    fn branches(&mut self) -> Read<Node> {
        let mut branches = Vec::new();
        loop {
            let condition = self.some()?;
            self.take("then")?;
            branches.push((condition, self.some()?));
            match self.plain() {
                "elif" => self.at += 4,
                "else" => {
                    self.at += 4;
                    let otherwise = self.some()?;
                    self.take("fi")?;
                    return Ok(Node::If(branches, otherwise));
                }
                "fi" => {
                    self.at += 2;
                    return Ok(Node::If(branches, Vec::new()));
                }
                _ => return Err(Doubt::Syntax),
            }
        }
    }

    /// `do … done`.
    fn body(&mut self) -> Read<Vec<Item>> {
        self.newlines()?;
        if self.plain() == "{" {
            self.at += 1;
            let items = self.some()?;
            self.take("}")?;
            return Ok(items);
        }
        self.take("do")?;
        let items = self.some()?;
        self.take("done")?;
        Ok(items)
    }

    fn each(&mut self) -> Read<Node> {
        self.blanks();
        if self.starts("((") {
            let counted = self.arithmetic(2)?.ok_or(Doubt::Syntax)?;
            self.blanks();
            self.next_if(";");
            let body = self.body()?;
            return Ok(Node::For { name: String::new(), words: None, counted: Some(counted), body });
        }
        let name = self.word()?.ok_or(Doubt::Syntax)?;
        let name = name.raw;
        if !super::is_name(&name) {
            return Err(Doubt::Syntax);
        }
        self.newlines()?;
        let mut words = None;
        if self.plain() == "in" {
            self.at += 2;
            let mut list = Vec::new();
            loop {
                self.blanks();
                match self.word()? {
                    Some(word) => list.push(word),
                    None => break,
                }
            }
            words = Some(list);
            if !matches!(self.peek(), Some(b';' | b'\n')) {
                return Err(Doubt::Syntax);
            }
        }
        self.next_if(";");
        let body = self.body()?;
        Ok(Node::For { name, words, counted: None, body })
    }

    fn case(&mut self) -> Read<Node> {
        self.blanks();
        let subject = self.word()?.ok_or(Doubt::Syntax)?;
        self.take("in")?;
        let mut arms = Vec::new();
        loop {
            self.newlines()?;
            if self.plain() == "esac" {
                self.at += 4;
                return Ok(Node::Case(subject, arms));
            }
            self.next_if("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word()?.ok_or(Doubt::Syntax)?);
                self.blanks();
                match self.bump() {
                    Some('|') => {}
                    Some(')') => break,
                    _ => return Err(Doubt::Syntax),
                }
            }
            let items = self.list()?;
            arms.push((patterns, items));
            if !(self.next_if(";;&") || self.next_if(";;") || self.next_if(";&")) {
                self.take("esac")?;
                return Ok(Node::Case(subject, arms));
            }
        }
    }

    /// `[[ … ]]`: only its expansions matter.
    fn test(&mut self) -> Read<Node> {
        let mut words: Vec<WordNode> = Vec::new();
        loop {
            let before = self.at;
            // A `#` is no comment within a pattern.
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n')) || self.starts("\\\n") {
                self.at += if self.peek() == Some(b'\\') { 2 } else { 1 };
            }
            if self.plain() == "]]" && self.at > before {
                self.at += 2;
                return Ok(Node::Test(words));
            }
            match self.peek() {
                None => return Err(Doubt::Syntax),
                Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => {
                    words.push(self.word()?.ok_or(Doubt::Syntax)?);
                }
                Some(b'(' | b')' | b'|' | b'&' | b'<' | b'>' | b';') => self.at += 1,
                Some(_) => words.push(self.word()?.ok_or(Doubt::Syntax)?),
            }
        }
    }

    fn coproc(&mut self) -> Read<Node> {
        self.blanks();
        let before = self.at;
        if super::is_name(self.plain()) {
            self.at += self.plain().len();
            self.blanks();
            if matches!(self.plain(), "{" | "if" | "while" | "until" | "for" | "case" | "[[")
                || self.peek() == Some(b'(')
            {
                return Ok(Node::Coproc(Box::new(self.command()?)));
            }
        }
        self.at = before;
        Ok(Node::Coproc(Box::new(self.command()?)))
    }
}
