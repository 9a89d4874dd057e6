//! `hookspec install CLIENT` and `uninstall`: our command in a client's own configuration.
//!
//! The change is shown as a difference before it is made, the old file is kept beside the new one, and what is not
//! ours is left as it was. Only events that a selected hook listens to are written.

pub(super) mod check;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use hookspec::Registry;
use hookspec::registry::Plugin;
use hookspec_bridge::client::Client;
use hookspec_bridge::install::{
    Entries, InstallError, Places, Scope, events, file, installed, quoted, still_to_do, uninstalled,
};
use similar::{ChangeTag, TextDiff};

use crate::output::{self, ACCENT, BAD, DIM, GOOD, paint};
use crate::settings::{Common, Settings};

use super::CommandResult;
use super::bridge::{ClientArg, fires, registry};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScopeArg {
    /// Yours, for all projects.
    User,
    /// The project's, for all who work on it.
    Project,
}

#[derive(Debug, Args)]
pub(crate) struct Install {
    /// The agent that shall run our hooks.
    client: ClientArg,
    /// Whose configuration to change; yours, but for Copilot, which has only a project's.
    #[arg(long, value_enum)]
    scope: Option<ScopeArg>,
    /// Show the change without making it.
    #[arg(long)]
    dry_run: bool,
    /// The command that the client starts; unless given, this program's full path, or its bare name with
    /// `--scope project`, since others have it elsewhere.
    #[arg(long, value_name = "COMMAND")]
    program: Option<String>,
    /// Let a process that stays answer the events: sooner, at some megabytes of memory while it is used.
    #[arg(long)]
    resident: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    /// The agent that shall no longer run them.
    client: ClientArg,
    /// Whose configuration to change; yours, but for Copilot, which has only a project's.
    #[arg(long, value_enum)]
    scope: Option<ScopeArg>,
    /// Show the change without making it.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, thiserror::Error)]
enum WriteError {
    #[error("{path} cannot be {done}: {source}")]
    File { path: PathBuf, done: &'static str, source: std::io::Error },
    #[error("the folder of {0} is not known, since HOME is not set")]
    NoHome(Client),
    #[error("no selected hook listens to anything that happens in {client}: {why}")]
    Nothing { client: Client, why: String },
}

fn scope(client: Client, given: Option<ScopeArg>) -> Scope {
    match given {
        Some(ScopeArg::Project) => Scope::Project,
        None if client == Client::Copilot => Scope::Project,
        Some(ScopeArg::User) | None => Scope::User,
    }
}

/// Where the clients' configurations are.
pub(super) fn places(workspace: &Path) -> std::io::Result<Option<Places>> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let Some(home) = folder("HOME") else { return Ok(None) };
    Ok(Some(Places {
        home,
        project: std::path::absolute(workspace)?,
        codex_home: folder("CODEX_HOME"),
        claude_config_dir: folder("CLAUDE_CONFIG_DIR"),
        hermes_home: folder("HERMES_HOME"),
    }))
}

fn read(path: &Path) -> Result<String, WriteError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(WriteError::File { path: path.to_owned(), done: "read", source }),
    }
}

