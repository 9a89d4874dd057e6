//! The library's wakers, alarms, oneshots and tasks, and a pool for them.

#[path = "../../src/machinery/spawn/alarms.rs"]
pub(crate) mod alarms;
#[path = "../../src/machinery/spawn/oneshot.rs"]
mod oneshot;
#[path = "../../src/machinery/spawn/task.rs"]
mod task;
#[path = "../../src/machinery/spawn/wakers.rs"]
mod wakers;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Condvar, Mutex};
use loom::thread::JoinHandle;

pub(crate) use hookspec::hooks::BoxFuture;
pub(crate) use hookspec::spawn::{Job, Spawn, SpawnError};
pub(crate) use oneshot::Oneshot;
pub(crate) use task::{Ended, Task};
pub(crate) use wakers::WakerSet;

/// Threads that take one job after the other until they are told to go home.
#[derive(Default)]
pub(crate) struct Pool {
    jobs: Mutex<(VecDeque<Job>, bool)>,
    work: Condvar,
    /// How many jobs it still takes; further ones are refused.
    takes: AtomicUsize,
}

impl Pool {
    pub(crate) fn new(takes: usize) -> Arc<Self> {
        Arc::new(Self { takes: AtomicUsize::new(takes), ..Self::default() })
    }

    pub(crate) fn thread(self: &Arc<Self>) -> JoinHandle<()> {
        let pool = Arc::clone(self);
        loom::thread::spawn(move || pool.work())
    }

    pub(crate) fn work(&self) {
        let mut jobs = self.jobs.lock().unwrap();
        loop {
            if let Some(job) = jobs.0.pop_front() {
                drop(jobs);
                job();
                jobs = self.jobs.lock().unwrap();
            } else if jobs.1 {
                return;
            } else {
                jobs = self.work.wait(jobs).unwrap();
            }
        }
    }

    /// What is queued is done yet.
    pub(crate) fn go_home(&self) {
        self.jobs.lock().unwrap().1 = true;
        self.work.notify_all();
    }
}

impl Spawn for Pool {
    fn run(&self, job: Job) -> Result<(), SpawnError> {
        let left = self.takes.load(Ordering::SeqCst);
        if left == 0 {
            return Err(SpawnError("home time".into()));
        }
        self.takes.store(left - 1, Ordering::SeqCst);
        self.jobs.lock().unwrap().0.push_back(job);
        self.work.notify_one();
        Ok(())
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    fn block_on(&self, future: BoxFuture<'_, ()>) {
        loom::future::block_on(future);
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pool")
    }
}
