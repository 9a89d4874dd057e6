//! Live hooks: a registry that a running host can swap for another.

use std::any::TypeId;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use crate::background::Background;
use crate::entry::Hook;
use crate::point::Point;
use crate::spawn::{Spawn, Threads};

use super::gather::slot_of;
use super::{AnySlots, HookRow, Registry, Slots};

/// The hooks of a running host: a shared handle on the current [`Registry`].
///
/// Switching a hook on or off is an atomic of its own. Registering and unregistering build the next
/// registry and swap it in; points that are being fired finish with the one they began with.
#[derive(Clone)]
pub struct Hooks(Arc<Inner>);

struct Inner {
    current: ArcSwap<Registry>,
    /// Held by writers only; readers load `current`.
    writing: Mutex<()>,
    spawn: Arc<dyn Spawn>,
    background: Background,
}

/// A change to live hooks that cannot be made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The name is taken.
    #[error("a hook called `{name}` is already registered at `{point}`; unregister it, or use `replace`")]
    Taken {
        /// The name.
        name: String,
        /// The point.
        point: &'static str,
    },
    /// There is no such hook.
    #[error("no selected hook is called `{name}`{nearest}")]
    Unknown {
        /// The name.
        name: String,
        /// Similar names.
        nearest: String,
    },
}

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
            current: ArcSwap::from_pointee(registry),
            writing: Mutex::new(()),
            spawn,
            background,
        }))
    }

    /// The registry as it is now.
    #[must_use]
    pub fn load(&self) -> Arc<Registry> {
        self.0.current.load_full()
    }

    /// Every hook that was found, and whether it runs.
    #[must_use]
    pub fn list(&self) -> Vec<HookRow> {
        self.load().list()
    }

    /// Switches every hook of that full name off. It stays registered.
    ///
    /// # Errors
    /// If there is none.
    pub fn disable(&self, name: &str) -> Result<(), LiveError> {
        self.switch(name, false)
    }

    /// Switches every hook of that full name on; lifts a quarantine.
    ///
    /// # Errors
    /// If there is none.
    pub fn enable(&self, name: &str) -> Result<(), LiveError> {
        self.switch(name, true)
    }

    fn switch(&self, name: &str, on: bool) -> Result<(), LiveError> {
        let _writing = self.0.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let registry = self.load();
        if registry.switch(name, on) == 0 { Err(unknown(&registry, name)) } else { Ok(()) }
    }

    /// Adds a hook.
    ///
    /// # Errors
    /// If the point already has a hook of that name.
    pub fn register<P: Point>(&self, hook: Hook<P>) -> Result<(), LiveError> {
        self.put(hook, false)
    }

    /// Adds a hook in place of the one of the same name at this point, if there is one.
    pub fn replace<P: Point>(&self, hook: Hook<P>) {
        // With `replace` set there is no way to fail.
        let _ = self.put(hook, true);
    }

    fn put<P: Point>(&self, hook: Hook<P>, replace: bool) -> Result<(), LiveError> {
        let _writing = self.0.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let registry = self.load();
        let slot = slot_of(hook);
        let mut hooks = registry.find::<P>().map_or_else(Vec::new, |handle| handle.0.hooks.to_vec());
        match hooks.iter_mut().find(|held| held.info.name == slot.info.name) {
            Some(held) if replace => *held = slot,
            Some(_) => {
                return Err(LiveError::Taken { name: slot.info.name.clone(), point: P::INFO.wire });
            }
            None => hooks.push(slot),
        }
        let mut next = registry.copied();
        next.points.insert(TypeId::of::<P>(), Arc::new(Slots::new(hooks)));
        self.0.current.store(Arc::new(next));
        Ok(())
    }

    /// Removes every hook of that full name.
    ///
    /// # Errors
    /// If there is none.
    pub fn unregister(&self, name: &str) -> Result<(), LiveError> {
        let _writing = self.0.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let registry = self.load();
        let mut next = registry.copied();
        let mut removed = false;
        for slots in next.points.values_mut() {
            if let Some(left) = AnySlots::without(&**slots, name) {
                *slots = left;
                removed = true;
            }
        }
        if !removed {
            return Err(unknown(&registry, name));
        }
        self.0.current.store(Arc::new(next));
        Ok(())
    }

    /// How many runs of background hooks were dropped because their queue was full.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.0.background.dropped()
    }

    /// How long a session's end waits for background hooks, by the configuration.
    #[must_use]
    pub fn drain_time(&self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0.background.settings().drain_ms)
    }

    pub(crate) fn spawn(&self) -> &dyn Spawn {
        &*self.0.spawn
    }

    pub(crate) fn background(&self) -> &Background {
        &self.0.background
    }
}

fn unknown(registry: &Registry, name: &str) -> LiveError {
    let rows = registry.list();
    let known = rows.iter().map(|row| row.info.name.as_str());
    LiveError::Unknown { name: name.to_owned(), nearest: super::nearest(name, known) }
}

impl Registry {
    fn copied(&self) -> Self {
        Self {
            points: self.points.clone(),
            off: Arc::clone(&self.off),
            settings: self.settings.clone(),
            shown_settings: Arc::clone(&self.shown_settings),
            tools: self.tools.clone(),
            report: self.report.clone(),
            config: Arc::clone(&self.config),
        }
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
