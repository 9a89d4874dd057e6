//! `hookspec doctor`: everything that is wrong, each with its remedy, in one go.
//!
//! One problem does not hide the next: a configuration file that cannot be read is left out, and the rest is
//! looked at without it. What it looks at is what a chat in this folder would run with.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use hookspec::registry::{Plugin, Problem};

use crate::hooks::{Asking, builder, fires};
use crate::others;
use crate::output::{self, BAD, GOOD, WARN, paint};
use crate::progress::Progress;
use crate::project;
use crate::screen::behind;
use crate::settings::{Common, Settings};

use super::CommandResult;
use super::install::check::check;
use super::list::in_shadow;

#[derive(Debug, Args)]
pub(crate) struct Doctor {}

/// One thing that was looked at.
struct Finding {
    what: String,
    problem: Option<String>,
    /// What a person should know and nobody need mend.
    warning: Option<String>,
}

impl Finding {
    fn good(what: impl Into<String>) -> Self {
        Self { what: what.into(), problem: None, warning: None }
    }

    fn bad(what: impl Into<String>, problem: impl ToString) -> Self {
        Self { what: what.into(), problem: Some(problem.to_string()), warning: None }
    }

    fn warning(what: impl Into<String>, warning: impl ToString) -> Self {
        Self { what: what.into(), problem: None, warning: Some(warning.to_string()) }
    }
}

impl Doctor {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let progress = Progress::start("looking for problems");
        let findings = examine(common, plugins);
        drop(progress);
        let problems = findings.iter().filter(|finding| finding.problem.is_some()).count();
        if common.json {
            let rows: Vec<_> = findings
                .iter()
                .map(|finding| {
                    serde_json::json!({ "what": finding.what, "problem": finding.problem, "warning": finding.warning })
                })
                .collect();
            output::json(&rows)?;
        } else {
            for finding in &findings {
                let what = behind(&finding.what, 5);
                match (&finding.problem, &finding.warning) {
                    (None, None) => output::line(format!("{} {what}", paint(GOOD, "ok  "))),
                    (None, Some(warning)) => {
                        let warning = behind(warning, 7);
                        output::line(format!("{} {what}\n       {warning}", paint(WARN, "warn")));
                    }
                    (Some(problem), _) => {
                        let problem = behind(problem, 7);
                        output::line(format!("{} {what}\n       {problem}", paint(BAD, "BAD ")));
                    }
                }
            }
            output::line(match problems {
                0 => paint(GOOD, "\nno problems"),
                1 => paint(WARN, "\n1 problem"),
                many => paint(WARN, format!("\n{many} problems")),
            });
        }
        Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn examine(common: &Common, plugins: &[&'static Plugin]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (settings, errors) = match Settings::read(common) {
        Ok(read) => read,
        Err(error) => return vec![Finding::bad("configuration", error)],
    };
    findings.extend(settings.places.iter().filter(|looked| !looked.is_told()).map(|looked| {
        let what = format!("configuration, {}: {}", looked.whose, looked.file.display());
        match looked.is_wrong() {
            true => Finding::bad(what, looked.words()),
            false => Finding::good(format!("{what}: {}", looked.words())),
        }
    }));
    findings.extend(errors.iter().map(|error| Finding::bad("configuration", error)));
    match others::read(&settings) {
        Ok(read) => {
            findings.extend(
                others::warnings(&settings, &read)
                    .into_iter()
                    .map(|text| Finding::bad("hooks of other agents", text)),
            );
            findings.extend(read.idle.iter().map(|idle| Finding::good(idle.to_string())));
        }
        Err(error) => findings.push(Finding::bad("hooks of other agents", error)),
    }
    findings.extend(settings.warnings.iter().map(|warning| Finding::bad("configuration", warning)));
    // Strict, so that dead hooks are told together with everything else.
    match builder(&settings, common, plugins, Asking::choose(false, false)).strict(true).build() {
        Ok(registry) => {
            let report = registry.report();
            findings.push(Finding::good(format!(
                "hooks: {} found, {} selected, at {} points",
                report.found, report.selected, report.points
            )));
            let tried = in_shadow(&registry.list());
            findings.extend(tried.map(|text| Finding::warning("hooks in shadow", text)));
            for plugin in &report.plugins {
                let what = format!(
                    "plugin {} {}: {}, {}, {}",
                    plugin.package,
                    plugin.version,
                    output::count(plugin.hooks, "hook"),
                    output::count(plugin.tools, "tool"),
                    output::count(plugin.points, "point")
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
            // What another system's variables say is no mistake that is to be mended here, and a hook that is to be left
            // out may be in another program of this user.
            findings.extend(report.warnings.iter().map(|warning| match warning {
                Problem::NothingToDisable { .. } => Finding::warning("hooks", warning),
                warning if warning.is_foreign() => Finding::warning("hooks", warning),
                warning => Finding::bad("hooks", warning),
            }));
        }
        Err(error) => {
            findings.extend(error.problems.iter().map(|problem| Finding::bad("hooks", problem)));
            if cfg!(panic = "abort") {
                findings.push(Finding::bad("hooks", Problem::PanicAborts));
            }
        }
    }
    findings.extend(dead_points());
    findings.push(writable("conversations", &settings.paths.logs_dir));
    findings.push(writable("states of hooks", &settings.paths.state_dir));
    let workspace = format!("workspace: {}", settings.place.workspace.display());
    findings.push(match std::fs::read_dir(&settings.workspace) {
        Ok(_) => Finding::good(workspace),
        Err(error) => {
            Finding::bad(workspace, format!("{error}; give a directory that you may read with --workspace"))
        }
    });
    findings.extend(unlinked(&settings.workspace, plugins));
    let clients = check(&settings, common, plugins).into_iter();
    findings.extend(clients.map(|(what, problem)| Finding { what, problem, warning: None }));
    findings
}

/// Points that a hook may listen at in vain.
fn dead_points() -> Vec<Finding> {
    let fired = fires();
    let all = hookspec::point::all_points();
    let dead = all.iter().map(|point| point.info());
    let dead = dead.filter(|info| !fired.iter().any(|point| point.wire == info.wire));
    dead.map(|info| {
        Finding::bad(
            format!("point {} ({}:{})", info.name, info.file, info.line),
            format!(
                "nothing in this program fires it: fire it with `fire!`, or take it out of {}",
                info.package
            ),
        )
    })
    .collect()
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

/// Crates of the Cargo project around the workspace whose hooks are missed in this program.
fn unlinked(workspace: &Path, plugins: &[&'static Plugin]) -> Vec<Finding> {
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(Path::file_stem).and_then(|name| name.to_str());
    let hooks = hookspec::point::all_points().into_iter().flat_map(hookspec::point::AnyPoint::linked_hooks);
    let linked: BTreeSet<&str> =
        plugins.iter().map(|plugin| plugin.package).chain(hooks.map(|hook| hook.package)).collect();
    match project::examine(workspace, program.unwrap_or_default(), &linked) {
        Ok(None) => Vec::new(),
        Ok(Some(project)) if project.missing.is_empty() => {
            vec![Finding::good(format!("plugin crates of {}", project.manifest.display()))]
        }
        Ok(Some(project)) => {
            let missing = project.missing.into_iter();
            missing
                .map(|missing| Finding::bad(format!("crate {}", missing.package), missing.remedy))
                .collect()
        }
        Err(error) => vec![Finding::bad("Cargo project", error)],
    }
}
