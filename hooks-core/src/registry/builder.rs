//! Building a registry.

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::by_type::ByType;
use crate::config::{Config, Named};
use crate::entry::{Hook, Mode, Timeout};
use crate::json_hook::JsonHook;
use crate::plugin::Plugin;
use crate::point::{Point, PointInfo};
use crate::session::{StateClash, StateKeys};
use crate::tool::ToolSet;

use super::Registry;
use super::aliases::Aliases;
use super::foreign;
use super::gather::{Explicit, Gathering, Listed};
use super::report::{PluginRow, Problem, Report, point_place};
use super::rules::Rules;
use super::select::{Pattern, Priority, Selection};
use super::settings::Settings;

/// Why a registry could not be built: all problems at once.
#[derive(Debug, PartialEq, Eq)]
pub struct BuildError {
    /// What is wrong.
    pub problems: Vec<Problem>,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.problems {
            [one] => one.fmt(f),
            many => {
                write!(f, "{} problems with the hooks:", many.len())?;
                many.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
            }
        }
    }
}

impl std::error::Error for BuildError {}

/// Describes a registry. Every part is optional; a bare builder selects all linked hooks that are on by
/// default.
pub struct RegistryBuilder {
    plugins: Vec<&'static Plugin>,
    config: Config,
    allow: Option<Vec<Named>>,
    disable: Vec<Named>,
    mode: Mode,
    interactive: bool,
    no_confirm: bool,
    linked: bool,
    sync: bool,
    strict: Option<bool>,
    fires: Option<Vec<&'static PointInfo>>,
    elsewhere: Vec<String>,
    timeout: Option<Option<Duration>>,
    explicit: Explicit,
    explicit_names: Vec<(String, &'static [&'static str])>,
    add_explicit: Vec<fn(&mut Gathering<'_>)>,
}

impl Default for RegistryBuilder {
    fn default() -> Self {
        Self {
            plugins: Vec::new(),
            config: Config::default(),
            allow: None,
            disable: Vec::new(),
            mode: Mode::Embedded,
            interactive: false,
            no_confirm: false,
            linked: true,
            sync: false,
            strict: None,
            fires: None,
            elsewhere: Vec::new(),
            timeout: None,
            explicit: HashMap::new(),
            explicit_names: Vec::new(),
            add_explicit: Vec::new(),
        }
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder")
            .field("mode", &self.mode)
            .field("allow", &self.allow)
            .field("disable", &self.disable)
            .finish_non_exhaustive()
    }
}

impl RegistryBuilder {
    /// The plugin crates of this host: `.plugins(plugins![linter, hookspec_builtins])`.
    #[must_use]
    pub fn plugins(mut self, plugins: impl IntoIterator<Item = &'static Plugin>) -> Self {
        self.plugins.extend(plugins);
        self
    }

    /// The configuration: files and environment.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Selects only these hooks: full names, groups, packages or globs. Overrides the configuration's allowlist. The
    /// host's way to ask for confirmations is not subject to it. An empty list selects nothing else.
    ///
    /// A `+` before a name adds: a list of such entries alone selects what is on by default, and these.
    ///
    /// ```
    /// use hookspec::{Hook, Options, Registry, points::STEP_POST};
    ///
    /// let hook = |name: &str, enabled| {
    ///     Hook::new(STEP_POST, name, |_, _| ()).options(Options { enabled, ..Options::DEFAULT })
    /// };
    /// let builder = || Registry::builder().register(hook("notes.usual", true)).register(hook("notes.extra", false));
    /// let names = |registry: Registry| registry.handle(STEP_POST).names().join(" ");
    /// assert_eq!(names(builder().build()?), "notes.usual");
    /// assert_eq!(names(builder().allow(["notes.extra"]).build()?), "notes.extra");
    /// assert_eq!(names(builder().allow(["+notes.extra"]).build()?), "notes.extra notes.usual");
    /// # Ok::<(), hookspec::BuildError>(())
    /// ```
    #[must_use]
    pub fn allow(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.allow_from("the allowlist of this call", names)
    }

    /// The same; `source` is where the user finds the list, as in `--allow`.
    #[must_use]
    pub fn allow_from(mut self, source: &str, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = names.into_iter().map(|name| Named::new(name, source));
        self.allow.get_or_insert_default().extend(names);
        self
    }

    /// Leaves these hooks out, beside those that the configuration leaves out. A name of nothing that is here is a
    /// warning in the registry's report.
    #[must_use]
    pub fn disable(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.disable_from("the disable list of this call", names)
    }

