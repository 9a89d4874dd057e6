//! Work for a thread that may block, and the wait for it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::base::guard::guarded;
use crate::base::sync::{Mutex, lock};
use crate::machinery::chain;

use super::wakers::forget;
use super::{BlockingError, Oneshot, Spawn, SpawnError};

/// Work that was given to a thread; gone, if it has not begun, when this is dropped.
pub(crate) struct Given<T> {
    done: Arc<Oneshot<Result<T, BlockingError>>>,
    work: Arc<Mutex<Option<Work<T>>>>,
}

type Work<T> = Box<dyn FnOnce() -> T + Send>;

/// Gives work to a thread that may block. What it fires counts in the chain that gave it.
///
/// # Errors
/// If there is no thread for it.
pub(crate) fn give<T: Send + 'static>(
    spawn: &dyn Spawn,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Given<T>, SpawnError> {
    let chain = chain::current();
    let given = Given {
        done: Oneshot::new(),
        work: Arc::new(Mutex::new(Some(Box::new(move || chain.during(work))))),
    };
    let sender = Sender(Some(Arc::clone(&given.done)));
    let work = Arc::clone(&given.work);
    spawn.run(Box::new(move || {
        let taken = lock(&work).take();
        let Some(work) = taken else { return };
        sender.send(guarded(work).map_err(BlockingError::Panic));
    }))?;
    Ok(given)
}

/// Says that nothing comes, if it is dropped unsent: a job that its pool lost.
struct Sender<T>(Option<Arc<Oneshot<Result<T, BlockingError>>>>);

impl<T> Sender<T> {
    fn send(mut self, ended: Result<T, BlockingError>) {
        if let Some(done) = self.0.take() {
            done.send(ended);
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let Some(done) = self.0.take() {
            done.send(Err(SpawnError("the job was dropped before it ran".to_owned()).into()));
        }
    }
}

impl<T> Given<T> {
    /// Takes the work away; `false` if it has begun.
    pub(crate) fn take_back(&self) -> bool {
        let work = lock(&self.work).take();
        let unbegun = work.is_some();
        forget(work);
        unbegun
    }
}

impl<T> Future for Given<T> {
    type Output = Result<T, BlockingError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.done.poll(cx)
    }
}

impl<T> Drop for Given<T> {
    fn drop(&mut self) {
        self.take_back();
    }
}

/// Runs work on a thread that may block, and waits for it.
pub(crate) async fn blocking<T: Send + 'static>(
    spawn: &dyn Spawn,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BlockingError> {
    give(spawn, work)?.await
}
