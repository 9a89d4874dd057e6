//! `hookspec verify`: whether the records of tool calls are what was written.
//!
//! It reads the folder only. Exit status 0 if nothing is wrong, 1 if something is.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use hookspec::registry::Plugin;
use hookspec::session::StateDir;
use hookspec_builtins::manifest::{self, Key, KeyError};

use crate::foreign;
use crate::output::{self, BAD, GOOD, paint};
use crate::settings::{Common, Settings};

use super::{CommandResult, hook_settings};

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The folder with the records, ours or gptme's; unless given, the one that `[hooks.manifest]` writes to.
    dir: Option<PathBuf>,
    /// The file with the key of the records' hashes; unless given, the one that `[hooks.manifest]` uses.
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl Verify {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let settings = Settings::load(common)?;
        let state = StateDir(settings.paths.state_dir.clone());
        let wanted = hook_settings::<manifest::Settings>(&settings, common, plugins)?;
        let dir = self.dir.clone().unwrap_or_else(|| wanted.records_in(&state));
        let key = match &self.key_file {
            Some(path) => Some(Key::read(path)?),
            None => match Key::read(&wanted.key_in(&state)) {
                Err(KeyError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => None,
                read => Some(read?),
            },
        };
        let report = match manifest::verify(&dir, key.as_ref()) {
            // A folder that somebody named must be there; the one that records would go to need not.
            Err(error) if self.dir.is_none() && error.source.kind() == ErrorKind::NotFound => {
                manifest::Report::default()
            }
            read => read?,
        };
        if common.json {
            output::json(&report)?;
        } else if report.records == 0 && report.findings.is_empty() {
            let dir = dir.display();
            output::note(format!(
                "there are no records of tool calls in {dir}; `enabled = true` in `[hooks.manifest]` makes them"
            ));
        } else {
            for finding in &report.findings {
                output::line(format!("{} {}", paint(BAD, "BAD "), foreign::line(finding)));
            }
            output::line(summary(&report));
        }
        Ok(if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn summary(report: &manifest::Report) -> String {
    let found = report.findings.len();
    let (result, style) = match found {
        0 => ("nothing is wrong".to_owned(), GOOD),
        _ => (output::count(found, "finding"), BAD),
    };
    let tie = match report.records - report.keyed {
        0 => ", tied by a key".to_owned(),
        unkeyed => format!(", {unkeyed} without a key: who can write them can forge them"),
    };
    let (records, sessions) =
        (output::count(report.records, "record"), output::count(report.sessions, "session"));
    format!("{}: {records} of {sessions}{tie}", paint(style, result))
}
