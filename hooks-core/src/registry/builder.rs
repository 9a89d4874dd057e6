//! Describing a registry.

use std::fmt;
use std::time::Duration;

use crate::declared::entry::Hook;
use crate::declared::plugin::Plugin;
use crate::declared::point::Point;
use crate::machinery::config::{Config, Named};
use crate::plain::options::Mode;
use crate::plain::point_info::PointInfo;
use crate::set::Registry;

use super::by_hand::ByHand;
#[cfg(feature = "json")]
use super::json_hook::JsonHook;

/// Describes a registry. Every part is optional; a bare builder selects all linked hooks that are on by
/// default.
pub struct RegistryBuilder {
    pub(super) plugins: Vec<&'static Plugin>,
    pub(super) config: Config,
    pub(super) allow: Option<Vec<Named>>,
    pub(super) disable: Vec<Named>,
    pub(super) shadow: Vec<Named>,
    pub(super) mode: Mode,
    pub(super) interactive: bool,
    pub(super) no_confirm: bool,
    pub(super) linked: bool,
    pub(super) sync: bool,
    pub(super) strict: Option<bool>,
    pub(super) fires: Option<Vec<&'static PointInfo>>,
    pub(super) elsewhere: Vec<String>,
    pub(super) timeout: Option<Option<Duration>>,
    pub(super) by_hand: ByHand,
}

impl Default for RegistryBuilder {
    fn default() -> Self {
        Self {
            plugins: Vec::new(),
            config: Config::default(),
            allow: None,
            disable: Vec::new(),
            shadow: Vec::new(),
            mode: Mode::Embedded,
            interactive: false,
            no_confirm: false,
            linked: true,
            sync: false,
            strict: None,
            fires: None,
            elsewhere: Vec::new(),
            timeout: None,
            by_hand: ByHand::default(),
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

impl Registry {
    /// Starts to describe a registry.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
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
    #[cfg(feature = "config")]
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
    /// # Ok::<(), hookspec::registry::BuildError>(())
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

    /// Runs these hooks for trial, beside those that the configuration has in shadow: what they say is recorded and counted, and
    /// nothing of it is done. A name of nothing that is here is an error.
    ///
    /// ```
    /// use hookspec::points::STEP_POST;
    /// use hookspec::{Hook, Hooks, Message, Registry, Session, fire_now};
    ///
    /// let says = Hook::new(STEP_POST, "notes.step", |_, _| Message::system("a step"));
    /// let hooks = Hooks::new(Registry::builder().linked(false).register(says).shadow(["notes"]).build()?);
    /// let session = Session::builder(&hooks, "demo").build();
    /// assert!(fire_now!(session, STEP_POST { step: 0, tool_calls: 0, usage: None }).messages().is_empty());
    /// let counted = hooks.list()[0].shadowed.map(|shadowed| shadowed.to_string());
    /// assert_eq!(counted.as_deref(), Some("1 message that was not made"));
    /// # Ok::<(), hookspec::registry::BuildError>(())
    /// ```
    #[must_use]
    pub fn shadow(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.shadow_from("the shadow list of this call", names)
    }

    /// The same; `source` is where the user finds the list, as in `--shadow`.
    #[must_use]
    pub fn shadow_from(mut self, source: &str, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.shadow.extend(names.into_iter().map(|name| Named::new(name, source)));
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
        self.by_hand.add(hook);
        self
    }

    /// Adds a hook at a point that is chosen at run time.
    #[cfg(feature = "json")]
    #[must_use]
    pub fn register_json(mut self, hook: JsonHook) -> Self {
        hook.point.register_json(&mut self.by_hand, hook.hook);
        self
    }
}
