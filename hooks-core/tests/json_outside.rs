//! What holds for JSON hooks as for those in Rust: kinds of failures, time limits, settings; and one reading of the event.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::future::{Future, pending, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookspec::hooks::{BoxError, Cause, JsonHook, JsonOutcome, JsonResult, Placement, Timeout};
use hookspec::point::{Fired, find_point};
use hookspec::registry::{Problem, RegistryBuilder};
use hookspec::session::{LogPart, LogPlace};
use hookspec::{
    Around, Config, Fold, Gate, Hook, Hooks, Message, Options, Registry, Session, around_now, fire, fire_now,
    hook_point,
};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

/// Counts how often it is made JSON.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Counted {
    #[serde(skip)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    times: Arc<AtomicUsize>,
    broken: bool,
}

impl Counted {
    fn times(&self) -> usize {
        self.times.load(Ordering::SeqCst)
    }
}

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.times.fetch_add(1, Ordering::SeqCst);
        if self.broken { Err(serde::ser::Error::custom("it is broken")) } else { serializer.serialize_unit() }
    }
}

hook_point! {
    /// An event that knows how often it was made JSON.
    pub READ("outside.read") -> Gate + Fold<String> {
        /// A text.
        #[fold]
        text: &str,
        /// The count.
        count: &Counted,
    }
}

hook_point! {
    /// The same around work.
    pub WORK("outside.work") -> Around<String> {
        /// A text.
        #[fold]
        text: &str,
        /// The count.
        count: &Counted,
    }
}

const LATE: Duration = Duration::from_millis(20);

fn placed(placement: Placement, priority: i32) -> Options {
    Options { placement, priority, ..Options::DEFAULT }
}

fn timeout(timeout: Duration) -> Options {
    Options { timeout: Timeout::After(timeout), ..Options::DEFAULT }
}

fn says(text: String) -> JsonOutcome {
    JsonOutcome { messages: vec![Message::system(text)], ..JsonOutcome::default() }
}

/// A hook that says what text it was told.
fn reads(name: &str, placement: Placement, priority: i32) -> JsonHook {
    let hook =
        JsonHook::at(READ, name, Arc::new(|event, _| Ok(says(event["text"].as_str().unwrap().into()))));
    hook.options(placed(placement, priority))
}

fn reads_async(name: &str, placement: Placement, priority: i32) -> JsonHook {
    let hook = JsonHook::at_async(
        READ,
        name,
        Arc::new(|event, _| Box::pin(async move { Ok(says(event["text"].as_str().unwrap().into())) })),
    );
    hook.options(placed(placement, priority))
}

fn folds(name: &str, to: &'static str, priority: i32) -> JsonHook {
    let outcome = JsonOutcome { fold: Some(json!(to)), ..JsonOutcome::default() };
    let hook = JsonHook::at(READ, name, Arc::new(move |_, _| Ok(outcome.clone())));
    hook.options(placed(Placement::Inline, priority))
}

fn builder(hooks: impl IntoIterator<Item = JsonHook>) -> RegistryBuilder {
    hooks.into_iter().fold(Registry::builder().linked(false), RegistryBuilder::register_json)
}

fn session(hooks: impl IntoIterator<Item = JsonHook>) -> Session {
    Session::builder(&Hooks::new(builder(hooks).build().unwrap()), "s").build()
}

fn told(session: &Session, count: &Counted) -> Fired<(Gate, Fold<String>)> {
    fire_now!(session, READ { text: "a", count })
}

fn texts<V: hookspec::point::Verdict>(fired: &Fired<V>) -> Vec<&str> {
    fired.messages().iter().map(|message| message.content.as_str()).collect()
}

#[test]
fn the_event_is_made_json_once_wherever_its_hooks_run() {
    use Placement::{Blocking, Inline};
    let session = session([
        reads("m.a", Inline, 9),
        reads_async("m.b", Inline, 8),
        reads("m.c", Blocking, 7),
        reads_async("m.d", Blocking, 6),
        reads("m.e", Inline, 5),
    ]);
    let count = Counted::default();
    assert_eq!(texts(&told(&session, &count)), ["a"; 5]);
    assert_eq!(count.times(), 1);
    assert_eq!(texts(&told(&session, &count)), ["a"; 5], "the next firing has its own");
    assert_eq!(count.times(), 2);
}

