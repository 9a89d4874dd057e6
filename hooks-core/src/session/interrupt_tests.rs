//! Who waits for an interrupt.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::interrupt::{Interrupt, InterruptReason};

fn poll_once(future: impl Future<Output = InterruptReason>) -> Poll<InterruptReason> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn who_waits_no_more_is_forgotten() {
    let interrupt = Interrupt::default();
    let mut waits: Vec<_> = (0..20_000).map(|_| Box::pin(interrupt.raised())).collect();
    for wait in &mut waits {
        assert!(poll_once(wait.as_mut()).is_pending());
    }
    assert_eq!(interrupt.waiting(), 20_000);
    let last = waits.pop();
    drop(waits);
    assert_eq!(interrupt.waiting(), 1);
    interrupt.raise(InterruptReason::User);
    assert_eq!(last.map(poll_once), Some(Poll::Ready(InterruptReason::User)));
    assert_eq!(interrupt.waiting(), 0);
}

#[test]
fn who_waited_learns_of_an_interrupt_that_is_cleared_by_then() {
    let interrupt = Interrupt::default();
    let mut wait = Box::pin(interrupt.raised());
    assert!(poll_once(wait.as_mut()).is_pending());
    interrupt.raise(InterruptReason::Timeout);
    interrupt.raise(InterruptReason::User);
    assert_eq!(interrupt.reason(), Some(InterruptReason::Timeout), "the first one stands");
    interrupt.clear();
    assert_eq!(poll_once(wait.as_mut()), Poll::Ready(InterruptReason::Timeout));
    assert!(poll_once(interrupt.raised()).is_pending(), "who comes later does not");
}
