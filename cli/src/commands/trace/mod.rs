//! `hookspec trace`: which hook ran when, for how long, and what it said; as text, as data, as a picture.
//!
//! It reads `timeline.jsonl` in the session's folder, also while the session is running. A line that cannot be
//! read costs itself.

mod axis;
mod picture;
mod scale;
mod text;
mod words;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use hookspec::timeline::TimelineEntry;

use crate::names::did_you_mean;
use crate::output;
use crate::settings::{Common, Settings};

use super::CommandResult;
use picture::picture;
pub(crate) use text::{print, print_speaking};

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// The session; the latest one unless given.
    session: Option<String>,
    /// Write a picture.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum TraceError {
    #[error("there is no session yet; `hookspec tour` makes one")]
    NoSession,
    #[error("there is no session `{session}` in {logs}{hint}")]
    Unknown { session: String, logs: PathBuf, hint: String },
    #[error("the session `{session}` has no timeline at {path}: {source}")]
    NoTimeline { session: String, path: PathBuf, source: io::Error },
    #[error("{path} cannot be written: {source}")]
    Picture { path: PathBuf, source: io::Error },
}

impl Trace {
    pub(crate) fn run(&self, common: &Common) -> CommandResult {
        let settings = Settings::load(common)?;
        let session = match &self.session {
            Some(session) => session.clone(),
            None => {
                let sessions = hookspec_agent::log::list(&settings.paths.logs_dir)?;
                sessions.into_iter().next().ok_or(TraceError::NoSession)?.id
            }
        };
        let path = settings.paths.logs_dir.join(&session).join("timeline.jsonl");
        let entries = match read(&path) {
            Ok(entries) => entries,
            Err(_) if !path.parent().is_some_and(Path::is_dir) => {
                let (logs, hint) =
                    (settings.paths.logs_dir.clone(), nearest(&session, &settings.paths.logs_dir));
                return Err(TraceError::Unknown { session, logs, hint }.into());
            }
            Err(source) => return Err(TraceError::NoTimeline { session, path, source }.into()),
        };
        if let Some(file) = &self.svg {
            let picture = picture(&session, &entries);
            svg::save(file, &picture).map_err(|source| TraceError::Picture { path: file.clone(), source })?;
            output::note(format!("wrote {}", file.display()));
        } else if common.json {
            for entry in &entries {
                output::json(entry)?;
            }
        } else {
            print(&session, &entries);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What to say of a session that is not there: the one that may have been meant, else the latest ones.
pub(crate) fn nearest(session: &str, logs: &Path) -> String {
    // Where not even the folder can be read, there is nothing to offer; the error names it.
    let all = hookspec_agent::log::list(logs).unwrap_or_default();
    let mut hint = did_you_mean(session, all.iter().map(|summary| summary.id.as_str()));
    if hint.is_empty() && !all.is_empty() {
        let latest: Vec<_> = all.iter().take(3).map(|summary| format!("`{}`", summary.id)).collect();
        hint = format!("; the latest are {}", latest.join(", "));
    }
    hint
}

/// Every good line; a broken one costs itself.
fn read(path: &Path) -> io::Result<Vec<TimelineEntry>> {
    let text = std::fs::read(path)?;
    let text = String::from_utf8_lossy(&text);
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(entry) => entries.push(entry),
            Err(error) => {
                output::warning(format!("{}, line {} was skipped: {error}", path.display(), index + 1));
            }
        }
    }
    Ok(entries)
}
