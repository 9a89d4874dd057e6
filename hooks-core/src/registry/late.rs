//! Hooks that come while the host runs: decided by the same rules as all, and again when the registry is swapped.

use std::any::TypeId;
use std::sync::Arc;

use crate::declared::entry::Hook;
use crate::declared::point::Point;
use crate::plain::hook_info::HookInfo;
use crate::registry::live_error::LiveError;
use crate::set::Registry;

use super::aliases::group;
use super::gather::from_hook;
use super::rules::{Candidate, Judged};
use super::{HookSlot, Slots};

/// A hook that came while the host ran, behind a pointer.
pub(super) trait Late: Send + Sync {
    fn info(&self) -> &HookInfo;
    /// Puts it into another registry: it replaces there what it was meant to replace, and gives way to a hook of its name
    /// that came with the registry.
    fn move_to(self: Arc<Self>, registry: &mut Registry) -> Result<(), LiveError>;
}

/// What a registry holds of them, in the order in which they came.
type Held = Vec<Arc<dyn Late>>;

/// Those of a registry.
pub(super) fn all(registry: &Registry) -> &[Arc<dyn Late>] {
    registry.kept::<Held>().map_or(&[], Vec::as_slice)
}

fn keep(registry: &mut Registry, those: impl Fn(&HookInfo) -> bool) {
    let held: Held = all(registry).iter().filter(|held| those(held.info())).map(Arc::clone).collect();
    registry.keep(held);
}

fn hold(registry: &mut Registry, late: Arc<dyn Late>) {
    let held: Held = all(registry).iter().map(Arc::clone).chain([late]).collect();
    registry.keep(held);
}

/// Those that go by that full name come no more.
pub(super) fn forget(registry: &mut Registry, name: &str) {
    keep(registry, |held| !held.is_called(name));
}

struct LateHook<P: Point> {
    candidate: Candidate<P>,
    replaces: bool,
}

impl<P: Point> Late for LateHook<P> {
    fn info(&self) -> &HookInfo {
        &self.candidate.info
    }

    fn move_to(self: Arc<Self>, registry: &mut Registry) -> Result<(), LiveError> {
        put(registry, &self)?;
        hold(registry, self);
        Ok(())
    }
}

/// Adds a hook to a registry that is not live yet.
pub(super) fn add<P: Point>(registry: &mut Registry, hook: Hook<P>, replaces: bool) -> Result<(), LiveError> {
    let late = LateHook { candidate: from_hook(hook), replaces };
    put(registry, &late)?;
    let name = &late.candidate.info.name;
    keep(registry, |held| held.point.wire != P::INFO.wire || held.name != *name);
    hold(registry, Arc::new(late));
    Ok(())
}

fn put<P: Point>(registry: &mut Registry, late: &LateHook<P>) -> Result<(), LiveError> {
    let mut candidate = late.candidate.clone();
    // A name that another group has is that group's, also where that came late.
    let HookInfo { name, aliases, .. } = &mut candidate.info;
    let own = group(name);
    aliases.retain(|alias| {
        let of = group(alias);
        of == own || !all(registry).iter().any(|held| held.info().group() == of)
    });
    let Judged { hook, problem, dead, odd } = registry.rules().judge(candidate, None);
    if let Some(problem) = problem {
        return Err(LiveError::Refused(problem));
    }
    let name = &late.candidate.info.name;
    let mut hooks = registry.find::<P>().map_or_else(Vec::new, |handle| handle.0.hooks.to_vec());
    let held = hooks.iter().position(|held| held.info.name == *name);
    let is_same = |info: &HookInfo| info.point.wire == P::INFO.wire && info.name == *name;
    let is_off = registry.off.iter().any(|(info, _)| is_same(info));
    if (held.is_some() || is_off) && !late.replaces {
        return Err(LiveError::Taken { name: name.clone(), point: P::INFO.wire });
    }
    match dead {
        Some(problem) if registry.rules().strict => return Err(LiveError::Refused(problem)),
        dead => registry.report.warnings.extend(dead.into_iter().chain(odd)),
    }
    let held: Option<HookSlot<P>> = held.map(|at| hooks.remove(at));
    let off_because = match (hook, &held) {
        (Ok(mut slot), held) => {
            if let Some(held) = held {
                // Kept handles, which still have the one before, see the same switch.
                slot.switch = Arc::clone(&held.switch);
            }
            hooks.push(slot);
            None
        }
        (Err(off_because), _) => Some(off_because),
    };
    let slots = match Slots::ordered(hooks) {
        (slots, None) => slots,
        (_, Some(circle)) => return Err(LiveError::Refused(circle)),
    };
    // Nothing is refused any more; what is shared with the registry before changes only now.
    if let Some(held) = held {
        if off_because.is_some() { held.switch.set(false) } else { held.switch.renew() }
    }
    let off = Arc::make_mut(&mut registry.off);
    off.retain(|(info, _)| !is_same(info));
    off.extend(off_because);
    registry.points.insert(TypeId::of::<P>(), Arc::new(slots));
    Ok(())
}
