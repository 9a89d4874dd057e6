//! Commands that print credentials.
//!
//! A command is cut into its simple parts the way a shell would cut it, roughly: what is hidden behind variables,
//! aliases or another language is not seen.

use crate::globs::Globs;

use super::table::Prints;

/// So many commands in commands are looked into: `bash -c "ssh host 'cat .env'"`.
const DEEP: usize = 3;
/// The words of a command at which the command that another one runs may begin.
const STARTS: usize = 40;
/// Words that stand before a command.
const KEYWORDS: &[&str] = &["!", "{", "do", "elif", "else", "if", "then", "until", "while"];

/// What a command prints that it should not.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Printed {
    /// A file with credentials in it.
    File(String),
    /// All variables.
    Environment,
    /// A variable that holds a credential, by its name.
    Variable(String),
    /// What a program keeps secret; the program's words.
    Command(String),
}

/// A simple command.
struct Part {
    text: String,
    /// Whether another command reads what it prints.
    piped: bool,
}

impl Prints {
    /// What a shell command prints that it should not, if anything.
    pub(super) fn printed_by(&self, command: &str, allowed: &Globs) -> Option<Printed> {
        self.look(command, allowed, DEEP)
    }

    /// Whether credentials are in a file, by its name; each file may have some where the table cannot be read.
    pub(super) fn is_credential_file(&self, path: &str, allowed: &Globs) -> bool {
        self.files.fit(path).unwrap_or(true)
            && !self.harmless.fit(path).unwrap_or(false)
            && !allowed.fit(path)
    }

    fn look(&self, command: &str, allowed: &Globs, deep: usize) -> Option<Printed> {
        parts(command).iter().find_map(|part| {
            let words = words(&part.text);
            let words = words.get(leading(&words)..)?;
            let runs = self.runners.contains(program(words.first()?));
            let inner = || {
                let starts = (1..words.len().min(STARTS)).filter(|_| runs);
                starts.into_iter().find_map(|start| {
                    let words = words.get(start..)?;
                    let nested = words.first().filter(|word| deep > 0 && word.contains(char::is_whitespace));
                    let nested = nested.and_then(|word| self.look(word, allowed, deep - 1));
                    nested.or_else(|| self.simple(words, part.piped, allowed))
                })
            };
            self.simple(words, part.piped, allowed).or_else(inner)
        })
    }

    /// A program and its words.
    fn simple(&self, words: &[String], piped: bool, allowed: &Globs) -> Option<Printed> {
        let name = program(words.first()?);
        let redirected = words
            .iter()
            .position(|word| word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('>'));
        let rest = words.get(1..redirected.unwrap_or(words.len())).unwrap_or_default();
        let dumps = match name {
            "env" => is_bare(rest),
            "printenv" | "set" => rest.iter().all(|word| word.starts_with('-') && name == "printenv"),
            "export" | "declare" | "typeset" => rest.iter().all(|word| word == "-p" || word == "-x"),
            _ => false,
        };
        if dumps {
            return Some(Printed::Environment);
        }
        let variable = match name {
            "printenv" => rest.iter().find(|word| self.is_secret_name(word)).cloned(),
            "echo" | "printf" if !piped && redirected.is_none() => {
                rest.iter().find_map(|word| self.variable_in(word))
            }
            _ => None,
        };
        if let Some(variable) = variable {
            return Some(Printed::Variable(variable));
        }
        if let Some(command) = self.commands.iter().find(|command| is_in_order(command, name, rest)) {
            return Some(Printed::Command(command.clone()));
        }
        self.files_of(name, words)
            .into_iter()
            .find(|file| self.is_credential_file(file, allowed))
            .map(|file| Printed::File(file.to_owned()))
    }