#[test]
fn hooks_beside_the_chain_read_the_same_one() {
    let hooks = [
        reads("m.a", Placement::Background, 0),
        reads_async("m.b", Placement::Background, 0),
        reads("m.c", Placement::Blocking, 0),
    ];
    let session = session(hooks);
    let count = Counted::default();
    let _ = told(&session, &count);
    assert!(session.drain_now(Duration::from_secs(60)).is_empty());
    assert_eq!(count.times(), 1);
}

#[test]
fn around_work_too_it_is_made_once_for_each_input() {
    let point = find_point("outside.work").unwrap();
    let reads = |name: &str, priority| {
        let hook =
            JsonHook::new(point, name, Arc::new(|event, _| Ok(says(event["text"].as_str().unwrap().into()))));
        hook.options(placed(Placement::Inline, priority))
    };
    let hooks = || [reads("m.a", 9), reads("m.b", 8), reads("m.d", 6), reads("m.e", 5)];
    let changes = Hook::around_now(WORK, "m.c", |_, _, next| next.with("b".to_owned()).run_now().map(Around));
    let work = |session: &Session, count: &Counted| {
        let wrapped = around_now!(session, WORK { text: "a", count }, |event| event.text.to_owned());
        let mut texts: Vec<_> = wrapped.messages().iter().map(|message| message.content.clone()).collect();
        texts.sort_unstable();
        (texts.concat(), wrapped.into_result().unwrap())
    };
    let count = Counted::default();
    assert_eq!(work(&session(hooks()), &count), ("aaaa".to_owned(), "a".to_owned()));
    assert_eq!(count.times(), 1);
    let built = builder(hooks()).register(changes.priority(7)).build().unwrap();
    let session = Session::builder(&Hooks::new(built), "s").build();
    assert_eq!(work(&session, &count), ("aabb".to_owned(), "b".to_owned()));
    assert_eq!(count.times(), 3);
}

#[test]
fn a_hook_that_changes_the_event_makes_the_next_see_it_afresh() {
    let session = session([
        reads("m.a", Placement::Inline, 9),
        folds("m.b", "b", 8),
        reads("m.c", Placement::Inline, 7),
        reads_async("m.d", Placement::Blocking, 6),
        folds("m.e", "e", 5),
        reads("m.f", Placement::Inline, 4),
    ]);
    let count = Counted::default();
    let fired = told(&session, &count);
    assert_eq!(texts(&fired), ["a", "b", "b", "e"]);
    assert_eq!((count.times(), fired.value().map(String::as_str)), (3, Some("e")));
}

#[test]
fn nothing_is_made_json_where_no_hook_wants_it_so() {
    let off = reads("m.off", Placement::Inline, 9);
    let built = builder([off]).register(Hook::new(READ, "m.rust", |event, _| Message::system(event.text)));
    let session = Session::builder(&Hooks::new(built.build().unwrap()), "s").build();
    session.hooks().disable("m.off").unwrap();
    let count = Counted::default();
    assert_eq!((texts(&told(&session, &count)), count.times()), (vec!["a"], 0));
}

#[test]
fn an_event_that_is_no_json_is_told_of_by_each_hook_and_read_once() {
    let session = session([reads("m.a", Placement::Inline, 9), reads_async("m.b", Placement::Inline, 8)]);
    let count = Counted { broken: true, ..Counted::default() };
    let fired = told(&session, &count);
    let failures: Vec<_> = fired.failures().iter().map(ToString::to_string).collect();
    assert_eq!((failures.len(), count.times()), (2, 1));
    assert!(
        failures.iter().all(|text| text.contains("cannot be told as JSON: it is broken")),
        "{failures:?}"
    );
    assert!(fired.denied().is_some(), "a gate that fails denies");
}

/// What fails in each way that a hook from outside can, with how it is told.
type Way = (fn() -> BoxError, fn(&Cause) -> bool);

fn ways() -> [Way; 4] {
    [
        (|| Cause::Panic("it trapped".into()).into(), |cause| *cause == Cause::Panic("it trapped".into())),
        (
            || Cause::Timeout { limit: LATE, words: "was busy".into() }.into(),
            |cause| matches!(cause, Cause::Timeout { limit: LATE, words } if words == "was busy"),
        ),
        (|| Cause::Error("no".into()).into(), |cause| *cause == Cause::Error("no".into())),
        (|| "no".into(), |cause| *cause == Cause::Error("no".into())),
    ]
}

