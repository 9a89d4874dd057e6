//! The timeline of a session as a file: `timeline.jsonl`, one entry a line.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use hookspec::{Observer, TimelineEntry};

/// Writes what it observes to a file. Lines are buffered; a crash may cost the last few, never the rest.
#[derive(Debug)]
pub struct TimelineFile(Mutex<Option<BufWriter<File>>>);

impl TimelineFile {
    /// Opens the file for appending.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self(Mutex::new(Some(BufWriter::new(file)))))
    }

    /// Writes out what is buffered.
    pub fn flush(&self) {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Err(error)) = writer.as_mut().map(BufWriter::flush) {
            tracing::warn!(%error, "the timeline cannot be written any further");
            *writer = None;
        }
    }
}

impl Observer for TimelineFile {
    fn record(&self, entry: TimelineEntry) {
        let line = match serde_json::to_string(&entry) {
            Ok(line) => line,
            Err(error) => {
                tracing::warn!(%error, "an entry of the timeline cannot be written");
                return;
            }
        };
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = writer.as_mut() else { return };
        if let Err(error) = writeln!(open, "{line}") {
            // The timeline is a by-product: a full disk must not end the session, nor fill its output.
            tracing::warn!(%error, "the timeline cannot be written any further");
            *writer = None;
        }
    }
}
