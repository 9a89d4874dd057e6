//! Background hooks, blocking hooks and timeouts on tokio.

use std::panic::catch_unwind;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookspec::hooks::BoxFuture;
use hookspec::spawn::{Job, Spawn, SpawnError, Threads};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{block_in_place, coop};

/// Runs what hooks cannot run in place on a tokio runtime: by its timers, and on threads that are inside of it.
///
/// The threads are [`Threads`] and not the runtime's own for blocking work: of those there is a fixed number, and a hook that waits
/// there for another hook holds one while it waits. Nor does a runtime's end wait for a hook that hangs.
///
/// A thread that drives a current-thread runtime, or a `LocalSet`, may not wait for a hook (`fire_now!` of an async or
/// blocking one): [`may_block`](Spawn::may_block) says no there.
#[derive(Clone, Debug)]
pub struct TokioSpawn {
    runtime: Handle,
    threads: Threads,
}

impl TokioSpawn {
    /// On the runtime that is running this code; `None` outside of one.
    #[must_use]
    pub fn current() -> Option<Self> {
        let runtime = Handle::try_current().ok()?;
        Some(Self { runtime, threads: Threads::default() })
    }
}

impl Spawn for TokioSpawn {
    fn run(&self, job: Job) -> Result<(), SpawnError> {
        let runtime = self.runtime.clone();
        self.threads.run(Box::new(move || {
            let _entered = runtime.enter();
            job();
        }))
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let _entered = self.runtime.enter();
        Box::pin(tokio::time::sleep(duration))
    }

    fn block_on(&self, future: BoxFuture<'_, ()>) {
        let here = Handle::try_current();
        let wait = || {
            let _entered = self.runtime.enter();
            self.threads.block_on(future);
        };
        if here.is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread) {
            // A worker hands its other tasks on first; elsewhere this does nothing.
            block_in_place(wait);
        } else {
            wait();
        }
    }

    fn may_block(&self) -> bool {
        let Ok(current) = Handle::try_current() else { return true };
        if current.runtime_flavor() == RuntimeFlavor::CurrentThread && drives() {
            return false;
        }
        // Tokio tells it in no other way. In a `LocalSet` this panics, and anywhere else it does what `block_on` does next.
        catch_unwind(|| block_in_place(|| ())).is_ok()
    }
}