#[test]
fn a_failure_keeps_its_kind_wherever_the_hook_runs() {
    for (error, is_it) in ways() {
        for placement in [Placement::Inline, Placement::Blocking] {
            let now = JsonHook::at(READ, "m.now", Arc::new(move |_, _| Err(error())));
            let later =
                JsonHook::at_async(READ, "m.later", Arc::new(move |_, _| Box::pin(ready(Err(error())))));
            let session = session([now, later].map(|hook| hook.options(placed(placement, 0))));
            let fired = told(&session, &Counted::default());
            let causes: Vec<_> = fired.failures().iter().map(|failure| &failure.cause).collect();
            assert!(causes.len() == 2 && causes.iter().all(|cause| is_it(cause)), "{causes:?}");
        }
    }
    let late = Cause::Timeout { limit: Duration::from_secs(1), words: "was busy".into() };
    assert_eq!(late.to_string(), "overran its timeout of 1s; its last words: was busy");
}

#[test]
fn a_panic_is_a_panic_at_once_and_later() {
    let now = JsonHook::at(READ, "m.now", Arc::new(|_, _| panic!("boom")));
    let call = JsonHook::at_async(READ, "m.call", Arc::new(|_, _| panic!("boom")));
    let later = JsonHook::at_async(READ, "m.later", Arc::new(|_, _| Box::pin(async { panic!("boom") })));
    let fired = told(&session([now, call, later]), &Counted::default());
    let causes: Vec<_> = fired.failures().iter().map(|failure| failure.cause.clone()).collect();
    assert_eq!(
        causes,
        [Cause::Panic("boom".into()), Cause::Panic("boom".into()), Cause::Panic("boom".into())]
    );
}

#[test]
fn one_in_the_chain_is_cut_off_at_its_limit_if_it_is_async() {
    for placement in [Placement::Inline, Placement::Blocking] {
        let hangs = JsonHook::at_async(READ, "m.hangs", Arc::new(|_, _| Box::pin(pending::<JsonResult>())));
        let options = Options { placement, ..timeout(LATE) };
        let session = session([hangs.options(options), reads("m.next", Placement::Inline, -1)]);
        let fired = told(&session, &Counted::default());
        assert_eq!(fired.failures()[0].cause, Cause::Timeout { limit: LATE, words: String::new() });
        assert_eq!(texts(&fired), ["a"], "the next one runs");
        assert!(fired.denied().is_some(), "a gate that fails denies");
    }
}

#[test]
fn what_is_cut_off_is_dropped_before_the_chain_goes_on() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let hangs = JsonHook::at_async(
        READ,
        "m.hangs",
        Arc::new(move |event, session| {
            // No more than one of these at a time, and none afterwards.
            let held = Arc::downgrade(&held).upgrade();
            Box::pin(async move {
                let _held = (held, event, session);
                pending().await
            })
        }),
    );
    let session = session([hangs.options(timeout(LATE))]);
    let _ = told(&session, &Counted::default());
    assert_eq!(Arc::strong_count(&alive), 2, "ours, and the closure's");
}

#[test]
fn a_limit_that_cannot_be_kept_is_told_when_the_hook_is_registered() {
    let warned = |hook: JsonHook| {
        let registry = builder([hook]).build().unwrap();
        let is = |problem: &&Problem| matches!(problem, Problem::NeverCutOff { .. });
        registry.report().warnings.iter().find(is).map(ToString::to_string)
    };
    let limited = |placement| Options { placement, ..timeout(LATE) };
    let text = warned(reads("m.a", Placement::Inline, 0).options(limited(Placement::Inline))).unwrap();
    assert!(text.contains("`m.a` at `outside.read`") && text.contains("20ms"), "{text}");
    assert!(text.contains("make it async, or give it `Placement::Blocking`"), "{text}");
    for fits in [
        reads("m.a", Placement::Inline, 0).options(limited(Placement::Blocking)),
        reads("m.a", Placement::Inline, 0).options(limited(Placement::Background)),
        reads_async("m.a", Placement::Inline, 0).options(limited(Placement::Inline)),
        reads("m.a", Placement::Inline, 0),
        reads("m.a", Placement::Inline, 0).options(Options { timeout: Timeout::Never, ..Options::DEFAULT }),
    ] {
        assert_eq!(warned(fits), None);
    }
    let hooks = Hooks::new(builder([]).build().unwrap());
    hooks.register(Hook::new(READ, "m.late", |_, _| ()).options(limited(Placement::Inline))).unwrap();
    assert!(hooks.load().report().warnings.iter().any(|problem| problem.to_string().contains("`m.late`")));
}

