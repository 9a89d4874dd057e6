//! Who watches: nobody in particular, and what the server keeps.

use std::mem::take;
use std::sync::{Mutex, PoisonError};

use hookspec::timeline::{Observer, Recorded};

/// Looks away.
#[derive(Debug)]
pub struct Nobody;

impl Observer for Nobody {
    fn record(&self, entry: Recorded) {
        drop(entry);
    }
}

/// As the server's `Record`, which is its own: entries wait in memory until somebody stores them.
#[derive(Debug, Default)]
pub struct Gathered(Mutex<Vec<Recorded>>);

impl Observer for Gathered {
    fn record(&self, entry: Recorded) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }
}

impl Gathered {
    /// Takes what is there once it is as much as the server keeps at most.
    pub fn empty_when_full(&self) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= 8_000 {
            drop(take(&mut *entries));
        }
    }
}
