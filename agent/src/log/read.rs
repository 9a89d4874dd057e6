//! Reading a log: every good line, and a warning for every other.

use std::fmt;
use std::path::Path;

use hookspec::Message;

use super::LogError;

/// A log as read.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// What could not be read.
    pub warnings: Vec<LogWarning>,
    /// Length of the good part when the last line is torn.
    pub(super) torn_at: Option<u64>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogWarning {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for LogWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} was skipped: {}", self.line, self.why)
    }
}

pub(super) fn read(path: &Path) -> Result<Loaded, LogError> {
    let bytes = std::fs::read(path).map_err(|source| LogError::Io { path: path.to_owned(), source })?;
    Ok(parse(&bytes))
}

pub(super) fn parse(bytes: &[u8]) -> Loaded {
    let mut loaded = Loaded::default();
    let mut offset = 0;
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let torn = !line.ends_with(b"\n");
        if torn {
            // Even if it reads well: it was not finished, so nobody was told that it is stored.
            loaded.torn_at = Some(offset);
        }
        offset += line.len() as u64;
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Message>(line) {
            Ok(message) if !torn => loaded.messages.push(message),
            Ok(_) => loaded
                .warnings
                .push(LogWarning { line: index + 1, why: "it was not written to its end".into() }),
            Err(error) => loaded.warnings.push(LogWarning { line: index + 1, why: error.to_string() }),
        }
    }
    loaded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_line_costs_itself() {
        let text = "{\"role\":\"user\",\"content\":\"a\"}\n{oops\n\n{\"role\":\"user\",\"content\":\"b\"}\n";
        let loaded = parse(text.as_bytes());
        let texts: Vec<_> = loaded.messages.iter().map(|m| m.content.as_str()).collect();
        assert_eq!(texts, ["a", "b"]);
        assert_eq!(loaded.warnings[0].line, 2);
        assert_eq!(loaded.torn_at, None);
    }

    #[test]
    fn a_torn_last_line_is_found() {
        let text = "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"us";
        let loaded = parse(text.as_bytes());
        assert_eq!(loaded.messages.len(), 1);
        assert_eq!(loaded.torn_at, Some(30));
        assert_eq!(loaded.warnings.len(), 1);
    }
}
