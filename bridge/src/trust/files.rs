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
    let mut found = BTreeSet::new();
    let texts = commands.iter().flat_map(|line| match line {
        Line::Shell(line) => vec![without_outputs(line)],
        Line::Words(words) => words.iter().map(|word| Cow::Borrowed(word.as_str())).collect(),
    });
    for text in texts {
        let text = &*text;
        let whole = shlex::split(text).unwrap_or_default();
        for word in whole.iter().map(String::as_str).chain([text]) {
            note(word, variables, cwd, &mut found);
            for piece in word.split(|c: char| c.is_whitespace() || ";|&()<>=,`\"'".contains(c)) {
                note(piece, variables, cwd, &mut found);
            }
        }
    }
    found.into_iter().collect()
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

fn note(word: &str, variables: &[(String, String)], cwd: &Path, found: &mut BTreeSet<PathBuf>) {
    if word.is_empty() || word.len() > 4096 {
        return;
    }
    let path = cwd.join(substituted(word, variables));
    if let Ok(real) = path.canonicalize()
        && real.is_file()
        && !SYSTEM.iter().any(|top| real.starts_with(top))
    {
        found.insert(real);
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
