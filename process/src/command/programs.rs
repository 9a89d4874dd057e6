//! What is known of programs, from `data/programs.toml`.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::LazyLock;

use serde::Deserialize;

use super::reading::{Redirect, Simple, Word};

static TABLE: LazyLock<Programs> = LazyLock::new(|| {
    // A test reads it; where it cannot be read, nothing is known, and so all is asked.
    toml::from_str(include_str!("../../data/programs.toml")).unwrap_or_default()
});

/// The table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Programs {
    quiet: Names,
    git: Names,
    wrapper: BTreeMap<String, Options>,
    leading: BTreeMap<String, Options>,
    runs: BTreeMap<String, Vec<String>>,
    variables: BTreeMap<String, Vec<String>>,
    interpreter: BTreeMap<String, Interpreter>,
    pub(super) files: Files,
    pub(super) options: BTreeMap<String, FileOptions>,
    pub(super) network: Network,
}

/// What programs do with the files among their words.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Files {
    pub(super) reads: Names,
    pub(super) searches: Names,
    pub(super) copies: Names,
    pub(super) writes: Names,
}

/// Options of a program whose word is a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FileOptions {
    pub(super) reads: Vec<String>,
    pub(super) writes: Vec<String>,
    /// Those whose word names a file behind `@`.
    pub(super) marked: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Network {
    pub(super) sends: Names,
    pub(super) some: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(from = "String")]
pub(super) struct Names(HashSet<String>);

impl Names {
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

impl From<String> for Names {
    fn from(text: String) -> Self {
        Self(text.split_ascii_whitespace().map(str::to_owned).collect())
    }
}

/// Where a program's own words end.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Options {
    flags: String,
    takes: String,
    long: Vec<String>,
    long_takes: Vec<String>,
    /// Words of its own before the command's.
    pub(super) own: usize,
    /// Whether `name=value` may stand before the command.
    pub(super) assigns: bool,
    /// Whether the words are joined and read by a shell.
    pub(super) joins: bool,
    /// Whether that shell is on another machine.
    pub(super) elsewhere: bool,
    /// Whether `-c` takes a script.
    pub(super) script: bool,
    /// Whether `+word` stands among the options.
    plus: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Interpreter {
    code: String,
    takes: String,
    /// The option that names the file.
    file: String,
    only_option: bool,
    /// Words that stand before the file.
    words: Vec<String>,
}

/// One option, as it was found.
pub(super) struct Given<'w> {
    /// Its letter, or its name.
    pub(super) name: &'w str,
    /// The word that it takes.
    pub(super) value: Option<&'w str>,
}

impl Options {
    /// Where the words that are no options begin, and the options before that; none where one is not known.
    pub(super) fn split<'w>(&self, args: &'w [Word]) -> Option<(Vec<Given<'w>>, usize)> {
        let mut given = Vec::new();
        let mut at = 0;
        while let Some(word) = args.get(at) {
            if !word.known || word.splits {
                return None;
            }
            let text = word.text.as_str();
            if text == "--" {
                return Some((given, at + 1));
            }
            if self.plus && text.starts_with('+') && text.len() > 1 {
                at += 1;
                continue;
            }
            if !text.starts_with('-') || text == "-" {
                break;
            }
            at += 1;
            let next =
                || args.get(at).filter(|word| word.known && !word.splits).map(|word| word.text.as_str());
            if let Some(long) = text.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                // A name may be cut short.
                if let Some(full) = self.long_takes.iter().find(|full| full.starts_with(name)) {
                    let exact = self.long.iter().any(|flag| flag == name);
                    if exact && full != name {
                        given.push(Given { name, value });
                        continue;
                    }
                    let value = match value {
                        Some(value) => value,
                        None => {
                            let value = next()?;
                            at += 1;
                            value
                        }
                    };
                    given.push(Given { name, value: Some(value) });
                } else if self.long.iter().any(|flag| flag.starts_with(name)) {
                    given.push(Given { name, value });
                } else {
                    return None;
                }
                continue;
            }
            let letters = text.get(1..)?;
            for (index, letter) in letters.char_indices() {
                let name = letters.get(index..index + letter.len_utf8())?;
                if self.takes.contains(letter) {
                    let rest = letters.get(index + letter.len_utf8()..)?;
                    let value = if rest.is_empty() {
                        let value = next()?;
                        at += 1;
                        value
                    } else {
                        rest
                    };
                    given.push(Given { name, value: Some(value) });
                    break;
                }
                if !self.flags.contains(letter) {
                    return None;
                }
                given.push(Given { name, value: None });
            }
        }
        Some((given, at))
    }
}

/// A program's name without its folder.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A name without its version: `python3.12` is a `python`.
pub(super) fn family(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let short = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if short.is_empty() { name } else { short }
}

/// Whether a name is that of a shell whose scripts are read here.
pub(super) fn is_shell(name: &str) -> bool {
    matches!(
        family(name),
        "sh" | "bash" | "dash" | "ash" | "zsh" | "ksh" | "mksh" | "rbash" | "rzsh" | "yash" | "hush"
    )
}

