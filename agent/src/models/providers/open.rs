//! Where a provider listens, and the key for it.

use std::sync::Arc;

use hookspec::ask::Secret;

use super::{Kind, Provider, Target};
use crate::models::{Model, ModelError, ModelOptions};

/// Opens `provider/name`. Nothing is sent yet.
pub(in crate::models) fn open(
    spec: &str,
    provider: &str,
    name: &str,
    options: &ModelOptions,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Arc<dyn Model>, ModelError> {
    let Some(kind) = Kind::of(provider) else {
        return Err(ModelError::UnknownModel { spec: spec.into() });
    };
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
    use super::super::super::open::{open_at, open_with_env};
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
}
