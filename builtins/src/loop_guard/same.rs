//! When two calls, and two results, are the same.

use std::borrow::Cow;
use std::sync::LazyLock;

use hookspec::{Session, ToolUse};
use hookspec_process::command::{Redirect, Simple};
use regex::Regex;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::shared::commands::{reading, scripts};
use crate::shared::text::sorted;

/// What differs from one run to the next without meaning anything. The parts in the first group stay.
static PASSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)",
        // Colours of a terminal.
        "\u{1b}\\[[0-9;?]*[a-z]",
        // Dates with times, and times.
        r"|\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:z|[+-]\d\d:?\d\d)?)?",
        r"|\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? (?:[a-z]{3} +\d+|\d+ [a-z]{3})(?: \d{4})?",
        r"|\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\b",
        // Seconds since 1970.
        r"|\b1[5-9]\d{8}(?:\d{3}){0,3}(?:\.\d+)?\b",
        // Durations.
        r"|\b\d+(?:[.,]\d+)? ?(?:ns|µs|us|ms|secs?|seconds?|mins?|minutes?|hours?|s|m|h)\b",
        // Identifiers and addresses.
        r"|\b0x[0-9a-f]+\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{12,64}\b",
        r"|((?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0):)\d+",
        // Temporary names.
        r"|((?:/tmp|/var/tmp|/var/folders|/run)/)[^\s:'\x22]+",
        // Numbers of processes and threads.
        r"|((?:pid|process|thread(?: '[^']*')?|port)[ :=#]*)\(?\d+\)?|(\w\[)\d+\]",
        // Counters.
        r"|((?:attempt|try|retry|retries|retrying|run|round|iteration|iter|request|seq|sequence|step|build|job|id|req|nr|no\.)[ :=#-]*)(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+)\b",
        r"|#\d+|\b\d+/\d+\b",
        // Spaces.
        r"|\s+",
    ))
    .ok()
});

/// So much of a long text's begin and end is looked at; what lies between counts as it is.
const LOOKED_AT: usize = 16 * 1024;

/// Wrappers that change nothing about what a command does.
const HARMLESS: [&str; 13] = [
    "bash", "builtin", "command", "dash", "env", "exec", "ionice", "nice", "nohup", "sh", "stdbuf", "time",
    "timeout",
];

/// Tools whose text is put into files: there each sign counts.
const WRITERS: [&str; 8] = ["append", "create", "edit", "insert", "morph", "patch", "save", "write"];

/// A call without what differs each time: its id and place, and what means nothing.
pub(super) fn hash_of(call: &ToolUse, session: &Session) -> String {
    let scripts = scripts(call, session);
    if let [script] = scripts.as_slice() {
        let lines = lines(script, session);
        let others: Vec<String> = call
            .kwargs
            .iter()
            .filter(|(name, _)| {
                !matches!(name.as_str(), "command" | "cmd" | "script" | "timeout" | "description")
            })
            .map(|(name, value)| format!("{name}={}", sorted(value)))
            .collect();
        let others = others.iter().chain(&call.args).map(String::as_str);
        return hash(
            [call.tool.as_str(), "\0"]
                .into_iter()
                .chain(lines.iter().map(String::as_str))
                .chain(["\0"])
                .chain(others),
        );
    }
    let writes = WRITERS.iter().any(|word| call.tool.to_ascii_lowercase().contains(word));
    let same = |text: &str| if writes { text.to_owned() } else { plain(text).into_owned() };
    let mut named: Vec<_> = call
        .kwargs
        .iter()
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}=\"{}\"", same(text)),
            other => format!("{name}={}", sorted(other)),
        })
        .collect();
    named.sort_unstable();
    let content = same(&call.content);
    let args: Vec<String> = call.args.iter().map(|arg| same(arg)).collect();
    let args = args.iter().map(String::as_str);
    hash(
        [call.tool.as_str(), &content]
            .into_iter()
            .chain(args)
            .chain([""])
            .chain(named.iter().map(String::as_str)),
    )
}

pub(super) fn hash_of_result<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let texts: Vec<Cow<'_, str>> = texts.map(plain).collect();
    hash(texts.iter().map(AsRef::as_ref))
}

/// The commands of a script, each in one spelling; the script itself where it cannot be read.
fn lines(script: &str, session: &Session) -> Vec<String> {
    let reading = reading(script, session);
    if !reading.is_clear() || reading.commands.is_empty() {
        return vec![plain(script).into_owned()];
    }
    // Where the folder is followed, `cd` says nothing that the folders of the others do not.
    let followed = reading.commands.iter().all(|command| command.cwd.is_some());
    let useful = |command: &&Simple| {
        let sets = command.words.is_empty() && command.redirections.is_empty();
        !(sets || followed && command.program == "cd" || command.program == "sleep")
    };
    let lines: Vec<String> = reading.commands.iter().filter(useful).map(line).collect();
    if lines.is_empty() { vec![plain(script).into_owned()] } else { lines }
}

