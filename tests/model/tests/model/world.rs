//! What the hooks of a case share, and what of theirs breaks.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use hookspec::Session;

use crate::case::{At, Broken, Case, Desc, Kind, Step};
use crate::seen::{Out, Told};

/// What hooks of a case share, lent to them by the session.
#[derive(Default)]
pub struct World {
    pub case: Case,
    runs: Mutex<BTreeMap<usize, u32>>,
    pub fires: Mutex<Vec<Out>>,
    pub told: Mutex<Vec<Told>>,
    released: (Mutex<bool>, Condvar),
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn world(session: &Session) -> Arc<World> {
    session.extension().unwrap()
}

pub fn note(session: &Session, out: Out) {
    lock(&world(session).fires).push(out);
}

impl World {
    pub fn of(case: Case) -> Arc<Self> {
        Arc::new(Self { case, ..Self::default() })
    }

    /// The hook of that number, and what it does this time.
    pub fn begin(&self, uid: usize) -> (&Desc, Vec<Step>, Bomb) {
        let desc = &self.case.hooks[uid];
        let mut runs = lock(&self.runs);
        let nth = runs.entry(uid).or_default();
        let begun = (desc, desc.script(*nth), Bomb(desc.drops_badly(*nth)));
        *nth += 1;
        begun
    }

    /// The hook that a `#[hook]` function stands for.
    pub fn linked(&self, at: At, kind: Kind) -> usize {
        let uses = |desc: &&Desc| desc.at == at && desc.kind == kind;
        self.case.hooks.iter().find(uses).unwrap().uid
    }

    /// Holds this thread until the case is over.
    pub fn hang(&self) {
        let mut released = lock(&self.released.0);
        while !*released {
            released = self.released.1.wait(released).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub fn release(&self) {
        *lock(&self.released.0) = true;
        self.released.1.notify_all();
    }
}

/// Panics when dropped, if it is a live one.
pub struct Bomb(pub bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0 && !std::thread::panicking() {
            panic!("model: drop");
        }
    }
}

#[derive(Debug)]
pub struct Odd(pub Broken);

impl std::fmt::Display for Odd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        assert!(self.0 != Broken::Display, "model: display");
        f.write_str("model: error")
    }
}
impl std::error::Error for Odd {}
impl Drop for Odd {
    fn drop(&mut self) {
        assert!(self.0 != Broken::Drop || std::thread::panicking(), "model: drop of an error");
    }
}