#[test]
fn an_async_one_is_refused_where_nobody_waits() {
    let error = builder([reads_async("m.a", Placement::Inline, 0)]).sync_host().build().unwrap_err();
    assert!(matches!(error.problems[..], [Problem::AsyncInSyncHost { .. }]), "{error}");
    assert!(builder([reads("m.a", Placement::Inline, 0)]).sync_host().build().is_ok());
}

#[test]
fn what_it_is_called_is_made_at_run_time_and_lists_know_it() {
    let hook = |group: &str| {
        reads(&format!("{group}.read"), Placement::Inline, 0)
            .package(format!("{group}-component"))
            .module(format!("{group}::guest"))
            .docs(format!("What {group} says."))
    };
    let registry = builder([hook("one"), hook("two")]).allow(["two-component"]).build().unwrap();
    assert!(registry.hook("one.read").is_none());
    let info = registry.hook("two.read").unwrap();
    assert_eq!(
        (&*info.package, &*info.module, &*info.docs),
        ("two-component", "two::guest", "What two says.")
    );
    assert_eq!(registry.hooks_of_package("two-component").len(), 1);
    let row = serde_json::to_value(&*info).unwrap();
    assert_eq!((&row["package"], &row["module"]), (&json!("two-component"), &json!("two::guest")));
}

fn defaults(values: Value) -> Map<String, Value> {
    values.as_object().unwrap().clone()
}

fn greets(name: &str, values: Value) -> JsonHook {
    let hook = JsonHook::at(
        READ,
        name,
        Arc::new(|event, _| Ok(says(Value::from(event.settings().clone()).to_string()))),
    );
    hook.settings(defaults(values))
}

fn configured(hooks: impl IntoIterator<Item = JsonHook>, file: &str) -> RegistryBuilder {
    let mut config = Config::new();
    config.add_toml("hookspec.toml", file, &[]).unwrap();
    builder(hooks).config(config)
}

#[test]
fn settings_are_declared_read_shown_and_handed_to_the_hook() {
    let hooks = || [greets("g.a", json!({"word": "hello", "times": 2})), reads("g.b", Placement::Inline, -1)];
    let registry = configured(hooks(), "\n[hooks.g]\ntimes = 3").build().unwrap();
    let shown: Vec<_> = registry.settings_of("g").unwrap().iter().collect();
    let place = |key: &str| shown.iter().find(|row| row.key == key).unwrap().source.clone();
    assert_eq!((place("word"), place("times")), (None, Some("hookspec.toml:3".to_owned())));

    let live = Hooks::new(registry);
    let session = Session::builder(&live, "s").build();
    // Compared as JSON: in which order keys stand is decided by whoever else is in the build.
    let said = |session: &Session| {
        let fired = told(session, &Counted::default());
        let texts = texts(&fired);
        assert_eq!(texts[1..], ["a"]);
        serde_json::from_str::<Value>(texts[0]).unwrap()
    };
    assert_eq!(said(&session), json!({ "times": 3, "word": "hello" }));
    live.swap(configured(hooks(), "[hooks.g]\nword = 'bye'").build().unwrap());
    assert_eq!(said(&session), json!({ "times": 2, "word": "bye" }), "as those of other hooks after a swap");
}

#[test]
fn a_hook_without_settings_has_none_and_a_table_for_it_is_an_error() {
    let empty = JsonHook::at(READ, "g.a", Arc::new(|event, _| Ok(says(event.settings().len().to_string()))));
    assert_eq!(texts(&told(&session([empty.clone()]), &Counted::default())), ["0"]);
    let error = configured([empty], "[hooks.g]\ntimes = 3").build().unwrap_err();
    assert!(matches!(error.problems[..], [Problem::UnusedSettings { .. }]), "{error}");
}

