//! Hooks that come while the host runs: decided by the same rules as all, and again when the registry is swapped.

use std::any::TypeId;
use std::sync::Arc;

use crate::entry::Hook;
use crate::point::Point;

use super::aliases::group;
use super::gather::from_hook;
use super::live::LiveError;
use super::rules::{Candidate, Judged};
use super::{HookInfo, HookSlot, Registry, Slots};

/// A hook that came while the host ran, behind a pointer.
pub(super) trait Late: Send + Sync {
    fn info(&self) -> &HookInfo;
    /// Puts it into another registry: it replaces there what it was meant to replace, and gives way to a hook of its name
    /// that came with the registry.
    fn move_to(self: Arc<Self>, registry: &mut Registry) -> Result<(), LiveError>;
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
        registry.late.push(self);
        Ok(())
    }
}

/// Adds a hook to a registry that is not live yet.
pub(super) fn add<P: Point>(registry: &mut Registry, hook: Hook<P>, replaces: bool) -> Result<(), LiveError> {
    let late = LateHook { candidate: from_hook(hook), replaces };
    put(registry, &late)?;
    let name = &late.candidate.info.name;
    registry.late.retain(|held| held.info().point.wire != P::INFO.wire || held.info().name != *name);
    registry.late.push(Arc::new(late));
    Ok(())
}

fn put<P: Point>(registry: &mut Registry, late: &LateHook<P>) -> Result<(), LiveError> {
    let mut candidate = late.candidate.clone();
    // A name that another group has is that group's, also where that came late.
    let HookInfo { name, aliases, .. } = &mut candidate.info;
    let own = group(name);
    aliases.retain(|alias| {
        let of = group(alias);
        of == own || !registry.late.iter().any(|held| held.info().group() == of)
    });
    let Judged { hook, problem, dead } = registry.rules.judge(candidate, None);
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
        Some(problem) if registry.rules.strict => return Err(LiveError::Refused(problem)),
        dead => registry.report.warnings.extend(dead),
    }
    let held: Option<HookSlot<P>> = held.map(|at| hooks.remove(at));
    let off = Arc::make_mut(&mut registry.off);
    off.retain(|(info, _)| !is_same(info));
    match hook {
        Ok(mut slot) => {
            if let Some(held) = held {
                // Kept handles, which still have the one before, see the same switch.
                held.switch.renew();
                slot.switch = held.switch;
            }
            hooks.push(slot);
        }
        Err(off_because) => {
            if let Some(held) = held {
                held.switch.set(false);
            }
            off.push(off_because);
        }
    }
    registry.points.insert(TypeId::of::<P>(), Arc::new(Slots::new(hooks)));
    Ok(())
}
