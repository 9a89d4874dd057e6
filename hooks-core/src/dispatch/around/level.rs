//! One hook around the rest of its chain: what of the rest has run, and who goes on with it.
//!
//! The hook polls the rest as it polls any future. Where it waits for something else meanwhile, the dispatcher polls it, so that
//! what was begun gets on whatever the hook does; the clock of the hook's time limit may then stand still in good faith.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::base::boxed::BoxFuture;
use crate::base::guard::Guarded;
use crate::base::instant::Instant;
use crate::base::sync::{Mutex, lock};
use crate::declared::around::{CannotWait, Rest};
use crate::declared::failure::Cause;
use crate::declared::point::{AroundPoint, Point};

use super::env::{Broken, Ended, Env, Given, Got, Input};

/// One hook around the rest of its chain.
pub(super) struct Level<'l, 'e, P: Point> {
    env: &'l Env<'e, P>,
    /// The first hook of the rest.
    behind: usize,
    input: Option<&'l Arc<Input<P>>>,
    is_async: bool,
    began: Instant,
    state: Mutex<State<'l, P>>,
}

struct State<'l, P: Point> {
    /// What was begun and has not ended. Not here while it is polled.
    rest: Option<BoxFuture<'l, Ended<P>>>,
    /// Since when it is under way.
    since: Option<Instant>,
    /// How long the rest took.
    away: Duration,
    runs: u32,
    /// The last result.
    last: Option<Got<Given<P>>>,
    /// Whether the hook has yet to hear of it.
    unheard: bool,
    /// Whether the hook polled the rest since the dispatcher last polled the hook.
    polled: bool,
    /// Who in the hook waits for the rest.
    waker: Option<Waker>,
    broken: Option<Broken>,
    /// The rest was not ready at once, and the hook could not wait.
    waits: bool,
    /// The hook is being taken down: what it drops now it does not drop of its own will.
    ends: bool,
}

/// What a hook leaves.
pub(super) struct Left<'l, P: Point> {
    pub(super) rest: Option<BoxFuture<'l, Ended<P>>>,
    pub(super) last: Option<Got<Given<P>>>,
    pub(super) broken: Option<Broken>,
    pub(super) runs: u32,
    pub(super) away: Duration,
    pub(super) waits: bool,
}

/// What a hook without a future is unwound with where the work has panicked: no panic of its own.
struct HandedThrough;

impl<'l, 'e, P: AroundPoint> Level<'l, 'e, P> {
    pub(super) fn new(
        env: &'l Env<'e, P>,
        behind: usize,
        input: Option<&'l Arc<Input<P>>>,
        is_async: bool,
    ) -> Self {
        let state = Mutex::new(State {
            rest: None,
            since: None,
            away: Duration::ZERO,
            runs: 0,
            last: None,
            unheard: false,
            polled: false,
            waker: None,
            broken: None,
            waits: false,
            ends: false,
        });
        Self { env, behind, input, is_async, began: Instant::now(), state }
    }

