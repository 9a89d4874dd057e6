//! The ways to run a case: on which threads, and whether somebody watches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use hookspec::hooks::Cause;
use hookspec::point::Wrapped;
use hookspec::registry::RegistryBuilder;
use hookspec::spawn::{Spawn, Threads};
use hookspec::timeline::{Timeline, TimelineEntry};
use hookspec::{Flow, Hooks, Registry, Session, around, around_now};
use hookspec_agent::spawn::TokioSpawn;
use tokio::runtime::{Builder, Runtime};

use crate::case::{Act, Case, How, Work};
use crate::hooks::{self, WRAP, World, lock};
use crate::seen::{Entry, Out, Seen};

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
                block_on(drive(case, path, Arc::new(POOL.get_or_init(Threads::default).clone())))
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
                runtime.block_on(task).unwrap()
            }
        };
        _ = tell.send(catch_unwind(AssertUnwindSafe(seen)).map_err(|payload| text_of(&*payload)));
    });
    match told.recv_timeout(PATIENCE) {
        Ok(seen) => seen,
        Err(error) => Err(format!("it hangs: {error}")),
    }
}

fn text_of(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

fn tokio() -> Arc<dyn Spawn> {
    Arc::new(TokioSpawn::current().unwrap())
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
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

/// Polls a future to its end, or once; what it panics with is its result then.
async fn caught<T>(future: impl Future<Output = T>, whole: bool) -> Result<Option<T>, String> {
    let mut future = pin!(future);
    std::future::poll_fn(move |cx| match catch_unwind(AssertUnwindSafe(|| Pin::new(&mut future).poll(cx))) {
        Ok(Poll::Pending) if whole => Poll::Pending,
        Ok(Poll::Pending) => Poll::Ready(Ok(None)),
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(Some(value))),
        Err(payload) => Poll::Ready(Err(text_of(&*payload))),
    })
    .await
}

async fn act(session: &Session, world: &Arc<World>, number: usize, (how, work): (How, Work)) -> Out {
    let (input, from) = (format!("t{number}"), lock(&world.work).len());
    let text = &*input;
    let handle = session.hooks().load().handle(WRAP);
    let wrapped = match how {
        How::Around | How::Dropped => {
            let future = async {
                around!(session, WRAP { text }, async |event| {
                    hooks::work(Arc::clone(world), from, work, event.text).await
                })
                .await
            };
            caught(future, how == How::Around).await
        }
        How::Handle => {
            let future = handle.around(session, WRAP::Event { text }, |event, _| {
                Box::pin(hooks::work(Arc::clone(world), from, work, event.text))
            });
            caught(future, true).await
        }
        How::Now => catch_unwind(AssertUnwindSafe(|| {
            around_now!(session, WRAP { text }, |event| hooks::work_now(world, from, work, event.text))
        }))
        .map(Some)
        .map_err(|payload| text_of(&*payload)),
        How::HandleNow => catch_unwind(AssertUnwindSafe(|| {
            handle.around_now(session, WRAP::Event { text }, |event| {
                hooks::work_now(world, from, work, event.text)
            })
        }))
        .map(Some)
        .map_err(|payload| text_of(&*payload)),
    };
    match wrapped {
        Ok(Some(wrapped)) => out(&wrapped),
        Ok(None) => Out { result: "dropped".into(), ..Out::default() },
        Err(panic) => Out { result: panic, ..Out::default() },
    }
}

fn out(wrapped: &Wrapped<String>) -> Out {
    Out {
        result: match wrapped.result() {
            Ok(value) => value.clone(),
            Err(lost) => format!("lost by {}", lost.hook),
        },
        by: wrapped.answered_by().map(str::to_owned),
        messages: wrapped
            .messages()
            .iter()
            .map(|message| (message.hook.clone().unwrap_or_default(), message.content.clone()))
            .collect(),
        flow: flow(wrapped.flow()),
        failures: wrapped
            .failures()
            .iter()
            .map(|failure| {
                let cause = match &failure.cause {
                    Cause::Panic(text) => format!("panic: {text}"),
                    Cause::Error(text) => format!("error: {text}"),
                    Cause::Timeout { .. } => "timeout".into(),
                    Cause::CannotWait => "cannot wait".into(),
                    Cause::NextWaits => "next waits".into(),
                    Cause::State(_) => "state".into(),
                    other => other.to_string(),
                };
                (failure.hook.clone(), cause)
            })
            .collect(),
    }
}

fn flow(flow: &Flow) -> Option<String> {
    match flow {
        Flow::Continue => None,
        Flow::Stop => Some("stop".into()),
        Flow::EndSession(why) => Some(why.clone()),
    }
}

async fn drive(case: Case, path: Path, spawn: Arc<dyn Spawn>) -> Seen {
    let registered = case.hooks.iter().map(hooks::hook_of);
    let registry = registered.fold(Registry::builder().linked(false), RegistryBuilder::register);
    let hooks = Hooks::with_spawn(registry.build().unwrap(), spawn);
    let world = World::of(case);
    let timeline = Arc::new(Timeline::new(100_000));
    let mut session = Session::builder(&hooks, "s").extension(Arc::clone(&world));
    if path.observed {
        session = session.observer(timeline.clone());
    }
    let session = session.build();
    let name = |uid: usize| format!("m.h{uid}");
    let mut seen = Seen::default();
    for (number, step) in world.case.acts.iter().enumerate() {
        match *step {
            Act::Around(how, work) => seen.outs.push(act(&session, &world, number, (how, work)).await),
            Act::Disable(uid) => drop(hooks.disable(&name(uid))),
            Act::Enable(uid) => drop(hooks.enable(&name(uid))),
            Act::Off(uid) => _ = session.set_hook_enabled(&name(uid), false),
            Act::On(uid) => _ = session.set_hook_enabled(&name(uid), true),
        }
    }
    (seen.work, seen.cut) = (lock(&world.work).clone(), *lock(&world.cut));
    let log = session.log();
    seen.log = log.iter().map(|m| (m.hook.clone().unwrap_or_default(), m.content.clone())).collect();
    seen.timeline = timeline.entries().into_iter().map(shown).collect();
    for desc in &world.case.hooks {
        let rows = hooks.list();
        let row = rows.iter().find(|row| row.info.name == desc.name()).unwrap();
        seen.rows.push((desc.name(), row.on, row.failures));
    }
    seen
}

fn shown(entry: TimelineEntry) -> Entry {
    match entry {
        TimelineEntry::Fired { .. } => Entry::Fired,
        TimelineEntry::Ran(run) => Entry::Ran {
            hook: run.hook,
            messages: run.messages,
            first: run.first.and_then(|value| value.as_str().map(str::to_owned)),
            flow: run.flow.as_ref().and_then(flow),
            failed: run.error.is_some(),
            around: run.around.map(|around| (around.runs, around.answered)),
        },
    }
}
