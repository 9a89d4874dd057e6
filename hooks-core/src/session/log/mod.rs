//! The session's conversation: in memory, and in the sink that keeps it.
//!
//! `turn` is held by whoever appends, also while the sink works: it makes one order of the log, of what the sink gets and of
//! what the observer is told. `kept` is held for a moment only, so that nobody who reads waits for a disk.

mod place;
mod sink;
mod turn;
mod view;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::plain::message::Message;

pub use place::{LogPart, LogPlace};
pub use sink::{LogFault, LogSink};
pub use view::{LogIter, LogView};

use sink::{Cause, Misuse, flushed, guarded};
use turn::{Gate, Holder, Turn};

pub(crate) struct Log {
    kept: Mutex<Kept>,
    turn: Turn,
    sink: Option<Box<dyn LogSink>>,
    /// Whether somebody else is to see the log's order: a sink, an observer. Else appending is one lock.
    ordered: bool,
    gate: Gate,
    /// Who is just polling the sink's flush.
    flushing: Holder,
}

#[derive(Default)]
struct Kept {
    view: LogView,
    /// So many messages are known to be stored.
    stored: usize,
    /// What was lost and the barrier has not told yet.
    fault: Option<LogFault>,
    /// How often the log was cut back, and what was told of the last time.
    cuts: u64,
    last_cut: Option<LogFault>,
    /// How often another log was put in place.
    replaced: u64,
}

impl Kept {
    /// Notes a loss; the first one's cause stands.
    fn lose(&mut self, fault: &LogFault) {
        match &mut self.fault {
            Some(earlier) => earlier.lost = earlier.lost.saturating_add(fault.lost),
            None => self.fault = Some(fault.clone()),
        }
    }

    fn told(&mut self) -> Result<(), LogFault> {
        self.fault.take().map_or(Ok(()), Err)
    }

    fn has(&self, message: &Arc<Message>) -> bool {
        self.view.iter().rev().any(|held| Arc::ptr_eq(held, message))
    }
}

