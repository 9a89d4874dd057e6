//! Switches: when a hook was switched off, whoever fires from then on knows, by whatever handle.

use std::sync::Arc;

use loom::thread::spawn;

use crate::model;
use crate::seen::Seen;
use crate::sync::{AtomicU64, Ordering};

/// One hook's switch, the count of changes of the program, and two handles that remember.
struct Hooks {
    on: AtomicU64,
    changes: AtomicU64,
    handles: [Seen; 2],
}

impl Hooks {
    fn new() -> Self {
        Self { on: AtomicU64::new(1), changes: AtomicU64::new(1), handles: [Seen::new(), Seen::new()] }
    }

    /// As `Switch::set` does.
    fn set(&self, on: bool) {
        self.on.store(on.into(), Ordering::Release);
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// As `Slots::all_on` does.
    fn is_on(&self, handle: usize) -> bool {
        let change = self.changes.load(Ordering::Acquire);
        self.handles[handle].is(change, || self.on.load(Ordering::Acquire) == 1)
    }
}

#[test]
fn whoever_fires_after_a_switch_knows() {
    model(|| {
        let hooks = Arc::new(Hooks::new());
        let threads: Vec<_> = (0..2)
            .map(|handle| {
                let hooks = Arc::clone(&hooks);
                spawn(move || hooks.is_on(handle))
            })
            .collect();
        hooks.set(false);
        assert!(!hooks.is_on(0), "who switched it off knows at once");
        threads.into_iter().for_each(|thread| drop(thread.join()));
        assert!(!hooks.is_on(0) && !hooks.is_on(1));
        hooks.set(true);
        assert!(hooks.is_on(0) && hooks.is_on(1));
    });
}
