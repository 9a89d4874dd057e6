//! Hooks that come, go and are replaced while a host runs, and a registry that takes another's place.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hookspec::hooks::{Call, HookRow};
use hookspec::point::Point;
use hookspec::points::{STEP_POST, STEP_PRE};
use hookspec::registry::{Handle, LiveError, Problem, RegistryBuilder};
use hookspec::{Config, Hook, Hooks, Message, Mode, Options, Registry, Session, fire_now, hook};
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
struct Count(u32);

/// Counts what it has seen in its session.
#[hook(STEP_POST, name = "here.counts")]
fn counts(state: &mut Count) -> Message {
    state.0 += 1;
    Message::system(format!("here.counts {}", state.0))
}

#[hook(STEP_PRE, name = "here.served", modes = [server])]
fn served() {}

fn says(name: &str) -> Hook<STEP_POST::Point> {
    let text = name.to_owned();
    Hook::new(STEP_POST, name, move |_, _| Message::system(text.clone()))
}

fn with(name: &str, options: Options) -> Hook<STEP_POST::Point> {
    says(name).options(options)
}

fn fails(name: &str) -> Hook<STEP_POST::Point> {
    let hook = Hook::new(STEP_POST, name, |_, _| -> Message { panic!("again") });
    hook.options(Options { quarantine: Some(1), ..Options::DEFAULT })
}

fn config(text: &str) -> Config {
    let mut config = Config::new();
    config.add_toml("f.toml", text, &[]).unwrap();
    config
}

/// Only the hooks of this file, without any configuration that the test does not give.
fn by(text: &str) -> RegistryBuilder {
    Registry::builder().config(config(text))
}

fn rows(hooks: &Hooks) -> Vec<HookRow> {
    let ours = |name: &str| ["here.", "late.", "old."].iter().any(|group| name.starts_with(group));
    hooks.list().into_iter().filter(|row| ours(&row.info.name)).collect()
}

fn row(hooks: &Hooks, name: &str) -> (bool, String, i32) {
    let mut found = rows(hooks).into_iter().filter(|row| row.info.name == name);
    let row = found.next().unwrap();
    assert_eq!(found.count(), 0, "one row each");
    (row.on, row.why, row.info.priority)
}

fn texts<V: hookspec::point::Verdict>(fired: &hookspec::point::Fired<V>) -> Vec<String> {
    fired.messages().iter().map(|message| message.content.clone()).collect()
}

fn step(session: &Session) -> Vec<String> {
    texts(&fire_now!(session, STEP_POST { step: 0, tool_calls: 0, usage: None }))
}

fn by_handle(handle: &Handle<STEP_POST::Point>, session: &Session) -> Vec<String> {
    texts(&handle.fire_now(session, STEP_POST::Event { step: 0, tool_calls: 0, usage: None }))
}

#[test]
fn what_is_registered_is_decided_as_what_was_built_in() {
    let lists = "[hooks]\nallow = ['here', 'late.a', 'late.n*', 'late.off', 'nick', 'late.ran']\ndisable = ['late.not', 'other.b']\npriority = { \"late.a\" = 7 }";
    let off = Options { enabled: false, ..Options::DEFAULT };
    let all: Vec<(&str, Options)> = vec![
        ("late.a", Options::DEFAULT),
        ("late.not", Options::DEFAULT),
        ("late.unnamed", Options::DEFAULT),
        ("late.off", off),
        ("late.nothing", off), // a glob of its own group means it
        ("late.served", Options { modes: &[Mode::Server], ..Options::DEFAULT }),
        ("late.nowhere", Options { modes: &[Mode::Server], ..Options::DEFAULT }),
        ("late.by_alias", Options { aliases: &["nick"], ..Options::DEFAULT }),
        ("late.b", Options { aliases: &["other", "nick"], ..Options::DEFAULT }),
        ("late.of_tool", Options { tool: Some("nothing_like_it"), ..Options::DEFAULT }),
    ];
    let build = || by(lists).elsewhere(["late", "nick", "other"]);
    let mut built = build();
    for (name, options) in &all {
        built = built.register(with(name, *options));
    }
    let built = Hooks::new(built.build().unwrap());
    let live = Hooks::new(build().build().unwrap());
    for (name, options) in &all {
        live.register(with(name, *options)).unwrap();
    }
    let told = |hooks: &Hooks| {
        rows(hooks)
            .into_iter()
            .map(|row| (row.info.name.clone(), row.on, row.why, row.info.priority))
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&built), told(&live));
    assert_eq!(row(&live, "late.a"), (true, "allow in f.toml:2".to_owned(), 7));
    assert_eq!(row(&live, "late.not").1, "disable in f.toml:3");
    assert_eq!(row(&live, "late.b").1, "disable in f.toml:3", "by an alias");
    assert_eq!(row(&live, "late.nowhere").1, "for server hosts only");
    let session = Session::builder(&live, "s").build();
    assert_eq!(step(&session), ["late.a", "here.counts 1", "late.by_alias", "late.nothing", "late.off"]);
}

