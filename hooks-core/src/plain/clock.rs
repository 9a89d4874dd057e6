//! Time as hooks see it, so that a test or `hookspec fire --clock` can set it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::SignedDuration;
pub(crate) use jiff::Timestamp;

use crate::base::instant::Instant;

/// A source of time. Cheap to clone; clones of a manual clock move together.
#[derive(Clone, Default)]
pub struct Clock(Kind);

#[derive(Clone, Default)]
enum Kind {
    #[default]
    System,
    Manual(Arc<Mutex<Timestamp>>),
    Shifted(Arc<Mutex<Duration>>),
}

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self(Kind::System)
    }

    /// A clock that stands still until [`advance`](Self::advance) moves it.
    #[must_use]
    pub fn manual(now: Timestamp) -> Self {
        Self(Kind::Manual(Arc::new(Mutex::new(now))))
    }

    /// The machine's clock, which [`advance`](Self::advance) can move forward: for demonstrations.
    #[must_use]
    pub fn shifted() -> Self {
        Self(Kind::Shifted(Arc::default()))
    }

    /// The time of day, UTC.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Kind::System => time_of_day(),
            Kind::Manual(now) => *lock(now),
            Kind::Shifted(by) => later(time_of_day(), *lock(by)),
        }
    }

    /// Whether a moment on it is the one before and the time in between, by the machine's clock.
    pub(crate) fn runs_by_itself(&self) -> bool {
        matches!(self.0, Kind::System)
    }

    /// Time since an arbitrary fixed moment, for measuring; never goes back on the system clock.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        match &self.0 {
            Kind::System => steady(),
            Kind::Shifted(by) => steady() + *lock(by),
            Kind::Manual(_) => {
                self.now().duration_since(Timestamp::UNIX_EPOCH).try_into().unwrap_or_default()
            }
        }
    }

    /// Moves a manual or shifted clock forward; the system clock is left alone.
    pub fn advance(&self, by: Duration) {
        match &self.0 {
            Kind::System => {}
            Kind::Manual(now) => {
                let mut now = lock(now);
                *now = later(*now, by);
            }
            Kind::Shifted(shift) => *lock(shift) += by,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn later(time: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    time.saturating_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn time_of_day() -> Timestamp {
    Timestamp::now()
}

/// Nobody tells a program there what time it is, and to ask would be a panic. Who knows it gives the session a manual clock.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn time_of_day() -> Timestamp {
    Timestamp::UNIX_EPOCH
}

fn steady() -> Duration {
    static ORIGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed()
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::System => f.write_str("Clock::system"),
            Kind::Manual(_) => write!(f, "Clock::manual({})", self.now()),
            Kind::Shifted(_) => f.write_str("Clock::shifted"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_told() {
        let clock = Clock::manual("2026-01-01T00:00:00Z".parse().unwrap());
        let (wall, mono) = (clock.now(), clock.elapsed());
        assert_eq!(clock.now(), wall);
        clock.clone().advance(Duration::from_secs(90));
        assert_eq!(clock.now().duration_since(wall).as_secs(), 90);
        assert_eq!(clock.elapsed() - mono, Duration::from_secs(90));
    }
}
