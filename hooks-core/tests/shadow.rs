//! Shadow: hooks that run for trial. What they say is recorded and counted, and to everybody else they said nothing.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookspec::ask::{Confirmation, Why};
use hookspec::hooks::{Failure, Placement, Shadowed};
use hookspec::points::{FILE_PRE_SAVE, STEP_POST, StepPost, TOOL_CONFIRM, TOOL_PRE_EXECUTE};
use hookspec::registry::{BuildError, Problem, RegistryBuilder};
use hookspec::timeline::Timeline;
use hookspec::{
    Around, Config, First, Flow, Fold, Gate, Hook, Hooks, Message, Options, Registry, Session, ToolUse,
    around_now, fire_now, hook_point,
};

const PLAIN: Options = Options::DEFAULT;

fn plain() -> RegistryBuilder {
    Registry::builder().linked(false).strict(false)
}

fn config(text: &str) -> Config {
    let mut config = Config::new();
    config.add_toml("f", text, &[]).unwrap();
    config
}

/// A session of these hooks, and what is seen of it.
fn open(builder: RegistryBuilder) -> (Session, Hooks, Arc<Timeline>) {
    let (hooks, timeline) = (Hooks::new(builder.build().unwrap()), Arc::new(Timeline::new(100)));
    (Session::builder(&hooks, "s").workspace("/w").observer(timeline.clone()).build(), hooks, timeline)
}

fn counted(hooks: &Hooks, name: &str) -> Shadowed {
    hooks.list().iter().find(|row| row.info.name == name).unwrap().shadowed.unwrap()
}

/// What the hooks of a session say in shadow, as the list and as the timeline has it.
fn sentence(hooks: &Hooks, timeline: &Timeline, name: &str) -> String {
    let counted = counted(hooks, name);
    assert_eq!(counted, Shadowed::in_runs(&timeline.runs()), "{name}");
    counted.to_string()
}

#[test]
fn a_gate_in_shadow_refuses_nothing_and_says_that_it_would() {
    let denies = Hook::new(TOOL_PRE_EXECUTE, "x.denies", |_, _| (Message::system("no"), Gate::deny("why")));
    let asks = Hook::new(TOOL_PRE_EXECUTE, "y.asks", |_, _| Gate::ask("really?"));
    let (session, hooks, timeline) = open(plain().register(denies).register(asks).shadow(["x"]));
    let call = ToolUse::fenced("shell", [""; 0], "ls");
    for _ in 0..3 {
        let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
        assert_eq!(fired.gate(), Some(&Gate::ask("really?")));
        assert!(fired.messages().is_empty() && fired.failures().is_empty());
    }
    assert!(session.log().iter().next().is_none());
    assert_eq!(sentence(&hooks, &timeline, "x.denies"), "3 refusals and 3 messages that were not made");
    let run = &timeline.runs()[0];
    assert_eq!((&*run.hook, run.shadow, run.gate.as_ref()), ("x.denies", true, Some(&Gate::deny("why"))));
    assert_eq!(run.messages, ["no"]);
    let other = &timeline.runs()[1];
    assert!(other.hook == "y.asks" && !other.shadow);
    // Without anybody who watches it is counted all the same.
    let blind = Session::builder(&hooks, "t").build();
    assert!(fire_now!(blind, TOOL_PRE_EXECUTE { tool_use: &call }).denied().is_none());
    assert_eq!(counted(&hooks, "x.denies").denied, 4);
    assert!(hooks.list().iter().any(|row| row.info.name == "y.asks" && row.shadowed.is_none()));
}

#[test]
fn a_failure_in_shadow_counts_and_denies_nothing() {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    fn told(_: &Failure, _: &Session) {
        TOLD.fetch_add(1, Ordering::SeqCst);
    }
    let panics = Hook::new(TOOL_PRE_EXECUTE, "x.panics", |_, _| -> Gate { panic!("in shadow") });
    let panics = panics.options(Options { quarantine: Some(2), ..PLAIN }).on_error(told);
    let open_one = Hook::new(TOOL_PRE_EXECUTE, "x.open", |_, _| Err::<Gate, _>("broken"));
    let open_one = open_one.options(Options { fail_open: true, ..PLAIN });
    let (session, hooks, timeline) = open(plain().register(panics).register(open_one).shadow(["x"]));
    let call = ToolUse::fenced("shell", [""; 0], "ls");
    for _ in 0..3 {
        let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
        assert!(fired.gate().is_none() && fired.failures().is_empty(), "{fired:?}");
    }
    assert_eq!(TOLD.load(Ordering::SeqCst), 2);
    let rows = hooks.list();
    let row = |name: &str| rows.iter().find(|row| row.info.name == name).unwrap();
    assert_eq!((row("x.panics").on, row("x.panics").failures, row("x.open").failures), (false, 2, 3));
    assert_eq!(counted(&hooks, "x.panics").to_string(), "2 refusals that were not made");
    assert!(counted(&hooks, "x.open").is_nothing(), "its failure would have let things pass");
    let run = timeline.runs().into_iter().find(|run| run.hook == "x.panics").unwrap();
    assert!(run.error.unwrap().contains("in shadow"));
    assert!(run.gate.unwrap().reason().unwrap().contains("a gate that fails denies"));
}

