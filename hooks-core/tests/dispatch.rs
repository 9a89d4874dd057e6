//! What firing a point promises, on hooks registered by hand.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookspec::ask::Continue;
use hookspec::hooks::Cause;
use hookspec::points::{
    FILE_POST_SAVE, LOOP_CONTINUE, MESSAGE_PRE_PROCESS, MESSAGE_TRANSFORM, STEP_PRE, TOOL_PRE_EXECUTE,
    TurnOutcome,
};
use hookspec::timeline::Timeline;
use hookspec::{First, Flow, Fold, Gate, Hook, Hooks, Message, Registry, Session, ToolUse, fire_now};

fn session(registry: Registry) -> Session {
    Session::builder(&Hooks::new(registry), "s").build()
}

fn texts(messages: &[Arc<Message>]) -> Vec<&str> {
    messages.iter().map(|message| message.content.as_str()).collect()
}

fn save(session: &Session) -> hookspec::point::Fired<hookspec::point::Messages> {
    fire_now!(session, FILE_POST_SAVE { path: Path::new("/a"), content: "abc", created: true })
}

fn says(name: &str, priority: i32) -> Hook<FILE_POST_SAVE::Point> {
    let text = name.to_owned();
    Hook::new(FILE_POST_SAVE, name, move |_, _| Message::system(text.clone())).priority(priority)
}

#[test]
fn r1_r2_order_is_priority_descending_then_name_ascending() {
    let registry = Registry::builder()
        .linked(false)
        .register(says("x.one", 1))
        .register(says("x.b", 5))
        .register(says("x.ten", 10))
        .register(says("x.a", 5))
        .build()
        .unwrap();
    let session = session(registry);
    assert_eq!(texts(save(&session).messages()), ["x.ten", "x.a", "x.b", "x.one"]);
    let log: Vec<_> = session.log().iter().map(|m| m.hook.clone().unwrap()).collect();
    assert_eq!(log, ["x.ten", "x.a", "x.b", "x.one"], "emitted messages are in the log, with their hook");
}

#[test]
fn r3_a_hook_that_panics_or_errs_costs_only_itself() {
    for watched in [false, true] {
        let registry = Registry::builder()
            .linked(false)
            .register(says("x.first", 3))
            .register(Hook::new(FILE_POST_SAVE, "x.panics", |_, _| -> Message { panic!("boom") }).priority(2))
            .register(Hook::new(FILE_POST_SAVE, "x.errs", |_, _| Err::<(), _>("no")).priority(1))
            .register(says("x.last", 0))
            .build()
            .unwrap();
        let hooks = Hooks::new(registry);
        let mut builder = Session::builder(&hooks, "s");
        if watched {
            builder = builder.observer(Arc::new(Timeline::new(100)));
        }
        let session = builder.build();
        let fired = save(&session);
        assert_eq!(texts(fired.messages()), ["x.first", "x.last"]);
        let causes: Vec<_> = fired.failures().iter().map(|f| f.cause.clone()).collect();
        assert_eq!(causes, [Cause::Panic("boom".into()), Cause::Error("no".into())]);
    }
}

#[test]
fn r4_r10_stop_keeps_what_was_emitted() {
    let registry = Registry::builder()
        .linked(false)
        .register(
            Hook::new(FILE_POST_SAVE, "x.stops", |_, _| (Message::system("kept"), Flow::Stop)).priority(9),
        )
        .register(says("x.never", 0))
        .build()
        .unwrap();
    let fired = save(&session(registry));
    assert_eq!(texts(fired.messages()), ["kept"]);
    assert_eq!(*fired.flow(), Flow::Stop);
}

#[test]
fn later_hooks_see_what_earlier_ones_emitted() {
    let registry = Registry::builder()
        .linked(false)
        .register(says("x.first", 1))
        .register(Hook::new(FILE_POST_SAVE, "x.counts", |_, session| {
            Message::system(format!("{} before me", session.log().len()))
        }))
        .build()
        .unwrap();
    assert_eq!(texts(save(&session(registry)).messages()), ["x.first", "1 before me"]);
}

fn gate(hooks: Vec<Hook<TOOL_PRE_EXECUTE::Point>>) -> Option<Gate> {
    let mut builder = Registry::builder().linked(false);
    for hook in hooks {
        builder = builder.register(hook);
    }
    let session = session(builder.build().unwrap());
    let call = ToolUse::fenced("shell", [""; 0], "rm -rf /");
    fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call }).gate().cloned()
}

