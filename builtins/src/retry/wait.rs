//! How often, and how long to wait before.

use std::time::Duration;

use super::Settings;
use crate::text::seconds;

/// The tries of one piece of work.
#[derive(Debug)]
pub(super) struct Tries<'s> {
    settings: &'s Settings,
    /// The session's age when the first began.
    began: Duration,
    /// How many were begun.
    begun: u32,
}

impl<'s> Tries<'s> {
    /// The first one begins now.
    pub(super) fn begin(settings: &'s Settings, now: Duration) -> Self {
        Self { settings, began: now, begun: 1 }
    }

    /// How long to wait before the next try, after one that failed; `asked` is what the provider wants, `chance` is between 0
    /// and 1.
    ///
    /// # Errors
    /// With what is to be said, if there is no other try.
    pub(super) fn next(
        &mut self,
        now: Duration,
        asked: Option<Duration>,
        chance: f64,
    ) -> Result<Duration, Option<String>> {
        let settings = self.settings;
        let tries = settings.tries.get();
        if self.begun >= tries {
            return Err((tries > 1).then(|| format!("Gave up after {tries} tries.")));
        }
        let longest = Duration::from_secs(settings.longest_wait_s.into());
        let doubled = 1_u32.checked_shl(self.begun - 1).unwrap_or(u32::MAX);
        let most = Duration::from_millis(settings.first_wait_ms.into()).saturating_mul(doubled).min(longest);
        let wait = most.mul_f64(chance.clamp(0.0, 1.0)).max(asked.unwrap_or_default());
        let spent = now.saturating_sub(self.began);
        let all = Duration::from_secs(settings.seconds.into());
        if spent.saturating_add(wait) > all {
            let tried = if self.begun == 1 { "1 try".to_owned() } else { format!("{} tries", self.begun) };
            return Err(Some(format!(
                "Gave up after {tried}: the next one would begin after {}, and `seconds` of `[hooks.retry]` is {}.",
                seconds(spent.saturating_add(wait)),
                settings.seconds
            )));
        }
        self.begun += 1;
        Ok(wait)
    }

    /// The number of the try that was begun last, and of how many.
    pub(super) fn number(&self) -> (u32, u32) {
        (self.begun, self.settings.tries.get())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn settings(tries: u32) -> Settings {
        let tries = NonZeroU32::new(tries).unwrap();
        Settings { tries, first_wait_ms: 500, longest_wait_s: 3, seconds: 10, ..Settings::default() }
    }

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn the_longest_wait_doubles_up_to_its_end_and_chance_takes_any_part_of_it() {
        let settings = settings(9);
        let mut tries = Tries::begin(&settings, MS(0));
        for (chance, wait) in [(1.0, 500), (1.0, 1000), (0.5, 1000), (1.0, 3000), (0.0, 0), (7.0, 3000)] {
            assert_eq!(tries.next(MS(0), None, chance), Ok(MS(wait)));
        }
        assert_eq!(tries.number(), (7, 9));
    }

    #[test]
    fn the_tries_have_an_end_and_one_try_says_nothing_of_it() {
        let three = settings(3);
        let mut tries = Tries::begin(&three, MS(0));
        assert!(tries.next(MS(0), None, 0.0).is_ok() && tries.next(MS(0), None, 0.0).is_ok());
        assert_eq!(tries.next(MS(0), None, 0.0), Err(Some("Gave up after 3 tries.".into())));
        let one = settings(1);
        assert_eq!(Tries::begin(&one, MS(0)).next(MS(0), None, 0.0), Err(None));
    }

    #[test]
    fn a_provider_is_given_what_it_asks_for_and_no_less() {
        let settings = settings(9);
        let mut tries = Tries::begin(&settings, MS(0));
        assert_eq!(tries.next(MS(0), Some(MS(7000)), 1.0), Ok(MS(7000)), "also more than the longest wait");
        assert_eq!(tries.next(MS(0), Some(MS(10)), 1.0), Ok(MS(1000)), "what it asks is the least");
    }

    #[test]
    fn the_seconds_count_from_the_first_try_and_to_the_beginning_of_the_next() {
        let settings = settings(9);
        let mut tries = Tries::begin(&settings, MS(90_000));
        assert_eq!(tries.next(MS(99_500), None, 1.0), Ok(MS(500)), "to the second");
        let enough = tries.next(MS(99_500), None, 1.0).unwrap_err().unwrap();
        assert!(
            enough.starts_with("Gave up after 2 tries: the next one would begin after 10.5 s"),
            "{enough}"
        );
        let mut tries = Tries::begin(&settings, MS(0));
        let enough = tries.next(MS(0), Some(MS(60_000)), 0.0).unwrap_err().unwrap();
        assert!(enough.contains("after 1 try: ") && enough.contains("after 60.0 s"), "{enough}");
        assert!(tries.next(MS(0), None, 0.0).is_ok(), "a refusal is no try");
    }

    #[test]
    fn many_tries_do_not_overflow() {
        let settings = Settings { seconds: u32::MAX, longest_wait_s: u32::MAX, ..settings(100) };
        let mut tries = Tries::begin(&settings, MS(0));
        for _ in 1..100 {
            assert!(tries.next(MS(0), None, 0.0).is_ok());
        }
        assert!(tries.next(Duration::MAX, None, 1.0).is_err());
        let mut late = Tries::begin(&settings, Duration::MAX);
        assert!(late.next(MS(0), Some(Duration::MAX), 1.0).is_err());
    }
}
