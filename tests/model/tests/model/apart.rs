//! Runs that nobody waits for any more, threads that are left behind, and what a host brings that breaks.

use std::future::{Future, poll_fn};
use std::panic::panic_any;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use hookspec::hooks::{Placement, Timeout};
use hookspec::spawn::{Spawn, Threads};
use hookspec::timeline::Timeline;
use hookspec::{Flow, Hook, Hooks, Message, Options, Registry, Session, fire, fire_now};

use crate::crowd::{Left, Lent, lent, only, session};
use crate::points::{ASKED, BRIEF, TALK};
use crate::world::lock;

/// All threads of the pool meet: none of them is still busy with something else.
fn all_are_free(threads: &Threads) {
    let meet = Arc::new(Barrier::new(Threads::MOST + 1));
    for _ in 0..Threads::MOST {
        let meet = Arc::clone(&meet);
        threads.run(Box::new(move || _ = meet.wait())).unwrap();
    }
    meet.wait();
}

#[test]
fn a_blocking_hook_that_fires_its_own_point_ends_and_leaves_no_thread_behind() {
    let threads = Threads::default();
    let again = Hook::new(ASKED, "x.again", |_, session| {
        lent(session).runs.fetch_add(1, SeqCst);
        let fired = fire_now!(session, ASKED { path: "".as_ref() });
        (Message::system(format!("{}", fired.failures().len())), fired.gate().cloned())
    });
    let again = again.options(Options { placement: Placement::Blocking, ..Options::DEFAULT });
    let lend = Arc::default();
    let session = session(Registry::builder().linked(false).register(again), threads.clone(), &lend);
    for round in 1..=20 {
        let fired = fire_now!(session, ASKED { path: "".as_ref() });
        assert!(fired.denied().unwrap().0.contains("more than 8 deep"), "{fired:?}");
        assert_eq!(lend.runs.load(SeqCst), 8 * round);
    }
    all_are_free(&threads);
}

#[test]
fn a_background_hook_that_fires_its_own_point_runs_as_often_as_the_depth_allows() {
    let lend = Arc::default();
    let again = Hook::new(TALK, "x.again", |_, session| {
        lent(session).runs.fetch_add(1, SeqCst);
        drop(fire_now!(session, TALK { path: "".as_ref() }));
    });
    let again = again.options(Options { placement: Placement::Background, ..Options::DEFAULT });
    let session = session(Registry::builder().linked(false).register(again), Threads::default(), &lend);
    drop(fire_now!(session, TALK { path: "".as_ref() }));
    assert!(session.drain_now(Duration::MAX).is_empty());
    assert_eq!(lend.runs.load(SeqCst), 8);
}

#[test]
fn a_background_run_that_hangs_leaves_the_events_of_other_sessions_alone() {
    let hangs = Hook::new(TALK, "x.counts", |event, session| {
        if crate::points::text(event.path) == "hang" {
            lent(session).wait();
        }
        lent(session).runs.fetch_add(1, SeqCst);
    });
    let options = Options { placement: Placement::Background, timeout: Timeout::Never, ..Options::DEFAULT };
    let registry = Registry::builder().linked(false).register(hangs.options(options)).build().unwrap();
    let hooks = Hooks::new(registry);
    let lend = Arc::<Lent>::default();
    let open = |id: usize| Session::builder(&hooks, id.to_string()).extension(Arc::clone(&lend)).build();
    let held = open(0);
    drop(fire_now!(held, TALK { path: "hang".as_ref() }));
    let others: Vec<_> = (1..60).map(open).collect();
    for session in &others {
        for _ in 0..4 {
            drop(fire_now!(session, TALK { path: "".as_ref() }));
        }
    }
    assert!(others.iter().all(|session| session.drain_now(Duration::MAX).is_empty()));
    assert_eq!((lend.runs.load(SeqCst), hooks.dropped()), (4 * 59, 0));
    let left = held.drain_now(Duration::ZERO);
    assert_eq!(left.iter().map(|left| (&*left.hook, left.runs)).collect::<Vec<_>>(), [("x.counts", 1)]);
    lend.open();
    assert!(held.drain_now(Duration::MAX).is_empty());
}

