//! Which files matter: the rule.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use hookspec::{Message, Role};
use jiff::Timestamp;

use super::candidates::{Candidate, Candidates, Change, Workspace};

/// Messages, counted from the end, in which mentions count.
const RECENT: usize = 100;

/// What the conversation speaks of.
#[derive(Debug)]
pub(super) struct Mentions<'m> {
    words: HashMap<&'m str, u32>,
    attached: HashMap<PathBuf, u32>,
}

impl<'m> Mentions<'m> {
    /// Of what user and model said, not of tools' results, which name files by the hundred.
    pub(super) fn of(messages: &'m [Message], cwd: &Path) -> Self {
        let mut mentions = Self { words: HashMap::new(), attached: HashMap::new() };
        let spoken = messages.iter().filter(|message| message.role != Role::System && message.hook.is_none());
        for message in spoken.rev().take(RECENT) {
            // Once a message, or one that quotes a file's name in each line would outweigh all.
            let words: BTreeSet<&str> = message.content.split(|c| !is_of_path(c)).map(trimmed).collect();
            for word in words.into_iter().filter(|word| !word.is_empty()) {
                *mentions.words.entry(word).or_default() += 1;
            }
            for file in message.files.iter().filter(|_| message.role == Role::User) {
                let path = cwd.join(file);
                *mentions.attached.entry(path.canonicalize().unwrap_or(path)).or_default() += 1;
            }
        }
        mentions
    }

    pub(super) fn attached(&self) -> impl Iterator<Item = &Path> {
        self.attached.keys().map(PathBuf::as_path)
    }

    /// How often a file is attached, or named by its path or its name.
    fn count(&self, path: &Path, root: &Path) -> u32 {
        let word = |text: Option<&str>| text.and_then(|text| self.words.get(text)).copied().unwrap_or(0);
        let relative = path.strip_prefix(root).ok().and_then(Path::to_str);
        let name = path.file_name().and_then(|name| name.to_str());
        let by_name = if name == relative { 0 } else { word(name) };
        let attached = self.attached.get(path).copied().unwrap_or(0);
        attached + word(relative) + word(path.to_str()) + by_name
    }
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | '~')
}

/// Without the full stop behind it, or the `./` before it.
fn trimmed(word: &str) -> &str {
    let word = word.trim_end_matches('.');
    word.strip_prefix("./").unwrap_or(word)
}

/// A file worth showing.
#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) path: PathBuf,
    pub(super) attached: bool,
}

/// The candidates, best first; those of one score by their paths.
pub(super) fn rank(
    candidates: Candidates,
    mentions: &Mentions<'_>,
    workspace: &Workspace,
    now: Timestamp,
) -> Vec<Ranked> {
    let scored = candidates.into_iter().map(|(path, file)| {
        let score = score(&path, &file, mentions.count(&path, &workspace.root), now);
        (score, Ranked { path, attached: file.attached })
    });
    let mut scored: Vec<_> = scored.collect();
    // The candidates come by their paths, and the sort is stable.
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().map(|(_, ranked)| ranked).collect()
}

fn score(path: &Path, file: &Candidate, mentions: u32, now: Timestamp) -> f64 {
    let hours = file.modified.map(|modified| now.duration_since(modified).as_hours());
    let recency = match hours {
        Some(..1) => 1.3,
        Some(1..24) => 1.1,
        Some(24..168) => 1.05,
        _ => 1.0,
    };
    let kind = match path.extension().and_then(|extension| extension.to_str()) {
        Some("py") => 1.3,
        Some("md") => 1.2,
        Some("toml" | "yaml" | "yml") => 1.1,
        _ => 1.0,
    };
    let change = match file.change {
        Change::Staged => 3.0,
        Change::Modified => 2.5,
        Change::Untracked => 1.8,
        Change::None => 1.0,
    };
    (1.0 + 0.3 * f64::from(mentions)) * recency * kind * change
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule() {
        let now: Timestamp = "2026-01-08T12:00:00Z".parse().unwrap();
        let cases = [
            ("a.rs", "2025-01-01T00:00:00Z", Change::None, 0, 1.0),
            ("a.py", "2026-01-08T11:30:00Z", Change::Staged, 2, 1.6 * 1.3 * 1.3 * 3.0),
            ("a.md", "2026-01-08T01:00:00Z", Change::Modified, 0, 1.1 * 1.2 * 2.5),
            ("a.yml", "2026-01-02T12:00:00Z", Change::Untracked, 1, 1.3 * 1.05 * 1.1 * 1.8),
            ("a.toml", "2026-01-01T11:00:00Z", Change::None, 0, 1.1),
        ];
        for (path, modified, change, mentions, expected) in cases {
            let file = Candidate { modified: Some(modified.parse().unwrap()), change, attached: false };
            let got = score(Path::new(path), &file, mentions, now);
            assert!((got - expected).abs() < 1e-9, "{path}: {got}, not {expected}");
        }
    }

    #[test]
    fn mentions_are_of_paths_and_names_in_what_was_said() {
        let mut tool = Message::system("src/a.rs");
        tool.call_id = Some("c".into());
        let mut attached = Message::user("");
        attached.files.push("src/b.rs".into());
        let messages = [
            Message::user("Look at `src/a.rs:12`, and src/a.rs."),
            Message::assistant("(./src/a.rs) is /w/src/a.rs; b.rs too"),
            tool,
            attached,
        ];
        let mentions = Mentions::of(&messages, Path::new("/w"));
        let count = |path: &str| mentions.count(Path::new(path), Path::new("/w"));
        assert_eq!((count("/w/src/a.rs"), count("/w/src/b.rs"), count("/w/b.rs")), (3, 2, 1));
        assert_eq!(count("/w/rs"), 0);
    }
}