#[test]
fn a_name_is_taken_by_a_hook_that_is_off_too_and_replaced_on_purpose_only() {
    let hooks = Hooks::new(by("[hooks]\ndisable = ['here.served', 'late.out']").build().unwrap());
    let served = || Hook::new(STEP_PRE, "here.served", |_, _| ());
    let error = hooks.register(served()).unwrap_err();
    assert!(matches!(error, LiveError::Taken { point: "step.pre", .. }), "{error}");
    hooks.replace(served()).unwrap();
    assert_eq!(row(&hooks, "here.served").1, "disable in f.toml:2", "still one row, and still left out");
    hooks.register(says("late.out")).unwrap();
    assert!(hooks.register(says("late.out")).is_err());
    let LiveError::Off { why, .. } = hooks.enable("late.out").unwrap_err() else { panic!() };
    assert_eq!(why, "disable in f.toml:2");
    hooks.unregister("late.out").unwrap();
    assert!(rows(&hooks).iter().all(|row| row.info.name != "late.out"));
    assert!(matches!(hooks.unregister("late.out"), Err(LiveError::Unknown { .. })));
    // At another point the name is free.
    hooks.register(Hook::new(STEP_PRE, "here.counts", |_, _| ())).unwrap();
    assert_eq!(rows(&hooks).iter().filter(|row| row.info.name == "here.counts").count(), 2);
}

#[test]
fn what_the_host_could_not_run_is_refused() {
    let waits =
        || Hook::<STEP_POST::Point>::from_call("late.waits", Call::Async(|_, _, _| Some(Box::pin(async {}))));
    let sync = Hooks::new(by("").sync_host().allow(["here"]).elsewhere(["late"]).build().unwrap());
    assert!(sync.register(says("late.fine")).is_ok());
    assert!(rows(&sync).iter().any(|row| row.info.name == "late.fine" && !row.on), "not in the allowlist");
    let sync = Hooks::new(by("").sync_host().linked(false).build().unwrap());
    for error in [sync.register(waits()), sync.replace(waits())] {
        assert!(matches!(error, Err(LiveError::Refused(Problem::AsyncInSyncHost { .. }))), "{error:?}");
    }
    assert!(sync.list().is_empty());
    let host = |strict| by("").linked(false).fires([STEP_PRE::Point::INFO]).strict(strict).build().unwrap();
    let strict = Hooks::new(host(true));
    let error = strict.register(says("late.dead")).unwrap_err();
    assert!(matches!(error, LiveError::Refused(Problem::DeadHook { .. })), "{error}");
    let lenient = Hooks::new(host(false));
    lenient.register(says("late.dead")).unwrap();
    assert!(matches!(&*lenient.load().report().warnings, [Problem::DeadHook { .. }]));
}

