//! Configuration: `hookspec.toml` (user, then project, then `--config`), then the environment.
//!
//! ```toml
//! [hooks]
//! allow = ["time_awareness", "linter.*"]   # only these; absent: all that are on by default
//! disable = ["precommit.check"]
//! strict = true                            # a hook that can never run here is an error
//! timeout = "30s"                          # of hooks that set none; or "never"
//! priority = { "linter.lint" = 20 }
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
//! Later sources override earlier ones key by key; `disable` adds up. Environment: `HOOKSPEC_ALLOW`,
//! `HOOKSPEC_DISABLE` (comma-separated, spaces allowed) and `HOOKSPEC_PRIORITY_<NAME>`. What a host reads beside
//! them because another system has it is [`Foreign`].

mod durations;
mod environment;
mod lines;
mod merge;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Deserialize;

use crate::background::BackgroundSettings;

pub use environment::Foreign;
use lines::Lines;

/// A name from a list, and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub text: String,
    /// The file and its line, the variable, or the option.
    pub source: String,
    pub(crate) kind: NameKind,
    /// Whether it comes from a file.
    pub(crate) in_file: bool,
}

/// How a name is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// As it is.
    Plain,
    /// A part of a variable's name: in capitals, with `_` for what such a name cannot hold.
    Capitals,
    /// As it is, and meant for another system: one that means nothing here is no mistake.
    Foreign,
    /// A part of a variable's name that is meant for another system.
    ForeignCapitals,
}

impl NameKind {
    pub(crate) fn is_foreign(self) -> bool {
        matches!(self, Self::Foreign | Self::ForeignCapitals)
    }

    pub(crate) fn is_capitals(self) -> bool {
        matches!(self, Self::Capitals | Self::ForeignCapitals)
    }
}

impl Named {
    /// A name from `source`; surrounding space does not count.
    pub fn new(text: impl Into<String>, source: impl Into<String>) -> Self {
        Self {
            text: text.into().trim().to_owned(),
            source: source.into(),
            kind: NameKind::Plain,
            in_file: false,
        }
    }

    fn in_file(text: impl Into<String>, place: String) -> Self {
        Self { in_file: true, ..Self::new(text, place) }
    }

    /// What decided, in a few words: `allow in hookspec.toml:4`, `HOOKSPEC_ALLOW`, `--allow`.
    pub(crate) fn decided(&self, list: &str) -> String {
        if self.in_file { format!("{list} in {}", self.source) } else { self.source.clone() }
    }

    pub(crate) fn of(kind: NameKind, text: &str, source: &str) -> Self {
        Self { kind, ..Self::new(text, source) }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in {}", self.text, self.source)
    }
}

/// What a host was told about its hooks.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub(crate) allow: Option<Vec<Named>>,
    /// Another system's allowlist: it counts over `allow` where a name in it is known here.
    pub(crate) foreign_allow: Option<Vec<Named>>,
    pub(crate) disable: Vec<Named>,
    pub(crate) priorities: Vec<(Named, i32)>,
    pub(crate) strict: Option<bool>,
    /// The time limit of hooks that set none: none at all, where that is what was said.
    pub(crate) timeout: Option<Option<Duration>>,
    pub(crate) background: BackgroundSettings,
    background_table: toml::Table,
    hooks: BTreeMap<String, Section>,
    sections: BTreeMap<String, Section>,
    lists: BTreeMap<String, Vec<(toml::Value, String)>>,
    /// Values of other systems' variables that cannot be used here.
    pub(crate) unusable: Vec<ConfigError>,
    /// How many sources there were.
    turn: usize,
}

/// A table, put together from several sources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    pub(crate) table: toml::Table,
    /// Where each key's value comes from: the file or variable, and the same with its line.
    sources: BTreeMap<String, (String, String)>,
    /// The how-manieth source that was.
    turns: BTreeMap<String, usize>,
    /// What variables of other systems say, over it.
    pub(crate) foreign: Vec<(String, toml::Value, String)>,
}

impl Section {
    fn add(&mut self, table: toml::Table, source: &str, turn: usize) {
        self.add_with(table, (source, turn), |_| source.to_owned());
    }

    fn add_with(
        &mut self,
        table: toml::Table,
        (source, turn): (&str, usize),
        place: impl Fn(&str) -> String,
    ) {
        self.turns.extend(table.keys().map(|key| (key.clone(), turn)));
        self.sources.extend(table.keys().map(|key| (key.clone(), (source.to_owned(), place(key)))));
        self.table.extend(table);
    }

    /// Whether anybody wrote it for this program.
    pub(crate) fn is_ours(&self) -> bool {
        !self.table.is_empty() || self.foreign.is_empty()
    }

    /// The same with one key's value over what is there.
    pub(crate) fn with(mut self, key: &str, value: toml::Value, source: &str) -> Self {
        self.add(toml::Table::from_iter([(key.to_owned(), value)]), source, usize::MAX);
        self
    }

    /// The file or variable that a key's value comes from.
    #[cfg(test)]
    pub(crate) fn source(&self, key: &str) -> Option<&str> {
        self.sources.get(key).map(|(source, _)| source.as_str())
    }

