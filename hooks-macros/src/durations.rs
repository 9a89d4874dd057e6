//! Lengths of time as people write them.

/// What is said of a text that is none.
pub(crate) const UNITS: &str = "a length of time is a whole number with its unit, as in \"30s\"; the units are `us`, `ms`, `s`, `m` and `h`";

/// `"250ms"`, `"30s"`, `"5m"`, `"1h"` in nanoseconds.
pub(crate) fn nanos(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor: u64 = match unit.trim() {
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "" if !number.is_empty() => return Err(format!("`{number}` of what? {UNITS}")),
        _ => return Err(UNITS.to_owned()),
    };
    let Ok(number) = number.parse::<u128>() else { return Err(UNITS.to_owned()) };
    if number == 0 {
        return Err("no time at all: leave the option out, or give it more".to_owned());
    }
    number
        .checked_mul(u128::from(factor))
        .and_then(|nanos| u64::try_from(nanos).ok())
        .ok_or_else(|| "longer than anybody waits: 500 years at most".to_owned())
}

#[cfg(test)]
mod tests {
    use super::nanos;

    #[test]
    fn every_unit_counts() {
        assert_eq!(nanos("7us"), Ok(7_000));
        assert_eq!(nanos("250ms"), Ok(250_000_000));
        assert_eq!(nanos("30s"), Ok(30_000_000_000));
        assert_eq!(nanos("30 s"), Ok(30_000_000_000));
        assert_eq!(nanos("5m"), Ok(300_000_000_000));
        assert_eq!(nanos("1h"), Ok(3_600_000_000_000));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(nanos("30").unwrap_err().contains("`30` of what?"));
        for text in ["", "s", "1.5s", "-1s", "1d", "1sec", "1 h 5 m", "ten seconds"] {
            assert!(nanos(text).unwrap_err().contains("`ms`"), "{text}");
        }
        assert!(nanos("0s").unwrap_err().contains("no time"));
        for text in ["9999999999999999h", "99999999999999999999999999999999999999s"] {
            assert!(nanos(text).unwrap_err().contains("longer"), "{text}");
        }
        assert!(nanos("99999999999999999999999999999999999999999s").is_err());
    }
}
