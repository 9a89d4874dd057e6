//! The hooks that people have written for other agents, where those keep them.
//!
//! In the workspace: `.claude/settings.json`, `.claude/settings.local.json`, `hooks/hooks.json` of a plugin, be that the
//! workspace itself or a folder in `.claude/plugins`, `.codex/hooks.json` and `.codex/config.toml`. In the user's home
//! Claude Code's and Codex's own, and Hermes's `config.yaml`;
//! not where `HOOKSPEC_HOME` names a home of its own. Each handler runs once the user trusts it.
//! The bridge runs none of them: its client does.

use std::path::PathBuf;
use std::sync::Arc;

use hookspec_bridge::inbound::{self, Inbound, clients};
use hookspec_bridge::trust::TrustError;

use crate::post;
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
        match inbound::read_text(&path) {
            Ok(None) => {}
            Ok(Some(text)) => files.push(clients::File { dialect, path, text, plugin }),
            Err(error) => tracing::warn!("{} cannot be read: {error}; its hooks do not run", path.display()),
        }
    }
    if files.is_empty() {
        return Ok(Inbound::default());
    }
    let grants = store(&settings.paths).load()?;
    let post: Arc<clients::Post> = Arc::new(post::post);
    Ok(clients::load(&files, &settings.place, &grants, Some(&post)))
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
    let mut here = Inbound { waiting: read.waiting.clone(), ..Inbound::default() };
    here.waiting.retain(|file, _| file.starts_with(&settings.place.workspace));
    read.complaints.iter().map(ToString::to_string).chain(off(&here)).collect()
}

/// The hooks that do not run because nobody has trusted them, a sentence for each file.
pub(crate) fn off(read: &Inbound) -> Vec<String> {
    let sentence = |(file, names): (&PathBuf, &Vec<String>)| {
        let (file, names) = (file.display(), names.join(", "));
        format!("hooks in {file} that do not run: {names}; look at them with `hookspec trust`")
    };
    read.waiting.iter().map(sentence).collect()
}
