//! The log of a server, which stays small however much the server says.
//!
//! The server writes into a pipe, and a thread writes what comes into the file. When the file is full, its older half goes. A file that
//! cannot be written (no room) loses what comes, and the server goes on: it must not wait for its log.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use crate::process::forget;

/// Bytes that a log has at most.
pub(crate) const MOST: u64 = 2 * 1024 * 1024;
/// What stands where older lines were.
const CUT: &[u8] = b"(older lines were dropped)\n";

/// The thread that writes a log.
#[derive(Debug)]
pub(crate) struct Logging {
    /// Closed when the last who could write has gone.
    over: Receiver<()>,
}

impl Logging {
    /// Begins a new log. Gives what is written into.
    pub(crate) fn begin(path: &Path) -> io::Result<(PipeWriter, Self)> {
        let file = new_log(path)?;
        let (from, into) = io::pipe()?;
        let (alive, over) = mpsc::channel();
        std::thread::Builder::new().name("llm-switch-log".to_owned()).spawn(move || {
            copy(from, file, MOST);
            drop::<mpsc::Sender<()>>(alive);
        })?;
        Ok((into, Self { over }))
    }

    /// Waits until what a server that has ended wrote is in the log; not for long, since something that it has started may
    /// write on.
    pub(crate) fn catch_up(&self) {
        let _ = self.over.recv_timeout(Duration::from_millis(500));
    }
}

fn copy(mut from: PipeReader, mut file: File, most: u64) {
    // A part of what is kept, so that the bound holds with it.
    let mut chunk = vec![0; usize::try_from(most / 4).unwrap_or(usize::MAX).clamp(1, 64 * 1024)];
    let mut length = 0;
    loop {
        let read = match from.read(&mut chunk) {
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        if length + read as u64 > most {
            length = halve(&mut file, most).unwrap_or(length);
        }
        if file.write_all(&chunk[..read]).is_ok() {
            length += read as u64;
        }
    }
}

/// Drops the older half. Gives the new length.
fn halve(file: &mut File, most: u64) -> io::Result<u64> {
    let mut kept = Vec::new();
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most / 2)))?;
    file.take(most / 2).read_to_end(&mut kept)?;
    let line = kept.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    file.set_len(0)?;
    file.write_all(CUT)?;
    file.write_all(&kept[line..])?;
    file.metadata().map(|data| data.len())
}

/// A new, empty log that only its owner may read. What was there is another start's; of others' logs only the newest stay, since
/// each free port gives one of its own.
pub(crate) fn new_log(path: &Path) -> io::Result<File> {
    const KEPT: usize = 15;
    forget(path);
    for old in logs(path.parent().unwrap_or(Path::new("."))).into_iter().skip(KEPT) {
        forget(&old);
    }
    std::fs::OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(path)
}

/// The logs of a folder, the newest first.
fn logs(folder: &Path) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = files.filter_map(|file| Some(file.ok()?.path()));
    let mut logs: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "log"))
        .filter_map(|path| Some((path.metadata().and_then(|data| data.modified()).ok()?, path)))
        .collect();
    logs.sort_by(|one, other| other.cmp(one));
    logs.into_iter().map(|(_, path)| path).collect()
}

/// The last lines of a log, bounded.
pub(crate) fn last_lines(path: &Path) -> String {
    const LINES: usize = 8;
    const BYTES: usize = 2000;
    let text = std::fs::read(path).map(|bytes| {
        let from = bytes.len().saturating_sub(BYTES);
        String::from_utf8_lossy(bytes.get(from..).unwrap_or_default()).into_owned()
    });
    let text = text.unwrap_or_default();
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_stays_small_and_keeps_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        let file = new_log(&path).unwrap();
        let (from, mut into) = io::pipe().unwrap();
        let writer = std::thread::spawn(move || {
            for number in 0..20_000 {
                writeln!(into, "line {number}").unwrap();
            }
        });
        copy(from, file, 10_000);
        writer.join().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.len() <= 10_000 + CUT.len(), "{}", text.len());
        assert!(
            text.starts_with("(older lines were dropped)\nline ") && text.ends_with("line 19999\n"),
            "{text}"
        );
        assert_eq!(text.matches("dropped").count(), 1);
    }

    #[test]
    fn a_log_without_room_holds_nobody_up() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (from, mut into) = io::pipe().unwrap();
        let writer = std::thread::spawn(move || into.write_all(&[b'x'; 1 << 20]).is_ok());
        copy(from, full, 10_000);
        assert!(writer.join().unwrap());
    }

    #[test]
    fn edge_12_logs_do_not_heap_up() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..40 {
            new_log(&folder.path().join(format!("write-{number}.log"))).unwrap();
        }
        assert_eq!(logs(folder.path()).len(), 16);
        assert!(folder.path().join("write-39.log").exists());
    }

    #[test]
    fn the_end_of_a_log_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("x.log");
        std::fs::write(&log, "early\n".repeat(1000) + &"line\n".repeat(7) + "last\n").unwrap();
        assert_eq!(last_lines(&log), "line\n".repeat(7) + "last");
        std::fs::write(&log, "x".repeat(5000)).unwrap();
        assert_eq!(last_lines(&log).len(), 2000);
        assert_eq!(last_lines(&folder.path().join("none")), "");
    }
}
