//! Watching: when a hook ran and for how long, for the observer, the budget and `trace`.
//!
//! One reading of the clock a hook: the end of one is the beginning of the next. Where nobody watches there is none.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::Serialize;

use crate::failure::Cause;
use crate::flow::Flow;
use crate::guard::guarded;
use crate::message::Message;
use crate::point::Point;
use crate::registry::{HookSlot, Slots};
use crate::session::Session;
use crate::timeline::{Recorded, RecordedFire, RecordedRun, SaidRecord};
use crate::verdict::{Gate, Verdict};

use super::FoldOf;

/// A hook that took longer than this is named in a warning, unless it set its own budget.
const BUDGET: Duration = Duration::from_secs(5);

/// Tells the observer that a point fired.
pub(super) fn fired<P: Point>(session: &Session) -> (Timestamp, Duration) {
    let (at, offset) = (session.clock().now(), session.age());
    session.observe(Recorded::Fired(RecordedFire { point: P::INFO, at, offset }));
    (at, offset)
}

/// The clock of one chain.
pub(super) struct Laps {
    /// When the chain began; `None` where nobody watches.
    began: Option<(Timestamp, Duration, Instant)>,
    last: Option<Instant>,
}

impl Laps {
    /// Begins a chain; the observer is told that its point fired.
    pub(super) fn start<P: Point>(slots: &Slots<P>, session: &Session) -> Self {
        let watched = session.is_observed() || slots.budgets || tracing::enabled!(tracing::Level::TRACE);
        let began = watched.then(|| {
            let now = Instant::now();
            let at = session.clock().now();
            let offset = session.age_at(now);
            if session.is_observed() {
                session.observe(Recorded::Fired(RecordedFire { point: P::INFO, at, offset }));
            }
            (at, offset, now)
        });
        Self { began, last: began.map(|(_, _, now)| now) }
    }

    /// A hook begins.
    pub(super) fn begin<'a, P: Point>(&self, hook: &'a HookSlot<P>, session: &'a Session) -> Begun<'a, P> {
        let began = self.began.zip(self.last).map(|((at, offset, first), last)| {
            let since = last.saturating_duration_since(first);
            (session.clock().after(at, since), offset.saturating_add(since), last)
        });
        Begun { hook, session, background: false, began }
    }

    /// A hook ended so; the next begins now.
    pub(super) fn next(&mut self, ended: Option<Instant>) {
        self.last = ended.or(self.last);
    }

    /// The same, when something took time since.
    pub(super) fn again(&mut self) {
        if self.last.is_some() {
            self.last = Some(Instant::now());
        }
    }
}

/// A hook that runs. Unless it is stopped it was cut short.
pub(super) struct Begun<'a, P: Point> {
    hook: &'a HookSlot<P>,
    session: &'a Session,
    background: bool,
    began: Option<(Timestamp, Duration, Instant)>,
}

impl<'a, P: Point> Begun<'a, P> {
    /// A hook that runs beside the chain.
    pub(super) fn beside(hook: &'a HookSlot<P>, session: &'a Session) -> Self {
        let now = Instant::now();
        let began = Some((session.clock().now(), session.age_at(now), now));
        Self { hook, session, background: true, began }
    }

    /// The hook ended. `None` where nobody watches.
    pub(super) fn stop(mut self) -> (Option<Lap<'a, P>>, Option<Instant>) {
        let Some((at, offset, since)) = self.began.take() else { return (None, None) };
        let now = Instant::now();
        (self.lap(at, offset, now.saturating_duration_since(since)), Some(now))
    }

    fn lap(&self, at: Timestamp, offset: Duration, took: Duration) -> Option<Lap<'a, P>> {
        let Self { hook, session, background, .. } = *self;
        let budget = hook.info.budget.unwrap_or(BUDGET);
        if took > budget {
            tracing::warn!(hook = hook.info.name, ?took, ?budget, "this hook overran its budget");
        }
        tracing::trace!(hook = hook.info.name, point = P::INFO.wire, ?took, "ran");
        session.is_observed().then_some(Lap { hook, session, background, at, offset, took, said: None })
    }
}

impl<P: Point> Drop for Begun<'_, P> {
    fn drop(&mut self) {
        if let Some((at, offset, since)) = self.began.take()
            && let Some(lap) = self.lap(at, offset, since.elapsed())
        {
            let said = SaidRecord { error: Some(Cause::Cancelled.to_string()), ..SaidRecord::default() };
            Lap { said: Some(Box::new(said)), ..lap }.record(&[]);
        }
    }
}

/// A run of a hook that is to be told to the observer.
pub(super) struct Lap<'a, P: Point> {
    hook: &'a HookSlot<P>,
    session: &'a Session,
    background: bool,
    at: Timestamp,
    offset: Duration,
    took: Duration,
    said: Option<Box<SaidRecord>>,
}

impl<P: Point> Lap<'_, P> {
    /// The same with what the hook said beside messages.
    pub(super) fn saying(
        mut self,
        gate: Option<&Gate>,
        fold: Option<&FoldOf<P>>,
        first: Option<&<P::Verdict as Verdict>::First>,
        flow: &Flow,
        error: Option<String>,
    ) -> Self {
        let flow = (*flow != Flow::Continue).then(|| flow.clone());
        if gate.is_some() || fold.is_some() || first.is_some() || flow.is_some() || error.is_some() {
            let gate = gate.cloned();
            let (fold, first) = (fold.and_then(shown), first.and_then(shown));
            self.said = Some(Box::new(SaidRecord { messages: Vec::new(), gate, fold, first, flow, error }));
        }
        self
    }

    /// Tells the observer, with the messages of the hook.
    pub(super) fn record(mut self, messages: &[Arc<Message>]) {
        if !messages.is_empty() {
            self.said.get_or_insert_default().messages = messages.to_vec();
        }
        let Self { hook, session, background, at, offset, took, said } = self;
        let hook = Arc::clone(&hook.info);
        session.observe(Recorded::Ran(RecordedRun { hook, at, offset, took, background, said }));
    }
}

fn shown<T: Serialize>(value: &T) -> Option<serde_json::Value> {
    guarded(|| serde_json::to_value(value)).ok()?.ok()
}
