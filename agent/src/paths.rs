//! Where things live on disk.

use std::path::PathBuf;

use etcetera::{BaseStrategy, choose_base_strategy};

/// The folders of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// `hookspec.toml`.
    pub config: PathBuf,
    /// Conversations, a folder each.
    pub logs: PathBuf,
    /// States of hooks that run outside of a conversation.
    pub state: PathBuf,
}

/// No home.
#[derive(Debug, thiserror::Error)]
#[error("no home directory is known: set HOME, or HOOKSPEC_HOME to a folder that may be written")]
pub struct NoHome;

impl Paths {
    /// From the environment: everything under `HOOKSPEC_HOME` where that is set, else by the platform's
    /// conventions; `HOOKSPEC_LOGS_HOME` moves the conversations alone.
    ///
    /// # Errors
    /// If no home is known.
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Result<Self, NoHome> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let mut paths = match set("HOOKSPEC_HOME") {
            Some(home) => Self { config: home.clone(), logs: home.join("logs"), state: home.join("state") },
            None => {
                let base = choose_base_strategy().map_err(|_| NoHome)?;
                let data = base.data_dir().join("hookspec");
                Self {
                    config: base.config_dir().join("hookspec"),
                    logs: data.join("logs"),
                    state: base.state_dir().unwrap_or_else(|| base.data_dir()).join("hookspec"),
                }
            }
        };
        if let Some(logs) = set("HOOKSPEC_LOGS_HOME") {
            paths.logs = logs;
        }
        Ok(paths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_variable_moves_everything_and_another_the_logs() {
        let env = |pairs: &'static [(&str, &str)]| {
            Paths::from_env(move |name| {
                pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            })
            .unwrap()
        };
        let all = env(&[("HOOKSPEC_HOME", "/h")]);
        assert_eq!((all.config, all.logs), (PathBuf::from("/h"), PathBuf::from("/h/logs")));
        let both = env(&[("HOOKSPEC_HOME", "/h"), ("HOOKSPEC_LOGS_HOME", "/l")]);
        assert_eq!(both.logs, PathBuf::from("/l"));
    }
}
