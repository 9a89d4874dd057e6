//! Cases at random, and what makes sense of them.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use crate::case::{
    Act, At, Broken, Case, Change, Desc, How, Kind, Limit, Mark, Only, Payload, Place, State, Step,
};
use crate::order::order;

/// Which parts of the whole a property is about.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub kinds: &'static [Kind],
    pub places: &'static [Place],
    /// Panics, errors, hangs.
    pub fails: bool,
    /// Firing points from hooks.
    pub nested: bool,
    /// `once`, `quarantine`, switches, other registries.
    pub changes: bool,
    /// `before`, `after`, filters, shadow.
    pub rules: bool,
}

pub const PLAIN: &[Kind] = &[Kind::Fn, Kind::Fn, Kind::Closure, Kind::Json, Kind::Macro(State::None)];
/// Those that the fast loop takes, if all are of them.
pub const FAST: &[Kind] =
    &[Kind::Fn, Kind::Fn, Kind::Macro(State::None), Kind::Macro(State::A), Kind::Macro(State::B)];
pub const ASYNC: &[Kind] =
    &[Kind::Fn, Kind::Async, Kind::Async, Kind::MacroAsync(State::None), Kind::Closure, Kind::JsonAsync];
pub const STATES: &[Kind] = &[
    Kind::Macro(State::A),
    Kind::MacroAsync(State::A),
    Kind::Macro(State::A),
    Kind::Macro(State::B),
    Kind::MacroAsync(State::B),
    Kind::Macro(State::Misfit),
    Kind::Macro(State::BadDefault),
    Kind::MacroAsync(State::BadDefault),
    Kind::Macro(State::BadRead),
    Kind::Macro(State::Settings),
    Kind::MacroAsync(State::Settings),
];
pub const KINDS: &[Kind] = &[
    Kind::Fn,
    Kind::Closure,
    Kind::Json,
    Kind::JsonAsync,
    Kind::Async,
    Kind::Macro(State::None),
    Kind::MacroAsync(State::None),
    Kind::Macro(State::A),
    Kind::MacroAsync(State::A),
    Kind::Macro(State::B),
    Kind::MacroAsync(State::Misfit),
    Kind::Macro(State::BadDefault),
    Kind::MacroAsync(State::BadRead),
    Kind::MacroAsync(State::Settings),
];
pub const INLINE: &[Place] = &[Place::Inline];
pub const PLACES: &[Place] = &[Place::Inline, Place::Blocking, Place::Background];

fn at() -> impl Strategy<Value = At> {
    select(&At::ALL)
}

fn step(parts: Parts) -> impl Strategy<Value = Step> {
    let payload = || select(&[Payload::Text, Payload::Owned, Payload::Bomb]);
    let broken = select(&[Broken::Not, Broken::Elsewhere, Broken::Display, Broken::Drop]);
    let fails = u32::from(parts.fails);
    some_of(vec![
        (6, Just(Step::Say).boxed()),
        (3, Just(Step::Count).boxed()),
        (3, Just(Step::Wait).boxed()),
        (4, any::<u8>().prop_map(Step::Answer).boxed()),
        (1, Just(Step::Stop).boxed()),
        (1, Just(Step::End).boxed()),
        (fails, broken.prop_map(Step::Err).boxed()),
        (fails, payload().prop_map(Step::Panic).boxed()),
        (fails, payload().prop_map(Step::PanicLate).boxed()),
        (fails, Just(Step::Hang).boxed()),
        (2 * u32::from(parts.nested), at().prop_map(Step::Fire).boxed()),
        (2 * u32::from(parts.changes), change().prop_map(Step::Change).boxed()),
    ])
}

/// One of those that have a weight.
fn some_of<T: std::fmt::Debug + 'static>(mut all: Vec<(u32, BoxedStrategy<T>)>) -> Union<BoxedStrategy<T>> {
    all.retain(|(weight, _)| *weight > 0);
    Union::new_weighted(all)
}

fn change() -> impl Strategy<Value = Change> {
    let name = || 0..6usize;
    prop_oneof![
        2 => name().prop_map(Change::Disable),
        2 => name().prop_map(Change::Enable),
        1 => name().prop_map(Change::Off),
        1 => name().prop_map(Change::On),
        1 => name().prop_map(Change::Unregister),
        1 => (0..2usize).prop_map(Change::Replace),
        1 => (0..2usize).prop_map(Change::Register),
        1 => name().prop_map(Change::Swap),
    ]
}

