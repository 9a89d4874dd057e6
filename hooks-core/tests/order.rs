//! `before`, `after`, `tools`, `paths`: in what order hooks run, and for what they are called.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookspec::hooks::{Call, Placement};
use hookspec::model::Usage;
use hookspec::points::{FILE_POST_SAVE, STEP_POST, TOOL_PRE_EXECUTE, TOOL_TRANSFORM, TURN_POST, TurnOutcome};
use hookspec::registry::{BuildError, LiveError, Problem, RegistryBuilder};
use hookspec::{Fold, Hook, Hooks, Message, Options, Registry, Session, ToolUse, fire_now, hook_point};

const PLAIN: Options = Options::DEFAULT;

fn builder(hooks: &[(&str, Options)]) -> RegistryBuilder {
    hooks.iter().fold(Registry::builder().linked(false).strict(false), |builder, (name, options)| {
        builder.register(Hook::new(STEP_POST, *name, |_, _| ()).options(*options))
    })
}

fn order(hooks: &[(&str, Options)]) -> String {
    builder(hooks).build().unwrap().handle(STEP_POST).names().join(" ")
}

fn refused(hooks: &[(&str, Options)]) -> String {
    builder(hooks).build().unwrap_err().to_string()
}

fn at(priority: i32) -> Options {
    Options { priority, ..PLAIN }
}

#[test]
fn who_says_so_moves_and_who_is_named_stays() {
    let early = Options { before: &["g.high"], ..PLAIN };
    assert_eq!(order(&[("g.high", at(9)), ("g.mid", at(5)), ("a.early", early)]), "a.early g.high g.mid");
    let late = Options { after: &["g.low"], priority: 9, ..PLAIN };
    assert_eq!(order(&[("g.low", at(1)), ("g.mid", at(5)), ("a.late", late)]), "g.mid g.low a.late");
    // What stands right does not move.
    let right = Options { before: &["g.low"], after: &["g.high"], ..at(5) };
    assert_eq!(
        order(&[("g.low", at(1)), ("g.high", at(9)), ("a.x", right), ("a.y", at(5))]),
        "g.high a.x a.y g.low"
    );
    // Both ways at once: the constraints hold, whatever the priorities.
    let between = Options { before: &["g.high"], after: &["g.low"], ..at(0) };
    assert_eq!(order(&[("g.low", at(1)), ("g.high", at(9)), ("a.x", between)]), "g.low a.x g.high");
}

#[test]
fn a_chain_of_names_holds_as_a_whole() {
    let hooks = [
        ("a", Options { after: &["b"], ..at(9) }),
        ("b", Options { after: &["c"], ..at(8) }),
        ("c", at(1)),
        ("d", at(5)),
        ("e", Options { before: &["f"], ..at(0) }),
        ("f", Options { before: &["d"], ..at(0) }),
    ];
    assert_eq!(order(&hooks), "e f d c b a");
    let turned: Vec<_> = hooks.iter().rev().copied().collect();
    assert_eq!(order(&turned), "e f d c b a", "what was registered first is nothing");
}

#[test]
fn nobody_goes_further_than_he_must() {
    let late = Options { after: &["g.low"], ..at(9) };
    let early = Options { before: &["g.late"], ..at(0) };
    // `x.x` is before one that has moved itself, and so stands where that one now is.
    let hooks = [("g.late", late), ("g.mid", at(5)), ("g.low", at(1)), ("x.x", early), ("x.z", at(-1))];
    assert_eq!(order(&hooks), "g.mid g.low x.x g.late x.z");
    let [behind_low, behind_next] = [&["g.low"][..], &["g.next"]].map(|after| Options { after, ..at(9) });
    let hooks = [
        ("g.late", behind_next),
        ("g.next", Options { priority: 8, ..behind_low }),
        ("g.mid", at(5)),
        ("g.low", at(1)),
        ("x.x", early),
    ];
    assert_eq!(order(&hooks), "g.mid g.low g.next x.x g.late");
    // Several that want the same place keep their own order there.
    let first = |priority| Options { before: &["g.high"], ..at(priority) };
    let last = |priority| Options { after: &["g.low"], ..at(priority) };
    for names in [["a.a", "a.b"], ["a.b", "a.a"]] {
        let hooks = [(names[0], first(2)), ("g.high", at(9)), ("g.mid", at(5)), (names[1], first(1))];
        assert_eq!(order(&hooks), format!("{} {} g.high g.mid", names[0], names[1]));
        let hooks = [(names[0], last(4)), ("g.low", at(1)), ("g.end", at(0)), (names[1], last(3))];
        assert_eq!(order(&hooks), format!("g.low {} {} g.end", names[0], names[1]));
    }
}

