//! From a case to a registry and a session.

use std::any::type_name;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hookspec::hooks::{Call, Failure, JsonHook, Placement, Timeout};
use hookspec::registry::RegistryBuilder;
use hookspec::{Hook, Hooks, Options, Registry, Session};

use crate::case::{Case, Change, Desc, Kind, Limit, Mark, Only, Place};
use crate::hooks;
use crate::linked;
use crate::points::{Face, at_point};
use crate::seen;
use crate::world::{World, lock, world};

/// As the names are written out, for lists that are there for ever.
fn marked(mark: Option<Mark>) -> &'static [&'static str] {
    const NAMES: [&str; 6] = ["m.h0", "m.h1", "m.h2", "m.h3", "m.h4", "m.h5"];
    match mark {
        None => &[],
        Some(Mark::Name(name)) => &NAMES[name..=name],
        Some(Mark::All) => &["m"],
    }
}

fn options(desc: &Desc) -> Options {
    Options {
        priority: desc.priority,
        before: marked(desc.before),
        after: marked(desc.after),
        paths: match desc.only {
            None => &[],
            Some(Only::Fired) => &["t*"],
            Some(Only::Nested) => &["h*"],
            Some(Only::Folded) => &["*+*"],
            Some(Only::NestedOrOnes) => &["h*", "./*1*"],
            Some(Only::Nowhere) => &["no/where/*"],
        },
        once: desc.once,
        placement: match desc.place {
            Place::Inline => Placement::Inline,
            Place::Blocking => Placement::Blocking,
            Place::Background => Placement::Background,
        },
        timeout: match desc.limit {
            Limit::Host => Timeout::Host,
            Limit::Never => Timeout::Never,
            Limit::Long => Timeout::After(Duration::from_secs(600)),
            Limit::Forever => Timeout::After(Duration::MAX),
            Limit::Short => Timeout::After(Duration::from_millis(1)),
        },
        budget: desc.budget.then_some(Duration::MAX),
        fail_open: desc.fail_open,
        quarantine: desc.quarantine,
        ..Options::DEFAULT
    }
}

fn told(failure: &Failure, session: &Session) {
    let told = (failure.hook.clone(), seen::cause(&failure.cause));
    lock(&world(session).told).push(told);
}

fn told_and_panics(failure: &Failure, session: &Session) {
    told(failure, session);
    panic!("model: handler");
}

/// Calls a function that is generic over a number with one that is known only now.
macro_rules! numbered {
    ($uid:expr, $call:ident, $function:ident::<$P:ident>, [$($number:literal)*]) => {
        match $uid {
            $($number => Call::$call(hooks::$function::<$P, $number>),)*
            other => unreachable!("more hooks than there are functions: {other}"),
        }
    };
}

fn hook<P: Face>(desc: &Desc) -> Hook<P> {
    let call: Call<P> = match desc.kind {
        Kind::Closure | Kind::Json | Kind::JsonAsync => {
            return with(P::closure(desc.full_name(), desc.uid), desc);
        }
        Kind::Fn => numbered!(desc.uid, Sync, by_hand::<P>, [0 1 2 3 4 5 6 7]),
        Kind::Async => numbered!(desc.uid, Async, by_hand_async::<P>, [0 1 2 3 4 5 6 7]),
        Kind::Macro(state) => P::linked_call(&format!("{state:?}").to_lowercase()).unwrap(),
        Kind::MacroAsync(state) => P::linked_call(&format!("{state:?}_async").to_lowercase()).unwrap(),
    };
    with(Hook::from_call(desc.full_name(), call), desc)
}

fn with<P: Face>(hook: Hook<P>, desc: &Desc) -> Hook<P> {
    let hook = hook.options(options(desc));
    match desc.on_error {
        None => hook,
        Some(false) => hook.on_error(told),
        Some(true) => hook.on_error(told_and_panics),
    }
}

fn register(builder: RegistryBuilder, desc: &Desc) -> RegistryBuilder {
    at_point!(desc.at, P => {
        if desc.kind.is_json() {
            let (uid, name, point) = (desc.uid, desc.full_name(), P::POINT);
            let hook = if desc.kind.is_async() {
                JsonHook::at_async(point, name, Arc::new(move |event, session| {
                    Box::pin(hooks::as_json_async(session, uid, event))
                }))
            } else {
                JsonHook::at(point, name, Arc::new(move |event, session| {
                    hooks::as_json(session, uid, event["path"].as_str().unwrap_or_default())
                }))
            };
            builder.register_json(hook.options(options(desc)))
        } else {
            builder.register(hook::<P>(desc))
        }
    })
}

/// Makes a change; one that is refused is as good as none.
pub fn apply(world: &World, session: &Session, change: Change) {
    let (hooks, name) = (session.hooks(), |name: usize| format!("m.h{name}"));
    let spare = |number| world.case.spare(number);
    match change {
        Change::Disable(number) => drop(hooks.disable(&name(number))),
        Change::Enable(number) => drop(hooks.enable(&name(number))),
        Change::Off(number) => _ = session.set_hook_enabled(&name(number), false),
        Change::On(number) => _ = session.set_hook_enabled(&name(number), true),
        Change::Swap(number) => hooks.swap(registry(&world.case, Some(number))),
        Change::Unregister(number) => drop(hooks.unregister(&name(number))),
        Change::Register(number) => {
            at_point!(spare(number).at, P => drop(hooks.register(hook::<P>(spare(number)))));
        }
        Change::Replace(number) => {
            at_point!(spare(number).at, P => drop(hooks.replace(hook::<P>(spare(number)))));
        }
    }
}

/// The registry of the start, without the hooks of one name.
fn registry(case: &Case, without: Option<usize>) -> Registry {
    let start = case.start().filter(|desc| Some(desc.name) != without);
    // Some of the names are nobody's, or the hooks' that come later.
    let shadow = case.shadow.iter().map(|name| format!("m.h{name}"));
    let builder = Registry::builder().linked(false).elsewhere(["m"]).shadow(shadow);
    start.fold(builder, register).build().unwrap()
}

/// States as an earlier run of the program kept them: one that fits no more, and one on which reading panics.
pub fn saved() -> BTreeMap<String, serde_json::Value> {
    let keys = [type_name::<linked::Misfit>(), type_name::<linked::BadRead>()];
    let last = |key: &str| key.rsplit("::").next().map(|last| format!("linked.{last}"));
    let all = keys.iter().flat_map(|key| [Some((*key).to_owned()), last(key)]).flatten();
    all.map(|key| (key, serde_json::Value::from("seven"))).collect()
}

pub fn hooks(case: &Case, spawn: Arc<dyn hookspec::spawn::Spawn>) -> Hooks {
    Hooks::with_spawn(registry(case, None), spawn)
}
