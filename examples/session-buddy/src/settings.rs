//! `[hooks.buddy]` in `hookspec.toml`.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// Whether the model's checkpoints may make commits and tags. A person's command always may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Commits {
    /// The user is asked each time; nobody there to ask is a no.
    #[default]
    Ask,
    /// They may.
    Yes,
    /// They may not.
    No,
}

/// All settings of this crate.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The database; relative to the folder that the host lends (`~/.local/state/hookspec` in `hookspec`).
    pub database: String,
    /// A checkpoint with a lower score is refused.
    pub min_quality: u8,
    /// A checkpoint with a higher score teaches.
    pub learn_above: u8,
    /// Whether the model's checkpoints may make commits and tags.
    pub commits: Commits,
    /// Formatters by a file's extension: a command that reads the file and writes it formatted. `{path}` stands for the
    /// file, `{edition}` for a Rust file's edition. An empty list switches one off. Over the table in `format.rs`.
    pub formatters: BTreeMap<String, Vec<String>>,
    /// How long a formatter may take, at most 50 s.
    pub format_s: u64,
    /// A linter for the score: each line that it writes is a finding. Without one, `ruff` is used for Python if it is
    /// installed; linters that run what a project brings (clippy, eslint) only run when they are named here.
    pub lint: Vec<String>,
    /// How long measuring may take, at most 50 s.
    pub measure_s: u64,
    /// Tools whose calls are commands: one that succeeds between an error and its fix is an attempt.
    pub command_tools: Vec<String>,
    /// After how many days the timelines of sessions are forgotten; 0 is never. What was learned from them stays.
    pub keep_days: u32,
    /// The time zone for times of day, as `Europe/Berlin`; the system's unless given.
    pub time_zone: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            database: "session-buddy.sqlite".into(),
            min_quality: 60,
            learn_above: 85,
            commits: Commits::Ask,
            formatters: BTreeMap::new(),
            format_s: 30,
            lint: Vec::new(),
            measure_s: 20,
            command_tools: vec!["shell".into()],
            keep_days: 90,
            time_zone: String::new(),
        }
    }
}

impl Settings {
    /// The zone in which a morning is one. A name that nobody knows is told, and the system's zone used.
    #[must_use]
    pub fn zone(&self) -> TimeZone {
        if self.time_zone.is_empty() {
            return TimeZone::system();
        }
        TimeZone::get(&self.time_zone).or_else(|_| TimeZone::posix(&self.time_zone)).unwrap_or_else(|error| {
            tracing::warn!(zone = self.time_zone, %error, "`time_zone` in [hooks.buddy] is no known time zone; the system's is used");
            TimeZone::system()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_every_setting_with_its_default() {
        let page = include_str!("../README.md");
        let (_, block) = page.split_once("```toml\n[hooks.buddy]\n").unwrap();
        let (block, _) = block.split_once("```").unwrap();
        let shown: toml::Table = block.parse().unwrap();
        let held = toml::Table::try_from(Settings::default()).unwrap();
        assert_eq!(shown, held);
    }

    #[test]
    fn a_zone_that_nobody_knows_is_the_systems() {
        let settings = |zone: &str| Settings { time_zone: zone.into(), ..Settings::default() };
        assert_eq!(settings("Middle/Earth").zone(), TimeZone::system());
        assert_ne!(settings("XST-7:13").zone(), TimeZone::system());
    }
}
