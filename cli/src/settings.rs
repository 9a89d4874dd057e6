//! What the program was told: options, files, environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use hookspec::{Config, ConfigError};
use hookspec_agent::paths::{Paths, PathsError};
use hookspec_builtins::models::{Models, ModelsError};
use serde::Deserialize;

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Common {
    /// A configuration file, read after the user's and the workspace's.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Select only these hooks: names, groups or globs, separated by commas. Confirmations stay.
    #[arg(long, global = true, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) allow: Option<Vec<String>>,
    /// Leave these hooks out.
    #[arg(long, global = true, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) disable: Vec<String>,
    /// The directory tree to work in; the current directory unless given.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Print data as JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print without colours; `NO_COLOR` and a pipe do the same.
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

/// `[agent]` in `hookspec.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AgentSettings {
    /// The model, as `provider/name`.
    pub(crate) model: Option<String>,
    /// The provider's address.
    pub(crate) base_url: Option<String>,
    /// Generations in one turn.
    pub(crate) steps: Option<u32>,
    /// How often a failed call to the model is tried again.
    pub(crate) retries: Option<u32>,
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Paths(#[from] PathsError),
    #[error(
        "{path} cannot be read: {source}; make it readable, or say where else to look with HOOKSPEC_HOME or --config"
    )]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{file}: `[agent]`: {why}")]
    Agent { file: String, why: String },
    #[error("{file}: {error}")]
    Models { file: String, error: ModelsError },
}

/// Everything the program was told.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) agent: AgentSettings,
    /// The built-in table, and `[models]` over it.
    pub(crate) models: Arc<Models>,
    pub(crate) paths: Paths,
    pub(crate) workspace: PathBuf,
    /// The files that were read.
    pub(crate) files: Vec<PathBuf>,
}

impl Settings {
    /// Reads the user's file, the workspace's, the one that was named, and the environment, in this order.
    ///
    /// Nothing that a file says is run by reading it: it selects and sets hooks that are in this program.
    pub(crate) fn load(common: &Common) -> Result<Self, SettingsError> {
        let (settings, errors) = Self::read(common)?;
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(settings),
        }
    }

    /// The same, with everything that is wrong; what is wrong is left out of the settings.
    pub(crate) fn read(common: &Common) -> Result<(Self, Vec<SettingsError>), PathsError> {
        let paths = Paths::discover()?;
        let workspace = common.workspace.clone().unwrap_or_else(|| PathBuf::from("."));
        let mut config = Config::new();
        let (mut files, mut errors) = (Vec::new(), Vec::new());
        for (path, required) in [
            (Some(paths.config_dir.join("hookspec.toml")), false),
            (Some(workspace.join("hookspec.toml")), false),
            (common.config.clone(), true),
        ] {
            let Some(path) = path else { continue };
            match add_file(&mut config, &path, required) {
                Ok(true) => files.push(path),
                Ok(false) => {}
                Err(error) => errors.push(error),
            }
        }
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        errors.extend(config.add_env(variables).err().map(SettingsError::Config));
        let agent = match config.section("agent") {
            None => AgentSettings::default(),
            Some((table, file)) => {
                let read = table.clone().try_into();
                read.unwrap_or_else(|error: toml::de::Error| {
                    let why = error.message().to_owned();
                    errors.push(SettingsError::Agent { file: file.to_owned(), why });
                    AgentSettings::default()
                })
            }
        };
        let models = Arc::new(read_models(&config).unwrap_or_else(|error| {
            errors.push(error);
            Models::default()
        }));
        Ok((Self { config, agent, models, paths, workspace, files }, errors))
    }
}

fn read_models(config: &Config) -> Result<Models, SettingsError> {
    let told = |file: &str| {
        let file = file.to_owned();
        move |error| SettingsError::Models { file, error }
    };
    let models = Models::builtin().map_err(told("hookspec"))?;
    match config.section("models") {
        None => Ok(models),
        Some((table, file)) => models.with_overrides(table).map_err(told(&file)),
    }
}

fn add_file(config: &mut Config, path: &Path, required: bool) -> Result<bool, SettingsError> {
    match std::fs::read_to_string(path) {
        Ok(text) => {
            config.add_toml(&path.display().to_string(), &text, &["agent", "models"])?;
            Ok(true)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => Ok(false),
        Err(source) => Err(SettingsError::Read { path: path.to_owned(), source }),
    }
}
