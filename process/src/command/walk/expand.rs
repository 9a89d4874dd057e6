//! What the shell makes of a word: braces, tildes, variables, splitting, and names of files.

use super::super::reading::Word;
use super::super::syntax::{Piece, WordNode};
use super::parameter::Meaning;
use super::shell::Shell;
use super::{Walk, braces, glob};

/// A word that is being put together.
#[derive(Default)]
struct Field {
    text: String,
    /// The same as a pattern: what was quoted has backslashes.
    pattern: String,
    open: bool,
    unknown: bool,
    splits: bool,
    /// Whether it is a word even if it is empty.
    quoted: bool,
    any: bool,
}

impl Field {
    fn literal(&mut self, text: &str) {
        self.text.push_str(text);
        self.any = true;
        for c in text.chars() {
            if matches!(c, '*' | '?' | '[' | ']' | '\\' | '-' | '!' | '^') {
                self.pattern.push('\\');
            }
            self.pattern.push(c);
        }
    }

    fn active(&mut self, text: &str) {
        self.text.push_str(text);
        self.any |= !text.is_empty();
        self.open |= text.contains(['*', '?', '[']);
        self.pattern.push_str(text);
    }

    fn unknown(&mut self, raw: &str, splits: bool) {
        self.text.push_str(raw);
        self.any = true;
        self.unknown = true;
        self.splits |= splits;
    }
}

