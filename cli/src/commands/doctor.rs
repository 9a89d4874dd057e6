//! `hookspec doctor`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use hookspec::Plugin;
use serde::Deserialize;

use crate::hooks::{Asking, build};
use crate::output::{self, BAD, GOOD, WARN, paint};
use crate::settings::{Common, Settings};

use super::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct Doctor {}

/// One thing that was looked at.
struct Finding {
    what: String,
    problem: Option<String>,
}

impl Finding {
    fn good(what: impl Into<String>) -> Self {
        Self { what: what.into(), problem: None }
    }

    fn bad(what: impl Into<String>, problem: impl ToString) -> Self {
        Self { what: what.into(), problem: Some(problem.to_string()) }
    }
}

impl Doctor {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let findings = examine(common, plugins);
        let problems = findings.iter().filter(|finding| finding.problem.is_some()).count();
        if common.json {
            let rows: Vec<_> = findings
                .iter()
                .map(|finding| serde_json::json!({ "what": finding.what, "problem": finding.problem }))
                .collect();
            output::json(&rows)?;
        } else {
            for finding in &findings {
                match &finding.problem {
                    None => output::line(format!("{} {}", paint(GOOD, "ok  "), finding.what)),
                    Some(problem) => {
                        output::line(format!("{} {}\n       {problem}", paint(BAD, "BAD "), finding.what));
                    }
                }
            }
            if problems > 0 {
                output::line(paint(WARN, format!("\n{problems} problems")));
            }
        }
        Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn examine(common: &Common, plugins: &[&'static Plugin]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let settings = match Settings::load(common) {
        Ok(settings) => settings,
        Err(error) => return vec![Finding::bad("configuration", error)],
    };
    let files: Vec<_> = settings.files.iter().map(|path| path.display().to_string()).collect();
    let from = if files.is_empty() { "defaults only".to_owned() } else { files.join(", ") };
    findings.push(Finding::good(format!("configuration: {from}")));
    match build(&settings, common, plugins, Asking::choose(false, false)) {
        Ok(registry) => {
            let report = registry.report();
            findings.push(Finding::good(format!(
                "hooks: {} found, {} selected, at {} points",
                report.found, report.selected, report.points
            )));
            for plugin in &report.plugins {
                let what = format!(
                    "plugin {} {}: {} hooks, {} tools, {} points",
                    plugin.package, plugin.version, plugin.hooks, plugin.tools, plugin.points
                );
                if plugin.hooks + plugin.tools + plugin.points == 0 {
                    findings.push(Finding::bad(
                        what,
                        "it brought nothing; does it have a `#[hook]`, behind a feature that is off perhaps?",
                    ));
                } else {
                    findings.push(Finding::good(what));
                }
            }
            findings.extend(report.warnings.iter().map(|warning| Finding::bad("hooks", warning)));
        }
        Err(error) => {
            findings.extend(error.problems.iter().map(|problem| Finding::bad("hooks", problem)));
        }
    }
    findings.push(writable("conversations", &settings.paths.logs_dir));
    findings.push(writable("states of hooks", &settings.paths.state_dir));
    findings.push(match std::fs::read_dir(&settings.workspace) {
        Ok(_) => Finding::good(format!("workspace: {}", settings.workspace.display())),
        Err(error) => Finding::bad(
            format!("workspace: {}", settings.workspace.display()),
            format!("{error}; give a directory that you may read with --workspace"),
        ),
    });
    findings.extend(unlinked(&settings.workspace, plugins));
    findings
}

/// Whether files can be made in a folder, or the folder itself where there is none yet.
fn writable(what: &str, folder: &Path) -> Finding {
    let existing = folder.ancestors().find(|path| path.exists()).unwrap_or(folder);
    let what = format!("{what}: {}", folder.display());
    match tempfile::tempfile_in(existing) {
        Ok(_) => Finding::good(what),
        Err(error) => Finding::bad(
            what,
            format!(
                "{} cannot be written: {error}; set HOOKSPEC_HOME to a folder that can",
                existing.display()
            ),
        ),
    }
}

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    #[serde(default)]
    dependencies: Vec<String>,
}

/// Crates of the Cargo project around the workspace that use hookspec and are not in this program.
fn unlinked(workspace: &Path, plugins: &[&'static Plugin]) -> Vec<Finding> {
    let Some(path) = lock_file(workspace) else { return Vec::new() };
    let what = format!("plugin crates in {}", path.display());
    let lock = std::fs::read_to_string(&path)
        .map_err(|error| error.to_string())
        .and_then(|text| toml::from_str::<Lock>(&text).map_err(|error| error.message().to_owned()));
    let lock = match lock {
        Ok(lock) => lock,
        Err(error) => return vec![Finding::bad(what, error)],
    };
    let ours = ["hookspec-cli", "hookspec-agent", "hookspec-builtins", "hookspec-macros", "hookspec"];
    let missing: Vec<_> = lock
        .package
        .iter()
        .filter(|package| package.dependencies.iter().any(|d| d.split(' ').next() == Some("hookspec")))
        .filter(|package| !ours.contains(&package.name.as_str()))
        // A program that uses the command line is a host, not a plugin.
        .filter(|package| !package.dependencies.iter().any(|d| d.split(' ').next() == Some("hookspec-cli")))
        .filter(|package| !plugins.iter().any(|plugin| plugin.package == package.name))
        .map(|package| Finding::bad(
            format!("crate {}", package.name),
            "it uses hookspec and is not linked into this program: if it is a plugin, say `hookspec::plugin!();` at its root and name it in the host's `hookspec::plugins![…]`",
        ))
        .collect();
    if missing.is_empty() { vec![Finding::good(what)] } else { missing }
}

fn lock_file(workspace: &Path) -> Option<PathBuf> {
    let workspace = workspace.canonicalize().ok()?;
    workspace.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file())
}
