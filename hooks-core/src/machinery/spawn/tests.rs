//! Jobs, alarms and wakers, as the hooks of a host use them.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use crate::base::sync::lock;
use crate::machinery::chain;
use crate::points::STEP_POST;

use super::threads::block_on;
use super::*;

/// So long that only what hangs takes it.
const LONG: Duration = Duration::from_secs(60);

fn poll_once<F: Future + Unpin>(mut future: F) -> Poll<F::Output> {
    pin!(&mut future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Does what it is told when it is woken.
struct When<F>(F);

impl<F: Fn() + Send + Sync + 'static> Wake for When<F> {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

fn when(act: impl Fn() + Send + Sync + 'static) -> Waker {
    Waker::from(Arc::new(When(act)))
}

#[test]
fn jobs_run_and_a_panicking_one_does_not_cost_the_pool() {
    let threads = Threads::default();
    let done = Oneshot::new();
    let count = Arc::new(AtomicUsize::new(0));
    threads.run(Box::new(|| panic!("a job"))).unwrap();
    for _ in 0..100 {
        let (count, done) = (Arc::clone(&count), Arc::clone(&done));
        let job = move || {
            if count.fetch_add(1, Ordering::SeqCst) == 99 {
                done.send(());
            }
        };
        threads.run(Box::new(job)).unwrap();
    }
    block_on(poll_fn(|cx| done.poll(cx)));
    assert_eq!(count.load(Ordering::SeqCst), 100);
    assert!(threads.count() <= Threads::MOST);
}

#[test]
fn blocking_work_gives_what_it_returns_or_says_that_it_panicked() {
    let threads = Threads::default();
    let elsewhere = block_on(blocking(&threads, || thread::current().id())).unwrap();
    assert_ne!(elsewhere, thread::current().id());
    let panics = block_on(blocking::<()>(&threads, || panic!("no luck")));
    assert_eq!(panics.unwrap_err().to_string(), "work on a thread that may block panicked: no luck");
}

/// Its drop panics.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("again");
    }
}

#[test]
fn work_whose_panic_carries_one_that_panics_is_work_that_panicked() {
    let threads = Threads::default();
    let panics = block_on(blocking::<()>(&threads, || std::panic::panic_any(Grenade)));
    assert!(matches!(panics, Err(BlockingError::Panic(_))));
    threads.run(Box::new(|| std::panic::panic_any(Grenade))).unwrap();
    assert_eq!(block_on(blocking(&threads, || 7)).unwrap(), 7);
}

#[test]
fn blocking_work_is_in_the_chain_that_gave_it() {
    let threads = Threads::default();
    let point = <STEP_POST::Point as crate::point::Point>::INFO;
    let deeper = |times: usize| {
        let frames: Vec<_> = (0..times).map(|_| chain::enter(point, chain::Frame::NONE)).collect();
        frames.iter().filter(|frame| frame.is_ok()).count()
    };
    let frames: Vec<_> = (0..5).map(|_| chain::enter(point, chain::Frame::NONE)).collect();
    assert_eq!(block_on(blocking(&threads, move || deeper(8))).unwrap(), chain::DEEPEST - 5);
    drop(frames);
    assert_eq!(block_on(blocking(&threads, move || deeper(8))).unwrap(), chain::DEEPEST);
}

/// Holds every place of a pool until the sender is dropped.
fn occupied(threads: &Threads) -> mpsc::Sender<()> {
    occupied_but(threads, 0)
}

fn occupied_but(threads: &Threads, free: usize) -> mpsc::Sender<()> {
    let jobs = Threads::MOST - free;
    let (hold, held) = mpsc::channel::<()>();
    let (held, begun) = (Arc::new(Mutex::new(held)), Arc::new(Barrier::new(jobs + 1)));
    for _ in 0..jobs {
        let (held, begun) = (Arc::clone(&held), Arc::clone(&begun));
        let job = move || {
            begun.wait();
            let _ = lock(&held).recv();
        };
        threads.run(Box::new(job)).unwrap();
    }
    begun.wait();
    hold
}

#[test]
fn blocking_work_that_nobody_waits_for_any_more_does_not_begin() {
    let threads = Threads::default();
    let hold = occupied(&threads);
    let ran = Arc::new(AtomicUsize::new(0));
    let count = || {
        let ran = Arc::clone(&ran);
        move || ran.fetch_add(1, Ordering::SeqCst)
    };
    let mut dropped = Box::pin(blocking(&threads, count()));
    assert!(poll_once(&mut dropped).is_pending());
    drop(dropped);
    let given = blocking::give(&threads, count()).unwrap();
    assert!(given.take_back(), "it had not begun");
    assert!(!given.take_back(), "it is gone");
    drop(hold);
    // What was given later has run, so the others would have.
    assert_eq!(block_on(blocking(&threads, count())).unwrap(), 0);
}

