//! From a spec to a model: which provider, where it listens, and the key for it.
//!
//! Options win over the environment. The environment is read once, here, when a model is opened; a test hands
//! in its own through [`open_with_env`].

use std::sync::Arc;
use std::time::Duration;

use hookspec::{Clock, Secret};

use super::providers::{Connections, Kind, Provider, Target};
use super::{Model, ModelError, Replay};

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
/// [`ModelError::UnknownModel`], [`ModelError::MissingKey`], [`ModelError::Setup`] for a base URL that is none,
/// and for a replay whatever is wrong with its script.
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
    let kind = match provider {
        "openai" => Kind::OpenAi,
        "anthropic" => Kind::Anthropic,
        "ollama" => Kind::Ollama,
        _ => return Err(unknown()),
    };
    if name.trim().is_empty() {
        return Err(unknown());
    }
    let env = |name: &str| env(name).filter(|value| !value.trim().is_empty());
    let url = options.base_url.clone().or_else(|| env(kind.url_variable()));
    let url = endpoint(kind, url.as_deref().unwrap_or(kind.default_url()))
        .map_err(|reason| ModelError::Setup { model: spec.into(), reason })?;
    let key = match kind.key_variable() {
        None => options.api_key.clone(),
        Some(variable) => {
            let key = options.api_key.clone().or_else(|| env(variable).map(Secret::new));
            // A server on this machine has no one to charge; everybody else wants a key.
            if key.is_none() && !is_loopback(&url) {
                return Err(ModelError::MissingKey { model: spec.into(), variable });
            }
            key
        }
    };
    let target = Target { spec: spec.into(), id: name.into(), kind, local: is_loopback(&url), url, key };
    Ok(Arc::new(Provider::new(target, options)?))
}

/// The base URL with a scheme, the provider's version segment and a slash at its end.
fn endpoint(kind: Kind, text: &str) -> Result<reqwest::Url, String> {
    let text = text.trim();
    let given = if text.contains("://") {
        text.to_owned()
    } else if kind == Kind::Ollama {
        // `OLLAMA_HOST` is what the server binds to: a host, perhaps a port, perhaps "all interfaces".
        let host = text.replacen("0.0.0.0", "127.0.0.1", 1);
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let port = if has_port { "" } else { ":11434" };
        format!("http://{host}{port}")
    } else {
        return Err(format!(
            "the base URL `{text}` has no scheme; write `https://{text}` or `http://{text}`."
        ));
    };
    let mut url = reqwest::Url::parse(&given)
        .map_err(|error| format!("the base URL `{text}` is not a URL ({error})."))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(format!("the base URL `{text}` is not an http or https URL."));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the base URL holds a user name or a password; give the key as `api_key`.".into());
    }
    let mut path = url.path().trim_end_matches('/').to_owned();
    if kind.adds_version() && !path.ends_with("/v1") {
        path.push_str("/v1");
    }
    path.push('/');
    url.set_path(&path);
    Ok(url)
}

fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kind: Kind, text: &str) -> String {
        endpoint(kind, text).map_or_else(|reason| reason, |url| url.to_string())
    }

    #[test]
    fn base_urls_are_completed_as_each_provider_writes_them() {
        assert_eq!(at(Kind::OpenAi, "http://h:1/v1"), "http://h:1/v1/");
        assert_eq!(at(Kind::OpenAi, "http://h:1/openai?v=2"), "http://h:1/openai/?v=2");
        assert_eq!(at(Kind::Anthropic, "https://h"), "https://h/v1/");
        assert_eq!(at(Kind::Anthropic, "https://h/v1/"), "https://h/v1/");
        assert_eq!(at(Kind::Ollama, "0.0.0.0"), "http://127.0.0.1:11434/v1/");
        assert_eq!(at(Kind::Ollama, "box:99"), "http://box:99/v1/");
        assert_eq!(at(Kind::Ollama, "https://box"), "https://box/v1/");
    }

    #[test]
    fn a_base_url_that_is_none_or_holds_a_password_is_refused() {
        assert!(at(Kind::OpenAi, "host/v1").contains("has no scheme"));
        assert!(at(Kind::OpenAi, "ftp://host").contains("not an http"));
        let refused = at(Kind::OpenAi, "http://me:hunter2@host");
        assert!(refused.contains("api_key") && !refused.contains("hunter2"));
    }

    #[test]
    fn a_missing_key_names_its_variable() {
        let none = |_: &str| None;
        let error = open_with_env("anthropic/claude", &ModelOptions::default(), &none).unwrap_err();
        assert!(error.to_string().contains("ANTHROPIC_API_KEY"), "{error}");
        let error = open_with_env("openai/gpt", &ModelOptions::default(), &none).unwrap_err();
        assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
        assert!(open_with_env("ollama/qwen3", &ModelOptions::default(), &none).is_ok());
    }

    #[test]
    fn keys_and_endpoints_come_from_the_environment() {
        let env = |name: &str| match name {
            "OPENAI_API_KEY" => Some("sk-very-secret".to_owned()),
            "OPENAI_BASE_URL" => Some("http://box:1/v1".to_owned()),
            _ => None,
        };
        let model = open_with_env("openai/a/b", &ModelOptions::default(), &env).unwrap();
        assert_eq!(model.name(), "openai/a/b");
        let shown = format!("{model:?}");
        assert!(shown.contains("http://box:1/v1/"), "{shown}");
        assert!(!shown.contains("very-secret"), "{shown}");
    }

    #[test]
    fn a_hooks_address_gets_no_key_of_the_users() {
        let options = ModelOptions { api_key: Some(Secret::new("sk-mine")), ..ModelOptions::default() };
        let model = open_at("openai/write", "http://127.0.0.1:1/v1", &options).unwrap();
        let shown = format!("{model:?}");
        assert!(shown.contains("http://127.0.0.1:1/v1/"), "{shown}");
        // Elsewhere than on this machine a key is wanted, and there is none to give.
        let error = open_at("openai/write", "http://example.org/v1", &options).unwrap_err();
        assert!(matches!(error, ModelError::MissingKey { .. }), "{error}");
    }

    #[test]
    fn an_unknown_spec_says_what_there_is() {
        for spec in ["gpt-5", "openai/", "bard/x", "", "replay:"] {
            let error = open(spec, &ModelOptions::default()).unwrap_err();
            assert_eq!(error, ModelError::UnknownModel { spec: spec.into() });
        }
    }
}
