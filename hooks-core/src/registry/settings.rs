//! Reading the settings of every group of hooks, before anything is selected.

use std::any::TypeId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use crate::base::nearest::nearest;
use crate::machinery::config::{Config, Section};
use crate::plain::hook_info::Setting;
use crate::plain::json_settings::JsonSettings;
use crate::plain::report::Problem;
use crate::plain::settings::{AllSettings, AnySettings, SettingsSpec};
use crate::registry::listed::Listed;

use super::aliases::Aliases;

impl Setting {
    pub(crate) fn rows(shown: Value, section: Option<&Section>) -> Vec<Self> {
        let Value::Object(shown) = shown else { return Vec::new() };
        let source = |key: &str| section.and_then(|section| section.place(key)).map(str::to_owned);
        shown.into_iter().map(|(key, value)| Self { source: source(&key), key, value }).collect()
    }
}

/// How settings are read: by their type, or by what hooks that come from outside declared.
#[derive(Clone)]
enum Spec {
    Typed(SettingsSpec),
    Json(Arc<JsonSettings>),
}

impl Spec {
    fn id(&self) -> TypeId {
        match self {
            Self::Typed(spec) => (spec.id)(),
            Self::Json(_) => TypeId::of::<JsonSettings>(),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Typed(spec) => (spec.name)(),
            Self::Json(_) => "",
        }
    }

    /// The keys that it takes, where they can be told.
    fn keys(&self) -> Option<Vec<String>> {
        match self {
            Self::Typed(spec) => (spec.keys)(),
            Self::Json(declared) => Some(declared.values.keys().cloned().collect()),
        }
    }

    fn read(&self, table: Option<&toml::Table>) -> Result<(AnySettings, Value), String> {
        match self {
            Self::Typed(spec) => (spec.read)(table),
            Self::Json(declared) => declared.read(table).map(|read| {
                let shown = Value::Object((*read.values).clone());
                (Arc::new(read) as AnySettings, shown)
            }),
        }
    }
}

/// The settings that a hook from outside declares: its group, and they.
pub(super) type Declared = (String, Arc<JsonSettings>);

/// The settings of every group, and what is wrong with them.
#[derive(Default)]
pub(crate) struct Settings {
    pub(super) all: AllSettings,
    /// What is in force, by group and type.
    shown: HashMap<String, Vec<(TypeId, Vec<Setting>)>>,
    pub(super) problems: Vec<Problem>,
    /// What was meant for other systems and means nothing here.
    pub(super) foreign: Vec<Problem>,
    /// The groups of which a table was looked for, well or badly.
    groups: Vec<String>,
}

impl Settings {
    /// Also of hooks that are off: a mistake there is a mistake.
    pub(super) fn read(linked: &[Listed], declared: &[Declared], config: &Config, aliases: &Aliases) -> Self {
        let mut read = Self::default();
        let mut specs: BTreeMap<&str, Vec<Spec>> = BTreeMap::new();
        for hook in linked {
            let group = hook.name.split('.').next().unwrap_or(&hook.name);
            let Some(spec) = hook.settings else { continue };
            let held = specs.entry(group).or_default();
            if held.iter().all(|other| other.id() != (spec.id)()) {
                held.push(Spec::Typed(spec));
            }
        }
        for (group, declared) in declared {
            let held = specs.entry(group).or_default();
            let Some(Spec::Json(other)) = held.iter_mut().find(|spec| matches!(spec, Spec::Json(_))) else {
                held.push(Spec::Json(Arc::clone(declared)));
                continue;
            };
            match other.with(declared) {
                Ok(both) => *other = Arc::new(both),
                Err(key) => read.problems.push(Problem::BadSettings {
                    group: group.clone(),
                    source_text: "what its hooks declare".to_owned(),
                    why: format!("`{key}` has two defaults; let its hooks agree on one"),
                }),
            }
        }
        for (group, mut specs) in specs {
            specs.sort_by_key(Spec::name);
            read.groups.push(group.to_owned());
            match config.hook_table(group, aliases.of_group(group)) {
                Ok(section) => read.read_group(group, section.as_ref(), &specs),
                Err((source_text, why)) => {
                    read.problems.push(Problem::BadSettings { group: group.to_owned(), source_text, why });
                }
            }
        }
        read.check_leftovers(config, aliases);
        read
    }