    /// The same with its line.
    pub(crate) fn place(&self, key: &str) -> Option<&str> {
        self.sources.get(key).map(|(_, place)| place.as_str())
    }

    /// All that it comes from, in words.
    pub(crate) fn source_text(&self) -> String {
        let mut all: Vec<&str> = self.sources.values().map(|(source, _)| source.as_str()).collect();
        all.sort_unstable();
        all.dedup();
        all.join(" and ")
    }
}

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Not TOML.
    #[error("{file} is not valid TOML: {why}")]
    Syntax {
        /// The file.
        file: String,
        /// What the parser said, with line and column.
        why: String,
    },
    /// A key that means nothing, or a value of the wrong type.
    #[error("{file}: {why}")]
    Content {
        /// The file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// A variable with a value that cannot be used.
    #[error("the environment variable {name} holds `{value}`; it takes {wanted}")]
    Environment {
        /// The variable.
        name: String,
        /// Its value.
        value: String,
        /// What it takes.
        wanted: &'static str,
    },
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HooksTable {
    allow: Option<Vec<String>>,
    disable: Vec<String>,
    strict: Option<bool>,
    timeout: Option<toml::Value>,
    priority: BTreeMap<String, i32>,
    #[serde(flatten)]
    groups: toml::Table,
}

impl Config {
    /// An empty configuration.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file's text over what is there. `sections` are what the host itself reads: top-level tables by
    /// their names, lists of tables `[[hooks.NAME]]` as `hooks.NAME`; any other is an error. Nothing is
    /// changed if there is an error.
    ///
    /// # Errors
    /// If the text is not TOML, or holds a key that means nothing.
    pub fn add_toml(&mut self, file: &str, text: &str, sections: &[&str]) -> Result<(), ConfigError> {
        let content = |why: String| ConfigError::Content { file: file.to_owned(), why };
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| ConfigError::Syntax {
            file: file.to_owned(),
            why: error.to_string().trim().to_owned(),
        })?;
        let mut next = self.clone();
        next.turn += 1;
        let turn = next.turn;
        for (key, value) in table {
            let toml::Value::Table(table) = value else {
                return Err(content(format!("`{key}` must be a table, as in `[{key}]`")));
            };
            match key.as_str() {
                "hooks" => next.add_hooks(file, &Lines::of(text), table, sections).map_err(content)?,
                "background" => {
                    next.background_table.extend(table);
                    next.background =
                        next.background_table.clone().try_into().map_err(|e: toml::de::Error| {
                            content(format!("`[background]`: {}", e.message()))
                        })?;
                }
                name if sections.contains(&name) => {
                    next.sections.entry(key).or_default().add(table, file, turn);
                }
                name => {
                    let known = ["hooks", "background"].into_iter().chain(sections.iter().copied());
                    let nearest = crate::registry::nearest(name, known);
                    return Err(content(format!("unknown table `[{name}]`{nearest}")));
                }
            }
        }
        *self = next;
        Ok(())
    }

    fn add_hooks(
        &mut self,
        file: &str,
        lines: &Lines<'_>,
        table: toml::Table,
        sections: &[&str],
    ) -> Result<(), String> {
        let hooks: HooksTable =
            table.try_into().map_err(|e: toml::de::Error| format!("`[hooks]`: {}", e.message()))?;
        let named = |list: &str, names: Vec<String>| -> Vec<Named> {
            let names = names.into_iter().enumerate();
            names.map(|(index, name)| Named::in_file(name, lines.entry(file, list, index))).collect()
        };
        if let Some(allow) = hooks.allow {
            self.allow = Some(named("allow", allow));
        }
        self.disable.extend(named("disable", hooks.disable));
        self.strict = hooks.strict.or(self.strict);
        if let Some(value) = hooks.timeout {
            let limit = match value.as_str() {
                Some("never") => Ok(None),
                Some(text) => durations::parse(text).map(Some),
                None => Err(durations::UNITS.to_owned()),
            };
            let line = lines.line("timeout").map_or_else(String::new, |line| format!(" in line {line}"));
            let why = |why| format!("`[hooks]`: `timeout = {value}`{line}: {why}; \"never\" is no limit");
            self.timeout = Some(limit.map_err(why)?);
        }
        let priorities = hooks.priority.into_iter();
        self.priorities.extend(priorities.map(|(name, value)| {
            let place = lines.key(file, "priority", &name);
            (Named::in_file(name, place), value)
        }));
        for (group, value) in hooks.groups {
            if sections.iter().any(|section| section.strip_prefix("hooks.") == Some(&*group)) {
                let toml::Value::Array(entries) = value else {
                    return Err(format!(
                        "`hooks.{group}` must be a list of tables, as in `[[hooks.{group}]]`"
                    ));
                };
                let entries = entries.into_iter().map(|entry| (entry, file.to_owned()));
                self.lists.entry(group).or_default().extend(entries);
                continue;
            }
            let toml::Value::Table(table) = value else {
                let known = ["allow", "disable", "strict", "timeout", "priority"];
                let nearest = crate::registry::nearest(&group, known.into_iter());
                return Err(format!(
                    "`[hooks]`: unknown key `{group}`{nearest}; settings of hooks are tables, as in `[hooks.{group}]`"
                ));
            };
            let section = self.hooks.entry(group.clone()).or_default();
            section.add_with(table, (file, self.turn), |key| lines.key(file, &group, key));
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[Named]) -> Vec<&str> {
        names.iter().map(|named| named.text.as_str()).collect()
    }

    #[test]
    fn later_files_override_and_disable_adds_up() {
        let mut config = Config::new();
        config.add_toml("user", "[hooks]\nallow=['a']\ndisable=['x']\n[hooks.lint]\na=1\nb=1", &[]).unwrap();
        config.add_toml("project", "[hooks]\nallow=['b']\ndisable=['y']\n[hooks.lint]\nb=2", &[]).unwrap();
        assert_eq!(texts(config.allow.as_ref().unwrap()), ["b"]);
        assert_eq!(texts(&config.disable), ["x", "y"]);
        config.set("lint", "c", 3.into(), "a variable");
        let section = config.hook_table("lint", [].into_iter()).unwrap().unwrap();
        let number = |key: &str| section.table[key].as_integer();
        assert_eq!((number("a"), number("b"), number("c")), (Some(1), Some(2), Some(3)));
        assert_eq!((section.source("a"), section.source("b")), (Some("user"), Some("project")));
        assert_eq!((section.place("a"), section.place("b")), (Some("user:5"), Some("project:5")));
        assert_eq!((section.place("c"), section.place("d")), (Some("a variable"), None));
        assert_eq!(config.disable[1].to_string(), "`y` in project:3");
        assert_eq!(section.source_text(), "a variable and project and user");
    }

    #[test]
    fn lists_of_a_host_add_up_with_their_files() {
        let mut config = Config::new();
        config
            .add_toml("user", "[[hooks.scripts]]\na=1\n[[hooks.scripts]]\na=2", &["hooks.scripts"])
            .unwrap();
        config.add_toml("project", "[hooks]\nscripts=[7]", &["hooks.scripts"]).unwrap();
        let files: Vec<_> = config.list("scripts").map(|(_, file)| file).collect();
        assert_eq!(files, ["user", "user", "project"]);
        let error = config.add_toml("f", "[hooks.scripts]\na=1", &["hooks.scripts"]).unwrap_err().to_string();
        assert!(error.contains("must be a list of tables, as in `[[hooks.scripts]]`"), "{error}");
        let error = config.add_toml("f", "[[hooks.other]]\na=1", &["hooks.scripts"]).unwrap_err().to_string();
        assert!(error.contains("unknown key `other`"), "{error}");
    }

    #[test]
    fn a_host_limits_hooks_that_set_no_limit() {
        let limit = |texts: &[&str]| {
            let mut config = Config::new();
            texts.iter().try_for_each(|text| config.add_toml("f.toml", text, &[]))?;
            Ok::<_, ConfigError>(config.timeout)
        };
        let seconds = |seconds| Some(Some(Duration::from_secs(seconds)));
        assert_eq!(limit(&["", "[hooks]"]), Ok(None));
        assert_eq!(limit(&["[hooks]\ntimeout = '2m'"]), Ok(seconds(120)));
        assert_eq!(limit(&["[hooks]\ntimeout = 'never'", "[hooks.lint]\ntimeout = 3"]), Ok(Some(None)));
        assert_eq!(limit(&["[hooks]\ntimeout = 'never'", "[hooks]\ntimeout = '1s'"]), Ok(seconds(1)));
        for (value, part) in [
            ("30", "a length of time is a whole number with its unit"),
            ("'30'", "`30` of what?"),
            ("'soon'", "the units are"),
            ("'0s'", "no time at all"),
            ("{ s = 1 }", "\"never\" is no limit"),
            ("true", "\"never\" is no limit"),
        ] {
            let error = limit(&[&format!("[hooks]\n# how long\ntimeout = {value}")]).unwrap_err().to_string();
            assert!(
                error.starts_with("f.toml: `[hooks]`: `timeout = ") && error.contains("in line 3"),
                "{error}"
            );
            assert!(error.contains(part), "{error}");
        }
        assert!(limit(&["hooks.timeout = '1x'"]).unwrap_err().to_string().contains("in line 1"));
    }

    #[test]
    fn mistakes_name_the_culprit() {
        let mut config = Config::new();
        let error = config.add_toml("f.toml", "[hook]\nx=1", &["agent"]).unwrap_err().to_string();
        assert_eq!(error, "f.toml: unknown table `[hook]` (did you mean `hooks`?)");
        let error = config.add_toml("f.toml", "[hooks]\nalow=['x']", &[]).unwrap_err().to_string();
        assert!(error.contains("unknown key `alow` (did you mean `allow`?)"), "{error}");
        let error = config.add_toml("f.toml", "[hooks\n", &[]).unwrap_err().to_string();
        assert!(error.starts_with("f.toml is not valid TOML: "), "{error}");
    }
}
