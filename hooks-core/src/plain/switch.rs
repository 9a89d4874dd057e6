//! Switches: whether a selected hook runs, and how often it failed.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::plain::shadow::Counts;

/// How often anything was switched, registered or put in place of something in this program. Whoever keeps what follows from the
/// switches looks again when it has grown.
static CHANGES: AtomicU64 = AtomicU64::new(1);

#[inline]
pub(crate) fn changes() -> u64 {
    CHANGES.load(Ordering::Acquire)
}

/// Something was switched. Called after it was.
pub(crate) fn changed() {
    CHANGES.fetch_add(1, Ordering::AcqRel);
}

/// A selected hook's switch and its count of failures; shared by all registries that hold the hook.
#[derive(Debug)]
pub(crate) struct Switch {
    on: AtomicBool,
    quarantined: AtomicBool,
    failures: AtomicU32,
    /// What it said in shadow.
    pub(crate) shadowed: Counts,
}

impl Default for Switch {
    fn default() -> Self {
        Self {
            on: AtomicBool::new(true),
            quarantined: AtomicBool::new(false),
            failures: AtomicU32::new(0),
            shadowed: Counts::default(),
        }
    }
}

impl Switch {
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    pub(crate) fn is_quarantined(&self) -> bool {
        self.quarantined.load(Ordering::Acquire)
    }

    pub(crate) fn failures(&self) -> u32 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Switching a hook on again also lifts its quarantine.
    pub(crate) fn set(&self, on: bool) {
        if on {
            self.quarantined.store(false, Ordering::Release);
            self.failures.store(0, Ordering::Relaxed);
        }
        self.on.store(on, Ordering::Release);
        changed();
    }

    /// Another hook takes the place of this one: what that one did is not its fault. One that was switched off by
    /// somebody stays so.
    pub(crate) fn renew(&self) {
        if self.quarantined.swap(false, Ordering::AcqRel) {
            self.on.store(true, Ordering::Release);
        }
        self.failures.store(0, Ordering::Relaxed);
        self.shadowed.reset();
    }

    pub(crate) fn count_failure(&self) -> u32 {
        self.failures.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// Takes the hook out of service; `false` if it already was.
    pub(crate) fn quarantine(&self) -> bool {
        self.on.store(false, Ordering::Release);
        changed();
        !self.quarantined.swap(true, Ordering::AcqRel)
    }
}
