//! Ids of messages: `m1`, `m2`, …, short because calls and people repeat them.
//!
//! A number is given once in the life of a conversation. A message that an edit or undo took out of the log
//! stays in a branch, and a reference to it (a tool's result, the timeline) must not point to another one.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::LogError;

/// Which ids are in use, and which number was given last.
#[derive(Debug, Default)]
pub(super) struct Ids {
    /// In the log.
    pub(super) taken: HashSet<String>,
    /// In the log and its branches.
    last: u64,
}

impl Ids {
    /// Notes an id of the log.
    pub(super) fn note(&mut self, id: &str) {
        self.count(id);
        self.taken.insert(id.to_owned());
    }

    /// Sees to it that `id`, if it is one of our numbers, is not given anew.
    pub(super) fn count(&mut self, id: &str) {
        // A number too large for `u32` is not ours; counting on from it might overflow.
        let number = id.strip_prefix('m').and_then(|digits| digits.parse::<u32>().ok());
        self.last = self.last.max(number.map_or(0, u64::from));
    }

    /// `m` and the next number; not yet noted as taken.
    pub(super) fn fresh(&mut self) -> String {
        loop {
            self.last = self.last.saturating_add(1);
            let id = format!("m{}", self.last);
            if !self.taken.contains(&id) {
                return id;
            }
        }
    }

    /// Counts the ids of an old log.
    pub(super) fn count_branch(&mut self, path: &Path) -> Result<(), LogError> {
        #[derive(Deserialize)]
        struct Stub {
            id: Option<String>,
        }
        let bytes = fs::read(path).map_err(LogError::io("read", path))?;
        for line in bytes.split(|byte| *byte == b'\n') {
            // Broken lines were reported when this was the log itself.
            if let Ok(Stub { id: Some(id) }) = serde_json::from_slice(line) {
                self.count(&id);
            }
        }
        Ok(())
    }
}

/// The logs in `branches`, with our numbers (0 for others), lowest first.
pub(super) fn branch_files(branches: &Path) -> Result<Vec<(u64, PathBuf)>, LogError> {
    let entries = fs::read_dir(branches).map_err(LogError::io("read", branches))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(LogError::io("read", branches))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".jsonl") {
            let number = name.split('-').next().and_then(|digits| digits.parse().ok());
            files.push((number.unwrap_or(0), path));
        }
    }
    files.sort();
    Ok(files)
}
