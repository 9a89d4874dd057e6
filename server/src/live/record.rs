//! The timeline on its way into the store.

use std::sync::{Mutex, PoisonError};

use hookspec::{Observer, TimelineEntry};

use crate::store::Kept;

/// How many entries wait at most; what does not fit is counted.
const MOST: usize = 8192;

/// Gathers entries, so that the dispatch path never waits for the disk.
#[derive(Debug, Default)]
pub(crate) struct Record(Mutex<Gathered>);

#[derive(Debug, Default)]
struct Gathered {
    entries: Vec<TimelineEntry>,
    lost: u64,
}

/// A stream fires its point once a piece; one entry stands for a run of them.
fn repeats(last: Option<&TimelineEntry>, entry: &TimelineEntry) -> bool {
    matches!((last, entry), (
        Some(TimelineEntry::Fired { point: last, .. }),
        TimelineEntry::Fired { point, .. },
    ) if last == point && point == "generation.chunk")
}

impl Observer for Record {
    fn record(&self, entry: TimelineEntry) {
        let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if repeats(gathered.entries.last(), &entry) {
            return;
        }
        if gathered.entries.len() < MOST {
            gathered.entries.push(entry);
        } else {
            gathered.lost += 1;
        }
    }
}

impl Record {
    /// Stores what was gathered.
    pub(crate) async fn keep(&self, kept: &Kept) {
        let Gathered { entries, lost } =
            std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if lost > 0 {
            tracing::warn!(lost, "entries of a timeline were left out: too many came at once");
        }
        if entries.is_empty() {
            return;
        }
        let kept = kept.clone();
        let stored = tokio::task::spawn_blocking(move || kept.add_timeline(&entries)).await;
        // The timeline is a by-product: a failure must not end the session.
        match stored {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "a timeline could not be stored"),
            Err(error) => tracing::warn!(%error, "a timeline could not be stored"),
        }
    }
}
