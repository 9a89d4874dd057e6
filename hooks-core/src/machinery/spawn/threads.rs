//! Plain threads, few and kept for reuse.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use crate::base::boxed::BoxFuture;
use crate::base::sync::{Condvar, Mutex, lock};

use super::alarms::Alarms;
use super::wakers::forget;
use super::{Job, Spawn, SpawnError};

/// Plain threads: at most [`Threads::MOST`] at work, kept five seconds for reuse.
///
/// A thread that waits in [`block_on`](Spawn::block_on) is not at work: it lends its place to another one for as long,
/// so that what it waits for finds a thread however many wait. What is given from one of the threads runs before what
/// comes from elsewhere, since somebody may wait for it.
#[derive(Clone, Default)]
pub struct Threads {
    pool: Arc<Pool>,
    alarms: Arc<Alarms>,
}

#[derive(Default)]
struct Pool {
    jobs: Mutex<Jobs>,
    work: Condvar,
}

#[derive(Default)]
struct Jobs {
    /// From outside of the pool.
    waiting: VecDeque<Job>,
    /// From threads of the pool.
    nested: VecDeque<Job>,
    idle: usize,
    threads: usize,
    /// How many of the threads wait in `block_on`.
    lent: usize,
}

thread_local! {
    /// The pool that this thread belongs to.
    static OWNER: RefCell<Option<Arc<Pool>>> = const { RefCell::new(None) };
}

fn owner() -> Option<Arc<Pool>> {
    OWNER.try_with(|owner| owner.borrow().clone()).ok().flatten()
}

impl Jobs {
    fn queued(&self) -> usize {
        self.waiting.len() + self.nested.len()
    }

    fn queue(&mut self, nested: bool) -> &mut VecDeque<Job> {
        if nested { &mut self.nested } else { &mut self.waiting }
    }

    fn pop(&mut self) -> Option<Job> {
        self.nested.pop_front().or_else(|| self.waiting.pop_front())
    }

    /// Whether there is more to do than idle threads for it, and a place for one more.
    fn wants_thread(&self) -> bool {
        self.queued() > self.idle && self.threads - self.lent < Threads::MOST
    }
}

impl Pool {
    const IDLE: Duration = Duration::from_secs(5);

    /// Sees that what is queued finds a thread, as far as places go.
    fn staff(self: &Arc<Self>, jobs: &mut Jobs) -> std::io::Result<()> {
        if !jobs.wants_thread() {
            self.work.notify_one();
            return Ok(());
        }
        let pool = Arc::clone(self);
        crate::base::sync::start("hookspec", move || pool.work())?;
        jobs.threads += 1;
        Ok(())
    }

    fn work(self: Arc<Self>) {
        OWNER.set(Some(Arc::clone(&self)));
        let mut jobs = lock(&self.jobs);
        loop {
            // Those who waited are back: there are enough without this one.
            let spare = jobs.threads - jobs.lent > Threads::MOST;
            if !spare && let Some(job) = jobs.pop() {
                drop(jobs);
                // A job catches its own hook's panic; one that escapes must not take the thread's count along.
                if let Err(payload) = catch_unwind(AssertUnwindSafe(job)) {
                    forget(payload);
                }
                jobs = lock(&self.jobs);
                continue;
            }
            if spare {
                jobs.threads -= 1;
                return;
            }
            jobs.idle += 1;
            let (back, waited) =
                self.work.wait_timeout(jobs, Self::IDLE).unwrap_or_else(PoisonError::into_inner);
            jobs = back;
            jobs.idle -= 1;
            if waited.timed_out() && jobs.queued() == 0 {
                jobs.threads -= 1;
                return;
            }
        }
    }

    /// Runs `wait` while another thread may have this one's place.
    fn lend(self: &Arc<Self>, wait: impl FnOnce()) {
        struct Back<'p>(&'p Pool);
        impl Drop for Back<'_> {
            fn drop(&mut self) {
                lock(&self.0.jobs).lent -= 1;
            }
        }
        let back = {
            let mut jobs = lock(&self.jobs);
            jobs.lent += 1;
            if jobs.queued() > 0
                && let Err(error) = self.staff(&mut jobs)
            {
                tracing::error!(%error, "a thread waits for others, and no other could be had");
            }
            Back(self)
        };
        wait();
        drop(back);
    }
}

impl Threads {
    /// How many threads are at work at most. Further jobs wait.
    pub const MOST: usize = 64;
    /// How many jobs wait at most, and as many again that come from its own threads. Further ones are refused.
    pub const MOST_WAITING: usize = 4096;

    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        lock(&self.pool.jobs).threads
    }

    #[cfg(test)]
    pub(crate) fn alarms(&self) -> usize {
        self.alarms.len()
    }
}

impl Spawn for Threads {
    fn run(&self, job: Job) -> Result<(), SpawnError> {
        let nested = owner().is_some_and(|owner| Arc::ptr_eq(&owner, &self.pool));
        let mut jobs = lock(&self.pool.jobs);
        let queue = jobs.queue(nested);
        if queue.len() >= Self::MOST_WAITING {
            drop(jobs);
            return Err(SpawnError(format!("{} jobs are waiting already", Self::MOST_WAITING)));
        }
        queue.push_back(job);
        match self.pool.staff(&mut jobs) {
            Ok(()) => Ok(()),
            Err(error) if jobs.threads == jobs.lent => {
                let job = jobs.queue(nested).pop_back();
                drop(jobs);
                forget(job);
                Err(SpawnError(error.to_string()))
            }
            Err(_) => {
                self.pool.work.notify_one();
                Ok(())
            }
        }
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(self.alarms.after(duration))
    }

    fn block_on(&self, future: BoxFuture<'_, ()>) {
        block_on(future);
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Threads")
    }
}

struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future to its end by parking this thread, which lends its place while it is parked if it is one of a pool.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let owner = owner();
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        match &owner {
            Some(pool) => pool.lend(thread::park),
            None => thread::park(),
        }
    }
}
