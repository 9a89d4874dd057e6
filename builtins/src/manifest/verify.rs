//! Checking what was written.
//!
//! Two forms are read: ours, one file a session, where each record follows the line before it; and gptme's, one
//! JSON file a record, where they follow each other by number and phase. Both in time that grows with the number
//! of records, not with the numbers in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};

use super::chain::{RECORDS, TAIL, Tail};
use super::findings::{Finding, Problem};
use super::key::Key;
use super::record::{KEYED, Phase, seal};
use crate::places::file_name;

/// What was looked at, and what was found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// How many sessions have records.
    pub sessions: u64,
    /// How many records there are.
    pub records: u64,
    /// How many of them are tied by a key.
    pub keyed: u64,
    /// What is wrong; nothing, if all is well.
    pub findings: Vec<Finding>,
}

/// A folder that cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[error(
    "the records in {dir} cannot be read: {source}; `enabled = true` in `[hooks.manifest]` makes records, and its `dir` says where"
)]
pub struct VerifyError {
    /// The folder.
    pub dir: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// One record that has a session, a number and a phase.
struct Entry {
    place: String,
    sequence: u64,
    phase: Phase,
    fields: Map<String, Value>,
}

impl Entry {
    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    fn is_keyed(&self) -> bool {
        self.text("hash").is_some_and(|hash| hash.starts_with(KEYED))
    }
}

/// Looks at every record in a folder. With a key, every record of ours must be tied by it.
///
/// # Errors
/// If the folder cannot be read. What is wrong with a file in it is a finding.
pub fn verify(dir: &Path, key: Option<&Key>) -> Result<Report, VerifyError> {
    let failed = |source| VerifyError { dir: dir.to_owned(), source };
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        names.insert(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    let mut look = Look { dir, key, report: Report::default() };
    let mut sessions: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for name in &names {
        if let Some(stem) = name.strip_suffix(RECORDS) {
            look.journal(name, stem);
        } else if let Some(stem) = name.strip_suffix(TAIL) {
            let records = format!("{stem}{RECORDS}");
            if !names.contains(&records) {
                look.journal(&records, stem);
            }
        } else if name.ends_with(".json") {
            let read = std::fs::read(dir.join(name));
            let value = read.and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
            if let Some((session, entry)) = look.entry(name.clone(), value) {
                sessions.entry(session).or_default().push(entry);
            }
        }
    }
    for (session, mut entries) in sessions {
        entries.sort_by_key(|entry| (entry.sequence, entry.phase));
        let entries = look.numbers(&session, entries);
        look.chain(&session, &entries, false);
    }
    Ok(look.report)
}

struct Look<'a> {
    dir: &'a Path,
    key: Option<&'a Key>,
    report: Report,
}

impl Look<'_> {
    fn found(&mut self, place: &str, session: Option<&str>, problem: Problem) {
        let (place, session) = (place.to_owned(), session.map(str::to_owned));
        self.report.findings.push(Finding { place, session, problem });
    }

    /// One record, if that is what it is.
    fn entry(&mut self, place: String, value: io::Result<Value>) -> Option<(String, Entry)> {
        let problem = match value {
            Err(error) => Problem::Unreadable { why: error.to_string() },
            Ok(Value::Object(fields)) => match parts(&fields) {
                Ok((session, sequence, phase)) => {
                    self.report.records += 1;
                    return Some((session, Entry { place, sequence, phase, fields }));
                }
                Err(problem) => problem,
            },
            Ok(other) => Problem::NotAnObject { found: kind(&other) },
        };
        self.found(&place, None, problem);
        None
    }

