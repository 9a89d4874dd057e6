//! Turning instruction files into messages.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use hookspec::Message;

use super::Found;
use super::block::{self, sealed};
use super::loaded::{Loaded, Stamp, Text, hash};

/// What is read of a file at all, in bytes: no instructions are longer.
const READ: usize = 1024 * 1024;

/// How much one event may load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Files.
    pub(crate) files: usize,
    /// Bytes of their text together.
    pub(crate) bytes: usize,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("it is no file")]
    NoFile,
    #[error("it is not UTF-8 text")]
    NotText,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Messages for the files that the session does not know yet, or not as they are now; the first in `found`
/// have precedence where the limits do not allow all. Each comes with its file's depth.
pub(crate) fn inject(
    found: &[Found],
    loaded: &mut Loaded,
    home: Option<&Path>,
    limits: Limits,
) -> Vec<(usize, Message)> {
    let mut messages = Vec::new();
    let (mut files, mut bytes) = (0, 0);
    for Found { path, depth } in found {
        let Ok(data) = path.metadata() else { continue };
        let stamp = Stamp::of(&data);
        if loaded.is_as_it_was(path, stamp) {
            continue;
        }
        let mut skip = |why: String, loaded: &mut Loaded| {
            if loaded.note(path) {
                messages.push((*depth, block::skipped(path, home, &why)));
            }
        };
        if data.is_file() && data.len() > READ as u64 {
            skip(over(limits.bytes.min(READ)), loaded);
            continue;
        }
        let text = match read(path, data.is_file()) {
            Ok(text) => sealed(text.trim_end()),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "these instructions are not loaded");
                loaded.record(path, stamp, None, false);
                continue;
            }
        };
        let hash = hash(&text);
        let new = loaded.compare(path, &hash);
        if new == Text::Told || text.trim().is_empty() {
            loaded.record(path, stamp, Some(hash), false);
        } else if files >= limits.files {
            skip(
                format!("Not loaded: more than {} files at once. Read it if you work there.", limits.files),
                loaded,
            );
        } else if bytes + text.len() > limits.bytes {
            skip(over(limits.bytes), loaded);
        } else {
            files += 1;
            bytes += text.len();
            loaded.record(path, stamp, Some(hash), true);
            messages.push((*depth, block::loaded(path, home, &text, new == Text::Changed)));
        }
    }
    messages
}

fn over(bytes: usize) -> String {
    format!("Not loaded: over {bytes} bytes at once. Read it if you work there.")
}

fn read(path: &Path, is_file: bool) -> Result<String, Unusable> {
    // Opening something else, a pipe say, might never end.
    if !is_file {
        return Err(Unusable::NoFile);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(READ as u64).read_to_end(&mut bytes)?;
    String::from_utf8(bytes).map_err(|_| Unusable::NotText)
}
