//! Hooks that are registered by hand, before a registry is built.

use std::any::TypeId;
use std::sync::Arc;

use crate::declared::entry::Hook;
use crate::declared::point::Point;
use crate::plain::report::Problem;

use super::gather::{Explicit, Gathering};
use super::settings::Declared;

/// Hooks that are registered by hand, by their points.
#[doc(hidden)]
#[derive(Default)]
pub struct ByHand {
    pub(super) hooks: Explicit,
    /// What they are called, and how else.
    pub(super) names: Vec<(String, &'static [&'static str])>,
    /// Gathers the hooks of each of their points.
    pub(super) points: Vec<fn(&mut Gathering<'_>)>,
    /// What cannot be registered.
    pub(super) refused: Vec<Problem>,
    /// The settings that they declare.
    pub(super) declared: Vec<Declared>,
}

impl ByHand {
    pub(crate) fn add<P: Point>(&mut self, hook: Hook<P>) {
        self.names.push((hook.name.clone(), hook.options.aliases));
        if let Some(settings) = &hook.settings {
            let group = hook.name.split('.').next().unwrap_or(&hook.name);
            self.declared.push((group.to_owned(), Arc::clone(settings)));
        }
        let hooks = self.hooks.entry(TypeId::of::<P>()).or_insert_with(|| Box::new(Vec::<Hook<P>>::new()));
        if let Some(hooks) = hooks.downcast_mut::<Vec<Hook<P>>>() {
            hooks.push(hook);
        }
        #[allow(clippy::redundant_closure_for_method_calls)] // the method itself is not general enough
        self.points.push(|gathering| gathering.add::<P>());
    }

    pub(crate) fn refuse(&mut self, problem: Problem) {
        self.refused.push(problem);
    }
}

impl std::fmt::Debug for ByHand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ByHand").field("names", &self.names).finish_non_exhaustive()
    }
}