#[test]
fn a_gate_takes_the_strictest_answer_in_any_order() {
    let deny = || Hook::new(TOOL_PRE_EXECUTE, "x.deny", |_, _| Gate::deny("no"));
    let allow = || Hook::new(TOOL_PRE_EXECUTE, "x.allow", |_, _| Gate::Allow);
    let ask = || Hook::new(TOOL_PRE_EXECUTE, "x.ask", |_, _| Gate::ask("sure?"));
    assert_eq!(gate(vec![deny().priority(1), allow(), ask()]), Some(Gate::deny("no")));
    assert_eq!(gate(vec![deny(), allow().priority(2), ask().priority(1)]), Some(Gate::deny("no")));
    assert_eq!(gate(vec![allow().priority(1), ask()]), Some(Gate::ask("sure?")));
    assert_eq!(gate(vec![]), None);
}

#[test]
fn a_gate_that_fails_denies_naming_itself() {
    let panics = gate(vec![Hook::new(TOOL_PRE_EXECUTE, "x.guard", |_, _| -> Gate { panic!("bug") })]);
    assert_eq!(
        panics,
        Some(Gate::deny("the hook `x.guard` at `tool.execute.pre` panicked: bug; a gate that fails denies"))
    );
    let errs = gate(vec![
        Hook::new(TOOL_PRE_EXECUTE, "x.guard", |_, _| Err::<Gate, _>("db down")),
        Hook::new(TOOL_PRE_EXECUTE, "x.ok", |_, _| Gate::Allow),
    ]);
    assert!(
        matches!(errs, Some(Gate::Deny(reason)) if reason.contains("x.guard") && reason.contains("db down"))
    );
    let blank = gate(vec![Hook::new(TOOL_PRE_EXECUTE, "x.guard", |_, _| Gate::deny(" "))]);
    assert_eq!(blank, Some(Gate::deny("the hook `x.guard` gave no reason")));
}

#[test]
fn a_fold_hands_the_changed_value_on() {
    let upper = Hook::new(MESSAGE_TRANSFORM, "x.upper", |event, _| {
        Fold(Message::assistant(event.message.content.to_uppercase()))
    });
    let mark = Hook::new(MESSAGE_TRANSFORM, "x.mark", |event, _| {
        Fold(Message::assistant(format!("{}!", event.message.content)))
    });
    let registry =
        Registry::builder().linked(false).register(upper.priority(1)).register(mark).build().unwrap();
    let timeline = Arc::new(Timeline::new(10));
    let hooks = Hooks::new(registry);
    for session in [
        Session::builder(&hooks, "plain").build(),
        Session::builder(&hooks, "watched").observer(timeline.clone()).build(),
    ] {
        let fired = fire_now!(session, MESSAGE_TRANSFORM { message: &Message::assistant("hi") });
        assert_eq!(fired.value().unwrap().content, "HI!");
    }
    let versions: Vec<_> =
        timeline.runs().iter().map(|run| run.fold.as_ref().unwrap()["content"].clone()).collect();
    assert_eq!(versions, ["HI", "HI!"], "the timeline keeps each version");
}

#[test]
fn a_gate_that_also_folds_does_both() {
    let registry = Registry::builder()
        .linked(false)
        .register(
            Hook::new(MESSAGE_PRE_PROCESS, "x.rewrite", |_, _| Fold(Message::user("clean"))).priority(1),
        )
        .register(Hook::new(MESSAGE_PRE_PROCESS, "x.refuse", |event, _| {
            (event.message.content == "clean").then(|| Gate::deny("saw the clean one"))
        }))
        .build()
        .unwrap();
    let fired = fire_now!(session(registry), MESSAGE_PRE_PROCESS { message: &Message::user("dirty") });
    assert_eq!(fired.value().unwrap().content, "clean");
    assert_eq!(fired.denied(), Some(("saw the clean one", "x.refuse")));
}

#[test]
fn the_first_answer_ends_the_chain() {
    let registry = Registry::builder()
        .linked(false)
        .register(Hook::new(LOOP_CONTINUE, "x.silent", |_, _| None::<First<Continue>>).priority(3))
        .register(Hook::new(LOOP_CONTINUE, "x.answers", |_, _| First(Continue::Rest)).priority(2))
        .register(Hook::new(LOOP_CONTINUE, "x.never", |_, _| -> First<Continue> { panic!("not reached") }))
        .build()
        .unwrap();
    let mut fired = fire_now!(
        session(registry),
        LOOP_CONTINUE { outcome: TurnOutcome::Complete, queue: &[], continued: 0 }
    );
    assert_eq!(fired.take_answer(), Some((Continue::Rest, "x.answers".to_owned())));
    assert!(fired.failures().is_empty());
}

