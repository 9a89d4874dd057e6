//! Live hooks: a registry that a running host can swap for another.

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;

use crate::background::Background;
use crate::entry::Hook;
use crate::point::Point;
use crate::spawn::{Spawn, Threads};

use super::info::changed;
use super::report::Problem;
use super::{AnySlots, HookRow, Registry, Switch, late};

/// The hooks of a running host: a shared handle on the current [`Registry`].
///
/// Switching a hook on or off is an atomic of its own. Registering, replacing, unregistering and [`swap`](Self::swap) put
/// another registry in place; points that are being fired finish with the one they began with. Nobody who fires waits for
/// any of this.
#[derive(Clone)]
pub struct Hooks(Arc<Inner>);

struct Inner {
    current: ArcSwap<Registry>,
    /// Held by writers only; readers load `current`.
    writing: Mutex<Switches>,
    spawn: Arc<dyn Spawn>,
    background: Background,
}

/// The switches of hooks that a swap took away, in case that a later one brings them back.
type Switches = HashMap<TypeId, HashMap<String, Arc<Switch>>>;

/// A change to live hooks that cannot be made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The name is taken.
    #[error("there is a hook called `{name}` at `{point}` already; unregister it, or use `replace`")]
    Taken {
        /// The name.
        name: String,
        /// The point.
        point: &'static str,
    },
    /// There is no such hook.
    #[error("no hook is called `{name}`{nearest}")]
    Unknown {
        /// The name.
        name: String,
        /// Similar names.
        nearest: String,
    },
    /// The hook is there, and was not selected.
    #[error(
        "the hook `{name}` was not selected ({why}), so that it cannot be switched; change what decided that"
    )]
    Off {
        /// The name.
        name: String,
        /// What decided.
        why: String,
    },
    /// The host cannot run such a hook.
    #[error(transparent)]
    Refused(Problem),
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
            writing: Mutex::default(),
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
        let mut rows = self.load().list();
        for row in &mut rows {
            row.dropped = self.0.background.drops_of(&row.info);
        }
        rows
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
        let _writing = self.writing();
        let registry = self.load();
        if registry.switch(name, on) > 0 {
            return Ok(());
        }
        let off = registry.off.iter().find(|(info, _)| info.is_called(name));
        Err(off.map_or_else(
            || unknown(&registry, name),
            |(info, why)| LiveError::Off { name: info.name.clone(), why: why.clone() },
        ))
    }

    fn writing(&self) -> MutexGuard<'_, Switches> {
        self.0.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a hook.
    ///
    /// The registry's lists, modes and priorities decide about it as about those it was built with: a hook that they
    /// leave out is listed as off, with the reason, and does not run.
    ///
    /// ```
    /// use hookspec::{Hook, Hooks, Registry, points::STEP_POST};
    ///
    /// let hooks = Hooks::new(Registry::builder().build()?);
    /// hooks.register(Hook::new(STEP_POST, "notes.step", |_, _| ()))?;
    /// assert!(hooks.register(Hook::new(STEP_POST, "notes.step", |_, _| ())).is_err(), "the name is taken");
    /// hooks.replace(Hook::new(STEP_POST, "notes.step", |_, _| ()))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the point already has a hook of that name, on or off; if it is an async hook and the host a sync one; if it can
    /// never run and the host is strict.
    pub fn register<P: Point>(&self, hook: Hook<P>) -> Result<(), LiveError> {
        self.put(hook, false)
    }

    /// Adds a hook in place of the one of the same name at this point, if there is one. A quarantine is lifted; one that
    /// was switched off stays so. A [`Handle`](crate::Handle) that was kept still runs the one before.
    ///
    /// # Errors
    /// If the host cannot run it, as for [`register`](Self::register).
    pub fn replace<P: Point>(&self, hook: Hook<P>) -> Result<(), LiveError> {
        self.put(hook, true)
    }

    fn put<P: Point>(&self, hook: Hook<P>, replaces: bool) -> Result<(), LiveError> {
        let _writing = self.writing();
        let registry = self.load();
        let mut next = registry.copied();
        late::add(&mut next, hook, replaces)?;
        self.0.current.store(Arc::new(next));
        changed();
        Ok(())
    }

    /// Removes every hook that goes by that full name, on or off. A [`Handle`](crate::Handle) that was kept does not run it
    /// any more either.
    ///
    /// # Errors
    /// If there is none.
    pub fn unregister(&self, name: &str) -> Result<(), LiveError> {
        let mut writing = self.writing();
        let registry = self.load();
        let mut next = registry.copied();
        let found = registry.points.values().flat_map(|slots| slots.rows());
        let found: Vec<_> = found.filter(|(info, _)| info.is_called(name)).collect();
        let off = Arc::make_mut(&mut next.off);
        let before = off.len();
        off.retain(|(info, _)| !info.is_called(name));
        if found.is_empty() && off.len() == before {
            return Err(unknown(&registry, name));
        }
        for slots in next.points.values_mut() {
            if let Some(left) = AnySlots::without(&**slots, name) {
                *slots = left;
            }
        }
        next.late.retain(|held| !held.info().is_called(name));
        for switches in writing.values_mut() {
            switches.remove(name);
        }
        self.0.current.store(Arc::new(next));
        for (_, switch) in found {
            switch.set(false);
        }
        changed();
        Ok(())
    }

    /// Puts a newly built registry in place, as after a change of the configuration.
    ///
    /// What is being fired ends on the one before, as does a [`Handle`](crate::Handle) that was kept; states of sessions
    /// stay. A hook that was switched off or is quarantined stays so where the new registry has it too, now or after a later
    /// swap. Hooks that were registered meanwhile stay, and the new lists decide about them: what was put in place of
    /// another is so again, and what was only added gives way to a hook of its name that the new registry brings itself.
    /// One that was unregistered is there again if the new registry has it: its lists are the place to leave it out. How
    /// background work is queued stays as it was when this was made.
    ///
    /// ```
    /// use hookspec::{Config, Hook, Hooks, Registry, points::STEP_POST};
    ///
    /// let built = |file: &str| {
    ///     let mut config = Config::new();
    ///     config.add_toml("hookspec.toml", file, &[])?;
    ///     Ok::<_, Box<dyn std::error::Error>>(Registry::builder().config(config).build()?)
    /// };
    /// let hooks = Hooks::new(built("")?);
    /// hooks.register(Hook::new(STEP_POST, "notes.step", |_, _| ()))?;
    /// hooks.swap(built("[hooks]\ndisable = ['notes']")?);
    /// assert_eq!(hooks.list().into_iter().find(|row| row.info.name == "notes.step").map(|row| row.on), Some(false));
    /// hooks.swap(built("")?);
    /// assert_eq!(hooks.load().handle(STEP_POST).names(), ["notes.step"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn swap(&self, registry: Registry) {
        let mut writing = self.writing();
        let (old, mut next) = (self.load(), registry);
        for hook in &old.late {
            match Arc::clone(hook).move_to(&mut next) {
                Ok(()) => {}
                Err(error @ LiveError::Taken { .. }) => {
                    tracing::info!(%error, "the hook that was registered meanwhile gives way to the new one");
                }
                Err(error) => tracing::warn!(%error, "a hook that was registered meanwhile is left out"),
            }
        }
        for (point, slots) in &old.points {
            let rows = slots.rows().into_iter();
            let switches = rows.map(|(info, switch)| (info.name.clone(), switch));
            writing.entry(*point).or_default().extend(switches);
        }
        for (point, slots) in &mut next.points {
            let Some(held) = writing.get_mut(point) else { continue };
            if let Some(adopted) = AnySlots::with_switches(&**slots, held) {
                *slots = adopted;
            }
            for (info, _) in slots.rows() {
                held.remove(&info.name);
            }
        }
        self.0.current.store(Arc::new(next));
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
    pub(crate) fn borrow(&self) -> arc_swap::Guard<Arc<Registry>> {
        self.0.current.load()
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
    let known =
        rows.iter().flat_map(|row| [&row.info.name].into_iter().chain(&row.info.aliases)).map(String::as_str);
    LiveError::Unknown { name: name.to_owned(), nearest: super::nearest(name, known) }
}

impl Registry {
    fn copied(&self) -> Self {
        Self {
            points: self.points.clone(),
            off: Arc::clone(&self.off),
            settings: self.settings.clone(),
            states: self.states.clone(),
            shown_settings: Arc::clone(&self.shown_settings),
            tools: self.tools.clone(),
            report: self.report.clone(),
            config: Arc::clone(&self.config),
            rules: Arc::clone(&self.rules),
            late: self.late.clone(),
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
