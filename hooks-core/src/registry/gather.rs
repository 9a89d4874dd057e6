//! Gathering: from what the linker collected to what runs, one point at a time.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::by_type::ByType;
use crate::base::nearest::nearest;
use crate::declared::entry::{Call, Entry, Hook};
use crate::declared::point::Point;
use crate::plain::hook_info::HookInfo;
use crate::plain::json_settings::JsonSettings;
use crate::plain::options::Options;
use crate::plain::report::{Problem, place};
use crate::set::AnySlots;

use super::aliases::expand;
use super::foreign;
use super::order::misspelt;
use super::pattern::{Called, Pattern};
use super::rules::{Candidate, Rules};
use super::settings::Settings;
use super::{HookSlot, Slots};

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
    pub(crate) odd: Vec<Problem>,
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
            odd: Vec::new(),
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
        let linked = crate::declared::linked::hooks::<P>().filter(|_| self.linked);
        let linked: Vec<Candidate<P>> = linked.map(from_entry).collect();
        let mut chosen = Vec::with_capacity(linked.len() + by_hand.len());
        let before = self.off.len();
        for candidate in linked.into_iter().chain(by_hand.into_iter().map(from_hook)) {
            self.choose(candidate, &mut chosen);
        }
        let (slots, circle) = Slots::ordered(chosen);
        self.problems.extend(circle);
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
        self.odd.extend(judged.odd);
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
        for rule in &selection.rules {
            let named = rule.named();
            let fitting = || hooks.iter().filter(|info| rule.fits(Called::of(info)).is_some());
            if elsewhere.iter().any(|group| rule.may_fit_in(group))
                || fitting().any(|info| rule.can_hold(info))
            {
                continue;
            }
            if fitting().next().is_some() {
                let (why, is_wrong) = rule.lacks();
                let key = rule.rule.says.key();
                let problem = Problem::RuleWithoutEffect { source_text: named.to_string(), key, why };
                let list = if is_wrong { &mut wrong } else { &mut odd };
                list.push(problem);
                continue;
            }
            let wanted =
                if named.kind.is_capitals() { named.text.to_lowercase() } else { named.text.clone() };
            let (source_text, nearest) = (named.to_string(), near(&wanted));
            match named.kind.is_foreign() {
                true => odd.push(Problem::ForeignName { source_text, nearest }),
                false => wrong.push(Problem::UnknownName { source_text, nearest }),
            }
        }
        let selected = self.points.values().flat_map(|slots| slots.rows()).map(|(info, _)| info);
        odd.extend(misspelt(selected, &called, elsewhere));
        (wrong, odd)
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

impl HookInfo {
    pub(crate) fn new<P: Point>(
        name: String,
        options: &Options,
        call: &Call<P>,
        (package, module, docs): (Cow<'static, str>, Cow<'static, str>, Cow<'static, str>),
        (file, line): (Cow<'static, str>, u32),
    ) -> Self {
        let aliases = expand(&name, options.aliases);
        Self {
            name,
            point: P::INFO,
            priority: options.priority,
            before: owned(options.before),
            after: owned(options.after),
            tools: owned(options.tools),
            paths: owned(options.paths),
            kind: call.kind(),
            placement: options.placement,
            package,
            module,
            file,
            line,
            aliases,
            docs,
            modes: options.modes,
            once: options.once,
            timeout: options.timeout.limit(options, call.is_async(), None),
            budget: options.budget,
            fail_open: options.fail_open,
            quarantine: options.quarantine,
            tool: options.tool,
            confirmation: options.confirmation,
            shadow: false,
            ruled: Vec::new(),
        }
    }
}

fn from_entry<P: Point>(entry: &Entry<P>) -> Candidate<P> {
    let options = entry.options();
    Candidate {
        info: HookInfo::new(
            entry.origin().full_name(),
            &options,
            &entry.call,
            (entry.package.into(), entry.module.into(), entry.docs.into()),
            (entry.file.into(), entry.line),
        ),
        options,
        barred: None,
        call: entry.call.clone(),
        settings: entry.more().settings.map(|spec| spec.id()),
        on_error: entry.more().on_error,
    }
}

pub(crate) fn from_hook<P: Point>(hook: Hook<P>) -> Candidate<P> {
    Candidate {
        info: HookInfo::new(
            hook.name,
            &hook.options,
            &hook.call,
            (hook.package, hook.module, hook.docs),
            hook.place
                .map_or_else(|| (hook.at.file().into(), hook.at.line()), |(file, line)| (file.into(), line)),
        ),
        options: hook.options,
        barred: hook.barred,
        call: hook.call,
        settings: hook.settings.map(|_| TypeId::of::<JsonSettings>()),
        on_error: hook.on_error,
    }
}
