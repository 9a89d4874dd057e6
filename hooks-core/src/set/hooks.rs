//! Live hooks: a shared handle on the registry of a running host, which can be swapped for another.

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(feature = "live")]
use arc_swap::{ArcSwap, Guard};

use crate::machinery::background::Background;
use crate::machinery::spawn::{Spawn, Threads};
use crate::plain::hook_info::HookRow;
use crate::plain::switch::Switch;
#[cfg(feature = "live")]
use crate::plain::switch::changed;

use super::Registry;

/// The hooks of a running host: a shared handle on the current [`Registry`].
///
/// Switching a hook on or off is an atomic of its own. Registering, replacing, unregistering and [`swap`](Self::swap) put
/// another registry in place; points that are being fired finish with the one they began with. Nobody who fires waits for
/// any of this.
#[derive(Clone)]
pub struct Hooks(Arc<Inner>);

struct Inner {
    current: Current,
    /// Held by writers only; readers load `current`.
    writing: Mutex<Switches>,
    spawn: Arc<dyn Spawn>,
    background: Background,
}

/// The registry as it is now, and for good without the feature `live`.
#[cfg(feature = "live")]
struct Current(ArcSwap<Registry>);

#[cfg(feature = "live")]
impl Current {
    fn new(registry: Registry) -> Self {
        Self(ArcSwap::from_pointee(registry))
    }

    fn whole(&self) -> Arc<Registry> {
        self.0.load_full()
    }

    #[inline]
    fn borrow(&self) -> Guard<Arc<Registry>> {
        self.0.load()
    }
}

/// The registry as it is now, and for good without the feature `live`.
#[cfg(not(feature = "live"))]
struct Current(Arc<Registry>);

#[cfg(not(feature = "live"))]
impl Current {
    fn new(registry: Registry) -> Self {
        Self(Arc::new(registry))
    }

    fn whole(&self) -> Arc<Registry> {
        Arc::clone(&self.0)
    }

    #[inline]
    fn borrow(&self) -> &Arc<Registry> {
        &self.0
    }
}

/// The switches of hooks that a swap took away, in case that a later one brings them back.
pub(crate) type Switches = HashMap<TypeId, HashMap<String, Arc<Switch>>>;

impl Hooks {
    /// Makes a registry live, with plain threads for background and blocking hooks.
    #[must_use]
    pub fn new(registry: Registry) -> Self {
        Self::with_spawn(registry, Arc::new(Threads::default()))
    }

    /// Makes a registry live on the host's own threads and timers.
    #[must_use]
    pub fn with_spawn(registry: Registry, spawn: Arc<dyn Spawn>) -> Self {
        let background = Background::new(registry.config.background, Arc::clone(&spawn));
        Self(Arc::new(Inner {
            current: Current::new(registry),
            writing: Mutex::default(),
            spawn,
            background,
        }))
    }

    /// The registry as it is now.
    #[must_use]
    pub fn load(&self) -> Arc<Registry> {
        self.0.current.whole()
    }

    /// Every hook that was found, and whether it runs.
    #[must_use]
    pub fn list(&self) -> Vec<HookRow> {
        let mut rows = self.load().list();
        for row in &mut rows {
            row.dropped = self.0.background.drops_of(&row.info);
        }
        rows
    }

    /// Whoever changes something holds this, and so is alone.
    pub(crate) fn writing(&self) -> MutexGuard<'_, Switches> {
        self.0.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a registry in place of the current one.
    #[cfg(feature = "live")]
    pub(crate) fn put_in_place(&self, registry: Registry) {
        self.0.current.0.store(Arc::new(registry));
        changed();
    }

    /// How many runs of background hooks were dropped because their queue was full.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.0.background.drops()
    }

    /// How long a session's end waits for background hooks, by the configuration.
    #[must_use]
    pub fn drain_time(&self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0.background.settings().drain_ms)
    }

    /// The current registry for a moment on this thread.
    #[inline]
    pub(crate) fn borrow(&self) -> impl Deref<Target = Arc<Registry>> + use<'_> {
        self.0.current.borrow()
    }

    pub(crate) fn spawn(&self) -> &dyn Spawn {
        &*self.0.spawn
    }

    pub(crate) fn background(&self) -> &Background {
        &self.0.background
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks")
            .field("registry", &self.load())
            .field("background", &self.0.background)
            .finish_non_exhaustive()
    }
}