impl Log {
    pub(crate) fn new(messages: LogView, sink: Option<Box<dyn LogSink>>, observed: bool) -> Self {
        let kept = Kept { stored: messages.len(), view: messages, ..Kept::default() };
        Self {
            kept: Mutex::new(kept),
            turn: Turn::default(),
            ordered: observed || sink.is_some(),
            sink,
            gate: Gate::default(),
            flushing: Holder::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn view(&self) -> LogView {
        self.lock().view.clone()
    }

    /// The conversation from a place on.
    pub(crate) fn since(&self, place: LogPlace) -> LogPart {
        let (view, rewritten) = {
            let kept = self.lock();
            (kept.view.clone(), kept.cuts.saturating_add(kept.replaced))
        };
        LogPart::behind(place, &view, rewritten)
    }

    pub(crate) fn append(&self, session: &str, message: Message) -> Result<Arc<Message>, LogFault> {
        if !self.ordered {
            let message = Arc::new(message);
            self.push(&message);
            return Ok(message);
        }
        let Some(_turn) = self.turn.enter() else {
            return Err(self.lose(session, 1, Arc::new(Misuse::Within)));
        };
        self.take(message).map_err(|source| self.lose(session, 1, source))
    }

    /// Appends messages that belong together, up to the first that cannot be stored, and hands what is stored to `then` before
    /// anybody else may append (in a session that has a sink or an observer).
    pub(crate) fn append_all(
        &self,
        session: &str,
        messages: Vec<Message>,
        then: impl FnOnce(&[Arc<Message>]),
    ) -> (Vec<Arc<Message>>, Option<LogFault>) {
        let all = messages.len();
        let turn = if self.ordered && all > 0 { self.turn.enter() } else { None };
        let mut stored = Vec::with_capacity(all);
        let mut fault = None;
        if self.ordered && all > 0 && turn.is_none() {
            fault = Some(self.lose(session, all, Arc::new(Misuse::Within)));
        } else {
            for message in messages {
                match self.take(message) {
                    Ok(message) => stored.push(message),
                    Err(source) => {
                        fault = Some(self.lose(session, all - stored.len(), source));
                        break;
                    }
                }
            }
        }
        then(&stored);
        (stored, fault)
    }

    /// Gives a message to the sink, then to those who read.
    fn take(&self, mut message: Message) -> Result<Arc<Message>, Cause> {
        if let Some(sink) = &self.sink {
            guarded(|| sink.append(&mut message))?;
        }
        let message = Arc::new(message);
        self.push(&message);
        Ok(message)
    }

    fn push(&self, message: &Arc<Message>) {
        let message = Arc::clone(message);
        self.lock().view.push(message);
    }

    fn lose(&self, session: &str, lost: usize, source: Cause) -> LogFault {
        let fault = LogFault { session: session.to_owned(), lost, source };
        tracing::error!(%fault);
        self.lock().lose(&fault);
        fault
    }

    /// The barrier: completes when everything that was appended before is stored, or is lost and told.
    pub(crate) async fn flush(&self, session: &str) -> Result<(), LogFault> {
        // A sink that waits for itself must not take what the host is to be told.
        if self.turn.is_mine() || self.flushing.is_this_thread() {
            let source = Arc::new(Misuse::FlushWithin);
            return Err(LogFault { session: session.to_owned(), lost: 0, source });
        }
        let cuts = {
            let mut kept = self.lock();
            if self.sink.is_none() || kept.stored == kept.view.len() {
                return kept.told();
            }
            kept.cuts
        };
        let Some(sink) = self.sink.as_deref() else { return Ok(()) };
        let _pass = self.gate.enter().await;
        let (replaced, upto) = {
            let mut kept = self.lock();
            if kept.cuts != cuts {
                // What this call is about was lost by the flush before it.
                return kept.last_cut.clone().map_or(Ok(()), Err);
            }
            if kept.stored == kept.view.len() {
                return kept.told();
            }
            (kept.replaced, kept.view.len())
        };
        match flushed(sink, |poll| self.flushing.during(poll)).await {
            Ok(()) => {
                let mut kept = self.lock();
                if kept.replaced == replaced {
                    kept.stored = upto;
                }
                kept.told()
            }
            Err(source) => Err(self.cut_back(session, sink, source)),
        }
    }

    /// After a flush that failed: sink and log forget what is not stored.
    fn cut_back(&self, session: &str, sink: &dyn LogSink, source: Cause) -> LogFault {
        // `None` cannot be: a flush within the sink's `append` did not come so far.
        let _turn = self.turn.enter();
        let taken = {
            let kept = self.lock();
            kept.view.len().saturating_sub(kept.stored)
        };
        // Of a sink that panics nothing is known.
        let stored = guarded(|| Ok(sink.forget(taken))).unwrap_or(0).min(taken);
        let mut kept = self.lock();
        let fault = LogFault { session: session.to_owned(), lost: taken - stored, source };
        tracing::error!(%fault);
        kept.stored = kept.stored.saturating_add(stored);
        kept.view = kept.view.prefix(kept.stored);
        kept.lose(&fault);
        let fault = kept.fault.take().unwrap_or(fault);
        kept.cuts += 1;
        kept.last_cut = Some(fault.clone());
        fault
    }

    /// Appends a message and passes the barrier.
    pub(crate) async fn store(&self, session: &str, message: Message) -> Result<Arc<Message>, LogFault> {
        let message = match self.append(session, message) {
            Ok(message) => message,
            // The barrier is passed all the same, so that the fault is told once.
            Err(fault) => return self.flush(session).await.and(Err(fault)),
        };
        self.flush(session).await?;
        let kept = self.lock();
        match &kept.last_cut {
            // Somebody else's flush has failed in between, with this message.
            Some(fault) if !kept.has(&message) => Err(fault.clone()),
            _ => Ok(message),
        }
    }

    pub(crate) fn replace(&self, messages: LogView) {
        // Not waited for within the sink's `append`.
        let _turn = self.turn.enter();
        let mut kept = self.lock();
        kept.stored = messages.len();
        kept.view = messages;
        kept.replaced += 1;
    }
}

#[cfg(test)]
mod tests;
