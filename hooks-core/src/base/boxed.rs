//! Futures and errors behind a pointer.

use std::pin::Pin;

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Any error a hook may return.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
