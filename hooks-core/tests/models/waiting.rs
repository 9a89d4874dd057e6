//! Interrupts, and what several wait for.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use loom::future::block_on;
use loom::thread::spawn;

use crate::model;
use crate::session::interrupt::{Interrupt, InterruptReason};
use crate::spawn::WakerSet;
use crate::sync::{Mutex, lock};

#[test]
fn an_interrupt_reaches_all_who_wait() {
    model(|| {
        let interrupt = Arc::new(Interrupt::default());
        let waits: Vec<_> = (0..2)
            .map(|_| {
                let interrupt = Arc::clone(&interrupt);
                spawn(move || block_on(interrupt.raised()))
            })
            .collect();
        interrupt.raise(InterruptReason::User);
        for wait in waits {
            assert_eq!(wait.join().unwrap(), InterruptReason::User);
        }
        assert_eq!(interrupt.waiting(), 0);
    });
}

#[test]
fn who_waits_learns_of_an_interrupt_that_is_cleared_at_once() {
    model(|| {
        let interrupt = Arc::new(Interrupt::default());
        let mut raised = pin!(interrupt.raised());
        assert!(raised.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let other = Arc::clone(&interrupt);
        let thread = spawn(move || {
            other.raise(InterruptReason::Timeout);
            other.clear();
        });
        assert_eq!(block_on(raised), InterruptReason::Timeout);
        thread.join().unwrap();
    });
}

/// So many that each takes one of.
#[derive(Default)]
struct Permits {
    free: Mutex<usize>,
    set: WakerSet,
}

impl Permits {
    async fn one(&self) {
        let take = || {
            let mut free = lock(&self.free);
            free.checked_sub(1).map(|left| *free = left)
        };
        self.set.until(take).await;
    }

    fn give(&self) {
        *lock(&self.free) += 1;
        self.set.wake_one();
    }
}

#[test]
fn one_who_is_woken_and_goes_lets_nobody_wait_in_vain() {
    model(|| {
        let permits = Arc::new(Permits::default());
        let (first, second) = (Arc::clone(&permits), Arc::clone(&permits));
        let goes = spawn(move || {
            let polled = pin!(first.one()).poll(&mut Context::from_waker(Waker::noop()));
            if polled.is_ready() {
                first.give();
            }
        });
        let waits = spawn(move || block_on(second.one()));
        permits.give();
        goes.join().unwrap();
        waits.join().unwrap();
        assert_eq!((*lock(&permits.free), permits.set.len()), (0, 0));
    });
}

#[test]
fn as_many_are_woken_as_there_is_something_for() {
    model(|| {
        let permits = Arc::new(Permits::default());
        let waits: Vec<_> = (0..2)
            .map(|_| {
                let permits = Arc::clone(&permits);
                spawn(move || block_on(permits.one()))
            })
            .collect();
        permits.give();
        permits.give();
        waits.into_iter().for_each(|wait| wait.join().unwrap());
        assert_eq!((*lock(&permits.free), permits.set.len()), (0, 0));
    });
}
