//! The registry as data: every hook of one host that runs, behind pointers, and what is known about the others.

use std::any::{Any, TypeId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use crate::base::by_type::ByType;
use crate::machinery::config::Config;
use crate::plain::hook_info::{HookInfo, HookRow, Setting};
use crate::plain::report::Report;
use crate::plain::settings::AllSettings;
use crate::plain::state_key::StateKeys;
use crate::plain::switch::Switch;

/// The selected, ordered, immutable set of hooks of one host.
pub struct Registry {
    pub(crate) points: ByType<Arc<dyn AnySlots>>,
    /// Hooks that were found and not selected, with the reason.
    pub(crate) off: Arc<Vec<(Arc<HookInfo>, String)>>,
    pub(crate) settings: AllSettings,
    pub(crate) states: StateKeys,
    pub(crate) shown_settings: Arc<HashMap<String, Vec<Setting>>>,
    pub(crate) report: Report,
    pub(crate) config: Arc<Config>,
    /// What else belongs to it, by type: its tools, and by what rules it was put together.
    pub(crate) kept: Kept,
}

/// Things by their types, which are known to who keeps them here and to nobody below.
pub(crate) type Kept = ByType<Arc<dyn Any + Send + Sync>>;

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

impl Registry {
    /// Every hook that was found, selected or not, by point, then in the order in which they run.
    #[must_use]
    pub fn list(&self) -> Vec<HookRow> {
        let mut points: BTreeMap<&str, Vec<HookRow>> = BTreeMap::new();
        for row in self.points.values().flat_map(|slots| slots.shown()) {
            points.entry(row.info.point.wire).or_default().push(row);
        }
        // What is off stands where its priority would have it.
        let key = |info: &HookInfo| (Reverse(info.priority), info.name.clone());
        let mut off: Vec<_> = self.off.iter().collect();
        off.sort_by_cached_key(|(info, _)| key(info));
        for (info, why) in off {
            let rows = points.entry(info.point.wire).or_default();
            let own = key(info);
            let at = rows.iter().rposition(|row| key(&row.info) < own).map_or(0, |before| before + 1);
            rows.insert(at, HookRow::off(Arc::clone(info), why.clone()));
        }
        points.into_values().flatten().collect()
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

    /// The configuration that it was built from.
    #[cfg(feature = "config")]
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The settings in force of a group of hooks, and where each comes from; `None` where it takes none.
    #[cfg(feature = "config")]
    #[must_use]
    pub fn settings_of(&self, group: &str) -> Option<&[Setting]> {
        self.shown_settings.get(group).map(Vec::as_slice)
    }

    /// The same once more, to be changed and put in its place.
    pub(crate) fn copied(&self) -> Self {
        Self {
            points: self.points.clone(),
            off: Arc::clone(&self.off),
            settings: self.settings.clone(),
            states: self.states.clone(),
            shown_settings: Arc::clone(&self.shown_settings),
            report: self.report.clone(),
            config: Arc::clone(&self.config),
            kept: self.kept.clone(),
        }
    }

    /// What is kept of that type.
    pub(crate) fn kept<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let kept: &dyn Any = &**self.kept.get(&TypeId::of::<T>())?;
        kept.downcast_ref()
    }

    /// Keeps something, in place of what is kept of its type.
    pub(crate) fn keep<T: Send + Sync + 'static>(&mut self, kept: T) {
        self.kept.insert(TypeId::of::<T>(), Arc::new(kept));
    }

    #[cfg(feature = "config")]
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
            .finish_non_exhaustive()
    }
}
