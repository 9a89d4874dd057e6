//! One value from one thread to one future.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Waker};

use loom::future::block_on;
use loom::thread::spawn;

use crate::model;
use crate::spawn::Oneshot;

#[test]
fn a_value_arrives_whenever_it_is_sent() {
    model(|| {
        let oneshot = Oneshot::new();
        let sender = Arc::clone(&oneshot);
        let thread = spawn(move || sender.send(7));
        assert_eq!(block_on(poll_fn(|cx| oneshot.poll(cx))), 7);
        thread.join().unwrap();
    });
}

#[test]
fn the_waker_that_counts_is_the_last_one() {
    model(|| {
        let oneshot = Oneshot::new();
        let first = oneshot.poll(&Context::from_waker(Waker::noop()));
        assert!(first.is_pending());
        let sender = Arc::clone(&oneshot);
        let thread = spawn(move || sender.send(7));
        assert_eq!(block_on(poll_fn(|cx| oneshot.poll(cx))), 7);
        thread.join().unwrap();
    });
}
