//! The background queue: lanes, and the tasks in them.

#[path = "../../src/machinery/background/lanes.rs"]
#[allow(dead_code)]
mod lanes;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use loom::future::block_on;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread::spawn;

use crate::model;
use crate::spawn::{BoxFuture, Oneshot, Pool, Spawn, WakerSet};
use crate::sync::{Mutex, lock};

use lanes::{Lane, Lanes, Receipt, Unqueued};

const ONE: Lane = (1, 1);
const OTHER: Lane = (1, 2);

/// What became of the runs.
#[derive(Default)]
struct Book {
    state: Mutex<State>,
    changed: WakerSet,
}

#[derive(Default)]
struct State {
    ran: Vec<u32>,
    under_way: Vec<u32>,
    done: usize,
    dropped: usize,
}

struct Entry(Arc<Book>, bool);

impl Receipt for Entry {
    fn done(mut self) {
        self.1 = true;
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        let count = if self.1 { &mut state.done } else { &mut state.dropped };
        *count += 1;
        drop(state);
        self.0.changed.wake_all();
    }
}

struct Stage {
    lanes: Arc<Lanes<Entry>>,
    most: usize,
    pool: Arc<Pool>,
    book: Arc<Book>,
}

impl Stage {
    fn new(queue: usize, most: usize, takes: usize) -> Self {
        let pool = Pool::new(takes);
        let lanes = Lanes::new(Arc::clone(&pool) as Arc<dyn Spawn>, queue, most);
        Self { lanes, most, pool, book: Arc::default() }
    }

    fn put(&self, lane: Lane, run: BoxFuture<'static, ()>) -> Result<(), Unqueued<Entry>> {
        self.lanes.enqueue(lane, run, Entry(Arc::clone(&self.book), false))
    }

    /// A run that notes when it begins, waits, and notes its end; polled by one thread at a time.
    fn run(&self, number: u32, until: Option<Arc<Oneshot<()>>>) -> BoxFuture<'static, ()> {
        let (book, polled, mut begun) = (Arc::clone(&self.book), AtomicBool::new(false), false);
        let most = self.most;
        Box::pin(poll_fn(move |cx| {
            assert!(!polled.swap(true, Ordering::SeqCst), "polled twice at once");
            if !begun {
                begun = true;
                let mut state = lock(&book.state);
                state.under_way.push(number);
                assert!(state.under_way.len() <= most, "under way at once: {:?}", state.under_way);
            }
            let ended = until.as_ref().is_none_or(|until| until.poll(cx).is_ready());
            if ended {
                let mut state = lock(&book.state);
                state.under_way.retain(|other| *other != number);
                state.ran.push(number);
            }
            polled.store(false, Ordering::SeqCst);
            if ended { Poll::Ready(()) } else { Poll::Pending }
        }))
    }

    /// Waits until so many runs are done or dropped.
    fn ended(&self, runs: usize) {
        let ready = || {
            let state = lock(&self.book.state);
            (state.done + state.dropped >= runs).then_some(())
        };
        block_on(self.book.changed.until(ready));
    }
}

#[test]
fn a_lane_is_in_order_though_a_run_waits_and_is_woken_from_elsewhere() {
    model(|| {
        let stage = Stage::new(8, 2, usize::MAX);
        let threads = [stage.pool.thread(), stage.pool.thread()];
        let hold = Oneshot::new();
        assert!(stage.put(ONE, stage.run(1, Some(Arc::clone(&hold)))).is_ok());
        assert!(stage.put(ONE, stage.run(2, None)).is_ok());
        hold.send(());
        stage.ended(2);
        let state = lock(&stage.book.state);
        assert_eq!((state.ran.as_slice(), state.done, state.dropped), ([1, 2].as_slice(), 2, 0));
        drop(state);
        stage.pool.go_home();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(stage.lanes.len(), 0);
    });
}

#[test]
fn lanes_that_are_filled_from_two_threads_share_one_place() {
    model(|| {
        let stage = Arc::new(Stage::new(8, 1, usize::MAX));
        let thread = stage.pool.thread();
        let other = Arc::clone(&stage);
        let fills = spawn(move || assert!(other.put(OTHER, other.run(2, None)).is_ok()));
        let hold = Oneshot::new();
        assert!(stage.put(ONE, stage.run(1, Some(Arc::clone(&hold)))).is_ok());
        fills.join().unwrap();
        hold.send(());
        stage.ended(2);
        stage.pool.go_home();
        thread.join().unwrap();
        let state = lock(&stage.book.state);
        assert_eq!((state.done, state.dropped, state.ran.len()), (2, 0, 2));
        drop(state);
        assert_eq!(stage.lanes.len(), 0);
    });
}

#[test]
fn room_in_a_full_lane_is_told() {
    model(|| {
        let stage = Stage::new(1, 1, usize::MAX);
        let thread = stage.pool.thread();
        // The second one does not end before the third one has found room.
        let (hold, second) = (Oneshot::new(), Oneshot::new());
        assert!(stage.put(ONE, stage.run(1, Some(Arc::clone(&hold)))).is_ok());
        assert!(stage.put(ONE, stage.run(2, Some(Arc::clone(&second)))).is_ok());
        let lets = spawn(move || hold.send(()));
        let mut queued = stage.put(ONE, stage.run(3, None));
        if let Err(Unqueued::Full(run, entry)) = queued {
            block_on(stage.lanes.room(ONE));
            queued = stage.lanes.enqueue(ONE, run, entry);
        }
        assert!(queued.is_ok());
        second.send(());
        stage.ended(3);
        lets.join().unwrap();
        stage.pool.go_home();
        thread.join().unwrap();
        assert_eq!(lock(&stage.book.state).ran, [1, 2, 3]);
    });
}

#[test]
fn a_run_that_cannot_go_on_frees_its_place() {
    model(|| {
        // A place for the first poll, and none for a second one.
        let stage = Stage::new(8, 1, 1);
        let thread = stage.pool.thread();
        let hold = Oneshot::new();
        assert!(stage.put(ONE, stage.run(1, Some(Arc::clone(&hold)))).is_ok());
        hold.send(());
        stage.ended(1);
        stage.pool.go_home();
        thread.join().unwrap();
        let refused = stage.put(ONE, stage.run(2, None));
        assert!(matches!(refused, Err(Unqueued::NoThread(_))));
        let state = lock(&stage.book.state);
        assert_eq!(state.done + state.dropped, 2);
        assert_eq!(state.ran.len(), state.done);
        drop(state);
        assert_eq!(stage.lanes.len(), 0);
    });
}
