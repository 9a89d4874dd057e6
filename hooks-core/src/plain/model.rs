//! What goes to a model and what comes back: the payloads of the generation points.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::plain::message::Message;
use crate::plain::tool_use::{ToolSpec, ToolUse};
use crate::plain::usage::Usage;

/// One call to a model, as `GENERATION_PRE` hooks see and may change it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Request {
    /// The conversation as the model will see it, oldest first.
    pub messages: Vec<Message>,
    /// `provider/name`, for example `anthropic/claude-sonnet-4-5` or `replay/tour.jsonl`.
    pub model: String,
    /// The tools offered to the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// How to sample; the provider's defaults where nothing is said.
    #[serde(default)]
    pub parameters: Parameters,
}

/// Sampling parameters; `None` leaves the provider's default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parameters {
    /// Upper bound on generated tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Anything else, by the provider's own names.
    #[serde(default, flatten)]
    pub extra: Map<String, Value>,
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It had said everything.
    #[default]
    Stop,
    /// It wants tools to run.
    ToolCalls,
    /// It ran into the token limit.
    Length,
    /// The provider's filter stopped it.
    ContentFilter,
    /// Anything else.
    Other,
}

/// Which of a model's streams a chunk belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChunkKind {
    /// The answer.
    Text,
    /// The thinking before it.
    Reasoning,
}

/// A whole answer of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Response {
    /// What was said.
    pub text: String,
    /// The thinking before it; empty when the model shows none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The calls made through the native tool interface, in the model's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_uses: Vec<ToolUse>,
    /// Tokens, where the provider counted them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why it stopped. [`FinishReason::ToolCalls`] whenever there are `tool_uses` and it was not cut off.
    pub finish_reason: FinishReason,
    /// The name of the model that answered, as `provider/name`.
    pub model: String,
    /// Time until the first chunk; `None` when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft: Option<Duration>,
    /// What the provider wants back, unread, with this message: signed thinking, for example. Whoever keeps the
    /// message puts it into [`Metadata::other`](crate::model::Metadata::other), and the next request carries it to the provider.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub carry: Map<String, Value>,
}

/// What a call to the model gives: what wrappers at `GENERATION` get from `next` and may give in its place.
pub type GenerationResult = Result<Response, GenerationFault>;

/// Why a call to the model gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("{text}")]
#[non_exhaustive]
pub struct GenerationFault {
    /// What kind of failure it is.
    pub class: FaultClass,
    /// What happened and what can be done, in a sentence.
    pub text: String,
    /// How long the provider asks to wait before the next try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Duration>,
    /// Whether the host may send the same request again of its own accord. A wrapper that has tried enough says no.
    pub retryable: bool,
    /// What had arrived of the answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub partial: String,
}

impl GenerationFault {
    /// A failure of this class. It may be tried again where the class [passes](FaultClass::passes).
    pub fn new(class: FaultClass, text: impl Into<String>) -> Self {
        let retryable = class.passes();
        Self { class, text: text.into(), retry_after: None, retryable, partial: String::new() }
    }

    /// The same, after which the host does not try again.
    #[must_use]
    pub fn for_good(self) -> Self {
        Self { retryable: false, ..self }
    }
}

/// Kinds of failures of a call to the model, told apart by what may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultClass {
    /// The provider takes no more requests for now.
    RateLimit,
    /// The provider failed on its side.
    Server,
    /// The answer broke off.
    Cut,
    /// Nothing came for too long.
    Timeout,
    /// No connection.
    Connect,
    /// The answer cannot be read.
    Malformed,
    /// The key was refused, or there is none.
    Auth,
    /// The provider does not take this request.
    Request,
    /// There is no such model here, or it is not set up.
    Model,
    /// Somebody wanted it to stop.
    Interrupted,
    /// The host could not send it: what it follows from is not stored, or a hook lost it.
    Host,
}

impl FaultClass {
    /// Whether the same request may well succeed a little later.
    #[must_use]
    pub fn passes(self) -> bool {
        matches!(
            self,
            Self::RateLimit | Self::Server | Self::Cut | Self::Timeout | Self::Connect | Self::Malformed
        )
    }
}
