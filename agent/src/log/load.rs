//! Reading a log that may have been hurt: each broken part costs itself and a warning.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::Path;

use hookspec::Message;
use jiff::civil;
use jiff::tz::Offset;
use serde_json::Value;

use super::{ConversationConfig, LogError, append, names, whole};

/// What a conversation's folder holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// Model, workspace and the like.
    pub config: ConversationConfig,
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// Each hook's state, as it was last saved.
    pub state: BTreeMap<String, Value>,
    /// What could not be read, for the user to know.
    pub warnings: Vec<LogWarning>,
}

/// A part of a conversation that could not be read as it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {why}", if *.line == 0 { String::new() } else { format!(", line {}", .line) })]
pub struct LogWarning {
    /// The file's name in the conversation's folder.
    pub file: &'static str,
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong with it and what was done.
    pub why: String,
}

impl Loaded {
    fn warn(&mut self, file: &'static str, line: usize, why: String) {
        let warning = LogWarning { file, line, why };
        tracing::warn!("{warning}");
        self.warnings.push(warning);
    }
}

/// Reads the folder. With `repair`, for which the lock must be held, what is broken is also moved out of the
/// way of the next write. `None`: the folder holds no conversation.
pub(super) fn load(folder: &Path, repair: bool) -> Result<Option<Loaded>, LogError> {
    let path = folder.join(names::LOG);
    let Some(bytes) = read_if_there(&path)? else {
        return Ok(None);
    };
    let mut loaded = Loaded::default();
    let whole_lines = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (lines, tail) = bytes.split_at(whole_lines);
    let mut ids = HashMap::new();
    let mut count = 0;
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        count += 1;
        read_line(line, count, &mut loaded, &mut ids);
    }
    if !tail.is_empty() {
        read_tail(tail, whole_lines, count + 1, &path, repair, &mut loaded)?;
    }
    if let Some(config) = read_side(folder, names::CONFIG, repair, &mut loaded, |text| {
        toml::from_str(text).map_err(|error| error.to_string())
    })? {
        loaded.config = config;
    }
    if let Some(state) = read_side(folder, names::STATE, repair, &mut loaded, |text| {
        serde_json::from_str(text).map_err(|error| error.to_string())
    })? {
        loaded.state = state;
    }
    Ok(Some(loaded))
}

pub(super) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, LogError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LogError::io("read", path)(error)),
    }
}

fn read_line(line: &[u8], number: usize, loaded: &mut Loaded, ids: &mut HashMap<String, usize>) {
    if line.trim_ascii().is_empty() {
        return;
    }
    match parse(line) {
        Err(why) => loaded.warn(names::LOG, number, format!("not a message ({why}); left out")),
        Ok((message, note)) => {
            if let Some(note) = note {
                loaded.warn(names::LOG, number, note);
            }
            if let Some(id) = &message.id
                && let Some(first) = ids.insert(id.clone(), number)
            {
                loaded.warn(names::LOG, number, format!("its id {id:?} is that of line {first} too"));
            }
            loaded.messages.push(message);
        }
    }
}

/// A message, and what had to be guessed for it.
fn parse(line: &[u8]) -> Result<(Message, Option<String>), serde_json::Error> {
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Ok((message, None)),
        Err(error) => error,
    };
    // Old logs of other programs have times without a zone; the text must not be lost over that.
    let Ok(Value::Object(mut fields)) = serde_json::from_slice(line) else {
        return Err(error);
    };
    let Some(time) = fields.remove("timestamp") else {
        return Err(error);
    };
    let mut message: Message = serde_json::from_value(Value::Object(fields))?;
    let civil = time.as_str().and_then(|text| text.parse::<civil::DateTime>().ok());
    message.timestamp = civil.and_then(|time| Offset::UTC.to_timestamp(time).ok());
    let note = if message.timestamp.is_some() {
        format!("the time {time} has no zone; read as UTC")
    } else {
        format!("the time {time} is not one; left out")
    };
    Ok((message, Some(note)))
}

/// What follows the last line end: a line that a kill cut off, or a whole one that only lacks its end.
fn read_tail(
    tail: &[u8],
    at: usize,
    number: usize,
    path: &Path,
    repair: bool,
    loaded: &mut Loaded,
) -> Result<(), LogError> {
    if let Ok((message, _)) = parse(tail) {
        loaded.messages.push(message);
        if repair {
            append::end_line(path)?;
        }
        return Ok(());
    }
    if !repair {
        loaded.warn(names::LOG, number, "cut off, or just being written; left out".to_owned());
        return Ok(());
    }
    let aside = whole::keep_beside(path, "torn", tail)?;
    append::cut(path, at)?;
    let aside = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    loaded.warn(names::LOG, number, format!("cut off by a crash; moved to {aside}"));
    Ok(())
}

/// A file beside the log; absent is fine, broken is a warning.
fn read_side<T>(
    folder: &Path,
    name: &'static str,
    repair: bool,
    loaded: &mut Loaded,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, LogError> {
    let path = folder.join(name);
    let Some(bytes) = read_if_there(&path)? else {
        return Ok(None);
    };
    let parsed = std::str::from_utf8(&bytes).map_err(|error| error.to_string()).and_then(&parse);
    match parsed {
        Ok(value) => Ok(Some(value)),
        Err(why) => {
            let why = why.trim_end();
            if repair {
                let aside = whole::set_aside(&path, "broken")?;
                let aside = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
                loaded.warn(name, 0, format!("not readable ({why}); moved to {aside}"));
            } else {
                loaded.warn(name, 0, format!("not readable ({why}); left out"));
            }
            Ok(None)
        }
    }
}
