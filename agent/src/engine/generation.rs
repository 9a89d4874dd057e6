//! Generations: calls to the model, with their retries and interruptions.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookspec::points::{
    ErrorSource, GENERATION_CHUNK, GENERATION_INTERRUPT, GENERATION_POST, GENERATION_PRE,
};
use hookspec::{
    BoxFuture, ChunkKind, Flow, InterruptReason, Message, Metadata, MicroDollars, Request, Session, Timings,
    Usage, fire,
};

use crate::models::{ChunkSink, ModelError, Response};

use super::{Agent, Frontend, Prices, report_failures};

/// What a step's generation came to.
pub(super) enum Generated {
    Answer(Message, Option<Usage>),
    Interrupted,
    Failed,
    /// What the model was to be shown is not stored.
    NotStored,
}

/// Hands each chunk to the hooks and to the user, and stops the stream when asked to.
struct Chunks {
    session: Session,
    frontend: Arc<dyn Frontend>,
    index: u32,
    text: String,
    session_end: Option<String>,
}

impl ChunkSink for Chunks {
    fn chunk<'a>(&'a mut self, text: &'a str, kind: ChunkKind) -> BoxFuture<'a, ControlFlow<()>> {
        Box::pin(async move {
            if kind == ChunkKind::Text {
                self.text.push_str(text);
            }
            self.frontend.chunk(text, kind);
            if self.session.listens(GENERATION_CHUNK) {
                let fired =
                    fire!(self.session, GENERATION_CHUNK { chunk: text, kind, index: self.index }).await;
                report_failures(&self.session, &fired).await;
                if *fired.flow() != Flow::Continue {
                    self.session_end = fired.session_end().map(str::to_owned);
                    self.session.interrupt(InterruptReason::Hook);
                }
            }
            self.index = self.index.saturating_add(1);
            if self.session.interrupted().is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
    }
}

impl Agent {
    /// Calls the model until it answers, the tries are used up, or somebody interrupts.
    pub(super) async fn generate(&mut self) -> Generated {
        let mut attempt = 0;
        let mut told = String::new();
        loop {
            let error = match self.attempt(attempt).await {
                Ok(generated) => return generated,
                Err(error) => error,
            };
            let again = error.retryable() && attempt < self.limits.retries && self.ending.is_none();
            let text = error.to_string();
            self.error(ErrorSource::Model, &text, again, attempt).await;
            // What failed in the same way again is told once.
            if text != told {
                self.frontend.notice(&text);
            }
            if !again {
                if attempt > 0 {
                    self.frontend.notice(&format!("gave up after {} tries", attempt + 1));
                }
                self.say(Message::system(format!("The model could not answer: {text}")).hidden());
                return Generated::Failed;
            }
            let wait = self.wait_before(attempt, &error);
            self.frontend.notice(&format!("trying again in {:.1} s", wait.as_secs_f64()));
            told = text;
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                reason = self.session.until_interrupted() => {
                    self.interrupted(reason, "").await;
                    return Generated::Interrupted;
                }
            }
            attempt += 1;
        }
    }

    /// What the server asked for, else half a second, doubled with each try.
    fn wait_before(&self, attempt: u32, error: &ModelError) -> Duration {
        let doubled = Duration::from_millis(500).saturating_mul(1 << attempt.min(16));
        error.retry_after().unwrap_or(doubled).min(self.limits.longest_wait)
    }

    async fn request(&mut self, attempt: u32) -> Request {
        self.note_model().await;
        let registry = self.session.hooks().load();
        let request = Request {
            messages: self.session.log().to_messages(),
            model: self.session.model(),
            tools: registry.tools().specs(),
            ..Request::default()
        };
        let mut fired = fire!(self.session, GENERATION_PRE { request: &request, attempt }).await;
        self.after(&fired).await;
        let mut request = fired.take_value().unwrap_or(request);
        request.messages.extend(fired.into_messages());
        request
    }

    async fn attempt(&mut self, attempt: u32) -> Result<Generated, ModelError> {
        let mut request = self.request(attempt).await;
        if self.ending.is_some() {
            return Ok(Generated::Interrupted);
        }
        // While the hooks had it: by the user, or by a hook that found that the call must not go out.
        if let Some(reason) = self.session.interrupted() {
            self.interrupted(reason, "").await;
            return Ok(Generated::Interrupted);
        }
        let model = self.current_model(&request.model)?;
        if !model.native_tools() {
            request.tools.clear();
        }
        if self.stored().await.is_err() {
            return Ok(Generated::NotStored);
        }
        let mut chunks = Chunks {
            session: self.session.clone(),
            frontend: Arc::clone(&self.frontend),
            index: 0,
            text: String::new(),
            session_end: None,
        };
        self.frontend.generating(attempt);
        let began = Instant::now();
        let answered = {
            let generation = model.generate(&request, &mut chunks);
            tokio::select! {
                biased;
                answered = generation => Some(answered),
                _ = self.session.until_interrupted() => None,
            }
        };
        let Chunks { text, session_end, .. } = chunks;
        if session_end.is_some() {
            self.ending = self.ending.take().or(session_end);
        }
        let response = match answered {
            None | Some(Err(ModelError::Interrupted { .. })) => {
                let reason = self.session.interrupted().unwrap_or(InterruptReason::User);
                self.interrupted(reason, &text).await;
                return Ok(Generated::Interrupted);
            }
            Some(Err(error)) => return Err(error),
            Some(Ok(response)) => response,
        };
        let took = began.elapsed();
        let cost = self
            .session
            .extension::<Prices>()
            .zip(response.usage)
            .and_then(|(prices, usage)| prices.of(&response.model, &usage));
        let message = answer(&response, took, cost);
        let fired = fire!(
            self.session,
            GENERATION_POST {
                response: &message,
                usage: response.usage.as_ref(),
                cost,
                duration: took,
                finish_reason: response.finish_reason,
                model: &response.model,
            }
        )
        .await;
        self.after(&fired).await;
        Ok(Generated::Answer(message, response.usage))
    }

    /// Keeps what there was of an answer, tells the hooks, and says so in the log.
    pub(super) async fn interrupted(&mut self, reason: InterruptReason, partial: &str) {
        if !partial.trim().is_empty() {
            let mut message = Message::assistant(partial);
            message.quiet = true;
            self.say(message);
        }
        self.frontend.interrupted(reason);
        let fired = fire!(self.session, GENERATION_INTERRUPT { reason, partial }).await;
        self.after(&fired).await;
        let who = match reason {
            InterruptReason::User => "by the user",
            InterruptReason::Hook => "by a hook",
            InterruptReason::Shutdown => "by the shutdown of its host",
            InterruptReason::Timeout => "because it took too long",
        };
        self.say(Message::system(format!("Interrupted {who}.")));
    }
}

fn answer(response: &Response, took: Duration, cost: Option<MicroDollars>) -> Message {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let mut message = Message::assistant(response.text.clone());
    message.quiet = true; // it was shown while it streamed
    message.metadata = Some(Box::new(Metadata {
        model: Some(response.model.clone()),
        cost_micro_usd: cost,
        usage: response.usage,
        timings: Some(Timings {
            ttft_ms: response.ttft.map(millis),
            gen_ms: Some(millis(took)),
            tool_ms: None,
        }),
        tool_calls: response.tool_uses.clone(),
        other: response.carry.clone(),
        ..Metadata::default()
    }));
    message
}
