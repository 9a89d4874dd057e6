//! The files that a turn's tools have changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files that a turn's tools have changed, lent to the tools as an extension of the session.
#[derive(Debug, Default)]
pub struct Changes(Mutex<BTreeSet<PathBuf>>);

impl Changes {
    /// Adds a file.
    pub fn add(&self, path: &Path) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
    }

    /// Takes all files out, in order of their paths, each once.
    pub fn take(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect()
    }
}