#[test]
fn a_fold_an_answer_and_an_end_in_shadow_are_not_made() {
    let before = Hook::new(FILE_PRE_SAVE, "a.sees", |event, _| Fold(format!("{}!", event.content)));
    let shadow =
        Hook::new(FILE_PRE_SAVE, "b.shadow", |event, _| (Fold(format!("{}?", event.content)), Flow::Stop));
    let after = Hook::new(FILE_PRE_SAVE, "c.sees", |event, _| Fold(format!("{}.", event.content)));
    let first = Hook::new(TOOL_CONFIRM, "a.answers", |_, _| First(Confirmation::Confirm));
    let second =
        Hook::new(TOOL_CONFIRM, "b.answers", |_, _| First(Confirmation::Skip { reason: "no".into() }));
    let ends = Hook::new(STEP_POST, "a.ends", |_, _| Flow::end_session("over"));
    let counts = Hook::new(STEP_POST, "b.says", |_, _| Message::system("after"));
    let builder = plain().register(before).register(shadow).register(after).register(first).register(second);
    let shadows = ["b.shadow", "a.answers", "a.ends"];
    let (session, hooks, _) = open(builder.register(ends).register(counts).shadow(shadows));
    let fired = fire_now!(session, FILE_PRE_SAVE { path: "/w/a".as_ref(), content: "x" });
    assert_eq!((fired.value().map(String::as_str), fired.flow()), (Some("x!."), &Flow::Continue));
    let (call, why) = (ToolUse::fenced("shell", [""; 0], "ls"), Why::Policy);
    let fired = fire_now!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &why });
    assert_eq!(fired.answer().cloned(), Some(Confirmation::Skip { reason: "no".into() }));
    let fired = fire_now!(session, STEP_POST { step: 0, tool_calls: 0, usage: None });
    assert_eq!((fired.flow(), fired.messages().len()), (&Flow::Continue, 1));
    let said = shadows.map(|name| counted(&hooks, name).to_string());
    assert_eq!(
        said,
        ["1 change and 1 end that were not made", "1 answer that was not made", "1 end that was not made"]
    );
}

#[test]
fn it_runs_wherever_it_would_and_keeps_what_it_counts() {
    for placement in [Placement::Inline, Placement::Blocking, Placement::Background] {
        let runs = Arc::new(AtomicUsize::new(0));
        let ran = Arc::clone(&runs);
        let says = Hook::new(STEP_POST, "x.says", move |_, _| {
            ran.fetch_add(1, Ordering::SeqCst);
            Message::system("said")
        });
        let options = Options { placement, once: true, ..PLAIN };
        let (session, hooks, timeline) = open(plain().register(says.options(options)).shadow(["x.says"]));
        for _ in 0..2 {
            assert!(
                fire_now!(session, STEP_POST { step: 0, tool_calls: 0, usage: None }).messages().is_empty()
            );
            assert!(session.drain_now(Duration::MAX).is_empty());
        }
        assert_eq!(runs.load(Ordering::SeqCst), 1, "{placement:?}");
        // What a background hook says goes nowhere anyway.
        let said = u64::from(placement != Placement::Background);
        assert_eq!(counted(&hooks, "x.says").said, said, "{placement:?}");
        assert!(timeline.runs()[0].shadow && timeline.runs()[0].messages == ["said"]);
        assert_eq!(Shadowed::in_runs(&timeline.runs()).said, said);
    }
}

#[test]
fn the_lists_of_all_sources_add_up_and_a_more_exact_rule_takes_one_out() {
    let hook = |name: &str| Hook::new(STEP_POST, name, |_, _| ());
    let builder =
        || plain().register(hook("g.a")).register(hook("g.b")).register(hook("h.c")).register(hook("i.d"));
    let shadows = |builder: RegistryBuilder| {
        let rows = builder.build().unwrap().list();
        let names = rows.iter().filter(|row| row.info.shadow).map(|row| row.info.name.clone());
        names.collect::<Vec<_>>().join(" ")
    };
    let mut both = config("[hooks]\nshadow = ['g']");
    both.add_toml("project", "[hooks]\nshadow = ['h.c']", &[]).unwrap();
    both.add_env([("HOOKSPEC_SHADOW".to_owned(), "i.*, ".to_owned())]).unwrap();
    assert_eq!(shadows(builder().config(both.clone())), "g.a g.b h.c i.d");
    both.add_toml("last", "[hooks.rules.'g.b']\nshadow = false", &[]).unwrap();
    assert_eq!(shadows(builder().config(both.clone())), "g.a h.c i.d");
    both.add_toml("later", "[hooks.rules.'g.b']\nshadow = true\n[hooks.rules.h]\nshadow = false", &[])
        .unwrap();
    assert_eq!(
        shadows(builder().config(both)),
        "g.a g.b h.c i.d",
        "what is more exact counts before what is later"
    );
    assert_eq!(shadows(builder().config(config("[hooks]\nshadow = []"))), "");
}

