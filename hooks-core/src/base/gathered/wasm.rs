//! A list that a program fills before its `main`, where no linker can: each row hangs itself in.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The rows of one kind.
pub struct List<T: 'static> {
    last: Mutex<Option<&'static Node<T>>>,
    /// The same side by side, made when somebody first asks.
    all: OnceLock<Vec<T>>,
}

/// A row, and the one that came before it.
pub struct Node<T: 'static> {
    row: &'static T,
    before: OnceLock<&'static Node<T>>,
    /// A linker may write the calls that fill the lists into every exported function, so they may come again.
    is_in: AtomicBool,
}

impl<T> Node<T> {
    /// A row that is in no list yet.
    #[must_use]
    pub const fn new(row: &'static T) -> Self {
        Self { row, before: OnceLock::new(), is_in: AtomicBool::new(false) }
    }
}

impl<T> List<T> {
    pub(crate) const fn new() -> Self {
        Self { last: Mutex::new(None), all: OnceLock::new() }
    }

    /// Hangs a row in, once.
    pub fn add(&self, node: &'static Node<T>) {
        if !node.is_in.swap(true, Ordering::Relaxed) {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(before) = last.replace(node) {
                // Nobody else sets it: it is set once, by who put the node in.
                let _ = node.before.set(before);
            }
        }
    }
}

impl<T: Copy> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.all.get_or_init(|| {
            let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
            let nodes = std::iter::successors(last, |node| node.before.get().copied());
            nodes.map(|node| *node.row).collect()
        })
    }
}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Node<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").finish_non_exhaustive()
    }
}