impl Programs {
    pub(super) fn get() -> &'static Self {
        &TABLE
    }

    pub(super) fn wrapper(&self, name: &str) -> Option<&Options> {
        self.wrapper.get(name)
    }

    pub(super) fn leading(&self, name: &str) -> Option<&Options> {
        self.leading.get(name)
    }

    /// Whether a program changes no file.
    pub(super) fn is_quiet(&self, name: &str) -> bool {
        self.quiet.0.contains(name) || name.is_empty()
    }

    pub(super) fn is_git(&self, subcommand: &str) -> bool {
        self.git.0.contains(subcommand)
    }

    /// Moves the options before a subcommand aside; none where one is not known.
    pub(super) fn lead(&self, command: &mut Simple) -> Option<()> {
        if let Some(subcommand) =
            command.program.strip_prefix("git-").filter(|name| self.is_git(name)).map(str::to_owned)
        {
            if let Some(first) = command.words.first_mut() {
                first.text.truncate(first.text.len() - subcommand.len() - 1);
            }
            command.words.insert(1.min(command.words.len()), Word::known(subcommand));
            command.program = "git".to_owned();
        }
        let Some(options) = self.leading.get(command.program.as_str()) else { return Some(()) };
        let (_, start) = options.split(command.words.get(1..)?)?;
        // `git --version` has no subcommand.
        if start + 1 < command.words.len() {
            command.leading = command.words.splice(1..=start, []).collect();
        }
        Some(())
    }

    /// Whether the word behind the program is no command of its own, so that a configuration says what it runs.
    pub(super) fn needs_subcommand(&self, command: &Simple) -> bool {
        command.program == "git"
            && command
                .words
                .get(1)
                .is_some_and(|word| word.known && !word.text.starts_with('-') && !self.is_git(&word.text))
    }

    /// Whether an option of a program runs something, or takes what runs from elsewhere.
    pub(super) fn is_running(&self, program: &str, option: &str) -> bool {
        let Some(options) = self.runs.get(program).or_else(|| self.runs.get(family(program))) else {
            return false;
        };
        options.iter().any(|known| fits(known, option))
    }

    /// Whether a variable says what a program runs.
    pub(super) fn is_leading_variable(&self, program: &str, name: &str) -> bool {
        let lists = [self.variables.get("any"), self.variables.get(family(program))];
        lists.into_iter().flatten().flatten().any(|known| match known.strip_suffix('*') {
            Some(begin) => name.starts_with(begin),
            None => name == known,
        })
    }

    /// The files that a command runs.
    pub(super) fn runs(&self, command: &Simple) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let Some(first) = command.words.first().filter(|word| word.known) else { return files };
        if first.text.contains('/') {
            files.push(command.path(&first.text));
        }
        let args = command.args();
        if matches!(command.program.as_str(), "." | "source") || is_shell(&command.program) {
            let operand = args.iter().find(|word| !word.text.starts_with(['-', '+']));
            let code = args.iter().any(|word| {
                word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('c')
            });
            if let Some(file) = operand.filter(|word| word.known && !code) {
                files.push(command.path(&file.text));
            }
            let input = command.redirections.iter().filter(|redirection| redirection.kind == Redirect::Read);
            files.extend(
                input
                    .filter(|redirection| redirection.target.known)
                    .map(|redirection| command.path(&redirection.target.text)),
            );
        }
        let known = self
            .interpreter
            .get(command.program.as_str())
            .or_else(|| self.interpreter.get(family(&command.program)));
        if let Some(file) = known.and_then(|interpreter| interpreter.file(args)) {
            files.push(command.path(file));
        }
        files
    }
}

impl Interpreter {
    fn file<'w>(&self, args: &'w [Word]) -> Option<&'w str> {
        let mut rest = args.iter();
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                if self.words.iter().any(|own| own == text) {
                    continue;
                }
                return (word.known && !self.only_option).then_some(text);
            };
            if letters.starts_with('-') {
                continue;
            }
            for (index, letter) in letters.char_indices() {
                let attached = letters.get(index + letter.len_utf8()..).filter(|rest| !rest.is_empty());
                if self.file.contains(letter) {
                    return attached.or_else(|| rest.next().map(|word| word.text.as_str()));
                }
                if self.code.contains(letter) {
                    return None;
                }
                if self.takes.contains(letter) {
                    if attached.is_none() {
                        rest.next();
                    }
                    break;
                }
            }
        }
        None
    }
}

/// Whether a word is an option, in any of its spellings: `--config=x`, `--conf x`, `-Cdir`, `-qC dir`.
fn fits(known: &str, word: &str) -> bool {
    if let Some(begin) = known.strip_suffix('*') {
        return word.starts_with(begin);
    }
    if known.starts_with("--") {
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        return name.len() > 3 && known.starts_with(name);
    }
    let mut letters = known.chars().skip(1);
    if let (Some(letter), None) = (letters.next(), letters.next())
        && known.starts_with('-')
    {
        return word.starts_with('-') && !word.starts_with("--") && word.contains(letter);
    }
    word == known || word.split_once('=').is_some_and(|(name, _)| name == known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        let table: Programs = toml::from_str(include_str!("../../data/programs.toml")).unwrap();
        assert!(table.wrapper.len() > 40 && table.runs.len() > 40 && table.is_git("push"));
        for options in table.wrapper.values().chain(table.leading.values()) {
            assert!(!options.flags.contains(|c| options.takes.contains(c)), "{options:?}");
        }
    }

    #[test]
    fn options_are_told_in_all_their_spellings() {
        for (known, word) in [
            ("--config", "--config=x"),
            ("--config", "--conf"),
            ("-C", "-Cdir"),
            ("-C", "-qC"),
            ("-fplugin*", "-fplugin=x"),
            ("-exec", "-exec"),
            ("SHELL=*", "SHELL=x"),
        ] {
            assert!(fits(known, word), "{known} {word}");
        }
        for (known, word) in
            [("--config", "--color"), ("-C", "--Color"), ("-exec", "-e"), ("--config", "--c")]
        {
            assert!(!fits(known, word), "{known} {word}");
        }
    }
}
