//! What the operator says of hooks: which rule counts where several fit.

use std::collections::BTreeMap;

use crate::machinery::config::{Named, Rule, Says};
use crate::plain::hook_info::{HookInfo, Ruled};
use crate::plain::options::{Options, Placement, Timeout};

use super::foreign::is_gate;
use super::pattern::{Called, Pattern, env_form};

/// A rule and what it fits.
pub(crate) struct Operator {
    pub(crate) rule: Rule,
    pattern: Pattern,
}

/// How exactly a rule names a hook. The more exact one counts, of two alike the later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exactness {
    Glob,
    Package,
    Group,
    Name,
}

impl Operator {
    pub(crate) fn new(rule: Rule) -> Self {
        let pattern = Pattern::new(rule.named.clone());
        Self { rule, pattern }
    }

    pub(crate) fn named(&self) -> &Named {
        &self.rule.named
    }

    /// How it fits a hook, if it does. Names from the environment are in capitals, with `_` for what a variable's name cannot hold.
    pub(crate) fn fits(&self, hook: Called<'_>) -> Option<Exactness> {
        if self.rule.named.kind.is_capitals() {
            let is = |name: &str| self.rule.named.text == env_form(name);
            let own = hook.names().any(is).then_some(Exactness::Name);
            let group = || hook.names().any(|name| is(name.split('.').next().unwrap_or(name)));
            return own.or_else(|| group().then_some(Exactness::Group));
        }
        let text = self.pattern.text();
        match () {
            () if hook.names().any(|name| name == text) => Some(Exactness::Name),
            () if !self.pattern.matches(hook) => None,
            () if self.pattern.is_glob() => Some(Exactness::Glob),
            () if self.pattern.names(hook) => Some(Exactness::Group),
            () => Some(Exactness::Package),
        }
    }

    /// Whether a hook of that group could be meant, whatever it is called.
    pub(crate) fn may_fit_in(&self, group: &str) -> bool {
        if !self.rule.named.kind.is_capitals() {
            return self.pattern.may_match_in(group);
        }
        let rest = self.rule.named.text.strip_prefix(&env_form(group));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    }

    /// Whether what it says means anything for such a hook.
    pub(crate) fn can_hold(&self, hook: &HookInfo) -> bool {
        match self.rule.says {
            Says::Tools(_) => hook.point.filters.contains(&"tools"),
            Says::Paths(_) => hook.point.filters.contains(&"paths"),
            Says::Timeout(_) => hook.placement != Placement::Inline || hook.kind == "async",
            Says::FailOpen(_) => is_gate(hook.point) && hook.placement != Placement::Background,
            _ => true,
        }
    }

    /// What it lacks where it holds for no hook that it fits, and whether that is a mistake or only odd.
    pub(crate) fn lacks(&self) -> (&'static str, bool) {
        match self.rule.says {
            Says::Tools(_) => ("no hook of that name is at a point that is about calls of tools", true),
            Says::Paths(_) => ("no hook of that name is at a point that is about files", true),
            Says::Timeout(_) => {
                ("no hook of that name can be cut off: plain functions in the chain cannot be", false)
            }
            _ => ("no hook of that name is a gate", false),
        }
    }
}

/// The rules that count for a hook, one a key.
pub(crate) fn of<'r>(rules: &'r [Operator], hook: &HookInfo) -> impl Iterator<Item = &'r Rule> {
    let mut chosen: BTreeMap<&'static str, (Exactness, &'r Rule)> = BTreeMap::new();
    for operator in rules {
        let Some(exactness) = operator.fits(Called::of(hook)) else { continue };
        // A group's filter holds where it can; that it can nowhere is told once, of the rule.
        let holds = operator.can_hold(hook);
        // As with an allowlist: only by its name is the host's way to ask spoken of, where it would ask no more.
        let silences = matches!(operator.rule.says, Says::Shadow(_) | Says::Tools(_) | Says::Paths(_));
        let spoken_of = !hook.confirmation || !silences || exactness >= Exactness::Group;
        let key = operator.rule.says.key();
        if holds && spoken_of && chosen.get(key).is_none_or(|(held, _)| exactness >= *held) {
            chosen.insert(key, (exactness, &operator.rule));
        }
    }
    chosen.into_values().map(|(_, rule)| rule)
}

/// Puts in place what the rules say of a hook.
pub(crate) fn apply(rules: &[Operator], hook: &mut HookInfo, options: &mut Options) {
    for rule in of(rules, &*hook).collect::<Vec<_>>() {
        match &rule.says {
            Says::Priority(priority) => hook.priority = *priority,
            Says::Before(names) => hook.before.clone_from(names),
            Says::After(names) => hook.after.clone_from(names),
            Says::Tools(globs) => hook.tools.clone_from(globs),
            Says::Paths(globs) => hook.paths.clone_from(globs),
            Says::Timeout(limit) => options.timeout = limit.map_or(Timeout::Never, Timeout::After),
            Says::Budget(budget) => hook.budget = Some(*budget),
            Says::Quarantine(most) => hook.quarantine = *most,
            Says::FailOpen(open) => hook.fail_open = *open,
            Says::Shadow(shadow) => hook.shadow = *shadow,
        }
        let (key, value) = (rule.says.key(), rule.says.shown());
        hook.ruled.push(Ruled { key, value, source: rule.named.source.clone() });
    }
}
