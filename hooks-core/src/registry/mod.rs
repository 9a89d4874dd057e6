//! The registry: the selected, ordered, immutable set of hooks of one host.
//!
//! [`Registry::builder`] gathers what the linker collected and what was registered by hand, applies the
//! configuration, checks it, and freezes it. Order is priority descending, then name ascending; what the linker
//! or the program did first never matters. [`Hooks`] is a shared handle through which a running host swaps
//! one registry for the next.

mod aliases;
mod builder;
mod foreign;
mod gather;
mod info;
mod late;
mod live;
mod report;
mod rules;
mod seen;
mod select;
mod settings;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::by_type::ByType;
use crate::entry::{Call, Placement, SyncCall};
use crate::failure::Failure;
use crate::point::Point;
use crate::session::{AllSettings, Session, StateKeys};
use crate::tool::ToolSet;

use seen::Seen;

pub(crate) use aliases::Aliases;
pub use builder::{BuildError, RegistryBuilder};
pub use gather::{Gathering, Listed};
pub use info::{HookInfo, HookRow, Setting};
pub(crate) use info::{Switch, changes};
pub use live::{Hooks, LiveError};
pub use report::{PluginRow, Problem, Report};
pub(crate) use select::{Selection, nearest};

/// The selected, ordered, immutable set of hooks of one host.
pub struct Registry {
    pub(crate) points: ByType<Arc<dyn AnySlots>>,
    /// Hooks that were found and not selected, with the reason.
    pub(crate) off: Arc<Vec<(Arc<HookInfo>, String)>>,
    pub(crate) settings: AllSettings,
    pub(crate) states: StateKeys,
    pub(crate) shown_settings: Arc<HashMap<String, Vec<Setting>>>,
    pub(crate) tools: ToolSet,
    pub(crate) report: Report,
    pub(crate) config: Arc<crate::config::Config>,
    rules: Arc<rules::Rules>,
    /// Hooks that came while the host ran.
    late: Vec<Arc<dyn late::Late>>,
}

/// The hooks of one point, ready to be fired: a host gets it once and keeps it.
pub struct Handle<P: Point>(pub(crate) Arc<Slots<P>>);

impl<P: Point> Clone for Handle<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P: Point> fmt::Debug for Handle<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({}, {} hooks)", P::INFO.name, self.0.hooks.len())
    }
}

impl<P: Point> Handle<P> {
    pub(crate) fn empty() -> Self {
        Self(Arc::new(Slots::new(Vec::new())))
    }

    /// Whether nobody listens.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.hooks.is_empty()
    }

    /// How many hooks listen.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.hooks.len()
    }

    /// The names of the hooks, in the order in which they run.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.0.hooks.iter().map(|hook| hook.info.name.as_str()).collect()
    }
}

/// The selected hooks of one point, in order.
pub(crate) struct Slots<P: Point> {
    /// The functions alone, side by side, where all hooks are plain; else empty.
    pub(crate) calls: Box<[SyncCall<P>]>,
    pub(crate) hooks: Box<[HookSlot<P>]>,
    /// Whether one of them has a budget, for which it must be timed.
    pub(crate) budgets: bool,
    /// What was seen when the switches were last looked at: which [change](info::changes) it was after, and whether all were on.
    seen: Seen,
}

/// One selected hook.
pub(crate) struct HookSlot<P: Point> {
    pub(crate) info: Arc<HookInfo>,
    pub(crate) call: Call<P>,
    pub(crate) on_error: Option<fn(&Failure, &Session)>,
    pub(crate) switch: Arc<Switch>,
    /// What selected it.
    pub(crate) why: Arc<str>,
    pub(crate) point: PhantomData<P>,
}

impl<P: Point> Clone for HookSlot<P> {
    fn clone(&self) -> Self {
        Self {
            info: Arc::clone(&self.info),
            call: self.call.clone(),
            on_error: self.on_error,
            switch: Arc::clone(&self.switch),
            why: Arc::clone(&self.why),
            point: PhantomData,
        }
    }
}

impl<P: Point> HookSlot<P> {
    /// Tells hooks apart within the program.
    pub(crate) fn number(&self) -> usize {
        Arc::as_ptr(&self.switch) as usize
    }

    fn plain_call(&self) -> Option<SyncCall<P>> {
        let info = &self.info;
        match self.call {
            Call::Sync(call)
                if info.placement == Placement::Inline && !info.once && info.budget.is_none() =>
            {
                Some(call)
            }
            _ => None,
        }
    }
}

impl<P: Point> Slots<P> {
    /// Sorts the hooks into the order in which they run.
    pub(crate) fn new(mut hooks: Vec<HookSlot<P>>) -> Self {
        hooks.sort_unstable_by(|a, b| (b.info.priority, &a.info.name).cmp(&(a.info.priority, &b.info.name)));
        let calls: Option<Box<[_]>> = hooks.iter().map(HookSlot::plain_call).collect();
        let budgets = hooks.iter().any(|hook| hook.info.budget.is_some());
        Self { calls: calls.unwrap_or_default(), hooks: hooks.into(), budgets, seen: Seen::new() }
    }

    /// Whether the fast loop may run these hooks.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.calls.len() == self.hooks.len()
            && self.all_on()
            && tracing::level_filters::LevelFilter::current() < tracing::Level::TRACE
    }

    /// Whether none of them is switched off. Looked up once after each change of any switch, wherever these hooks are kept.
    #[inline]
    pub(crate) fn all_on(&self) -> bool {
        self.seen.is(info::changes(), || self.hooks.iter().all(|hook| hook.switch.is_on()))
    }
}