#[test]
fn a_fire_that_is_given_up_leaves_a_closed_timeline_and_its_state() {
    let timeline = Arc::new(Timeline::new(100));
    let hooks = Hooks::new(only(&["never_ends", "counts"]).build().unwrap());
    let session = Session::builder(&hooks, "s").observer(timeline.clone()).build();
    {
        let mut given_up = pin!(fire!(session, TALK { path: "".as_ref() }));
        assert!(given_up.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    let runs = timeline.runs();
    assert_eq!(runs.len(), 1, "{runs:?}");
    assert!(runs[0].hook == "crowd.never_ends" && runs[0].error.is_some(), "{runs:?}");
    // The state is back.
    assert_eq!(fire_now!(session, BRIEF { path: "".as_ref() }).messages()[0].content, "1");
}

/// Threads whose time limits are over when a hook says that it runs.
#[derive(Debug)]
struct WhenItRuns(Threads, Arc<Lent>, usize);

impl Spawn for WhenItRuns {
    fn run(&self, job: hookspec::spawn::Job) -> Result<(), hookspec::spawn::SpawnError> {
        self.0.run(job)
    }
    fn sleep(&self, _: Duration) -> hookspec::hooks::BoxFuture<'static, ()> {
        let (lent, often) = (Arc::clone(&self.1), self.2);
        Box::pin(poll_fn(move |cx| {
            cx.waker().wake_by_ref();
            if lent.runs.load(SeqCst) >= often { Poll::Ready(()) } else { Poll::Pending }
        }))
    }
    fn block_on(&self, future: hookspec::hooks::BoxFuture<'_, ()>) {
        self.0.block_on(future);
    }
}

#[test]
fn a_run_that_was_cut_off_and_goes_on_is_named_to_who_wants_its_state() {
    let lend = Arc::<Lent>::default();
    let spawn = WhenItRuns(Threads::default(), Arc::clone(&lend), 1);
    let session = session(only(&["overruns", "comes_after"]), spawn, &lend);
    let fired = fire_now!(session, ASKED { path: "".as_ref() });
    assert!(fired.denied().unwrap().0.contains("overran its timeout of 1ms"), "{fired:?}");
    let after = fire_now!(session, BRIEF { path: "".as_ref() });
    let why = after.failures()[0].to_string();
    for part in ["crowd.overruns", "crowd.comes_after", "which was cut off"] {
        assert!(why.contains(part), "{part}: {why}");
    }
    lend.open();
    // It ends at some time, and then the state is free.
    loop {
        let fired = fire_now!(session, BRIEF { path: "".as_ref() });
        if let [message] = fired.messages() {
            assert_eq!(message.content, "1");
            break;
        }
        thread::yield_now();
    }
}

struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn who_waits_for_a_state_is_told_when_the_run_that_holds_it_is_cut_off() {
    let lend = Arc::<Lent>::default();
    let spawn = WhenItRuns(Threads::default(), Arc::clone(&lend), 2);
    let session = session(only(&["overruns", "comes_after"]), spawn, &lend);
    let other = session.clone();
    let holds = thread::spawn(move || drop(fire_now!(other, ASKED { path: "".as_ref() })));
    while lend.runs.load(SeqCst) < 1 {
        thread::yield_now();
    }
    let woken = Arc::new(Woken(AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut waits = pin!(fire!(session, BRIEF { path: "".as_ref() }));
    assert!(waits.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    lend.runs.store(2, SeqCst);
    holds.join().unwrap();
    assert_eq!(woken.0.load(SeqCst), 1);
    let Poll::Ready(told) = waits.as_mut().poll(&mut Context::from_waker(&waker)) else {
        panic!("it waits on")
    };
    assert!(told.failures()[0].to_string().contains("which was cut off"), "{told:?}");
    lend.open();
}

#[test]
fn a_run_that_takes_a_state_after_it_was_cut_off_is_known_as_one_that_was() {
    let lend = Arc::<Lent>::default();
    let late = Hook::new(ASKED, "x.late", |_, session| {
        lent(session).runs.fetch_add(1, SeqCst);
        // Its fire is over by then.
        while lent(session).runs.load(SeqCst) < 2 {
            thread::yield_now();
        }
        let _held = session.try_state::<Left>().unwrap();
        lent(session).runs.fetch_add(1, SeqCst);
        lent(session).wait();
    });
    let timeout = Timeout::After(Duration::from_millis(1));
    let late = late.options(Options { placement: Placement::Blocking, timeout, ..Options::DEFAULT });
    let spawn = WhenItRuns(Threads::default(), Arc::clone(&lend), 1);
    let session = session(only(&["comes_after"]).allow(["x.late"]).register(late), spawn, &lend);
    assert!(fire_now!(session, ASKED { path: "".as_ref() }).denied().is_some());
    lend.runs.fetch_add(1, SeqCst);
    while lend.runs.load(SeqCst) < 3 {
        thread::yield_now();
    }
    let after = fire_now!(session, BRIEF { path: "".as_ref() });
    assert!(after.failures()[0].to_string().contains("which was cut off"), "{after:?}");
    lend.open();
}

/// Threads that begin a job when they are told to.
#[derive(Clone, Debug, Default)]
struct Later(Threads, Arc<Mutex<Jobs>>);

#[derive(Default)]
struct Jobs(Vec<hookspec::spawn::Job>);

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} jobs", self.0.len())
    }
}

impl Spawn for Later {
    fn run(&self, job: hookspec::spawn::Job) -> Result<(), hookspec::spawn::SpawnError> {
        lock(&self.1).0.push(job);
        Ok(())
    }
    fn sleep(&self, duration: Duration) -> hookspec::hooks::BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
    fn block_on(&self, future: hookspec::hooks::BoxFuture<'_, ()>) {
        self.0.block_on(future);
    }
}

#[test]
fn a_job_whose_time_was_over_before_it_began_does_not_run() {
    for placement in [Placement::Blocking, Placement::Background] {
        let (lend, later) = (Arc::<Lent>::default(), Later::default());
        let late = Hook::new(TALK, "x.late", |_, session| _ = lent(session).runs.fetch_add(1, SeqCst));
        let timeout = Timeout::After(Duration::from_millis(1));
        let late = late.options(Options { placement, timeout, ..Options::DEFAULT });
        let session = session(Registry::builder().linked(false).register(late), later.clone(), &lend);
        let fired = fire_now!(session, TALK { path: "".as_ref() });
        let blocking = placement == Placement::Blocking;
        assert_eq!(fired.failures().len(), usize::from(blocking), "{fired:?}");
        if !blocking {
            continue;
        }
        let jobs = std::mem::take(&mut lock(&later.1).0);
        assert_eq!(jobs.len(), 1);
        jobs.into_iter().for_each(|job| job());
        assert_eq!(lend.runs.load(SeqCst), 0);
    }
}

#[derive(Debug)]
struct Bad;

impl hookspec::timeline::Observer for Bad {
    fn record(&self, _: hookspec::timeline::Recorded) {
        panic_any(String::from("model: observer"));
    }
}

impl hookspec::session::LogSink for Bad {
    fn append(&self, _: &mut Message) -> Result<(), hookspec::hooks::BoxError> {
        panic!("model: sink");
    }
}

#[test]
fn nothing_that_a_sink_or_an_observer_does_gets_out() {
    let says = Hook::new(TALK, "x.says", |_, _| (Message::system("said"), Flow::Stop));
    let hooks = Hooks::new(Registry::builder().linked(false).register(says).build().unwrap());
    let session = Session::builder(&hooks, "s").observer(Arc::new(Bad)).log([], Some(Box::new(Bad))).build();
    let fired = thread::spawn(move || (fire_now!(session, TALK { path: "".as_ref() }), session.log().len()));
    let (fired, kept) = fired.join().unwrap();
    assert_eq!((*fired.flow()).clone(), Flow::Stop);
    // What cannot be stored was not said.
    assert_eq!((fired.messages().len(), kept), (0, 0));
}
