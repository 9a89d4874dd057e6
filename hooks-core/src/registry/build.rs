//! Building a registry from its description.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::by_type::ByType;
use crate::declared::plugin::Plugin;
use crate::declared::tool::ToolSet;
use crate::machinery::config::{Rule, Says};
use crate::plain::hook_info::HookInfo;
use crate::plain::options::{Mode, Timeout};
use crate::plain::point_info::PointInfo;
use crate::plain::report::{PluginRow, Problem, Report, point_place};
use crate::plain::state_key::{StateClash, StateKeys};
use crate::registry::listed::Listed;
use crate::set::{AnySlots, Kept, Registry};

use super::aliases::Aliases;
use super::any_point::linked_points;
use super::build_error::BuildError;
use super::builder::RegistryBuilder;
use super::foreign;
use super::gather::Gathering;
use super::operator::Operator;
use super::pattern::Pattern;
use super::rules::Rules;
use super::select::Selection;
use super::settings::Settings;
use super::tools;

impl RegistryBuilder {
    /// Gathers, selects, checks and freezes.
    ///
    /// # Errors
    /// If an allowlist, a shadow list, a priority or a rule names something unknown, the order of the hooks goes round, two
    /// hooks share a name at a point, settings cannot be read, an async hook is selected for a sync host, or, when strict, a hook can never run.
    pub fn build(mut self) -> Result<Registry, BuildError> {
        let declared = linked_points();
        let linked: Vec<Listed> =
            declared.iter().filter(|_| self.linked).flat_map(|point| point.linked_hooks()).collect();
        let mut names: Vec<_> = linked.iter().map(|hook| (hook.name.clone(), hook.options.aliases)).collect();
        names.append(&mut self.by_hand.names);
        let aliases = Aliases::of(names.iter().map(|(name, aliases)| (name.as_str(), *aliases)));
        let mut warnings: Vec<Problem> = self
            .config
            .unusable
            .iter()
            .map(|error| Problem::ForeignValue { why: error.to_string() })
            .collect();
        let mut selection = self.selection(&linked, &names, &mut warnings);
        let mut problems = std::mem::take(&mut self.by_hand.refused);
        let tools = tools::select(&selection, self.linked, &mut problems);
        selection.tools = Some(tools.names().map(str::to_owned).collect());
        let mut settings = Settings::read(&linked, &self.by_hand.declared, &self.config, &aliases);
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

        let mut gathering = Gathering::new(&rules, &settings, (&mut self.by_hand.hooks, self.linked));
        for point in declared {
            point.gather(&mut gathering);
        }
        for add in &self.by_hand.points {
            add(&mut gathering);
        }
        let (wrong, odd) = gathering.unknown_names(&tools.all(), &self.elsewhere);
        let taken = gathering.gates_taken();
        let Gathering { points, mut off, problems: found, dead, odd: oddities, .. } = gathering;
        problems.extend(found.into_iter().chain(wrong).chain(std::mem::take(&mut settings.problems)));
        warnings.extend(
            std::mem::take(&mut settings.foreign).into_iter().chain(odd).chain(oddities).chain(taken),
        );
        find_duplicate_points(&mut problems);
        let states = states_of(&linked, &rules.aliases);
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
        let mut registry = Registry {
            points,
            off: Arc::new(off),
            settings,
            states,
            shown_settings: Arc::new(shown),
            report,
            config: Arc::new(self.config),
            kept: Kept::default(),
        };
        registry.keep(tools);
        registry.keep(rules);
        Ok(registry)
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
        let shadow = self.shadow.drain(..).map(|named| Rule { named, says: Says::Shadow(true) });
        let rules = self.config.rules.iter().cloned().chain(shadow);
        Selection {
            allow: allow.map(|list| list.iter().cloned().map(Pattern::allowing).collect()),
            disable: self.disable.iter().cloned().map(Pattern::new).collect(),
            rules: rules.map(Operator::new).collect(),
            modes,
            tools: None,
        }
    }
}

/// Of all hooks, selected or not: what else runs must not change a key. Also by the other names of their groups.
fn states_of(hooks: &[Listed], aliases: &Aliases) -> StateKeys {
    let mut all = StateKeys::default();
    for hook in hooks {
        let Some(spec) = hook.state else { continue };
        let group = hook.name.split('.').next().unwrap_or(&hook.name);
        all.add(group, aliases.of_group(group), spec);
    }
    all
}

fn plugin_row(
    plugin: &Plugin,
    points: &ByType<Arc<dyn AnySlots>>,
    off: &[(Arc<HookInfo>, String)],
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
        points: linked_points().iter().filter(|point| point.info().package == plugin.package).count(),
    }
}

fn find_duplicate_points(problems: &mut Vec<Problem>) {
    let mut seen: HashMap<&str, &PointInfo> = HashMap::new();
    for point in linked_points() {
        let info = point.info();
        if let Some(first) = seen.insert(info.wire, info) {
            let mut places = [point_place(first), point_place(info)];
            places.sort();
            let [first, second] = places;
            problems.push(Problem::DuplicatePoint { name: info.wire, first, second });
        }
    }
}