#[test]
fn a_group_and_a_glob_mean_the_others() {
    let first = Options { before: &["g"], ..PLAIN };
    assert_eq!(order(&[("g.a", at(1)), ("g.z", first), ("h.b", at(5))]), "h.b g.z g.a");
    let last = Options { after: &["*"], ..at(9) };
    assert_eq!(order(&[("g.a", at(1)), ("g.z", last), ("h.b", at(5))]), "h.b g.a g.z");
    let alias = Options { aliases: &["old"], ..PLAIN };
    let before_old = Options { before: &["old"], ..PLAIN };
    assert_eq!(order(&[("new.hook", alias), ("z.z", before_old)]), "z.z new.hook");
}

#[test]
fn a_circle_is_refused_and_shown() {
    let text = refused(&[
        ("x.b", Options { before: &["x.c"], ..PLAIN }),
        ("x.c", Options { before: &["x.a"], ..PLAIN }),
        ("x.a", Options { before: &["x.b"], ..PLAIN }),
        ("x.d", Options { after: &["x.a"], ..PLAIN }),
    ]);
    assert!(
        text.contains("at `step.post` goes round, x.a → x.b → x.c → x.a: `x.a` has `before = [\"x.b\"]` ("),
        "{text}"
    );
    assert!(text.contains("tests/order.rs:") && !text.contains("x.d"), "{text}");
    let text = refused(&[("x.a", Options { after: &["x.a"], ..PLAIN })]);
    assert!(text.contains("goes round, x.a → x.a"), "{text}");
    let group = Options { before: &["g"], ..PLAIN };
    let text = refused(&[("g.a", group), ("g.b", group)]);
    assert!(text.contains("g.a → g.b → g.a: `g.a` has `before = [\"g\"]`"), "{text}");
    // One of them is off: there is no circle among those that run.
    let registry = builder(&[("g.a", group), ("g.b", group)]).disable(["g.b"]).build().unwrap();
    assert_eq!(registry.handle(STEP_POST).names(), ["g.a"]);
}

#[test]
fn a_name_of_nobody_is_nothing_and_one_that_is_nearly_somebodys_is_told() {
    let registry = |before: &'static [&'static str]| {
        let hooks = [("guards.secrets", at(9)), ("a.x", Options { before, ..PLAIN })];
        builder(&hooks).elsewhere(["late"]).build().unwrap()
    };
    for (names, told) in [
        (&["guards.secrets"][..], false),
        (&["other.plugin"], false),
        (&["*secret"], false),
        (&["late.hook", "lat.hook"], false),
        (&["guards.secret"], true),
        (&["gards"], true),
    ] {
        let registry = registry(names);
        let warnings = &registry.report().warnings;
        let odd = warnings.iter().any(|warning| matches!(warning, Problem::NothingToOrder { .. }));
        assert_eq!(odd, told, "{names:?}: {warnings:?}");
    }
    let text = registry(&["gards"]).report().warnings[0].to_string();
    assert!(text.contains("`before = \"gards\"`") && text.contains("did you mean `guards`?"), "{text}");
}

#[test]
fn a_late_hook_that_would_close_a_circle_changes_nothing() {
    let hooks = Hooks::new(builder(&[("x.a", Options { before: &["x.b"], ..PLAIN })]).build().unwrap());
    let late = |name: &str, options| Hook::new(STEP_POST, name, |_, _| ()).options(options);
    hooks.register(late("x.b", at(9))).unwrap();
    assert_eq!(hooks.load().handle(STEP_POST).names(), ["x.a", "x.b"]);
    hooks.disable("x.b").unwrap();
    let round = Options { before: &["x.a"], ..PLAIN };
    let before = hooks.list();
    let LiveError::Refused(Problem::Circle { circle, .. }) = hooks.replace(late("x.b", round)).unwrap_err()
    else {
        panic!("another error")
    };
    assert_eq!(circle, "x.a → x.b → x.a");
    assert!(hooks.register(late("x.c", Options { before: &["x.a"], after: &["x.b"], ..PLAIN })).is_err());
    let rows = |rows: Vec<hookspec::hooks::HookRow>| {
        rows.into_iter().map(|row| (row.info.name.clone(), row.on)).collect::<Vec<_>>()
    };
    assert_eq!(rows(hooks.list()), rows(before));
    // Without the other there is none, and what is left has its own place again.
    hooks.unregister("x.a").unwrap();
    hooks.replace(late("x.b", round)).unwrap();
    assert_eq!(hooks.load().handle(STEP_POST).names(), ["x.b"]);
}

