//! `cost_awareness`: keeps the session's ledger, and speaks up when it gets expensive.
//!
//! **Watches** every answer of the model. **Speaks** hidden, in the first request of a turn and in that one only:
//! when the turn before passed an amount ($0.10, $0.50, $1, $5, then every $10 to $100, $200, $500, $1000) or `warn_pct`
//! per cent of `budget_usd` or `budget_tokens`; and when the model's prompt cache is probably cold, because its last
//! answer is older than `cache_seconds`. A request that fails has not delivered its warnings: the next try has them
//! again. At the end a host can show `summary`, one line for the user; it never goes to the model. **Keeps** the
//! ledger (`Ledger`: requests, tokens, dollars) and the warnings that wait, per session and through a resume.
//! **Costs** some additions for each answer.
//!
//! Prices come with the event, or else from the models that the host lends. All sums are whole millionths of a dollar.
//! Requests whose price is not known are counted and told apart ("at least $1.20; 3 requests of unknown price"), never
//! taken for free.
//!
//! Different from gptme: all that was passed is reported, in one message, and no warning displaces another; cold caches
//! are noticed in one way, for any provider that reports writes, and only for the model that is about to be asked;
//! warnings wait for the turn's first request, whatever another hook put behind the user's message; a turn is
//! everything since the last one was looked at, so that nothing is missed after a resume; a resumed session goes on
//! counting; settings that make no sense stop the program at its start; requests are called requests.

mod ledger;
mod settings;
#[cfg(test)]
mod tests;

use hookspec::model::{MicroDollars, Request, Usage};
use hookspec::points::{GENERATION_POST, GENERATION_PRE, SESSION_END, TURN_POST, TURN_PRE};
use hookspec::{Message, Session, hook};

use crate::models::Models;

pub use ledger::Ledger;
pub use settings::{CostSettings, Percent};

/// Begins a turn: its first request takes the warnings along.
#[hook(TURN_PRE, aliases = ["cost_awareness.session_start"])]
fn turn_start(state: &mut Ledger) {
    state.begin_turn();
}

/// Tells the model what the turn before cost, if that is worth a word, and that its cache is cold.
#[hook(GENERATION_PRE, priority = 5, aliases = ["cost_awareness.cache_cold_warning"])]
fn inject_warning(
    request: &Request,
    session: &Session,
    settings: &CostSettings,
    state: &mut Ledger,
) -> Vec<Message> {
    let models = session.extension::<Models>();
    let model = canonical(models.as_deref(), &request.model);
    let texts = state.take_along(model, session.clock().now(), settings.cache_seconds);
    texts
        .into_iter()
        .map(|text| Message::system(format!("<system_warning>{text}</system_warning>")).hidden())
        .collect()
}

/// Enters a request into the ledger.
#[hook(GENERATION_POST)]
fn record(
    model: &str,
    usage: Option<&Usage>,
    cost: Option<MicroDollars>,
    session: &Session,
    settings: &CostSettings,
    state: &mut Ledger,
) {
    let models = session.extension::<Models>();
    let cost = cost.or_else(|| models.as_ref()?.cost(model, usage?));
    let name = canonical(models.as_deref(), model);
    let first_unpriced = state.record(name, usage.copied(), cost, session.clock().now());
    if first_unpriced && settings.budget_usd.is_some() {
        tracing::warn!(
            "the price of {name} is not known, so its requests are not in the session's cost and `budget_usd` does not see them; set it under [models.\"{name}\"] of hookspec.toml"
        );
    }
}

/// Looks at what the turn cost.
#[hook(TURN_POST)]
fn cost_warning(settings: &CostSettings, state: &mut Ledger) {
    if let Some(text) = state.end_turn(settings) {
        tracing::info!("{text}");
    }
}

/// Writes the summary to the program's own log.
#[hook(SESSION_END, priority = -10)]
fn session_end(state: &mut Ledger) {
    if let Some(summary) = state.summary() {
        tracing::info!("{summary}");
    }
}

/// One line on what the session has cost, for the user; `None` when it was free, or when this group is off.
#[must_use]
pub fn summary(session: &Session) -> Option<String> {
    match session.state_now::<Ledger>() {
        Ok(ledger) => ledger.summary(),
        Err(error) => {
            tracing::warn!(%error, "the session's cost cannot be told");
            None
        }
    }
}

fn canonical<'a>(models: Option<&'a Models>, name: &'a str) -> &'a str {
    models.map_or(name, |models| models.canonical(name))
}