fn line(command: &Simple) -> String {
    let mut line = plain(&command.line()).into_owned();
    for wrapper in command.wrappers.iter().filter(|wrapper| !HARMLESS.contains(&wrapper.program.as_str())) {
        line = format!("{} {line}", wrapper.program);
    }
    for assignment in command.assignments.iter().filter(|assignment| assignment.exported) {
        line.push_str(&format!("\0{}={}", assignment.name, plain(&assignment.value.text)));
    }
    for redirection in &command.redirections {
        let quiet = redirection.kind == Redirect::Duplicate || redirection.target.text == "/dev/null";
        if !quiet {
            line.push_str(&format!("\0{:?} {}", redirection.kind, plain(&redirection.target.text)));
        }
    }
    line.push_str(&format!(
        "\0{}",
        command.leading.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    ));
    if let Some(cwd) = &command.cwd {
        line.push_str(&format!("\0{}", cwd.display()));
    }
    line
}

/// A text without what means nothing.
fn plain(text: &str) -> Cow<'_, str> {
    if text.len() <= 2 * LOOKED_AT {
        return passed(text);
    }
    let (mut begin, mut end) = (LOOKED_AT, text.len() - LOOKED_AT);
    while !text.is_char_boundary(begin) {
        begin -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let middle = text.get(begin..end).unwrap_or_default();
    let begin = passed(text.get(..begin).unwrap_or_default());
    let end = passed(text.get(end..).unwrap_or_default());
    Cow::Owned(format!("{begin}\0{middle}\0{end}"))
}

fn passed(text: &str) -> Cow<'_, str> {
    let Some(passing) = PASSING.as_ref() else { return Cow::Borrowed(text) };
    let text = text.trim();
    passing.replace_all(text, |found: &regex::Captures<'_>| {
        let kept = found.iter().skip(1).flatten().next().map_or("", |kept| kept.as_str());
        let whole = found.get(0).map_or("", |whole| whole.as_str());
        if whole.trim().is_empty() {
            return " ".to_owned();
        }
        if whole.starts_with('\u{1b}') {
            return String::new();
        }
        format!("{kept}_")
    })
}

/// The same in every process: the first eight bytes of SHA-256, in hex.
pub(super) fn hash<'t>(parts: impl IntoIterator<Item = &'t str>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_counts_for_nothing_and_what_is_a_step_does() {
        assert!(PASSING.is_some());
        for (one, other) in [
            ("finished in 0.31s", "finished  in 12.5s"),
            ("2026-01-02T03:04:05Z error", "2026-02-03 04:05:06.123 error"),
            ("at 12:30:01 it failed", "at 13:31 it failed"),
            ("object at 0x7f1a2b", "object at 0xdeadbeef"),
            ("thread 'main' (31281) panicked", "thread 'main' (4) panicked"),
            ("listening on 127.0.0.1:4711", "listening on 127.0.0.1:8080"),
            ("attempt 3 failed", "Attempt 4 failed".to_lowercase().as_str()),
            ("try #3", "try #12"),
            ("[3/10] building", "[4/10] building"),
            ("pid 17: gone", "pid 18: gone"),
            ("make[1]: *** x", "make[22]: *** x"),
            ("/tmp/abc/x: no", "/tmp/xyz123/x: no"),
            ("id 6ba7b810-9dad-11d1-80b4-00c04fd430c8", "id 00000000-9dad-11d1-80b4-00c04fd430c8"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("Sat Nov 22 15:12:29 UTC 2026", "Sun Nov 23 01:00:00 UTC 2026"),
            ("now 1764000000", "now 1764000123"),
            ("a\n\n b\t", "a b"),
        ] {
            assert_eq!(plain(one), plain(other), "{one}");
        }
        for (one, other) in [
            ("3 failed", "2 failed"),
            ("error[E0308]", "error[E0277]"),
            ("line 12", "line 13"),
            ("src/a.rs:12:5", "src/a.rs:40:5"),
            ("exit 1", "exit 2"),
            ("version 1.2", "version 1.3"),
        ] {
            assert_ne!(plain(one), plain(other), "{one}");
        }
        let long = "x".repeat(100_000);
        assert_eq!(plain(&format!("{long} 0.1s")), plain(&format!("{long} 0.2s")));
    }
}