/// The hooks of one point behind a pointer.
pub(crate) trait AnySlots: Any + Send + Sync {
    fn len(&self) -> usize;
    fn rows(&self) -> Vec<(Arc<HookInfo>, Arc<Switch>)>;
    /// The same, as they are listed.
    fn shown(&self) -> Vec<HookRow>;
    /// These hooks without those of that name; `None` where there is none.
    fn without(&self, name: &str) -> Option<Arc<dyn AnySlots>>;
    /// These hooks with the switches of others of the same names; `None` where there is none.
    fn with_switches(&self, of: &HashMap<String, Arc<Switch>>) -> Option<Arc<dyn AnySlots>>;
}

impl<P: Point> AnySlots for Slots<P> {
    fn len(&self) -> usize {
        self.hooks.len()
    }

    fn rows(&self) -> Vec<(Arc<HookInfo>, Arc<Switch>)> {
        self.hooks.iter().map(|hook| (Arc::clone(&hook.info), Arc::clone(&hook.switch))).collect()
    }

    fn shown(&self) -> Vec<HookRow> {
        let hooks = self.hooks.iter();
        hooks.map(|hook| HookRow::selected(Arc::clone(&hook.info), &hook.switch, &hook.why)).collect()
    }

    fn without(&self, name: &str) -> Option<Arc<dyn AnySlots>> {
        let left: Vec<_> = self.hooks.iter().filter(|hook| !hook.info.is_called(name)).cloned().collect();
        (left.len() < self.hooks.len()).then(|| Arc::new(Slots::new(left)) as Arc<dyn AnySlots>)
    }

    fn with_switches(&self, of: &HashMap<String, Arc<Switch>>) -> Option<Arc<dyn AnySlots>> {
        if !self.hooks.iter().any(|hook| of.contains_key(&hook.info.name)) {
            return None;
        }
        let mut hooks = self.hooks.to_vec();
        for hook in &mut hooks {
            if let Some(switch) = of.get(&hook.info.name) {
                hook.switch = Arc::clone(switch);
            }
        }
        Some(Arc::new(Slots::new(hooks)))
    }
}

impl Registry {
    /// Starts to describe a registry.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The hooks of one point. Cheap to keep; it does not see later changes made through [`Hooks`].
    #[must_use]
    pub fn handle<P: Point>(&self, _point: P) -> Handle<P> {
        self.find::<P>().unwrap_or_else(Handle::empty)
    }

    pub(crate) fn find<P: Point>(&self) -> Option<Handle<P>> {
        let slots: Arc<dyn Any + Send + Sync> = Arc::clone(self.points.get(&TypeId::of::<P>())?) as _;
        slots.downcast::<Slots<P>>().ok().map(Handle)
    }

    #[inline]
    pub(crate) fn slots<P: Point>(&self) -> Option<&Slots<P>> {
        let slots: &dyn Any = &**self.points.get(&TypeId::of::<P>())?;
        slots.downcast_ref()
    }

    /// Every hook that was found, selected or not, by point, then in the order in which they run.
    #[must_use]
    pub fn list(&self) -> Vec<HookRow> {
        let mut rows: Vec<HookRow> = self
            .points
            .values()
            .flat_map(|slots| slots.shown())
            .chain(self.off.iter().map(|(info, why)| HookRow::off(Arc::clone(info), why.clone())))
            .collect();
        rows.sort_by(|a, b| {
            (a.info.point.wire, b.info.priority, &a.info.name).cmp(&(
                b.info.point.wire,
                a.info.priority,
                &b.info.name,
            ))
        });
        rows
    }

    /// The selected hook of that full name; the first one where it listens at several points.
    #[must_use]
    pub fn hook(&self, name: &str) -> Option<Arc<HookInfo>> {
        self.points
            .values()
            .flat_map(|slots| slots.rows())
            .map(|(info, _)| info)
            .filter(|info| info.is_called(name))
            .min_by_key(|info| info.point.wire)
    }

    /// The full names of the selected hooks that go by that one.
    pub(crate) fn full_names(&self, name: &str) -> Vec<String> {
        let rows = self.points.values().flat_map(|slots| slots.rows());
        let mut names: Vec<String> =
            rows.filter(|(info, _)| info.is_called(name)).map(|(info, _)| info.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The selected hooks of a package.
    #[must_use]
    pub fn hooks_of_package(&self, package: &str) -> Vec<HookRow> {
        self.list().into_iter().filter(|row| row.on && row.info.package == package).collect()
    }

    /// What was gathered, and what is odd about it.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The selected tools.
    #[must_use]
    pub fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// The time limit of hooks that set none; `None` for no limit.
    #[must_use]
    pub fn default_timeout(&self) -> Option<std::time::Duration> {
        self.rules.timeout
    }

    /// The configuration that it was built from.
    #[must_use]
    pub fn config(&self) -> &crate::config::Config {
        &self.config
    }

    /// The settings in force of a group of hooks, and where each comes from; `None` where it takes none.
    #[must_use]
    pub fn settings_of(&self, group: &str) -> Option<&[Setting]> {
        self.shown_settings.get(group).map(Vec::as_slice)
    }

    pub(crate) fn settings(&self) -> &AllSettings {
        &self.settings
    }

    /// Switches every selected hook of that name; returns how many there are.
    pub(crate) fn switch(&self, name: &str, on: bool) -> usize {
        let mut switched = 0;
        for slots in self.points.values() {
            let rows = slots.rows();
            let matching = rows.iter().filter(|(info, _)| info.is_called(name));
            let count = matching.map(|(_, switch)| switch.set(on)).count();
            switched += count;
        }
        switched
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("hooks", &self.points.values().map(|slots| slots.len()).sum::<usize>())
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
