//! Lanes: runs in order, side by side with those of other lanes, so many at once.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::base::boxed::BoxFuture;
use crate::base::sync::{Mutex, lock};
use crate::machinery::spawn::{Ended, Spawn, SpawnError, Task, WakerSet};

/// The hook and the session: their runs are in order.
pub(crate) type Lane = (usize, usize);

/// What is kept for a run. Dropped without [`done`](Self::done), the run did not come to its end.
pub(crate) trait Receipt: Send + 'static {
    /// The run came to its end.
    fn done(self);
}

/// A run that is not queued.
pub(crate) enum Unqueued<R> {
    /// There is no room in its lane.
    Full(BoxFuture<'static, ()>, R),
    /// There is no thread for it; its receipt is dropped.
    NoThread(SpawnError),
}

/// Queues with a bound, one a lane, served in turn.
pub(crate) struct Lanes<R> {
    spawn: Arc<dyn Spawn>,
    /// How many runs may wait in a lane.
    queue: usize,
    /// How many runs may be under way.
    most: usize,
    inner: Mutex<Inner<R>>,
}

struct Inner<R> {
    queues: HashMap<Lane, Queue<R>>,
    /// The lanes that have a run to start, in the order of their turns.
    turns: VecDeque<Lane>,
    running: usize,
    numbers: u64,
}

struct Queue<R> {
    waiting: VecDeque<Run<R>>,
    running: bool,
    room: Arc<WakerSet>,
}

struct Run<R> {
    number: u64,
    future: BoxFuture<'static, ()>,
    receipt: R,
}

impl<R: Receipt> Lanes<R> {
    /// At least one run may wait in a lane, and one be under way.
    pub(crate) fn new(spawn: Arc<dyn Spawn>, queue: usize, most: usize) -> Arc<Self> {
        let inner = Inner { queues: HashMap::new(), turns: VecDeque::new(), running: 0, numbers: 0 };
        Arc::new(Self { spawn, queue: queue.max(1), most: most.max(1), inner: Mutex::new(inner) })
    }

    /// Queues a run at the end of its lane. Never waits.
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        lane: Lane,
        future: BoxFuture<'static, ()>,
        receipt: R,
    ) -> Result<(), Unqueued<R>> {
        let mut inner = lock(&self.inner);
        let Inner { queues, turns, numbers, .. } = &mut *inner;
        let queue = queues.entry(lane).or_insert_with(|| Queue {
            waiting: VecDeque::new(),
            running: false,
            room: Arc::default(),
        });
        if queue.waiting.len() >= self.queue {
            return Err(Unqueued::Full(future, receipt));
        }
        *numbers += 1;
        let number = *numbers;
        queue.waiting.push_back(Run { number, future, receipt });
        if !queue.running && queue.waiting.len() == 1 {
            turns.push_back(lane);
        }
        drop(inner);
        match self.next(number) {
            Some(error) => Err(Unqueued::NoThread(error)),
            None => Ok(()),
        }
    }

    /// Completes when there is room in a lane.
    pub(crate) async fn room(&self, lane: Lane) {
        loop {
            let room = lock(&self.inner).queues.get(&lane).map(|queue| Arc::clone(&queue.room));
            let Some(room) = room else { return };
            let has_room = || {
                let inner = lock(&self.inner);
                let queue = inner.queues.get(&lane).filter(|queue| Arc::ptr_eq(&queue.room, &room));
                match queue {
                    Some(queue) => (queue.waiting.len() < self.queue).then_some(true),
                    // The lane was empty meanwhile, and is another one now.
                    None => Some(false),
                }
            };
            if room.until(has_room).await {
                return;
            }
        }
    }

    /// Starts the run whose turn it is, if there is a place; tells if it was `own` and there was no thread for it.
    ///
    /// One is enough, since whatever makes a place or a turn comes here; after one that could not start, the next.
    fn next(self: &Arc<Self>, own: u64) -> Option<SpawnError> {
        let mut refused = None;
        loop {
            let mut inner = lock(&self.inner);
            if inner.running >= self.most {
                return refused;
            }
            let Some(lane) = inner.turns.pop_front() else { return refused };
            let Some(queue) = inner.queues.get_mut(&lane) else { continue };
            let Some(run) = queue.waiting.pop_front() else { continue };
            queue.running = true;
            let room = Arc::clone(&queue.room);
            inner.running += 1;
            drop(inner);
            room.wake_one();
            let Err(error) = self.start(lane, run.future, run.receipt) else { return refused };
            self.leave(lane);
            if run.number == own {
                refused = Some(error);
            } else {
                tracing::error!(%error, "a background hook does not run");
            }
        }
    }

    fn start(
        self: &Arc<Self>,
        lane: Lane,
        future: BoxFuture<'static, ()>,
        receipt: R,
    ) -> Result<(), SpawnError> {
        let lanes = Arc::clone(self);
        let at_end = move |how| {
            // Who waits for the run finds its lane free.
            lanes.leave(lane);
            match how {
                Ended::Done => receipt.done(),
                Ended::Panicked => {
                    tracing::error!("a background run panicked");
                    receipt.done();
                }
                Ended::Refused(error) => tracing::error!(%error, "a background run does not go on"),
                Ended::Forsaken => tracing::error!("a background run waits for what is gone; it is given up"),
            }
            lanes.next(0);
        };
        Task::start(&self.spawn, future, Box::new(at_end))
    }

    /// Frees the place of a run, and gives its lane another turn.
    fn leave(&self, lane: Lane) {
        let mut inner = lock(&self.inner);
        let Inner { queues, turns, running, .. } = &mut *inner;
        *running -= 1;
        let Some(queue) = queues.get_mut(&lane) else { return };
        queue.running = false;
        if !queue.waiting.is_empty() {
            turns.push_back(lane);
            return;
        }
        let gone = queues.remove(&lane);
        drop(inner);
        if let Some(gone) = gone {
            gone.room.wake_all();
        }
    }

    /// How many lanes have runs.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.inner).queues.len()
    }
}
