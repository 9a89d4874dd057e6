//! Generations: one answer of the model, with the hooks around the calls that it takes.

use std::time::{Duration, Instant};

use hookspec::model::{FaultClass, GenerationFault, Request, Response, Usage};
use hookspec::points::{ErrorSource, GENERATION, GENERATION_INTERRUPT};
use hookspec::session::InterruptReason;
use hookspec::{Message, around, fire};
use tokio::sync::Mutex;

use super::Agent;
use super::patient::patient;
use super::tries::Tries;

/// What a step's generation came to.
pub(super) enum Generated {
    Answer(Message),
    Interrupted,
    Failed,
    /// What the model was to be shown is not stored.
    NotStored,
}

/// How long hooks around something may go on after an interrupt, once what they are around has stopped.
pub(super) const WIND_DOWN: Duration = Duration::from_secs(2);

impl Agent {
    /// Calls the model until it answers, the tries are used up, or somebody interrupts. Adds what all calls used to `used`.
    pub(super) async fn generate(&mut self, used: &mut Option<Usage>) -> Generated {
        let mut tries = Tries::default();
        let generated = self.until_answered(&mut tries).await;
        *used = tries.usage;
        generated
    }

    async fn until_answered(&mut self, tries: &mut Tries) -> Generated {
        let mut again = 0;
        let mut told = String::new();
        loop {
            let fault = match self.wrapped(tries).await {
                Ok(generated) => return generated,
                Err(fault) => fault,
            };
            let goes_on = fault.retryable && again < self.limits.retries && self.ending.is_none();
            self.failed(tries, &fault, goes_on).await;
            let text = fault.text;
            // What failed in the same way again is told once.
            if text != told {
                self.frontend.notice(&text);
            }
            if !goes_on {
                if again > 0 {
                    self.frontend.notice(&format!("gave up after {} tries", tries.begun));
                }
                self.say(Message::system(format!("The model could not answer: {text}")).hidden());
                return Generated::Failed;
            }
            let wait = self.wait_before(again, fault.retry_after);
            self.frontend.notice(&format!("trying again in {:.1} s", wait.as_secs_f64()));
            told = text;
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                reason = self.session.until_interrupted() => {
                    self.interrupted(reason, "").await;
                    return Generated::Interrupted;
                }
            }
            again += 1;
        }
    }

    /// Tells the hooks at `ERROR` of the call that failed last, and of what hooks made of it where that is something else.
    async fn failed(&mut self, tries: &mut Tries, fault: &GenerationFault, goes_on: bool) {
        let attempt = tries.begun.saturating_sub(1);
        if let Some((text, attempt)) = tries.failed.take().filter(|(text, _)| *text != fault.text) {
            self.error(ErrorSource::Model, &text, false, attempt).await;
        }
        self.error(ErrorSource::Model, &fault.text, goes_on, attempt).await;
    }

    /// What the server asked for, else half a second, doubled with each try.
    fn wait_before(&self, again: u32, asked: Option<Duration>) -> Duration {
        let doubled = Duration::from_millis(500).saturating_mul(1 << again.min(16));
        asked.unwrap_or(doubled).min(self.limits.longest_wait)
    }

    async fn request(&mut self) -> Request {
        self.note_model().await;
        let registry = self.session.hooks().load();
        Request {
            messages: self.session.log().to_messages(),
            model: self.session.model(),
            tools: registry.tools().specs(),
            ..Request::default()
        }
    }

    /// One answer with the hooks at `GENERATION` around it. What they stand around is in `tries`: each call to the model, with its
    /// `GENERATION_PRE`, its pieces and its `GENERATION_POST`.
    async fn wrapped(&mut self, tries: &mut Tries) -> Result<Generated, GenerationFault> {
        let request = self.request().await;
        tries.answered.clear();
        let (session, attempt, began) = (self.session.clone(), tries.begun, Instant::now());
        let wrapped = {
            let shared = Mutex::new((&mut *self, &mut *tries));
            let work = around!(session, GENERATION { request: &request, attempt }, async |event| {
                let (agent, tries) = &mut *shared.lock().await;
                agent.ask_model(event.request, tries).await
            });
            patient(&session, WIND_DOWN, work).await
        };
        if tries.not_stored {
            return Ok(Generated::NotStored);
        }
        let mut by = None;
        let result = match wrapped {
            None => Err(GenerationFault::new(FaultClass::Interrupted, "Interrupted.")),
            Some(wrapped) => {
                self.heard(wrapped.session_end(), wrapped.failures()).await;
                by = wrapped.answered_by().map(str::to_owned);
                wrapped.into_result().unwrap_or_else(|lost| {
                    let text = format!("The model was asked, and {lost}.");
                    Err(GenerationFault::new(FaultClass::Host, text))
                })
            }
        };
        let cut_short = tries.interrupted.take();
        if let Some((reason, partial)) = cut_short.or_else(|| {
            let reason = self.session.interrupted().filter(|_| result.is_err())?;
            Some((reason, String::new()))
        }) {
            self.interrupted(reason, &partial).await;
            return Ok(Generated::Interrupted);
        }
        match result {
            Ok(response) => Ok(self.settled(response, by, &request, tries, began.elapsed()).await),
            // What the hooks at `GENERATION_PRE` ended was not sent.
            Err(_) if self.ending.is_some() && tries.failed.is_none() => Ok(Generated::Interrupted),
            Err(fault) => Err(fault),
        }
    }

    /// The answer as a message: of the call that gave it, or of the hook that gave another one in its place.
    async fn settled(
        &mut self,
        response: Response,
        by: Option<String>,
        request: &Request,
        tries: &mut Tries,
        took: Duration,
    ) -> Generated {
        if let Some(call) = tries.answered.iter().find(|call| call.response == response) {
            return Generated::Answer(call.message());
        }
        // What hooks said before they answered.
        if self.stored().await.is_err() {
            return Generated::NotStored;
        }
        if let Err((reason, partial)) = self.show(&response, tries).await {
            self.interrupted(reason, &partial).await;
            return Generated::Interrupted;
        }
        let answered = tries.in_place(response, by.unwrap_or_default(), took);
        if tries.answered.is_empty() {
            // No call was made, and nothing used: the hooks there are told of the answer all the same.
            let model =
                if answered.response.model.is_empty() { &request.model } else { &answered.response.model };
            self.tell(&answered, None, model).await;
        }
        Generated::Answer(answered.message())
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
