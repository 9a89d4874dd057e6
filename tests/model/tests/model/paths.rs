//! The ways to run a case: on which threads, and whether somebody watches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use hookspec::hooks::BoxError;
use hookspec::session::LogSink;
use hookspec::spawn::{Spawn, Threads};
use hookspec::timeline::{Timeline, TimelineEntry};
use hookspec::{Message, Session};
use hookspec_agent::spawn::TokioSpawn;
use tokio::runtime::{Builder, Runtime};

use crate::build;
use crate::case::{Act, At, Case, How, Place, State};
use crate::points::{self, Handles};
use crate::seen::{self, Entry, Seen};
use crate::world::{World, lock};

/// Which threads there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// `Hooks::new`, and a future that this thread runs by hand.
    Plain,
    /// The one thread of a tokio runtime.
    Current,
    /// A worker of a tokio runtime with several.
    Workers,
}

#[derive(Clone, Copy, Debug)]
pub struct Path {
    pub host: Host,
    pub observed: bool,
}

impl Path {
    pub fn all() -> impl Iterator<Item = Self> {
        // Miri runs no runtime.
        let hosts: &[Host] =
            if cfg!(miri) { &[Host::Plain] } else { &[Host::Plain, Host::Current, Host::Workers] };
        hosts.iter().flat_map(|host| [false, true].map(|observed| Self { host: *host, observed }))
    }

    /// Whether the thread that fires may block.
    pub fn may_wait(self) -> bool {
        self.host != Host::Current
    }
}

/// How long a case may take before it counts as one that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

fn workers() -> &'static Runtime {
    static WORKERS: OnceLock<Runtime> = OnceLock::new();
    WORKERS.get_or_init(|| Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
}

/// Runs a case on a thread of its own, so that one that hangs fails instead.
pub fn run(case: &Case, path: Path) -> Result<Seen, String> {
    let (tell, told) = mpsc::channel();
    let case = case.clone();
    thread::spawn(move || {
        let seen = || match path.host {
            Host::Plain => {
                static POOL: OnceLock<Threads> = OnceLock::new();
                let spawn = Arc::new(POOL.get_or_init(Threads::default).clone());
                block_on(drive(case, path, spawn))
            }
            Host::Current => {
                let runtime = Builder::new_current_thread().enable_all().build().unwrap();
                let seen = runtime.block_on(async { drive(case, path, tokio()).await });
                runtime.shutdown_background();
                seen
            }
            Host::Workers => {
                let runtime = workers();
                let task = runtime.spawn(async move { drive(case, path, tokio()).await });
                runtime.block_on(task).unwrap_or_else(|error| Err(format!("the task died: {error}")))
            }
        };
        let seen = catch_unwind(AssertUnwindSafe(seen));
        _ = tell.send(seen.unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            Err(format!("a panic got out: {}", text.unwrap_or_default()))
        }));
    });
    match told.recv_timeout(PATIENCE) {
        Ok(seen) => seen,
        Err(error) => Err(format!("it hangs: {error}")),
    }
}

fn tokio() -> Arc<dyn Spawn> {
    Arc::new(TokioSpawn::current().unwrap())
}

/// What a plain thread does with a future.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        thread::park();
    }
}

/// What the sink got.
#[derive(Clone, Default)]
pub struct Kept(pub Arc<Mutex<Vec<(String, String)>>>);

impl LogSink for Kept {
    fn append(&self, message: &mut Message) -> Result<(), BoxError> {
        lock(&self.0).push((message.hook.clone().unwrap_or_default(), message.content.clone()));
        Ok(())
    }
}

