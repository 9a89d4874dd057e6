//! The order in which the hooks of a point run: by priority and name, but for what `before` and `after` say.
//!
//! The hook that says so moves, and the one that it names stays where it is: `before` puts it directly before the earliest that it
//! names, `after` directly behind the latest, and one that stands right already does not move.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::base::nearest::is_slip;
use crate::machinery::config::Named;
use crate::plain::hook_info::HookInfo;
use crate::plain::report::{Problem, place};

use super::pattern::{Called, Pattern};

/// That one hook runs before another, because one of the two says so.
#[derive(Clone, Copy)]
struct Edge {
    first: usize,
    then: usize,
    /// Whether the first one says so, with `before`.
    before: bool,
}

/// The order in which hooks of one point run, as their numbers.
pub(super) fn order(hooks: &[Arc<HookInfo>]) -> Result<Vec<usize>, Problem> {
    let mut sorted: Vec<usize> = (0..hooks.len()).collect();
    sorted.sort_unstable_by_key(|at| (Reverse(hooks[*at].priority), &hooks[*at].name));
    if hooks.iter().all(|hook| hook.before.is_empty() && hook.after.is_empty()) {
        return Ok(sorted);
    }
    let edges = edges(hooks);
    let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
    let any = topological(hooks.len(), &edges, |at| Reverse(names[at]));
    if any.len() < hooks.len() {
        return Err(circle(hooks, &edges, &any));
    }
    // Where each stands by priority; then, behind those that it names; then, before those that it names, where they stand now.
    let mut own = vec![0; hooks.len()];
    sorted.iter().enumerate().for_each(|(rank, at)| own[*at] = rank);
    let mut ranks = own.clone();
    for at in &any {
        let named = edges.iter().filter(|edge| !edge.before && edge.then == *at);
        ranks[*at] = named.map(|edge| ranks[edge.first]).fold(ranks[*at], usize::max);
    }
    for at in any.iter().rev() {
        let named = edges.iter().filter(|edge| edge.before && edge.first == *at);
        ranks[*at] = named.map(|edge| ranks[edge.then]).fold(ranks[*at], usize::min);
    }
    Ok(topological(hooks.len(), &edges, |at| Reverse((ranks[at], own[at]))))
}

fn edges(hooks: &[Arc<HookInfo>]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (at, hook) in hooks.iter().enumerate() {
        for (list, before) in [(&hook.before, true), (&hook.after, false)] {
            for text in list {
                let pattern = Pattern::new(Named::new(text.as_str(), ""));
                let found = hooks.iter().enumerate().filter(|(other, named)| {
                    // Of its own group, or of a glob, it means the others; by its own name it can only mean itself.
                    (*other != at || hook.is_called(pattern.text())) && pattern.matches(Called::of(named))
                });
                edges.extend(found.map(|(other, _)| match before {
                    true => Edge { first: at, then: other, before },
                    false => Edge { first: other, then: at, before },
                }));
            }
        }
    }
    edges
}

/// An order that the edges allow: of all that could be next, always the one with the greatest key. What stands in a circle, or
/// behind one, is left out.
fn topological<K: Ord>(hooks: usize, edges: &[Edge], key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut waits = vec![0_usize; hooks];
    edges.iter().for_each(|edge| waits[edge.then] += 1);
    let mut free: BinaryHeap<(K, usize)> =
        (0..hooks).filter(|at| waits[*at] == 0).map(|at| (key(at), at)).collect();
    let mut done = Vec::with_capacity(hooks);
    while let Some((_, at)) = free.pop() {
        done.push(at);
        for edge in edges.iter().filter(|edge| edge.first == at) {
            waits[edge.then] -= 1;
            if waits[edge.then] == 0 {
                free.push((key(edge.then), edge.then));
            }
        }
    }
    done
}

/// The circle among the hooks that could not be put in order.
fn circle(hooks: &[Arc<HookInfo>], edges: &[Edge], done: &[usize]) -> Problem {
    let left = |at: usize| !done.contains(&at);
    // Each one that is left waits for another that is.
    let waits_for = |at: usize| {
        let held = edges.iter().filter(|edge| edge.then == at && left(edge.first));
        held.min_by_key(|edge| &hooks[edge.first].name)
    };
    let begin = (0..hooks.len()).filter(|at| left(*at)).min_by_key(|at| &hooks[*at].name);
    let mut walked: Vec<Edge> = Vec::new();
    let mut next = begin.and_then(waits_for);
    while let Some(edge) = next {
        if let Some(from) = walked.iter().position(|other| other.then == edge.then) {
            walked.drain(..from);
            break;
        }
        walked.push(*edge);
        next = waits_for(edge.first);
    }
    walked.reverse();
    if let Some(least) = (0..walked.len()).min_by_key(|at| &hooks[walked[*at].first].name) {
        walked.rotate_left(least);
    }
    let name = |at: usize| hooks[at].name.as_str();
    let mut round: Vec<&str> = walked.iter().map(|edge| name(edge.first)).collect();
    round.extend(walked.first().map(|edge| name(edge.first)));
    Problem::Circle {
        point: hooks.first().map_or("", |hook| hook.point.wire),
        circle: round.join(" → "),
        said: walked.iter().map(|edge| said(hooks, *edge)).collect::<Vec<_>>().join(", "),
    }
}

/// Who says so, and where.
fn said(hooks: &[Arc<HookInfo>], edge: Edge) -> String {
    let (hook, key) = if edge.before { (edge.first, "before") } else { (edge.then, "after") };
    let hook = &hooks[hook];
    let named = if edge.before { &hook.before } else { &hook.after };
    let named = named.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    format!("`{}` has `{key} = [{named}]` ({})", hook.name, said_at(hook, key))
}

/// Where a hook's order is said: in the configuration, or at the hook.
fn said_at(hook: &HookInfo, key: &str) -> String {
    hook.ruled(key).map_or_else(|| place(&hook.file, hook.line), str::to_owned)
}

/// Names in `before` and `after` that are nearly those of hooks. One that is nobody's is no mistake: a plugin may stand before
/// another that is not in every program.
pub(super) fn misspelt(
    selected: impl Iterator<Item = Arc<HookInfo>>,
    all: &[Called<'_>],
    elsewhere: &[String],
) -> Vec<Problem> {
    let mut odd = Vec::new();
    for info in selected {
        for (key, list) in [("before", &info.before), ("after", &info.after)] {
            for name in list.iter().filter(|name| !name.contains(['*', '?'])) {
                let pattern = Pattern::new(Named::new(name.as_str(), ""));
                if all.iter().any(|hook| pattern.matches(*hook))
                    || elsewhere.iter().any(|group| pattern.may_match_in(group))
                {
                    continue;
                }
                let slips = |known: &&str| is_slip(name, known);
                let groups = all.iter().filter_map(|hook| hook.name.split('.').next());
                let meant = all.iter().flat_map(|hook| hook.names()).chain(groups).filter(slips).min();
                odd.extend(meant.map(|meant| Problem::NothingToOrder {
                    hook: info.name.clone(),
                    place: said_at(&info, key),
                    key,
                    name: name.clone(),
                    nearest: format!(" (did you mean `{meant}`?)"),
                }));
            }
        }
    }
    odd
}