#[test]
fn a_list_shows_the_order_in_which_hooks_run() {
    let hooks = [
        ("x.b", at(9)),
        ("x.a", Options { before: &["x.b"], ..PLAIN }),
        ("x.off", Options { enabled: false, ..at(10) }),
        ("x.low", Options { enabled: false, ..at(3) }),
        ("x.z", at(1)),
    ];
    let rows = builder(&hooks).build().unwrap().list();
    let names: Vec<_> = rows.iter().map(|row| row.info.name.as_str()).collect();
    assert_eq!(names, ["x.off", "x.a", "x.b", "x.low", "x.z"]);
}

fn session(builder: RegistryBuilder, workspace: &str) -> Session {
    Session::builder(&Hooks::new(builder.build().unwrap()), "s").workspace(workspace).build()
}

fn only(tools: &'static [&'static str]) -> Options {
    Options { tools, ..PLAIN }
}

#[test]
fn a_hook_is_called_for_its_tools_however_the_call_is_written() {
    let says = Hook::new(TOOL_PRE_EXECUTE, "x.says", |event, _| Message::system(&event.tool_use.tool));
    let session =
        session(Registry::builder().linked(false).register(says.options(only(&["shell", "mcp.*"]))), "/w");
    let xml = ToolUse { format: hookspec::tool::CallFormat::Xml, ..ToolUse::fenced("mcp.find", [""; 0], "") };
    for (call, called) in [
        (ToolUse::native("shell", "1", serde_json::Map::new()), 1),
        (ToolUse::fenced("shell", [""; 0], ""), 1),
        (xml, 1),
        (ToolUse::native("mcp.find", "1", serde_json::Map::new()), 1),
        (ToolUse::native("save", "1", serde_json::Map::new()), 0),
        (ToolUse::native("SHELL", "1", serde_json::Map::new()), 0),
    ] {
        let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
        assert_eq!(fired.messages().len(), called, "{call:?}");
    }
}

#[test]
fn a_fold_that_renames_the_tool_decides_who_is_called_next() {
    let renames = Hook::new(TOOL_TRANSFORM, "x.first", |event, _| {
        Fold(ToolUse { tool: "save".into(), ..event.tool_use.clone() })
    });
    let says = |name: &str, tools| {
        Hook::new(TOOL_TRANSFORM, name, |event, _| vec![Message::system(&event.tool_use.tool)])
            .options(only(tools))
    };
    let builder = Registry::builder()
        .linked(false)
        .register(renames.options(Options { priority: 5, ..only(&["shell"]) }));
    let builder = builder.register(says("x.of_shell", &["shell"])).register(says("x.of_save", &["save"]));
    let session = session(builder, "/w");
    let hooks = |tool: &str| {
        let call = ToolUse::fenced(tool, [""; 0], "");
        let fired = fire_now!(session, TOOL_TRANSFORM { tool_use: &call });
        fired.messages().iter().filter_map(|message| message.hook.clone()).collect::<Vec<_>>()
    };
    assert_eq!(hooks("shell"), ["x.of_save"]);
    assert_eq!(hooks("patch"), [""; 0]);
}

#[test]
fn what_is_filtered_out_is_neither_queued_nor_counted_as_once_nor_awaited() {
    for placement in [Placement::Inline, Placement::Blocking, Placement::Background] {
        let options = Options { paths: &["*.py"], once: true, placement, ..PLAIN };
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&runs);
        let says =
            Hook::new(FILE_POST_SAVE, "x.says", move |_, _| _ = counted.fetch_add(1, Ordering::SeqCst))
                .options(options);
        let session = session(Registry::builder().linked(false).register(says), "/w");
        let save = |path: &str| {
            drop(fire_now!(session, FILE_POST_SAVE { path: Path::new(path), content: "", created: true }));
            assert!(session.drain_now(std::time::Duration::MAX).is_empty());
            runs.load(Ordering::SeqCst)
        };
        assert_eq!([save("/w/a.txt"), save("/w/a.py"), save("/w/b.py")], [0, 1, 1], "{placement:?}");
    }
}

#[test]
fn paths_are_of_the_workspace_or_else_of_the_directory() {
    let says = |paths| {
        Hook::new(FILE_POST_SAVE, "x.says", |_, _| Message::system("x")).options(Options { paths, ..PLAIN })
    };
    let registry = || Registry::builder().linked(false).register(says(&["src/**"])).build().unwrap();
    let called = |session: &Session, path: &str| {
        fire_now!(session, FILE_POST_SAVE { path: Path::new(path), content: "", created: true })
            .messages()
            .len()
    };
    let with = Session::builder(&Hooks::new(registry()), "s").workspace("/w").cwd("/w/src").build();
    assert_eq!(
        [called(&with, "/w/src/a"), called(&with, "/w/src/src/a"), called(&with, "/src/a")],
        [1, 1, 0]
    );
    let without = Session::builder(&Hooks::new(registry()), "s").cwd("/d").build();
    assert_eq!([called(&without, "/d/src/a"), called(&without, "/w/src/a")], [1, 0]);
}

