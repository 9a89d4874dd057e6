//! Interrupts: the one way to cut short what a session is doing.

use serde::{Deserialize, Serialize};

use crate::base::sync::{Mutex, lock};
use crate::machinery::spawn::WakerSet;

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
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
