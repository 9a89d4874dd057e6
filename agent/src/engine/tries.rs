//! The calls to the model of one step: what the hooks at `GENERATION` stand around, as often as they run it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookspec::model::{
    ChunkKind, FaultClass, GenerationFault, GenerationResult, Metadata, MicroDollars, Request, Response,
    Timings, Usage,
};
use hookspec::points::{ErrorSource, GENERATION_POST, GENERATION_PRE};
use hookspec::session::InterruptReason;
use hookspec::{Message, fire};

use crate::models::{ChunkSink, Model, ModelError};

use super::chunks::Chunks;
use super::{Agent, Prices};

/// What is known of them so far.
#[derive(Debug, Default)]
pub(super) struct Tries {
    /// How many were begun.
    pub(super) begun: u32,
    /// What those used that were answered.
    pub(super) usage: Option<Usage>,
    /// Those that were answered, since hooks were last put around.
    pub(super) answered: Vec<Answered>,
    /// One that failed, and of which the hooks at `ERROR` know nothing yet: whether it is tried again shows later.
    pub(super) failed: Option<(String, u32)>,
    /// One was cut short: why, and what there was of the answer.
    pub(super) interrupted: Option<(InterruptReason, String)>,
    /// One was not made, since what it follows from is not stored.
    pub(super) not_stored: bool,
}

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    pub(super) response: Response,
    cost: Option<MicroDollars>,
    took: Duration,
    /// The hook that gave it in place of the model.
    by: Option<String>,
}

impl Tries {
    /// An answer that no call gave.
    pub(super) fn in_place(&self, response: Response, by: String, took: Duration) -> Answered {
        let called = self.answered.last();
        // What the calls behind it used is counted; without a call nothing was.
        let cost = called.map_or(Some(MicroDollars(0)), |call| call.cost);
        let usage = called.and_then(|call| call.response.usage);
        let response = Response { usage, ..response };
        Answered { response, cost, took: called.map_or(took, |call| call.took), by: Some(by) }
    }
}

impl Answered {
    pub(super) fn message(&self) -> Message {
        let Self { response, cost, took, by } = self;
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let mut message = Message::assistant(response.text.clone());
        message.quiet = true; // it was shown while it streamed
        message.metadata = Some(Box::new(Metadata {
            model: Some(response.model.clone()).filter(|model| !model.is_empty()),
            cost_micro_usd: *cost,
            usage: response.usage,
            timings: Some(Timings {
                ttft_ms: response.ttft.map(millis),
                gen_ms: Some(millis(*took)),
                tool_ms: None,
            }),
            answered_by: by.clone(),
            tool_calls: response.tool_uses.clone(),
            other: response.carry.clone(),
            ..Metadata::default()
        }));
        message
    }
}

impl Agent {
    /// One call to the model: the hooks at `GENERATION_PRE`, the barrier, the stream, the hooks at `GENERATION_POST`.
    pub(super) async fn ask_model(&mut self, request: &Request, tries: &mut Tries) -> GenerationResult {
        if let Some((text, attempt)) = tries.failed.take() {
            self.error(ErrorSource::Model, &text, true, attempt).await;
        }
        let attempt = tries.begun;
        tries.begun = attempt.saturating_add(1);
        let mut fired = fire!(self.session, GENERATION_PRE { request, attempt }).await;
        self.after(&fired).await;
        let mut request = fired.take_value().unwrap_or_else(|| request.clone());
        request.messages.extend(fired.into_messages());
        if self.ending.is_some() {
            return Err(stopped("A hook ended the session."));
        }
        // While the hooks had it: by the user, or by a hook that found that the call must not go out.
        if let Some(reason) = self.session.interrupted() {
            return Err(tries.cut_short(reason, String::new()));
        }
        let model = match self.current_model(&request.model) {
            Ok(model) => model,
            Err(error) => return Err(tries.fail(error, attempt)),
        };
        if !model.native_tools() {
            request.tools.clear();
        }
        if self.stored().await.is_err() {
            tries.not_stored = true;
            return Err(GenerationFault::new(
                FaultClass::Host,
                "What the request follows from is not stored.",
            ));
        }
        self.stream(&*model, &request, attempt, tries).await
    }

    async fn stream(
        &mut self,
        model: &dyn Model,
        request: &Request,
        attempt: u32,
        tries: &mut Tries,
    ) -> GenerationResult {
        let mut chunks = Chunks::new(self.session.clone(), Arc::clone(&self.frontend));
        self.frontend.generating(attempt);
        let began = Instant::now();
        let result = {
            let generation = model.generate(request, &mut chunks);
            tokio::select! {
                biased;
                result = generation => Some(result),
                _ = self.session.until_interrupted() => None,
            }
        };
        let Chunks { text, session_end, .. } = chunks;
        if session_end.is_some() {
            self.ending = self.ending.take().or(session_end);
        }
        let response = match result {
            None | Some(Err(ModelError::Interrupted { .. })) => {
                let reason = self.session.interrupted().unwrap_or(InterruptReason::User);
                return Err(tries.cut_short(reason, text));
            }
            Some(Err(error)) => return Err(tries.fail(error, attempt)),
            Some(Ok(response)) => response,
        };
        let took = began.elapsed();
        let cost = self
            .session
            .extension::<Prices>()
            .zip(response.usage)
            .and_then(|(prices, usage)| prices.of(&response.model, &usage));
        if let Some(usage) = &response.usage {
            tries.usage = Some(tries.usage.unwrap_or_default().plus(usage));
        }
        let answered = Answered { response, cost, took, by: None };
        let response = answered.response.clone();
        self.tell(&answered, response.usage.as_ref(), &response.model).await;
        tries.answered.push(answered);
        Ok(response)
    }

    /// Tells the hooks at `GENERATION_POST` of an answer.
    pub(super) async fn tell(&mut self, answered: &Answered, usage: Option<&Usage>, model: &str) {
        let response = answered.message();
        let Answered { cost, took, response: Response { finish_reason, .. }, .. } = answered;
        let fired = fire!(
            self.session,
            GENERATION_POST {
                response: &response,
                usage,
                cost: *cost,
                duration: *took,
                finish_reason: *finish_reason,
                model,
            }
        )
        .await;
        self.after(&fired).await;
    }

    /// Shows an answer that no call streamed, as one piece. `Err`: a hook cut it short, or somebody did meanwhile.
    pub(super) async fn show(
        &mut self,
        response: &Response,
        tries: &Tries,
    ) -> Result<(), (InterruptReason, String)> {
        let streamed = tries.answered.last().map(|call| &call.response.text);
        if response.text.is_empty() || streamed == Some(&response.text) {
            return Ok(());
        }
        self.frontend.generating(tries.begun);
        let mut chunks = Chunks::new(self.session.clone(), Arc::clone(&self.frontend));
        let flow = chunks.chunk(&response.text, ChunkKind::Text).await;
        self.ending = self.ending.take().or(chunks.session_end);
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                Err((self.session.interrupted().unwrap_or(InterruptReason::User), chunks.text))
            }
        }
    }
}

impl Tries {
    fn fail(&mut self, error: ModelError, attempt: u32) -> GenerationFault {
        let fault = GenerationFault::from(error);
        self.failed = Some((fault.text.clone(), attempt));
        fault
    }

    fn cut_short(&mut self, reason: InterruptReason, partial: String) -> GenerationFault {
        let mut fault = stopped("The generation was interrupted.");
        fault.partial.clone_from(&partial);
        self.interrupted = Some((reason, partial));
        fault
    }
}

fn stopped(text: &str) -> GenerationFault {
    GenerationFault::new(FaultClass::Interrupted, text)
}
