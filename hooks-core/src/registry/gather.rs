//! Gathering: from what the linker collected to what runs, one point at a time.

use std::any::TypeId;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::by_type::ByType;
use crate::entry::{Entry, Hook, Options};
use crate::point::{Point, PointInfo};
use crate::session::{SettingsSpec, StateSpec};

use super::foreign;
use super::report::{Problem, place};
use super::rules::{Candidate, Rules};
use super::select::{Called, Pattern, Priority, nearest};
use super::settings::Settings;
use super::{AnySlots, HookInfo, HookSlot, Slots};

/// A linked hook as data, before any selection: what `doctor` and the macros' tests look at.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Full name.
    pub name: String,
    /// The point.
    pub point: &'static PointInfo,
    /// The package.
    pub package: &'static str,
    /// Source file.
    pub file: &'static str,
    /// Source line.
    pub line: u32,
    /// Its options.
    pub options: Options,
    pub(crate) settings: Option<SettingsSpec>,
    pub(crate) state: Option<StateSpec>,
}

impl Listed {
    pub(crate) fn of<P: Point>(entry: &Entry<P>) -> Self {
        Self {
            name: entry.origin.full_name(),
            point: P::INFO,
            package: entry.origin.package,
            file: entry.origin.file,
            line: entry.origin.line,
            options: entry.options,
            settings: entry.settings,
            state: entry.state,
        }
    }
}

/// Explicitly registered hooks of one point, behind a pointer.
pub(crate) type Explicit = HashMap<TypeId, Box<dyn std::any::Any>>;

/// The work of [`RegistryBuilder::build`](super::RegistryBuilder::build) while it goes over the points.
pub struct Gathering<'b> {
    pub(crate) rules: &'b Rules,
    pub(crate) settings: &'b Settings,
    pub(crate) explicit: &'b mut Explicit,
    pub(crate) linked: bool,
    pub(crate) points: ByType<Arc<dyn AnySlots>>,
    pub(crate) off: Vec<(Arc<HookInfo>, String)>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) dead: Vec<Problem>,
    /// Groups of gates that another system's allowlist takes out.
    gates_taken: BTreeSet<String>,
}

impl std::fmt::Debug for Gathering<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gathering").field("problems", &self.problems).finish_non_exhaustive()
    }
}