/// Whether a task of a runtime is being polled on this thread: it has a budget of so many steps until it must yield.
/// None is used up.
fn drives() -> bool {
    /// More than tokio gives a task.
    const STEPS: usize = 1024;
    let mut context = Context::from_waker(Waker::noop());
    let mut taken = Vec::new();
    while taken.len() < STEPS {
        match coop::poll_proceed(&mut context) {
            Poll::Ready(step) => taken.push(step),
            Poll::Pending => break,
        }
    }
    let limited = taken.len() < STEPS;
    // Each gives back what there was before it: the first one last.
    while taken.pop().is_some() {}
    limited
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use tokio::runtime::{Builder, Runtime};
    use tokio::task::{LocalSet, spawn_blocking, unconstrained};

    const LONG: Duration = Duration::from_secs(60);

    fn one() -> Runtime {
        Builder::new_current_thread().enable_all().build().unwrap()
    }

    fn many() -> Runtime {
        Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
    }

    fn on(runtime: &Runtime) -> TokioSpawn {
        let _entered = runtime.enter();
        TokioSpawn::current().unwrap()
    }

    /// Whether waiting goes well here, and takes no other task along.
    fn waits(spawn: &TokioSpawn) -> bool {
        let mut waited = false;
        if spawn.may_block() {
            let sleep = spawn.sleep(Duration::from_millis(1));
            spawn.block_on(Box::pin(async {
                sleep.await;
                waited = true;
            }));
        }
        waited
    }

    /// What a job says on one of its threads.
    fn on_a_thread_of_its_own<T: Send + 'static>(
        spawn: &TokioSpawn,
        ask: impl FnOnce(&TokioSpawn) -> T + Send + 'static,
    ) -> T {
        let (tell, told) = mpsc::channel();
        let inner = spawn.clone();
        spawn.run(Box::new(move || tell.send(ask(&inner)).unwrap())).unwrap();
        told.recv_timeout(LONG).unwrap()
    }

    #[test]
    fn a_thread_that_drives_a_current_thread_runtime_may_not_wait() {
        let runtime = one();
        let spawn = on(&runtime);
        let task = spawn.clone();
        assert!(!runtime.block_on(async { spawn.may_block() }));
        assert!(!runtime.block_on(async { tokio::spawn(async move { task.may_block() }).await.unwrap() }));
        assert!(!runtime.block_on(unconstrained(async { spawn.may_block() })), "with no budget to look at");
        let local = LocalSet::new();
        assert!(!local.block_on(&runtime, async { spawn.may_block() }));
        // The question uses nothing up: a task that asks often still may do its work.
        runtime.block_on(async {
            for _ in 0..200 {
                assert!(!spawn.may_block());
            }
            assert!(coop::has_budget_remaining());
        });
    }

    #[test]
    fn the_other_threads_of_a_current_thread_runtime_may_wait() {
        let runtime = one();
        let spawn = on(&runtime);
        let (here, task) = (spawn.clone(), spawn.clone());
        assert!(runtime.block_on(async { spawn_blocking(move || waits(&task)).await.unwrap() }));
        let (tell, told) = tokio::sync::oneshot::channel();
        spawn.run(Box::new(move || tell.send(waits(&here)).unwrap())).unwrap();
        assert!(runtime.block_on(told).unwrap(), "its own");
        assert!(spawn.may_block(), "outside of it");
        let _entered = runtime.enter();
        assert!(spawn.may_block(), "entered, and driven by nobody");
    }

    #[test]
    fn the_threads_of_a_multi_thread_runtime_may_wait() {
        let runtime = many();
        let spawn = on(&runtime);
        let (task, job) = (spawn.clone(), spawn.clone());
        assert!(waits(&spawn));
        assert!(runtime.block_on(async { waits(&spawn) }));
        assert!(runtime.block_on(async { tokio::spawn(async move { waits(&task) }).await.unwrap() }));
        assert!(runtime.block_on(async { spawn_blocking(move || waits(&job)).await.unwrap() }));
        assert!(on_a_thread_of_its_own(&spawn, waits));
    }

    #[test]
    fn a_local_set_may_not_wait_wherever_it_runs() {
        let runtime = many();
        let spawn = on(&runtime);
        let (local, task) = (LocalSet::new(), spawn.clone());
        assert!(!local.block_on(&runtime, async { spawn.may_block() }));
        let asked = async { tokio::task::spawn_local(async move { task.may_block() }).await.unwrap() };
        assert!(!local.block_on(&runtime, asked));
    }

    #[test]
    fn a_runtime_within_a_job_is_asked_for_itself() {
        let runtime = many();
        let spawn = on(&runtime);
        let inner = |spawn: &TokioSpawn| one().block_on(async { spawn.may_block() });
        assert!(!on_a_thread_of_its_own(&spawn, inner));
        // A worker of another runtime than the one whose hooks it waits for.
        let other = on(&one());
        let waited =
            runtime.block_on(async { tokio::spawn(async move { other.may_block() }).await.unwrap() });
        assert!(waited);
    }

    #[test]
    fn more_jobs_wait_for_one_another_than_there_are_threads() {
        const JOBS: usize = 600; // More than tokio has threads for blocking work.
        let runtime = many();
        let spawn = on(&runtime);
        let (done, ended) = mpsc::channel();
        for _ in 0..JOBS {
            let (inner, done) = (spawn.clone(), done.clone());
            spawn.run(Box::new(move || done.send(nested(&inner, 3)).unwrap())).unwrap();
        }
        for _ in 0..JOBS {
            assert_eq!(ended.recv_timeout(LONG), Ok(3));
        }
    }

    fn nested(spawn: &TokioSpawn, deep: usize) -> usize {
        if deep == 0 {
            return 0;
        }
        let (tell, told) = tokio::sync::oneshot::channel();
        let inner = spawn.clone();
        spawn.run(Box::new(move || tell.send(nested(&inner, deep - 1)).unwrap())).unwrap();
        let mut below = 0;
        spawn.block_on(Box::pin(async { below = told.await.unwrap() }));
        below + 1
    }

    #[test]
    fn the_end_of_a_runtime_waits_for_no_job() {
        let runtime = many();
        let spawn = on(&runtime);
        let (hold, held) = mpsc::channel::<()>();
        spawn.run(Box::new(move || assert!(held.recv().is_err()))).unwrap();
        drop(runtime);
        drop(hold);
    }

    #[test]
    fn a_time_that_never_comes_is_no_panic() {
        let runtime = many();
        let spawn = on(&runtime);
        let (mut never, soon) = (spawn.sleep(Duration::MAX), spawn.sleep(Duration::from_millis(1)));
        runtime.block_on(async {
            tokio::select! {
                () = &mut never => panic!("it never comes"),
                () = soon => {}
            }
        });
    }
}
