//! The timeline on its way into the store.

use std::sync::{Mutex, PoisonError};

use hookspec::timeline::{Observer, Recorded, TimelineEntry};

use crate::store::Kept;

/// How many entries wait at most; what does not fit is counted.
const MOST: usize = 8192;

/// Gathers what happens as it is told, so that the dispatch path waits for nothing; it becomes entries when it is stored.
#[derive(Debug, Default)]
pub(crate) struct Record(Mutex<Gathered>);

#[derive(Debug, Default)]
struct Gathered {
    records: Vec<Recorded>,
    lost: u64,
}

/// A stream fires its point once a piece; one entry stands for a run of them.
fn repeats(last: Option<&Recorded>, record: &Recorded) -> bool {
    matches!((last, record), (Some(Recorded::Fired(last)), Recorded::Fired(now))
        if last.point.wire == now.point.wire && now.point.wire == "generation.chunk")
}

impl Observer for Record {
    fn record(&self, record: Recorded) {
        let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if repeats(gathered.records.last(), &record) {
            return;
        }
        if gathered.records.len() < MOST {
            gathered.records.push(record);
        } else {
            gathered.lost += 1;
        }
    }
}

impl Record {
    /// Stores what was gathered.
    pub(crate) async fn keep(&self, kept: &Kept) {
        let Gathered { records, lost } =
            std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if lost > 0 {
            tracing::warn!(lost, "entries of a timeline were left out: too many came at once");
        }
        if records.is_empty() {
            return;
        }
        let kept = kept.clone();
        let stored = tokio::task::spawn_blocking(move || {
            let entries: Vec<TimelineEntry> = records.into_iter().map(TimelineEntry::from).collect();
            kept.add_timeline(&entries)
        })
        .await;
        // The timeline is a by-product: a failure must not end the session.
        match stored {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "a timeline could not be stored"),
            Err(error) => tracing::warn!(%error, "a timeline could not be stored"),
        }
    }
}