#[test]
fn a_swap_keeps_states_switches_quarantines_and_what_was_registered() {
    let hooks = Hooks::new(by("").register(says("old.says")).register(fails("old.fails")).build().unwrap());
    let session = Session::builder(&hooks, "s").build();
    hooks.register(says("late.a")).unwrap();
    hooks.register(says("late.b")).unwrap();
    assert_eq!(step(&session), ["here.counts 1", "late.a", "late.b", "old.says"]);
    assert_eq!(row(&hooks, "old.fails").1, "quarantined after 1 failures");
    hooks.disable("late.b").unwrap();
    hooks.disable("old.says").unwrap();

    let again = |text: &str| {
        let built = by(text).elsewhere(["late"]).register(says("old.says")).register(fails("old.fails"));
        built.build().unwrap()
    };
    hooks.swap(again("[hooks]\ndisable = ['late.a']\npriority = { late = -1 }"));
    assert_eq!(step(&session), ["here.counts 2"], "its state is as it was");
    assert_eq!(row(&hooks, "late.a").1, "disable in f.toml:2");
    assert_eq!(row(&hooks, "late.b"), (false, "switched off at run time".to_owned(), -1));
    assert_eq!(row(&hooks, "old.says").1, "switched off at run time");
    assert_eq!(row(&hooks, "old.fails").1, "quarantined after 1 failures");

    // Away, and back again: nobody has switched them on meanwhile.
    hooks.swap(again("[hooks]\ndisable = ['old', 'late']"));
    assert_eq!(step(&session), ["here.counts 3"]);
    hooks.swap(again(""));
    assert_eq!(step(&session), ["here.counts 4", "late.a"]);
    assert_eq!(row(&hooks, "old.fails").1, "quarantined after 1 failures");
    hooks.enable("old.says").unwrap();
    assert_eq!(row(&hooks, "old.says").1, "default", "what selected it now");
    assert_eq!(step(&session), ["here.counts 5", "late.a", "old.says"]);
}

#[test]
fn after_a_swap_what_replaced_another_does_so_again_and_what_was_added_gives_way() {
    let hooks = Hooks::new(by("").linked(false).register(says("old.says")).build().unwrap());
    let session = Session::builder(&hooks, "s").build();
    let other = |name: &str| Hook::new(STEP_POST, name, |_, _| Message::system("other"));
    hooks.replace(other("old.says")).unwrap();
    hooks.register(other("late.a")).unwrap();
    hooks.register(says("late.b")).unwrap();
    hooks.unregister("late.b").unwrap();
    let next =
        || by("").linked(false).register(says("old.says")).register(says("late.a")).register(says("late.b"));
    hooks.swap(next().build().unwrap());
    assert_eq!(step(&session), ["late.a", "late.b", "other"], "unregistered is not for ever");
    assert_eq!(rows(&hooks).len(), 3);
    // And what gave way is gone for good.
    hooks.swap(by("").linked(false).build().unwrap());
    assert_eq!(step(&session), ["other"]);
    // A sync host cannot take over what waits.
    hooks
        .register(Hook::<STEP_POST::Point>::from_call(
            "late.waits",
            Call::Async(|_, _, _| Some(Box::pin(async {}))),
        ))
        .unwrap();
    hooks.swap(by("").linked(false).sync_host().build().unwrap());
    assert_eq!(rows(&hooks).len(), 1);
}

#[test]
fn a_kept_handle_sees_who_was_switched_off_or_taken_away() {
    let build =
        || by("").linked(false).register(says("old.a")).register(says("old.b")).register(says("old.c"));
    let hooks = Hooks::new(build().build().unwrap());
    let session = Session::builder(&hooks, "s").build();
    let kept = hooks.load().handle(STEP_POST);
    assert_eq!(by_handle(&kept, &session).len(), 3);
    hooks.unregister("old.a").unwrap();
    assert_eq!(by_handle(&kept, &session), ["old.b", "old.c"]);
    hooks.register(says("old.a")).unwrap();
    assert_eq!(by_handle(&kept, &session), ["old.b", "old.c"], "that is another");
    // A replacement shares the switch of the one before.
    hooks.replace(Hook::new(STEP_POST, "old.b", |_, _| ())).unwrap();
    assert_eq!(by_handle(&kept, &session), ["old.b", "old.c"]);
    hooks.disable("old.b").unwrap();
    hooks.replace(says("old.b")).unwrap();
    assert_eq!(row(&hooks, "old.b").1, "switched off at run time", "whoever switched it off");
    hooks.enable("old.b").unwrap();
    assert_eq!(step(&session), ["old.a", "old.b", "old.c"]);
}