    /// The same; `source` is where the user finds the list, as in `--disable`.
    #[must_use]
    pub fn disable_from(mut self, source: &str, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = names.into_iter().map(|name| Named::new(name, source));
        self.disable.extend(names);
        self
    }

    /// What kind of host this is.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Whether a person sits there and may be asked.
    #[must_use]
    pub fn interactive(mut self, interactive: bool) -> Self {
        self.interactive = interactive;
        self
    }

    /// Whether the user said beforehand that nothing need be confirmed.
    #[must_use]
    pub fn no_confirm(mut self, no_confirm: bool) -> Self {
        self.no_confirm = no_confirm;
        self
    }

    /// Short for `mode(Mode::Server)`.
    #[must_use]
    pub fn server(self, server: bool) -> Self {
        if server { self.mode(Mode::Server) } else { self }
    }

    /// Whether to take what the linker gathered; on unless said otherwise.
    #[must_use]
    pub fn linked(mut self, linked: bool) -> Self {
        self.linked = linked;
        self
    }

    /// This host fires its points without an async runtime: an async hook is an error.
    #[must_use]
    pub fn sync_host(mut self) -> Self {
        self.sync = true;
        self
    }

    /// Whether a hook that can never run in this host is an error instead of a warning. Unless it is said
    /// here or in the configuration, it is one where the environment has `CI`.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = Some(strict);
        self
    }

    /// The points that this host fires.
    #[must_use]
    pub fn fires(mut self, points: impl IntoIterator<Item = &'static PointInfo>) -> Self {
        self.fires.get_or_insert_default().extend(points);
        self
    }

    /// Groups of hooks that lists and priorities may name although none of them is built in: those that a file brings in
    /// one folder and not in the next, that are for other hosts of the same user, or that are
    /// [registered](crate::Hooks::register) while this one runs.
    #[must_use]
    pub fn elsewhere(mut self, groups: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.elsewhere.extend(groups.into_iter().map(Into::into));
        self
    }

    /// The time limit of hooks that set none; `None` for no limit. Unless it is said here or in the configuration
    /// (`[hooks] timeout`), it is 30 s.
    #[must_use]
    pub fn default_timeout(mut self, limit: Option<Duration>) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Adds a hook by hand.
    #[must_use]
    pub fn register<P: Point>(mut self, hook: Hook<P>) -> Self {
        self.explicit_names.push((hook.name.clone(), hook.options.aliases));
        let hooks = self.explicit.entry(TypeId::of::<P>()).or_insert_with(|| Box::new(Vec::<Hook<P>>::new()));
        if let Some(hooks) = hooks.downcast_mut::<Vec<Hook<P>>>() {
            hooks.push(hook);
        }
        #[allow(clippy::redundant_closure_for_method_calls)] // the method itself is not general enough
        self.add_explicit.push(|gathering| gathering.add::<P>());
        self
    }

    /// Adds a hook at a point that is chosen at run time.
    #[must_use]
    pub fn register_json(self, hook: JsonHook) -> Self {
        hook.point.register_json(self, hook)
    }

    /// Gathers, selects, checks and freezes.
    ///
    /// # Errors
    /// If an allowlist or a priority names something unknown, two hooks share a name at a point, settings cannot be
    /// read, an async hook is selected for a sync host, or, when strict, a hook can never run.
    pub fn build(mut self) -> Result<Registry, BuildError> {
        let declared = crate::__private::points();
        let linked: Vec<Listed> =
            declared.iter().filter(|_| self.linked).flat_map(|point| point.linked_hooks()).collect();
        let mut names: Vec<_> = linked.iter().map(|hook| (hook.name.clone(), hook.options.aliases)).collect();
        names.append(&mut self.explicit_names);
        let aliases = Aliases::of(names.iter().map(|(name, aliases)| (name.as_str(), *aliases)));
        let mut warnings: Vec<Problem> = self
            .config
            .unusable
            .iter()
            .map(|error| Problem::ForeignValue { why: error.to_string() })
            .collect();
        let mut selection = self.selection(&linked, &names, &mut warnings);
        let mut problems = Vec::new();
        let tools = ToolSet::gather(&selection, self.linked, &mut problems);
        selection.tools = Some(tools.names().map(str::to_owned).collect());
        let mut settings = Settings::read(&linked, &self.config, &aliases);
        let rules = Rules {
            selection,
            aliases,
            tools: tools.all().into_iter().map(|(name, _)| name.to_owned()).collect(),
            sync: self.sync,
            strict: self
                .strict
                .or(self.config.strict)
                .unwrap_or_else(|| std::env::var_os("CI").is_some_and(|ci| !ci.is_empty())),
            fires: self.fires.take(),
            timeout: self.timeout.or(self.config.timeout).unwrap_or(Some(Timeout::DEFAULT)),
        };

        let mut gathering = Gathering::new(&rules, &settings, (&mut self.explicit, self.linked));
        for point in declared {
            point.gather(&mut gathering);
        }
        for add in &self.add_explicit {
            add(&mut gathering);
        }
        let (wrong, odd) = gathering.unknown_names(&tools.all(), &self.elsewhere);
        let taken = gathering.gates_taken();
        let Gathering { points, mut off, problems: found, dead, .. } = gathering;
        problems.extend(found.into_iter().chain(wrong).chain(std::mem::take(&mut settings.problems)));
        warnings.extend(std::mem::take(&mut settings.foreign).into_iter().chain(odd).chain(taken));
        find_duplicate_points(&mut problems);
        let states = StateKeys::of(&linked, &rules.aliases);
        problems.extend(states.clashes().into_iter().map(|StateClash { key, types }| {
            let [first, second] = types.map(str::to_owned);
            Problem::DuplicateState { key, first, second }
        }));
        if rules.strict {
            problems.extend(dead);
        } else {
            warnings.extend(dead);
        }
        if cfg!(panic = "abort") {
            warnings.push(Problem::PanicAborts);
        }
        if !problems.is_empty() {
            return Err(BuildError { problems });
        }
        off.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        let selected = points.values().map(|slots| slots.len()).sum();
        let report = Report {
            plugins: self.plugins.iter().map(|plugin| plugin_row(plugin, &points, &off, &tools)).collect(),
            points: declared.len(),
            found: selected + off.len(),
            selected,
            warnings,
        };
        let (settings, shown) = settings.into_shown();
        Ok(Registry {
            points,
            off: Arc::new(off),
            settings,
            states,
            shown_settings: Arc::new(shown),
            tools,
            report,
            config: Arc::new(self.config),
            rules: Arc::new(rules),
            late: Vec::new(),
        })
    }

    /// The lists that count, with what is odd about another system's.
    fn selection(
        &mut self,
        linked: &[Listed],
        names: &[(String, &'static [&'static str])],
        warnings: &mut Vec<Problem>,
    ) -> Selection {
        let mut modes = vec![self.mode];
        if self.no_confirm {
            modes.push(Mode::NoConfirm);
        } else if self.interactive && self.mode == Mode::Cli {
            modes.push(Mode::Interactive);
        }
        let foreign = self.config.foreign_allow.as_deref().filter(|_| self.allow.is_none());
        let foreign = foreign.filter(|list| {
            let packages = linked.iter().map(|hook| hook.package);
            let unknown = foreign::unknown_list(list, names, packages, self.linked);
            let is_known = unknown.is_none();
            warnings.extend(unknown);
            is_known
        });
        let allow = self.allow.as_deref().or(foreign).or(self.config.allow.as_deref());
        self.disable.extend(self.config.disable.iter().cloned());
        let priorities = self.config.priorities.iter();
        Selection {
            allow: allow.map(|list| list.iter().cloned().map(Pattern::allowing).collect()),
            disable: self.disable.iter().cloned().map(Pattern::new).collect(),
            priorities: priorities.map(|(named, value)| Priority::new(named.clone(), *value)).collect(),
            modes,
            tools: None,
        }
    }
}

fn plugin_row(
    plugin: &Plugin,
    points: &ByType<Arc<dyn super::AnySlots>>,
    off: &[(Arc<super::HookInfo>, String)],
    tools: &ToolSet,
) -> PluginRow {
    let on = points.values().flat_map(|slots| slots.rows());
    let on = on.filter(|(info, _)| info.package == plugin.package).count();
    let off = off.iter().filter(|(info, _)| info.package == plugin.package).count();
    PluginRow {
        package: plugin.package,
        version: plugin.version,
        hooks: on + off,
        tools: tools.count_of(plugin.package),
        points: crate::__private::points()
            .iter()
            .filter(|point| point.info().package == plugin.package)
            .count(),
    }
}

fn find_duplicate_points(problems: &mut Vec<Problem>) {
    let mut seen: HashMap<&str, &PointInfo> = HashMap::new();
    for point in crate::__private::points() {
        let info = point.info();
        if let Some(first) = seen.insert(info.wire, info) {
            let mut places = [point_place(first), point_place(info)];
            places.sort();
            let [first, second] = places;
            problems.push(Problem::DuplicatePoint { name: info.wire, first, second });
        }
    }
}
