//! Shell scripts, as far as one must read them to know what they run and which files they redirect into.
//!
//! The result is flat: every simple command of the script, wherever it stands (in a pipe, a loop, a subshell, a
//! substitution), with its words as the shell would hand them on, expansions left as they are. Quotes, comments,
//! here-documents, arithmetic and tests are told apart from commands and redirections.

#[cfg(test)]
mod tests;

/// A script, or part of one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// The words of each command, its name first.
    pub(super) commands: Vec<Vec<String>>,
    /// What is redirected into.
    pub(super) targets: Vec<String>,
    /// Whether a quote, or the like, is never closed.
    pub(super) is_broken: bool,
}

/// How deep substitutions, `${…}` and arithmetic may lie in one another; deeper ones count as broken.
const DEEPEST: u8 = 16;

/// Reads a script.
pub(super) fn parse(text: &str) -> Script {
    let mut reader = Reader::new(text, 0);
    reader.commands(None);
    reader.script
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaits {
    Nothing,
    /// The file that is written.
    Target,
    /// A file that is read, or a here-string.
    Source,
    /// The end of a here-document.
    End {
        tabs: bool,
    },
}

struct Here {
    end: String,
    tabs: bool,
    is_literal: bool,
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    depth: u8,
    script: Script,
    words: Vec<String>,
    word: Option<String>,
    /// Whether any of the word was quoted.
    quoted: bool,
    awaits: Awaits,
    here: Vec<Here>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, depth: u8) -> Self {
        Self {
            rest: text.chars().peekable(),
            depth,
            script: Script::default(),
            words: Vec::new(),
            word: None,
            quoted: false,
            awaits: Awaits::Nothing,
            here: Vec::new(),
        }
    }

    /// Reads up to `end`, which belongs to an enclosing substitution, or to the end of the text.
    fn commands(&mut self, end: Option<char>) {
        let mut open = 0_u32;
        while let Some(next) = self.rest.next() {
            match next {
                _ if end == Some(next) && open == 0 => {
                    self.end_command();
                    return;
                }
                '\n' => {
                    self.end_command();
                    self.skip_here();
                }
                ' ' | '\t' | '\r' => self.end_word(),
                '#' if self.word.is_none() => while self.rest.next_if(|c| *c != '\n').is_some() {},
                ';' | '|' => self.end_command(),
                '&' => self.ampersand(),
                '(' => {
                    if self.rest.peek() == Some(&'(') && self.word.is_none() && self.words.is_empty() {
                        self.rest.next();
                        self.aside(Self::arithmetic);
                    } else {
                        open += 1;
                        self.end_command();
                    }
                }
                ')' => {
                    open = open.saturating_sub(1);
                    self.end_command();
                }
                '<' => self.input(),
                '>' => self.output(),
                _ => self.part(next),
            }
        }
        self.end_command();
        self.script.is_broken |= end.is_some() || !self.here.is_empty();
    }

    /// A piece of a word.
    fn part(&mut self, first: char) {
        match first {
            '\\' => match self.rest.next() {
                Some('\n') | None => {}
                Some(next) => {
                    self.quoted = true;
                    self.push(next);
                }
            },
            '\'' => self.single(),
            '"' => self.double(),
            '`' => self.backquoted(),
            '$' => self.dollar(),
            _ => self.push(first),
        }
    }

    fn push(&mut self, next: char) {
        self.word.get_or_insert_default().push(next);
    }

    fn single(&mut self) {
        self.quoted = true;
        self.word.get_or_insert_default();
        loop {
            match self.rest.next() {
                Some('\'') => return,
                Some(next) => self.push(next),
                None => return self.script.is_broken = true,
            }
        }
    }

    /// `$'…'`, in which a backslash escapes.
    fn escaped(&mut self) {
        self.quoted = true;
        self.word.get_or_insert_default();
        loop {
            match self.rest.next() {
                Some('\'') => return,
                Some('\\') => {
                    let next = self.rest.next().unwrap_or('\\');
                    self.push(next);
                }
                Some(next) => self.push(next),
                None => return self.script.is_broken = true,
            }
        }
    }

    fn double(&mut self) {
        self.quoted = true;
        self.word.get_or_insert_default();
        loop {
            match self.rest.next() {
                Some('"') => return,
                Some('\\') => match self.rest.next() {
                    Some('\n') | None => {}
                    Some(next @ ('"' | '\\' | '$' | '`')) => self.push(next),
                    Some(next) => {
                        self.push('\\');
                        self.push(next);
                    }
                },
                Some('`') => self.backquoted(),
                Some('$') if self.rest.peek() == Some(&'\'') => self.push('$'),
                Some('$') => self.dollar(),
                Some(next) => self.push(next),
                None => return self.script.is_broken = true,
            }
        }
    }

    fn dollar(&mut self) {
        match self.rest.peek() {
            Some('\'') => {
                self.rest.next();
                self.escaped();
            }
            Some('(') => {
                self.rest.next();
                self.push('$');
                if self.rest.peek() == Some(&'(') {
                    self.rest.next();
                    self.aside(Self::arithmetic);
                } else {
                    self.substitution();
                }
            }
            Some('{') => {
                self.rest.next();
                self.push('$');
                self.aside(Self::braces);
            }
            _ => self.push('$'),
        }
    }

    /// Commands up to the closing parenthesis.
    fn substitution(&mut self) {
        if self.depth >= DEEPEST {
            self.script.is_broken = true;
            return;
        }
        let mut inner = Reader {
            rest: std::mem::replace(&mut self.rest, "".chars().peekable()),
            ..Reader::new("", self.depth + 1)
        };
        inner.commands(Some(')'));
        self.rest = inner.rest;
        self.add(inner.script);
    }

    fn backquoted(&mut self) {
        let mut text = String::new();
        loop {
            match self.rest.next() {
                Some('`') => break,
                Some('\\') => text.extend(self.rest.next()),
                Some(next) => text.push(next),
                None => {
                    self.script.is_broken = true;
                    break;
                }
            }
        }
        self.push('$');
        self.nested(&text);
    }

    /// A script within this one.
    fn nested(&mut self, text: &str) {
        if self.depth >= DEEPEST {
            self.script.is_broken = true;
            return;
        }
        let mut inner = Reader::new(text, self.depth + 1);
        inner.commands(None);
        self.add(inner.script);
    }

    fn add(&mut self, inner: Script) {
        self.script.commands.extend(inner.commands);
        self.script.targets.extend(inner.targets);
        self.script.is_broken |= inner.is_broken;
    }

    /// Reads something whose text is no part of the word, but in which commands may run.
    fn aside(&mut self, read: fn(&mut Self)) {
        if self.depth >= DEEPEST {
            self.script.is_broken = true;
            return;
        }
        self.depth += 1;
        let word = self.word.take();
        read(self);
        self.word = word;
        self.depth -= 1;
    }

    /// The rest of `${…}`: not looked into, but for substitutions.
    fn braces(&mut self) {
        let mut open = 1_u32;
        while let Some(next) = self.rest.next() {
            match next {
                '{' => open += 1,
                '}' => {
                    open -= 1;
                    if open == 0 {
                        return;
                    }
                }
                '\\' => drop(self.rest.next()),
                '`' => self.backquoted(),
                '$' => self.dollar(),
                _ => {}
            }
        }
        self.script.is_broken = true;
    }

    /// The rest of `((…))`, in which `>` compares.
    fn arithmetic(&mut self) {
        let mut open = 2_u32;
        while let Some(next) = self.rest.next() {
            match next {
                '(' => open += 1,
                ')' => {
                    open -= 1;
                    if open == 0 {
                        return;
                    }
                }
                '`' => self.backquoted(),
                '$' => self.dollar(),
                _ => {}
            }
        }
        self.script.is_broken = true;
    }

    /// In `[[ … ]]` the signs compare.
    fn compares(&self) -> bool {
        self.words.first().is_some_and(|word| word == "[[")
            && self.words.last().is_none_or(|word| word != "]]")
    }

    fn ampersand(&mut self) {
        if self.rest.peek() == Some(&'>') {
            self.rest.next();
            self.end_word();
            self.rest.next_if_eq(&'>');
            self.awaits = Awaits::Target;
        } else {
            self.end_command();
        }
    }

    fn output(&mut self) {
        if self.compares() {
            return self.push('>');
        }
        self.end_number();
        if self.rest.next_if_eq(&'(').is_some() {
            // `>(command)` is a word.
            self.push('$');
            return self.substitution();
        }
        if self.rest.next_if_eq(&'&').is_some() {
            // `>&2` and `>&-` are no files.
            let copies = self.rest.peek().is_some_and(|next| next.is_ascii_digit() || *next == '-');
            self.awaits = if copies { Awaits::Source } else { Awaits::Target };
            return;
        }
        let _ = self.rest.next_if(|next| matches!(next, '>' | '|'));
        self.awaits = Awaits::Target;
    }

    fn input(&mut self) {
        if self.compares() {
            return self.push('<');
        }
        self.end_number();
        match self.rest.peek() {
            Some('(') => {
                self.rest.next();
                self.push('$');
                self.substitution();
            }
            Some('>') => {
                self.rest.next();
                self.awaits = Awaits::Target;
            }
            Some('&') => {
                self.rest.next();
                self.awaits = Awaits::Source;
            }
            Some('<') => {
                self.rest.next();
                self.awaits = if self.rest.next_if_eq(&'<').is_some() {
                    Awaits::Source
                } else {
                    Awaits::End { tabs: self.rest.next_if_eq(&'-').is_some() }
                };
            }
            _ => self.awaits = Awaits::Source,
        }
    }

    /// Ends the word before a redirection; a number there names what is redirected.
    fn end_number(&mut self) {
        let is_number = |word: &String| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if self.awaits == Awaits::Nothing && !self.quoted && self.word.as_ref().is_some_and(is_number) {
            self.word = None;
        }
        self.end_word();
    }

    fn end_word(&mut self) {
        let quoted = std::mem::take(&mut self.quoted);
        let Some(word) = self.word.take() else { return };
        match std::mem::replace(&mut self.awaits, Awaits::Nothing) {
            Awaits::Nothing => self.words.push(word),
            Awaits::Target => self.script.targets.push(word),
            Awaits::Source => {}
            Awaits::End { tabs } => self.here.push(Here { end: word, tabs, is_literal: quoted }),
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.awaits = Awaits::Nothing;
        if !self.words.is_empty() {
            self.script.commands.push(std::mem::take(&mut self.words));
        }
    }

    /// Passes over the here-documents that begin on this line; only substitutions in them run.
    fn skip_here(&mut self) {
        for here in std::mem::take(&mut self.here) {
            let mut body = String::new();
            let found = loop {
                let mut line = String::new();
                let mut is_last = true;
                for next in self.rest.by_ref() {
                    if next == '\n' {
                        is_last = false;
                        break;
                    }
                    line.push(next);
                }
                let text = if here.tabs { line.trim_start_matches('\t') } else { &line };
                if text == here.end {
                    break true;
                }
                if is_last {
                    break false;
                }
                body.push_str(&line);
                body.push('\n');
            };
            self.script.is_broken |= !found;
            if !here.is_literal {
                self.substitutions_in(&body);
            }
        }
    }

    fn substitutions_in(&mut self, body: &str) {
        if self.depth >= DEEPEST {
            self.script.is_broken = true;
            return;
        }
        let mut inner = Reader::new(body, self.depth + 1);
        while let Some(next) = inner.rest.next() {
            match next {
                '\\' => drop(inner.rest.next()),
                '`' => inner.backquoted(),
                '$' if inner.rest.peek() == Some(&'(') => inner.dollar(),
                _ => {}
            }
        }
        self.add(inner.script);
    }
}
