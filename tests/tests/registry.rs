//! Linked hooks, selection, and every place where a hook may run.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookspec::config::BackgroundSettings;
use hookspec::hooks::{Cause, Failure, Placement};
use hookspec::point::Point;
use hookspec::points::{FILE_POST_SAVE, STEP_POST, STEP_PRE, TOOL_PRE_EXECUTE, TURN_PRE};
use hookspec::registry::{Problem, RegistryBuilder};
use hookspec::session::Unfinished;
use hookspec::{
    Config, Gate, Hook, Hooks, Message, Mode, Options, Registry, Session, ToolUse, fire, fire_now, hook,
};
use hookspec_agent::spawn::TokioSpawn;
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
struct Count(u32);

#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Words {
    greeting: String,
}

impl Default for Words {
    fn default() -> Self {
        Self { greeting: "hello".into() }
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Switch {
    enabled: bool,
}

mod switched {
    use super::{STEP_POST, Switch, hook};

    #[hook(STEP_POST)]
    fn says(_settings: &Switch) {}
}

mod linked {
    use super::{
        Count, Duration, FILE_POST_SAVE, Failure, Gate, Message, Path, STEP_PRE, Session, TOOL_PRE_EXECUTE,
        TURN_PRE, Words, hook,
    };

    /// Greets.
    #[hook(FILE_POST_SAVE, priority = 5)]
    fn greet(path: &Path, settings: &Words) -> Message {
        Message::system(format!("{} {}", settings.greeting, path.display()))
    }

    #[hook(FILE_POST_SAVE, priority = 9)]
    fn count(state: &mut Count) -> Message {
        state.0 += 1;
        Message::system(format!("{}", state.0))
    }

    #[hook(FILE_POST_SAVE, name = "linked.named", enabled = false)]
    fn off() {}

    #[hook(STEP_PRE, priority = 3)]
    async fn first() -> Message {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Message::system("first")
    }

    #[hook(STEP_PRE, priority = 2, timeout = "50ms")]
    async fn never() -> Message {
        std::future::pending().await
    }

    #[hook(STEP_PRE, priority = 1)]
    fn last(session: &Session) -> Message {
        Message::system(format!("last after {}", session.log().len()))
    }

    #[hook(TURN_PRE, once)]
    fn only_once() -> Message {
        Message::system("once")
    }

    #[hook(TURN_PRE, modes = [server])]
    fn on_servers() {}

    #[hook(TOOL_PRE_EXECUTE, blocking, timeout = "50ms", name = "linked.stuck", on_error = told)]
    fn stuck(session: &Session) -> Gate {
        // Long after the time limit, but not for ever: the pool's thread is given back.
        for _ in 0..40 {
            std::thread::sleep(Duration::from_millis(10));
            if session.interrupted().is_some() {
                break;
            }
        }
        Gate::Allow
    }

    fn told(failure: &Failure, session: &Session) {
        session.append(Message::system(format!("told: {}", failure.hook))).unwrap();
    }
}

fn builder() -> RegistryBuilder {
    Registry::builder().allow(["linked"])
}

fn hooks(builder: RegistryBuilder) -> Hooks {
    let registry = builder.build().unwrap();
    match TokioSpawn::current() {
        Some(spawn) => Hooks::with_spawn(registry, Arc::new(spawn)),
        None => Hooks::new(registry),
    }
}

fn texts<M: std::borrow::Borrow<Message>>(messages: &[M]) -> Vec<&str> {
    messages.iter().map(|message| message.borrow().content.as_str()).collect()
}

fn save(session: &Session) -> hookspec::point::Fired<hookspec::point::Messages> {
    fire_now!(session, FILE_POST_SAVE { path: Path::new("/a"), content: "", created: true })
}

#[test]
fn linked_hooks_know_where_they_are() {
    let registry = builder().build().unwrap();
    let info = registry.hook("linked.greet").unwrap();
    assert_eq!(
        (&*info.package, &*info.file, &*info.docs),
        ("hookspec-tests", "tests/tests/registry.rs", "Greets.")
    );
    let line = include_str!("registry.rs")
        .lines()
        .position(|line| line.contains("#[hook(FILE_POST_SAVE, priority = 5)]"));
    assert_eq!(info.line as usize, line.unwrap() + 1);
    assert_eq!(registry.handle(FILE_POST_SAVE).names(), ["linked.count", "linked.greet", "linked.named"]);
    let off = registry.list().into_iter().find(|row| row.info.name == "linked.on_servers").unwrap();
    assert_eq!(off.why, "for server hosts only");
}

#[test]
fn state_is_per_session_and_survives_a_new_process() {
    let hooks = hooks(builder());
    let session = |id: &str| Session::builder(&hooks, id).build();
    let (a, b) = (session("a"), session("b"));
    let _ = save(&a);
    assert_eq!(texts(save(&a).messages())[0], "2");
    assert_eq!(texts(save(&b).messages())[0], "1");
    let again = Session::builder(&hooks, "a").states(a.save_states()).build();
    assert_eq!(texts(save(&again).messages())[0], "3");
}

#[test]
fn settings_are_read_when_the_registry_is_built() {
    let mut config = Config::new();
    config.add_toml("t.toml", "[hooks.linked]\ngreeting = 'moin'", &[]).unwrap();
    let session = Session::builder(&hooks(builder().config(config)), "s").build();
    assert_eq!(texts(save(&session).messages())[1], "moin /a");
    let mut config = Config::new();
    config.add_toml("t.toml", "[hooks.linked]\ngreting = 'x'\n[hooks.nobody]\na = 1", &[]).unwrap();
    let error = builder().config(config).build().unwrap_err().to_string();
    assert!(
        error.contains("`[hooks.linked]` in t.toml: unknown key `greting` (did you mean `greeting`?)"),
        "{error}"
    );
    assert!(error.contains("`[hooks.nobody]` in t.toml is for no hook"), "{error}");
}

#[test]
fn settings_with_enabled_switch_their_hooks() {
    let why = |text: &str| {
        let mut config = Config::new();
        config.add_toml("t.toml", text, &[]).unwrap();
        let registry = Registry::builder().allow(["switched"]).config(config).build().unwrap();
        let row = registry.list().into_iter().find(|row| row.info.name == "switched.says").unwrap();
        (row.on, row.why)
    };
    assert_eq!(why(""), (false, "off unless `enabled = true` in [hooks.switched]".to_owned()));
    assert_eq!(why("[hooks.switched]\nenabled = true"), (true, "enabled in t.toml:2".to_owned()));
    let off = (false, "enabled = false in t.toml:2".to_owned());
    assert_eq!(why("[hooks.switched]\nenabled = false"), off);
}

#[tokio::test(flavor = "multi_thread")]
async fn async_hooks_are_awaited_in_order_and_cut_off() {
    let session = Session::builder(&hooks(builder()), "s").build();
    let fired = fire!(session, STEP_PRE { step: 0 }).await;
    assert_eq!(texts(fired.messages()), ["first", "last after 1"]);
    let [failure] = fired.failures() else { panic!("{fired:?}") };
    assert_eq!(
        (failure.hook.as_str(), &failure.cause),
        ("linked.never", &Cause::Timeout { limit: Duration::from_millis(50), words: String::new() })
    );
}

#[test]
fn a_sync_host_without_a_runtime_can_still_wait() {
    let wait = Hook::<TURN_PRE::Point>::from_call(
        "test.waits",
        hookspec::hooks::Call::Async(|_, _, out| {
            Some(Box::pin(async { out.message(Message::system("waited")) }))
        }),
    );
    let session =
        Session::builder(&Hooks::new(Registry::builder().linked(false).register(wait).build().unwrap()), "s")
            .build();
    let fired = fire_now!(session, TURN_PRE { message: &Message::user("hi") });
    assert_eq!(texts(fired.messages()), ["waited"]);
}

#[test]
fn fire_is_ready_at_once_when_every_hook_is_sync() {
    let hooks = hooks(Registry::builder().allow(["linked.greet", "linked.count"]));
    let session = Session::builder(&hooks, "s").build();
    let mut firing = Box::pin(async {
        fire!(session, FILE_POST_SAVE { path: Path::new("/a"), content: "", created: true })
            .await
            .messages()
            .len()
    });
    let polled = firing.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(polled, Poll::Ready(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocking_gate_that_overruns_is_abandoned_named_and_denies() {
    let session = Session::builder(&hooks(builder()), "s").build();
    let call = ToolUse::fenced("shell", [""; 0], "ls");
    let fired = fire!(session, TOOL_PRE_EXECUTE { tool_use: &call }).await;
    let (reason, hook) = fired.denied().unwrap();
    assert_eq!(hook, "linked.stuck");
    assert!(reason.contains("overran its timeout of 50ms"), "{reason}");
    assert_eq!(session.log().last().unwrap().content, "told: linked.stuck", "its `on_error` was called");
    session.interrupt(hookspec::session::InterruptReason::Shutdown);
}

#[test]
fn fail_open_lets_things_pass() {
    let broken = |fail_open| {
        Hook::new(TOOL_PRE_EXECUTE, "test.broken", |_, _| -> Gate { panic!("bug") })
            .options(Options { fail_open, ..Options::DEFAULT })
    };
    for fail_open in [false, true] {
        let registry = Registry::builder().linked(false).register(broken(fail_open)).build().unwrap();
        let session = Session::builder(&Hooks::new(registry), "s").build();
        let call = ToolUse::fenced("shell", [""; 0], "ls");
        let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
        assert_eq!(fired.denied().is_none(), fail_open);
        assert_eq!(fired.failures().len(), 1);
    }
}

#[test]
fn once_is_once_a_session_resumed_or_not() {
    let hooks = hooks(builder());
    let turn =
        |session: &Session| fire_now!(session, TURN_PRE { message: &Message::user("hi") }).messages().len();
    let session = Session::builder(&hooks, "s").build();
    assert_eq!((turn(&session), turn(&session)), (1, 0));
    let again = Session::builder(&hooks, "s").states(session.save_states()).build();
    assert_eq!(turn(&again), 0);
    assert_eq!(turn(&Session::builder(&hooks, "other").build()), 1);
}

#[test]
fn what_is_wrong_is_told_all_at_once() {
    let twin = || Hook::new(STEP_POST, "test.twin", |_, _| ());
    let error = builder()
        .register(twin())
        .register(twin())
        .allow(["linked.gret", "test"])
        .disable(["nothing.here"])
        .sync_host()
        .build()
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("`linked.gret` in the allowlist of this call matches no hook or tool of this program (did you mean `linked.greet`"), "{text}");
    assert!(!text.contains("`nothing.here`"), "what is not there need not be left out: {text}");
    assert!(
        text.contains("two hooks are called `test.twin` at `step.post`: tests/tests/registry.rs:"),
        "{text}"
    );
    assert!(text.contains("the hook `linked.first` (tests/tests/registry.rs:"), "{text}");
    assert!(error.problems.iter().any(|problem| matches!(problem, Problem::AsyncInSyncHost { .. })));
}

#[test]
fn a_hook_at_a_point_that_this_host_never_fires_is_found() {
    let host = || {
        builder().fires([FILE_POST_SAVE::Point::INFO, STEP_PRE::Point::INFO, TOOL_PRE_EXECUTE::Point::INFO])
    };
    let registry = host().strict(false).build().unwrap();
    let [Problem::DeadHook { hook, .. }] = &*registry.report().warnings else {
        panic!("{:?}", registry.report())
    };
    assert_eq!(hook, "linked.only_once");
    assert!(
        host()
            .strict(true)
            .build()
            .unwrap_err()
            .to_string()
            .contains("can never run: this host does not fire `turn.pre`")
    );
}

#[test]
fn tools_and_modes_select_their_hooks() {
    let registry = Registry::builder()
        .plugins(hookspec::plugins![hookspec_agent])
        .mode(Mode::Server)
        .allow(["linked", "tool.read"])
        .build()
        .unwrap();
    assert!(registry.hook("linked.on_servers").is_some());
    assert_eq!(registry.tools().names().collect::<Vec<_>>(), ["read"]);
    assert!(
        registry
            .tools()
            .off()
            .any(|(tool, why)| tool.name == "shell" && why == "not in the allowlist of this call")
    );
}

/// A background hook that waits until it is let go.
fn held(gate: Arc<std::sync::Barrier>, ran: Arc<AtomicUsize>) -> Hook<STEP_POST::Point> {
    Hook::new(STEP_POST, "test.held", move |_, _| {
        if ran.fetch_add(1, Ordering::SeqCst) == 0 {
            gate.wait();
        }
    })
    .options(Options { placement: Placement::Background, ..Options::DEFAULT })
}

#[test]
fn a_full_queue_drops_and_counts_and_a_hung_hook_is_left_behind() {
    let (gate, ran) = (Arc::new(std::sync::Barrier::new(2)), Arc::<AtomicUsize>::default());
    let mut config = Config::new();
    config.add_toml("t", "[background]\nqueue = 2\nwhen_full = 'drop'", &[]).unwrap();
    let hook = held(gate.clone(), ran.clone());
    let registry = Registry::builder().linked(false).config(config).register(hook).build().unwrap();
    let session = Session::builder(&Hooks::new(registry), "s").build();
    let step = || fire_now!(session, STEP_POST { step: 0, tool_calls: 0, usage: None });
    let _ = step();
    while ran.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now(); // until it runs, it is in the queue
    }
    for _ in 0..5 {
        let _ = step();
    }
    assert_eq!(session.hooks().dropped(), 3);
    let left = session.drain_now(Duration::from_millis(20));
    assert_eq!(Unfinished::text(&left), "`test.held` (3 runs)", "one hangs, two wait");
    assert_eq!(session.hooks().list()[0].dropped, 3);
    gate.wait();
    assert_eq!(session.drain_now(Duration::from_secs(20)), []);
    assert_eq!(ran.load(Ordering::SeqCst), 3);
    assert_eq!(BackgroundSettings::default().block_ms, 50);
}

#[test]
fn two_hundred_sessions_on_many_threads_do_as_one_alone() {
    let hooks = hooks(builder());
    let play = |id: String| {
        let session = Session::builder(&hooks, id).build();
        (0..5).flat_map(|_| save(&session).into_messages()).map(|message| message.content).collect::<Vec<_>>()
    };
    let alone = play("alone".into());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let play = &play;
                scope.spawn(move || (0..25).map(|n| play(format!("{thread}-{n}"))).collect::<Vec<_>>())
            })
            .collect();
        for thread in threads {
            assert!(thread.join().unwrap().iter().all(|one| *one == alone));
        }
    });
}