    /// One file of ours, and its tail.
    fn journal(&mut self, name: &str, stem: &str) {
        let (text, tail) = match read_both(&self.dir.join(name), &self.dir.join(format!("{stem}{TAIL}"))) {
            Ok(both) => both,
            Err(error) => return self.found(name, None, Problem::Unreadable { why: error.to_string() }),
        };
        let (mut session, mut entries) = (None, Vec::new());
        for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let place = format!("{name}, line {}", index + 1);
            let Some((of, entry)) = self.entry(place, serde_json::from_slice(line).map_err(Into::into))
            else {
                continue;
            };
            if file_name(&of) != stem {
                self.found(&entry.place, Some(&of), Problem::OtherSession { found: of.clone() });
            }
            session.get_or_insert(of);
            entries.push(entry);
        }
        let session = session.unwrap_or_else(|| stem.to_owned());
        self.chain(&session, &entries, true);
        self.tail(name, &session, &entries, tail, &format!("{stem}{TAIL}"));
        entries.sort_by_key(|entry| (entry.sequence, entry.phase));
        let _ = self.numbers(&session, entries);
    }

    fn tail(
        &mut self,
        name: &str,
        session: &str,
        entries: &[Entry],
        tail: io::Result<Option<Tail>>,
        file: &str,
    ) {
        let tail = match tail {
            Ok(Some(tail)) => tail,
            Ok(None) => {
                return self.found(name, Some(session), Problem::NoTail { file: file.to_owned() });
            }
            Err(error) => {
                return self.found(file, Some(session), Problem::Unreadable { why: error.to_string() });
            }
        };
        if tail.is_keyed() && self.key.is_none() {
            self.found(file, Some(session), Problem::NeedsKey);
        } else if tail.session_id != session || !tail.is_genuine(self.key.filter(|_| tail.is_keyed())) {
            self.found(file, Some(session), Problem::Tail);
        } else if self.key.is_some() && !tail.is_keyed() {
            self.found(file, Some(session), Problem::NotKeyed);
        }
        if tail.gap {
            self.found(name, Some(session), Problem::Gap);
        }
        let found = entries.len() as u64;
        // More is well: the writer may have been killed between a record and the tail.
        if found < tail.records {
            self.found(name, Some(session), Problem::Truncated { said: tail.records, found });
        } else {
            let index = usize::try_from(tail.records).ok().and_then(|records| records.checked_sub(1));
            let last = index.and_then(|index| entries.get(index)?.text("hash"));
            if last != tail.tail.as_deref() {
                self.found(name, Some(session), Problem::OtherEnd);
            }
        }
    }

    /// Duplicates and gaps in the numbers of sorted records. Gives them without the duplicates.
    fn numbers(&mut self, session: &str, entries: Vec<Entry>) -> Vec<Entry> {
        let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
        for entry in entries {
            if kept.last().is_some_and(|last| (last.sequence, last.phase) == (entry.sequence, entry.phase)) {
                let problem = Problem::Duplicate { sequence: entry.sequence, phase: entry.phase.name() };
                self.found(&entry.place, Some(session), problem);
            } else {
                kept.push(entry);
            }
        }
        let mut expected = 1;
        for call in kept.chunk_by(|a, b| a.sequence == b.sequence) {
            let (sequence, place) = (call[0].sequence, call[0].place.as_str());
            if sequence > expected {
                let problem = Problem::Missing { from: expected, to: sequence - 1 };
                self.found(place, Some(session), problem);
            }
            if call.iter().all(|entry| entry.phase == Phase::Post) {
                self.found(place, Some(session), Problem::NoPre { sequence });
            }
            if call.iter().all(|entry| entry.phase == Phase::Pre) {
                self.found(place, Some(session), Problem::NoPost { sequence });
            }
            expected = sequence.saturating_add(1);
        }
        kept
    }

    /// Each record's hash, and that it follows the one before.
    fn chain(&mut self, session: &str, entries: &[Entry], ours: bool) {
        self.report.sessions += 1;
        let keyed = entries.iter().filter(|entry| entry.is_keyed()).count() as u64;
        self.report.keyed += keyed;
        let must_be_keyed = keyed > 0 || (ours && self.key.is_some());
        let mut previous = None;
        for entry in entries {
            let place = entry.place.as_str();
            match entry.text("hash") {
                None => self.found(place, Some(session), Problem::NoHash),
                Some(_) if entry.is_keyed() && self.key.is_none() => {
                    self.found(place, Some(session), Problem::NeedsKey);
                }
                Some(hash) => {
                    let mut fields = entry.fields.clone();
                    fields.remove("hash");
                    if hash != seal(&fields, self.key.filter(|_| entry.is_keyed())) {
                        self.found(place, Some(session), Problem::Hash);
                    } else if must_be_keyed && !entry.is_keyed() {
                        self.found(place, Some(session), Problem::NotKeyed);
                    }
                }
            }
            if entry.text("prev_hash") != previous {
                self.found(place, Some(session), Problem::Previous);
            }
            previous = entry.text("hash");
        }
    }
}

/// Both files of a session, while nobody writes to them.
#[allow(clippy::type_complexity)]
fn read_both(records: &Path, tail: &Path) -> io::Result<(Vec<u8>, io::Result<Option<Tail>>)> {
    let mut text = Vec::new();
    match File::open(records) {
        Ok(mut file) => {
            file.lock_shared()?;
            file.read_to_end(&mut text)?;
            Ok((text, Tail::read(tail)))
        }
        // The tail alone is left; it tells how many there were.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((text, Tail::read(tail))),
        Err(error) => Err(error),
    }
}

fn parts(fields: &Map<String, Value>) -> Result<(String, u64, Phase), Problem> {
    let session = fields.get("session_id").and_then(Value::as_str).filter(|id| !id.is_empty());
    let session = session.ok_or(Problem::NoSession)?;
    let sequence = fields.get("sequence").and_then(Value::as_u64).filter(|number| *number > 0);
    let sequence = sequence.ok_or(Problem::NoSequence)?;
    let phase = Phase::read(fields.get("phase")).ok_or(Problem::NoPhase)?;
    Ok((session.to_owned(), sequence, phase))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