#[test]
fn hundreds_of_jobs_that_each_wait_for_another_one_that_waits_end() {
    const JOBS: usize = 4 * Threads::MOST;
    let threads = Threads::default();
    let (done, ended) = mpsc::channel();
    for _ in 0..JOBS {
        let (pool, done) = (threads.clone(), done.clone());
        threads.run(Box::new(move || done.send(nested(&pool, 3)).unwrap())).unwrap();
    }
    for _ in 0..JOBS {
        assert_eq!(ended.recv_timeout(LONG), Ok(3));
    }
    // Nobody waits any more: one more job each, and those beyond the limit are gone.
    let hold = occupied(&threads);
    assert!(threads.count() <= 2 * Threads::MOST, "{}", threads.count());
    drop(hold);
}

fn nested(threads: &Threads, deep: usize) -> usize {
    let inner = threads.clone();
    match deep {
        0 => 0,
        deep => 1 + block_on(blocking(threads, move || nested(&inner, deep - 1))).unwrap(),
    }
}

#[test]
fn who_begins_to_wait_makes_room_for_what_was_given_before() {
    let threads = Threads::default();
    let (done, ended) = mpsc::channel();
    let together = Arc::new(Barrier::new(Threads::MOST));
    for _ in 0..Threads::MOST {
        let (pool, done, together) = (threads.clone(), done.clone(), Arc::clone(&together));
        let job = move || {
            // No place is free when they give, and none is lent before all have.
            together.wait();
            let given = blocking::give(&pool, || 1).unwrap();
            together.wait();
            done.send(block_on(given).unwrap()).unwrap();
        };
        threads.run(Box::new(job)).unwrap();
    }
    for _ in 0..Threads::MOST {
        assert_eq!(ended.recv_timeout(LONG), Ok(1));
    }
}

#[test]
fn what_a_thread_of_the_pool_gives_runs_before_what_waited_already() {
    let threads = Threads::default();
    let order = Arc::new(Mutex::new(Vec::new()));
    let (go, gone) = mpsc::channel::<()>();
    let note = |text| {
        let order = Arc::clone(&order);
        move || lock(&order).push(text)
    };
    let (pool, inner) = (threads.clone(), note("inner"));
    let gives = move || {
        gone.recv().unwrap();
        pool.run(Box::new(inner)).unwrap();
    };
    threads.run(Box::new(gives)).unwrap();
    // All places but that one are held, and it is free next.
    let hold = occupied_but(&threads, 1);
    let outer = blocking::give(&threads, note("outer")).unwrap();
    go.send(()).unwrap();
    block_on(outer).unwrap();
    assert_eq!(*lock(&order), ["inner", "outer"]);
    drop(hold);
}

#[test]
fn a_thread_of_one_pool_that_waits_for_another_one_lends_its_place_too() {
    let (one, other) = (Threads::default(), Threads::default());
    let (done, ended) = mpsc::channel();
    for _ in 0..2 * Threads::MOST {
        let (to, back, done) = (other.clone(), one.clone(), done.clone());
        let round = move || {
            let back = back.clone();
            let there = blocking(&to, move || block_on(blocking(&back, || 1)).unwrap());
            done.send(block_on(there).unwrap()).unwrap();
        };
        one.run(Box::new(round)).unwrap();
    }
    for _ in 0..2 * Threads::MOST {
        assert_eq!(ended.recv_timeout(LONG), Ok(1));
    }
}

#[test]
fn more_jobs_than_may_wait_are_refused_and_what_they_hold_is_dropped() {
    let threads = Threads::default();
    let hold = occupied(&threads);
    let held = Arc::new(());
    for _ in 0..Threads::MOST_WAITING {
        let held = Arc::clone(&held);
        threads.run(Box::new(move || drop(held))).unwrap();
    }
    let more = Arc::clone(&held);
    let refused = threads.run(Box::new(move || drop(more))).unwrap_err();
    assert_eq!(refused.to_string(), "no thread could be had for a hook: 4096 jobs are waiting already");
    assert_eq!(Arc::strong_count(&held), Threads::MOST_WAITING + 1);
    drop(hold);
}

/// A host whose runtime is going down: it takes jobs and drops them.
#[derive(Debug)]
struct Lossy;

impl Spawn for Lossy {
    fn run(&self, _: Job) -> Result<(), SpawnError> {
        Ok(())
    }
    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
    fn block_on(&self, future: BoxFuture<'_, ()>) {
        block_on(future);
    }
}

#[test]
fn blocking_work_that_the_host_loses_is_not_waited_for() {
    let lost = block_on(blocking(&Lossy, || ())).unwrap_err();
    assert_eq!(lost.to_string(), "no thread could be had for a hook: the job was dropped before it ran");
}

