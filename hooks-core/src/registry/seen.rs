//! What follows from the switches of some hooks, remembered until any switch of the program changes.

use crate::base::sync::{AtomicU64, Ordering};

/// After which change it was looked up, and what was seen: one word, so that both are of one moment.
pub(crate) struct Seen(AtomicU64);

impl Seen {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// What `look` sees, asked again after each change. `change` was counted before this is called, and whoever changes something
    /// counts it afterwards: so what is remembered under a number is never older than that change.
    #[inline]
    pub(crate) fn is(&self, change: u64, look: impl FnOnce() -> bool) -> bool {
        let seen = self.0.load(Ordering::Relaxed);
        if seen >> 1 == change { seen & 1 == 1 } else { self.remember(change, look()) }
    }

    #[cold]
    fn remember(&self, change: u64, seen: bool) -> bool {
        self.0.store(change << 1 | u64::from(seen), Ordering::Relaxed);
        seen
    }
}
