//! One value from one thread to one future.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::base::sync::{Mutex, lock};

use super::wakers::{forget, wake};

/// One value from one thread to one future.
pub(crate) struct Oneshot<T>(Mutex<Inner<T>>);

struct Inner<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

impl<T> Oneshot<T> {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Inner { value: None, waker: None })))
    }

    /// Sends a value; of several the first that is taken counts.
    pub(crate) fn send(&self, value: T) {
        let mut inner = lock(&self.0);
        let old = inner.value.replace(value);
        let waker = inner.waker.take();
        drop(inner);
        if let Some(waker) = waker {
            wake(waker);
        }
        forget(old);
    }

    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<T> {
        let waker = cx.waker().clone();
        let mut inner = lock(&self.0);
        let polled = inner.value.take();
        // Neither an old waker nor a new one is dropped under the lock.
        let old = if polled.is_none() { inner.waker.replace(waker) } else { inner.waker.take() };
        drop(inner);
        forget(old);
        polled.map_or(Poll::Pending, Poll::Ready)
    }
}
