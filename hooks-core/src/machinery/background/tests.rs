//! Runs in their lanes: in order, side by side, bounded, and gone when they should be.

use std::future::{pending, poll_fn};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc;
use std::task::{Context, Waker};
use std::time::Instant;

use crate::Config;
use crate::Hook;
use crate::Options;
use crate::hooks::{Placement, Timeout};
use crate::machinery::spawn::{Job, Oneshot, Threads};
use crate::points::STEP_POST;
use crate::session::Session;
use crate::set::{Hooks, Registry};

use super::*;

/// So long that only what hangs takes it.
const LONG: Duration = Duration::from_secs(60);

/// Threads that can refuse or lose what they are given, or that may not wait.
fn lane(hook: usize, session: &Session) -> Lane {
    (hook, session.same())
}

#[derive(Debug, Default)]
struct Moody {
    threads: Threads,
    refuses: AtomicBool,
    loses: AtomicBool,
    drives: AtomicBool,
}

impl Spawn for Moody {
    fn run(&self, job: Job) -> Result<(), SpawnError> {
        if self.refuses.load(Ordering::SeqCst) {
            return Err(SpawnError("none left".into()));
        }
        if self.loses.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.threads.run(job)
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.threads.sleep(duration)
    }
    fn block_on(&self, future: BoxFuture<'_, ()>) {
        self.threads.block_on(future);
    }
    fn may_block(&self) -> bool {
        !self.drives.load(Ordering::SeqCst)
    }
}

fn info(name: &str) -> Arc<HookInfo> {
    let options = Options { placement: Placement::Background, ..Options::DEFAULT };
    let hook = Hook::new(STEP_POST, name, |_, _| {}).options(options);
    let registry = Registry::builder().linked(false).register(hook).build().unwrap();
    Arc::clone(&registry.list()[0].info)
}

fn sessions(names: impl IntoIterator<Item = impl Into<String>>) -> Vec<Session> {
    let hooks = Hooks::new(Registry::builder().linked(false).build().unwrap());
    names.into_iter().map(|name| Session::builder(&hooks, name).build()).collect()
}

struct Stage {
    background: Background,
    spawn: Arc<Moody>,
    info: Arc<HookInfo>,
    session: Session,
    said: Arc<Mutex<Vec<String>>>,
}

impl Stage {
    fn new(settings: BackgroundSettings) -> Self {
        let spawn = Arc::<Moody>::default();
        Self {
            background: Background::new(settings, spawn.clone()),
            spawn,
            info: info("test.hook"),
            session: sessions(["s"]).remove(0),
            said: Arc::default(),
        }
    }

    fn queue(&self, session: &Session, run: impl Future<Output = ()> + Send + 'static) -> Queued {
        self.background.enqueue(&self.info, lane(1, session), session.pending(), Box::pin(run))
    }

    /// A run that says something.
    fn says(&self, text: impl Into<String>) -> impl Future<Output = ()> + Send + 'static {
        let (said, text) = (Arc::clone(&self.said), text.into());
        async move { lock(&said).push(text) }
    }

    /// Queues a run that waits to be let go.
    fn held(&self, session: &Session) -> Arc<Oneshot<()>> {
        let (hold, begun) = (Oneshot::new(), Oneshot::new());
        let (held, begins) = (Arc::clone(&hold), Arc::clone(&begun));
        let run = poll_fn(move |cx| {
            let polled = held.poll(cx);
            // It waits by now, and has to be woken.
            begins.send(());
            polled
        });
        assert!(matches!(self.queue(session, run), Queued::Yes));
        self.spawn.threads.block_on(Box::pin(poll_fn(move |cx| begun.poll(cx))));
        hold
    }

    fn said(&self) -> Vec<String> {
        lock(&self.said).clone()
    }

    /// Ends only if it does.
    fn forgets_empty_lanes(&self) {
        while self.background.lanes.len() > 0 {
            std::thread::yield_now();
        }
    }

    fn drained(&self, session: &Session) {
        assert_eq!(session.drain_now(LONG), []);
    }
}

fn is_yes(queued: &Queued) -> bool {
    matches!(queued, Queued::Yes)
}

fn poll_once<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn the_runs_of_a_lane_are_in_order_also_where_one_waits_and_others_go_on_meanwhile() {
    let stage = Stage::new(BackgroundSettings::default());
    let other = sessions(["other"]).remove(0);
    let hold = stage.held(&stage.session);
    for number in 0..100 {
        assert!(is_yes(&stage.queue(&stage.session, stage.says(number.to_string()))));
    }
    assert!(is_yes(&stage.queue(&other, stage.says("other"))));
    stage.drained(&other);
    assert_eq!(stage.said(), ["other"]);
    hold.send(());
    stage.drained(&stage.session);
    let expected: Vec<_> = (0..100).map(|number| number.to_string()).collect();
    assert_eq!(stage.said()[1..], expected);
    stage.forgets_empty_lanes();
}

