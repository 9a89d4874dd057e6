//! Live hooks: a registry that a running host can swap for another.

use std::sync::Arc;

use crate::base::nearest::nearest;
use crate::declared::entry::Hook;
use crate::declared::point::Point;
use crate::set::{AnySlots, Hooks, Registry};

#[cfg(feature = "live")]
use super::late;
use super::live_error::LiveError;

impl Hooks {
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
}

#[cfg(feature = "live")]
impl Hooks {
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
    /// was switched off stays so. A [`Handle`](crate::registry::Handle) that was kept still runs the one before.
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
        self.put_in_place(next);
        Ok(())
    }

    /// Removes every hook that goes by that full name, on or off. A [`Handle`](crate::registry::Handle) that was kept does not run it
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
        late::forget(&mut next, name);
        for switches in writing.values_mut() {
            switches.remove(name);
        }
        self.put_in_place(next);
        for (_, switch) in found {
            switch.set(false);
        }
        Ok(())
    }

    /// Puts a newly built registry in place, as after a change of the configuration.
    ///
    /// What is being fired ends on the one before, as does a [`Handle`](crate::registry::Handle) that was kept; states of sessions
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
        for hook in late::all(&old) {
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
        self.put_in_place(next);
    }
}

fn unknown(registry: &Registry, name: &str) -> LiveError {
    let rows = registry.list();
    let known =
        rows.iter().flat_map(|row| [&row.info.name].into_iter().chain(&row.info.aliases)).map(String::as_str);
    LiveError::Unknown { name: name.to_owned(), nearest: nearest(name, known) }
}
