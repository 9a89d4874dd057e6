//! What makes two errors the same: the text without what changes from run to run.
//!
//! What a host puts before a tool's own words is left out (every command that fails would be like every other). Paths,
//! numbers, addresses, hashes and times are masked, colours and extra spaces taken out; the fingerprint is the SHA-256 of
//! the rest. Of a long text its begin and its end count: some programs say what is wrong first, others last.

use std::sync::LazyLock;

use regex::Regex;
use sha2::{Digest, Sha256};

/// Characters of a text that count, and that are kept.
pub(super) const COUNTS: usize = 4000;

/// What the engine says before a tool's own words: the tool's name, and how a command ended.
static PREAMBLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^`[^`\n]+`: (?:The command (?:ended|was) [^\n]*(?:\n|$))?").ok());

/// What is masked, in this order, since a time holds numbers and a path may hold a hash.
const MASKS: [(&str, &str); 7] = [
    (r"\x1b\[[0-9;]*[A-Za-z]", ""),
    (
        r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b",
        "<time>",
    ),
    (r"\b0x[0-9a-fA-F]+\b", "<address>"),
    (r"(?:\b[A-Za-z]:\\|~?/|\.{1,2}/|\b[\w.-]+/)[\w./\\@+~-]*[\w]", "<path>"),
    (r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b", "<hash>"),
    (r"\b(?:[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]*|[0-9a-f]*[a-f][0-9a-f]*[0-9][0-9a-f]*)\b", "<hex>"),
    (r"\b\d+(?:[.,]\d+)*\b", "<n>"),
];

static RULES: LazyLock<Vec<(Regex, &'static str)>> =
    LazyLock::new(|| MASKS.iter().filter_map(|(rule, mask)| Some((Regex::new(rule).ok()?, *mask))).collect());

/// Kinds of errors that show in their texts, and what they are called; the first that fits counts.
static KINDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"\berror\[([A-Z]\d+)\]",
        r"\b((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))\b",
        r"\b(panicked) at\b",
        r"\b(TS\d{4})\b",
        r"\b(command not found|No such file or directory|Permission denied)\b",
        r"\b(exit code \d+)\b",
    ]
    .iter()
    .filter_map(|rule| Regex::new(rule).ok())
    .collect()
});

/// The text with everything masked that changes from run to run.
///
/// ```
/// use hookspec_session_buddy::errors::mask;
/// assert_eq!(mask("/tmp/a.rs:3:14: at 0xdeadbeef"), mask("src/lib.rs:77:1: at 0x10"));
/// ```
#[must_use]
pub fn mask(text: &str) -> String {
    let mut masked = ends(own_words(text), COUNTS);
    for (rule, mask) in RULES.iter() {
        let with = if *mask == "<hex>" {
            masked_hex(rule, &masked)
        } else {
            rule.replace_all(&masked, *mask).into_owned()
        };
        masked = with;
    }
    masked.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An error's text without what the host says before the tool's own words.
///
/// ```
/// use hookspec_session_buddy::errors::own_words;
/// assert_eq!(own_words("`shell`: The command ended with exit code 1.\nKeyError: 'x'"), "KeyError: 'x'");
/// assert_eq!(own_words("KeyError: 'x'"), "KeyError: 'x'");
/// ```
#[must_use]
pub fn own_words(text: &str) -> &str {
    let before = PREAMBLE.as_ref().and_then(|rule| rule.find(text)).map_or(0, |found| found.end());
    &text[before..]
}

/// At most so many characters: where there are more, the first and the last half of them.
pub(super) fn ends(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most / 2).collect();
    let tail: String = text.chars().skip(count - most / 2).collect();
    format!("{head} … {tail}")
}

/// Only long ones: `abc1` may be anybody's name.
fn masked_hex(rule: &Regex, text: &str) -> String {
    const SHORTEST: usize = 7;
    let masked = rule.replace_all(text, |found: &regex::Captures<'_>| {
        if found[0].len() < SHORTEST { found[0].to_owned() } else { "<hash>".to_owned() }
    });
    masked.into_owned()
}

/// The fingerprint of a masked text.
#[must_use]
pub fn fingerprint(masked: &str) -> String {
    Sha256::digest(masked.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What kind of error a text tells of: `E0308`, `KeyError`, `exit code 2`; `unknown` where it does not show.
#[must_use]
pub fn kind(text: &str) -> String {
    let found = KINDS.iter().find_map(|rule| Some(rule.captures(text)?.get(1)?.as_str()));
    found.unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_from_run_to_run_does_not_count() {
        for (one, two) in [
            ("at /home/a/x.py line 3", "at ./b/y.py line 44"),
            ("took 3.2 s", "took 17 s"),
            ("commit 1f2e3d4 is bad", "commit 9a8b7c6d5e is bad"),
            ("2026-01-02T03:04:05Z: no", "2025-12-31 23:59:59.123: no"),
            ("object at 0x7f3a", "object at 0xFFFF01"),
            ("\u{1b}[31mred\u{1b}[0m  text", "red text"),
        ] {
            assert_eq!(mask(one), mask(two));
        }
    }

    #[test]
    fn what_tells_errors_apart_stays() {
        for (one, two) in [
            ("error[E0308]: mismatched types", "error[E0382]: use of moved value"),
            ("KeyError: 'name'", "KeyError: 'age'"),
            ("cannot find `foo`", "cannot find `bar`"),
        ] {
            assert_ne!(fingerprint(&mask(one)), fingerprint(&mask(two)));
        }
        assert_eq!(mask("deadbeef added"), "deadbeef added", "a word of letters is a word");
    }

    #[test]
    fn both_ends_of_a_long_text_count() {
        let long = |begin: &str, end: &str| mask(&format!("{begin} {} {end}", "so it goes ".repeat(2000)));
        assert_ne!(long("KeyError", "x"), long("ValueError", "x"));
        assert_ne!(long("Traceback", "KeyError"), long("Traceback", "ValueError"));
        assert!(long("a", "b").len() < 2 * COUNTS);
    }

    #[test]
    fn kinds_show_in_the_text() {
        for (text, kind) in [
            ("error[E0308]: mismatched types", "E0308"),
            ("Traceback …\nKeyError: 'x'", "KeyError"),
            ("json.decoder.JSONDecodeError: no", "json.decoder.JSONDecodeError"),
            ("thread 'main' panicked at src/x.rs", "panicked"),
            ("The command ended with exit code 2.", "exit code 2"),
            ("it did not work", "unknown"),
        ] {
            assert_eq!(super::kind(text), kind);
        }
    }
}
