//! Calls to the model, where a client tells of them.

use std::time::Duration;

use hookspec::model::{ChunkKind, FinishReason, Request};
use hookspec::points::{
    GENERATION_CHUNK, GENERATION_POST, GENERATION_PRE, MESSAGE_POST_PROCESS, MESSAGE_TRANSFORM, STEP_POST,
    STEP_PRE,
};
use hookspec::{Flow, Message, Role, fire_now};
use serde_json::{Map, Value, json};

use super::Run;
use crate::notes::shortened;
use crate::outcome::Reason;

/// More of an answer is not remembered.
const LONGEST_ANSWER: usize = 256 * 1024;

impl Run<'_> {
    pub(super) fn step_begin(&mut self) {
        let fired = fire_now!(self.session, STEP_PRE { step: self.notes.steps });
        self.absorb(&fired);
        self.notes.steps = self.notes.steps.saturating_add(1);
        self.notes.begun = true;
        self.notes.asked_at = Some(self.session.clock().now());
        self.notes.answer.clear();
        self.notes.pieces = 0;
    }

    pub(super) fn step_over(&mut self, calls: u32) {
        if !std::mem::take(&mut self.notes.begun) {
            self.notes.steps = self.notes.steps.saturating_add(1);
        }
        let step = self.notes.steps.saturating_sub(1);
        let noted = std::mem::take(&mut self.notes.calls);
        let tool_calls = if calls == 0 { noted } else { calls };
        let fired = fire_now!(self.session, STEP_POST { step, tool_calls, usage: None });
        self.absorb(&fired);
    }

    pub(super) fn model_pre(&mut self, request: &Request) {
        self.step_begin();
        let mut fired = fire_now!(self.session, GENERATION_PRE { request, attempt: 0 });
        if let Some(reason) = fired.session_end() {
            self.outcome.halt.get_or_insert_with(|| Reason::new(reason));
        }
        let mut changed = fired.take_value().unwrap_or_else(|| request.clone());
        // What is said here goes into this one request.
        changed.messages.extend(fired.into_messages());
        self.outcome.rewrite = difference(request, &changed);
    }

    pub(super) fn model_post(&mut self, text: &str, finish: Option<FinishReason>) {
        if !text.is_empty() {
            let index = self.notes.pieces;
            self.notes.pieces = index.saturating_add(1);
            self.shown(text, index);
            let shown = self.outcome.replace.as_deref().unwrap_or(text);
            let room = LONGEST_ANSWER.saturating_sub(self.notes.answer.len());
            if room > 0 {
                self.notes.answer.push_str(&shortened(shown.to_owned(), room));
            }
        }
        if let Some(finish_reason) = finish {
            let answer = std::mem::take(&mut self.notes.answer);
            self.generation_post(&Message::assistant(answer), finish_reason);
        }
    }

    fn generation_post(&mut self, response: &Message, finish_reason: FinishReason) {
        let now = self.session.clock().now();
        let began = self.notes.asked_at.take().unwrap_or(now);
        let duration = Duration::try_from(now.duration_since(began)).unwrap_or_default();
        let model = self.session.model();
        let fired = fire_now!(
            self.session,
            GENERATION_POST { response, usage: None, cost: None, duration, finish_reason, model: &model }
        );
        self.absorb(&fired);
    }

    pub(super) fn answered(&mut self, text: &str) {
        let message = Message::assistant(text);
        self.generation_post(&message, FinishReason::Stop);
        self.said(message);
    }

    /// An answer that the client has shown.
    pub(super) fn said(&mut self, message: Message) {
        match self.session.append(message) {
            Ok(message) => {
                let fired = fire_now!(self.session, MESSAGE_POST_PROCESS { message: &message });
                self.absorb(&fired);
            }
            Err(fault) => tracing::error!(%fault, "hooks are not told of an answer that could not be kept"),
        }
    }

    /// A piece of an answer that a hook may put another text in place of.
    pub(super) fn shown(&mut self, text: &str, index: u32) {
        self.chunk(text, ChunkKind::Text, index);
        let message = Message::assistant(text);
        let mut fired = fire_now!(self.session, MESSAGE_TRANSFORM { message: &message });
        self.absorb(&fired);
        self.outcome.replace =
            fired.take_value().map(|changed| changed.content).filter(|changed| changed != text);
    }

    pub(super) fn thought(&mut self, text: &str) {
        self.chunk(text, ChunkKind::Reasoning, 0);
    }

    fn chunk(&mut self, chunk: &str, kind: ChunkKind, index: u32) {
        let fired = fire_now!(self.session, GENERATION_CHUNK { chunk, kind, index });
        self.absorb(&fired);
        if *fired.flow() == Flow::Stop {
            self.outcome.halt.get_or_insert_with(|| Reason::new("a hook cut the generation short"));
        }
    }
}

/// What is different in a request, in Gemini's words; nothing where it is the same.
fn difference(old: &Request, new: &Request) -> Option<Value> {
    let mut all = Map::new();
    if old.messages != new.messages {
        let role = |message: &Message| if message.role == Role::Assistant { "model" } else { "user" };
        let messages = new.messages.iter();
        let messages = messages.map(|message| json!({ "role": role(message), "content": message.content }));
        all.insert("messages".to_owned(), messages.collect());
    }
    if old.model != new.model {
        all.insert("model".to_owned(), Value::from(new.model.as_str()));
    }
    if old.parameters != new.parameters {
        let mut config = new.parameters.extra.clone();
        config
            .extend(new.parameters.max_tokens.map(|most| ("maxOutputTokens".to_owned(), Value::from(most))));
        config.extend(new.parameters.temperature.map(|heat| ("temperature".to_owned(), Value::from(heat))));
        all.insert("config".to_owned(), Value::Object(config));
    }
    (!all.is_empty()).then_some(Value::Object(all))
}
