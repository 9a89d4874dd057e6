//! Alarms: one thread wakes all who wait for a time.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::base::sync::{Condvar, Instant, Mutex, lock, now};

use super::wakers::{forget, wake};

/// The alarms of one pool of threads. One goes away with what waited for it.
#[derive(Default)]
pub(crate) struct Alarms {
    set: Mutex<Set>,
    earlier: Condvar,
}

#[derive(Default)]
struct Set {
    next: u64,
    wakers: BTreeMap<(Instant, u64), Waker>,
    served: bool,
    /// When the thread looks again; it need not be told of what is due later.
    looks_at: Option<Instant>,
}

impl Alarms {
    /// How long the thread stays when nobody waits.
    const IDLE: Duration = Duration::from_secs(5);
    /// How long it sleeps at most: what it slept for may be gone by now.
    const LONGEST: Duration = Duration::from_secs(60);

    /// An alarm after `duration`; a time that no clock can show never comes. It costs nothing until it is waited for.
    pub(crate) fn after(self: &Arc<Self>, duration: Duration) -> Alarm {
        Alarm { alarms: Arc::clone(self), at: now().checked_add(duration), id: None }
    }

    /// Registers a waker for a time, in place of the one under `id`; gives the id, and whether a thread is wanting.
    fn keep(&self, at: Instant, id: Option<u64>, waker: &Waker) -> (u64, bool) {
        let waker = waker.clone();
        let mut set = lock(&self.set);
        let id = id.unwrap_or_else(|| {
            set.next += 1;
            set.next
        });
        let old = set.wakers.insert((at, id), waker);
        let (tell, start) = (set.served && set.looks_at.is_none_or(|looks| at < looks), !set.served);
        set.served = true;
        drop(set);
        if tell {
            self.earlier.notify_one();
        }
        forget(old);
        (id, start)
    }

    fn start(self: &Arc<Self>) {
        let alarms = Arc::clone(self);
        if let Err(error) = crate::base::sync::start("hookspec-timer", move || alarms.serve()) {
            lock(&self.set).served = false;
            tracing::error!(%error, "no timer thread could be had: time limits of hooks do not work until there is one");
        }
    }

    /// Wakes what is due, until nobody has waited for a while.
    fn serve(&self) {
        let mut idle = false;
        let mut set = lock(&self.set);
        loop {
            let time = now();
            let mut due = Vec::new();
            while let Some(first) = set.wakers.first_entry().filter(|first| first.key().0 <= time) {
                due.push(first.remove());
            }
            if !due.is_empty() {
                drop(set);
                due.into_iter().for_each(wake);
                set = lock(&self.set);
                idle = false;
                continue;
            }
            let first = set.wakers.first_key_value().map(|((at, _), _)| *at);
            let wait = match first {
                Some(at) => at.saturating_duration_since(time).min(Self::LONGEST),
                None if idle => {
                    set.served = false;
                    return;
                }
                None => Self::IDLE,
            };
            idle = first.is_none();
            set.looks_at = first.and(time.checked_add(wait));
            set = self.earlier.wait_timeout(set, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// How many wait.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.set).wakers.len()
    }
}

/// Completes at its time. Gone when dropped.
pub(crate) struct Alarm {
    alarms: Arc<Alarms>,
    at: Option<Instant>,
    id: Option<u64>,
}

impl Future for Alarm {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(at) = self.at else { return Poll::Pending };
        if at <= now() {
            return Poll::Ready(());
        }
        let (id, start) = self.alarms.keep(at, self.id, cx.waker());
        self.id = Some(id);
        if start {
            self.alarms.start();
        }
        Poll::Pending
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let (Some(at), Some(id)) = (self.at, self.id) {
            let own = lock(&self.alarms.set).wakers.remove(&(at, id));
            forget(own);
        }
    }
}
