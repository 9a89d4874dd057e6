//! Whether a change can have been the fix: a check that fails once and passes the next time was not mended by an edit of something else.
//!
//! A change is related to an error where the error, or the call that failed, names the file; where both use a word that is theirs
//! (`KeyError: 'colour'`, and a line with `colour`); or where a file that the error names uses the changed one by its name. Prose is only
//! related where it is named itself. A command that changes something (`pip install`, `touch`) counts as related, since what it
//! does cannot be read off it; one that only looks does not.

use std::collections::BTreeSet;
use std::path::Path;

use crate::checks;

use super::chains::Attempt;
use super::fingerprint::{mask, own_words};

/// Names of files that say nothing: the folder's is taken for them.
const BARE: [&str; 13] = [
    "mod", "lib", "main", "index", "init", "__init__", "test", "tests", "util", "utils", "common", "types",
    "conftest",
];
/// Files whose words are about everything.
const PROSE: [&str; 7] = ["md", "txt", "rst", "adoc", "markdown", "org", "log"];
/// Words of many errors and much code.
const COMMON: [&str; 96] = [
    "actual",
    "again",
    "args",
    "array",
    "assert",
    "assertion",
    "assertionerror",
    "async",
    "await",
    "bool",
    "break",
    "call",
    "class",
    "code",
    "command",
    "const",
    "context",
    "continue",
    "could",
    "data",
    "debug",
    "default",
    "does",
    "else",
    "ended",
    "enum",
    "equal",
    "error",
    "errors",
    "exception",
    "exit",
    "expect",
    "expected",
    "export",
    "fail",
    "failed",
    "failure",
    "false",
    "file",
    "found",
    "from",
    "func",
    "function",
    "have",
    "help",
    "impl",
    "import",
    "info",
    "index",
    "input",
    "into",
    "last",
    "left",
    "length",
    "line",
    "list",
    "match",
    "message",
    "method",
    "module",
    "most",
    "must",
    "name",
    "none",
    "note",
    "null",
    "number",
    "object",
    "output",
    "panic",
    "panicked",
    "pass",
    "passed",
    "print",
    "public",
    "raise",
    "recent",
    "result",
    "return",
    "right",
    "self",
    "should",
    "static",
    "string",
    "struct",
    "test",
    "tests",
    "that",
    "this",
    "thread",
    "traceback",
    "true",
    "type",
    "value",
    "with",
    "warning",
];
/// Files named by an error that are looked into, and the bytes of each.
const LOOKED_INTO: usize = 8;
const BYTES: u64 = 64 * 1024;

/// What is known of an error.
pub(super) struct Complaint<'a> {
    /// What it said.
    pub(super) text: &'a str,
    /// The call that failed.
    pub(super) call: &'a str,
    /// Where it ran.
    pub(super) workspace: Option<&'a Path>,
}

/// How an attempt stands to an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It can have been the fix.
    Related,
    /// It changed something else.
    Elsewhere,
    /// It changed nothing.
    Looked,
}

pub(super) fn standing(attempt: &Attempt, complaint: &Complaint<'_>) -> Standing {
    if let Some(path) = edited(&attempt.action) {
        let related = is_related(path, &attempt.changes, complaint);
        return if related { Standing::Related } else { Standing::Elsewhere };
    }
    let command = attempt.action.strip_prefix("ran `").and_then(|rest| rest.strip_suffix('`'));
    let cwd = complaint.workspace.unwrap_or(Path::new("/"));
    if command.is_some_and(|command| checks::only_looks(command, cwd)) {
        Standing::Looked
    } else {
        Standing::Related
    }
}

/// The path of an attempt that was an edit.
fn edited(action: &str) -> Option<&str> {
    action.strip_prefix("edited ").or_else(|| action.strip_prefix("created "))
}

fn is_related(path: &str, changes: &str, complaint: &Complaint<'_>) -> bool {
    let said = format!("{}\n{}", own_words(complaint.text), complaint.call);
    let name = path.rsplit('/').next().unwrap_or(path);
    if is_word_in(path, &said) || is_word_in(name, &said) && stem_of(path) == stem(name) {
        return true;
    }
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_lowercase();
    if PROSE.contains(&extension.as_str()) {
        return false;
    }
    let said_words = words(&said);
    let stem = stem_of(path);
    if stem.len() >= 3 && said_words.contains(&stem) {
        return true;
    }
    let own: BTreeSet<String> = words(&mask(&said)).into_iter().filter(|word| is_own(word)).collect();
    let changed: BTreeSet<String> = changed_lines(changes).flat_map(words).collect();
    if !own.is_disjoint(&changed) {
        return true;
    }
    complaint.workspace.is_some_and(|workspace| is_used_by_named(&stem, &said, workspace))
}

/// The lines of a difference that come or go; all of a text that is none.
fn changed_lines(changes: &str) -> impl Iterator<Item = &str> {
    let is_diff = changes.lines().any(|line| line.starts_with("@@") || line.starts_with("+++"));
    changes.lines().filter(move |line| {
        !is_diff || line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
    })
}

fn stem(name: &str) -> String {
    name.trim_start_matches('.').split('.').next().unwrap_or_default().to_lowercase()
}

