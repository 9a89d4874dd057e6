//! The timeline of a session as a file: `timeline.jsonl`, one entry a line.
//!
//! What is observed is only gathered where hooks run; a thread of the file's own writes it down.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use hookspec::timeline::{Observer, Recorded, TimelineEntry};

/// So many records go to the writer together: what a crash may cost.
const BATCH: usize = 64;
/// So many batches wait for the disk at most; what does not fit is counted.
const WAITING: usize = 128;

/// Writes what it observes to a file. A crash may cost the last few lines, never the rest.
#[derive(Debug)]
pub struct TimelineFile {
    gathered: Mutex<Gathered>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Gathered {
    records: Vec<Recorded>,
    /// `None` once the file is closed.
    orders: Option<SyncSender<Order>>,
    lost: u64,
}

#[derive(Debug)]
enum Order {
    Write(Vec<Recorded>),
    /// Everything is to be in the file when this is answered.
    Flush(SyncSender<()>),
}

impl TimelineFile {
    /// Opens the file for appending.
    ///
    /// # Errors
    /// If it cannot be opened, or no thread can be had to write it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = BufWriter::new(OpenOptions::new().create(true).append(true).open(path)?);
        let (orders, received) = sync_channel(WAITING);
        let writer =
            thread::Builder::new().name("hookspec-timeline".into()).spawn(move || write(file, &received))?;
        let gathered = Gathered { records: Vec::with_capacity(BATCH), orders: Some(orders), lost: 0 };
        Ok(Self { gathered: Mutex::new(gathered), writer: Some(writer) })
    }

    /// Waits until all that was observed is in the file.
    pub fn flush(&self) {
        let (answer, answered) = sync_channel(1);
        {
            let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
            let records = std::mem::take(&mut gathered.records);
            let lost = std::mem::take(&mut gathered.lost);
            if lost > 0 {
                tracing::warn!(lost, "lines of a timeline were left out: too many came at once");
            }
            let Some(orders) = &gathered.orders else { return };
            if orders.send(Order::Write(records)).and_then(|()| orders.send(Order::Flush(answer))).is_err() {
                return;
            }
        }
        // An error: the writer is gone, and with it what there was to wait for.
        let _ = answered.recv();
    }
}

impl Observer for TimelineFile {
    fn record(&self, record: Recorded) {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        gathered.records.push(record);
        if gathered.records.len() < BATCH {
            return;
        }
        let batch = std::mem::replace(&mut gathered.records, Vec::with_capacity(BATCH));
        // Handed over under the lock, so that lines are in the order in which things happened.
        let handed = gathered.orders.as_ref().map(|orders| orders.try_send(Order::Write(batch)));
        if let Some(Err(TrySendError::Full(Order::Write(batch)))) = handed {
            gathered.lost += batch.len() as u64;
        }
    }
}

impl Drop for TimelineFile {
    fn drop(&mut self) {
        self.flush();
        self.gathered.get_mut().unwrap_or_else(PoisonError::into_inner).orders = None;
        if let Some(Err(_)) = self.writer.take().map(JoinHandle::join) {
            tracing::error!("the thread that writes a timeline panicked");
        }
    }
}

fn write(file: BufWriter<File>, orders: &Receiver<Order>) {
    let mut file = Some(file);
    while let Ok(order) = orders.recv() {
        let written = match (&order, &mut file) {
            (Order::Write(records), Some(file)) => lines(file, records),
            (Order::Flush(_), Some(file)) => file.flush(),
            (_, None) => Ok(()),
        };
        if let Err(error) = written {
            // The timeline is a by-product: a full disk must not end the session, nor fill its output.
            tracing::warn!(%error, "the timeline cannot be written any further");
            file = None;
        }
        if let Order::Flush(answer) = order {
            // Whoever asked may be gone.
            let _ = answer.send(());
        }
    }
}

fn lines(file: &mut BufWriter<File>, records: &[Recorded]) -> io::Result<()> {
    for record in records {
        serde_json::to_writer(&mut *file, &TimelineEntry::from(record.clone()))?;
        file.write_all(b"\n")?;
    }
    // In the file, so that a crash costs no more than what was not handed over.
    file.flush()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hookspec::points::TURN_PRE;
    use hookspec::{Hook, Hooks, Message, Registry, Session, fire_now};

    use super::*;

    #[test]
    fn every_line_is_in_the_file_in_order_when_it_was_flushed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("timeline.jsonl");
        let file = Arc::new(TimelineFile::open(&path).unwrap());
        let hook = Hook::new(TURN_PRE, "test.quiet", |_, _| ());
        let hooks = Hooks::new(Registry::builder().linked(false).register(hook).build().unwrap());
        let session = Session::builder(&hooks, "s").observer(Arc::clone(&file) as Arc<dyn Observer>).build();
        let message = Message::user("hello");
        for count in [1, 2 * BATCH] {
            for _ in 0..count {
                let _ = fire_now!(session, TURN_PRE { message: &message });
            }
            file.flush();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let entries: Vec<TimelineEntry> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(entries.len(), 2 + 4 * BATCH, "a line for each firing and for each run");
        let starts: Vec<u64> = entries
            .iter()
            .map(|entry| match entry {
                TimelineEntry::Fired { offset_us, .. } => *offset_us,
                TimelineEntry::Ran(run) => run.offset_us,
            })
            .collect();
        assert!(starts.is_sorted());
    }
}
