//! The hooks that people have written for other agents, where those keep them.
//!
//! In the workspace: `.claude/settings.json`, `.claude/settings.local.json`, `.codex/hooks.json`, and `hooks/hooks.json` of a
//! plugin, be that the workspace itself or a folder in `.claude/plugins`. In the user's home the first and the third;
//! not where `HOOKSPEC_HOME` names a home of its own. Each handler runs once the user trusts it.
//! The bridge runs none of them: its client does.

use std::path::PathBuf;

use hookspec_bridge::inbound::{Inbound, clients};
use hookspec_bridge::trust::TrustError;

use crate::settings::{Settings, store};

/// What is there, and who of it may run.
pub(crate) fn read(settings: &Settings) -> Result<Inbound, TrustError> {
    let workspace = &settings.place.workspace;
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home != workspace);
    let home = home.filter(|_| std::env::var_os("HOOKSPEC_HOME").is_none_or(|value| value.is_empty()));
    let named = std::env::var_os("HERMES_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let hermes = home.as_ref().map(|home| named.unwrap_or_else(|| home.join(".hermes")));
    let hermes = hermes.map(|folder| (clients::Dialect::Hermes, folder.join("config.yaml"), None));
    let own = home.iter().flat_map(|home| clients::places(home, true)).chain(hermes);
    let mut files = Vec::new();
    for (dialect, path, plugin) in own.chain(clients::places(workspace, false)) {
        match std::fs::read_to_string(&path) {
            Ok(text) => files.push(clients::File { dialect, path, text, plugin }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!("{} cannot be read: {error}; its hooks do not run", path.display()),
        }
    }
    if files.is_empty() {
        return Ok(Inbound::default());
    }
    let grants = store(&settings.paths).load()?;
    Ok(clients::load(&files, &settings.place, &grants))
}

/// The same for a host: what does not run is told.
pub(crate) fn load(settings: &Settings) -> Inbound {
    let read = read(settings).unwrap_or_else(|error| {
        tracing::error!("{error}; hooks of other agents do not run");
        Inbound::default()
    });
    for warning in warnings(settings, &read) {
        tracing::warn!("{warning}");
    }
    read
}

/// What a host has to say of them. Of those in the user's home nobody expects that they run here, so that a list of
/// the hooks is the place to tell that they do not.
pub(crate) fn warnings(settings: &Settings, read: &Inbound) -> Vec<String> {
    let here = read.waiting.iter().filter(|(file, _)| file.starts_with(&settings.place.workspace));
    let off = here.map(|(file, count)| {
        format!("hooks in {} that do not run: {count}; look at them with `hookspec trust`", file.display())
    });
    read.complaints.iter().map(ToString::to_string).chain(off).collect()
}
