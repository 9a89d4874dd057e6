//! One event from standard input.
//!
//! A client that cannot write to the end counts the hook as failed, and lets things pass; one that never closes
//! the pipe would hang the hook. So all is read, to a bound; reading ends with the document's last brace and a
//! short look for more; and what is not one JSON object is an error that gates answer with a refusal.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::system::{Came, Stream, read_within};

/// Bytes that are read at first: most events are shorter, and memory that nobody touches costs nothing.
const FIRST: usize = 4 * 1024;
/// Bytes that are read at once of longer ones.
const MOST: usize = 64 * 1024;

/// How much is read, and how long is waited.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes that are kept; a longer event cannot be judged.
    pub keep: usize,
    /// Bytes that are read at most, so that the client gets its event written.
    pub drain: u64,
    /// How long nothing may come while the document is unfinished.
    pub quiet: Duration,
    /// How long to look for more behind a finished document.
    pub grace: Duration,
    /// How long all of it may take.
    pub total: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            keep: 64 * 1024 * 1024,
            drain: 1024 * 1024 * 1024,
            quiet: Duration::from_secs(5),
            grace: Duration::from_millis(20),
            total: Duration::from_secs(20),
        }
    }
}

/// Why there is no event.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// Nothing came.
    #[error("nothing came on standard input; a hook gets one JSON object there")]
    Empty,
    /// It is longer than what is kept.
    #[error("the event is longer than {0} bytes, more than can be judged")]
    TooLong(usize),
    /// It ends, or stops, before its last brace.
    #[error("the event on standard input breaks off after {0} bytes")]
    Unfinished(usize),
    /// There is more behind it.
    #[error("there is more than one JSON document on standard input")]
    Several,
    /// Its bytes are no text.
    #[error("the event is not valid UTF-8")]
    NotText,
    /// It is not JSON.
    #[error("the event is not JSON: {0}")]
    NotJson(serde_json::Error),
    /// It is JSON, and no object.
    #[error("the event is no JSON object")]
    NotObject,
    /// Standard input cannot be read.
    #[error("standard input cannot be read: {0}")]
    Io(#[from] std::io::Error),
}

/// Follows a JSON document to its end without reading it.
#[derive(Debug, Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Something that is no space has come.
    begun: bool,
    /// The outermost brace is closed.
    done: bool,
    /// Something that is no space came behind it.
    more: bool,
}

impl Scan {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            if byte.is_ascii_whitespace() {
                continue;
            }
            if self.done {
                self.more = true;
                return;
            }
            match byte {
                b'"' => self.in_string = self.begun,
                b'{' | b'[' => {
                    self.begun = true;
                    self.depth += 1;
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.done = self.depth == 0 && self.begun;
                }
                _ => {}
            }
        }
    }
}

/// Reads one document.
///
/// # Errors
/// If there is none, or more than one, or it is too long; what has come is read all the same.
pub fn read(from: impl Stream, limits: &Limits) -> (Vec<u8>, Result<(), InputError>) {
    let mut bytes = Vec::new();
    let read = read_into(from, limits, &mut bytes);
    (bytes, read)
}

fn read_into(from: impl Stream, limits: &Limits, bytes: &mut Vec<u8>) -> Result<(), InputError> {
    let began = Instant::now();
    let mut scan = Scan::default();
    let mut total = 0_u64;
    let mut buffer = vec![0; FIRST];
    loop {
        let left = limits.total.saturating_sub(began.elapsed());
        let patience = if scan.done { limits.grace } else { limits.quiet }.min(left);
        let count = match read_within(&from, patience, &mut buffer).map_err(InputError::Io)? {
            Came::Bytes(count) => count,
            Came::End | Came::Nothing => break,
            Came::Again => continue,
        };
        let part = &buffer[..count];
        scan.feed(part);
        total += u64::try_from(count).unwrap_or(u64::MAX);
        let room = limits.keep.saturating_sub(bytes.len()).min(count);
        bytes.extend_from_slice(&part[..room]);
        if count == buffer.len() {
            buffer.resize(MOST, 0);
        }
        if total >= limits.drain {
            break;
        }
    }
    if total > u64::try_from(limits.keep).unwrap_or(u64::MAX) {
        return Err(InputError::TooLong(limits.keep));
    }
    if !scan.begun && bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(InputError::Empty);
    }
    if scan.begun && !scan.done {
        return Err(InputError::Unfinished(bytes.len()));
    }
    if scan.more { Err(InputError::Several) } else { Ok(()) }
}

/// The object that the bytes hold.
///
/// # Errors
/// If they hold none.
pub fn parse(bytes: &[u8]) -> Result<Map<String, Value>, InputError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|_| InputError::NotText)?;
    let value = serde_json::from_str(text).or_else(|error| match without_lone_surrogates(text) {
        // JavaScript and Python write half of a character pair where a name is not valid text.
        Some(repaired) => serde_json::from_str(&repaired).map_err(InputError::NotJson),
        None => Err(InputError::NotJson(error)),
    })?;
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(InputError::NotObject),
    }
}

/// The text with each half of a character pair that stands alone replaced; `None` where there is none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut repaired = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(next) = text[at..].find('\\') {
        at += next;
        match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                repaired.push_str(&text[copied..at]);
                repaired.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            Some(_) => at += 6,
            // A backslash and what it escapes, which may be a character of several bytes in broken JSON.
            None => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(&text[copied..]);
    Some(repaired)
}

/// The event names in bytes that cannot be read.
#[must_use]
pub fn names_in(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(1024 * 1024)]);
    let mut names = Vec::new();
    for key in ["\"hook_event_name\"", "\"hookEventName\"", "\"event\""] {
        for (at, _) in text.match_indices(key) {
            let rest = text[at + key.len()..].trim_start();
            let rest = rest.strip_prefix(':').map(str::trim_start).and_then(|rest| rest.strip_prefix('"'));
            if let Some((name, _)) = rest.and_then(|rest| rest.split_once('"'))
                && name.len() <= 64
            {
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests;
