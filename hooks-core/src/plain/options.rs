//! Options: what may stand in `#[hook(…)]` beside the point, and where a hook stands in the source.

use std::time::Duration;

use serde::Serialize;

/// What kind of host a hook is for, and what kind of host this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A program in a terminal.
    Cli,
    /// A server with many sessions.
    Server,
    /// One process per event, for another agent.
    Bridge,
    /// Somebody else's program.
    Embedded,
    /// A person sits at the terminal and may be asked.
    Interactive,
    /// The user said beforehand that nothing need be confirmed (`-y`).
    NoConfirm,
}

/// Where a hook runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// In the chain.
    #[default]
    Inline,
    /// In the chain, on a pool thread that may block; abandoned when it overruns its timeout.
    Blocking,
    /// Beside the chain, from a bounded queue, on an owned copy of the event.
    Background,
}

/// How long a hook may take before it is cut off, if it can be: an async, blocking or background one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timeout {
    /// As long as the host lets hooks take that say nothing: 30 s, unless it set something else. A hook that asks the user
    /// (`confirmation`) is then not cut off.
    #[default]
    Host,
    /// It is not cut off.
    Never,
    /// This long.
    After(Duration),
}

impl Timeout {
    /// What holds for hooks that say nothing in a host that says nothing.
    pub const DEFAULT: Duration = Duration::from_secs(30);

    /// The limit of a hook, where `host` is the host's for hooks that say nothing.
    pub(crate) fn limit(self, options: &Options, is_async: bool, host: Option<Duration>) -> Option<Duration> {
        let inline = options.placement == Placement::Inline && !is_async;
        match self {
            _ if inline => None,
            Self::Host if options.confirmation => None,
            Self::Host => host,
            Self::Never => None,
            Self::After(limit) => Some(limit),
        }
    }
}

impl Timeout {
    /// What the hook itself says.
    pub(crate) fn of_its_own(self) -> Option<Duration> {
        match self {
            Self::After(limit) => Some(limit),
            Self::Host | Self::Never => None,
        }
    }
}

impl From<Duration> for Timeout {
    fn from(limit: Duration) -> Self {
        Self::After(limit)
    }
}

/// What may stand in `#[hook(POINT, …)]` beside the point.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Higher runs first; ties run in the order of their names. 0 unless said otherwise.
    pub priority: i32,
    /// Hooks of the same point that it runs before, whatever their priorities: full names, groups or globs.
    pub before: &'static [&'static str],
    /// Hooks of the same point that it runs after.
    pub after: &'static [&'static str],
    /// The tools whose calls it is called for: names or globs; all when empty. For points that have a `tool_use`.
    pub tools: &'static [&'static str],
    /// The files that it is called for: globs; all when empty. For points that have a `path`, or a list of paths.
    pub paths: &'static [&'static str],
    /// Other names that lists, priorities and tables of settings may call it by: `group`, which is another name of its
    /// group, or `group.name`. A name that another group of the program really has is that group's.
    pub aliases: &'static [&'static str],
    /// Whether it is on when nobody says anything.
    pub enabled: bool,
    /// The hosts it is for; all when empty.
    pub modes: &'static [Mode],
    /// Whether it runs at most once a session.
    pub once: bool,
    /// Where it runs.
    pub placement: Placement,
    /// How long an async, blocking or background hook may take before it is cut off.
    pub timeout: Timeout,
    /// How long it may take before a warning names it.
    pub budget: Option<Duration>,
    /// Whether a failure of this gate hook lets things pass instead of denying them.
    pub fail_open: bool,
    /// After how many failures it is taken out of service.
    pub quarantine: Option<u32>,
    /// The tool it belongs to: it is selected exactly when the tool is.
    pub tool: Option<&'static str>,
    /// Whether it is a host's way to ask the user. The mode selects such a hook; an allowlist does not
    /// remove it.
    pub confirmation: bool,
}

impl Options {
    /// What holds when nothing is said.
    pub const DEFAULT: Self = Self {
        priority: 0,
        before: &[],
        after: &[],
        tools: &[],
        paths: &[],
        aliases: &[],
        enabled: true,
        modes: &[],
        once: false,
        placement: Placement::Inline,
        timeout: Timeout::Host,
        budget: None,
        fail_open: false,
        quarantine: None,
        tool: None,
        confirmation: false,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Where a hook stands in the source.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The function.
    pub function: &'static str,
    /// `name = "…"`, where it was given.
    pub name: Option<&'static str>,
    /// The module.
    pub module: &'static str,
    /// The package.
    pub package: &'static str,
    /// The file.
    pub file: &'static str,
    /// The line.
    pub line: u32,
    /// The function's documentation.
    pub docs: &'static str,
}

impl Origin {
    /// `group.function`: the group is the module, or the crate at its root; `name = "…"` overrides.
    #[must_use]
    pub fn full_name(&self) -> String {
        if let Some(name) = self.name {
            return name.to_owned();
        }
        format!("{}.{}", self.group(), self.function)
    }

    /// The part of the full name before the first dot.
    #[must_use]
    pub fn group(&self) -> &'static str {
        match self.name {
            Some(name) => name.split('.').next().unwrap_or(name),
            None => self.module.rsplit("::").next().unwrap_or(self.module),
        }
    }
}
