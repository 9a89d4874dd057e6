//! `hookspec snapshots`: what the tree was before and after the agent's tools changed it.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use hookspec::registry::Plugin;
use hookspec::session::StateDir;
use hookspec_builtins::auto_snapshots::{Restored, Settings as SnapshotSettings, Shadow, Snapshot};
use jiff::Timestamp;

use crate::foreign;
use crate::output::{self, ACCENT, DIM, WARN, paint};
use crate::screen;
use crate::settings::{Common, Settings};

use super::{CommandResult, hook_settings};

#[derive(Debug, Args)]
pub(crate) struct Snapshots {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the workspace's snapshots, the newest first.
    List {
        /// Only those of this session.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Show what changed in a snapshot, compared with the one before it.
    Show {
        /// The snapshot's id, or how it begins.
        id: String,
        /// Show the lines that changed.
        #[arg(long)]
        diff: bool,
    },
    /// Bring all files back to a snapshot, after a snapshot of what they are now.
    Restore {
        /// The snapshot's id, or how it begins.
        id: String,
    },
}

impl Snapshots {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let settings = Settings::load(common)?;
        settings.check_workspace()?;
        let workspace = std::path::absolute(&settings.workspace)?;
        let state = StateDir(settings.paths.state_dir.clone());
        let wanted = hook_settings::<SnapshotSettings>(&settings, common, plugins)?;
        let of = |session: &str| wanted.shadow(Some(&state), &workspace, session);
        // Any session will do to look at all of them.
        let shadow = of("")?;
        match &self.what {
            None | Some(What::List { session: None }) => list(&shadow, None, common.json),
            Some(What::List { session: Some(session) }) => list(&shadow, Some(&of(session)?), common.json),
            Some(What::Show { id, diff }) => show(&shadow, id, *diff, common.json),
            Some(What::Restore { id }) => {
                let snapshot = shadow.find(id)?;
                let restored = shadow.restore(&snapshot, Timestamp::now())?;
                if common.json {
                    output::json(&restored)?;
                } else {
                    tell(&restored);
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

fn list(shadow: &Shadow, only: Option<&Shadow>, json: bool) -> CommandResult {
    let mut all = shadow.list()?;
    all.retain(|snapshot| only.is_none_or(|only| only.has(snapshot)));
    if json {
        output::json(&all)?;
    } else if all.is_empty() {
        output::note(
            "there are no snapshots of this workspace; `enabled = true` in `[hooks.auto_snapshots]` makes them",
        );
    } else {
        for snapshot in &all {
            output::line(line(snapshot));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(shadow: &Shadow, id: &str, diff: bool, json: bool) -> CommandResult {
    let snapshot = shadow.find(id)?;
    let changes = shadow.changes(&snapshot)?;
    if json {
        output::json(&serde_json::json!({ "snapshot": snapshot, "changes": changes }))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(line(&snapshot));
    if diff {
        let diff = shadow.diff(&snapshot)?;
        // A patch in a pipe is applied as it is.
        output::raw(&if screen::columns().is_some() { foreign::text(&diff) } else { diff });
    } else {
        for change in changes {
            output::line(format!("  {} {}", change.kind, foreign::line(change.path.display())));
        }
    }
    for left in &snapshot.left_out {
        output::line(format!("  {} {}", paint(WARN, "left out:"), foreign::line(left)));
    }
    Ok(ExitCode::SUCCESS)
}

fn line(snapshot: &Snapshot) -> String {
    let id = paint(ACCENT, short(&snapshot.id));
    format!(
        "{id}  {}  {}  {}",
        paint(DIM, snapshot.time),
        foreign::line(&snapshot.session),
        foreign::line(&snapshot.label)
    )
}

fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}

fn tell(restored: &Restored) {
    let (written, deleted) = (restored.written.len(), restored.deleted.len());
    output::line(format!("files written: {written}, deleted: {deleted}"));
    for path in &restored.left {
        let path = foreign::line(path.display());
        output::line(format!("{} {path}: no snapshot holds what it is now", paint(WARN, "left as it is:")));
    }
    let safety = paint(ACCENT, short(&restored.safety));
    output::line(format!("`hookspec snapshots restore {safety}` undoes this"));
}
