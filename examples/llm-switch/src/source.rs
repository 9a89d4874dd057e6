//! The file of local models: where it is, and what it says now.
//!
//! It is read again for each call to a model, which is a few kilobytes, and understood again when its text has changed. While a
//! changed text is faulty the one before it stays in force, and the fault is told to each session once.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{Config, ConfigError};
use crate::launch::at_home;

/// A file of local models.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    text: Option<String>,
    good: Option<Arc<Config>>,
    fault: Option<ConfigError>,
}

/// What a file says now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// What is in force; `None` where there is no file, or none that was ever good.
    pub(crate) config: Option<Arc<Config>>,
    /// What is wrong with the text as it is.
    pub(crate) fault: Option<ConfigError>,
}

impl Source {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, text: None, good: None, fault: None }
    }

    /// Reads the file.
    pub(crate) fn read(&mut self) -> Reading {
        match std::fs::read_to_string(&self.path) {
            // No file, no local models: the plugin is at rest.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (self.text, self.good, self.fault) = (None, None, None);
            }
            Err(error) => {
                let fault = ConfigError::Unreadable { path: self.path.clone(), why: error.to_string() };
                (self.text, self.fault) = (None, Some(fault));
            }
            Ok(text) if self.text.as_ref() == Some(&text) => {}
            Ok(text) => {
                match Config::parse(&self.path, &text) {
                    Ok(config) => (self.good, self.fault) = (Some(Arc::new(config)), None),
                    Err(fault) => self.fault = Some(fault),
                }
                self.text = Some(text);
            }
        }
        Reading { config: self.good.clone(), fault: self.fault.clone() }
    }
}

/// The file: as the settings say, else as `LLM_SWITCH_MODELS` says, else in the folder of settings.
pub(crate) fn file(settings: Option<&Path>) -> Option<PathBuf> {
    let variable =
        || std::env::var_os("LLM_SWITCH_MODELS").filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(said) = settings.map(Path::to_owned).or_else(variable) {
        return std::path::absolute(at_home(&said)).ok();
    }
    let folder = folder("config", "XDG_CONFIG_HOME", ".config")?;
    let toml = folder.join("llm-switch.toml");
    let yaml = folder.join("llm-switch.yaml");
    Some(if !toml.exists() && yaml.exists() { yaml } else { toml })
}

/// Where logs and notes are.
pub(crate) fn place() -> PathBuf {
    let state = folder("state", "XDG_STATE_HOME", ".local/state");
    state.unwrap_or_else(|| std::env::temp_dir().join("hookspec")).join("llm-switch")
}

/// A folder of the program, by the rules that it follows itself (`docs/configuration.md`).
fn folder(own: &str, variable: &str, below_home: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(root) = set("HOOKSPEC_HOME") {
        return std::path::absolute(root.join(own)).ok();
    }
    let base = set(variable).filter(|path| path.is_absolute());
    base.or_else(|| Some(std::env::home_dir()?.join(below_home))).map(|base| base.join("hookspec"))
}

/// Whether a file lies where the model of a session can write, and not in the folder of settings.
pub(crate) fn in_workspace(file: &Path, workspace: Option<&Path>) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let file = real(file);
    let settings = folder("config", "XDG_CONFIG_HOME", ".config").map(|folder| real(&folder));
    workspace.is_some_and(|workspace| file.starts_with(real(workspace)))
        && !settings.is_some_and(|settings| file.starts_with(settings))
}
