//! Moments. Where a program has no clock (`wasm32-unknown-unknown`) the standard library panics when it is asked for the time:
//! there time stands still, so nothing is measured and nothing is cut off, and all else goes on.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use still::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod still {
    use std::ops::{Add, Sub};
    use std::time::Duration;

    /// A moment: the only one, or one that never comes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub(crate) struct Instant(Duration);

    impl Instant {
        pub(crate) fn now() -> Self {
            Self(Duration::ZERO)
        }

        pub(crate) fn elapsed(&self) -> Duration {
            Duration::ZERO
        }

        pub(crate) fn checked_add(&self, by: Duration) -> Option<Self> {
            self.0.checked_add(by).map(Self)
        }

        pub(crate) fn saturating_duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;
        fn add(self, by: Duration) -> Self {
            Self(self.0.saturating_add(by))
        }
    }

    impl Sub for Instant {
        type Output = Duration;
        fn sub(self, earlier: Self) -> Duration {
            self.saturating_duration_since(earlier)
        }
    }
}
