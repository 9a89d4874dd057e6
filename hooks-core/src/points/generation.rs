//! Calls to the model.

use std::time::Duration;

use crate::hook_point;
use crate::plain::message::Message;
use crate::plain::model::{ChunkKind, FinishReason, GenerationResult, Request};
use crate::plain::usage::{MicroDollars, Usage};
use crate::session::InterruptReason;

hook_point! {
    /// The model is to answer: hooks stand around the whole of a call, from `GENERATION_PRE` to `GENERATION_POST`, which fire for each
    /// call that is made. They may time it, make it again, send another request or send it to another model, or answer in its place.
    pub GENERATION("generation", aliases = ["wrap_model_call"]) -> Around<GenerationResult> {
        /// What will be asked, before the hooks at `GENERATION_PRE` have seen it.
        #[fold]
        request: &Request,
        /// How many calls this step has made before.
        attempt: u32,
    }

    /// A call to the model is about to go out, retries included. What hooks emit here goes into this one
    /// request and is not stored.
    pub GENERATION_PRE("generation.pre", aliases = ["pre_api_request"], transient) -> Fold<Request> {
        /// What will be sent.
        #[fold]
        request: &Request,
        /// How often this call was tried before, from 0.
        attempt: u32,
    }

    /// A piece of the answer arrived. A hook that returns `Flow::Stop` interrupts the generation.
    pub GENERATION_CHUNK("generation.chunk", aliases = ["on_stream_delta"]) -> Messages {
        /// The piece.
        chunk: &str,
        /// Answer or thinking.
        kind: ChunkKind,
        /// Number of the piece in its generation, from 0.
        index: u32,
    }

    /// A generation or a tool was cut short.
    pub GENERATION_INTERRUPT("generation.interrupt", aliases = ["agent_loop_stopped"]) -> Messages {
        /// Why.
        reason: InterruptReason,
        /// What there was of the answer.
        partial: &str,
    }

    /// A call to the model succeeded; or a hook at `GENERATION` answered and no call was made.
    pub GENERATION_POST("generation.post", aliases = ["post_api_request"]) -> Messages {
        /// The answer.
        response: &Message,
        /// Tokens, where the model told.
        usage: Option<&Usage>,
        /// Price, where it is known.
        cost: Option<MicroDollars>,
        /// How long the call took.
        duration: Duration,
        /// Why the model stopped.
        finish_reason: FinishReason,
        /// The model that answered; where a hook did and names none, the one that was to be asked.
        model: &str,
    }
}
