//! Where things live on disk.
//!
//! Four directories, in the places that the XDG base directory rules give them on every system: what a
//! person writes (`config_dir`), what the program keeps (`data_dir`, with the conversations in `logs_dir`)
//! and what hooks remember (`state_dir`). Two variables move them: `HOOKSPEC_HOME` puts all four under one
//! directory (a test, a container, a second identity), and `HOOKSPEC_LOGS_HOME` moves the conversations
//! alone and wins over it.
//!
//! An empty variable counts as unset. A relative XDG variable is ignored, as those rules demand; a relative
//! `HOOKSPEC_…` is taken from the current directory once, here. Nothing is created on disk.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The directories; all absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Settings that a person edits.
    pub config_dir: PathBuf,
    /// Data that the program keeps.
    pub data_dir: PathBuf,
    /// The conversations, one folder each.
    pub logs_dir: PathBuf,
    /// What hooks remember: their states between processes, snapshots, records of tool calls. Conversations do
    /// without it.
    pub state_dir: PathBuf,
}

/// Why the directories are not known.
#[derive(Debug, thiserror::Error)]
pub enum PathsError {
    /// Neither a variable nor the system says where home is.
    #[error("No home directory is known: set HOME, or set HOOKSPEC_HOME to an absolute path.")]
    NoHome,
    /// A relative variable, and the current directory can't be read.
    #[error(
        "{variable} is the relative path {path:?}, and the current directory could not be read ({source}): give it as an absolute path."
    )]
    Relative {
        /// The variable.
        variable: &'static str,
        /// Its value.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

const APP: &str = "hookspec";

impl Paths {
    /// The directories for this process: its environment and its user's home.
    ///
    /// # Errors
    /// When neither `HOOKSPEC_HOME` nor a home directory is known.
    pub fn discover() -> Result<Self, PathsError> {
        let home = etcetera::home_dir().ok();
        Self::from_env(|name| std::env::var_os(name), home.as_deref())
    }

    /// The directories as `lookup` (name → value) and `home` give them.
    ///
    /// # Errors
    /// [`PathsError`], as for [`discover`](Self::discover).
    pub fn from_env(
        lookup: impl Fn(&str) -> Option<OsString>,
        home: Option<&Path>,
    ) -> Result<Self, PathsError> {
        let own = |variable| match lookup(variable).filter(|value| !value.is_empty()) {
            None => Ok(None),
            Some(value) => {
                let path = PathBuf::from(value);
                std::path::absolute(&path).map(Some).map_err(|source| PathsError::Relative {
                    variable,
                    path,
                    source,
                })
            }
        };
        let logs = own("HOOKSPEC_LOGS_HOME")?;
        if let Some(root) = own("HOOKSPEC_HOME")? {
            return Ok(Self {
                config_dir: root.join("config"),
                data_dir: root.join("data"),
                logs_dir: logs.unwrap_or_else(|| root.join("logs")),
                state_dir: root.join("state"),
            });
        }
        let base = |variable: &str, below_home: &str| {
            let set = lookup(variable).map(PathBuf::from).filter(|path| path.is_absolute());
            set.or_else(|| home.map(|home| home.join(below_home)))
                .map(|base: PathBuf| base.join(Path::new(APP)))
                .ok_or(PathsError::NoHome)
        };
        let data_dir = base("XDG_DATA_HOME", ".local/share")?;
        Ok(Self {
            config_dir: base("XDG_CONFIG_HOME", ".config")?,
            logs_dir: logs.unwrap_or_else(|| data_dir.join("logs")),
            data_dir,
            state_dir: base("XDG_STATE_HOME", ".local/state")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(vars: &[(&str, &str)], home: Option<&str>) -> Result<Paths, PathsError> {
        let lookup = |name: &str| {
            let found = vars.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        };
        Paths::from_env(lookup, home.map(Path::new))
    }

    #[cfg(unix)]
    #[test]
    fn defaults_lie_below_home() {
        let paths = paths(&[], Some("/h/u")).unwrap();
        assert_eq!(paths.config_dir, Path::new("/h/u/.config/hookspec"));
        assert_eq!(paths.data_dir, Path::new("/h/u/.local/share/hookspec"));
        assert_eq!(paths.logs_dir, Path::new("/h/u/.local/share/hookspec/logs"));
        assert_eq!(paths.state_dir, Path::new("/h/u/.local/state/hookspec"));
    }

    #[cfg(unix)]
    #[test]
    fn xdg_variables_count_when_absolute() {
        let vars = [("XDG_DATA_HOME", "/srv/data"), ("XDG_CONFIG_HOME", "relative")];
        let paths = paths(&vars, Some("/h/u")).unwrap();
        assert_eq!(paths.logs_dir, Path::new("/srv/data/hookspec/logs"));
        assert_eq!(paths.config_dir, Path::new("/h/u/.config/hookspec"));
    }

    #[cfg(unix)]
    #[test]
    fn our_variables_win_and_need_no_home() {
        let vars = [("HOOKSPEC_HOME", "/x"), ("HOOKSPEC_LOGS_HOME", "/logs"), ("XDG_DATA_HOME", "/srv/data")];
        let paths = paths(&vars, None).unwrap();
        assert_eq!(paths.data_dir, Path::new("/x/data"));
        assert_eq!(paths.logs_dir, Path::new("/logs"));
    }

    #[test]
    fn a_relative_home_becomes_absolute_and_an_empty_one_is_unset() {
        assert!(paths(&[("HOOKSPEC_HOME", "here")], None).unwrap().logs_dir.is_absolute());
        let error = paths(&[("HOOKSPEC_HOME", "")], None).unwrap_err();
        assert!(matches!(error, PathsError::NoHome), "{error}");
    }
}