#[test]
fn a_name_of_nobody_is_an_error_for_one_counts_on_it() {
    let hook = Hook::new(STEP_POST, "guards.secrets", |_, _| ());
    let BuildError { problems, .. } =
        plain().register(hook).config(config("[hooks]\n\nshadow = ['guard.secrets']")).build().unwrap_err();
    assert!(matches!(&*problems, [Problem::UnknownName { .. }]), "{problems:?}");
    let text = problems[0].to_string();
    assert!(text.contains("`guard.secrets` in f:3") && text.contains("guards.secrets"), "{text}");
    assert!(plain().elsewhere(["late"]).shadow(["late.hook"]).build().is_ok());
}

#[test]
fn the_way_to_ask_the_user_is_not_put_in_shadow() {
    let ask = || {
        let options = Options { confirmation: true, ..PLAIN };
        Hook::new(TOOL_CONFIRM, "cli.ask", |_, _| First(Confirmation::Confirm)).options(options)
    };
    for name in ["cli", "cli.ask"] {
        let BuildError { problems, .. } = plain().register(ask()).shadow([name]).build().unwrap_err();
        assert!(matches!(&*problems, [Problem::ShadowOfConfirmation { .. }]), "{problems:?}");
    }
    let all = plain().register(ask()).shadow(["*"]).build().unwrap();
    assert!(!all.list()[0].info.shadow, "a glob does not speak of it");
}

#[test]
fn what_is_registered_later_is_in_shadow_too_and_a_swap_decides_anew() {
    let built = |text: &str| plain().elsewhere(["late"]).config(config(text)).build().unwrap();
    let hooks = Hooks::new(built("[hooks]\nshadow = ['late']"));
    let session = Session::builder(&hooks, "s").build();
    let says = || Hook::new(STEP_POST, "late.says", |_, _| Message::system("said"));
    hooks.register(says()).unwrap();
    let fire = || fire_now!(session, STEP_POST { step: 0, tool_calls: 0, usage: None }).messages().len();
    assert_eq!((fire(), fire(), counted(&hooks, "late.says").said), (0, 0, 2));
    // Another one begins to count anew.
    hooks.replace(says()).unwrap();
    assert_eq!((fire(), counted(&hooks, "late.says").said), (0, 1));
    let kept = hooks.load().handle(STEP_POST);
    hooks.swap(built(""));
    assert_eq!(fire(), 1);
    assert!(hooks.list()[0].shadowed.is_none());
    // A handle that was kept runs what it had.
    let event = StepPost { step: 0, tool_calls: 0, usage: None };
    assert!(kept.fire_now(&session, event).messages().is_empty());
    hooks.swap(built("[hooks]\nshadow = ['late']"));
    assert_eq!(fire(), 0);
}

hook_point! {
    /// Something is baked.
    pub BAKE("bake.it") -> Around<String> {
        /// Of which this is made.
        #[fold]
        flour: &str,
        /// Where the loaf goes.
        path: &Path,
    }
}

#[test]
fn a_wrapper_is_called_for_its_files_and_cannot_be_put_in_shadow() {
    let wraps = |name: &str, paths| {
        let hook = Hook::around_now(BAKE, name, |_, _, next| Around(next.run_now().unwrap() + "!"));
        hook.options(Options { paths, ..PLAIN })
    };
    let builder = plain().register(wraps("x.first", &["*.bread"])).register(wraps("y.second", &[]));
    let (session, hooks, _) = open(builder.shadow(["y"]));
    let bake = |path: &str| {
        let event = |event: BAKE::Event<'_>| event.flour.to_owned();
        around_now!(session, BAKE { flour: "rye", path: Path::new(path) }, event).result().unwrap().clone()
    };
    assert_eq!([bake("/w/a.bread"), bake("/w/a.cake")], ["rye!", "rye"]);
    let registry = hooks.load();
    assert!(
        matches!(&*registry.report().warnings, [Problem::ShadowOfWrapper { .. }]),
        "{:?}",
        registry.report()
    );
    let row = hooks.list().into_iter().find(|row| row.info.name == "y.second").unwrap();
    assert!(!row.on && row.why == "in shadow, which a wrapper cannot be", "{row:?}");
}
