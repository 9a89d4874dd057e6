//! What goes to a model and what comes back: the payloads of the generation points.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::Message;
use crate::tool::{ToolSpec, ToolUse};

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

/// Tokens as the provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Tokens read, without those served from the provider's cache.
    #[serde(default)]
    pub input_tokens: u64,
    /// Tokens generated.
    #[serde(default)]
    pub output_tokens: u64,
    /// Tokens served from the provider's cache.
    #[serde(default)]
    pub cache_read_tokens: u64,
    /// Tokens written to the provider's cache.
    #[serde(default)]
    pub cache_creation_tokens: u64,
}

impl Usage {
    /// All tokens of all kinds.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.output_tokens)
            .saturating_add(self.cache_read_tokens)
            .saturating_add(self.cache_creation_tokens)
    }

    /// The sum of two counts.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read_tokens: self.cache_read_tokens.saturating_add(other.cache_read_tokens),
            cache_creation_tokens: self.cache_creation_tokens.saturating_add(other.cache_creation_tokens),
        }
    }
}

/// Money in millionths of a US dollar: exact sums, no floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct MicroDollars(pub u64);

/// What the log keeps about the generation that made a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Metadata {
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it cost, in micro-dollars; absent when the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<MicroDollars>,
    /// Token counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How long things took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timings: Option<Timings>,
    /// The tool that a result message comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The calls that the model made through its native tool interface, so that a resumed session can
    /// offer them to the model again as it made them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolUse>,
    /// Fields of other programs, kept as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Durations of one generation, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timings {
    /// Until the first token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
    /// Until the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gen_ms: Option<u64>,
    /// In the tools that followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_ms: Option<u64>,
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