#[test]
fn sleeps_end_in_their_order() {
    let threads = Threads::default();
    let order = Arc::new(Mutex::new(Vec::new()));
    let late = threads.sleep(Duration::from_millis(60));
    let early = threads.sleep(Duration::from_millis(5));
    let note = Arc::clone(&order);
    let other = thread::spawn(move || {
        block_on(late);
        lock(&note).push("late");
    });
    block_on(early);
    lock(&order).push("early");
    other.join().unwrap();
    assert_eq!(*lock(&order), ["early", "late"]);
}

#[test]
fn an_alarm_goes_away_with_what_waited_for_it() {
    let threads = Threads::default();
    for _ in 0..20_000 {
        let mut alarm = threads.sleep(LONG);
        assert!(poll_once(&mut alarm).is_pending());
        assert!(poll_once(&mut alarm).is_pending(), "and asked twice it has one place");
        assert_eq!(threads.alarms(), 1);
    }
    assert_eq!(threads.alarms(), 0);
    let waits: Vec<_> = (0..20_000).map(|_| threads.sleep(LONG)).collect();
    assert_eq!(threads.alarms(), 0, "nobody waits yet");
    drop(waits);
}

#[test]
fn a_time_that_never_comes_is_no_panic() {
    let threads = Threads::default();
    let mut never = threads.sleep(Duration::MAX);
    assert!(poll_once(&mut never).is_pending());
    assert!(poll_once(threads.sleep(Duration::ZERO)).is_ready());
    // More than a clock can wait for, and not more than it can show.
    let mut centuries = threads.sleep(Duration::from_secs(1 << 40));
    assert!(poll_once(&mut centuries).is_pending());
    block_on(threads.sleep(Duration::from_millis(1)));
}

#[test]
fn a_waker_that_asks_for_another_alarm_stops_nobody() {
    let threads = Threads::default();
    let (asked, was_asked) = mpsc::channel();
    let other = threads.clone();
    let waker = when(move || {
        let mut next = other.sleep(LONG);
        assert!(poll_once(&mut next).is_pending());
        let _ = asked.send(next);
    });
    let mut first = threads.sleep(Duration::from_millis(1));
    while first.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
        if let Ok(_next) = was_asked.recv_timeout(LONG) {
            break;
        }
    }
    let (done, ended) = mpsc::channel();
    let sleep = threads.sleep(Duration::from_millis(1));
    thread::spawn(move || {
        block_on(sleep);
        done.send(()).unwrap();
    });
    assert_eq!(ended.recv_timeout(LONG), Ok(()));
}

#[test]
fn a_waker_that_panics_harms_nobody() {
    let threads = Threads::default();
    let set = WakerSet::default();
    let bad = when(|| panic!("a waker"));
    let mut alarms: Vec<_> = (0..10).map(|_| threads.sleep(Duration::from_millis(2))).collect();
    for alarm in &mut alarms {
        let _ = alarm.as_mut().poll(&mut Context::from_waker(&bad));
    }
    let (done, ended) = mpsc::channel();
    let last = threads.sleep(Duration::from_millis(4));
    thread::spawn(move || {
        block_on(last);
        done.send(()).unwrap();
    });
    assert_eq!(ended.recv_timeout(LONG), Ok(()));
    let woken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&woken);
    let good = when(move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let mut waits: Vec<_> = (0..10).map(|_| Box::pin(set.until(|| None::<()>))).collect();
    for (number, wait) in waits.iter_mut().enumerate() {
        let waker = if number % 2 == 0 { &bad } else { &good };
        assert!(wait.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
    }
    set.wake_all();
    assert_eq!(woken.load(Ordering::SeqCst), 5);
}

#[test]
fn who_is_woken_and_goes_hands_it_on() {
    let set = WakerSet::default();
    let woken = Arc::new(Mutex::new(Vec::new()));
    let mut waits: Vec<_> = (0..3).map(|_| Box::pin(set.until(|| None::<()>))).collect();
    for (number, wait) in waits.iter_mut().enumerate() {
        let note = Arc::clone(&woken);
        let waker = when(move || lock(&note).push(number));
        assert!(wait.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    assert!(set.wake_one());
    assert_eq!(*lock(&woken), [0], "first come, first served");
    drop(waits.remove(0));
    assert_eq!(*lock(&woken), [0, 1]);
    drop(waits);
    assert_eq!(*lock(&woken), [0, 1, 2]);
    assert!(!set.wake_one());
    assert_eq!(set.len(), 0);
}

/// Comes back to the set when it is dropped, as a waker does that is the last to hold a task which waits there.
struct Holds(Arc<WakerSet>);

impl Wake for Holds {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Holds {
    fn drop(&mut self) {
        self.0.wake_all();
    }
}

#[test]
fn a_waker_is_dropped_under_no_lock() {
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        let set = Arc::new(WakerSet::default());
        let mut wait = Box::pin(set.until(|| None::<()>));
        for _ in 0..3 {
            let waker = Waker::from(Arc::new(Holds(Arc::clone(&set))));
            assert!(wait.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        drop(wait);
        done.send(()).unwrap();
    });
    assert_eq!(ended.recv_timeout(LONG), Ok(()));
}