/// What a file is called where it is used: its name, or its folder's where that says nothing.
fn stem_of(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let own = stem(name);
    if BARE.contains(&own.as_str()) {
        return folder.rsplit('/').next().unwrap_or_default().to_lowercase();
    }
    own
}

/// The words of a text, in small letters; `test_calc` is `test`, `calc` and itself.
fn words(text: &str) -> BTreeSet<String> {
    let whole = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    whole
        .flat_map(|word| std::iter::once(word).chain(word.split('_')))
        .filter(|word| word.chars().count() >= 3)
        .map(str::to_lowercase)
        .collect()
}

fn is_own(word: &str) -> bool {
    word.chars().count() >= 4 && !word.chars().all(char::is_numeric) && !COMMON.contains(&word)
}

/// Whether a name stands in a text by itself, or behind a slash.
fn is_word_in(name: &str, text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
            !before.is_some_and(|c| part(c) || c == '.') && !after.is_some_and(part)
        })
}

/// Whether a file of the workspace that the error names speaks of the changed one.
fn is_used_by_named(stem: &str, said: &str, workspace: &Path) -> bool {
    use std::io::Read;
    if stem.len() < 3 {
        return false;
    }
    let names = said.split(|c: char| c.is_whitespace() || "'\"`:,;()[]{}<>|&".contains(c));
    let named = names.filter(|name| name.contains('.') && !name.starts_with('-'));
    let files: BTreeSet<_> = named
        .map(|name| workspace.join(name))
        .filter(|file| file.starts_with(workspace))
        .filter(|file| std::fs::symlink_metadata(file).is_ok_and(|data| data.is_file()))
        .take(LOOKED_INTO)
        .collect();
    files.into_iter().any(|file| {
        let mut text = Vec::new();
        let read = std::fs::File::open(file).and_then(|file| file.take(BYTES).read_to_end(&mut text));
        read.is_ok() && words(&String::from_utf8_lossy(&text)).contains(stem)
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn attempt(action: &str, changes: &str) -> Attempt {
        let (id, successful, at) = (1, false, Timestamp::UNIX_EPOCH);
        Attempt { id, action: action.into(), changes: changes.into(), successful, at }
    }

    fn stands(action: &str, changes: &str, text: &str, call: &str) -> Standing {
        standing(&attempt(action, changes), &Complaint { text, call, workspace: None })
    }

    #[test]
    fn an_edit_is_related_by_name_or_by_a_word_of_its_own() {
        for (action, changes, text) in [
            ("edited src/a.py", "", "File \"src/a.py\", line 3"),
            ("edited src/a.py", "", "at /home/x/w/src/a.py:3"),
            ("edited src/calc.py", "", "tests/test_calc.py:5: AssertionError: assert 3 == 4"),
            ("edited src/colours.py", "@@\n+    'colour': 1,", "KeyError: 'colour'"),
            ("created config.toml", "[a]", "FileNotFoundError: config.toml"),
            ("edited src/parse/mod.rs", "", "thread 'parse::tests::empty' panicked at tests/all.rs"),
            ("edited README.md", "", "README.md is out of date"),
            (
                "edited src/lib.rs",
                "@@\n-pub fn total() {}\n+pub fn total() -> u32 { 1 }",
                "cannot find function `total` in crate",
            ),
            ("created good", "y", "exit code 1"),
        ] {
            assert_eq!(
                stands(action, changes, text, "shell test -e good"),
                Standing::Related,
                "{action}: {text}"
            );
        }
    }

    #[test]
    fn an_edit_of_something_else_is_not() {
        for (action, changes, text) in [
            ("edited README.md", "@@\n+The connection may time out.", "ConnectionError: connection refused"),
            ("edited docs/colour.md", "colour", "KeyError: 'colour'"),
            (
                "edited src/other.py",
                "@@\n+def other():\n+    return 1",
                "tests/test_net.py:5: AssertionError",
            ),
            ("edited src/main.rs", "@@\n+// a remark", "thread 'net::slow' panicked at tests/net.rs:7"),
            ("edited src/test.py", "", "1 failed"),
            ("edited a.py", "", "b/aa.py: SyntaxError"),
            ("edited CHANGELOG.txt", "assert test error file", "AssertionError in test file"),
        ] {
            assert_eq!(
                stands(action, changes, text, "shell pytest"),
                Standing::Elsewhere,
                "{action}: {text}"
            );
        }
    }

    #[test]
    fn a_command_that_looks_changes_nothing() {
        assert_eq!(stands("ran `ls -la`", "", "x", ""), Standing::Looked);
        assert_eq!(stands("ran `pip install yaml`", "", "No module named 'yaml'", ""), Standing::Related);
    }

    #[test]
    fn a_file_that_the_named_one_uses_is_related() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("check.py"), "from pricing import rebate\n").unwrap();
        let stands = |path: &str| {
            let complaint =
                Complaint { text: "check.py:3: AssertionError", call: "", workspace: Some(folder.path()) };
            standing(&attempt(&format!("edited {path}"), ""), &complaint)
        };
        assert_eq!(stands("pricing.py"), Standing::Related);
        assert_eq!(stands("pricing/__init__.py"), Standing::Related);
        assert_eq!(stands("shipping.py"), Standing::Elsewhere);
    }
}
