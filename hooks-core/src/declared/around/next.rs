//! `next`: the rest of a chain and the work behind it, in the hands of one hook.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::plain::verdict::{ChangedInput, Verdict};

/// What the rest of a chain is for the hook that wraps it. The dispatcher owns it: a hook that fails cannot take it along.
pub(crate) trait Rest<V: Verdict>: Sync {
    /// Begins the rest, on that input where there is one. What is left of an earlier run is dropped.
    fn begin(&self, input: Option<Arc<V::Fold>>);
    /// Goes on with what was begun.
    fn poll(&self, cx: &mut Context<'_>) -> Poll<V::First>;
    /// Begins the rest and goes on with it to its end, on this thread.
    fn run_now(&self, input: Option<Arc<V::Fold>>) -> Result<V::First, CannotWait>;
    /// The hook dropped what was begun.
    fn dropped(&self);
}

/// The rest of the chain and the host's work, as the parameter `next` of a hook at an around point: `next: TOOL_EXECUTE::Next<'_>`.
///
/// To run it consumes it: who wants to run it again says so, with [`repeatable`](Self::repeatable). A hook that never runs it and
/// gives no answer has declined, and the dispatcher runs the rest.
#[must_use = "unless it is run, the dispatcher runs the rest when the hook is over"]
pub struct Next<'a, V: Verdict> {
    rest: &'a (dyn Rest<V> + 'a),
    input: Option<Arc<V::Fold>>,
}

impl<'a, V: Verdict> Next<'a, V> {
    pub(crate) fn new(rest: &'a (dyn Rest<V> + 'a)) -> Self {
        Self { rest, input: None }
    }

    /// The same on another input: what the hooks further in and the work get in the field that the point marks with `#[fold]`.
    pub fn with<I>(self, input: I) -> Self
    where
        V: ChangedInput<I>,
    {
        Self { input: Some(Arc::new(input)), ..self }
    }

    /// Runs the rest of the chain and the work, and gives what came of it.
    ///
    /// Nothing runs before the future is polled. To drop it while it runs cancels the work; a hook that is cut off or panics
    /// meanwhile does not.
    pub fn run(self) -> Running<'a, V> {
        Running { rest: self.rest, step: Step::New(self.input) }
    }

    /// The same in a hook that is a plain `fn`.
    ///
    /// # Errors
    /// If the work is not ready at once and this thread may not wait for it. The work then goes on without the hook, which has
    /// failed: a hook around work that waits is an `async fn`.
    pub fn run_now(self) -> Result<V::First, CannotWait> {
        self.rest.run_now(self.input)
    }

    /// Asks for more than one run.
    pub fn repeatable(self) -> Repeatable<'a, V> {
        Repeatable(self)
    }
}

impl<V: Verdict> fmt::Debug for Next<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("changed", &self.input.is_some()).finish_non_exhaustive()
    }
}

/// A [`Next`] that may be run again: each run is the rest of the chain and the work once more, on the same input unless
/// another is given.
pub struct Repeatable<'a, V: Verdict>(Next<'a, V>);

impl<V: Verdict> Repeatable<'_, V> {
    /// Runs the rest of the chain and the work, as [`Next::run`] does.
    pub fn run(&mut self) -> Running<'_, V> {
        Running { rest: self.0.rest, step: Step::New(self.0.input.clone()) }
    }

    /// The same on another input, this once.
    pub fn run_with<I>(&mut self, input: I) -> Running<'_, V>
    where
        V: ChangedInput<I>,
    {
        Running { rest: self.0.rest, step: Step::New(Some(Arc::new(input))) }
    }

    /// Runs the rest of the chain and the work, as [`Next::run_now`] does.
    ///
    /// # Errors
    /// As there. What is under way then is not begun again.
    pub fn run_now(&mut self) -> Result<V::First, CannotWait> {
        self.0.rest.run_now(self.0.input.clone())
    }

    /// The same on another input, this once.
    ///
    /// # Errors
    /// As with [`Self::run_now`].
    pub fn run_now_with<I>(&mut self, input: I) -> Result<V::First, CannotWait>
    where
        V: ChangedInput<I>,
    {
        self.0.rest.run_now(Some(Arc::new(input)))
    }
}

impl<V: Verdict> fmt::Debug for Repeatable<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Repeatable").field(&self.0).finish()
    }
}

/// A run of the rest of a chain: the future that [`Next::run`] gives.
#[must_use = "nothing runs before it is awaited"]
pub struct Running<'a, V: Verdict> {
    rest: &'a (dyn Rest<V> + 'a),
    step: Step<V::Fold>,
}

enum Step<I> {
    New(Option<Arc<I>>),
    Begun,
    Done,
}

/// Nothing in it is ever pinned.
impl<V: Verdict> Unpin for Running<'_, V> {}

impl<V: Verdict> Future for Running<'_, V> {
    type Output = V::First;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<V::First> {
        let this = self.get_mut();
        match std::mem::replace(&mut this.step, Step::Begun) {
            Step::New(input) => this.rest.begin(input),
            Step::Begun => {}
            Step::Done => {
                this.step = Step::Done;
                return Poll::Pending;
            }
        }
        let polled = this.rest.poll(cx);
        if polled.is_ready() {
            this.step = Step::Done;
        }
        polled
    }
}

impl<V: Verdict> Drop for Running<'_, V> {
    fn drop(&mut self) {
        if matches!(self.step, Step::Begun) {
            self.rest.dropped();
        }
    }
}

impl<V: Verdict> fmt::Debug for Running<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("begun", &!matches!(self.step, Step::New(_))).finish_non_exhaustive()
    }
}

/// The rest of a chain is not ready at once, and a plain `fn` may not wait for it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the work is not ready at once, and a plain `fn` may not wait for it on this thread: make the hook an `async fn`, with `next.run().await`"
)]
pub struct CannotWait;