fn desc(parts: Parts) -> impl Strategy<Value = Desc> {
    let options =
        (-2..3i32, 0..10u8, any::<bool>(), option::weighted(0.3, 1..3u32), prop::bool::weighted(0.1));
    let limits = select(&[Limit::Host, Limit::Never, Limit::Long, Limit::Forever]);
    let fails = prop_oneof![Just(1u32), Just(2), Just(u32::MAX)];
    // What the linker gathers is not there under Miri.
    let linked = |kind: &Kind| matches!(kind, Kind::Macro(_) | Kind::MacroAsync(_));
    let kinds: Vec<Kind> = parts.kinds.iter().copied().filter(|kind| !cfg!(miri) || !linked(kind)).collect();
    let how = (at(), select(kinds), select(parts.places), vec(step(parts), 0..5));
    let name = 0..6usize;
    let only = select(&[Only::Fired, Only::Nested, Only::Folded, Only::NestedOrOnes, Only::Nowhere]);
    let rules = (option::weighted(0.3, mark()), option::weighted(0.2, mark()), option::weighted(0.3, only));
    (how, options, limits, fails, option::weighted(0.4, any::<bool>()), 0..12u8, name, rules).prop_map(
        move |(how, options, limit, fails, on_error, drops, name, (before, after, only))| {
            let (at, kind, place, steps) = how;
            let (priority, once, fail_open, quarantine, budget) = options;
            Desc {
                uid: 0,
                name,
                at,
                kind,
                place,
                priority,
                before: before.filter(|_| parts.rules),
                after: after.filter(|_| parts.rules),
                only: only.filter(|_| parts.rules),
                once: once < 2 && parts.changes,
                fail_open,
                quarantine: quarantine.filter(|_| parts.changes),
                limit,
                budget,
                on_error,
                steps,
                fails,
                drop_panics: drops == 11 && parts.fails,
            }
        },
    )
}

fn mark() -> impl Strategy<Value = Mark> {
    prop_oneof![5 => (0..6usize).prop_map(Mark::Name), 1 => Just(Mark::All)]
}

fn act(parts: Parts) -> impl Strategy<Value = Act> {
    let how = select(&[How::Fire, How::FireNow, How::Kept, How::KeptNow, How::Live, How::LiveNow]);
    some_of(vec![
        (6, (at(), how).prop_map(|(at, how)| Act::Fire(at, how)).boxed()),
        (2 * u32::from(parts.changes), change().prop_map(Act::Change).boxed()),
    ])
}

pub fn cases(parts: Parts) -> impl Strategy<Value = Case> {
    let spares = if parts.changes { 0..3usize } else { 0..1 };
    // Two points a case, so that hooks meet.
    let points = (at(), at());
    let shadow = vec(0..10usize, if parts.rules { 0..4usize } else { 0..1 });
    (points, vec(desc(parts), 1..6), vec(desc(parts), spares), vec(act(parts), 1..6), shadow).prop_map(
        |((one, other), mut start, mut spares, mut acts, shadow)| {
            let to = |at: &mut At| *at = if (*at as usize).is_multiple_of(2) { one } else { other };
            for hook in start.iter_mut().chain(&mut spares) {
                to(&mut hook.at);
                hook.steps.iter_mut().for_each(|step| {
                    if let Step::Fire(at) = step {
                        to(at);
                    }
                });
            }
            acts.iter_mut().for_each(|act| {
                if let Act::Fire(at, _) = act {
                    to(at);
                }
            });
            Case { shadow, ..sensible(start, spares, acts) }
        },
    )
}

