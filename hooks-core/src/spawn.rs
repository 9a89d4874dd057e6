//! Spawn: the threads and timers that hooks need and core does not own.
//!
//! Core has no async runtime. What cannot run in the caller's thread (background and blocking hooks, timeouts)
//! goes through this trait. A host with a runtime implements it with that; [`Threads`] does with plain
//! threads, few and kept for reuse.

use std::collections::{BinaryHeap, VecDeque};
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::entry::BoxFuture;
use crate::failure::panic_text;

/// Work for a pool thread; it may block.
pub type Job = Box<dyn FnOnce() + Send>;

/// Runs what hooks cannot run in place.
pub trait Spawn: Send + Sync + fmt::Debug + 'static {
    /// Runs a job on a thread that may block.
    ///
    /// # Errors
    /// If no thread could be had for it; the job was not run.
    fn run(&self, job: Job) -> Result<(), SpawnError>;

    /// Completes after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Runs a future to its end on this thread, which must be one that may block.
    fn block_on(&self, future: BoxFuture<'_, ()>);
}

/// No thread could be had.
#[derive(Debug, thiserror::Error)]
#[error("no thread could be had for a hook: {0}")]
pub struct SpawnError(pub String);

/// Work that was to block a thread of the host's and gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlockingError {
    /// It was not begun.
    #[error(transparent)]
    NoThread(#[from] SpawnError),
    /// It panicked.
    #[error("work on a thread that may block panicked: {0}")]
    Panic(String),
}

/// Runs work on a thread that may block, and waits for it.
pub(crate) async fn blocking<T: Send + 'static>(
    spawn: &dyn Spawn,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BlockingError> {
    let done = Oneshot::new();
    let sender = Arc::clone(&done);
    spawn.run(Box::new(move || {
        let ended = catch_unwind(AssertUnwindSafe(work));
        sender.send(ended.map_err(|payload| BlockingError::Panic(panic_text(&*payload))));
    }))?;
    poll_fn(|cx| done.poll(cx)).await
}

/// Plain threads: at most [`Threads::MOST`] at a time, kept five seconds for reuse.
#[derive(Clone, Default)]
pub struct Threads(Arc<Pool>);

#[derive(Default)]
struct Pool {
    jobs: Mutex<Jobs>,
    work: Condvar,
    alarms: Mutex<Alarms>,
    rung: Condvar,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    idle: usize,
    threads: usize,
}

#[derive(Default)]
struct Alarms {
    due: BinaryHeap<Alarm>,
    running: bool,
}

struct Alarm {
    at: Instant,
    shared: Arc<Mutex<Ring>>,
}

#[derive(Default)]
struct Ring {
    done: bool,
    waker: Option<Waker>,
}

impl PartialEq for Alarm {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}
impl Eq for Alarm {}
impl PartialOrd for Alarm {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Alarm {
    /// The earliest alarm is the greatest, since a heap gives the greatest first.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.at.cmp(&self.at)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Threads {
    /// How many threads there are at most. Further jobs wait.
    pub const MOST: usize = 64;
    /// How many jobs wait at most. Further ones are refused.
    pub const MOST_WAITING: usize = 4096;
    const IDLE: Duration = Duration::from_secs(5);

    fn work(pool: &Pool) {
        let mut jobs = lock(&pool.jobs);
        loop {
            if let Some(job) = jobs.waiting.pop_front() {
                drop(jobs);
                // A job catches its own hook's panic; one that escapes must not take the thread's count along.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                jobs = lock(&pool.jobs);
                continue;
            }
            jobs.idle += 1;
            let (back, waited) =
                pool.work.wait_timeout(jobs, Self::IDLE).unwrap_or_else(PoisonError::into_inner);
            jobs = back;
            jobs.idle -= 1;
            if waited.timed_out() && jobs.waiting.is_empty() {
                jobs.threads -= 1;
                return;
            }
        }
    }

