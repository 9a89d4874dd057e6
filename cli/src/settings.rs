//! What the program was told: options, files, environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use hookspec::Config;
use hookspec::config::ConfigError;
use hookspec_agent::paths::{Paths, PathsError};
use hookspec_bridge::command::Overflow;
use hookspec_bridge::inbound::script::{self, Admission, Place, Source};
use hookspec_bridge::inbound::{self, Inbound};
use hookspec_bridge::trust::{Standing, Store, Subject, TrustError};
use hookspec_builtins::models::{Models, ModelsError};
use serde::Deserialize;

use crate::hooks::Host;
use crate::others;
use crate::places::{Found, Looked, is_same};
use crate::variables::{self, Lists};

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Common {
    /// A configuration file, read after the user's and the workspace's; naming it here is trusting it.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Select only these hooks: names, groups or globs, separated by commas. `+NAME` is the defaults and NAME.
    /// Confirmations stay.
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
    /// Print whole lines, however narrow the terminal is; a pipe gets them anyway.
    #[arg(long, global = true)]
    pub(crate) wide: bool,
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

/// What the files may hold beside `[hooks]` and `[background]`.
const SECTIONS: [&str; 3] = ["agent", "models", "hooks.scripts"];

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
    #[error("{0} is no directory; give one with --workspace")]
    NoWorkspace(PathBuf),
    #[error("{file}: `[agent]`: {why}")]
    Agent { file: String, why: String },
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error("{file}: {error}")]
    Models { file: String, error: ModelsError },
}

/// Whose word a configuration file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// The user's own.
    User,
    /// The project's: it counts once the user trusts it.
    Project,
    /// gptme's: only its scripts, and once the user trusts them.
    Gptme,
    /// Named on the command line.
    Named,
}

impl Whose {
    fn words(self) -> &'static str {
        match self {
            Self::User => "yours",
            Self::Project => "the project's",
            Self::Gptme => "gptme's",
            Self::Named => "named by --config",
        }
    }
}

/// Everything the program was told.
#[derive(Debug)]
pub(crate) struct Settings {
    /// What the files and the environment say of hooks in every host.
    config: Config,
    /// gptme's lists of hooks.
    lists: Lists,
    pub(crate) agent: AgentSettings,
    /// The built-in table, and `[models]` over it.
    pub(crate) models: Arc<Models>,
    pub(crate) paths: Paths,
    pub(crate) workspace: PathBuf,
    /// Where configuration was looked for, in this order, and what was found.
    pub(crate) places: Vec<Looked>,
    /// What the user may trust here, trusted or not.
    pub(crate) subjects: Vec<Subject>,
    /// Hooks that are commands.
    pub(crate) scripts: Inbound,
    /// Where hooks that are commands run.
    pub(crate) place: Place,
    /// What does not count, and why.
    pub(crate) warnings: Vec<String>,
    /// Each file with its text and its standing: what says the same means the same.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "only a server compares them"))]
    pub(crate) said: Vec<String>,
}

impl Settings {
    /// What the files and the environment say of the hooks of a kind of host.
    pub(crate) fn config_for(&self, host: Host) -> Config {
        let mut config = self.config.clone();
        // In another agent they would take the guards out, and nobody there would see it.
        if matches!(host, Host::Chat | Host::Server) {
            self.lists.add(&mut config);
        }
        config
    }

    /// That the workspace is there, for commands that would find nothing in it and say so.
    pub(crate) fn check_workspace(&self) -> Result<(), SettingsError> {
        if self.workspace.is_dir() {
            return Ok(());
        }
        Err(SettingsError::NoWorkspace(self.workspace.clone()))
    }

    /// Reads the user's file, the workspace's, the one that was named, and the environment, in this order.
    ///
    /// The workspace's file counts only while the user trusts exactly what is in it. What does not count is told.
    pub(crate) fn load(common: &Common) -> Result<Self, SettingsError> {
        let (settings, errors) = Self::read(common)?;
        for warning in &settings.warnings {
            tracing::warn!("{warning}");
        }
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(settings),
        }
    }

    /// The same, with everything that is wrong; what is wrong is left out of the settings.
    pub(crate) fn read(common: &Common) -> Result<(Self, Vec<SettingsError>), PathsError> {
        let paths = Paths::discover()?;
        let workspace = common.workspace.clone().unwrap_or_else(|| PathBuf::from("."));
        let place = Place {
            workspace: std::path::absolute(&workspace).unwrap_or_else(|_| workspace.clone()),
            logs: paths.logs_dir.clone(),
            overflow: Overflow::in_folder(paths.state_dir.join("long-texts")),
        };
        let mut read = Files::default();
        let mut places = Vec::new();
        let mut errors = Vec::new();
        for (path, whose) in [
            (gptmes(), Whose::Gptme),
            (Some(paths.config_dir.join("hookspec.toml")), Whose::User),
            (Some(workspace.join("gptme.toml")), Whose::Gptme),
            (Some(workspace.join("hookspec.toml")), Whose::Project),
            (common.config.clone(), Whose::Named),
        ] {
            let Some(path) = path else { continue };
            let found = read.add(&path, whose, &store(&paths), &place).unwrap_or_else(|error| {
                errors.push(error);
                Found::Failed
            });
            // As the user would write it, from wherever; a pipe has no other name.
            let file = std::path::absolute(&path).unwrap_or(path);
            places.push(Looked { file, whose: whose.words(), found });
        }
        places.extend(Looked::misplaced(&paths.config_dir, &workspace));
        let Files { mut config, sources, subjects, mut warnings } = read;
        let scripts = script::load(&sources, &place);
        warnings.extend(scripts.complaints.iter().map(ToString::to_string));
        warnings.extend(others::off(&scripts));
        let said = sources.iter().map(|source| format!("{source:?}")).collect();
        let variables: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        variables::add(&mut config, &variables);
        let lists = Lists::read(&variables);
        warnings.extend(variables::misspelt(&variables));
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
        Ok((
            Self {
                config,
                lists,
                agent,
                models,
                paths,
                workspace,
                places,
                subjects,
                scripts,
                place,
                warnings,
                said,
            },
            errors,
        ))
    }
}

