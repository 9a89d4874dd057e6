//! Hooks around work: what each may do with `next`, and what stands when it fails.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use hookspec::hooks::{
    AroundCall, BoxError, BoxFuture, Call, Cause, JsonEvent, JsonHook, JsonOutcome, Placement, Timeout,
};
use hookspec::point::find_point;
use hookspec::registry::RegistryBuilder;
use hookspec::spawn::{Spawn, Threads};
use hookspec::timeline::Timeline;
use hookspec::{
    Around, Hook, Hooks, Message, Options, Registry, Session, ToolUse, around, around_now, hook, hook_point,
};

hook_point! {
    /// The dough is in the oven.
    pub BAKE("oven.bake") -> Around<String> {
        /// What is baked.
        #[fold]
        recipe: &str,
        /// °C.
        degrees: u32,
    }
}

#[hook(BAKE, priority = 20)]
async fn suffix(next: BAKE::Next<'_>, recipe: &str) -> Around<String> {
    let baked = next.run().await;
    Around(format!("{baked} of {recipe}"))
}

#[hook(BAKE, priority = 10)]
fn better(next: BAKE::Next<'_>, degrees: u32, session: &Session) -> Result<Around<String>, BoxError> {
    let baked = next.with(format!("rye for {}", session.id())).run_now()?;
    Ok(Around(format!("{baked} at {degrees}")))
}

fn opened(registry: RegistryBuilder) -> Session {
    Session::builder(&Hooks::new(registry.build().unwrap()), "s").build()
}

fn with(hooks: impl IntoIterator<Item = Hook<BAKE::Point>>) -> Session {
    opened(hooks.into_iter().fold(Registry::builder().linked(false), RegistryBuilder::register))
}

fn wait<T: Send>(future: impl Future<Output = T> + Send) -> T {
    let mut given = None;
    Threads::default().block_on(Box::pin(async { given = Some(future.await) }));
    given.unwrap()
}

#[test]
#[cfg_attr(miri, ignore = "its hooks are linked")]
fn linked_hooks_wrap_the_work_the_first_one_outermost() {
    let session = opened(Registry::builder());
    let work = |event: BAKE::Event<'_>| event.recipe.to_owned();
    let wrapped = around_now!(session, BAKE { recipe: "bread", degrees: 200 }, work);
    assert_eq!(wrapped.result().unwrap(), "rye for s at 200 of bread");
    assert_eq!(wrapped.answered_by(), Some("around.suffix"));
}

#[test]
fn work_borrows_what_stands_around_it() {
    let session = with([
        Hook::around(BAKE, "t.async", |_, _, next| {
            let done: BoxFuture<'_, _> = Box::pin(async move { Around(next.run().await + "!") });
            done
        }),
        Hook::around_now(BAKE, "t.now", |event, _, next| {
            Around(next.with(format!("more {}", event.recipe)).run_now().unwrap() + "?")
        }),
    ]);
    let owned = String::from(" baked");
    let borrowed = &owned;
    let async_closure = wait(async {
        around!(session, BAKE { recipe: "bread", degrees: 200 }, async |event| event.recipe.to_owned()
            + &owned)
        .await
    });
    assert_eq!(async_closure.into_result().unwrap(), "more bread baked?!");
    let async_block = wait(async {
        around!(session, BAKE { recipe: "bread", degrees: 200 }, |event| async move {
            event.recipe.to_owned() + borrowed
        })
        .await
    });
    assert_eq!(async_block.into_result().unwrap(), "more bread baked?!");
}

/// Threads whose time limits are over when they are told so; what was asked for is noted.
#[derive(Clone, Debug, Default)]
struct ByHand(Arc<Clock>);

#[derive(Debug, Default)]
struct Clock {
    asked: Mutex<Vec<Duration>>,
    over: AtomicBool,
}

impl Spawn for ByHand {
    fn run(&self, job: hookspec::spawn::Job) -> Result<(), hookspec::spawn::SpawnError> {
        Threads::default().run(job)
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.asked.lock().unwrap().push(duration);
        let this = Arc::clone(&self.0);
        Box::pin(poll_fn(move |_| if this.over.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }))
    }
    fn block_on(&self, future: BoxFuture<'_, ()>) {
        Threads::default().block_on(future);
    }
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Waits until it is opened.
#[derive(Debug, Default)]
struct Door(AtomicBool);