    /// Polls a hook to its end, as long as it may take by itself: while the rest is under way its clock stands still.
    pub(super) async fn drive(
        &self,
        mut hook: Guarded<'_, ()>,
        limit: Option<Duration>,
        may_wait: bool,
    ) -> Option<Cause> {
        let mut alarm: Option<(BoxFuture<'static, ()>, Duration)> = None;
        poll_fn(|cx| {
            loop {
                lock(&self.state).polled = false;
                match hook.go_on(cx) {
                    Poll::Ready(Ok(())) => return Poll::Ready(hook.end().err().map(Cause::Panic)),
                    Poll::Ready(Err(panic)) => {
                        return Poll::Ready(self.take_down(&mut hook, Cause::Panic(panic)));
                    }
                    Poll::Pending => {}
                }
                if !self.is_left_alone() || self.go_on(cx).is_pending() {
                    break;
                }
            }
            let (under_way, away, broken) = {
                let state = lock(&self.state);
                (state.since.is_some(), state.away, state.broken.is_some())
            };
            if broken {
                self.take_down(&mut hook, Cause::Cancelled);
                return Poll::Ready(None);
            }
            if under_way {
                alarm = None;
                return Poll::Pending;
            }
            if !may_wait {
                return Poll::Ready(self.take_down(&mut hook, Cause::CannotWait));
            }
            let Some(limit) = limit else { return Poll::Pending };
            // The rest ran meanwhile, which is not of the hook's time.
            let (ring, _) = match &mut alarm {
                Some(set) if set.1 == away => set,
                set => {
                    let own = self.began.elapsed().saturating_sub(away);
                    let sleep = self.env.session.hooks().spawn().sleep(limit.saturating_sub(own));
                    set.insert((sleep, away))
                }
            };
            match ring.as_mut().poll(cx) {
                Poll::Ready(()) => {
                    Poll::Ready(self.take_down(&mut hook, Cause::Timeout { limit, words: String::new() }))
                }
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    /// Drops a hook that did not end by itself.
    fn take_down(&self, hook: &mut Guarded<'_, ()>, cause: Cause) -> Option<Cause> {
        lock(&self.state).ends = true;
        if let Err(panic) = hook.end() {
            tracing::error!(panic, "a hook panicked while it was dropped");
        }
        Some(cause)
    }

    /// The hook is over.
    pub(super) fn end(self) -> Left<'l, P> {
        let state = self.state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let State { rest, since, away, runs, last, broken, waits, .. } = state;
        let away = away + since.map_or(Duration::ZERO, |since| since.elapsed());
        Left { rest, last, broken, runs, away, waits }
    }

    /// Whether the rest is under way, and the hook did not poll it.
    fn is_left_alone(&self) -> bool {
        let state = lock(&self.state);
        state.rest.is_some() && !state.polled
    }

    /// Polls what was begun, with no lock held. Ready: nothing is under way any more.
    fn go_on(&self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(mut rest) = lock(&self.state).rest.take() else { return Poll::Ready(()) };
        let Poll::Ready(ended) = rest.as_mut().poll(cx) else {
            lock(&self.state).rest = Some(rest);
            return Poll::Pending;
        };
        drop(rest);
        let (replaced, waker) = {
            let mut state = lock(&self.state);
            state.rested();
            let replaced = match ended {
                Ok(got) => {
                    state.unheard = true;
                    state.last.replace(got)
                }
                Err(broken) => {
                    state.broken = Some(broken);
                    None
                }
            };
            (replaced, state.waker.take())
        };
        drop(replaced);
        waker.into_iter().for_each(Waker::wake);
        Poll::Ready(())
    }

    /// A copy of the result that the hook has yet to hear of. The dispatcher keeps the result itself, and copies it with no lock
    /// held: a copy is somebody's code.
    fn heard(&self) -> Option<Given<P>> {
        let kept = {
            let mut state = lock(&self.state);
            std::mem::take(&mut state.unheard).then(|| state.last.take()).flatten()
        }?;
        let copy = catch_unwind(AssertUnwindSafe(|| kept.value.clone()));
        lock(&self.state).last = Some(kept);
        Some(copy.unwrap_or_else(|payload| resume_unwind(payload)))
    }
}

impl<P: Point> State<'_, P> {
    /// Nothing is under way any more.
    fn rested(&mut self) {
        self.away += self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
    }
}

impl<P: AroundPoint> Rest<P::Verdict> for Level<'_, '_, P> {
    fn begin(&self, input: Option<Arc<Input<P>>>) {
        if lock(&self.state).broken.is_some() {
            // There will be no result, whatever runs now.
            return;
        }
        let rest = (self.env.rest)(self.env, self.behind, input.or_else(|| self.input.cloned()));
        let before = {
            let mut state = lock(&self.state);
            state.rested();
            state.since = Some(Instant::now());
            state.runs += 1;
            state.unheard = false;
            state.rest.replace(rest)
        };
        self.let_go(before);
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Given<P>> {
        let before = lock(&self.state).waker.take();
        drop(before);
        if self.go_on(cx).is_pending() {
            let waker = cx.waker().clone();
            let mut state = lock(&self.state);
            (state.polled, state.waker) = (true, Some(waker));
            return Poll::Pending;
        }
        match self.heard() {
            Some(value) => Poll::Ready(value),
            // There is nothing to go on with: the dispatcher takes a hook down that waits, and one that does not is unwound.
            None if self.is_async => Poll::Pending,
            None => resume_unwind(Box::new(HandedThrough)),
        }
    }

    fn run_now(&self, input: Option<Arc<Input<P>>>) -> Result<Given<P>, CannotWait> {
        if lock(&self.state).waits {
            return Err(CannotWait);
        }
        self.begin(input);
        if let Poll::Ready(value) = Rest::poll(self, &mut Context::from_waker(Waker::noop())) {
            return Ok(value);
        }
        let spawn = self.env.session.hooks().spawn();
        if self.env.now && spawn.may_block() {
            spawn.block_on(Box::pin(poll_fn(|cx| self.go_on(cx))));
            return Ok(self.heard().unwrap_or_else(|| resume_unwind(Box::new(HandedThrough))));
        }
        lock(&self.state).waits = true;
        Err(CannotWait)
    }

    fn dropped(&self) {
        let rest = {
            let mut state = lock(&self.state);
            if state.ends || std::thread::panicking() {
                return;
            }
            state.rested();
            state.rest.take()
        };
        self.let_go(rest);
    }
}

impl<P: AroundPoint> Level<'_, '_, P> {
    /// Drops what will not be gone on with. If that panics, it was the work.
    fn let_go(&self, rest: Option<BoxFuture<'_, Ended<P>>>) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(rest))) {
            lock(&self.state).broken = Some(Broken::Panic(payload));
        }
    }
}
