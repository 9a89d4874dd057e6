//! The pieces of an answer, on their way to the hooks and to the user.

use std::ops::ControlFlow;
use std::sync::Arc;

use hookspec::hooks::BoxFuture;
use hookspec::model::ChunkKind;
use hookspec::points::GENERATION_CHUNK;
use hookspec::session::InterruptReason;
use hookspec::{Flow, Session, fire};

use crate::models::ChunkSink;

use super::{Frontend, report_failures};

/// Hands each chunk to the hooks and to the user, and stops the stream when asked to.
pub(super) struct Chunks {
    session: Session,
    frontend: Arc<dyn Frontend>,
    index: u32,
    /// What was said so far.
    pub(super) text: String,
    /// The reason of a hook that ends the session.
    pub(super) session_end: Option<String>,
}

impl Chunks {
    pub(super) fn new(session: Session, frontend: Arc<dyn Frontend>) -> Self {
        Self { session, frontend, index: 0, text: String::new(), session_end: None }
    }
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
