//! `hookspec verify`: whether the records of tool calls are what was written.
//!
//! It reads the folder only. Exit status 0 if nothing is wrong, 1 if something is.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use hookspec::Plugin;
use hookspec_builtins::StateDir;
use hookspec_builtins::manifest::{self, Key, KeyError};

use crate::output::{self, BAD, GOOD, paint};
use crate::settings::{Common, Settings};

use super::{CommandResult, hook_settings};

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The folder with the records, ours or gptme's; the one that `[hooks.manifest]` names unless given.
    dir: Option<PathBuf>,
    /// The key that ties the records; the one that `[hooks.manifest]` names, where there is one, unless given.
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
        let report = manifest::verify(&dir, key.as_ref())?;
        if common.json {
            output::json(&report)?;
        } else {
            for finding in &report.findings {
                output::line(format!("{} {finding}", paint(BAD, "BAD ")));
            }
            output::line(summary(&report));
        }
        Ok(if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn summary(report: &manifest::Report) -> String {
    let count = |number: u64, one: &str| match number {
        1 => format!("1 {one}"),
        many => format!("{many} {one}s"),
    };
    let found = report.findings.len() as u64;
    let (result, style) = match found {
        0 => ("nothing is wrong".to_owned(), GOOD),
        _ => (count(found, "finding"), BAD),
    };
    let tie = match report.records - report.keyed {
        _ if report.records == 0 => String::new(),
        0 => ", tied by a key".to_owned(),
        unkeyed => format!(", {unkeyed} without a key: who can write them can forge them"),
    };
    let (records, sessions) = (count(report.records, "record"), count(report.sessions, "session"));
    format!("{}: {records} of {sessions}{tie}", paint(style, result))
}
