//! What the workspaces of a server's sessions bring: each session has the configuration of the place it works in.
//!
//! A session that is opened reads the files that `hookspec chat` would read there, with the same trust. Sessions for which
//! those say the same share one registry; where a file of the workspace or of another agent has a say, only sessions of
//! one workspace do, since the same words name other files elsewhere.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookspec::Hooks;
use hookspec::registry::{BuildError, Plugin};
use hookspec::spawn::Spawn;
use hookspec_agent::paths::PathsError;
use hookspec_bridge::inbound::Inbound;
use hookspec_bridge::trust::{Subject, TrustError};
use hookspec_server::{Brought, Lend};

use crate::hooks::{Asking, Host, builder_with, lend_to_any};
use crate::others;
use crate::settings::{Common, Settings, SettingsError};

/// Registries that are kept for sessions to come. Sessions that are open keep theirs.
const KEPT: usize = 64;

/// Everything that a registry was made of.
#[derive(PartialEq, Eq, Hash)]
struct Said {
    workspace: Option<PathBuf>,
    /// Each file with what it says, and whether it counts.
    files: Vec<String>,
    /// What needs the user's trust, with what it is now.
    subjects: Vec<String>,
    /// What is not in force.
    warnings: Vec<String>,
}

/// Files that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProjectsError {
    #[error(transparent)]
    Paths(#[from] PathsError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error(transparent)]
    Build(#[from] BuildError),
}

pub(crate) struct Projects {
    common: Common,
    plugins: Vec<&'static Plugin>,
    spawn: Arc<dyn Spawn>,
    kept: Mutex<HashMap<Said, Brought>>,
}

fn print(subject: &Subject) -> String {
    let print = subject.fingerprint().map_or_else(|error| error.to_string(), |print| print.to_string());
    format!("{} {} {print}", subject.file.display(), subject.part)
}

impl Projects {
    pub(crate) fn new(common: &Common, plugins: &[&'static Plugin], spawn: Arc<dyn Spawn>) -> Self {
        Self { common: common.clone(), plugins: plugins.to_vec(), spawn, kept: Mutex::default() }
    }

    /// The hooks of sessions in this workspace, by its files as they are now.
    pub(crate) fn look(&self, workspace: &Path) -> Result<Brought, ProjectsError> {
        let common = Common { workspace: Some(workspace.to_owned()), ..self.common.clone() };
        let (settings, errors) = Settings::read(&common)?;
        if let Some(error) = errors.into_iter().next() {
            return Err(error.into());
        }
        let others = others::read(&settings)?;
        let said = said(&settings, &others);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(brought) = kept.get(&said) {
            return Ok(brought.clone());
        }
        for warning in &said.warnings {
            tracing::warn!("{warning}");
        }
        let builder = builder_with(&settings, &common, &self.plugins, (Host::Server, others), Asking::Nobody);
        let (state_dir, models) = (settings.paths.state_dir.clone(), Arc::clone(&settings.models));
        let brought = Brought {
            hooks: Hooks::with_spawn(builder.build()?, Arc::clone(&self.spawn)),
            lend: Lend::new(move |session| lend_to_any(session, &state_dir, &models)),
            warnings: said.warnings.clone(),
        };
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(said, brought.clone());
        Ok(brought)
    }
}

fn said(settings: &Settings, others: &Inbound) -> Said {
    let subjects: Vec<String> = settings.subjects.iter().chain(&others.subjects).map(print).collect();
    let mut warnings = settings.warnings.clone();
    warnings.extend(others::warnings(settings, others));
    Said {
        workspace: (!subjects.is_empty()).then(|| settings.place.workspace.clone()),
        files: settings.said.clone(),
        subjects,
        warnings,
    }
}