impl Door {
    async fn pass(&self) {
        poll_fn(|_| if self.0.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    fn open(&self) {
        self.0.store(true, SeqCst);
    }
}

const LIMIT: Duration = Duration::from_secs(600);
/// What work takes at least.
const LONG: Duration = Duration::from_millis(20);

fn limited(hook: Hook<BAKE::Point>) -> Hook<BAKE::Point> {
    hook.options(Options { timeout: Timeout::After(LIMIT), ..Options::DEFAULT })
}

fn on(spawn: &ByHand, hook: Hook<BAKE::Point>) -> Session {
    let registry = Registry::builder().linked(false).register(hook).build().unwrap();
    let hooks = Hooks::with_spawn(registry, Arc::new(spawn.clone()));
    Session::builder(&hooks, "s").build()
}

#[test]
fn the_clock_of_a_time_limit_stands_still_while_the_work_runs() {
    let (spawn, before, work, after) =
        (ByHand::default(), Arc::<Door>::default(), Door::default(), Arc::<Door>::default());
    let (first, last) = (Arc::clone(&before), Arc::clone(&after));
    let hook = Hook::around(BAKE, "t.slow", move |_, _, next| {
        let (first, last) = (Arc::clone(&first), Arc::clone(&last));
        Box::pin(async move {
            first.pass().await;
            let baked = next.run().await;
            last.pass().await;
            Around(baked + ", slowly")
        })
    });
    let session = on(&spawn, limited(hook));
    let mut wrapped = pin!(async {
        around!(session, BAKE { recipe: "rye", degrees: 1 }, async |event| {
            std::thread::sleep(LONG);
            work.pass().await;
            event.recipe.to_owned()
        })
        .await
    });
    let began = Instant::now();
    let asked = || spawn.0.asked.lock().unwrap().len();
    assert!(poll(wrapped.as_mut()).is_pending());
    assert_eq!(asked(), 1);
    before.open();
    spawn.0.over.store(true, SeqCst);
    // The hook goes on before its alarm is looked at, and then there is none.
    assert!(poll(wrapped.as_mut()).is_pending() && poll(wrapped.as_mut()).is_pending());
    assert_eq!(asked(), 1);
    spawn.0.over.store(false, SeqCst);
    work.open();
    assert!(poll(wrapped.as_mut()).is_pending());
    // What is left of its time, and not a new limit.
    let left = spawn.0.asked.lock().unwrap()[1];
    assert!(left < LIMIT && asked() == 2, "{left:?}");
    // The work took that long, which was not of the hook's time.
    assert!(left >= LIMIT - (began.elapsed() - LONG), "{left:?}");
    spawn.0.over.store(true, SeqCst);
    let Poll::Ready(wrapped) = poll(wrapped.as_mut()) else { panic!("it is not cut off") };
    assert_eq!(wrapped.failures()[0].cause, Cause::Timeout { limit: LIMIT, words: String::new() });
    // It failed when it had run the work: that result stands.
    assert_eq!((wrapped.result().unwrap().as_str(), wrapped.answered_by()), ("rye", None));
}

#[test]
fn what_was_begun_gets_on_while_its_hook_waits_for_something_else_and_outlives_it() {
    let (spawn, work) = (ByHand::default(), Door::default());
    let hook = Hook::around(BAKE, "t.holds", |_, _, next| {
        Box::pin(async move {
            let mut running = next.run();
            assert!(poll_fn(|cx| Poll::Ready(Pin::new(&mut running).poll(cx).is_pending())).await);
            std::future::pending::<()>().await;
            Around(running.await)
        })
    });
    let session = on(&spawn, limited(hook));
    let runs = AtomicUsize::new(0);
    let mut wrapped = pin!(async {
        around!(session, BAKE { recipe: "rye", degrees: 1 }, async |event| {
            runs.fetch_add(1, SeqCst);
            work.pass().await;
            event.recipe.to_owned()
        })
        .await
    });
    spawn.0.over.store(true, SeqCst);
    assert!(poll(wrapped.as_mut()).is_pending() && poll(wrapped.as_mut()).is_pending());
    work.open();
    let Poll::Ready(wrapped) = poll(wrapped.as_mut()) else { panic!("it is not cut off") };
    assert_eq!(wrapped.failures()[0].cause, Cause::Timeout { limit: LIMIT, words: String::new() });
    assert_eq!((wrapped.result().unwrap().as_str(), runs.load(SeqCst)), ("rye", 1));
}

#[test]
fn a_hook_that_is_woken_for_something_else_hears_of_the_work_all_the_same() {
    // What a combinator with wakers of its own does: it polls what was woken, and nothing else.
    struct Woken(AtomicBool);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, SeqCst);
        }
    }
    let (spawn, work) = (ByHand::default(), Door::default());
    let hook = Hook::around(BAKE, "t.combines", |_, _, next| {
        Box::pin(async move {
            let woken = Arc::new(Woken(AtomicBool::new(true)));
            let mut running = next.run();
            let baked = poll_fn(|_| {
                if woken.0.swap(false, SeqCst) {
                    Pin::new(&mut running).poll(&mut Context::from_waker(&Waker::from(Arc::clone(&woken))))
                } else {
                    Poll::Pending
                }
            });
            Around(baked.await + ", combined")
        })
    });
    let session = on(&spawn, hook);
    let mut wrapped = pin!(async {
        around!(session, BAKE { recipe: "rye", degrees: 1 }, async |event| {
            work.pass().await;
            event.recipe.to_owned()
        })
        .await
    });
    assert!(poll(wrapped.as_mut()).is_pending());
    work.open();
    let Poll::Ready(wrapped) = poll(wrapped.as_mut()) else { panic!("nobody told it") };
    assert_eq!(wrapped.result().unwrap(), "rye, combined");
}

