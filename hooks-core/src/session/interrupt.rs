//! Interrupts: the one way to cut short what a session is doing.

use serde::{Deserialize, Serialize};

use crate::spawn::WakerSet;
use crate::sync::{Mutex, lock};

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
pub(crate) struct Interrupt {
    now: Mutex<Raised>,
    waiting: WakerSet,
}

#[derive(Clone, Copy, Debug, Default)]
struct Raised {
    reason: Option<InterruptReason>,
    /// How many there were, and the last one: who waited when it was raised learns of it, also if it is cleared by then.
    count: u64,
    last: Option<InterruptReason>,
}

impl Interrupt {
    /// The first reason stands until it is cleared.
    pub(crate) fn raise(&self, reason: InterruptReason) {
        {
            let mut raised = lock(&self.now);
            if raised.reason.is_none() {
                *raised = Raised { reason: Some(reason), count: raised.count + 1, last: Some(reason) };
            }
        }
        self.waiting.wake_all();
    }

    pub(crate) fn reason(&self) -> Option<InterruptReason> {
        lock(&self.now).reason
    }

    pub(crate) fn clear(&self) {
        lock(&self.now).reason = None;
    }

    /// Completes when there is a reason, or there was one since this was first polled.
    pub(crate) async fn raised(&self) -> InterruptReason {
        let before = lock(&self.now).count;
        let ready = || {
            let raised = *lock(&self.now);
            raised.reason.or_else(|| raised.last.filter(|_| raised.count != before))
        };
        self.waiting.until(ready).await
    }

    #[cfg(test)]
    fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn poll_once(future: impl Future<Output = InterruptReason>) -> Poll<InterruptReason> {
        pin!(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn who_waits_no_more_is_forgotten() {
        let interrupt = Interrupt::default();
        let mut waits: Vec<_> = (0..20_000).map(|_| Box::pin(interrupt.raised())).collect();
        for wait in &mut waits {
            assert!(poll_once(wait.as_mut()).is_pending());
        }
        assert_eq!(interrupt.waiting(), 20_000);
        let last = waits.pop();
        drop(waits);
        assert_eq!(interrupt.waiting(), 1);
        interrupt.raise(InterruptReason::User);
        assert_eq!(last.map(poll_once), Some(Poll::Ready(InterruptReason::User)));
        assert_eq!(interrupt.waiting(), 0);
    }

    #[test]
    fn who_waited_learns_of_an_interrupt_that_is_cleared_by_then() {
        let interrupt = Interrupt::default();
        let mut wait = Box::pin(interrupt.raised());
        assert!(poll_once(wait.as_mut()).is_pending());
        interrupt.raise(InterruptReason::Timeout);
        interrupt.raise(InterruptReason::User);
        assert_eq!(interrupt.reason(), Some(InterruptReason::Timeout), "the first one stands");
        interrupt.clear();
        assert_eq!(poll_once(wait.as_mut()), Poll::Ready(InterruptReason::Timeout));
        assert!(poll_once(interrupt.raised()).is_pending(), "who comes later does not");
    }
}
