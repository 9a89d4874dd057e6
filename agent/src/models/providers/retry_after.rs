//! How long a provider asks to wait.

use std::time::Duration;

use hookspec::session::Clock;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::HeaderMap;

/// Reads `Retry-After` as seconds or as an HTTP date, and OpenAI's finer `retry-after-ms` before it.
///
/// A date that has passed is no wait at all; a header that is neither is reported and ignored.
pub(super) fn retry_after(headers: &HeaderMap, clock: &Clock) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let value = text("retry-after")?;
    if let Some(wait) = seconds(value) {
        return Some(wait);
    }
    match DateTimeParser::new().relaxed_weekday(true).parse_timestamp(value) {
        Ok(date) => Some(date.duration_since(clock.now()).try_into().unwrap_or(Duration::ZERO)),
        Err(error) => {
            tracing::warn!(value, %error, "the Retry-After header is neither seconds nor a date");
            None
        }
    }
}

/// Whole seconds by the standard; some providers send fractions.
fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(name: &'static str, value: &'static str) -> Option<Duration> {
        let clock = Clock::manual("2026-01-01T00:00:00Z".parse().unwrap());
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        retry_after(&headers, &clock)
    }

    #[test]
    fn seconds_milliseconds_and_dates_are_understood() {
        assert_eq!(wait("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(wait("retry-after-ms", "20"), Some(Duration::from_millis(20)));
        let date = "Thu, 01 Jan 2026 00:01:30 GMT";
        assert_eq!(wait("retry-after", date), Some(Duration::from_secs(90)));
    }

    #[test]
    fn a_past_date_is_no_wait_and_nonsense_is_none() {
        let past = "Wed, 31 Dec 2025 23:59:59 GMT";
        assert_eq!(wait("retry-after", past), Some(Duration::ZERO));
        assert_eq!(wait("retry-after", "soon"), None);
        assert_eq!(wait("retry-after", "-3"), None);
        assert_eq!(wait("retry-after", "1e400"), None);
    }
}