#[test]
fn the_works_own_panic_is_the_hosts_whatever_it_is() {
    struct Mine(u32);
    for is_async in [false, true] {
        let hook = if is_async {
            Hook::around(BAKE, "t.wraps", |_, _, next| Box::pin(async move { Around(next.run().await) }))
        } else {
            // It catches what is not for it.
            Hook::around_now(BAKE, "t.wraps", |_, _, next| {
                let caught = catch_unwind(AssertUnwindSafe(|| next.run_now()));
                Around(format!("{}", caught.is_err()))
            })
        };
        let session = with([hook]);
        let payload = catch_unwind(AssertUnwindSafe(|| {
            around_now!(session, BAKE { recipe: "rye", degrees: 1 }, |_| std::panic::panic_any(Mine(7)))
        }));
        assert_eq!(payload.unwrap_err().downcast_ref::<Mine>().unwrap().0, 7);
        let row = &session.hooks().list()[0];
        assert_eq!((row.failures, row.on), (0, true), "nobody blames the hook");
    }
}

#[test]
fn the_timeline_says_who_swallowed_the_work_and_how_long_it_took() {
    let timeline = Arc::new(Timeline::new(10));
    let registry = Registry::builder()
        .linked(false)
        .register(Hook::around_now(BAKE, "t.outer", |_, _, next| Around(next.run_now().unwrap())).priority(1))
        .register(Hook::around_now(BAKE, "t.swallows", |_, _, next| {
            drop(next);
            Around("nothing".to_owned())
        }))
        .build()
        .unwrap();
    let session = Session::builder(&Hooks::new(registry), "s").observer(timeline.clone()).build();
    let runs = AtomicUsize::new(0);
    let wrapped = around_now!(session, BAKE { recipe: "rye", degrees: 1 }, |_| {
        runs.fetch_add(1, SeqCst);
        String::new()
    });
    assert_eq!((wrapped.into_result().unwrap().as_str(), runs.load(SeqCst)), ("nothing", 0));
    assert_eq!(timeline.points(), ["oven.bake"]);
    let told: Vec<_> = timeline.runs().iter().map(|run| (run.hook.clone(), run.around.unwrap())).collect();
    let [(swallows, inner), (outer, whole)] = &*told else { panic!("{told:?}") };
    assert_eq!((&**swallows, inner.runs, inner.answered, inner.next_us), ("t.swallows", 0, true, 0));
    assert_eq!((&**outer, whole.runs, whole.answered), ("t.outer", 1, true));
    assert!(whole.next_us <= timeline.runs()[1].duration_us);
}

