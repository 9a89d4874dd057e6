//! What begins with `$`.

use std::rc::Rc;

use super::super::reading::Doubt;
use super::cursor::{Cursor, Read};
use super::word::{Pieces, Until};
use super::{Parameter, Piece, WordNode};

/// Operators of `${name…}` whose operand is a word.
const OPERATORS: [&str; 18] =
    [":-", ":=", ":+", ":?", "##", "%%", "//", "^^", ",,", "-", "=", "+", "?", "#", "%", "/", "^", ","];

impl Cursor<'_> {
    pub(super) fn dollar(&mut self, quoted: bool, pieces: &mut Pieces) -> Read<()> {
        let start = self.at;
        self.at += 1;
        let Some(next) = self.peek() else {
            if quoted {
                pieces.quoted("$");
            } else {
                pieces.text("$");
            }
            return Ok(());
        };
        match next {
            b'(' => {
                if self.starts("((")
                    && let Some(inside) = self.arithmetic(2)?
                {
                    pieces.0.push(Piece::Arithmetic(Rc::new(inside), quoted));
                    return Ok(());
                }
                self.at += 1;
                let items = self.inner_list()?;
                let raw = self.text.get(start..self.at).unwrap_or_default().to_owned();
                pieces.0.push(Piece::Command(Rc::new(items), raw, quoted));
            }
            b'{' => {
                self.at += 1;
                let parameter = self.deeper(|cursor| cursor.braced(quoted, start))?;
                pieces.0.push(Piece::Parameter(Rc::new(parameter), quoted));
            }
            b'\'' if !quoted => {
                self.only_bash()?;
                self.at += 1;
                let text = self.escaped()?;
                pieces.quoted(&text);
            }
            b'"' if !quoted => {
                self.only_bash()?;
                self.at += 1;
                self.double(pieces)?;
            }
            // An old form of `$((…))`; and lines that go on within a `$`.
            b'[' | b'\\' => return Err(Doubt::Syntax),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
                let name = self.name();
                if self.starts("\\\n") {
                    return Err(Doubt::Syntax);
                }
                self.parameter(name, start, quoted, pieces);
            }
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-' => {
                self.at += 1;
                let name = char::from(next).to_string();
                self.parameter(name, start, quoted, pieces);
            }
            _ => {
                if quoted {
                    pieces.quoted("$");
                } else {
                    pieces.text("$");
                }
            }
        }
        Ok(())
    }

    fn parameter(&self, name: String, start: usize, quoted: bool, pieces: &mut Pieces) {
        let raw = self.text.get(start..self.at).unwrap_or_default().to_owned();
        let parameter = Parameter { name, operator: String::new(), operand: WordNode::default(), raw };
        pieces.0.push(Piece::Parameter(Rc::new(parameter), quoted));
    }

    fn name(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default().to_owned()
    }

    /// `name…}`, behind `${`.
    fn braced(&mut self, quoted: bool, start: usize) -> Read<Parameter> {
        // `${ command; }` and `${| command; }` run commands.
        if self.starts("\\\n") || matches!(self.peek(), None | Some(b' ' | b'\t' | b'\n' | b'|' | b'(')) {
            return Err(Doubt::Syntax);
        }
        let mut operator = String::new();
        // `${!x}` and `${#x}`, but `${!}`, `${#}`, `${#-…}`.
        if matches!(self.peek(), Some(b'!' | b'#'))
            && self.peek_at(1).is_some_and(|next| next.is_ascii_alphanumeric() || b"_@*".contains(&next))
        {
            self.at += 1;
            operator.push('!');
        }
        let mut name = self.name();
        if name.is_empty() {
            name = self.bump().filter(|c| "@*#?$!-".contains(*c)).ok_or(Doubt::Syntax)?.to_string();
        }
        if self.peek() == Some(b'[') {
            operator.push('!');
            self.index()?;
        }
        let found = OPERATORS.iter().find(|operator| self.starts(operator)).copied();
        if let Some(found) = found {
            self.at += found.len();
            operator.push_str(found);
        } else if self.peek() == Some(b':') || self.peek() == Some(b'@') {
            // A part, or a transformation: calculated.
            // What is in it is read like a prompt, commands included.
            if self.starts("@P") {
                return Err(Doubt::Script);
            }
            self.at += 1;
            operator.push('!');
        } else if self.peek() != Some(b'}') {
            return Err(Doubt::Syntax);
        }
        if operator.contains(['!', '/', '^', ',']) {
            self.only_bash()?;
        }
        let from = self.at;
        let until = if quoted { Until::QuotedBrace } else { Until::Brace };
        let pieces = self.pieces(until)?;
        let raw = self.text.get(from..self.at).unwrap_or_default().to_owned();
        if !self.next_if("}") {
            return Err(Doubt::Syntax);
        }
        let operand = WordNode { pieces, raw, array: None };
        let raw = self.text.get(start..self.at).unwrap_or_default().to_owned();
        Ok(Parameter { name, operator, operand, raw })
    }

    /// `[…]` of an array's element. Only plain ones: within, texts are calculated with.
    fn index(&mut self) -> Read<()> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_$@*+-[".contains(c);
        let rest = self.rest();
        let end = rest.find(|c: char| !plain(c)).unwrap_or(rest.len());
        self.at += end;
        if self.next_if("]") { Ok(()) } else { Err(Doubt::Syntax) }
    }

    /// `$'…'`, behind the quote.
    fn escaped(&mut self) -> Read<String> {
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let next = self.bump().ok_or(Doubt::Syntax)?;
            match next {
                '\'' => return String::from_utf8(bytes).map_err(|_| Doubt::Character),
                '\\' => self.escape(&mut bytes)?,
                c => bytes.extend(c.to_string().bytes()),
            }
        }
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Read<()> {
        let next = self.bump().ok_or(Doubt::Syntax)?;
        let simple = match next {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' | '\'' | '"' | '?' => next as u8,
            '0'..='7' => {
                self.at -= 1;
                self.number(8, 3).and_then(|code| u8::try_from(code & 0xff).ok()).ok_or(Doubt::Character)?
            }
            'x' => match self.number(16, 2) {
                Some(code) => u8::try_from(code).map_err(|_| Doubt::Character)?,
                None => return Err(Doubt::Character),
            },
            'u' | 'U' => {
                let code = self.number(16, if next == 'u' { 4 } else { 8 }).ok_or(Doubt::Character)?;
                let c = char::from_u32(code).filter(|c| *c != '\0').ok_or(Doubt::Character)?;
                bytes.extend(c.to_string().bytes());
                return Ok(());
            }
            'c' => return Err(Doubt::Character),
            other => {
                bytes.push(b'\\');
                bytes.extend(other.to_string().bytes());
                return Ok(());
            }
        };
        // The shell ends the text there.
        if simple == 0 {
            return Err(Doubt::Character);
        }
        bytes.push(simple);
        Ok(())
    }

    fn number(&mut self, radix: u32, most: usize) -> Option<u32> {
        let rest = self.rest();
        let end = rest.chars().take(most).take_while(|c| c.is_digit(radix)).count();
        self.at += end;
        u32::from_str_radix(rest.get(..end)?, radix).ok()
    }

    /// `…))` behind `open` parentheses; none, and nothing taken, where it is no arithmetic but a subshell in another.
    pub(super) fn arithmetic(&mut self, open: usize) -> Read<Option<WordNode>> {
        let before = self.at;
        if self.no_arithmetic.contains(&before) {
            return Ok(None);
        }
        self.at += open;
        let from = self.at;
        let read = self.deeper(|cursor| {
            let mut pieces = Pieces::default();
            let mut parentheses = 0_u32;
            loop {
                match cursor.peek() {
                    None => return Ok(None),
                    Some(b')') if parentheses == 0 => {
                        let ends = cursor.peek_at(1) == Some(b')');
                        let raw = cursor.text.get(from..cursor.at).unwrap_or_default().to_owned();
                        cursor.at += 2;
                        return Ok(ends.then_some(WordNode { pieces: pieces.0, raw, array: None }));
                    }
                    Some(b')') => parentheses -= 1,
                    Some(b'(') => parentheses += 1,
                    Some(b'$') => {
                        cursor.dollar(true, &mut pieces)?;
                        continue;
                    }
                    Some(b'`' | b'\'' | b'"' | b'\\') => return Err(Doubt::Arithmetic),
                    // A comment or a here-document of a subshell.
                    Some(b'#')
                        if cursor
                            .text
                            .as_bytes()
                            .get(cursor.at.wrapping_sub(1))
                            .is_some_and(u8::is_ascii_whitespace) =>
                    {
                        return Ok(None);
                    }
                    Some(_) => {}
                }
                cursor.bump();
            }
        });
        match read {
            Ok(Some(inside)) => Ok(Some(inside)),
            Err(Doubt::Deep) => Err(Doubt::Deep),
            // Quotes, say: a subshell within another may have them, arithmetic hardly.
            Ok(None) | Err(_) => {
                self.no_arithmetic.insert(before);
                self.at = before;
                Ok(None)
            }
        }
    }
}