    /// One table is read into each type that the group's hooks take; a key needs to be known to one of them.
    fn read_group(&mut self, group: &str, section: Option<&Section>, specs: &[Spec]) {
        let keys: Vec<Option<Vec<String>>> = specs.iter().map(Spec::keys).collect();
        if let [_, _, ..] = specs
            && let Some(known) = keys.iter().cloned().collect::<Option<Vec<_>>>().map(|keys| keys.concat())
            && let Some(unknown) = section.and_then(|s| s.table.keys().find(|key| !known.contains(key)))
        {
            let near = nearest(unknown, known.iter().map(String::as_str));
            let why = format!("unknown key `{unknown}`{near}; it takes {}", known.join(", "));
            self.bad(group, section, why);
            return;
        }
        for (spec, own) in specs.iter().zip(&keys) {
            // What another type of the group knows and this one does not is none of its business.
            let theirs = |key: &str| {
                own.as_ref().is_some_and(|own| !own.iter().any(|known| known == key))
                    && keys.iter().flatten().flatten().any(|known| known == key)
            };
            let mut section = section.cloned();
            if let Some(section) = &mut section {
                section.table.retain(|key, _| !theirs(key));
                section.foreign.retain(|(key, ..)| !theirs(key));
            }
            self.read_one(group, section, spec);
        }
    }

    fn read_one(&mut self, group: &str, mut section: Option<Section>, spec: &Spec) {
        let mut read = spec.read(section.as_ref().map(|section| &section.table));
        for (key, value, variable) in section.iter().flat_map(|held| held.foreign.clone()).collect::<Vec<_>>()
        {
            // Only what goes wrong by it is its fault.
            let more = section.clone().unwrap_or_default().with(&key, value, &variable);
            match spec.read(Some(&more.table)) {
                Ok(better) => (section, read) = (Some(more), Ok(better)),
                Err(why) if read.is_ok() => {
                    let why = format!("{variable} does not fit `{key}` in `[hooks.{group}]`: {why}");
                    self.foreign.push(Problem::ForeignValue { why });
                }
                Err(_) => {}
            }
        }
        match read {
            Ok((settings, shown)) => {
                self.all.insert(group, spec.id(), settings);
                let rows = Setting::rows(shown, section.as_ref());
                self.shown.entry(group.to_owned()).or_default().push((spec.id(), rows));
            }
            Err(why) => self.bad(group, section.as_ref(), why),
        }
    }

    fn bad(&mut self, group: &str, section: Option<&Section>, why: String) {
        let source_text = section.map_or_else(|| "the defaults".to_owned(), Section::source_text);
        let problem = Problem::BadSettings { group: group.to_owned(), source_text, why };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Complains about tables that nobody read. What was read under one name is not told again under another.
    fn check_leftovers(&mut self, config: &Config, aliases: &Aliases) {
        let names = |group| [group].into_iter().chain(aliases.of_group(group));
        let read: HashSet<&str> = self.groups.iter().flat_map(|group| names(group)).collect();
        let unused = config.hook_tables().filter(|(group, said)| said.is_ours() && !read.contains(group));
        let unused = unused.map(|(group, section)| Problem::UnusedSettings {
            group: group.to_owned(),
            source_text: section.source_text(),
            nearest: nearest(group, self.groups.iter().map(String::as_str)),
        });
        self.problems.extend(unused.collect::<Vec<_>>());
    }

    /// What a hook's own settings decide, where they have a key `enabled`: on or off, and why.
    pub(super) fn switched(&self, group: &str, id: Option<TypeId>) -> Option<Result<String, String>> {
        let id = id?;
        let (_, rows) = self.shown.get(group)?.iter().find(|(held, _)| *held == id)?;
        let enabled = rows.iter().find(|setting| setting.key == "enabled")?;
        match (&enabled.value, &enabled.source) {
            (Value::Bool(false), Some(source)) => Some(Err(format!("enabled = false in {source}"))),
            (Value::Bool(false), None) => {
                Some(Err(format!("off unless `enabled = true` in [hooks.{group}]")))
            }
            (Value::Bool(true), Some(source)) => Some(Ok(format!("enabled in {source}"))),
            _ => None,
        }
    }

    /// What is in force, by group: of several types together, each key once.
    pub(super) fn into_shown(self) -> (AllSettings, HashMap<String, Vec<Setting>>) {
        let together = |types: Vec<(TypeId, Vec<Setting>)>| {
            let mut rows: Vec<Setting> = types.into_iter().flat_map(|(_, rows)| rows).collect();
            rows.sort_by(|a, b| a.key.cmp(&b.key));
            rows.dedup_by(|a, b| a.key == b.key);
            rows
        };
        let shown = self.shown.into_iter().map(|(group, types)| match <[_; 1]>::try_from(types) {
            // As its type has them.
            Ok([(_, rows)]) => (group, rows),
            Err(types) => (group, together(types)),
        });
        (self.all, shown.collect())
    }
}
