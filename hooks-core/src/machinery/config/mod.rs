//! Configuration: `hookspec.toml` (user, then project, then `--config`), then the environment.
//!
//! ```toml
//! [hooks]
//! allow = ["time_awareness", "linter.*"]   # only these; absent: all that are on by default
//! disable = ["precommit.check"]
//! strict = true                            # a hook that can never run here is an error
//! timeout = "30s"                          # of hooks that set none; or "never"
//! priority = { "linter.lint" = 20 }
//! shadow = ["secrets_guard"]               # for trial: these run, and nothing that they say is done
//!
//! [hooks.rules."linter.lint"]              # what the operator says of a hook, whatever its author says
//! paths = ["src/**"]
//!
//! [hooks.linter]                           # settings of the hooks `linter.*`
//! command = "ruff"
//!
//! [background]
//! queue = 1024
//! ```
//!
//! A host may read lists of tables under `hooks` too, `[[hooks.NAME]]`; they add up in the order of the files.
//!
//! Later sources override earlier ones key by key; `disable` and `shadow` add up. Environment: `HOOKSPEC_ALLOW`,
//! `HOOKSPEC_DISABLE`, `HOOKSPEC_SHADOW` (comma-separated, spaces allowed) and `HOOKSPEC_PRIORITY_<NAME>`. What a host reads beside
//! them because another system has it is [`Foreign`].

#[cfg(feature = "config")]
mod durations;
#[cfg(feature = "config")]
mod environment;
mod error;
#[cfg(feature = "config")]
mod file;
#[cfg(feature = "config")]
mod lines;
#[cfg(feature = "config")]
mod merge;
mod named;
#[cfg(feature = "config")]
mod rules;
mod says;
#[cfg(feature = "config")]
mod section;

#[cfg(feature = "config")]
use std::collections::BTreeMap;
use std::time::Duration;

use crate::machinery::background::BackgroundSettings;

#[cfg(feature = "config")]
pub use environment::Foreign;
pub use error::ConfigError;
pub(crate) use named::NameKind;
pub use named::Named;
pub(crate) use says::{Rule, Says};
#[cfg(feature = "config")]
pub(crate) use section::Section;

/// What a host was told about its hooks.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub(crate) allow: Option<Vec<Named>>,
    /// Another system's allowlist: it counts over `allow` where a name in it is known here.
    pub(crate) foreign_allow: Option<Vec<Named>>,
    pub(crate) disable: Vec<Named>,
    /// What is said of single hooks, in the order of the sources.
    pub(crate) rules: Vec<Rule>,
    pub(crate) strict: Option<bool>,
    /// The time limit of hooks that set none: none at all, where that is what was said.
    pub(crate) timeout: Option<Option<Duration>>,
    pub(crate) background: BackgroundSettings,
    #[cfg(feature = "config")]
    background_table: toml::Table,
    #[cfg(feature = "config")]
    hooks: BTreeMap<String, Section>,
    #[cfg(feature = "config")]
    sections: BTreeMap<String, Section>,
    #[cfg(feature = "config")]
    lists: BTreeMap<String, Vec<(toml::Value, String)>>,
    /// Values of other systems' variables that cannot be used here.
    pub(crate) unusable: Vec<ConfigError>,
    #[cfg(feature = "config")]
    /// How many sources there were.
    turn: usize,
}

#[cfg(feature = "config")]
impl Config {
    /// An empty configuration.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one key of a group's settings, over what is there: what a variable or an option of the host says.
    pub fn set(&mut self, group: &str, key: &str, value: toml::Value, source: &str) {
        let table = toml::Table::from_iter([(key.to_owned(), value)]);
        self.turn += 1;
        self.hooks.entry(group.to_owned()).or_default().add(table, source, self.turn);
    }

    /// A top-level table that belongs to the host, and the files it comes from.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<(&toml::Table, String)> {
        self.sections.get(name).map(|section| (&section.table, section.source_text()))
    }

    /// The entries of a list of tables `[[hooks.NAME]]` that belongs to the host, in the order of the files,
    /// each with its file. Their shape is not checked yet.
    pub fn list(&self, name: &str) -> impl Iterator<Item = (&toml::Value, &str)> {
        self.lists.get(name).into_iter().flatten().map(|(entry, file)| (entry, file.as_str()))
    }

    pub(crate) fn hook_tables(&self) -> impl Iterator<Item = (&str, &Section)> {
        self.hooks.iter().map(|(group, section)| (group.as_str(), section))
    }
}