#[test]
fn a_session_that_hops_between_threads_does_as_one_that_stays() {
    let hooks = hooks(builder());
    let (stays, hops) = (Session::builder(&hooks, "stays").build(), Session::builder(&hooks, "hops").build());
    for _ in 0..5 {
        let here = save(&stays).into_messages();
        let there = std::thread::scope(|scope| scope.spawn(|| save(&hops).into_messages()).join().unwrap());
        assert_eq!(texts(&here), texts(&there));
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn the_order_of_registration_never_matters(
        hooks in proptest::collection::btree_map("[a-e]{1,3}", -3_i32..3, 1..12),
        seed in proptest::prelude::any::<u64>(),
    ) {
        let mut shuffled: Vec<_> = hooks.into_iter().collect();
        let mut expected = shuffled.clone();
        expected.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
        let mut state = seed;
        for index in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.swap(index, (state >> 33) as usize % (index + 1));
        }
        let mut builder = Registry::builder().linked(false);
        for (name, priority) in shuffled {
            builder = builder.register(Hook::new(STEP_POST, name, |_, _| ()).priority(priority));
        }
        let registry = builder.build().unwrap();
        let expected: Vec<_> = expected.iter().map(|(name, _)| name.as_str()).collect();
        let handle = registry.handle(STEP_POST);
        proptest::prop_assert_eq!(handle.names(), expected);
    }
}
