//! The chain of one session's records, on disk.
//!
//! The file is what counts; the state only remembers how long it was and how it ended, so that it need not be read
//! for each record. Where the two do not agree (a crash, another process, a change by somebody else) the file
//! is read again. Writers of one session take turns by a lock on it.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::ManifestError;
use super::key::{Key, private};
use super::record::{Phase, Record, mark, seal};
use crate::places::file_name;

/// Ends of the names of a session's two files.
pub(super) const RECORDS: &str = ".manifest.jsonl";
pub(super) const TAIL: &str = ".tail.json";

/// At most so many calls are remembered that have not ended: some agents never tell of a call's end.
const MOST_OPEN: usize = 1000;

/// Where the records of a session go, and what each says of it.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) dir: PathBuf,
    pub(super) key: Option<Key>,
    pub(super) session: String,
    pub(super) model: String,
    pub(super) now: Timestamp,
}

impl Book {
    fn file(&self, end: &str) -> PathBuf {
        self.dir.join(file_name(&self.session) + end)
    }
}

/// A call that has begun.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Open {
    sequence: u64,
    mark: String,
}

/// How the chain of a session ended when it was last written.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Chain {
    /// The file.
    file: PathBuf,
    /// Its length.
    bytes: u64,
    /// How many records it has.
    records: u64,
    /// The last call's number.
    sequence: u64,
    /// The last record's hash.
    tail: Option<String>,
    /// Whether records or the tail were found missing.
    gap: bool,
    open: Vec<Open>,
}

impl Chain {
    /// Numbers a call and writes its first record. The number is used up even if the record fails.
    ///
    /// A call that begins again before it ended is one that somebody changed: what it was before never ran, and
    /// gets its end now.
    pub(super) fn begin(&mut self, book: &Book, record: Record) -> Result<(), ManifestError> {
        let file = self.catch_up(book);
        let before = self.open.iter().rposition(|open| record.has_id() && open.mark == record.mark);
        let before = before.map(|index| self.open.remove(index).sequence);
        self.sequence += 1;
        self.opened(self.sequence, record.mark.clone());
        let mut file = file?;
        if let Some(before) = before {
            self.append(book, &mut file, before, record.superseded())?;
        }
        self.append(book, &mut file, self.sequence, record.fields)
    }

    /// Writes a call's last record, under the number of its first.
    pub(super) fn end(&mut self, book: &Book, record: Record) -> Result<(), ManifestError> {
        let file = self.catch_up(book);
        let begun = self.open.iter().rposition(|open| open.mark == record.mark);
        let sequence = match begun {
            Some(index) => self.open.remove(index).sequence,
            None => {
                self.sequence += 1;
                self.sequence
            }
        };
        self.append(book, &mut file?, sequence, record.fields)
    }

    fn opened(&mut self, sequence: u64, mark: String) {
        if self.open.len() >= MOST_OPEN {
            self.open.remove(0);
        }
        self.open.push(Open { sequence, mark });
    }

    /// The file, locked, and the state as the file has it.
    fn catch_up(&mut self, book: &Book) -> Result<File, ManifestError> {
        let path = book.file(RECORDS);
        std::fs::create_dir_all(&book.dir).map_err(ManifestError::io("made", &book.dir))?;
        let file = private(&path).map_err(ManifestError::io("opened", &path))?;
        file.lock().map_err(ManifestError::io("locked", &path))?;
        let bytes = file.metadata().map_err(ManifestError::io("read", &path))?.len();
        if self.file != path {
            *self = Self { file: path.clone(), ..Self::default() };
        }
        if bytes != self.bytes || bytes == 0 {
            self.read_again(book, &file).map_err(ManifestError::io("read", &path))?;
        }
        Ok(file)
    }

