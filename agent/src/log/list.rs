//! The conversations of a logs folder, without reading them whole.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use hookspec::{Message, Role};
use jiff::Timestamp;

use super::load::read_if_there;
use super::{ConversationConfig, LogError, check_id, names};

/// How much of a log is looked at for its first prompt, in bytes.
const GLIMPSE: u64 = 64 * 1024;
/// How much of the first prompt is shown, in characters.
const PROMPT: usize = 100;

/// One conversation in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversationSummary {
    /// The conversation's id.
    pub id: String,
    /// When its log last changed.
    pub modified: Timestamp,
    /// The size of its log in bytes.
    pub bytes: u64,
    /// When it was created, where known.
    pub created: Option<Timestamp>,
    /// Its title, if it has one.
    pub name: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// Its workspace.
    pub workspace: Option<PathBuf>,
    /// The first line of the first thing the user said, if that comes early in the log; at most 100 characters.
    pub prompt: Option<String>,
    /// What could not be read of it.
    pub problem: Option<String>,
}

/// The conversations in `logs`, the one that changed last first. A folder that is not there holds none; one
/// that can't be read is left out with a logged warning.
///
/// # Errors
/// When `logs` itself can't be read.
pub fn list(logs: &Path) -> Result<Vec<ConversationSummary>, LogError> {
    let entries = match fs::read_dir(logs) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(LogError::io("read", logs)(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(LogError::io("read", logs))?;
        let name = entry.file_name();
        let Some(id) = name.to_str().filter(|id| check_id(id).is_ok()) else {
            continue;
        };
        match summary(&entry.path(), id) {
            Ok(summary) => found.extend(summary),
            Err(error) => tracing::warn!(conversation = id, %error, "left out of the list"),
        }
    }
    found.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| b.id.cmp(&a.id)));
    Ok(found)
}

/// `None`: the folder holds no conversation.
fn summary(folder: &Path, id: &str) -> Result<Option<ConversationSummary>, LogError> {
    let path = folder.join(names::LOG);
    let missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    let metadata = match fs::metadata(&path) {
        Ok(metadata) => metadata,
        Err(error) if missing.contains(&error.kind()) => return Ok(None),
        Err(error) => return Err(LogError::io("read", &path)(error)),
    };
    let modified = metadata.modified().and_then(|time| Timestamp::try_from(time).map_err(io::Error::other));
    let modified = modified.map_err(LogError::io("read the time of", &path))?;
    let log = File::open(&path).map_err(LogError::io("read", &path))?;
    let prompt = first_prompt(log).map_err(LogError::io("read", &path))?;
    let (config, problem) = match read_config(folder) {
        Ok(config) => (config, None),
        Err(problem) => (ConversationConfig::default(), Some(problem)),
    };
    Ok(Some(ConversationSummary {
        id: id.to_owned(),
        modified,
        bytes: metadata.len(),
        created: config.own.created,
        name: config.chat.name,
        model: config.chat.model,
        workspace: config.chat.workspace,
        prompt,
        problem,
    }))
}

fn read_config(folder: &Path) -> Result<ConversationConfig, String> {
    let bytes = read_if_there(&folder.join(names::CONFIG)).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes.unwrap_or_default()).map_err(|error| error.to_string());
    let config = text.and_then(|text| toml::from_str(&text).map_err(|error| error.to_string()));
    config.map_err(|why| format!("Its config.toml is not readable: {}", why.trim_end()))
}

fn first_prompt(log: File) -> io::Result<Option<String>> {
    for line in BufReader::new(log.take(GLIMPSE)).split(b'\n') {
        // Broken lines are the reader's to report.
        let Ok(message) = serde_json::from_slice::<Message>(&line?) else {
            continue;
        };
        if message.role == Role::User && !message.hide {
            let first = message.content.trim_start().lines().next().unwrap_or_default();
            return Ok(Some(first.chars().take(PROMPT).collect()));
        }
    }
    Ok(None)
}
