//! Watching: when a hook ran and for how long, for the observer, the budget and `trace`.
//!
//! One reading of the clock a hook: the end of one is the beginning of the next. Where nobody watches there is none.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::base::guard::guarded;
use crate::base::instant::Instant;
use crate::base::json::{self, Value};
use crate::declared::failure::Cause;
use crate::declared::point::Point;
use crate::plain::clock::Timestamp;
use crate::plain::flow::Flow;
use crate::plain::hook_info::HookInfo;
use crate::plain::message::Message;
use crate::plain::verdict::{Gate, Verdict};
use crate::registry::{HookSlot, Slots};
use crate::session::Session;
use crate::session::timeline::{Recorded, RecordedFire, RecordedRun, SaidAround, SaidRecord};

use super::FoldOf;

/// A hook that took longer than this is named in a warning, unless it set its own budget.
const BUDGET: Duration = Duration::from_secs(5);

/// Tells the observer that a point fired.
pub(super) fn fired<P: Point>(session: &Session) {
    let (at, offset) = (session.clock().now(), session.age());
    session.observe(Recorded::Fired(RecordedFire { point: P::INFO, at, offset }));
}

/// The clock of one chain: nanoseconds since it began.
pub(super) struct Laps {
    /// `None` where nobody watches.
    base: Option<Base>,
    /// When the last hook ended, and so the next began.
    last: u64,
    observed: bool,
}

/// When a chain began.
#[derive(Clone, Copy)]
struct Base {
    /// The time of day; on a clock that is moved by hand, that of the next hook.
    at: Timestamp,
    offset: u64,
    began: Instant,
    by_hand: bool,
}

impl Base {
    fn now(session: &Session) -> Self {
        let (began, clock) = (Instant::now(), session.clock());
        let offset = nanos(session.age_at(began));
        Self { at: clock.now(), offset, began, by_hand: !clock.runs_by_itself() }
    }

    #[inline]
    fn elapsed(&self) -> u64 {
        nanos(Instant::now().saturating_duration_since(self.began))
    }

    #[inline]
    fn run(&self, hook: &Arc<HookInfo>, began: u64, took: u64) -> RecordedRun {
        let since = if self.by_hand { 0 } else { began };
        let (hook, offset) = (Arc::clone(hook), self.offset.saturating_add(began));
        RecordedRun { hook, at: (self.at, since), offset, took, background: false, said: None }
    }
}

#[inline]
fn nanos(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1_000_000_000).saturating_add(u64::from(duration.subsec_nanos()))
}

/// Whether it must be known how long the hooks of a chain take.
pub(super) fn is_watched<P: Point>(slots: &Slots<P>, session: &Session) -> bool {
    session.is_observed() || slots.budgets || tracing::enabled!(tracing::Level::TRACE)
}

impl Laps {
    /// Begins a chain; the observer is told that its point fired.
    pub(super) fn start<P: Point>(slots: &Slots<P>, session: &Session) -> Self {
        let observed = session.is_observed();
        let watched = is_watched(slots, session);
        let base = watched.then(|| Base::now(session));
        if let Some(base) = base.filter(|_| observed) {
            let (at, offset) = (base.at, Duration::from_nanos(base.offset));
            session.observe(Recorded::Fired(RecordedFire { point: P::INFO, at, offset }));
        }
        Self { base, last: 0, observed }
    }

    /// A hook ran from the end of the last one until now, and said nothing.
    #[inline]
    pub(super) fn silent<P: Point>(&mut self, hook: &HookSlot<P>, session: &Session) {
        let Some(base) = &mut self.base else { return };
        let ended = base.elapsed();
        let (began, took) = (self.last, ended.saturating_sub(self.last));
        self.last = ended;
        look(hook, took);
        if self.observed {
            session.observe(Recorded::Ran(base.run(&hook.info, began, took)));
        }
        if base.by_hand {
            base.at = session.clock().now();
        }
    }

    /// A hook begins, or began at the end of the last one.
    pub(super) fn begin<'a, P: Point>(&self, hook: &'a HookSlot<P>, session: &'a Session) -> Begun<'a, P> {
        Begun { hook, session, background: false, base: self.base, began: self.last }
    }

    /// A hook ended then; the next begins.
    pub(super) fn next(&mut self, ended: Option<u64>, session: &Session) {
        self.last = ended.unwrap_or(self.last);
        if let Some(base) = self.base.as_mut().filter(|base| base.by_hand) {
            base.at = session.clock().now();
        }
    }

