//! Which conversation a Claude Code process has, from the logs that it keeps.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

/// At most so many logs are looked at, the newest first.
pub(super) const MOST_LOGS: usize = 256;
/// At most so many lines of each.
const MOST_LINES: usize = 16;
/// At most so many bytes of each: a line may hold pictures.
const MOST_BYTES: u64 = 128 * 1024;
/// A conversation that began further from the process's start is not its own, in seconds.
const NEAR: f64 = 900.0;
/// If the second nearest is not further away than this, nobody can tell, in seconds.
const APART: f64 = 15.0;

/// The folder in which Claude Code keeps the logs of a directory.
pub(super) fn folder(home: &Path, cwd: &Path) -> Option<PathBuf> {
    let name: String =
        cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let folder = home.join(".claude/projects").join(name);
    folder.is_dir().then_some(folder)
}

struct Session {
    id: String,
    start: f64,
    prompt: Option<String>,
}

/// The conversation of a process that was started at `started` (seconds since 1970) with this prompt.
pub(super) fn conversation(folder: &Path, started: f64, prompt: Option<&str>, most: usize) -> Option<String> {
    let sessions = sessions(folder, most);
    let distance = |session: &&Session| (session.start - started).abs();
    let wanted = prompt.and_then(normal);
    if let Some(wanted) = wanted {
        let matching = sessions.iter().filter(|session| {
            session
                .prompt
                .as_ref()
                .is_some_and(|prompt| prompt.contains(&wanted) || wanted.contains(prompt.as_str()))
        });
        let best = matching.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(best) = best {
            return (distance(&best) <= NEAR).then(|| best.id.clone());
        }
    }
    let mut near: Vec<&Session> = sessions.iter().collect();
    near.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    let best = near.first().filter(|best| distance(best) <= NEAR)?;
    let told_apart = near.get(1).is_none_or(|second| distance(second) - distance(best) > APART);
    told_apart.then(|| best.id.clone())
}

fn sessions(folder: &Path, most: usize) -> Vec<Session> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut logs: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .filter_map(|path| {
            let data = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((data.modified().ok()?, path))
        })
        .collect();
    logs.sort_by(|a, b| b.cmp(a));
    logs.truncate(most);
    logs.iter().filter_map(|(_, path)| read(path)).collect()
}

fn read(path: &Path) -> Option<Session> {
    let (mut start, mut prompt) = (None, None);
    let file = File::open(path).ok()?.take(MOST_BYTES);
    for line in BufReader::new(file).split(b'\n').take(MOST_LINES) {
        let Ok(record) = serde_json::from_slice::<Value>(&line.ok()?) else { continue };
        if start.is_none() {
            let text = record["timestamp"].as_str();
            start = text.and_then(|text| text.parse::<Timestamp>().ok());
        }
        if prompt.is_none() {
            prompt = text_of(&record);
        }
    }
    Some(Session {
        id: path.file_stem()?.to_string_lossy().into_owned(),
        start: start?.as_duration().as_secs_f64(),
        prompt: prompt.as_deref().and_then(normal),
    })
}

fn text_of(record: &Value) -> Option<String> {
    let content = match record["type"].as_str()? {
        "queue-operation" => &record["content"],
        "user" => &record["message"]["content"],
        _ => return None,
    };
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let blocks = content.as_array()?;
    blocks.iter().find(|block| block["type"] == "text")?["text"].as_str().map(str::to_owned)
}

/// White space folded; too short a prompt tells nothing.
fn normal(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (text.chars().count() >= 12).then_some(text)
}