impl Walk<'_> {
    /// All words of a command.
    pub(super) fn words(&mut self, words: &[WordNode], shell: &mut Shell) -> Vec<Word> {
        let mut list = Vec::new();
        for word in words {
            self.expansions(word, shell);
            self.many(word, shell, &mut list);
        }
        list
    }

    /// One word, neither split nor taken for a pattern: a value, a text. A file's name (`file`) may be a pattern.
    pub(super) fn one(&mut self, word: &WordNode, shell: &mut Shell, file: bool) -> Word {
        self.expansions(word, shell);
        let mut fields = self.fields(&word.pieces, shell, false, !file || !word.raw.starts_with("\\~"));
        if word.array.is_some() || fields.len() > 1 {
            return Word::unknown(word.raw.clone(), false);
        }
        let Some(field) = fields.pop() else { return Word::known("") };
        if field.unknown || (file && (field.open || word.raw.contains('{'))) {
            return Word {
                text: field.text,
                pattern: field.open.then_some(field.pattern),
                ..Word::default()
            };
        }
        Word::known(field.text)
    }

    fn many(&mut self, word: &WordNode, shell: &mut Shell, list: &mut Vec<Word>) {
        let has_brace =
            word.pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if text.contains('{')));
        if !has_brace {
            self.fielded(&word.pieces, word, shell, list);
            return;
        }
        match braces::expand(&word.pieces) {
            // Not every `sh` has them.
            Some(words) if shell.plain_sh && words.len() > 1 => {
                list.push(Word::unknown(word.raw.clone(), true));
            }
            Some(words) => words.iter().for_each(|pieces| self.fielded(pieces, word, shell, list)),
            None => list.push(Word::unknown(word.raw.clone(), true)),
        }
    }

    fn fielded(&mut self, pieces: &[Piece], word: &WordNode, shell: &mut Shell, list: &mut Vec<Word>) {
        // `a=~/x` as a word of a command: shells differ.
        let tilde =
            matches!(pieces.first(), Some(Piece::Text(text)) if text.contains("=~") || text.contains(":~"));
        for field in self.fields(pieces, shell, true, true) {
            if !field.any && !field.quoted {
                continue;
            }
            if field.unknown || tilde {
                list.push(Word { text: field.text, splits: field.splits, ..Word::default() });
            } else if field.open {
                self.files(field, &word.raw, shell, list);
            } else {
                list.push(Word::known(field.text));
            }
        }
    }

    fn files(&mut self, field: Field, raw: &str, shell: &Shell, list: &mut Vec<Word>) {
        let found =
            if shell.odd_patterns { None } else { glob::expand(&field.pattern, shell.cwd.as_deref()) };
        // What an earlier command makes may fit as well.
        let (known, splits) = (!self.changed, self.changed);
        let pattern = Some(raw.to_owned());
        match found {
            None => list.push(Word { text: field.text, known: false, splits: true, pattern }),
            Some(names) if names.is_empty() => {
                list.push(Word { text: field.text, known, splits, pattern });
            }
            Some(names) => list.extend(names.into_iter().map(|text| Word {
                text,
                known,
                splits,
                pattern: pattern.clone(),
            })),
        }
    }

    fn fields(&mut self, pieces: &[Piece], shell: &mut Shell, split: bool, tilde: bool) -> Vec<Field> {
        let mut fields = vec![Field::default()];
        for (index, piece) in pieces.iter().enumerate() {
            let mut last = fields.pop().unwrap_or_default();
            match piece {
                Piece::Text(text) => {
                    let mut text = text.as_str();
                    if index == 0 && tilde && text.starts_with('~') {
                        let end = text.find('/').unwrap_or(text.len());
                        if end < text.len() || pieces.len() == 1 {
                            let (prefix, rest) = text.split_at(end);
                            match self.home(prefix, shell) {
                                Some(home) => last.literal(&home),
                                None => last.unknown(prefix, false),
                            }
                            text = rest;
                        }
                    }
                    last.active(text);
                }
                Piece::Quoted(text) => {
                    last.quoted = true;
                    last.literal(text);
                }
                Piece::Command(_, raw, quoted) => {
                    last.quoted |= *quoted;
                    last.unknown(raw, !quoted && split);
                }
                Piece::Process(_) => last.unknown("/dev/fd/…", false),
                Piece::Arithmetic(inside, quoted) => {
                    last.quoted |= *quoted;
                    last.unknown(&format!("$(({}))", inside.raw), false);
                }
                Piece::Parameter(parameter, quoted) => {
                    last.quoted |= *quoted && parameter.name != "@";
                    match self.parameter(parameter, shell) {
                        Meaning::Text(text) if *quoted || !split => last.literal(&text),
                        Meaning::Text(text)
                            if shell.odd_splits && !text.chars().all(char::is_alphanumeric) =>
                        {
                            last.unknown(&text, true);
                        }
                        Meaning::Text(text) => {
                            cut(&text, last, &mut fields);
                            continue;
                        }
                        Meaning::Words(words) => {
                            last = self.positional(words, *quoted, parameter, last, &mut fields);
                        }
                        Meaning::Unknown => last.unknown(
                            &parameter.raw,
                            split && (!quoted || parameter.name == "@" || parameter.raw.contains('@')),
                        ),
                    }
                }
            }
            fields.push(last);
        }
        fields
    }

    /// `$@` and `"$@"`, known.
    fn positional(
        &self,
        words: Vec<Word>,
        quoted: bool,
        parameter: &super::super::syntax::Parameter,
        mut last: Field,
        fields: &mut Vec<Field>,
    ) -> Field {
        let plain = words.iter().all(|word| {
            word.known
                && (quoted
                    || !word.text.is_empty()
                        && word.text.chars().all(|c| c.is_alphanumeric() || "-_./=:+,@%".contains(c)))
        });
        if !plain || parameter.name == "*" && words.len() != 1 {
            last.unknown(&parameter.raw, true);
            return last;
        }
        let count = words.len();
        if count == 0 && last.text.is_empty() {
            // No word, or an empty one.
            last.unknown(&parameter.raw, true);
            return last;
        }
        for (index, word) in words.into_iter().enumerate() {
            last.literal(&word.text);
            last.quoted = true;
            if index + 1 < count {
                fields.push(std::mem::take(&mut last));
            }
        }
        last
    }

    fn home(&self, prefix: &str, shell: &Shell) -> Option<String> {
        match prefix {
            "~" => shell.value("HOME", self.scene).filter(|home| !home.is_empty()),
            "~+" => shell.value("PWD", self.scene),
            "~root" => Some("/root".to_owned()),
            _ => None,
        }
    }

    /// Walks the substitutions of a word, wherever in it they stand.
    pub(super) fn expansions(&mut self, word: &WordNode, shell: &mut Shell) {
        for piece in &word.pieces {
            match piece {
                Piece::Text(_) => {}
                Piece::Quoted(text) => {
                    self.traps |= text.contains('[') && (text.contains("$(") || text.contains('`'));
                }
                Piece::Command(items, ..) => self.inner(items, shell),
                Piece::Process(items) => {
                    // What is written into it is its input.
                    let before = std::mem::replace(&mut self.around.piped, true);
                    self.inner(items, shell);
                    self.around.piped = before;
                }
                Piece::Arithmetic(inside, _) => self.calculation(inside, shell),
                Piece::Parameter(parameter, _) => {
                    if parameter.operator.contains('!') {
                        // An index, an offset, a name in a variable: calculated.
                        self.calculates = true;
                    }
                    self.expansions(&parameter.operand, shell);
                }
            }
        }
        for word in word.array.iter().flatten() {
            self.expansions(word, shell);
        }
    }

    /// `((…))`: what it sets is not followed.
    pub(super) fn calculation(&mut self, inside: &WordNode, shell: &mut Shell) {
        self.calculates = true;
        self.expansions(inside, shell);
        for name in super::names_in(&inside.raw) {
            if inside.raw.contains(['=', '+', '-']) {
                shell.set(name, None, false);
            }
        }
    }
}

/// Cuts a value at blanks; what stands before and behind joins its neighbours.
fn cut(text: &str, mut last: Field, fields: &mut Vec<Field>) {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\n');
    if text.starts_with(blank) && (last.any || last.quoted) {
        fields.push(std::mem::take(&mut last));
    }
    let words: Vec<&str> = text.split(blank).filter(|word| !word.is_empty()).collect();
    for (index, word) in words.iter().enumerate() {
        last.active(word);
        // Patterns in a value have backslashes of another meaning.
        last.unknown |= word.contains('\\');
        if index + 1 < words.len() {
            fields.push(std::mem::take(&mut last));
        }
    }
    if text.ends_with(blank) && (last.any || last.quoted) {
        fields.push(std::mem::take(&mut last));
    }
    fields.push(last);
}