fn read_models(config: &Config) -> Result<Models, SettingsError> {
    let told = |file: &str| {
        let file = file.to_owned();
        move |error| SettingsError::Models { file, error }
    };
    match config.section("models") {
        None => Ok(Models::late()),
        Some((table, file)) => {
            let models = Models::builtin().map_err(told("hookspec"))?;
            models.with_overrides(table).map_err(told(&file))
        }
    }
}

/// Where it is kept what the user trusts.
pub(crate) fn store(paths: &Paths) -> Store {
    Store::at(paths.data_dir.join("trust.json"))
}

/// What the files say.
#[derive(Default)]
struct Files {
    config: Config,
    sources: Vec<Source>,
    subjects: Vec<Subject>,
    warnings: Vec<String>,
}

impl Files {
    fn add(
        &mut self,
        path: &Path,
        whose: Whose,
        store: &Store,
        place: &Place,
    ) -> Result<Found, SettingsError> {
        // What is named on the command line may be a pipe.
        let text = match whose {
            Whose::Named => std::fs::read_to_string(path).map(Some),
            Whose::User | Whose::Project | Whose::Gptme => inbound::read_text(path),
        };
        let text = match text {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(Found::Nothing),
            // It is not ours: what is wrong with it is for gptme to tell.
            Err(_) if whose == Whose::Gptme => return Ok(Found::Failed),
            Err(source) => return Err(SettingsError::Read { path: path.to_owned(), source }),
        };
        // One file in two roles (a workspace that is the user's own folder) counts once.
        let counts = |held: &Source| !matches!(held.admission, Admission::Barred(_));
        if self.sources.iter().any(|held| counts(held) && is_same(&held.file, path)) {
            return Ok(Found::Same);
        }
        let subject = match whose {
            Whose::User | Whose::Named => None,
            Whose::Project => Some(script::subject(path, &text, &place.workspace)),
            Whose::Gptme => match script::subject_of_scripts(path, &text, &place.workspace) {
                Some(subject) => Some(subject),
                None => return Ok(Found::Empty),
            },
        };
        let admission = subject.as_ref().map_or(Ok(Admission::Own), |subject| admit(subject, store))?;
        self.subjects.extend(subject);
        match &admission {
            Admission::Barred(why) if whose == Whose::Gptme => {
                self.warnings.push(format!("the scripts in {} do not run: {why}", path.display()));
            }
            Admission::Barred(why) => {
                self.warnings.push(format!("{} does not count: {why}", path.display()));
            }
            _ if whose == Whose::Gptme => {}
            _ => self.config.add_toml(&path.display().to_string(), &text, &SECTIONS)?,
        }
        let found = match &admission {
            Admission::Barred(why) => Found::Untrusted(why.clone()),
            _ => Found::Read,
        };
        self.sources.push(Source { file: path.to_owned(), text, admission });
        Ok(found)
    }
}

/// gptme's own configuration; not where `HOOKSPEC_HOME` names a home of its own.
fn gptmes() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if set("HOOKSPEC_HOME").is_some() {
        return None;
    }
    let base = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
    Some(base.join("gptme/config.toml"))
}

fn admit(subject: &Subject, store: &Store) -> Result<Admission, TrustError> {
    let barred = |why: &str| Admission::Barred(format!("{why}; look at it with `hookspec trust`"));
    let print = match subject.fingerprint() {
        Ok(print) => print,
        Err(unreadable) => return Ok(barred(&unreadable.to_string())),
    };
    Ok(match store.load()?.standing(subject, &print) {
        Standing::Trusted => Admission::Granted,
        Standing::Changed => barred("it, or a script that it names, has changed since you trusted it"),
        Standing::New => barred("it comes with the folder, and you have not trusted it yet"),
    })
}