    /// The words that name files whose text a program shows or sends.
    fn files_of<'w>(&self, name: &str, words: &'w [String]) -> Vec<&'w str> {
        let rest = words.get(1..).unwrap_or_default();
        let searches = self.searchers.contains(name);
        let reads = searches || self.readers.contains(name);
        // The first word that is no option is what is searched for.
        let wanted = rest.iter().position(|word| searches && !word.starts_with('-'));
        let mut files = Vec::new();
        for (index, word) in rest.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|index| rest.get(index)).map(String::as_str);
            if before.is_some_and(|before| before.ends_with('<')) {
                files.push(word.as_str());
            } else if let Some((_, file)) = word.split_once('<') {
                files.push(file);
            } else if let Some((_, file)) = word.split_once('@').filter(|_| self.senders.contains(name)) {
                files.push(file);
            } else if reads && Some(index) != wanted {
                files.push(word.rsplit('=').next().unwrap_or(word));
            }
        }
        files
    }

    /// The variable with a credential that a word of a shell shows.
    fn variable_in(&self, word: &str) -> Option<String> {
        word.split('$').skip(1).find_map(|after| {
            let after = after.strip_prefix('{').unwrap_or(after);
            let name: String = after.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            // `${TOKEN:+set}` tells only that it is there.
            let rest = after.get(name.len()..).unwrap_or_default();
            (self.is_secret_name(&name) && !rest.trim_start_matches(':').starts_with('+')).then_some(name)
        })
    }

    fn is_secret_name(&self, name: &str) -> bool {
        let name = name.to_ascii_uppercase();
        self.names.iter().any(|part| name.contains(part.as_str()))
    }
}

/// The name of a program without its folder.
fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// How many words stand before the program: assignments and keywords.
fn leading(words: &[String]) -> usize {
    words.iter().take_while(|word| KEYWORDS.contains(&word.as_str()) || is_assignment(word)).count()
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether `env` has no command to run.
fn is_bare(words: &[String]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if matches!(word.as_str(), "-u" | "--unset" | "-C" | "--chdir") {
            words.next();
        } else if !word.starts_with('-') && !is_assignment(word) {
            return false;
        }
    }
    true
}

/// Whether a command starts with the program and has the other words in its order.
fn is_in_order(command: &str, name: &str, words: &[String]) -> bool {
    let mut wanted = command.split(' ');
    let mut words = words.iter();
    wanted.next() == Some(name) && wanted.all(|wanted| words.any(|word| word == wanted))
}

/// The words of a part; where quotes do not match, what lies between spaces.
fn words(text: &str) -> Vec<String> {
    shell_words::split(text).unwrap_or_else(|_| {
        let words = text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned());
        words.filter(|word| !word.is_empty()).collect()
    })
}

/// Cuts a command at what separates simple commands, substitutions included.
fn parts(command: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut cut = |text: &mut String, piped| {
        if !text.trim().is_empty() {
            parts.push(Part { text: std::mem::take(text), piped });
        }
        text.clear();
    };
    // The quote that is open, for each substitution around this place.
    let (mut quote, mut outer) = (None, Vec::new());
    let mut chars = command.chars().peekable();
    while let Some(ch) = chars.next() {
        match (quote, ch) {
            (Some('\''), '\'') | (Some('"'), '"') => {
                quote = None;
                text.push(ch);
            }
            (Some('\''), _) => text.push(ch),
            (_, '\\') => {
                text.push(ch);
                text.extend(chars.next());
            }
            (_, '$') if chars.peek() == Some(&'(') => {
                chars.next();
                cut(&mut text, false);
                outer.push((quote.take(), ')'));
            }
            (_, '`') if matches!(outer.last(), Some((_, '`'))) => {
                cut(&mut text, false);
                quote = outer.pop().and_then(|(quote, _)| quote);
            }
            (_, '`') => {
                cut(&mut text, false);
                outer.push((quote.take(), '`'));
            }
            (None, '"' | '\'') => {
                quote = Some(ch);
                text.push(ch);
            }
            (None, '(') => {
                cut(&mut text, false);
                outer.push((None, ')'));
            }
            (None, ')') => {
                cut(&mut text, false);
                if matches!(outer.last(), Some((_, ')'))) {
                    quote = outer.pop().and_then(|(quote, _)| quote);
                }
            }
            (None, '|') => {
                let or = chars.next_if_eq(&'|').is_some();
                cut(&mut text, !or);
            }
            // `2>&1` and `&>` are redirections.
            (None, '&') if text.ends_with('>') || chars.peek() == Some(&'>') => text.push(ch),
            (None, ';' | '\n' | '&') => cut(&mut text, false),
            _ => text.push(ch),
        }
    }
    cut(&mut text, false);
    parts
}
