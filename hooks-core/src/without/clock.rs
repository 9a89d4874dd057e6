//! What stands in for the clock without the feature `time`: nobody asks what time it is.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// No moment in particular.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timestamp;

/// No clock.
#[derive(Clone, Debug, Default)]
pub struct Clock;

impl Clock {
    pub(crate) fn system() -> Self {
        Self
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp
    }

    pub(crate) fn runs_by_itself(&self) -> bool {
        true
    }
}

pub(crate) fn later(time: Timestamp, _: Duration) -> Timestamp {
    time
}
