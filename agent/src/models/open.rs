//! From a spec to a model.
//!
//! Options win over the environment. The environment is read once, when a model is opened; a test hands in its own
//! through [`open_with_env`].

use std::sync::Arc;
use std::time::Duration;

use hookspec::ask::Secret;
use hookspec::session::Clock;

use super::providers::{self, Connections};
use super::{Model, ModelError, Replay};

/// What a spec may begin with, beside `replay`.
const PROVIDERS: [&str; 3] = ["openai", "anthropic", "ollama"];

/// How to reach a model; the default is right for the providers' own endpoints.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// The API key, instead of the one in `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`.
    pub api_key: Option<Secret>,
    /// The endpoint, instead of the one in `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL` or `OLLAMA_HOST`. For
    /// `openai/` it includes the version (`http://127.0.0.1:8080/v1`), as it does for OpenAI's own clients.
    pub base_url: Option<String>,
    /// Until a connection stands.
    pub connect_timeout: Duration,
    /// Until the provider starts to answer; a large prompt on a small machine takes minutes.
    pub response_timeout: Duration,
    /// Between two pieces of an answer.
    pub read_timeout: Duration,
    /// Whether the model takes tools natively; providers do unless this says otherwise.
    pub native_tools: Option<bool>,
    /// Whether system messages inside the conversation are sent as user text in `<system>` tags. Always so for
    /// Anthropic, which has no other place for them; otherwise for endpoints whose chat template takes one
    /// system message, at the start. `None`: as the provider likes it.
    pub fold_system: Option<bool>,
    /// Tells how far away the date in a `Retry-After` header is.
    pub clock: Clock,
    /// What models share that are opened with clones of these options.
    pub connections: Connections,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            api_key: None,
            base_url: None,
            connect_timeout: Duration::from_secs(10),
            response_timeout: Duration::from_secs(300),
            read_timeout: Duration::from_secs(120),
            native_tools: None,
            fold_system: None,
            clock: Clock::default(),
            connections: Connections::default(),
        }
    }
}

/// Opens the model that `spec` names, with keys and endpoints from the options or the process environment.
///
/// Nothing is sent yet: a wrong key shows at the first request.
///
/// # Errors
/// [`ModelError::UnknownModel`], [`ModelError::NotBuilt`], [`ModelError::MissingKey`], [`ModelError::Setup`] for a base URL
/// that is none, and for a replay whatever is wrong with its script.
pub fn open(spec: &str, options: &ModelOptions) -> Result<Arc<dyn Model>, ModelError> {
    open_with_env(spec, options, &|name| std::env::var(name).ok())
}

/// Opens the model that `spec` names at an address that a hook gave. The user's keys are for the provider and are not
/// sent there. Unless the user said so, only the first system message is sent as one: the templates of many models that
/// people run themselves refuse others.
pub(crate) fn open_at(
    spec: &str,
    address: &str,
    options: &ModelOptions,
) -> Result<Arc<dyn Model>, ModelError> {
    let options = ModelOptions {
        api_key: None,
        base_url: Some(address.to_owned()),
        fold_system: options.fold_system.or(Some(true)),
        ..options.clone()
    };
    open_with_env(spec, &options, &|_| None)
}

/// Opens the model that `spec` names, with `env` as the environment.
///
/// # Errors
/// As [`open`].
pub fn open_with_env(
    spec: &str,
    options: &ModelOptions,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Arc<dyn Model>, ModelError> {
    if let Some(path) =
        spec.strip_prefix("replay:").or_else(|| spec.strip_prefix("replay/")).filter(|path| !path.is_empty())
    {
        return Ok(Arc::new(Replay::open(path)?));
    }
    let unknown = || ModelError::UnknownModel { spec: spec.into() };
    let (provider, name) = spec.split_once('/').ok_or_else(unknown)?;
    if !PROVIDERS.contains(&provider) || name.trim().is_empty() {
        return Err(unknown());
    }
    providers::open(spec, provider, name, options, env)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_spec_says_what_there_is() {
        for spec in ["gpt-5", "openai/", "bard/x", "", "replay:"] {
            let error = open(spec, &ModelOptions::default()).unwrap_err();
            assert_eq!(error, ModelError::UnknownModel { spec: spec.into() });
        }
    }
}
