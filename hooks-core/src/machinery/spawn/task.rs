//! A future that is run to its end on pool threads, poll by poll.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::base::boxed::BoxFuture;
use crate::base::sync::{Mutex, lock};

use super::wakers::forget;
use super::{Spawn, SpawnError};

/// How a task ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// It was ready.
    Done,
    /// A poll of it panicked.
    Panicked,
    /// There was no thread to go on with it.
    Refused(SpawnError),
    /// It waits, and whatever could have woken it is gone.
    Forsaken,
}

type AtEnd = Box<dyn FnOnce(Ended) + Send>;

/// A future on its way. It has no owner: its wakers and the pool hold it.
pub(crate) struct Task {
    spawn: Arc<dyn Spawn>,
    state: Mutex<State>,
    at_end: Mutex<Option<AtEnd>>,
}

enum State {
    /// It is being given to the pool.
    Given(BoxFuture<'static, ()>),
    /// The pool lost it before it said whether it takes it.
    Dropped(BoxFuture<'static, ()>),
    /// The pool has it.
    Queued(BoxFuture<'static, ()>),
    /// It is being polled.
    Polled,
    /// It is being polled, and was woken meanwhile.
    Woken,
    /// It waits to be woken.
    Asleep(BoxFuture<'static, ()>),
    Over,
}

impl Task {
    /// Starts a future. `at_end` is called once, after the future is dropped, unless this fails.
    ///
    /// # Errors
    /// If there is no thread for it; both are dropped.
    pub(crate) fn start(
        spawn: &Arc<dyn Spawn>,
        future: BoxFuture<'static, ()>,
        at_end: AtEnd,
    ) -> Result<(), SpawnError> {
        let task = Arc::new(Self {
            spawn: Arc::clone(spawn),
            state: Mutex::new(State::Given(future)),
            at_end: Mutex::new(Some(at_end)),
        });
        task.submit().inspect_err(|_| {
            let at_end = lock(&task.at_end).take();
            task.over(None);
            forget(at_end);
        })
    }

    fn put(&self, state: State) -> State {
        std::mem::replace(&mut *lock(&self.state), state)
    }

    /// Gives a task that is [`State::Given`] to the pool.
    fn submit(self: &Arc<Self>) -> Result<(), SpawnError> {
        let turn = Turn(Some(Arc::clone(self)));
        let taken = self.spawn.run(Box::new(move || turn.run()));
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, State::Over) {
            State::Given(future) => {
                let lost = taken.is_err();
                *state = if lost { State::Dropped(future) } else { State::Queued(future) };
                taken
            }
            State::Dropped(future) => {
                *state = State::Dropped(future);
                taken.and_then(|()| Err(lost()))
            }
            // It runs or has run already, whatever the pool says.
            other => {
                *state = other;
                Ok(())
            }
        }
    }

    fn submit_or_end(self: &Arc<Self>) {
        if let Err(error) = self.submit() {
            self.over(Some(Ended::Refused(error)));
        }
    }

    fn poll(self: Arc<Self>) {
        let mut future = {
            let mut state = lock(&self.state);
            match std::mem::replace(&mut *state, State::Polled) {
                State::Given(future) | State::Queued(future) => future,
                other => {
                    *state = other;
                    return;
                }
            }
        };
        let waker = Waker::from(Arc::clone(&self));
        let mut context = Context::from_waker(&waker);
        let how = match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut context))) {
            Ok(Poll::Ready(())) => Ended::Done,
            Ok(Poll::Pending) => {
                let mut state = lock(&self.state);
                let woken = matches!(*state, State::Woken);
                *state = if woken { State::Given(future) } else { State::Asleep(future) };
                drop(state);
                if woken {
                    self.submit_or_end();
                }
                return;
            }
            Err(payload) => {
                forget(payload);
                Ended::Panicked
            }
        };
        forget(future);
        self.over(Some(how));
    }

    /// Drops what there is of the future, then tells.
    fn over(&self, how: Option<Ended>) {
        let left = self.put(State::Over);
        forget(left);
        let at_end = lock(&self.at_end).take();
        if let (Some(at_end), Some(how)) = (at_end, how) {
            at_end(how);
        }
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, State::Over) {
            State::Asleep(future) => {
                *state = State::Given(future);
                drop(state);
                self.submit_or_end();
            }
            State::Polled | State::Woken => *state = State::Woken,
            other => *state = other,
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.over(Some(Ended::Forsaken));
    }
}

/// One poll, as a job.
struct Turn(Option<Arc<Task>>);

impl Turn {
    fn run(mut self) {
        if let Some(task) = self.0.take() {
            task.poll();
        }
    }
}

impl Drop for Turn {
    /// The pool did not run it.
    fn drop(&mut self) {
        let Some(task) = self.0.take() else { return };
        let mut state = lock(&task.state);
        match std::mem::replace(&mut *state, State::Over) {
            // Whoever gives it learns of it.
            State::Given(future) => *state = State::Dropped(future),
            State::Queued(future) => {
                drop(state);
                forget(future);
                task.over(Some(Ended::Refused(lost())));
            }
            other => *state = other,
        }
    }
}

fn lost() -> SpawnError {
    SpawnError("the job was dropped before it ran".to_owned())
}
