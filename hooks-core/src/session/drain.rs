//! The end of a session's background work.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::machinery::background::Unfinished;

use super::Session;

impl Session {
    /// Waits until the background work of this session is done, at most `deadline`; tells who is not done by then.
    ///
    /// ```
    /// # use hookspec::{Hooks, Registry, Session, session::Unfinished};
    /// # use std::time::Duration;
    /// # async fn end(session: &Session) {
    /// let left = session.drain(session.hooks().drain_time()).await;
    /// if !left.is_empty() {
    ///     eprintln!("left behind: {}", Unfinished::text(&left)); // left behind: `a.b` (2 runs), `c.d`
    /// }
    /// # }
    /// ```
    pub async fn drain(&self, deadline: Duration) -> Vec<Unfinished> {
        let mut done = pin!(self.0.pending.done());
        let mut alarm = None;
        poll_fn(|cx| {
            if done.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            alarm.get_or_insert_with(|| self.sleep(deadline)).as_mut().poll(cx)
        })
        .await;
        self.0.pending.left()
    }

    /// [`drain`](Self::drain) for threads that may wait. On one that may not, [`Spawn::may_block`](crate::spawn::Spawn::may_block), it
    /// does not wait and tells who is not done now.
    pub fn drain_now(&self, deadline: Duration) -> Vec<Unfinished> {
        let left = self.0.pending.left();
        let spawn = self.0.hooks.spawn();
        if left.is_empty() || !spawn.may_block() {
            return left;
        }
        let mut left = left;
        spawn.block_on(Box::pin(async { left = self.drain(deadline).await }));
        left
    }
}
