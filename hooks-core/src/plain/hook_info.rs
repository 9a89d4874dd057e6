//! Hooks as data: what `list` shows.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::base::json::Value;
use crate::plain::options::{Mode, Placement};
use crate::plain::point_info::PointInfo;
use crate::plain::shadow::Shadowed;
use crate::plain::switch::Switch;

/// One setting of a group of hooks, as it is in force.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Setting {
    /// Its key in `[hooks.<group>]`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// The file and line or the variable that it comes from; `None` for a default.
    pub source: Option<String>,
}

/// One thing that is said of a hook from outside of it, over what it says of itself: by the configuration, a variable, the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Ruled {
    /// What it is about: a key of `[hooks.rules."NAME"]`.
    pub key: &'static str,
    /// The value, as it would be written there.
    pub value: String,
    /// The file and line, the variable or the call that it comes from.
    pub source: String,
}

/// One hook as data.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct HookInfo {
    /// `group.function`, or what `name = "…"` said.
    pub name: String,
    /// The point it listens at.
    #[serde(serialize_with = "wire_name")]
    pub point: &'static PointInfo,
    /// Higher runs first. A configured priority is already in it.
    pub priority: i32,
    /// Hooks that it runs before, whatever their priorities: full names, groups or globs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Hooks that it runs after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// The tools whose calls it is called for; all when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The files that it is called for; all when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// `sync`, `async` or `closure`.
    pub kind: &'static str,
    /// Where it runs.
    pub placement: Placement,
    /// The package it comes from; empty for a closure.
    pub package: Cow<'static, str>,
    /// The module it stands in; empty for a closure.
    pub module: Cow<'static, str>,
    /// Source file, or the configuration file that it comes from.
    pub file: Cow<'static, str>,
    /// Line in that file.
    pub line: u32,
    /// Other full names that it goes by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Its documentation.
    pub docs: Cow<'static, str>,
    /// The hosts it is for; all when empty.
    pub modes: &'static [Mode],
    /// Whether it runs at most once a session.
    pub once: bool,
    /// Time limit of an async, blocking or background hook; `None`: it is not cut off.
    pub timeout: Option<Duration>,
    /// After this long a warning names it.
    pub budget: Option<Duration>,
    /// Whether its failure at a gate lets things pass.
    pub fail_open: bool,
    /// After how many failures it is taken out of service.
    pub quarantine: Option<u32>,
    /// The tool it belongs to.
    pub tool: Option<&'static str>,
    /// Whether it is a host's way to ask the user.
    pub confirmation: bool,
    /// Whether it runs for trial: what it says is recorded and counted, and nothing of it is done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// What the configuration says over what the hook says of itself, and where.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ruled: Vec<Ruled>,
}

fn wire_name<S: Serializer>(point: &&'static PointInfo, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(point.wire)
}

fn shared<S: Serializer>(info: &Arc<HookInfo>, serializer: S) -> Result<S::Ok, S::Error> {
    info.serialize(serializer)
}

impl HookInfo {
    /// Where the configuration says that of it.
    pub(crate) fn ruled(&self, key: &str) -> Option<&str> {
        self.ruled.iter().find(|said| said.key == key).map(|said| said.source.as_str())
    }

    /// Whether it is its full name, or another full name that it goes by.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }

    /// Whether it is a name of this hook or of its group, by any name that they go by.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        let names = [&self.name].into_iter().chain(&self.aliases);
        names.into_iter().any(|full| full == name || full.split('.').next() == Some(name))
    }

    /// The part of the name before the first dot.
    #[must_use]
    pub fn group(&self) -> &str {
        self.name.split('.').next().unwrap_or(&self.name)
    }
}

/// A hook, and whether it runs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct HookRow {
    /// The hook.
    #[serde(flatten, serialize_with = "shared")]
    pub info: Arc<HookInfo>,
    /// Whether it runs.
    pub on: bool,
    /// Why, or why not.
    pub why: String,
    /// How often it failed so far.
    pub failures: u32,
    /// How many of its runs were dropped because its queue was full, if it is a background hook of running [`Hooks`](crate::Hooks).
    pub dropped: u64,
    /// What it said so far that was not made, if it is in shadow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowed: Option<Shadowed>,
}

impl HookRow {
    /// A selected hook, and what selected it.
    pub(crate) fn selected(info: Arc<HookInfo>, switch: &Switch, why: &str) -> Self {
        let (on, why) = match (switch.is_on(), switch.is_quarantined()) {
            (true, _) => (true, why.to_owned()),
            (false, true) => (false, format!("quarantined after {} failures", switch.failures())),
            (false, false) => (false, "switched off at run time".to_owned()),
        };
        let shadowed = info.shadow.then(|| switch.shadowed.get());
        Self { info, on, why, failures: switch.failures(), dropped: 0, shadowed }
    }

    pub(crate) fn off(info: Arc<HookInfo>, why: String) -> Self {
        Self { info, on: false, why, failures: 0, dropped: 0, shadowed: None }
    }
}
