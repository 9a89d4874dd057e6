//! Gathering: from what the linker collected to what runs, one point at a time.

use std::any::TypeId;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::Value;

use crate::config::Config;
use crate::entry::{Call, Entry, Hook, Options};
use crate::failure::Failure;
use crate::point::{Point, PointInfo};
use crate::session::{AllSettings, Session, SettingsSpec};

use super::aliases::Aliases;
use super::foreign;
use super::report::{Problem, place};
use super::select::{Called, Selection, nearest};
use super::{AnySlots, HookInfo, HookSlot, Setting, Slots, Switch};

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
        }
    }
}

/// Explicitly registered hooks of one point, behind a pointer.
pub(crate) type Explicit = HashMap<TypeId, Box<dyn std::any::Any>>;

/// The work of [`RegistryBuilder::build`](super::RegistryBuilder::build) while it goes over the points.
pub struct Gathering<'b> {
    pub(crate) selection: &'b Selection,
    pub(crate) config: &'b Config,
    pub(crate) aliases: &'b Aliases,
    pub(crate) explicit: &'b mut Explicit,
    pub(crate) linked: bool,
    pub(crate) sync: bool,
    pub(crate) fires: Option<&'b [&'static PointInfo]>,
    pub(crate) points: HashMap<TypeId, Arc<dyn AnySlots>>,
    pub(crate) off: Vec<(Arc<HookInfo>, String)>,
    pub(crate) settings: AllSettings,
    pub(crate) shown: HashMap<String, Vec<Setting>>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) dead: Vec<Problem>,
    /// What was meant for other systems and means nothing here.
    pub(crate) foreign: Vec<Problem>,
    /// Groups of gates that another system's allowlist takes out.
    pub(crate) gates_taken: BTreeSet<String>,
}

impl std::fmt::Debug for Gathering<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gathering").field("problems", &self.problems).finish_non_exhaustive()
    }
}

struct Candidate<P: Point> {
    info: HookInfo,
    options: Options,
    barred: Option<String>,
    call: Call<P>,
    settings: Option<SettingsSpec>,
    on_error: Option<fn(&Failure, &Session)>,
}