impl Install {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let client = self.client.0;
        let scope = scope(client, self.scope);
        let settings = Settings::load(common)?;
        let registry = registry(&settings, common, plugins, client)?;
        let entries = Entries {
            client,
            program: self.program(scope)?,
            allow: common.allow.clone().unwrap_or_default(),
            resident: self.resident,
            events: events(client, &registry),
        };
        if entries.events.is_empty() {
            let rows = cannot_fire(client, &registry);
            let why = match rows.keys().next() {
                Some(point) => format!("the hooks at {point} cannot fire there"),
                None => "no hook is selected; `hookspec list --host bridge` tells why".to_owned(),
            };
            return Err(WriteError::Nothing { client, why }.into());
        }
        let path = path(client, scope, &settings.workspace)?;
        let change = |text: &str| installed(&entries, &path, text);
        if write(&path, self.dry_run, change)? {
            output::line(format!("events: {}", entries.events.join(", ")));
            output::line(format!("next:   {}", still_to_do(client, scope)));
        }
        for (point, hooks) in cannot_fire(client, &registry) {
            let hooks = hooks.join(", ");
            output::line(paint(DIM, format!("never:  {hooks}: {client} has nothing like {point}")));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn program(&self, scope: Scope) -> Result<String, WriteError> {
        if let Some(program) = &self.program {
            return Ok(program.clone());
        }
        let own = std::env::current_exe();
        let own =
            own.map_err(|source| WriteError::File { path: "this program".into(), done: "found", source })?;
        let name =
            own.file_stem().map_or_else(|| "hookspec".into(), |name| name.to_string_lossy().into_owned());
        // A small program lies beside this one that hands events to the process that stays; one of a user's own may
        // not have brought it.
        let ask = own.with_file_name("hookspec-ask");
        let (own, name) = if self.resident && name == "hookspec" && ask.is_file() {
            (ask, "hookspec-ask".to_owned())
        } else {
            (own, name)
        };
        // A path of one machine has no place in what all who work on the project read.
        let word = if scope == Scope::Project { name } else { own.display().to_string() };
        Ok(quoted(&word))
    }
}

impl Uninstall {
    pub(crate) fn run(&self, common: &Common) -> CommandResult {
        let client = self.client.0;
        let workspace = common.workspace.clone().unwrap_or_else(|| PathBuf::from("."));
        let path = path(client, scope(client, self.scope), &workspace)?;
        write(&path, self.dry_run, |text| uninstalled(client, &path, text))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn path(client: Client, scope: Scope, workspace: &Path) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let places = places(workspace)?.ok_or(WriteError::NoHome(client))?;
    Ok(file(client, scope, &places)?)
}

/// The selected hooks that cannot fire in a client, by point.
pub(super) fn cannot_fire(client: Client, registry: &Registry) -> BTreeMap<&'static str, Vec<String>> {
    let fires = fires(client);
    let mut all: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for row in registry.list().into_iter().filter(|row| row.on) {
        if !fires.iter().any(|point| point.wire == row.info.point.wire) {
            all.entry(row.info.point.name).or_default().push(row.info.name.clone());
        }
    }
    all
}

/// Shows the difference and makes it. Returns whether there was one.
fn write(
    path: &Path,
    dry_run: bool,
    change: impl Fn(&str) -> Result<String, InstallError>,
) -> Result<bool, Box<dyn std::error::Error>> {
    // Where the file is a link, what it leads to is changed.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = read(&path)?;
    let new = change(&old)?;
    if new == old {
        output::line(format!("{}: nothing to change", path.display()));
        return Ok(false);
    }
    show(&path, &old, &new);
    if dry_run {
        output::line("dry run: nothing was written");
        return Ok(true);
    }
    let error = |done| {
        let path = path.clone();
        move |source| WriteError::File { path, done, source }
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(error("written"))?;
    if !old.is_empty() {
        let backup = backup_name(&path);
        std::fs::copy(&path, &backup).map_err(error("copied"))?;
        output::line(format!("the old one is kept in {}", backup.display()));
    }
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(error("written"))?;
    file.write_all(new.as_bytes()).map_err(error("written"))?;
    if let Ok(data) = std::fs::metadata(&path) {
        file.as_file().set_permissions(data.permissions()).map_err(error("written"))?;
    }
    file.persist(&path).map_err(|failed| error("written")(failed.error))?;
    output::line(paint(GOOD, format!("{} is written", path.display())));
    Ok(true)
}

fn backup_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".before-hookspec");
    path.with_file_name(name)
}

fn show(path: &Path, old: &str, new: &str) {
    output::line(paint(ACCENT, path.display()));
    let diff = TextDiff::from_lines(old, new);
    for group in diff.grouped_ops(2) {
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = change.value().trim_end_matches('\n');
            output::code(match change.tag() {
                ChangeTag::Equal => paint(DIM, format!("  {line}")),
                ChangeTag::Delete => paint(BAD, format!("- {line}")),
                ChangeTag::Insert => paint(GOOD, format!("+ {line}")),
            });
        }
    }
}
