//! Simple commands, assignments and redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::super::reading::{Doubt, Redirect};
use super::cursor::{Cursor, Pending, Read};
use super::{AssignNode, Node, Piece, RedirNode, SimpleNode, Target, WordNode, is_name};

/// Built-ins whose words may be assignments of arrays.
const DECLARES: [&str; 5] = ["declare", "export", "local", "readonly", "typeset"];

impl Cursor<'_> {
    pub(super) fn simple(&mut self) -> Read<Node> {
        let start = self.at;
        let mut simple = SimpleNode::default();
        let mut end = self.at;
        loop {
            self.blanks();
            if let Some(redir) = self.redirection()? {
                simple.redirs.push(redir);
                end = self.at;
                continue;
            }
            let before = self.at;
            let assigns = simple.words.is_empty();
            if assigns && self.subscript()? {
                self.at = before;
            }
            let Some(mut word) = self.word()? else {
                if self.peek() == Some(b'(') && simple.words.len() == 1 && simple.assigns.is_empty() {
                    return self.defined(&simple);
                }
                break;
            };
            let declares = simple.words.first().is_some_and(|word| DECLARES.contains(&word.raw.as_str()));
            if (assigns || declares) && self.peek() == Some(b'(') && word.raw.ends_with('=') {
                self.only_bash()?;
                word.array = Some(self.array()?);
            }
            end = self.at;
            match word.assignment() {
                Some(assign) if assigns => {
                    if assign.partly {
                        self.only_bash()?;
                    }
                    simple.assigns.push(assign);
                }
                _ => simple.words.push(word),
            }
        }
        if simple.words.is_empty() && simple.assigns.is_empty() && simple.redirs.is_empty() {
            return Err(Doubt::Syntax);
        }
        // `i\` and a line end, then `f`: the shell joins the lines before it looks for the words of its grammar.
        if simple.words.first().is_some_and(|word| word.raw.contains("\\\n")) {
            return Err(Doubt::Syntax);
        }
        simple.text = self.text.get(start..end).unwrap_or_default().trim().to_owned();
        Ok(Node::Simple(simple))
    }

    /// `name () …`
    fn defined(&mut self, simple: &SimpleNode) -> Read<Node> {
        self.at += 1;
        self.blanks();
        if !self.next_if(")") || !simple.redirs.is_empty() {
            return Err(Doubt::Syntax);
        }
        match simple.words.first().map(|word| word.pieces.as_slice()) {
            Some([Piece::Text(name)]) => self.function(name.clone()),
            _ => Err(Doubt::Syntax),
        }
    }

    /// Whether `name[…]=` begins here. What stands in the brackets is read by rules of its own, so only plain
    /// ones are known.
    fn subscript(&self) -> Read<bool> {
        let rest = self.rest();
        let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let Some(after) = rest.get(name..).and_then(|after| after.strip_prefix('[')) else {
            return Ok(false);
        };
        if !rest.get(..name).is_some_and(is_name) {
            return Ok(false);
        }
        let plain = |c: &char| c.is_ascii_alphanumeric() || "_-+.*?@$\"'/,:".contains(*c);
        let inside = after.chars().take_while(plain).count();
        match after.as_bytes().get(inside) {
            Some(b']') => Ok(true),
            // A pattern in the place of a program.
            Some(_) => Err(Doubt::Syntax),
            None => Ok(false),
        }
    }

    fn array(&mut self) -> Read<Vec<WordNode>> {
        self.at += 1;
        let mut words = Vec::new();
        loop {
            self.newlines()?;
            if self.next_if(")") {
                return Ok(words);
            }
            // `[index]=value`: the index is calculated.
            if self.peek() == Some(b'[') {
                let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let index = self.rest().bytes().skip(1).take_while(plain).count();
                if self.peek_at(index + 1) != Some(b']') {
                    return Err(Doubt::Syntax);
                }
            }
            words.push(self.word()?.ok_or(Doubt::Syntax)?);
        }
    }

    /// A redirection, if one begins here.
    pub(super) fn redirection(&mut self) -> Read<Option<RedirNode>> {
        let before = self.at;
        let mut fd = None;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            fd = self.rest().get(..digits).and_then(|digits| digits.parse().ok());
            self.at += digits;
        } else if self.peek() == Some(b'{')
            && let Some(end) =
                self.rest().bytes().skip(1).position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
            && self.peek_at(end + 1) == Some(b'}')
            && self.rest().get(1..=end).is_some_and(is_name)
        {
            self.at += end + 2;
        }
        let operator = ["<<<", "<<-", "<<", "<&", "<>", "<", "&>>", "&>", ">>", ">&", ">|", ">"]
            .into_iter()
            .find(|operator| self.starts(operator));
        let Some(operator) = operator else {
            self.at = before;
            return Ok(None);
        };
        let process = matches!(operator, "<" | ">") && self.peek_at(1) == Some(b'(');
        if process || (operator.starts_with('&') && self.at > before) {
            self.at = before;
            return Ok(None);
        }
        if operator == "<<<"
            || operator.starts_with('&')
            || self.plain_sh && self.text.as_bytes().get(before) == Some(&b'{')
        {
            self.only_bash()?;
        }
        self.at += operator.len();
        self.blanks();
        let target = self.word()?.ok_or(Doubt::Syntax)?;
        let is_fd = target.raw == "-"
            || (!target.raw.is_empty()
                && target.raw.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit()));
        let kind = match operator {
            "<<" | "<<-" => return self.here(fd, operator == "<<-", &target).map(Some),
            "<<<" => Redirect::Text,
            "<" => Redirect::Read,
            "<>" => Redirect::ReadWrite,
            "<&" => Redirect::Duplicate,
            ">&" if is_fd || target.raw.contains('$') => Redirect::Duplicate,
            ">>" | "&>>" => Redirect::Append,
            _ => Redirect::Write,
        };
        Ok(Some(RedirNode { fd, kind, target: Target::Word(target) }))
    }

    fn here(&mut self, fd: Option<u32>, tabs: bool, end: &WordNode) -> Read<RedirNode> {
        let mut text = String::new();
        let mut literal = false;
        for piece in &end.pieces {
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Quoted(part) => {
                    literal = true;
                    text.push_str(part);
                }
                _ => return Err(Doubt::Syntax),
            }
        }
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending { end: text, tabs, literal, body: Rc::clone(&body) });
        Ok(RedirNode { fd, kind: Redirect::Text, target: Target::Here(body) })
    }
}

impl WordNode {
    /// `name=value`, `name+=value`, `name[i]=value`, with the name not quoted.
    pub(in crate::command) fn assignment(&self) -> Option<AssignNode> {
        let Some(Piece::Text(first)) = self.pieces.first() else { return None };
        let (left, right) = first.split_once('=')?;
        let name = left.strip_suffix('+').unwrap_or(left);
        let name =
            name.split_once('[').filter(|(_, index)| index.ends_with(']')).map_or(name, |(name, _)| name);
        if !is_name(name) {
            return None;
        }
        let mut pieces = Vec::new();
        if !right.is_empty() {
            pieces.push(Piece::Text(right.to_owned()));
        }
        pieces.extend(self.pieces.iter().skip(1).cloned());
        let raw = self.raw.split_once('=').map_or("", |(_, raw)| raw).to_owned();
        let value = WordNode { pieces, raw, array: self.array.clone() };
        Some(AssignNode { name: name.to_owned(), partly: left != name, value })
    }
}