#[test]
fn a_hook_that_fires_its_own_point_is_stopped_at_depth_eight() {
    let registry = Registry::builder()
        .linked(false)
        .register(Hook::new(STEP_PRE, "x.again", |event, session| {
            let deeper = fire_now!(session, STEP_PRE { step: event.step + 1 });
            deeper.failures().first().map(|failure| Message::system(failure.to_string()))
        }))
        .build()
        .unwrap();
    let session = session(registry);
    let _ = fire_now!(session, STEP_PRE { step: 1 });
    let log = session.log();
    assert_eq!(log.len(), 1);
    let chain = ["step.pre"; 9].join(" → ");
    assert!(log[0].content.contains(&chain), "{}", log[0].content);
    // The chain is over: the next one starts afresh.
    let _ = fire_now!(session, STEP_PRE { step: 1 });
    assert_eq!(session.log().len(), 2);
}

#[test]
fn runtime_changes_take_effect_and_unknown_names_are_errors() {
    let registry = Registry::builder().linked(false).register(says("x.a", 0)).build().unwrap();
    let hooks = Hooks::new(registry);
    let session = Session::builder(&hooks, "s").build();
    hooks.disable("x.a").unwrap();
    assert!(save(&session).messages().is_empty());
    hooks.enable("x.a").unwrap();
    assert_eq!(save(&session).messages().len(), 1);
    hooks.register(says("x.b", 9)).unwrap();
    assert_eq!(texts(save(&session).messages()), ["x.b", "x.a"]);
    assert!(hooks.register(says("x.b", 9)).is_err());
    hooks.replace(says("x.b", -9)).unwrap();
    assert_eq!(texts(save(&session).messages()), ["x.a", "x.b"]);
    hooks.unregister("x.a").unwrap();
    assert_eq!(texts(save(&session).messages()), ["x.b"]);
    let error = hooks.disable("x.c").unwrap_err().to_string();
    assert!(error.contains("`x.c`") && error.contains("did you mean `x.b`"), "{error}");

    assert!(session.set_hook_enabled("x.b", false));
    assert!(save(&session).messages().is_empty());
    let other = Session::builder(&hooks, "other").build();
    assert_eq!(save(&other).messages().len(), 1, "switched off in one session only");
}

#[test]
fn a_hook_is_quarantined_after_its_limit() {
    let failing = Hook::new(FILE_POST_SAVE, "x.bad", |_, _| -> Message { panic!("again") })
        .options(hookspec::Options { quarantine: Some(2), ..Default::default() });
    let registry = Registry::builder().linked(false).register(failing).build().unwrap();
    let session = session(registry);
    let failures: Vec<_> = (0..4).map(|_| save(&session).failures().len()).collect();
    assert_eq!(failures, [1, 1, 0, 0]);
    assert_eq!(session.hooks().list()[0].why, "quarantined after 2 failures");
    session.hooks().enable("x.bad").unwrap();
    assert_eq!(save(&session).failures().len(), 1);
}

#[test]
fn background_hooks_keep_their_order_and_are_drained() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let note = seen.clone();
    let hook = Hook::new(FILE_POST_SAVE, "x.report", move |event, _| {
        note.lock().unwrap().push(event.content.to_owned());
        (Message::system("reported"), Flow::EndSession("ignored".into()))
    })
    .options(hookspec::Options { placement: hookspec::hooks::Placement::Background, ..Default::default() });
    let registry = Registry::builder().linked(false).register(hook).build().unwrap();
    let timeline = Arc::new(Timeline::new(1000));
    let session = Session::builder(&Hooks::new(registry), "s").observer(timeline.clone()).build();
    for number in 0..100 {
        let text = number.to_string();
        let fired =
            fire_now!(session, FILE_POST_SAVE { path: Path::new("/a"), content: &text, created: false });
        assert!(fired.messages().is_empty() && fired.session_end().is_none());
    }
    assert_eq!(session.drain_now(Duration::from_secs(10)), []);
    let expected: Vec<_> = (0..100).map(|n: i32| n.to_string()).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
    assert_eq!(timeline.runs().len(), 100);
    assert!(timeline.runs()[0].background && session.log().is_empty());
}