#[test]
fn lanes_take_turns() {
    let stage = Stage::new(BackgroundSettings { lanes: 1, ..Default::default() });
    let others = sessions(["a", "b"]);
    let hold = stage.held(&stage.session);
    for number in 0..3 {
        for session in &others {
            let text = format!("{}{number}", session.id());
            assert!(is_yes(&stage.queue(session, stage.says(text))));
        }
        assert!(is_yes(&stage.queue(&others[0], stage.says("a+"))));
    }
    hold.send(());
    others.iter().for_each(|session| stage.drained(session));
    assert_eq!(stage.said(), ["a0", "b0", "a+", "b1", "a1", "b2", "a+", "a2", "a+"]);
}

#[test]
fn so_many_runs_are_under_way_at_once() {
    let stage = Stage::new(BackgroundSettings { lanes: 3, ..Default::default() });
    let (running, most) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let all = sessions((0..50).map(|number| number.to_string()));
    for session in &all {
        for _ in 0..4 {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            let sleep = stage.spawn.sleep(Duration::from_micros(200));
            let run = async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                sleep.await;
                running.fetch_sub(1, Ordering::SeqCst);
            };
            assert!(is_yes(&stage.queue(session, run)));
        }
    }
    all.iter().for_each(|session| stage.drained(session));
    assert!(most.load(Ordering::SeqCst) <= 3);
    let held: Vec<_> = all[..3].iter().map(|session| stage.held(session)).collect();
    assert!(is_yes(&stage.queue(&all[3], stage.says("a fourth one"))));
    assert_eq!(stage.said().len(), 0);
    held[1].send(());
    stage.drained(&all[3]);
}

#[test]
fn a_run_that_panics_when_polled_or_dropped_costs_only_itself() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let stage = Stage::new(BackgroundSettings::default());
    let bad = Bad;
    let drops = async move {
        let _bad = bad;
        pending::<()>().await;
    };
    let polls = async { panic!("polled") };
    assert!(is_yes(&stage.queue(&stage.session, polls)));
    assert!(is_yes(&stage.queue(&stage.session, async { std::panic::panic_any(Bad) })));
    // It waits for nothing that could wake it: that is found out, and its drop panics.
    assert!(is_yes(&stage.queue(&stage.session, drops)));
    assert!(is_yes(&stage.queue(&stage.session, stage.says("on"))));
    stage.drained(&stage.session);
    assert_eq!(stage.said(), ["on"]);
    assert_eq!(stage.background.drops(), 1, "what never ended is counted");
}

#[test]
fn a_full_lane_gives_the_run_back_and_room_comes_with_the_next_start() {
    let stage = Stage::new(BackgroundSettings { queue: 2, block_ms: u64::MAX, ..Default::default() });
    let hold = stage.held(&stage.session);
    assert!(is_yes(&stage.queue(&stage.session, stage.says("1"))));
    assert!(is_yes(&stage.queue(&stage.session, stage.says("2"))));
    let Queued::Full(run) = stage.queue(&stage.session, stage.says("3")) else { panic!("there is room") };
    assert_eq!(stage.background.drops(), 0, "it is not lost yet");
    let mut room = pin!(stage.background.room(lane(1, &stage.session)));
    assert!(poll_once(room.as_mut()).is_pending(), "and no thread waits");
    let other = sessions(["other"]).remove(0);
    assert!(poll_once(pin!(stage.background.room(lane(1, &other)))).is_ready());
    assert!(poll_once(pin!(stage.background.room(lane(2, &stage.session)))).is_ready());
    hold.send(());
    stage.spawn.block_on(Box::pin(room));
    assert!(is_yes(&stage.background.enqueue(
        &stage.info,
        lane(1, &stage.session),
        stage.session.pending(),
        run
    )));
    stage.drained(&stage.session);
    assert_eq!(stage.said(), ["1", "2", "3"]);
}

#[test]
fn room_is_waited_for_so_long_and_not_at_all_where_the_settings_say_so() {
    let full = |settings| {
        let stage = Stage::new(BackgroundSettings { queue: 1, ..settings });
        let hold = stage.held(&stage.session);
        assert!(is_yes(&stage.queue(&stage.session, stage.says("1"))));
        (stage, hold)
    };
    let (stage, _hold) = full(BackgroundSettings { block_ms: 20, ..Default::default() });
    let began = Instant::now();
    stage.spawn.block_on(Box::pin(stage.background.room(lane(1, &stage.session))));
    assert!(began.elapsed() >= Duration::from_millis(20));
    let (stage, _hold) = full(BackgroundSettings { when_full: WhenFull::Drop, ..Default::default() });
    assert!(poll_once(pin!(stage.background.room(lane(1, &stage.session)))).is_ready());
    let nothing = Stage::new(BackgroundSettings { queue: 0, lanes: 0, ..Default::default() });
    assert!(is_yes(&nothing.queue(&nothing.session, nothing.says("one at least"))));
    nothing.drained(&nothing.session);
}

