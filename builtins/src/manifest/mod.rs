//! `manifest`: an account of every tool call, in which later changes show.
//!
//! **Watches** each tool call before it may run and after it is over, however it ended. **Speaks** never; what
//! it cannot write down is a failure of the hook, and the call goes on. **Keeps** `<dir>/<session>.manifest.jsonl`,
//! one record a line, appended and never rewritten: who called what when, how it ended, and hashes of arguments and
//! result, never their text. Each record holds the hash of the one before. `<session>.tail.json` beside it says
//! how many records there are, so that missing ones at the end show too. `hookspec verify` checks both.
//! **Costs** nothing unless `enabled`; then two small writes per record.
//!
//! The hashes are HMACs with a key that the host keeps apart from the records (`key_file`; made on first use, for
//! its owner's eyes only), so that whoever can write the records can still not forge them. Whoever reads the key
//! can. Without a key the chain only shows accidents, and `verify` says so. A whole session that is gone, or put
//! back to an earlier copy of both its files, does not show. Records survive the end of the process; nothing is
//! forced to disk, so that a power failure can take the last ones.
//!
//! Different from gptme:
//! - named arguments are hashed too, so that native calls are no longer recorded without any;
//! - hashes are keyed, and removed records at the end show;
//! - failed and refused calls have their record of the end, with the status, and so has what a call was before the
//!   user changed it (`superseded`);
//! - a session that goes on continues its count and its chain, also after a crash, and from several processes;
//! - calls in parallel or in one another keep their numbers; a call's end finds its beginning by its id;
//! - one file a session with an escaped name, instead of two files a call named after the tool;
//! - a result of a single message is hashed like any other; there is a command to verify, which reads gptme's
//!   folders as well.

mod chain;
mod findings;
mod key;
mod record;
#[cfg(test)]
mod tests;
mod verify;

use std::path::{Path, PathBuf};

use hookspec::points::{TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE};
use hookspec::session::StateDir;
use hookspec::tool::ToolStatus;
use hookspec::{Message, Session, ToolUse, hook};
use serde::{Deserialize, Serialize};

use crate::places::place;

pub use chain::Chain;
pub use findings::{Finding, Problem};
pub use key::{Key, KeyError};
pub(crate) use record::digest;
pub use verify::{Report, VerifyError, verify};

use chain::Book;
use record::{Phase, Record};

/// `[hooks.manifest]` in `hookspec.toml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether calls are recorded.
    pub enabled: bool,
    /// Where the records go; relative to the host's state folder, and `manifests` in it where empty.
    pub dir: PathBuf,
    /// Whether the hashes are keyed. Without a key they are gptme's.
    pub keyed: bool,
    /// The key; relative to the host's state folder, and `manifest.key` in it where empty.
    pub key_file: PathBuf,
    /// The session's id in the records; the session's own where empty.
    pub session_id: String,
    /// The model in the records; the session's own where empty.
    pub model: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            dir: PathBuf::new(),
            keyed: true,
            key_file: PathBuf::new(),
            session_id: String::new(),
            model: String::new(),
        }
    }
}

/// A record that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// Nobody says where it goes.
    #[error(
        "the manifest has no place to go: this host lends no state folder, so set `{0}` in `[hooks.manifest]` to an absolute path"
    )]
    NoPlace(&'static str),
    /// The key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The files cannot be used.
    #[error("the manifest {path} could not be {what}: {source}; check that the folder can be written to")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ManifestError {
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, what, source }
    }
}

/// Records a call that may run now. It has no opinion on it, and a record that fails does not hold it up.
#[hook(TOOL_PRE_EXECUTE, fail_open)]
fn pre(
    tool_use: &ToolUse,
    session: &Session,
    settings: &Settings,
    state: &mut Chain,
) -> Result<(), ManifestError> {
    let Some(book) = open(settings, session, tool_use)? else { return Ok(()) };
    let record = Record::new(Phase::Pre, tool_use);
    state.begin(&book, record)
}

/// Records how a call ended.
#[hook(TOOL_POST_EXECUTE)]
fn post(
    tool_use: &ToolUse,
    result: &[Message],
    status: ToolStatus,
    session: &Session,
    settings: &Settings,
    state: &mut Chain,
) -> Result<(), ManifestError> {
    let Some(book) = open(settings, session, tool_use)? else { return Ok(()) };
    let record = Record::new(Phase::Post, tool_use).ended(status, result);
    state.end(&book, record)
}

/// Where this call's records go; `None` where none are wanted.
fn open(settings: &Settings, session: &Session, call: &ToolUse) -> Result<Option<Book>, ManifestError> {
    if !settings.enabled || call.tool.is_empty() {
        return Ok(None);
    }
    let state = session.extension::<StateDir>();
    let lent = state.as_deref();
    let dir = place(lent, &settings.dir, FOLDER).ok_or(ManifestError::NoPlace("dir"))?;
    let key = if settings.keyed {
        match place(lent, &settings.key_file, KEY_FILE) {
            Some(path) => Some(Key::read_or_make(&path)?),
            // Only the folder has a place, and `verify` says that the records are unkeyed.
            None if settings.key_file.as_os_str().is_empty() => None,
            None => return Err(ManifestError::NoPlace("key_file")),
        }
    } else {
        None
    };
    let text = |set: &str, own: String| if set.is_empty() { own } else { set.to_owned() };
    Ok(Some(Book {
        dir,
        key,
        session: text(&settings.session_id, session.id().to_owned()),
        model: text(&settings.model, session.model()),
        now: session.clock().now(),
    }))
}

/// The folder's and the key's names in the state folder, where the settings name no others.
const FOLDER: &str = "manifests";
const KEY_FILE: &str = "manifest.key";

impl Settings {
    /// The folder of the records.
    #[must_use]
    pub fn records_in(&self, state: &StateDir) -> PathBuf {
        place(Some(state), &self.dir, FOLDER).unwrap_or_else(|| state.resolve(Path::new(FOLDER)))
    }

    /// The key's file, whether or not it exists.
    #[must_use]
    pub fn key_in(&self, state: &StateDir) -> PathBuf {
        place(Some(state), &self.key_file, KEY_FILE).unwrap_or_else(|| state.resolve(Path::new(KEY_FILE)))
    }
}
