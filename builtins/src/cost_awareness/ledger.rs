//! The ledger: what a session's requests used and cost, and what is to be said of it.

use std::collections::BTreeMap;

use hookspec::model::{MicroDollars, Usage};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::dollars::{cents, thousands};

use super::CostSettings;

/// Amounts that are worth a word, in millionths of a dollar.
const MARKS: [u64; 17] = [
    100_000,
    500_000,
    1_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    30_000_000,
    40_000_000,
    50_000_000,
    60_000_000,
    70_000_000,
    80_000_000,
    90_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    1_000_000_000,
];

/// What a session has used and cost. Read it with `session.state_now::<Ledger>()`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    /// Requests that were answered.
    pub requests: u64,
    /// How many of them have no known price; they are not in `cost`.
    pub unpriced: u64,
    /// What the others cost.
    pub cost: MicroDollars,
    /// Tokens of all of them, as far as the provider told.
    pub usage: Usage,
    /// Tokens of the last prompt, cached ones included.
    pub context: u64,
    /// Cost and tokens when a turn was last looked at.
    checked: (MicroDollars, u64),
    models: BTreeMap<String, Asked>,
    /// Warnings that no answered request has had yet.
    warnings: Vec<String>,
    /// How many of them are in the request that is under way.
    under_way: usize,
    /// Whether the turn's first request has not been answered yet.
    first_request: bool,
}

/// What is known of one model's requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Asked {
    last: Timestamp,
    wrote_cache: bool,
    unpriced: bool,
}

impl Ledger {
    pub(super) fn begin_turn(&mut self) {
        self.first_request = true;
    }

    /// What the request that goes out now shall say, if it is the turn's first.
    pub(super) fn take_along(&mut self, model: &str, now: Timestamp, lifetime: u32) -> Vec<String> {
        if !self.first_request {
            return Vec::new();
        }
        self.under_way = self.warnings.len();
        self.cold(model, now, lifetime).into_iter().chain(self.warnings.iter().cloned()).collect()
    }

    fn cold(&self, model: &str, now: Timestamp, lifetime: u32) -> Option<String> {
        let asked = self.models.get(model).filter(|asked| asked.wrote_cache)?;
        let age = now.duration_since(asked.last);
        if age <= jiff::SignedDuration::from_secs(i64::from(lifetime)) {
            return None;
        }
        let tenths = age.as_secs() / 6;
        Some(format!(
            "The prompt cache of {model} is probably cold: {}.{} min since its last answer, and it is kept for {}. This request may cost more.",
            tenths / 10,
            tenths % 10,
            minutes(lifetime)
        ))
    }

    /// Enters a request. Returns whether it is the first of this model that has no known price.
    pub(super) fn record(
        &mut self,
        model: &str,
        usage: Option<Usage>,
        cost: Option<MicroDollars>,
        now: Timestamp,
    ) -> bool {
        self.warnings.drain(..self.under_way.min(self.warnings.len()));
        self.under_way = 0;
        self.first_request = false;
        let used = usage.unwrap_or_default();
        self.requests = self.requests.saturating_add(1);
        self.usage = self.usage.plus(&used);
        if usage.is_some() {
            self.context = prompt(&used);
        }
        match cost {
            Some(cost) => self.cost = MicroDollars(self.cost.0.saturating_add(cost.0)),
            None => self.unpriced = self.unpriced.saturating_add(1),
        }
        let unpriced = cost.is_none();
        let fresh = Asked { last: now, wrote_cache: false, unpriced: false };
        let asked = self.models.entry(model.to_owned()).or_insert(fresh);
        asked.last = now;
        asked.wrote_cache |= used.cache_creation_tokens > 0;
        let first = unpriced && !asked.unpriced;
        asked.unpriced |= unpriced;
        first
    }