    fn ring(pool: &Pool) {
        let mut alarms = lock(&pool.alarms);
        loop {
            let now = Instant::now();
            match alarms.due.peek() {
                None => {
                    alarms.running = false;
                    return;
                }
                Some(next) if next.at <= now => {
                    if let Some(alarm) = alarms.due.pop() {
                        let mut ring = lock(&alarm.shared);
                        ring.done = true;
                        if let Some(waker) = ring.waker.take() {
                            drop(ring);
                            waker.wake();
                        }
                    }
                }
                Some(next) => {
                    let wait = next.at - now;
                    alarms = pool.rung.wait_timeout(alarms, wait).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }
}

impl Spawn for Threads {
    fn run(&self, job: Job) -> Result<(), SpawnError> {
        let mut jobs = lock(&self.0.jobs);
        if jobs.waiting.len() >= Self::MOST_WAITING {
            return Err(SpawnError(format!("{} jobs are waiting already", jobs.waiting.len())));
        }
        jobs.waiting.push_back(job);
        if jobs.idle >= jobs.waiting.len() || jobs.threads >= Self::MOST {
            self.0.work.notify_one();
            return Ok(());
        }
        let pool = Arc::clone(&self.0);
        match thread::Builder::new().name("hookspec".into()).spawn(move || Self::work(&pool)) {
            Ok(_) => jobs.threads += 1,
            Err(error) if jobs.threads == 0 => {
                jobs.waiting.pop_back();
                return Err(SpawnError(error.to_string()));
            }
            Err(_) => self.0.work.notify_one(),
        }
        Ok(())
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let shared = Arc::new(Mutex::new(Ring::default()));
        let mut alarms = lock(&self.0.alarms);
        alarms.due.push(Alarm { at: Instant::now() + duration, shared: Arc::clone(&shared) });
        if alarms.running {
            self.0.rung.notify_one();
        } else {
            let pool = Arc::clone(&self.0);
            let started =
                thread::Builder::new().name("hookspec-timer".into()).spawn(move || Self::ring(&pool));
            match started {
                Ok(_) => alarms.running = true,
                Err(error) => tracing::error!(%error, "no timer thread: timeouts of hooks do not work"),
            }
        }
        drop(alarms);
        Box::pin(poll_fn(move |cx| {
            let mut ring = lock(&shared);
            if ring.done {
                return Poll::Ready(());
            }
            ring.waker = Some(cx.waker().clone());
            Poll::Pending
        }))
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

/// Runs a future to its end by parking this thread.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        thread::park();
    }
}

/// One value from one thread to one future.
pub(crate) struct Oneshot<T>(Mutex<(Option<T>, Option<Waker>)>);

impl<T> Oneshot<T> {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new((None, None))))
    }

    pub(crate) fn send(&self, value: T) {
        let mut inner = lock(&self.0);
        inner.0 = Some(value);
        if let Some(waker) = inner.1.take() {
            drop(inner);
            waker.wake();
        }
    }

    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<T> {
        let mut inner = lock(&self.0);
        if let Some(value) = inner.0.take() {
            return Poll::Ready(value);
        }
        inner.1 = Some(cx.waker().clone());
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn jobs_run_and_a_panicking_one_does_not_cost_the_pool() {
        let threads = Threads::default();
        let done = Oneshot::new();
        let count = Arc::new(AtomicUsize::new(0));
        threads.run(Box::new(|| panic!("a job"))).unwrap();
        for _ in 0..100 {
            let (count, done) = (Arc::clone(&count), Arc::clone(&done));
            let job = move || {
                if count.fetch_add(1, Ordering::SeqCst) == 99 {
                    done.send(());
                }
            };
            threads.run(Box::new(job)).unwrap();
        }
        block_on(poll_fn(|cx| done.poll(cx)));
        assert_eq!(count.load(Ordering::SeqCst), 100);
        assert!(lock(&threads.0.jobs).threads <= Threads::MOST);
    }

    #[test]
    fn blocking_work_gives_what_it_returns_or_says_that_it_panicked() {
        let threads = Threads::default();
        let elsewhere = block_on(blocking(&threads, || thread::current().id())).unwrap();
        assert_ne!(elsewhere, thread::current().id());
        let panics = block_on(blocking::<()>(&threads, || panic!("no luck")));
        assert_eq!(panics.unwrap_err().to_string(), "work on a thread that may block panicked: no luck");
    }

    #[test]
    fn sleeps_end_in_their_order() {
        let threads = Threads::default();
        let order = Arc::new(Mutex::new(Vec::new()));
        let late = threads.sleep(Duration::from_millis(60));
        let early = threads.sleep(Duration::from_millis(5));
        let note = Arc::clone(&order);
        let other = thread::spawn(move || {
            block_on(late);
            lock(&note).push("late");
        });
        block_on(early);
        lock(&order).push("early");
        other.join().unwrap();
        assert_eq!(*lock(&order), ["early", "late"]);
    }
}
