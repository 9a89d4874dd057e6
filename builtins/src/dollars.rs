//! Amounts of money from files: exact, or an error.

use std::fmt;
use std::str::FromStr;

use hookspec::model::MicroDollars;
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// An amount as people write it in TOML: `2`, `2.5` or `"2.50"`. At most six decimals; never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dollars(pub MicroDollars);

/// Text that is no amount.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{0}` is not an amount of US dollars; write digits with at most six decimals, such as 2.5 or \"0.075\""
)]
pub struct NotDollars(String);

impl FromStr for Dollars {
    type Err = NotDollars;

    fn from_str(text: &str) -> Result<Self, NotDollars> {
        let wrong = || NotDollars(text.to_owned());
        let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 6 {
            return Err(wrong());
        }
        let whole: u64 = whole.parse().map_err(|_| wrong())?;
        let part: u64 = format!("{part:0<6}").parse().map_err(|_| wrong())?;
        let micro = whole.checked_mul(1_000_000).and_then(|micro| micro.checked_add(part));
        micro.map(|micro| Self(MicroDollars(micro))).ok_or_else(wrong)
    }
}

impl fmt::Display for Dollars {
    /// With two decimals at least, and no more than needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MicroDollars(micro) = self.0;
        let part = format!("{:06}", micro % 1_000_000);
        let part = part.trim_end_matches('0');
        write!(f, "{}.{part:0<2}", micro / 1_000_000)
    }
}

impl Serialize for Dollars {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Amount)
    }
}

struct Amount;

impl Visitor<'_> for Amount {
    type Value = Dollars;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an amount of US dollars, such as 2.5 or \"0.075\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Dollars, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Dollars, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Dollars, E> {
        self.visit_str(&number.to_string())
    }

    /// The shortest text that means this number is what stood in the file, so nothing is lost.
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Dollars, E> {
        self.visit_str(&number.to_string())
    }
}

/// Cents, rounded half up, with the thousands apart: `1,234.50`.
pub(crate) fn cents(MicroDollars(micro): MicroDollars) -> String {
    let cents = micro / 10_000 + u64::from(micro % 10_000 >= 5_000);
    format!("{}.{:02}", thousands(cents / 100), cents % 100)
}

/// A number with the thousands apart: `1,234`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micro(text: &str) -> Result<u64, NotDollars> {
        text.parse::<Dollars>().map(|Dollars(MicroDollars(micro))| micro)
    }

    #[test]
    fn amounts_are_exact() {
        for (text, expected) in [
            ("0", 0),
            ("2", 2_000_000),
            ("2.5", 2_500_000),
            ("0.075", 75_000),
            ("0.000001", 1),
            ("1.", 1_000_000),
        ] {
            assert_eq!(micro(text), Ok(expected), "{text}");
        }
        for text in ["", "-1", "nan", "inf", "1e3", "0.0000001", ".5", "1,5", "99999999999999999999"] {
            assert!(micro(text).is_err(), "{text}");
        }
    }

    #[test]
    fn toml_numbers_and_strings_mean_the_same() {
        #[derive(Deserialize)]
        struct Row {
            a: Dollars,
        }
        let read = |text: &str| toml::from_str::<Row>(text).map(|row| row.a.to_string());
        assert_eq!(read("a = 0.1").unwrap(), "0.10");
        assert_eq!(read("a = \"0.10\"").unwrap(), "0.10");
        assert_eq!(read("a = 12").unwrap(), "12.00");
        assert_eq!(read("a = 0.0755").unwrap(), "0.0755");
        for text in ["a = nan", "a = inf", "a = -inf", "a = -2", "a = true", "a = \"\""] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_easy_to_read() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
        for (micro, text) in
            [(110_000, "0.11"), (4_999, "0.00"), (5_000, "0.01"), (1_234_500_000, "1,234.50")]
        {
            assert_eq!(cents(MicroDollars(micro)), text);
        }
    }
}
