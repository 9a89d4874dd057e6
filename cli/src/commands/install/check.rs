//! What `hookspec doctor` finds out about the clients into which we are installed.

use std::collections::BTreeSet;
use std::path::Path;

use hookspec::registry::Plugin;
use hookspec_bridge::client::Client;
use hookspec_bridge::install::{Places, Scope, events, file, found};

use super::{cannot_fire, places};
use crate::commands::bridge::registry;
use crate::settings::{Common, Settings};

/// What was looked at, and what is wrong with it.
pub(in crate::commands) type Found = (String, Option<String>);

/// Looks at each client's configuration that names us; clients without us are not mentioned.
pub(in crate::commands) fn check(
    settings: &Settings,
    common: &Common,
    plugins: &[&'static Plugin],
) -> Vec<Found> {
    let Ok(Some(places)) = places(&settings.workspace) else { return Vec::new() };
    let mut all = Vec::new();
    for client in Client::ALL {
        let mut is_ours = false;
        for scope in [Scope::User, Scope::Project] {
            let Ok(path) = file(client, scope, &places) else { continue };
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let what = format!("client {client}: {}", path.display());
            match found(client, &path, &text) {
                Err(error) => all.push((what, Some(error.to_string()))),
                Ok(commands) if commands.is_empty() => {}
                Ok(commands) => {
                    is_ours = true;
                    let (problems, never) =
                        problems(client, &path, &commands, (settings, common, plugins), &places);
                    if problems.is_empty() {
                        all.push((format!("{what}: {} events{never}", commands.len()), None));
                    }
                    all.extend(problems.into_iter().map(|problem| (what.clone(), Some(problem))));
                }
            }
        }
        all.extend(is_ours.then(|| version(client, &places.project)).flatten());
    }
    all
}

/// The version of a client whose program is on `PATH`.
fn version(client: Client, project: &Path) -> Option<Found> {
    let installed = match client.installed(project)? {
        Ok(installed) => installed,
        Err(error) => return Some((format!("client {client}: version"), Some(error.to_string()))),
    };
    let what = format!("client {client}: version {} ({})", installed.version, installed.path.display());
    let old = client.written_for().filter(|wanted| installed.version < *wanted);
    let problem = old.map(|wanted| {
        format!(
            "what is written into its configuration is for {wanted} and later: an older one may pass over events, or take a refusal for none; update it"
        )
    });
    Some((what, problem))
}

/// What is wrong, and the hooks that cannot fire there.
fn problems(
    client: Client,
    path: &Path,
    commands: &[(String, String)],
    (settings, common, plugins): (&Settings, &Common, &[&'static Plugin]),
    places: &Places,
) -> (Vec<String>, String) {
    let (mut problems, mut never) = (Vec::new(), String::new());
    let programs: BTreeSet<&str> =
        commands.iter().filter_map(|(_, command)| Some(command.split_once(" bridge ")?.0)).collect();
    for program in programs {
        let bare = program.trim_matches('\'');
        if !is_reachable(bare) {
            problems.push(format!(
                "{bare} cannot be started, so that its guards do not run; `hookspec install {client}` writes the right path"
            ));
        }
    }
    // The hooks that its commands select.
    let allow = commands.iter().find_map(|(_, command)| command.split_once(" --allow "));
    let allow = allow.map(|(_, names)| names.trim_matches('\'').split(',').map(str::to_owned).collect());
    let common = Common { allow: allow.or_else(|| common.allow.clone()), ..common.clone() };
    match registry(settings, &common, plugins, client) {
        Err(error) => problems.push(error.to_string()),
        Ok(registry) => {
            let wanted: BTreeSet<&str> = events(client, &registry).into_iter().collect();
            let held: BTreeSet<&str> = commands.iter().map(|(event, _)| event.as_str()).collect();
            let missing: Vec<_> = wanted.difference(&held).copied().collect();
            if !missing.is_empty() {
                problems.push(format!(
                    "{} not written, though hooks listen there; run `hookspec install {client}` again",
                    missing.join(", ")
                ));
            }
            for (point, hooks) in cannot_fire(client, &registry) {
                never.push_str(&format!(
                    "; {} cannot fire there, which has nothing like {point}",
                    hooks.join(", ")
                ));
            }
        }
    }
    if client == Client::Codex {
        problems.extend(untrusted(path, commands.len(), places));
    }
    (problems, never)
}

fn is_reachable(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Codex skips hooks that were not trusted, without a word. Whether a hash still fits only Codex knows; that there is
/// none for a hook can be seen.
fn untrusted(path: &Path, commands: usize, places: &Places) -> Option<String> {
    let home = places.codex_home.clone().unwrap_or_else(|| places.home.join(".codex"));
    let text = std::fs::read_to_string(home.join("config.toml")).unwrap_or_default();
    let config: toml::Table = text.parse().unwrap_or_default();
    let state = config.get("hooks").and_then(|hooks| hooks.get("state")).and_then(toml::Value::as_table);
    let source = path.display().to_string();
    let trusted = state.into_iter().flatten().filter(|(key, value)| {
        key.starts_with(&source) && value.get("trusted_hash").is_some() && !is_off(value)
    });
    let trusted = trusted.count();
    (trusted < commands).then(|| {
        format!(
            "Codex has trusted {trusted} of the hooks in this file, and {commands} are ours: those that it has not trusted do not run; start it and type /hooks"
        )
    })
}

fn is_off(state: &toml::Value) -> bool {
    state.get("enabled").and_then(toml::Value::as_bool) == Some(false)
}
