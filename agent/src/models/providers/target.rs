//! Which model, of which provider, at which endpoint.

use genai::adapter::AdapterKind;
use hookspec::ask::Secret;

/// Which provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::models) enum Kind {
    OpenAi,
    Anthropic,
    Ollama,
}

impl Kind {
    /// By what a spec begins with.
    pub(super) fn of(provider: &str) -> Option<Self> {
        match provider {
            "openai" => Some(Self::OpenAi),
            "anthropic" => Some(Self::Anthropic),
            "ollama" => Some(Self::Ollama),
            _ => None,
        }
    }

    /// Where the key comes from; `None` for a provider that wants none.
    pub(in crate::models) fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Ollama => None,
        }
    }

    pub(in crate::models) fn url_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_BASE_URL",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::Ollama => "OLLAMA_HOST",
        }
    }

    pub(in crate::models) fn default_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }

    /// Whether people write the base URL without the `/v1` that requests need.
    pub(in crate::models) fn adds_version(self) -> bool {
        self != Self::OpenAi
    }

    pub(super) fn adapter(self) -> AdapterKind {
        match self {
            Self::Anthropic => AdapterKind::Anthropic,
            Self::OpenAi | Self::Ollama => AdapterKind::OpenAI,
        }
    }

    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Anthropic => "messages",
            Self::OpenAi | Self::Ollama => "chat/completions",
        }
    }
}

/// One model at one endpoint.
#[derive(Clone, Debug)]
pub(in crate::models) struct Target {
    /// `provider/name`.
    pub(in crate::models) spec: String,
    /// The provider's own name for it.
    pub(in crate::models) id: String,
    pub(in crate::models) kind: Kind,
    /// With a slash at its end.
    pub(in crate::models) url: reqwest::Url,
    /// Whether the endpoint is this machine.
    pub(in crate::models) local: bool,
    pub(in crate::models) key: Option<Secret>,
}
