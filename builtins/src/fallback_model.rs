//! `fallback_model`: when a model cannot answer, the same request goes to the next one.
//!
//! **Watches** each call to the model, from around it. After a failure of the kinds in `on` the request goes to the models in `models`,
//! in their order, until one answers; the model that failed is left out there. **Speaks** to the user when it turns to another one,
//! not to the model. The answer says who gave it: the log's metadata, `GENERATION_POST`, prices and the ledger name the model that
//! answered. The session's model stays what it is: the next request goes to it first. **Keeps** nothing. **Costs** nothing
//! unless `enabled`.
//!
//! Each model gets the tools in its own way, and keys and addresses from where the session's model has them. A piece of an answer that
//! broke off has been shown; the next model begins anew. `retry` is further in: while it is on, each model has all its tries. Without it
//! the program's own `retries` begin again with the first model, once the last one has failed too.
//!
//! gptme has no such thing.

use hookspec::model::Request;
use hookspec::points::GENERATION;
use hookspec::{Session, hook};
use serde::{Deserialize, Serialize};

use crate::faults::Faults;

/// `[hooks.fallback_model]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, try_from = "Written")]
pub struct Settings {
    /// Whether other models are asked.
    pub enabled: bool,
    /// Which, as `provider/name`, in this order.
    pub models: Vec<String>,
    /// After which failures.
    pub on: Faults,
}

/// The settings as they are written.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    enabled: bool,
    models: Vec<String>,
    on: Faults,
}

/// Settings with which no other model could be asked.
#[derive(Debug, thiserror::Error)]
pub enum BadSettings {
    /// There is none.
    #[error("`enabled` is true and `models` names none; write `models = [\"provider/name\"]`")]
    NoModels,
    /// A model that is none.
    #[error("`{0}` is no model; a model is named `provider/name`, as in `models = [\"ollama/qwen3\"]`")]
    NoModel(String),
}

impl Default for Settings {
    fn default() -> Self {
        Self { enabled: false, models: Vec::new(), on: Faults::of_one_model() }
    }
}

impl Default for Written {
    fn default() -> Self {
        let Settings { enabled, models, on } = Settings::default();
        Self { enabled, models, on }
    }
}

impl TryFrom<Written> for Settings {
    type Error = BadSettings;

    fn try_from(Written { enabled, models, on }: Written) -> Result<Self, BadSettings> {
        let named = |model: &str| {
            let split = model.split_once('/').or_else(|| model.split_once("replay:"));
            split.is_some_and(|(_, name)| !name.trim().is_empty())
        };
        match models.iter().find(|model| !named(model)) {
            Some(model) => Err(BadSettings::NoModel(model.clone())),
            None if enabled && models.is_empty() => Err(BadSettings::NoModels),
            None => Ok(Self { enabled, models, on }),
        }
    }
}

/// Asks one model after the other. What the last one gave stands.
#[hook(GENERATION, priority = 20, timeout = "never", budget = "1h")]
async fn ask_the_next(next: GENERATION::Next<'_>, request: &Request, session: &Session, settings: &Settings) {
    let mut next = next.repeatable();
    let mut asked = request.model.as_str();
    let mut result = next.run().await;
    for model in settings.models.iter().filter(|model| **model != request.model) {
        let Err(fault) = &result else { break };
        if !settings.on.have(fault.class) || session.interrupted().is_some() {
            break;
        }
        session.notice(&format!("{} Asking `{model}` in place of `{asked}`.", fault.text));
        asked = model;
        result = next.run_with(Request { model: model.clone(), ..request.clone() }).await;
    }
}
