//! Interrupts: the one way to cut short what a session is doing.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use serde::{Deserialize, Serialize};

/// Why something was cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum InterruptReason {
    /// The user asked for it (Ctrl-C, a click).
    User,
    /// A hook ended the session or stopped a stream.
    Hook,
    /// The host is going down.
    Shutdown,
    /// It took too long.
    Timeout,
}

#[derive(Debug, Default)]
pub(crate) struct Interrupt(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    reason: Option<InterruptReason>,
    waiting: Vec<Waker>,
}

impl Interrupt {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first reason stands until it is cleared.
    pub(crate) fn raise(&self, reason: InterruptReason) {
        let waiting = {
            let mut inner = self.lock();
            inner.reason.get_or_insert(reason);
            std::mem::take(&mut inner.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    pub(crate) fn reason(&self) -> Option<InterruptReason> {
        self.lock().reason
    }

    pub(crate) fn clear(&self) {
        self.lock().reason = None;
    }

    pub(crate) async fn raised(&self) -> InterruptReason {
        poll_fn(|cx| {
            let mut inner = self.lock();
            if let Some(reason) = inner.reason {
                return Poll::Ready(reason);
            }
            if !inner.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
                inner.waiting.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await
    }
}