#[test]
fn settings_that_are_wrong_are_errors_before_anything_runs() {
    for (file, what) in [
        ("[hooks.g]\ntime = 3", "unknown key `time` (did you mean `times`?); it takes times"),
        ("[hooks.g]\ntimes = 'x'", "`times` is a text, and should be a whole number, as its default 2 is"),
    ] {
        let error = configured([greets("g.a", json!({"times": 2}))], file).build().unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("[hooks.g]"), "{error}");
    }
    let two = [greets("g.a", json!({"times": 2})), greets("g.b", json!({"times": 3}))];
    let error = configured(two, "").build().unwrap_err().to_string();
    assert!(error.contains("`times` has two defaults"), "{error}");
    let barred = greets("g.a", json!({"times": 2})).barred("not yet");
    assert!(configured([barred], "[hooks.g]\ntime = 3").build().is_err(), "also of hooks that are off");
}

#[test]
fn hooks_of_a_group_see_what_all_of_it_declare() {
    let two = [greets("g.a", json!({"a": 1})), greets("g.b", json!({"b": 2}))];
    let registry = configured(two, "[hooks.g]\nb = 5").build().unwrap();
    let session = Session::builder(&Hooks::new(registry), "s").build();
    assert_eq!(texts(&told(&session, &Counted::default())), [r#"{"a":1,"b":5}"#; 2]);
}

#[test]
fn a_key_enabled_switches_it() {
    let hook = || greets("g.a", json!({"enabled": false}));
    let row = |file: &str| configured([hook()], file).build().unwrap().list().remove(0);
    let (off, on) = (row(""), row("[hooks.g]\nenabled = true"));
    assert_eq!((off.on, off.why.as_str()), (false, "off unless `enabled = true` in [hooks.g]"));
    assert!(on.on && on.why.contains("enabled in hookspec.toml:2"), "{}", on.why);
}

#[test]
fn an_event_is_had_by_value_and_the_next_hook_has_its_own() {
    let takes = JsonHook::at(
        READ,
        "m.takes",
        Arc::new(|event, _| {
            let mut value = event.clone().into_value();
            value["text"] = json!("changed");
            Ok(says(value["text"].to_string()))
        }),
    );
    let session =
        session([takes.options(placed(Placement::Inline, 1)), reads("m.next", Placement::Inline, 0)]);
    assert_eq!(texts(&told(&session, &Counted::default())), ["\"changed\"", "a"]);
}

#[test]
fn a_firing_that_waits_nowhere_is_ready_at_once() {
    let session = session([reads_async("m.a", Placement::Inline, 0)]);
    let count = Counted::default();
    let mut firing = std::pin::pin!(fire!(session, READ { text: "a", count: &count }));
    let polled = firing.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(fired) if texts(&fired) == ["a"]));
}

#[test]
fn a_conversation_is_read_on_from_a_place_and_afresh_where_that_is_gone() {
    let session = session([]);
    let texts =
        |part: &LogPart| part.messages.iter().map(|message| message.content.clone()).collect::<Vec<_>>();
    let empty = session.log_since(LogPlace::default());
    assert_eq!((texts(&empty).len(), empty.place, empty.afresh), (0, LogPlace::default(), false));
    for text in ["one", "two"] {
        session.append(Message::user(text)).unwrap();
    }
    let two = session.log_since(empty.place);
    assert_eq!((texts(&two), two.afresh), (vec!["one".to_owned(), "two".to_owned()], false));
    session.append(Message::user("three")).unwrap();

    // Kept outside as JSON.
    let kept = serde_json::to_string(&two.place).unwrap();
    let three = session.log_since(serde_json::from_str(&kept).unwrap());
    let told = serde_json::to_value(&three).unwrap();
    assert_eq!((&told["messages"][0]["content"], &told["afresh"]), (&json!("three"), &json!(false)));
    assert_eq!(told["place"], serde_json::to_value(three.place).unwrap());
    assert!(session.log_since(three.place).messages.is_empty());

    // As long as the one before, and another.
    session.replace_log(["a", "b", "c", "d"].into_iter().map(Message::user).collect());
    let other = session.log_since(three.place);
    assert_eq!((texts(&other).join(" "), other.afresh), ("a b c d".to_owned(), true));
    assert_eq!(
        (session.log_since(other.place).messages.len(), session.log_since(other.place).afresh),
        (0, false)
    );
    let beginning = session.log_since(LogPlace::default());
    assert_eq!((beginning.messages.len(), beginning.afresh), (4, false));
    // A place that never was.
    let ahead: LogPlace = serde_json::from_value(json!({"index": 99, "rewritten": 1})).unwrap();
    assert!(session.log_since(ahead).afresh);
    assert!(serde_json::from_value::<LogPlace>(json!({"index": 1, "rewritten": 0, "more": 1})).is_err());
}
