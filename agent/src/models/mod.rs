//! Models: where answers come from.
//!
//! [`open`] makes a [`Model`] from `provider/name`. `replay:FILE` plays a script, so that everything runs
//! offline and tests are exact; `openai/…`, `anthropic/…` and `ollama/…` are real, and the first speaks to any
//! compatible endpoint by its address.

mod error;
mod messages;
mod provider;
mod replay;

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use hookspec::{BoxFuture, ChunkKind, FinishReason, Request, ToolUse, Usage};

pub use error::ModelError;
pub use provider::{Provider, Vendor};
pub use replay::Replay;

/// One complete answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// The answer.
    pub text: String,
    /// The thinking before it, where the model shows it.
    pub reasoning: String,
    /// The calls that it made through its native tool interface.
    pub tool_uses: Vec<ToolUse>,
    /// Tokens, where the model told.
    pub usage: Option<Usage>,
    /// Why it stopped.
    pub finish_reason: FinishReason,
    /// The model, as `provider/name`.
    pub model: String,
    /// How long the first piece took.
    pub ttft: Option<Duration>,
}

/// Takes an answer piece by piece.
pub trait ChunkSink: Send {
    /// Takes a piece; `Break` ends the generation, which then fails with [`ModelError::Interrupted`].
    fn chunk<'a>(&'a mut self, text: &'a str, kind: ChunkKind) -> BoxFuture<'a, ControlFlow<()>>;
}

/// Answers requests.
pub trait Model: Debug + Send + Sync {
    /// `provider/name`, as it was opened.
    fn name(&self) -> &str;

    /// Whether it takes tools through an interface of its own; else they are fenced blocks in the text.
    fn native_tools(&self) -> bool;

    /// Answers one request. Dropping the future cancels it.
    fn generate<'a>(
        &'a self,
        request: &'a Request,
        sink: &'a mut dyn ChunkSink,
    ) -> BoxFuture<'a, Result<Response, ModelError>>;

    /// Goes on behind the first `answers` answers: what a script needs when a session resumes.
    fn skip_to(&self, _answers: usize) {}
}

/// Keys and addresses; what is `None` comes from the environment.
#[derive(Clone, Default)]
pub struct ModelOptions {
    /// The key of the provider.
    pub api_key: Option<hookspec::Secret>,
    /// The address of the provider, up to and with its version: `http://127.0.0.1:8080/v1`.
    pub base_url: Option<String>,
    /// How long nothing may arrive before a call counts as lost.
    pub timeout: Option<Duration>,
}

impl Debug for ModelOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelOptions").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

/// Opens a model.
///
/// # Errors
/// If the provider is unknown, its key is missing, or the script cannot be read.
pub fn open(name: &str, options: &ModelOptions) -> Result<Arc<dyn Model>, ModelError> {
    if let Some(path) = name.strip_prefix("replay:").or(name.strip_prefix("replay/")) {
        return Ok(Arc::new(Replay::open(name, path.as_ref())?));
    }
    let unknown = || ModelError::Unknown(name.to_owned());
    let (vendor, _) = name.split_once('/').ok_or_else(unknown)?;
    let vendor = Vendor::named(vendor).ok_or_else(unknown)?;
    Ok(Arc::new(Provider::open(vendor, name, options, |variable| std::env::var(variable).ok())?))
}