async fn drive(case: Case, path: Path, spawn: Arc<dyn Spawn>) -> Result<Seen, String> {
    let hooks = build::hooks(&case, spawn);
    let world = World::of(case);
    let (timeline, kept) = (Arc::new(Timeline::new(100_000)), Kept::default());
    let mut session = Session::builder(&hooks, "s")
        .extension(Arc::clone(&world))
        .states(build::saved())
        .log([], Some(Box::new(kept.clone())));
    if path.observed {
        session = session.observer(timeline.clone());
    }
    let session = session.build();
    let handles = Handles::of(&hooks.load());
    for (number, act) in world.case.acts.iter().enumerate() {
        let text = &*format!("t{number}");
        match *act {
            Act::Change(change) => build::apply(&world, &session, change),
            Act::Fire(at, How::Fire) => points::fire_at(&session, at, text).await,
            Act::Fire(at, How::FireNow) => points::fire_now_at(&session, at, text),
            Act::Fire(at, How::Kept) => handles.fire(&session, at, text).await,
            Act::Fire(at, How::KeptNow) => handles.fire_now(&session, at, text),
            Act::Fire(at, How::Live) => Handles::of(&hooks.load()).fire(&session, at, text).await,
            Act::Fire(at, How::LiveNow) => Handles::of(&hooks.load()).fire_now(&session, at, text),
        }
        drain(&session).await?;
    }
    world.release();
    let log: Vec<_> =
        session.log().iter().map(|m| (m.hook.clone().unwrap_or_default(), m.content.clone())).collect();
    if log != *lock(&kept.0) {
        return Err(format!("the log has {log:?}, the sink {:?}", lock(&kept.0)));
    }
    let mut seen = Seen { fires: lock(&world.fires).clone(), log, ..Seen::default() };
    for entry in timeline.entries() {
        let (entry, beside) = shown(entry);
        match beside {
            Some(hook) => seen.beside.entry(hook).or_default().push(entry),
            None => seen.timeline.push(entry),
        }
    }
    for told in lock(&world.told).clone() {
        let background = world.case.hooks.iter().filter(|desc| desc.place == Place::Background);
        if background.into_iter().any(|desc| desc.full_name() == told.0) {
            seen.told_beside.entry(told.0.clone()).or_default().push(told);
        } else {
            seen.told.push(told);
        }
    }
    for (key, value) in session.save_states() {
        let state = match key.rsplit(['.', ':']).next() {
            Some("TallyA") => State::A,
            Some("TallyB") => State::B,
            Some("Misfit") => State::Misfit,
            _ => continue,
        };
        seen.states.extend(value.as_u64().map(|count| (state, count)));
    }
    for row in hooks.list() {
        let (name, wire) = (row.info.name.clone(), row.info.point.wire);
        seen.order.entry(wire).or_default().push(name.clone());
        seen.rows.insert((name.clone(), wire, row.on, row.failures));
        seen.shadowed.extend(row.shadowed.map(|shadowed| ((name, wire), shadowed.to_string())));
    }
    Ok(seen)
}

/// Waits until what runs beside the chain is done.
async fn drain(session: &Session) -> Result<(), String> {
    match &*session.drain(Duration::MAX).await {
        [] => Ok(()),
        left => Err(format!("{left:?} are left in the background")),
    }
}

fn shown(entry: TimelineEntry) -> (Entry, Option<String>) {
    let wires = seen::wires();
    let wire = |point: &str| wires.get(point).map_or("?", |at: &At| at.wire());
    match entry {
        TimelineEntry::Fired { point, .. } => (Entry::Fired(wire(&point)), None),
        TimelineEntry::Ran(run) => {
            let text = |value: serde_json::Value| value.as_str().map(str::to_owned);
            let beside = run.background.then(|| run.hook.clone());
            let entry = Entry::Ran {
                hook: run.hook,
                at: wire(&run.point),
                messages: run.messages,
                gate: run.gate.as_ref().map(|gate| if run.shadow { seen::gate(gate) } else { gate.clone() }),
                fold: run.fold.and_then(text),
                first: run.first.and_then(text),
                flow: run.flow.map(|flow| match flow {
                    hookspec::Flow::EndSession(why) => why,
                    _ => "stop".into(),
                }),
                failed: run.error.is_some(),
                shadow: run.shadow,
            };
            (entry, beside)
        }
    }
}