impl Gathering<'_> {
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
        for candidate in linked.iter().map(from_entry).chain(by_hand.into_iter().map(from_hook)) {
            self.choose(candidate, &mut chosen);
        }
        let slots = Slots::new(chosen);
        self.find_duplicates(&slots);
        self.points.insert(TypeId::of::<P>(), Arc::new(slots));
    }

    fn choose<P: Point>(&mut self, mut candidate: Candidate<P>, chosen: &mut Vec<HookSlot<P>>) {
        let HookInfo { name, aliases, .. } = &mut candidate.info;
        self.aliases.keep_free(name, aliases);
        let info = &candidate.info;
        let called = Called { name: &info.name, aliases: &info.aliases, package: info.package };
        let decided = self.selection.decide(called, &candidate.options);
        let taken = decided.is_err()
            && foreign::is_gate(P::INFO)
            && self.selection.taken_by_foreign_list(called, &candidate.options);
        if let Some(priority) = self.selection.priority(called) {
            candidate.info.priority = priority;
        }
        let info = &candidate.info;
        // Settings are read even for hooks that are off: a mistake there is a mistake.
        if let Some(spec) = candidate.settings {
            self.read_settings(spec, info.group().to_owned());
        }
        if taken && candidate.barred.is_none() && !matches!(self.switched(&candidate), Some(Err(_))) {
            self.gates_taken.insert(info.group().to_owned());
        }
        let decided = decided.and_then(|why| self.switched(&candidate).unwrap_or(Ok(why)));
        let decided = decided.and_then(|why| candidate.barred.take().map_or(Ok(why), Err));
        let info = &candidate.info;
        let why = match decided {
            Ok(why) => why,
            Err(why) => {
                self.off.push((Arc::new(candidate.info), why));
                return;
            }
        };
        if self.sync && matches!(candidate.call, Call::Async(_)) {
            self.problems.push(Problem::AsyncInSyncHost {
                hook: info.name.clone(),
                point: P::INFO.wire,
                place: place(&info.file, info.line),
            });
        }
        if self.fires.is_some_and(|fires| !fires.iter().any(|point| point.wire == P::INFO.wire)) {
            self.dead.push(Problem::DeadHook {
                hook: info.name.clone(),
                point: P::INFO.wire,
                place: place(&info.file, info.line),
            });
        }
        chosen.push(HookSlot {
            info: Arc::new(candidate.info),
            call: candidate.call,
            on_error: candidate.on_error,
            switch: Arc::new(Switch::new(why)),
            point: PhantomData,
        });
    }

    /// What a hook's own settings decide, where they have a key `enabled`: on or off, and why.
    fn switched<P: Point>(&self, candidate: &Candidate<P>) -> Option<Result<String, String>> {
        candidate.settings?;
        let group = candidate.info.group();
        let enabled = self.shown.get(group)?.iter().find(|setting| setting.key == "enabled")?;
        match (&enabled.value, &enabled.source) {
            (Value::Bool(false), Some(source)) => Some(Err(format!("enabled = false in {source}"))),
            (Value::Bool(false), None) => {
                Some(Err(format!("off unless `enabled = true` in [hooks.{group}]")))
            }
            (Value::Bool(true), Some(source)) => Some(Ok(format!("enabled in {source}"))),
            _ => None,
        }
    }

    fn read_settings(&mut self, spec: SettingsSpec, group: String) {
        if self.settings.0.contains_key(&(spec.id)()) {
            return;
        }
        let mut section = match self.config.hook_table(&group, self.aliases.of_group(&group)) {
            Ok(section) => section,
            Err((source_text, why)) => {
                let problem = Problem::BadSettings { group, source_text, why };
                if !self.problems.contains(&problem) {
                    self.problems.push(problem);
                }
                return;
            }
        };
        let mut read = (spec.read)(section.as_ref().map(|section| &section.table));
        for (key, value, variable) in section.iter().flat_map(|held| held.foreign.clone()).collect::<Vec<_>>()
        {
            // Only what goes wrong by it is its fault.
            let more = section.clone().unwrap_or_default().with(&key, value, &variable);
            match (spec.read)(Some(&more.table)) {
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
                self.settings.0.insert((spec.id)(), settings);
                let rows = Setting::rows(shown, section.as_ref());
                self.shown.insert(group, rows);
            }
            Err(why) => {
                let source_text =
                    section.map_or_else(|| "the defaults".to_owned(), |held| held.source_text());
                let problem = Problem::BadSettings { group, source_text, why };
                if !self.problems.contains(&problem) {
                    self.problems.push(problem);
                }
            }
        }
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

    /// Hooks of tools that this program does not have. A plugin may serve a tool that is not in every program: then its hook
    /// is off, and says why. A name that is nearly one of ours is a mistake.
    pub(crate) fn check_tools(&mut self, tool_names: &[String]) {
        for (info, why) in &mut self.off {
            let Some(tool) = info.tool.filter(|tool| !tool_names.iter().any(|known| known == tool)) else {
                continue;
            };
            // A letter or two: `read` and `read_file` are two tools, `raed_file` is none.
            let slips = |known: &&String| strsim::damerau_levenshtein(tool, known) <= tool.len() / 4;
            match tool_names.iter().find(slips) {
                None => *why = format!("its tool `{tool}` is not in this program"),
                Some(meant) => self.problems.push(Problem::UnknownTool {
                    hook: info.name.clone(),
                    place: place(&info.file, info.line),
                    tool: tool.to_owned(),
                    meant: meant.clone(),
                }),
            }
        }
    }

    /// Says which gates another system's allowlist takes out.
    pub(crate) fn check_gates(&mut self) {
        let Some(first) = self.selection.allow.iter().flatten().next() else { return };
        if !self.gates_taken.is_empty() {
            let gates: Vec<_> = self.gates_taken.iter().map(|group| format!("`{group}`")).collect();
            let variable = first.named.source.clone();
            self.foreign.push(Problem::ForeignGates { variable, gates: gates.join(", ") });
        }
    }

    /// Complains about configuration that fits nothing.
    pub(crate) fn check_leftovers(&mut self, tool_names: &[String]) {
        let mut names: Vec<String> = self
            .points
            .values()
            .flat_map(|slots| slots.rows())
            .map(|(info, _)| info)
            .chain(self.off.iter().map(|(info, _)| Arc::clone(info)))
            .flat_map(|info| [&info.name].into_iter().chain(&info.aliases).cloned().collect::<Vec<_>>())
            .collect();
        names.extend(tool_names.iter().map(|tool| format!("tool.{tool}")));
        names.sort();
        names.dedup();
        let groups = names.iter().filter_map(|name| name.split('.').next());
        let known = || names.iter().map(String::as_str).chain(groups.clone());

        let patterns = self.selection.allow.iter().flatten().chain(&self.selection.disable);
        let unused = patterns.filter(|pattern| !pattern.was_used()).map(|pattern| &pattern.named);
        let priorities = self.selection.priorities.iter();
        let unused_priorities = priorities.filter(|p| !p.was_used()).map(|p| &p.named);
        for named in unused.chain(unused_priorities) {
            let wanted =
                if named.kind.is_capitals() { named.text.to_lowercase() } else { named.text.clone() };
            let (source_text, nearest) = (named.to_string(), nearest(&wanted, known()));
            if named.kind.is_foreign() {
                self.foreign.push(Problem::ForeignName { source_text, nearest });
            } else {
                self.problems.push(Problem::UnknownName { source_text, nearest });
            }
        }
        // What was read under one name, well or badly, is not told again under another.
        let bad = self.problems.iter().filter_map(|problem| match problem {
            Problem::BadSettings { group, .. } => Some(group),
            _ => None,
        });
        let read: HashSet<String> = self
            .shown
            .keys()
            .chain(bad)
            .flat_map(|group| [group.as_str()].into_iter().chain(self.aliases.of_group(group)))
            .map(str::to_owned)
            .collect();
        for (group, section) in self.config.hook_tables() {
            if section.is_ours() && !read.contains(group) {
                self.problems.push(Problem::UnusedSettings {
                    group: group.to_owned(),
                    source_text: section.source_text(),
                    nearest: nearest(group, self.shown.keys().map(String::as_str)),
                });
            }
        }
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

fn from_hook<P: Point>(hook: Hook<P>) -> Candidate<P> {
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

/// A hook that is registered while the host runs.
pub(crate) fn slot_of<P: Point>(hook: Hook<P>) -> HookSlot<P> {
    let candidate = from_hook(hook);
    HookSlot {
        info: Arc::new(candidate.info),
        call: candidate.call,
        on_error: candidate.on_error,
        switch: Arc::new(Switch::new("registered while it runs".to_owned())),
        point: PhantomData,
    }
}