#[test]
fn a_turn_is_about_the_files_that_it_changed() {
    let says = Hook::new(TURN_POST, "x.says", |_, _| Message::system("x"))
        .options(Options { paths: &["*.rs"], ..PLAIN });
    let session = session(Registry::builder().linked(false).register(says), "/w");
    let turn = |changed: &[&str]| {
        let changed: Vec<_> = changed.iter().map(Into::into).collect();
        let (usage, outcome) = (&Usage::default(), TurnOutcome::Complete);
        fire_now!(session, TURN_POST { steps: 1, changed: &changed, usage, outcome }).messages().len()
    };
    assert_eq!([turn(&[]), turn(&["/w/a.py"]), turn(&["/w/a.py", "/x/b.rs"])], [0, 0, 1]);
}

#[test]
fn a_filter_that_cannot_be_is_refused_by_name() {
    let refused = |builder: RegistryBuilder| {
        let BuildError { problems, .. } = builder.build().unwrap_err();
        assert!(matches!(&*problems, [Problem::BadFilter { .. }]), "{problems:?}");
        problems[0].to_string()
    };
    let nothing = builder(&[("x.a", only(&["shell"]))]);
    let text = refused(nothing);
    assert!(
        text.contains("`x.a` (") && text.contains("says `tools`: `STEP_POST` is about no call of a tool"),
        "{text}"
    );
    let saved = |paths| {
        let hook = Hook::new(FILE_POST_SAVE, "x.a", |_, _| ()).options(Options { paths, ..PLAIN });
        Registry::builder().linked(false).register(hook)
    };
    assert!(refused(saved(&["*.{a,b}"])).contains("`*.{a,b}` has a `{`"));
    assert!(refused(saved(&["*.py", "../x"])).contains("without `..`"));
    // Of a hook that is off nobody minds.
    assert!(saved(&["../x"]).disable(["x.a"]).build().is_ok());
    let late = Hook::new(STEP_POST, "x.a", |_, _| ()).options(only(&["shell"]));
    let hooks = Hooks::new(Registry::builder().linked(false).build().unwrap());
    assert!(matches!(hooks.register(late), Err(LiveError::Refused(Problem::BadFilter { .. }))));
}

mod odd {
    use serde::{Deserialize, Serialize};

    /// A type of that name which is another.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct ToolUse {
        pub tool: u32,
    }
}

hook_point! {
    /// Has fields of such names.
    pub ODD("odd.names") -> hookspec::point::Messages {
        /// Not ours.
        tool_use: &odd::ToolUse,
        /// A path of some kind.
        path: &str,
    }
}

#[test]
fn a_field_of_another_type_is_no_tool() {
    let says = Hook::new(ODD, "x.says", |event, _| Message::system(event.path)).options(only(&["shell"]));
    let session = session(Registry::builder().linked(false).register(says), "/w");
    let fired = fire_now!(session, ODD { tool_use: &odd::ToolUse { tool: 1 }, path: "p" });
    assert_eq!(fired.messages().len(), 1, "it looks for itself");
}

#[test]
fn who_named_a_hook_that_is_gone_stands_in_his_own_place_again() {
    let hooks = [("x.a", Options { before: &["x.b"], ..PLAIN }), ("x.b", at(9)), ("x.c", at(5))];
    let hooks = Hooks::new(builder(&hooks).build().unwrap());
    assert_eq!(hooks.load().handle(STEP_POST).names(), ["x.a", "x.b", "x.c"]);
    hooks.unregister("x.b").unwrap();
    assert_eq!(hooks.load().handle(STEP_POST).names(), ["x.c", "x.a"]);
}

#[test]
fn a_plain_function_is_filtered_where_nobody_watches() {
    let call = Call::Sync(|_, _, out| out.message(Message::system("called")));
    let plain = Hook::from_call("x.plain", call).options(only(&["shell"]));
    let plain: Hook<TOOL_PRE_EXECUTE::Point> = plain;
    let session = session(Registry::builder().linked(false).register(plain), "/w");
    for (tool, called) in [("shell", 1), ("save", 0)] {
        let call = ToolUse::fenced(tool, [""; 0], "");
        let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
        assert_eq!(fired.messages().len(), called, "{tool}");
    }
}
