//! Lengths of time as people write them: the same as in `#[hook]`.

use std::time::Duration;

/// What is said of a text that is none.
pub(super) const UNITS: &str = "a length of time is a whole number with its unit, as in \"30s\"; the units are `us`, `ms`, `s`, `m` and `h`";

/// `"250ms"`, `"30s"`, `"5m"`, `"1h"`.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let micros: u64 = match unit.trim() {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "" if !number.is_empty() => return Err(format!("`{number}` of what? {UNITS}")),
        _ => return Err(UNITS.to_owned()),
    };
    let Ok(number) = number.parse::<u128>() else { return Err(UNITS.to_owned()) };
    if number == 0 {
        return Err("no time at all: leave it out, or give it more".to_owned());
    }
    // What a length of time in nanoseconds can hold.
    let most = u128::from(u64::MAX / 1_000);
    let micros = number.checked_mul(u128::from(micros)).filter(|micros| *micros <= most);
    micros
        .and_then(|micros| u64::try_from(micros).ok())
        .map(Duration::from_micros)
        .ok_or_else(|| "longer than anybody waits: 500 years at most".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_counts_and_what_is_wrong_is_said() {
        for (text, micros) in [
            ("7us", 7),
            ("250ms", 250_000),
            ("30s", 30_000_000),
            ("30 s", 30_000_000),
            ("5m", 300_000_000),
            ("1h", 3_600_000_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_micros(micros)), "{text}");
        }
        assert!(parse("30").unwrap_err().contains("`30` of what?"));
        for text in [
            "",
            "s",
            "1.5s",
            "-1s",
            "1d",
            "never ever",
            "1 h 5 m",
            "99999999999999999999999999999999999999999s",
        ] {
            assert!(parse(text).unwrap_err().contains("`ms`"), "{text}");
        }
        assert!(parse("0s").unwrap_err().contains("no time"));
        assert!(parse("9999999999999999h").unwrap_err().contains("longer"));
    }
}
