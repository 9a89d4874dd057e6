//! Background hooks, blocking hooks and timeouts on tokio.

use std::time::Duration;

use hookspec::{BoxFuture, Job, Spawn, SpawnError};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs what hooks cannot run in place on a tokio runtime.
///
/// The runtime should be multi-threaded: where code that cannot wait (`fire_now!`) meets a hook that must be waited for,
/// the thread blocks, and one that is all that its runtime has would block the hook's timer with it. Tokio panics there.
#[derive(Clone, Debug)]
pub struct TokioSpawn(Handle);

impl TokioSpawn {
    /// On the runtime that is running this code; `None` outside of one.
    #[must_use]
    pub fn current() -> Option<Self> {
        Handle::try_current().ok().map(Self)
    }
}

impl Spawn for TokioSpawn {
    fn run(&self, job: Job) -> Result<(), SpawnError> {
        self.0.spawn_blocking(job);
        Ok(())
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let _entered = self.0.enter();
        Box::pin(tokio::time::sleep(duration))
    }

    fn block_on(&self, future: BoxFuture<'_, ()>) {
        // On a worker thread the runtime must be told that this one is busy; elsewhere this simply waits.
        let on_worker = Handle::try_current().is_ok_and(|h| h.runtime_flavor() == RuntimeFlavor::MultiThread);
        if on_worker {
            tokio::task::block_in_place(|| self.0.block_on(future));
        } else {
            self.0.block_on(future);
        }
    }
}