/// Makes a case of which the outcome is certain: numbers and names are given, what cannot be is left out.
fn sensible(start: Vec<Desc>, mut spares: Vec<Desc>, acts: Vec<Act>) -> Case {
    let mut hooks = start;
    for (number, hook) in hooks.iter_mut().enumerate() {
        let twin = hook.name < number && hook.place != Place::Background;
        hook.name = if twin { hook.name } else { number };
    }
    for number in 1..hooks.len() {
        let (before, [hook, ..]) = hooks.split_at_mut(number) else { continue };
        let clashes = |other: &Desc| {
            other.name == hook.name && (other.at == hook.at || other.place == Place::Background)
        };
        if before.iter().any(clashes) {
            hook.name = number;
        }
    }
    straighten(&mut hooks);
    for (number, spare) in spares.iter_mut().enumerate() {
        let target = hooks.iter().find(|hook| hook.name == spare.name && hook.place != Place::Background);
        match target {
            Some(target) => (spare.name, spare.at) = (target.name, target.at),
            None => spare.name = 8 + number,
        }
        // JSON hooks come with a registry only.
        spare.kind = match spare.kind {
            Kind::Json => Kind::Closure,
            Kind::JsonAsync => Kind::Async,
            other => other,
        };
        spare.place = if spare.place == Place::Background { Place::Inline } else { spare.place };
    }
    let count = spares.len();
    hooks.append(&mut spares);
    let nested = hooks.iter().any(|hook| hook.steps.iter().any(|step| matches!(step, Step::Fire(_))));
    let beside: Vec<usize> =
        hooks.iter().filter(|hook| hook.place == Place::Background).map(|hook| hook.name).collect();
    let (mut linked, mut used) = (BTreeSet::new(), BTreeSet::new());
    for (number, hook) in hooks.iter_mut().enumerate() {
        hook.uid = number;
        possible(hook, nested);
        let state = hook.kind.state();
        let shared = matches!(state, State::A | State::B | State::Misfit);
        let alone = hook.place == Place::Background || used.contains(&(state, true));
        if matches!(hook.kind, Kind::Macro(_) | Kind::MacroAsync(_)) {
            let taken = !linked.insert((hook.at, format!("{:?}", hook.kind)));
            if taken || (shared && alone && used.iter().any(|(other, _)| *other == state)) {
                hook.kind = if hook.kind.is_async() { Kind::Async } else { Kind::Fn };
            } else {
                used.insert((state, hook.place == Place::Background));
            }
        }
        hook.steps.iter_mut().for_each(|step| {
            if let Step::Change(change) = step {
                *change = allowed(*change, count);
            }
        });
        // A run beside the chain may be over before its hook is switched, or after.
        hook.steps.retain(|step| match step {
            Step::Change(Change::Disable(name) | Change::Enable(name) | Change::Unregister(name)) => {
                !beside.contains(name)
            }
            _ => true,
        });
    }
    let acts = acts.into_iter().map(|act| match act {
        Act::Change(change) => Act::Change(allowed(change, count)),
        fire => fire,
    });
    Case { acts: acts.collect(), hooks, spares: count, shadow: Vec::new() }
}

/// No registry is built of hooks whose order goes round: those that close a circle say nothing of it.
fn straighten(hooks: &mut [Desc]) {
    hooks.iter_mut().enumerate().for_each(|(number, hook)| hook.uid = number);
    let goes_round = |hooks: &[Desc], at| {
        let there: Vec<Desc> = hooks.iter().filter(|hook| hook.at == at).cloned().collect();
        order(&there, |hook| hook).is_none()
    };
    for at in At::ALL {
        let mut number = 0;
        while goes_round(hooks, at) {
            (hooks[number].before, hooks[number].after) = (None, None);
            number += 1;
        }
    }
}

fn allowed(change: Change, spares: usize) -> Change {
    match change {
        Change::Replace(spare) | Change::Register(spare) if spare >= spares => Change::Enable(0),
        change => change,
    }
}

fn possible(hook: &mut Desc, nested: bool) {
    if hook.kind.is_async() && hook.place == Place::Blocking {
        hook.place = Place::Inline;
    }
    let beside = hook.place == Place::Background;
    if beside {
        hook.steps.retain(|step| {
            !matches!(step, Step::Fire(_) | Step::Change(_) | Step::Answer(_) | Step::Stop | Step::End)
        });
        if nested {
            // A second run may be queued before the first is over: what that one leaves behind comes too late.
            (hook.once, hook.quarantine) = (false, None);
        }
    }
    if hook.kind.is_json() {
        (hook.drop_panics, hook.on_error) = (false, None);
        for step in &mut hook.steps {
            if let Step::PanicLate(payload) = *step {
                *step = Step::Panic(payload);
            }
        }
    }
    // A second error would let the first go, which is then the hook's own affair.
    let mut errors = 0;
    hook.steps.retain(|step| {
        errors += usize::from(matches!(step, Step::Err(_)));
        !matches!(step, Step::Err(_)) || errors == 1
    });
    let sync_inline = hook.place == Place::Inline && !hook.kind.is_async();
    let hangs = !sync_inline && hook.kind.state() == State::None && !hook.drop_panics;
    if let Some(at) = hook.steps.iter().position(|step| *step == Step::Hang) {
        if hangs {
            // Its time may be over before it begins, or between two of its steps.
            hook.limit = Limit::Short;
            hook.fails = u32::MAX;
            hook.steps.truncate(at + 1);
            let before = if hook.place == Place::Inline { at } else { 0 };
            let mut number = 0;
            hook.steps.retain(|step| {
                number += 1;
                *step == Step::Hang || (number <= before && matches!(step, Step::Say | Step::Answer(_)))
            });
        } else {
            hook.steps.retain(|step| *step != Step::Hang);
        }
    }
}
