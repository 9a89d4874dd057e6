//! The pieces of an answer, on their way to the hooks and to the user.

use std::ops::ControlFlow;
use std::sync::Arc;

use hookspec::hooks::BoxFuture;
use hookspec::model::ChunkKind;
use hookspec::points::GENERATION_CHUNK;
use hookspec::redact::Pieces;
use hookspec::session::InterruptReason;
use hookspec::{Flow, Session, fire};

use crate::models::ChunkSink;

use super::{Frontend, report_failures};

/// Hands each chunk to the hooks and to the user, redacted, and stops the stream when asked to.
pub(super) struct Chunks {
    session: Session,
    frontend: Arc<dyn Frontend>,
    index: u32,
    /// What was said so far, as it came.
    pub(super) text: String,
    /// What is held back of it, since what follows may make a credential of it.
    said: Pieces,
    thought: Pieces,
    /// The reason of a hook that ends the session.
    pub(super) session_end: Option<String>,
}

impl Chunks {
    pub(super) fn new(session: Session, frontend: Arc<dyn Frontend>) -> Self {
        let (said, thought) = (session.redact_pieces(), session.redact_pieces());
        Self { session, frontend, index: 0, text: String::new(), said, thought, session_end: None }
    }

    /// Takes an answer that is complete as one piece.
    pub(super) async fn whole(&mut self, text: &str) -> ControlFlow<()> {
        text.clone_into(&mut self.text);
        let safe = self.session.redacted(text).into_owned();
        self.hand_on(&safe, ChunkKind::Text).await
    }

    /// The answer is at its end: hands on what was held back.
    pub(super) async fn rest(&mut self) -> ControlFlow<()> {
        let thought = std::mem::replace(&mut self.thought, self.session.redact_pieces()).end();
        let said = std::mem::replace(&mut self.said, self.session.redact_pieces()).end();
        for (rest, kind) in [(thought, ChunkKind::Reasoning), (said, ChunkKind::Text)] {
            if !rest.is_empty() {
                self.hand_on(&rest, kind).await?;
            }
        }
        ControlFlow::Continue(())
    }

    async fn hand_on(&mut self, text: &str, kind: ChunkKind) -> ControlFlow<()> {
        self.frontend.chunk(text, kind);
        if self.session.listens(GENERATION_CHUNK) {
            let fired = fire!(self.session, GENERATION_CHUNK { chunk: text, kind, index: self.index }).await;
            report_failures(&self.session, &fired).await;
            if *fired.flow() != Flow::Continue {
                self.session_end = fired.session_end().map(str::to_owned);
                self.session.interrupt(InterruptReason::Hook);
            }
        }
        self.index = self.index.saturating_add(1);
        if self.session.interrupted().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl ChunkSink for Chunks {
    fn chunk<'a>(&'a mut self, text: &'a str, kind: ChunkKind) -> BoxFuture<'a, ControlFlow<()>> {
        Box::pin(async move {
            let pieces = match kind {
                ChunkKind::Text => {
                    self.text.push_str(text);
                    &mut self.said
                }
                ChunkKind::Reasoning => &mut self.thought,
            };
            let safe = pieces.push(text);
            if safe.is_empty() && !text.is_empty() {
                let interrupted = self.session.interrupted().is_some();
                return if interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            self.hand_on(&safe, kind).await
        })
    }
}
