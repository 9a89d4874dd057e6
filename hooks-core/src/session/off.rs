//! Hooks that are switched off for one session.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::by_type::Id;
use crate::plain::switch::changes;
use crate::set::Hooks;

/// Their names, and roughly at which points they are, so that other points pay nothing.
pub(super) struct Off {
    names: Mutex<Arc<BTreeSet<String>>>,
    /// A bit for each point at which one of them is, by the hash of its type.
    points: AtomicU64,
    /// After which change of the program's hooks that was looked up; 0: not yet.
    seen: AtomicU64,
}

fn bit(point: TypeId) -> u64 {
    1 << (BuildHasherDefault::<Id>::default().hash_one(point) % 64)
}

impl Off {
    pub(super) fn new(names: BTreeSet<String>) -> Self {
        Self { names: Mutex::new(Arc::new(names)), points: AtomicU64::new(0), seen: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Arc<BTreeSet<String>>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Switches these; whether any hook is off then.
    pub(super) fn set(&self, hooks: Vec<String>, on: bool) -> bool {
        let mut held = self.lock();
        let names = Arc::make_mut(&mut held);
        for hook in hooks {
            if on {
                names.remove(&hook);
            } else {
                names.insert(hook);
            }
        }
        self.seen.store(0, Ordering::Release);
        !names.is_empty()
    }

    pub(super) fn names(&self) -> Option<Arc<BTreeSet<String>>> {
        let names = Arc::clone(&self.lock());
        (!names.is_empty()).then_some(names)
    }

    /// Whether one of them is at this point, or at another whose bit is the same.
    pub(super) fn is_at(&self, point: TypeId, hooks: &Hooks) -> bool {
        let change = changes();
        if self.seen.load(Ordering::Acquire) != change {
            self.look(change, hooks);
        }
        self.points.load(Ordering::Relaxed) & bit(point) != 0
    }

    #[cold]
    fn look(&self, change: u64, hooks: &Hooks) {
        let held = self.lock();
        let registry = hooks.load();
        let listens =
            |slots: &dyn crate::set::AnySlots| slots.rows().iter().any(|(info, _)| held.contains(&info.name));
        let points = registry.points.iter().filter(|(_, slots)| listens(&***slots));
        let points = points.map(|(point, _)| bit(*point)).fold(0, |all, bit| all | bit);
        self.points.store(points, Ordering::Relaxed);
        self.seen.store(change, Ordering::Release);
    }
}