    /// What came of a hook is settled, which took its time: the next begins now.
    pub(super) fn again(&mut self, session: &Session) {
        if let Some(base) = &mut self.base {
            self.last = base.elapsed();
            if base.by_hand {
                base.at = session.clock().now();
            }
        }
    }
}

/// Names a hook that took too long.
#[inline]
fn look<P: Point>(hook: &HookSlot<P>, took: u64) {
    if took > hook.info.budget.map_or(nanos(BUDGET), nanos) {
        overran(hook, took);
    }
    tracing::trace!(hook = hook.info.name, point = P::INFO.wire, took = ?Duration::from_nanos(took), "ran");
}

#[cold]
fn overran<P: Point>(hook: &HookSlot<P>, took: u64) {
    let (took, budget) = (Duration::from_nanos(took), hook.info.budget.unwrap_or(BUDGET));
    tracing::warn!(hook = hook.info.name, ?took, ?budget, "this hook overran its budget");
}

/// A hook that runs. Unless it is stopped it was cut short.
pub(super) struct Begun<'a, P: Point> {
    hook: &'a HookSlot<P>,
    session: &'a Session,
    background: bool,
    /// `None` where nobody watches.
    base: Option<Base>,
    began: u64,
}

impl<'a, P: Point> Begun<'a, P> {
    /// A hook that runs beside the chain.
    pub(super) fn beside(hook: &'a HookSlot<P>, session: &'a Session) -> Self {
        Self { hook, session, background: true, base: Some(Base::now(session)), began: 0 }
    }

    /// A hook around work begins.
    pub(super) fn around(hook: &'a HookSlot<P>, session: &'a Session, watched: bool) -> Self {
        let base = watched.then(|| Base::now(session));
        Self { hook, session, background: false, base, began: 0 }
    }

    /// The hook ended. `None` where nobody watches.
    pub(super) fn stop(mut self) -> (Option<Lap<'a, P>>, Option<u64>) {
        self.end(Some(0))
    }

    /// A hook around work ended; the rest of its chain took so long of its time. `ran`: how often that ran, and whether the
    /// hook gave an answer, where it was given the rest at all.
    pub(super) fn stop_around(mut self, away: Duration, ran: Option<(u32, bool)>) -> Option<Lap<'a, P>> {
        let next = nanos(away);
        let mut lap = self.end(Some(next)).0?;
        if let Some((runs, answered)) = ran {
            lap.run.said.get_or_insert_default().around = Some(SaidAround { runs, answered, next });
        }
        Some(lap)
    }

    /// `away`: what of the time was not its own; `None` where that is not known.
    fn end(&mut self, away: Option<u64>) -> (Option<Lap<'a, P>>, Option<u64>) {
        let Some(base) = self.base.take() else { return (None, None) };
        let ended = base.elapsed();
        let Self { hook, session, background, began, .. } = *self;
        let took = ended.saturating_sub(began);
        if let Some(away) = away {
            look(hook, took.saturating_sub(away));
        }
        let lap = session.is_observed().then(|| Lap {
            session,
            run: RecordedRun { background, ..base.run(&hook.info, began, took) },
            point: PhantomData,
        });
        (lap, Some(ended))
    }
}

impl<P: Point> Drop for Begun<'_, P> {
    fn drop(&mut self) {
        let away = if <P::Verdict as Verdict>::AROUND { None } else { Some(0) };
        if let (Some(mut lap), _) = self.end(away) {
            let said = SaidRecord { error: Some(Cause::Cancelled.to_string()), ..SaidRecord::default() };
            lap.run.said = Some(Box::new(said));
            lap.record(&[]);
        }
    }
}

/// A run of a hook that is to be told to the observer.
pub(super) struct Lap<'a, P: Point> {
    session: &'a Session,
    run: RecordedRun,
    point: PhantomData<P>,
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
            let around = self.run.said.take().and_then(|said| said.around);
            let said = SaidRecord { messages: Vec::new(), gate, fold, first, flow, error, around };
            self.run.said = Some(Box::new(said));
        }
        self
    }

    /// Tells the observer, with the messages of the hook.
    pub(super) fn record(mut self, messages: &[Arc<Message>]) {
        if !messages.is_empty() {
            self.run.said.get_or_insert_default().messages = messages.to_vec();
        }
        self.session.observe(Recorded::Ran(self.run));
    }
}

fn shown<T: Serialize>(value: &T) -> Option<Value> {
    guarded(|| json::to_value(value)).ok()?.ok()
}