#[test]
fn runs_that_find_no_thread_are_counted_and_the_lane_goes_on() {
    let stage = Stage::new(BackgroundSettings::default());
    let other = info("test.other");
    stage.spawn.refuses.store(true, Ordering::SeqCst);
    let Queued::Refused(error) = stage.queue(&stage.session, stage.says("no")) else { panic!("it runs") };
    assert_eq!(error.to_string(), "no thread could be had for a hook: none left");
    stage.spawn.refuses.store(false, Ordering::SeqCst);
    stage.spawn.loses.store(true, Ordering::SeqCst);
    assert!(matches!(stage.queue(&stage.session, stage.says("no")), Queued::Refused(_)));
    stage.spawn.loses.store(false, Ordering::SeqCst);
    // One that waits when there are none: it cannot go on, and what is behind it neither.
    let hold = stage.held(&stage.session);
    assert!(is_yes(&stage.queue(&stage.session, stage.says("no"))));
    stage.spawn.refuses.store(true, Ordering::SeqCst);
    hold.send(());
    assert_eq!(stage.session.drain_now(LONG), []);
    stage.spawn.refuses.store(false, Ordering::SeqCst);
    assert!(is_yes(&stage.queue(&stage.session, stage.says("yes"))));
    stage.drained(&stage.session);
    assert_eq!(stage.said(), ["yes"]);
    assert_eq!((stage.background.drops(), stage.background.drops_of(&stage.info)), (4, 4));
    assert_eq!(stage.background.drops_of(&other), 0);
    stage.background.dropped(&other);
    assert_eq!((stage.background.drops(), stage.background.drops_of(&other)), (5, 1));
    stage.forgets_empty_lanes();
}

#[test]
fn a_session_ends_with_the_names_of_who_is_not_done() {
    let stage = Stage::new(BackgroundSettings::default());
    let hold = stage.held(&stage.session);
    let other = info("a.other");
    let run = Box::pin(stage.says("2"));
    assert!(is_yes(&stage.queue(&stage.session, stage.says("1"))));
    assert!(is_yes(&stage.background.enqueue(&other, lane(1, &stage.session), stage.session.pending(), run)));
    let left = stage.session.drain_now(Duration::from_millis(1));
    assert_eq!(Unfinished::text(&left), "`a.other`, `test.hook` (2 runs)");
    {
        let mut drained = pin!(stage.session.drain(Duration::MAX));
        assert!(poll_once(drained.as_mut()).is_pending());
        hold.send(());
        let mut left = left;
        stage.spawn.block_on(Box::pin(async { left = drained.await }));
        assert_eq!(left, []);
    }
    assert_eq!(stage.spawn.threads.alarms(), 0);
}

#[test]
fn a_thread_that_may_not_wait_learns_at_once_who_is_not_done() {
    let stage = Stage::new(BackgroundSettings::default());
    stage.spawn.drives.store(true, Ordering::SeqCst);
    let spawn = Arc::clone(&stage.spawn) as Arc<dyn Spawn>;
    let hooks = Hooks::with_spawn(Registry::builder().linked(false).build().unwrap(), spawn);
    let session = Session::builder(&hooks, "s").build();
    let hold = stage.held(&session);
    assert_eq!(Unfinished::text(&session.drain_now(Duration::MAX)), "`test.hook`");
    hold.send(());
    stage.spawn.drives.store(false, Ordering::SeqCst);
    stage.drained(&session);
}

#[test]
fn a_hook_that_hangs_in_one_session_holds_up_no_other() {
    const SESSIONS: usize = 40;
    const EVENTS: usize = 6;
    let (hold, held) = mpsc::channel::<()>();
    let (held, ran) = (Arc::new(Mutex::new(held)), Arc::<AtomicUsize>::default());
    let count = Arc::clone(&ran);
    let hook = Hook::new(STEP_POST, "test.hangs", move |_, session: &Session| {
        if session.id() == "0" {
            let _ = lock(&held).recv();
        }
        count.fetch_add(1, Ordering::SeqCst);
    });
    // However slow the machine is, Miri's for one: nobody cuts it off.
    let timeout = Timeout::Never;
    let hook = hook.options(Options { placement: Placement::Background, timeout, ..Options::DEFAULT });
    let mut config = Config::new();
    config.add_toml("t", "[background]\nqueue = 6\nblock_ms = 600000", &[]).unwrap();
    let registry = Registry::builder().linked(false).config(config).register(hook).build().unwrap();
    let hooks = Hooks::new(registry);
    let all: Vec<_> = (0..SESSIONS).map(|id| Session::builder(&hooks, id.to_string()).build()).collect();
    for step in 0..EVENTS {
        for session in &all {
            // Ready at once, or somebody is held up.
            let event = STEP_POST::Event { step: step as u32, tool_calls: 0, usage: None };
            let fired = pin!(crate::dispatch::fire::<STEP_POST::Point>(session, event));
            assert!(poll_once(fired).is_ready());
        }
    }
    for session in &all[1..] {
        assert_eq!(session.drain_now(LONG), []);
    }
    assert_eq!(ran.load(Ordering::SeqCst), (SESSIONS - 1) * EVENTS);
    assert_eq!(Unfinished::text(&all[0].drain_now(Duration::ZERO)), "`test.hangs` (6 runs)");
    drop(hold);
    assert_eq!(all[0].drain_now(LONG), []);
    assert_eq!(hooks.dropped(), 0);
}