    fn read_again(&mut self, book: &Book, file: &File) -> std::io::Result<()> {
        let mut reader = BufReader::new(file);
        reader.rewind()?;
        let before = std::mem::take(self);
        *self = Self { file: before.file, sequence: before.sequence, gap: before.gap, ..Self::default() };
        let (mut line, mut written) = (Vec::new(), HashSet::new());
        while reader.read_until(b'\n', &mut line)? > 0 {
            if line.last() != Some(&b'\n') {
                // A writer died in the middle of it. What it was to say was never said: a tool runs after its
                // first record is written, and a missing last one shows.
                tracing::warn!(file = %self.file.display(), "a torn record at the end of the manifest is cut off");
                file.set_len(self.bytes)?;
                break;
            }
            self.bytes += line.len() as u64;
            self.records += 1;
            if let Ok(Value::Object(fields)) = serde_json::from_slice(&line) {
                written.extend(self.saw(&fields));
            }
            line.clear();
        }
        for open in before.open.into_iter().filter(|open| !written.contains(&open.sequence)) {
            self.opened(open.sequence, open.mark);
        }
        self.gap |= self.bytes < before.bytes || !self.agrees_with_tail(book);
        Ok(())
    }

    /// Takes a record of the file in; gives its number.
    fn saw(&mut self, fields: &Map<String, Value>) -> Option<u64> {
        self.tail = fields.get("hash").and_then(Value::as_str).map(str::to_owned);
        let sequence = fields.get("sequence").and_then(Value::as_u64)?;
        self.sequence = self.sequence.max(sequence);
        match Phase::read(fields.get("phase")) {
            Some(Phase::Pre) => self.opened(sequence, mark(fields)),
            Some(Phase::Post) => self.open.retain(|open| open.sequence != sequence),
            None => {}
        }
        Some(sequence)
    }

    /// Whether the tail on disk is genuine and speaks of no more records than there are.
    fn agrees_with_tail(&self, book: &Book) -> bool {
        match Tail::read(&book.file(TAIL)) {
            Ok(Some(tail)) => tail.is_genuine(book.key.as_ref()) && tail.records <= self.records && !tail.gap,
            Ok(None) => self.records == 0,
            Err(_) => false,
        }
    }

    fn append(
        &mut self,
        book: &Book,
        file: &mut File,
        sequence: u64,
        mut fields: Map<String, Value>,
    ) -> Result<(), ManifestError> {
        let model = if book.model.is_empty() { "unknown" } else { &book.model };
        for (name, value) in [
            ("session_id", json!(book.session)),
            ("model", json!(model)),
            ("sequence", json!(sequence)),
            ("timestamp", json!(book.now.to_string())),
            ("prev_hash", json!(self.tail)),
        ] {
            fields.insert(name.to_owned(), value);
        }
        let hash = seal(&fields, book.key.as_ref());
        fields.insert("hash".to_owned(), json!(hash));
        let line = format!("{}\n", Value::Object(fields));
        if let Err(error) = file.write_all(line.as_bytes()) {
            // Half a line would spoil the next one; if it cannot be cut off now, the next writer does it.
            let _ = file.set_len(self.bytes);
            return Err(ManifestError::io("written", &self.file)(error));
        }
        self.bytes += line.len() as u64;
        self.records += 1;
        self.tail = Some(hash);
        let tail = Tail {
            session_id: book.session.clone(),
            records: self.records,
            tail: self.tail.clone(),
            gap: self.gap,
            hash: String::new(),
        };
        let path = book.file(TAIL);
        tail.write(&path, book.key.as_ref()).map_err(ManifestError::io("written", &path))
    }
}

/// How many records there are: what shows that some are missing at the end.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Tail {
    pub(super) session_id: String,
    pub(super) records: u64,
    pub(super) tail: Option<String>,
    /// Whether a writer found records or the tail missing.
    pub(super) gap: bool,
    hash: String,
}

impl Tail {
    /// `None` where there is none; an error where there is one that cannot be read.
    pub(super) fn read(path: &Path) -> std::io::Result<Option<Self>> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn sealed(&self, key: Option<&Key>) -> String {
        let fields = [
            ("session_id", json!(self.session_id)),
            ("records", json!(self.records)),
            ("tail", json!(self.tail)),
            ("gap", json!(self.gap)),
        ];
        seal(&fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(), key)
    }

    pub(super) fn is_genuine(&self, key: Option<&Key>) -> bool {
        self.hash == self.sealed(key)
    }

    pub(super) fn is_keyed(&self) -> bool {
        self.hash.starts_with(super::record::KEYED)
    }

    fn write(mut self, path: &Path, key: Option<&Key>) -> std::io::Result<()> {
        self.hash = self.sealed(key);
        let folder = path.parent().unwrap_or(Path::new("/"));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        writeln!(file, "{}", serde_json::to_string(&self)?)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}