impl<'b> Gathering<'b> {
    pub(crate) fn new(
        rules: &'b Rules,
        settings: &'b Settings,
        (explicit, linked): (&'b mut Explicit, bool),
    ) -> Self {
        Self {
            rules,
            settings,
            explicit,
            linked,
            points: ByType::default(),
            off: Vec::new(),
            problems: Vec::new(),
            dead: Vec::new(),
            gates_taken: BTreeSet::new(),
        }
    }

    pub(crate) fn add<P: Point>(&mut self) {
        if self.points.contains_key(&TypeId::of::<P>()) {
            return;
        }
        let by_hand = self
            .explicit
            .remove(&TypeId::of::<P>())
            .and_then(|hooks| hooks.downcast::<Vec<Hook<P>>>().ok())
            .map_or_else(Vec::new, |hooks| *hooks);
        let linked: &[Entry<P>] = if self.linked { P::linked() } else { &[] };
        let mut chosen = Vec::with_capacity(linked.len() + by_hand.len());
        let before = self.off.len();
        for candidate in linked.iter().map(from_entry).chain(by_hand.into_iter().map(from_hook)) {
            self.choose(candidate, &mut chosen);
        }
        let slots = Slots::new(chosen);
        self.find_duplicates(&slots);
        self.one_row_each(before, &slots);
        self.points.insert(TypeId::of::<P>(), Arc::new(slots));
    }

    fn choose<P: Point>(&mut self, candidate: Candidate<P>, chosen: &mut Vec<HookSlot<P>>) {
        let (options, barred) = (candidate.options, candidate.barred.is_some());
        let switched = self.settings.switched(candidate.info.group(), candidate.settings);
        let may_run = !barred && !matches!(switched, Some(Err(_)));
        let judged = self.rules.judge(candidate, switched);
        self.problems.extend(judged.problem);
        self.dead.extend(judged.dead);
        match judged.hook {
            Ok(slot) => chosen.push(slot),
            Err((info, why)) => {
                let called = Called::of(&info);
                if may_run
                    && foreign::is_gate(P::INFO)
                    && self.rules.selection.taken_by_foreign_list(called, &options)
                {
                    self.gates_taken.insert(info.group().to_owned());
                }
                self.off.push((info, why));
            }
        }
    }

    /// Two hooks may share a name at a point where one of them runs at most, as in different modes: what is listed is
    /// the one that runs.
    fn one_row_each<P: Point>(&mut self, from: usize, slots: &Slots<P>) {
        let mut off = self.off.split_off(from);
        off.sort_by(|(a, _), (b, _)| (&a.name, &a.file, a.line).cmp(&(&b.name, &b.file, b.line)));
        off.dedup_by(|(a, _), (b, _)| a.name == b.name);
        off.retain(|(info, _)| slots.hooks.iter().all(|hook| hook.info.name != info.name));
        self.off.append(&mut off);
    }

    fn find_duplicates<P: Point>(&mut self, slots: &Slots<P>) {
        let mut seen: HashMap<&str, &HookInfo> = HashMap::with_capacity(slots.hooks.len());
        for hook in &*slots.hooks {
            if let Some(first) = seen.insert(&hook.info.name, &hook.info) {
                let mut places = [first, &hook.info].map(|info| place(&info.file, info.line));
                places.sort();
                let [first, second] = places;
                self.problems.push(Problem::DuplicateHook {
                    name: hook.info.name.clone(),
                    point: P::INFO.wire,
                    first,
                    second,
                });
            }
        }
    }

    /// Which gates another system's allowlist takes out.
    pub(crate) fn gates_taken(&self) -> Option<Problem> {
        let first = self.rules.selection.allow.iter().flatten().next()?;
        let gates: Vec<_> = self.gates_taken.iter().map(|group| format!("`{group}`")).collect();
        let variable = first.named.source.clone();
        (!gates.is_empty()).then(|| Problem::ForeignGates { variable, gates: gates.join(", ") })
    }

    /// Names that fit nothing: what is wrong, and what is only odd. `elsewhere` are groups that are in other hosts.
    pub(crate) fn unknown_names(
        &self,
        tools: &[(&'static str, &'static str)],
        elsewhere: &[String],
    ) -> (Vec<Problem>, Vec<Problem>) {
        let rows = self.points.values().flat_map(|slots| slots.rows()).map(|(info, _)| info);
        let hooks: Vec<Arc<HookInfo>> =
            rows.chain(self.off.iter().map(|(info, _)| Arc::clone(info))).collect();
        let tools: Vec<(String, &str)> =
            tools.iter().map(|(tool, package)| (format!("tool.{tool}"), *package)).collect();
        let called: Vec<Called<'_>> = hooks
            .iter()
            .map(|info| Called::of(info))
            .chain(tools.iter().map(|(name, package)| Called { name, aliases: &[], package }))
            .collect();
        let mut names: Vec<&str> = called.iter().flat_map(|hook| hook.names()).collect();
        names.sort_unstable();
        names.dedup();
        let groups = names.iter().filter_map(|name| name.split('.').next());
        let near = |wanted: &str| nearest(wanted, names.iter().copied().chain(groups.clone()));

        let (mut wrong, mut odd) = (Vec::new(), Vec::new());
        let selection = &self.rules.selection;
        let fits_none = |pattern: &&Pattern| {
            !called.iter().any(|hook| pattern.matches(*hook))
                && !elsewhere.iter().any(|group| pattern.may_match_in(group))
        };
        for pattern in selection.disable.iter().filter(fits_none) {
            let (source_text, nearest) = (pattern.named.to_string(), near(&pattern.named.text));
            odd.push(match pattern.named.kind.is_foreign() {
                true => Problem::ForeignName { source_text, nearest },
                false => Problem::NothingToDisable { source_text, nearest },
            });
        }
        for pattern in selection.allow.iter().flatten().filter(fits_none) {
            let (source_text, nearest) = (pattern.named.to_string(), near(pattern.text()));
            match pattern.named.kind.is_foreign() {
                true => odd.push(Problem::ForeignName { source_text, nearest }),
                false => wrong.push(Problem::UnknownName { source_text, nearest }),
            }
        }
        let fits = |priority: &Priority| {
            hooks.iter().any(|info| priority.fits(Called::of(info)).is_some())
                || elsewhere.iter().any(|group| priority.may_fit_in(group))
        };
        for priority in selection.priorities.iter().filter(|priority| !fits(priority)) {
            let named = &priority.named;
            let wanted =
                if named.kind.is_capitals() { named.text.to_lowercase() } else { named.text.clone() };
            let (source_text, nearest) = (named.to_string(), near(&wanted));
            match named.kind.is_foreign() {
                true => odd.push(Problem::ForeignName { source_text, nearest }),
                false => wrong.push(Problem::UnknownName { source_text, nearest }),
            }
        }
        (wrong, odd)
    }
}

fn from_entry<P: Point>(entry: &Entry<P>) -> Candidate<P> {
    let origin = &entry.origin;
    Candidate {
        info: HookInfo::new(
            origin.full_name(),
            &entry.options,
            &entry.call,
            (origin.package, origin.module, origin.docs.into()),
            (origin.file.into(), origin.line),
        ),
        options: entry.options,
        barred: None,
        call: entry.call.clone(),
        settings: entry.settings,
        on_error: entry.on_error,
    }
}

pub(crate) fn from_hook<P: Point>(hook: Hook<P>) -> Candidate<P> {
    Candidate {
        info: HookInfo::new(
            hook.name,
            &hook.options,
            &hook.call,
            (hook.package, "", hook.docs),
            hook.place
                .map_or_else(|| (hook.at.file().into(), hook.at.line()), |(file, line)| (file.into(), line)),
        ),
        options: hook.options,
        barred: hook.barred,
        call: hook.call,
        settings: None,
        on_error: hook.on_error,
    }
}
