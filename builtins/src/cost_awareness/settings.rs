//! `[hooks.cost_awareness]`.

use std::fmt;
use std::num::NonZeroU64;

use hookspec::model::MicroDollars;
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};

use crate::dollars::Dollars;

/// Settings of `cost_awareness`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CostSettings {
    /// What the session may cost, in US dollars; above 0.
    #[serde(deserialize_with = "above_zero")]
    pub budget_usd: Option<Dollars>,
    /// How many tokens of all kinds it may use.
    pub budget_tokens: Option<NonZeroU64>,
    /// Per cent of a budget at which it is said.
    pub warn_pct: Percent,
    /// Seconds for which the provider keeps a prompt in its cache.
    pub cache_seconds: u32,
}

impl Default for CostSettings {
    fn default() -> Self {
        Self {
            budget_usd: None,
            budget_tokens: None,
            warn_pct: Percent(80 * Percent::ONE),
            cache_seconds: 300,
        }
    }
}

fn above_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Dollars>, D::Error> {
    match Option::<Dollars>::deserialize(deserializer)? {
        Some(Dollars(MicroDollars(0))) => {
            Err(de::Error::custom("`budget_usd` must be above 0; leave it out for no budget"))
        }
        budget => Ok(budget),
    }
}

/// A share in millionths of one per cent: above 0, and not above 100 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percent(u32);

impl Percent {
    const ONE: u32 = 1_000_000;

    /// Whether `part` is at least this share of `whole`.
    #[must_use]
    pub fn is_reached(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(100 * Self::ONE) >= u128::from(whole) * u128::from(self.0)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = format!("{:06}", self.0 % Self::ONE);
        let part = part.trim_end_matches('0');
        let point = if part.is_empty() { "" } else { "." };
        write!(f, "{}{point}{part}%", self.0 / Self::ONE)
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 % Self::ONE {
            0 => serializer.serialize_u32(self.0 / Self::ONE),
            _ => serializer.serialize_f64(f64::from(self.0) / f64::from(Self::ONE)),
        }
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The same way of writing exact numbers.
        let wrong = || de::Error::custom("a percentage must be above 0 and at most 100, such as 80 or 92.5");
        let Dollars(MicroDollars(share)) = Dollars::deserialize(deserializer).map_err(|_| wrong())?;
        let share = u32::try_from(share).map_err(|_| wrong())?;
        if share == 0 || share > 100 * Self::ONE { Err(wrong()) } else { Ok(Self(share)) }
    }
}