#[test]
fn a_quarantine_is_lifted_by_a_replacement() {
    let hooks = Hooks::new(by("").linked(false).register(fails("old.a")).build().unwrap());
    let session = Session::builder(&hooks, "s").build();
    assert!(step(&session).is_empty());
    assert_eq!(row(&hooks, "old.a").1, "quarantined after 1 failures");
    hooks.replace(says("old.a")).unwrap();
    assert_eq!(step(&session), ["old.a"]);
    assert_eq!(rows(&hooks)[0].failures, 0);
}

#[test]
fn a_hook_goes_by_all_its_names_in_a_session_and_in_the_host() {
    let options = Options { aliases: &["nick"], ..Options::DEFAULT };
    let hooks = Hooks::new(by("").linked(false).register(with("old.a", options)).build().unwrap());
    let session = Session::builder(&hooks, "s").build();
    assert!(session.set_hook_enabled("nick.a", false));
    assert!(step(&session).is_empty());
    assert!(session.set_hook_enabled("old.a", true));
    assert_eq!(step(&session), ["old.a"]);
    let other = Session::builder(&hooks, "other").disabled(["nick.a".to_owned()]).build();
    assert!(step(&other).is_empty());
    let error = hooks.disable("nick.b").unwrap_err().to_string();
    assert!(error.contains("did you mean `nick.a`"), "{error}");
    hooks.unregister("nick.a").unwrap();
    assert!(hooks.list().is_empty());
}

#[test]
fn who_fires_sees_one_registry_or_another_however_many_write() {
    // Writers of every kind at once, and readers who never see a set of hooks that nobody has built.
    let build = |n: usize| {
        let text = if n.is_multiple_of(2) { "" } else { "[hooks]\ndisable = ['old.b']" };
        by(text).linked(false).register(says("old.a")).register(says("old.b")).build().unwrap()
    };
    let hooks = Hooks::new(build(0));
    hooks.register(says("late.stays")).unwrap();
    let (done, fired) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    std::thread::scope(|scope| {
        for n in 0..2 {
            let (hooks, done, fired) = (hooks.clone(), Arc::clone(&done), Arc::clone(&fired));
            scope.spawn(move || {
                let session = Session::builder(&hooks, format!("reader-{n}")).build();
                loop {
                    let said = step(&session);
                    assert_eq!(said.iter().filter(|text| *text == "old.a").count(), 1, "{said:?}");
                    assert_eq!(said.iter().filter(|text| *text == "late.stays").count(), 1, "{said:?}");
                    assert!(said.len() <= 5, "{said:?}");
                    fired.fetch_add(1, Ordering::Relaxed);
                    if done.load(Ordering::Acquire) {
                        return;
                    }
                }
            });
        }
        let writers: Vec<_> = (0..3)
            .map(|writer| {
                let hooks = hooks.clone();
                scope.spawn(move || {
                    for n in 0..50 {
                        match writer {
                            0 => hooks.swap(build(n)),
                            1 => {
                                hooks.register(says("late.goes")).unwrap();
                                hooks.unregister("late.goes").unwrap();
                            }
                            _ => hooks.replace(says("late.again")).unwrap(),
                        }
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Release);
    });
    assert!(fired.load(Ordering::Relaxed) >= 2);
    let names: Vec<_> = rows(&hooks).iter().map(|row| row.info.name.clone()).collect();
    assert_eq!(names, ["late.again", "late.stays", "old.a", "old.b"], "nothing that was written is lost");
}
