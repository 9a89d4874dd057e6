//! The files that a command names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What only the administrator writes.
const SYSTEM: [&str; 9] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix", "/dev", "/proc", "/sys"];

/// The files among the words of a command, sorted, each by its real path.
///
/// `variables` are those that the command will see and may use for paths; a relative word is looked up in
/// `cwd`. Words are cut wider than a shell does, since a file too many does no harm and one too few does.
#[must_use]
pub fn named_files<'w>(
    words: impl IntoIterator<Item = &'w str>,
    variables: &[(String, String)],
    cwd: &Path,
) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for text in words {
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
