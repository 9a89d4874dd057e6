//! Allowlists that were written for other systems.

use crate::base::nearest::nearest;
use crate::declared::tool::linked_tools;
use crate::machinery::config::Named;
use crate::plain::point_info::PointInfo;
use crate::plain::report::Problem;

use super::pattern::{Called, Pattern};

/// What is wrong with a list in which no name is known here; nothing where one is.
///
/// `names` are the hooks' with their aliases, `packages` those that hooks come from.
pub(super) fn unknown_list(
    list: &[Named],
    names: &[(String, &'static [&'static str])],
    packages: impl Iterator<Item = &'static str>,
    with_tools: bool,
) -> Option<Problem> {
    let aliases = names.iter().flat_map(|(name, aliases)| super::aliases::expand(name, aliases));
    let mut known: Vec<String> = names.iter().map(|(name, _)| name.clone()).chain(aliases).collect();
    let tools = if with_tools { linked_tools() } else { &[] };
    known.extend(tools.iter().map(|tool| format!("tool.{}", tool.name)));
    let packages: Vec<&str> = packages.chain(tools.iter().map(|tool| tool.package)).collect();
    let is_known = |named: &Named| {
        let pattern = Pattern::allowing(named.clone());
        known.iter().any(|name| pattern.matches(Called { name, aliases: &[], package: "" }))
            || packages.contains(&pattern.text())
    };
    let first = list.first().filter(|_| !list.iter().any(is_known))?;
    let groups = known.iter().filter_map(|name| name.split('.').next());
    let all = || known.iter().map(String::as_str).chain(groups.clone());
    let said: Vec<_> = list
        .iter()
        .map(|named| format!("`{}`{}", named.text, nearest(named.text.trim_start_matches('+'), all())))
        .collect();
    Some(Problem::ForeignList { variable: first.source.clone(), names: said.join(", ") })
}

/// Whether a hook there may stop what is about to happen.
pub(super) fn is_gate(point: &PointInfo) -> bool {
    point.verdict.split(" + ").any(|part| part == "Gate")
}
