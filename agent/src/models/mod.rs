//! Language models behind one trait.
//!
//! A [`Model`] turns a [`Request`] into a [`Response`] and hands out its text on the way, chunk by chunk, to a
//! [`ChunkSink`]. The sink may answer "stop": then the generation ends with [`ModelError::Interrupted`], which
//! carries what had been said. Dropping the future does the same without a report; both close the connection.
//!
//! | spec | what answers |
//! |---|---|
//! | `replay:PATH`, `replay/PATH` | [`Replay`]: a script, no network, always the same |
//! | `openai/NAME` | OpenAI, or any endpoint that speaks its chat completions |
//! | `anthropic/NAME` | Anthropic's messages |
//! | `ollama/NAME` | a local Ollama |
//!
//! All but the first need the feature `providers`, which is on unless default features are turned off; without it they are
//! [`ModelError::NotBuilt`].
//!
//! Limits: attached files are named to the model, not sent; one answer a request; no retries here. Whoever
//! drives the model retries, guided by [`ModelError::retryable`] and [`ModelError::retry_after`], because each
//! attempt is a hook point of its own.

mod error;
mod open;
#[cfg(feature = "providers")]
mod providers;
#[cfg(not(feature = "providers"))]
#[path = "absent.rs"]
mod providers;
mod replay;

use std::fmt::Debug;
use std::ops::ControlFlow;

use futures_util::future::BoxFuture;
use hookspec::model::{ChunkKind, Request};

pub use hookspec::model::Response;

pub use error::ModelError;
pub(crate) use open::open_at;
pub use open::{ModelOptions, open, open_with_env};
pub use providers::Connections;
pub use replay::Replay;

/// Something that answers requests.
pub trait Model: Send + Sync + Debug {
    /// The spec it was opened with, in the form `provider/name`.
    ///
    /// A hook may have changed [`Request::model`]; a model does not look at it. The caller compares the two and
    /// opens another model where they differ.
    fn name(&self) -> &str;

    /// Whether it takes [`Request::tools`] and answers with [`Response::tool_uses`].
    fn native_tools(&self) -> bool;

    /// Answers one request.
    ///
    /// The chunks that went to the sink, concatenated by kind, are [`Response::text`] and
    /// [`Response::reasoning`].
    ///
    /// # Errors
    /// See [`ModelError`]; where part of an answer had arrived, the error carries it.
    fn generate<'a>(
        &'a self,
        request: &'a Request,
        sink: &'a mut (dyn ChunkSink + Send),
    ) -> BoxFuture<'a, Result<Response, ModelError>>;

    /// Continues as if `replies` answers had been given before: a resumed session calls it with the number of
    /// assistant messages in its log. Only a model with a position of its own, such as [`Replay`], has to care.
    fn skip_to(&self, replies: usize) {
        let _ = replies;
    }
}

/// Takes the chunks of an answer as they arrive.
pub trait ChunkSink {
    /// Takes one chunk, never empty; `Break` ends the generation with [`ModelError::Interrupted`].
    fn chunk<'a>(&'a mut self, text: &'a str, kind: ChunkKind) -> BoxFuture<'a, ControlFlow<()>>;
}

/// One chunk of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// A piece of text.
    Chunk {
        /// The piece, never empty.
        text: String,
        /// Which stream it belongs to.
        kind: ChunkKind,
    },
}

/// Gathers the chunks and never interrupts.
impl ChunkSink for Vec<StreamEvent> {
    fn chunk<'a>(&'a mut self, text: &'a str, kind: ChunkKind) -> BoxFuture<'a, ControlFlow<()>> {
        let text = text.to_owned();
        self.push(StreamEvent::Chunk { text, kind });
        Box::pin(std::future::ready(ControlFlow::Continue(())))
    }
}