#[test]
fn hooks_that_take_next_do_not_run_where_nothing_is_wrapped() {
    hook_point! {
        /// The loaf is cold.
        COLD("oven.cold") -> Messages {}
    }
    let call = Call::Around(AroundCall::Sync(|_, _, next, _| drop(next)));
    let registry = Registry::builder().linked(false).register(Hook::<COLD::Point>::from_call("t.lost", call));
    let fired = hookspec::fire_now!(opened(registry), COLD {});
    assert!(fired.failures()[0].to_string().contains("its point wraps nothing"), "{fired:?}");
    // Nor beside the chain, or on another thread: the work runs without them.
    for placement in [Placement::Background, Placement::Blocking] {
        let hook = Hook::around_now(BAKE, "t.beside", |_, _, next| Around(next.run_now().unwrap() + "!"));
        let session = with([hook.options(Options { placement, ..Options::DEFAULT })]);
        let wrapped =
            around_now!(session, BAKE { recipe: "rye", degrees: 1 }, |event| event.recipe.to_owned());
        assert!(session.drain_now(Duration::MAX).is_empty());
        assert_eq!((wrapped.result().unwrap().as_str(), session.hooks().list()[0].failures), ("rye", 1));
    }
}

#[test]
fn hooks_without_next_may_run_on_other_threads_and_answer_from_there() {
    let answers = Hook::new(BAKE, "t.elsewhere", |event, _| {
        (event.degrees == 1).then(|| Around("from elsewhere".to_owned()))
    });
    let options = Options { placement: Placement::Blocking, ..Options::DEFAULT };
    let session = with([answers.options(options)]);
    for (degrees, given) in [(1, "from elsewhere"), (2, "rye")] {
        let wrapped = wait(async {
            around!(session, BAKE { recipe: "rye", degrees }, async |event| event.recipe.to_owned()).await
        });
        assert_eq!(wrapped.into_result().unwrap(), given);
    }
}

#[test]
fn a_filter_sees_the_input_as_hooks_further_out_made_it() {
    hook_point! {
        /// A tool runs.
        CALLED("oven.called") -> Around<String> {
            /// The call.
            #[fold]
            tool_use: &ToolUse,
        }
    }
    let call = |tool: &str| ToolUse::fenced(tool, [""; 0], "");
    let changes = Hook::around_now(CALLED, "t.changes", move |_, _, next| {
        Around(next.with(call("shell")).run_now().unwrap())
    });
    let shells = Hook::around_now(CALLED, "t.shells", |event, _, next| {
        Around(format!("{} in a shell", next.with(event.tool_use.clone()).run_now().unwrap()))
    });
    let notes = Hook::around_now(CALLED, "t.notes", |_, _, _| Around("noted".to_owned()));
    let only = |tools| Options { tools, ..Options::DEFAULT };
    let registry = Registry::builder()
        .linked(false)
        .register(changes.priority(1))
        .register(shells.options(only(&["shell"])))
        .register(notes.options(only(&["note"])));
    let wrapped = around_now!(opened(registry), CALLED { tool_use: &call("note") }, |event| {
        event.tool_use.tool.to_string()
    });
    assert_eq!(wrapped.into_result().unwrap(), "shell in a shell");
}

#[test]
fn work_too_deep_runs_without_its_hooks_and_says_so() {
    fn nested(session: &Session, deep: usize) -> String {
        let wrapped = around_now!(session, BAKE { recipe: "rye", degrees: 1 }, |_| {
            if deep == 0 { String::from("deep") } else { nested(session, deep - 1) }
        });
        let failures = wrapped.failures().len();
        format!("{}{}", wrapped.into_result().unwrap(), if failures == 0 { "." } else { "!" })
    }
    let session =
        with([Hook::around_now(BAKE, "t.marks", |_, _, next| Around(next.run_now().unwrap() + "+"))]);
    assert_eq!(nested(&session, 8), "deep!+.+.+.+.+.+.+.+.");
}