    /// Looks at what was used since the last look. Queues a warning, and returns it, if a mark was passed.
    pub(super) fn end_turn(&mut self, settings: &CostSettings) -> Option<String> {
        let (cost, tokens) = (self.cost, self.usage.total());
        let (old_cost, old_tokens) = std::mem::replace(&mut self.checked, (cost, tokens));
        let mut why = Vec::new();
        if let Some(budget) = settings.budget_usd
            && settings.warn_pct.is_reached(cost.0, budget.0.0)
            && !settings.warn_pct.is_reached(old_cost.0, budget.0.0)
        {
            why.push(format!("{} of ${} budget", settings.warn_pct, cents(budget.0)));
        }
        let passed: Vec<String> = MARKS
            .into_iter()
            .filter(|mark| old_cost.0 < *mark && *mark <= cost.0)
            .map(|mark| format!("${}", cents(MicroDollars(mark))))
            .collect();
        if !passed.is_empty() {
            why.push(format!("passed {}", listed(&passed)));
        }
        let mut parts = Vec::new();
        if !why.is_empty() {
            if self.unpriced > 0 {
                why.push(self.of_unknown_price());
            }
            parts.push(format!(
                "Session cost reached {} ({}; tokens: {}/{} in/out, cache hit: {}%)",
                self.amount(),
                why.join("; "),
                thousands(self.usage.input_tokens),
                thousands(self.usage.output_tokens),
                tenths(self.cache_hits(1000)),
            ));
        }
        if let Some(budget) = settings.budget_tokens
            && settings.warn_pct.is_reached(tokens, budget.get())
            && !settings.warn_pct.is_reached(old_tokens, budget.get())
        {
            parts.push(format!(
                "Session token usage reached {} ({} of {} token budget)",
                thousands(tokens),
                settings.warn_pct,
                thousands(budget.get())
            ));
        }
        if parts.is_empty() {
            return None;
        }
        let text = parts.join(" ");
        self.warnings.push(text.clone());
        Some(text)
    }

    /// One line on the session, for the user; `None` when there is nothing to pay.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let unknown = self.unpriced > 0 && self.usage.total() > 0;
        if self.cost.0 == 0 && !unknown {
            return None;
        }
        let cost = match (self.cost.0, self.unpriced) {
            (0, _) => "cost unknown".to_owned(),
            (_, 0) => self.amount(),
            _ => format!("{} ({})", self.amount(), self.of_unknown_price()),
        };
        let context = match self.context {
            tokens @ 0..1000 => tokens.to_string(),
            tokens => format!("{}k", tokens.saturating_add(500) / 1000),
        };
        Some(format!(
            "Session: {cost} | {} | {context} context | {}% cached",
            requests(self.requests),
            self.cache_hits(100)
        ))
    }

    fn amount(&self) -> String {
        let least = if self.unpriced > 0 { "at least " } else { "" };
        format!("{least}${}", cents(self.cost))
    }

    fn of_unknown_price(&self) -> String {
        format!("{} of unknown price", requests(self.unpriced))
    }

    /// Tokens that came from the cache, in parts of `whole`, rounded half up.
    fn cache_hits(&self, whole: u64) -> u64 {
        let all = u128::from(prompt(&self.usage));
        if all == 0 {
            return 0;
        }
        let hits = (u128::from(self.usage.cache_read_tokens) * u128::from(whole) + all / 2) / all;
        u64::try_from(hits).unwrap_or(whole)
    }
}

fn prompt(usage: &Usage) -> u64 {
    usage.input_tokens.saturating_add(usage.cache_read_tokens).saturating_add(usage.cache_creation_tokens)
}

fn requests(count: u64) -> String {
    format!("{} request{}", thousands(count), if count == 1 { "" } else { "s" })
}

fn tenths(permille: u64) -> String {
    format!("{}.{}", permille / 10, permille % 10)
}

fn minutes(seconds: u32) -> String {
    if seconds.is_multiple_of(60) { format!("{} min", seconds / 60) } else { format!("{seconds} s") }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(items: &[String]) -> String {
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
