//! Alarms: the thread that rings, and those who come and go.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use loom::future::block_on;
use loom::thread::spawn;

use crate::model;
use crate::spawn::alarms::{Alarm, Alarms};
use crate::sync::Condvar;

/// Only what notifies the thread ends its wait for this.
const LATE: Duration = Duration::from_secs(50);
const SOON: Duration = Duration::from_secs(1);

fn waits(alarm: Pin<&mut Alarm>) {
    assert!(alarm.poll(&mut Context::from_waker(Waker::noop())).is_pending());
}

#[test]
fn an_earlier_alarm_rings_though_the_thread_waits_for_a_later_one() {
    assert!(SOON < Condvar::SHORT && Condvar::SHORT < LATE);
    model(|| {
        let alarms = Arc::<Alarms>::default();
        let mut late = Box::pin(alarms.after(LATE));
        waits(late.as_mut());
        block_on(alarms.after(SOON));
        assert_eq!(alarms.len(), 1);
        drop(late);
        // The thread still waits for what is gone.
        block_on(alarms.after(SOON));
        assert_eq!(alarms.len(), 0);
    });
}

#[test]
fn an_alarm_rings_though_the_thread_is_about_to_go_home() {
    model(|| {
        let alarms = Arc::<Alarms>::default();
        let other = Arc::clone(&alarms);
        let thread = spawn(move || block_on(other.after(SOON)));
        block_on(alarms.after(SOON));
        thread.join().unwrap();
        assert_eq!(alarms.len(), 0);
    });
}

#[test]
fn an_alarm_that_is_dropped_while_it_rings_is_gone() {
    model(|| {
        let alarms = Arc::<Alarms>::default();
        let other = Arc::clone(&alarms);
        let thread = spawn(move || waits(pin!(other.after(SOON))));
        block_on(alarms.after(SOON));
        thread.join().unwrap();
        assert_eq!(alarms.len(), 0);
    });
}
