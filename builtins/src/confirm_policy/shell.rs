//! The part of the shell's language in which a text says plainly what will run: words, quotes, and simple
//! commands joined by `|`, `&&`, `||`, `;` and line ends. Anything else is not read at all, so that nothing
//! can be overlooked: a reader of the whole language would have to be right about all of it.

/// A program and its arguments, as the shell will pass them on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SimpleCommand {
    pub(super) words: Vec<Word>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether the shell will put names of files in its place.
    pub(super) glob: bool,
}

impl SimpleCommand {
    /// Its words, joined by single spaces.
    pub(super) fn text(&self) -> String {
        self.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// Words that begin or end something larger than a simple command.
const RESERVED: [&str; 21] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "time", "coproc", "in", "exec", "eval", "source", ".",
];

/// The simple commands of a script, or nothing where it holds anything else.
pub(super) fn simple_commands(script: &str) -> Option<Vec<SimpleCommand>> {
    let mut reader = Reader::default();
    let mut chars = script.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => reader.end_word(),
            '\n' => reader.end_line()?,
            ';' => reader.end_command(false)?,
            '&' => {
                chars.next_if_eq(&'&')?;
                reader.end_command(true)?;
            }
            '|' => {
                let _ = chars.next_if_eq(&'|');
                reader.end_command(true)?;
            }
            '\'' => loop {
                match chars.next()? {
                    '\'' => break reader.quoted(),
                    c => reader.push(c)?,
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break reader.quoted(),
                    '$' | '`' | '\\' | '!' => return None,
                    c => reader.push(c)?,
                }
            },
            '*' | '?' | '[' => reader.glob(c)?,
            '~' if reader.word.is_none() => return None,
            '$' | '`' | '\\' | '<' | '>' | '(' | ')' | '{' | '}' | '!' | '#' => return None,
            c => reader.push(c)?,
        }
    }
    reader.end_line()?;
    (!reader.wants_more).then_some(reader.commands)
}

#[derive(Default)]
struct Reader {
    commands: Vec<SimpleCommand>,
    words: Vec<Word>,
    word: Option<Word>,
    /// Whether a `|`, `&&` or `||` waits for its right side.
    wants_more: bool,
}

impl Reader {
    fn push(&mut self, c: char) -> Option<()> {
        // Control characters have no place in a command, and a terminal would not show them.
        if c.is_control() && c != '\n' && c != '\t' {
            return None;
        }
        self.word.get_or_insert_default().text.push(c);
        Some(())
    }

    /// Quotes make a word, also an empty one.
    fn quoted(&mut self) {
        self.word.get_or_insert_default();
    }

    /// A pattern at a word's begin could turn into an option: a file may be called `-rf`.
    fn glob(&mut self, c: char) -> Option<()> {
        let word = self.word.as_mut().filter(|word| !word.text.is_empty())?;
        word.glob = true;
        word.text.push(c);
        Some(())
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_line(&mut self) -> Option<()> {
        self.end_word();
        if self.words.is_empty() { Some(()) } else { self.end_command(false) }
    }

    fn end_command(&mut self, wants_more: bool) -> Option<()> {
        self.end_word();
        let program = self.words.first()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-+./".contains(c);
        if program.text.is_empty()
            || program.text.starts_with('-')
            || program.glob
            || !program.text.chars().all(plain)
            || RESERVED.contains(&program.text.as_str())
        {
            return None;
        }
        self.commands.push(SimpleCommand { words: std::mem::take(&mut self.words) });
        self.wants_more = wants_more;
        Some(())
    }
}
