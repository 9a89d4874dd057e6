//! Hooks as data: what `list` shows.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::config::Section;
use crate::entry::{Call, Mode, Options, Placement};
use crate::point::{Point, PointInfo};

/// One setting of a group of hooks, as it is in force.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// Its key in `[hooks.<group>]`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// The file and line or the variable that it comes from; `None` for a default.
    pub source: Option<String>,
}

impl Setting {
    pub(crate) fn rows(shown: Value, section: Option<&Section>) -> Vec<Self> {
        let Value::Object(shown) = shown else { return Vec::new() };
        let source = |key: &str| section.and_then(|section| section.place(key)).map(str::to_owned);
        shown.into_iter().map(|(key, value)| Self { source: source(&key), key, value }).collect()
    }
}

/// One hook as data.
#[derive(Clone, Debug, Serialize)]
pub struct HookInfo {
    /// `group.function`, or what `name = "…"` said.
    pub name: String,
    /// The point it listens at.
    #[serde(serialize_with = "wire_name")]
    pub point: &'static PointInfo,
    /// Higher runs first. A configured priority is already in it.
    pub priority: i32,
    /// `sync`, `async` or `closure`.
    pub kind: &'static str,
    /// Where it runs.
    pub placement: Placement,
    /// The package it comes from; empty for a closure.
    pub package: &'static str,
    /// The module it stands in; empty for a closure.
    pub module: &'static str,
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
}

fn wire_name<S: Serializer>(point: &&'static PointInfo, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(point.wire)
}

fn shared<S: Serializer>(info: &Arc<HookInfo>, serializer: S) -> Result<S::Ok, S::Error> {
    info.serialize(serializer)
}

impl HookInfo {
    pub(crate) fn new<P: Point>(
        name: String,
        options: &Options,
        call: &Call<P>,
        (package, module, docs): (&'static str, &'static str, Cow<'static, str>),
        (file, line): (Cow<'static, str>, u32),
    ) -> Self {
        let aliases = super::aliases::expand(&name, options.aliases);
        Self {
            name,
            point: P::INFO,
            priority: options.priority,
            kind: match call {
                Call::Sync(_) => "sync",
                Call::Async(_) => "async",
                Call::Closure(_) => "closure",
            },
            placement: options.placement,
            package,
            module,
            file,
            line,
            aliases,
            docs,
            modes: options.modes,
            once: options.once,
            timeout: options.timeout.limit(call, options, None),
            budget: options.budget,
            fail_open: options.fail_open,
            quarantine: options.quarantine,
            tool: options.tool,
            confirmation: options.confirmation,
        }
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
}

impl HookRow {
    /// A selected hook, and what selected it.
    pub(crate) fn selected(info: Arc<HookInfo>, switch: &Switch, why: &str) -> Self {
        let (on, why) = match (switch.is_on(), switch.is_quarantined()) {
            (true, _) => (true, why.to_owned()),
            (false, true) => (false, format!("quarantined after {} failures", switch.failures())),
            (false, false) => (false, "switched off at run time".to_owned()),
        };
        Self { info, on, why, failures: switch.failures(), dropped: 0 }
    }

    pub(crate) fn off(info: Arc<HookInfo>, why: String) -> Self {
        Self { info, on: false, why, failures: 0, dropped: 0 }
    }
}

/// How often anything was switched, registered or put in place of something in this program. Whoever keeps what follows from the
/// switches looks again when it has grown.
static CHANGES: AtomicU64 = AtomicU64::new(1);

#[inline]
pub(crate) fn changes() -> u64 {
    CHANGES.load(Ordering::Acquire)
}

/// Something was switched. Called after it was.
pub(crate) fn changed() {
    CHANGES.fetch_add(1, Ordering::AcqRel);
}

/// A selected hook's switch and its count of failures; shared by all registries that hold the hook.
#[derive(Debug)]
pub(crate) struct Switch {
    on: AtomicBool,
    quarantined: AtomicBool,
    failures: AtomicU32,
}

impl Default for Switch {
    fn default() -> Self {
        Self { on: AtomicBool::new(true), quarantined: AtomicBool::new(false), failures: AtomicU32::new(0) }
    }
}

impl Switch {
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    pub(crate) fn is_quarantined(&self) -> bool {
        self.quarantined.load(Ordering::Acquire)
    }

    pub(crate) fn failures(&self) -> u32 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Switching a hook on again also lifts its quarantine.
    pub(crate) fn set(&self, on: bool) {
        if on {
            self.quarantined.store(false, Ordering::Release);
            self.failures.store(0, Ordering::Relaxed);
        }
        self.on.store(on, Ordering::Release);
        changed();
    }

    /// Another hook takes the place of this one: what that one did is not its fault. One that was switched off by
    /// somebody stays so.
    pub(crate) fn renew(&self) {
        if self.quarantined.swap(false, Ordering::AcqRel) {
            self.on.store(true, Ordering::Release);
        }
        self.failures.store(0, Ordering::Relaxed);
    }

    pub(crate) fn count_failure(&self) -> u32 {
        self.failures.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// Takes the hook out of service; `false` if it already was.
    pub(crate) fn quarantine(&self) -> bool {
        self.on.store(false, Ordering::Release);
        changed();
        !self.quarantined.swap(true, Ordering::AcqRel)
    }
}