#[test]
fn without_work_hooks_run_up_to_where_they_ask_for_it() {
    let answers = Hook::around_now(BAKE, "t.knows", |event, _, next| {
        if event.recipe == "known" { Ok(Around("known".to_owned())) } else { next.run_now().map(Around) }
    });
    let says = Hook::around(BAKE, "t.says", |_, _, next| {
        Box::pin(async move { (Message::system("never said"), Around(next.run().await)) })
    });
    let session = with([answers, says.priority(1)]);
    let point = find_point("oven.bake").unwrap();
    let fired = |recipe: &str| {
        let event = serde_json::json!({ "recipe": recipe, "degrees": 1 });
        point.fire_json(&session, event).unwrap()
    };
    assert_eq!(point.info().verdict, "Around<String>");
    // The outer one asked for the rest, and the inner one knew.
    assert_eq!(fired("known").first, Some("known".into()));
    let unknown = fired("unknown");
    assert_eq!((unknown.first, unknown.failures.len(), unknown.messages.len()), (None, 0, 0));
}

#[test]
fn a_json_hook_may_decline_and_say_something_and_an_answer_is_refused() {
    let point = find_point("oven.bake").unwrap();
    let hook = |answer: bool| {
        let call = Arc::new(move |event: &JsonEvent, _: &Session| {
            let first = answer.then(|| "given".into());
            let messages = vec![Message::system(format!("saw {}", event["recipe"]))];
            Ok(JsonOutcome { messages, first, ..JsonOutcome::default() })
        });
        JsonHook::new(point, "t.json", call)
    };
    for answer in [false, true] {
        let session = opened(Registry::builder().linked(false).register_json(hook(answer)));
        let wrapped =
            around_now!(session, BAKE { recipe: "rye", degrees: 1 }, |event| event.recipe.to_owned());
        assert_eq!(wrapped.result().unwrap(), "rye");
        assert_eq!(wrapped.messages()[0].content, "saw \"rye\"");
        let why = wrapped.failures().first().map(ToString::to_string).unwrap_or_default();
        assert_eq!(why.contains("BAKE (Around<String>) does not take"), answer, "{why}");
    }
}

#[test]
fn a_run_that_a_panicking_hook_leaves_to_be_dropped_later_goes_on() {
    /// A future that is written by hand: what it holds is there when its panic is over.
    struct Holds<'a>(hookspec::hooks::Running<'a, <BAKE::Point as hookspec::point::Point>::Verdict>);
    impl Future for Holds<'_> {
        type Output = ();
        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            assert!(Pin::new(&mut self.0).poll(cx).is_ready(), "it does not wait");
            Poll::Ready(())
        }
    }
    // And nobody's `async` block is around it, which would drop it while it panics.
    let call = Call::Around(AroundCall::AsyncClosure(Arc::new(|_, _, next, _| Box::pin(Holds(next.run())))));
    let session = with([Hook::from_call("t.holds", call)]);
    let (work, runs) = (Door::default(), AtomicUsize::new(0));
    let mut wrapped = pin!(async {
        around!(session, BAKE { recipe: "rye", degrees: 1 }, async |event| {
            runs.fetch_add(1, SeqCst);
            work.pass().await;
            event.recipe.to_owned()
        })
        .await
    });
    assert!(poll(wrapped.as_mut()).is_pending());
    work.open();
    let Poll::Ready(wrapped) = poll(wrapped.as_mut()) else { panic!("the work is gone") };
    assert_eq!(wrapped.failures()[0].cause, Cause::Panic("it does not wait".into()));
    assert_eq!((wrapped.into_result().unwrap().as_str(), runs.load(SeqCst)), ("rye", 1));
}

#[test]
fn a_plain_function_that_may_not_wait_begins_the_work_once_however_often_it_asks() {
    let session = with([Hook::around_now(BAKE, "t.asks", |_, _, next| {
        let mut tries = next.repeatable();
        let asked = [tries.run_now(), tries.run_now(), tries.run_now_with("oats".into())];
        Around(format!("{}", asked.iter().filter(|ran| ran.is_err()).count()))
    })]);
    let (work, runs) = (Door::default(), AtomicUsize::new(0));
    let mut wrapped = pin!(async {
        around!(session, BAKE { recipe: "rye", degrees: 1 }, async |event| {
            runs.fetch_add(1, SeqCst);
            work.pass().await;
            event.recipe.to_owned()
        })
        .await
    });
    assert!(poll(wrapped.as_mut()).is_pending());
    work.open();
    let Poll::Ready(wrapped) = poll(wrapped.as_mut()) else { panic!("the work is gone") };
    assert_eq!(wrapped.failures()[0].cause, Cause::NextWaits);
    assert_eq!((wrapped.into_result().unwrap().as_str(), runs.load(SeqCst)), ("rye", 1));
}
