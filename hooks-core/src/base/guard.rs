//! Guards around code that is not ours: what panics there goes no further.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::base::boxed::BoxFuture;

/// Runs `work`; the text of its panic if it panics.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(swallow)
}

/// Drops what somebody else made; `what` says in the log what panicked on the way.
pub(crate) fn drop_quietly<T>(value: T, what: &str) {
    if let Err(panic) = guarded(|| drop(value)) {
        tracing::error!(panic, "{what} panicked while it was dropped");
    }
}

/// The text of a panic's payload. The payload is somebody's value too, and may panic when it goes.
pub(crate) fn swallow(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a payload that is not text".to_owned());
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // Whoever panics while a panic's payload is dropped is not asked a third time.
        std::mem::forget(second);
    }
    text
}

/// A future that is dropped without a panic, whatever is in it.
pub(crate) struct Guarded<'a, T>(Option<BoxFuture<'a, T>>);

impl<'a, T> Guarded<'a, T> {
    pub(crate) fn new(future: BoxFuture<'a, T>) -> Self {
        Self(Some(future))
    }

    /// Polls the future, and leaves it there whatever happens; the text of its panic if it panics.
    pub(crate) fn go_on(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, String>> {
        let Some(future) = &mut self.0 else { return Poll::Pending };
        match guarded(|| future.as_mut().poll(cx)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }

    /// Drops the future now; the text of its panic if it panics.
    pub(crate) fn end(&mut self) -> Result<(), String> {
        let future = self.0.take();
        guarded(|| drop(future))
    }
}

impl<T> Future for Guarded<'_, T> {
    type Output = Result<T, String>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.go_on(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(value)) => Poll::Ready(self.end().map(|()| value)),
            Poll::Ready(Err(panic)) => {
                let _ = self.end();
                Poll::Ready(Err(panic))
            }
        }
    }
}

impl<T> Drop for Guarded<'_, T> {
    fn drop(&mut self) {
        if self.0.is_some()
            && let Err(panic) = self.end()
        {
            tracing::error!(panic, "a future panicked while it was dropped");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            std::panic::panic_any(Self);
        }
    }

    #[test]
    fn a_payload_that_panics_for_ever_is_let_go_of() {
        assert_eq!(guarded(|| std::panic::panic_any(Bomb)), Err("a payload that is not text".to_owned()));
        assert_eq!(guarded(|| panic!("why")), Err::<(), _>("why".to_owned()));
        drop_quietly(Bomb, "a bomb");
        drop(Guarded::new(Box::pin(async { drop(Bomb) })));
    }
}
