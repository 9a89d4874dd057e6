//! The files that a command names.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::command::Line;

/// What only the administrator writes.
const SYSTEM: [&str; 9] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix", "/dev", "/proc", "/sys"];

/// The files among the words of commands, sorted, each by its real path.
///
/// `variables` are those that the command will see and may use for paths; a relative word is looked up in
/// `cwd`. Words are cut wider than a shell does, since a file too few lets something else run. A file that the
/// line only writes to (`>> log`) is not meant: each run would change it.
#[must_use]
pub fn named_files(commands: &[Line], variables: &[(String, String)], cwd: &Path) -> Vec<PathBuf> {
    let mut words = BTreeSet::new();
    for line in commands {
        match line {
            Line::Shell(line) => cut(&without_outputs(line), &mut words),
            Line::Words(own) => own.iter().for_each(|word| cut(word, &mut words)),
        }
    }
    let words: Vec<String> = words.iter().map(|word| substituted(word, variables)).collect();
    // `cd scripts && ./check.sh`: a word may be meant from a folder that another names.
    let folders = words.iter().filter_map(|word| cwd.join(word).canonicalize().ok());
    let folders = folders.filter(|path| path.is_dir() && !is_system(path)).take(FOLDERS);
    let bases: BTreeSet<PathBuf> = folders.chain([cwd.to_owned()]).collect();
    let mut found = BTreeSet::new();
    for base in &bases {
        for word in &words {
            note(&base.join(word), &mut found);
        }
    }
    found.into_iter().collect()
}

/// Folders of one hook's commands from which words are looked up, and files that one pattern may mean.
const FOLDERS: usize = 16;
const PATTERN: usize = 256;

/// All that may be a file's name in a text: the words as a shell has them, and their pieces.
fn cut(text: &str, words: &mut BTreeSet<String>) {
    let whole = shlex::split(text).unwrap_or_default();
    for word in whole.iter().map(String::as_str).chain([text]) {
        let pieces = word.split(|c: char| c.is_whitespace() || ";|&()<>=,`\"'{}:".contains(c));
        for piece in pieces.chain([word]) {
            // `-f./x`, `@file`, and what is left of `${X:-./x}`.
            let path = piece.find(['.', '/', '~', '$']).map_or("", |at| &piece[at..]);
            for name in [piece, path, piece.trim_start_matches(['-', '+', '@'])] {
                if !name.is_empty() && name.len() <= 4096 {
                    words.insert(name.to_owned());
                }
            }
        }
    }
}

/// What makes it hard to tell where a quotation begins and ends.
const KNOTTY: [&str; 7] = ["#", "<<", "`", "$(", "$'", "\n", "\\"];

/// A line for the shell without the words that follow `>` or `>>` outside quotes. A line that is not plain stays
/// as it is.
fn without_outputs(line: &str) -> Cow<'_, str> {
    if !line.contains('>') || KNOTTY.iter().any(|knot| line.contains(knot)) {
        return Cow::Borrowed(line);
    }
    let mut kept = String::with_capacity(line.len());
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => {}
        }
        // `<>` opens a file for reading as well.
        if c != '>' || quote.is_some() || kept.ends_with('<') {
            kept.push(c);
            continue;
        }
        kept.push(' ');
        while chars.next_if(|c| matches!(c, '>' | '|' | '&' | ' ' | '\t')).is_some() {}
        let mut inner = None;
        while let Some(c) =
            chars.next_if(|c| inner.is_some() || !(c.is_whitespace() || ";|&()<>".contains(*c)))
        {
            match inner {
                Some(open) if c == open => inner = None,
                None if c == '\'' || c == '"' => inner = Some(c),
                _ => {}
            }
        }
    }
    Cow::Owned(kept)
}

fn is_system(path: &Path) -> bool {
    SYSTEM.iter().any(|top| path.starts_with(top))
}

fn note(path: &Path, found: &mut BTreeSet<PathBuf>) {
    if let Ok(real) = path.canonicalize() {
        if real.is_file() && !is_system(&real) {
            found.insert(real);
        }
        return;
    }
    // `./checks/*.sh`
    let name = path.file_name().and_then(|name| name.to_str()).filter(|name| name.contains(['*', '?']));
    if let (Some(name), Some(folder)) = (name, path.parent()) {
        let pattern = wildmatch::WildMatch::new(name);
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let meant =
            entries.filter(|entry| entry.file_name().to_str().is_some_and(|name| pattern.matches(name)));
        for entry in meant.take(PATTERN) {
            if let Ok(real) = entry.path().canonicalize()
                && real.is_file()
                && !is_system(&real)
            {
                found.insert(real);
            }
        }
    }
}

/// `$NAME`, `${NAME}` and a leading `~/`, as far as they are known.
fn substituted(word: &str, variables: &[(String, String)]) -> String {
    let mut word = word.to_owned();
    let home = variables.iter().find(|(name, _)| name == "HOME");
    if let (Some((_, home)), Some(rest)) = (home, word.strip_prefix("~/")) {
        word = format!("{home}/{rest}");
    }
    // The longest name first, so that `$PLUGIN_ROOT` is not read as `$PLUGIN` and `_ROOT`.
    let mut variables: Vec<_> = variables.iter().collect();
    variables.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (name, value) in variables {
        word = word.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
    }
    word
}
