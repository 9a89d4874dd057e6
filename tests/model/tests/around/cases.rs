//! Cases at random, and what makes sense of them.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use crate::case::{Act, Case, Desc, How, Kind, Step, Work};

/// Which parts of the whole a property is about.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub kinds: &'static [Kind],
    /// Panics, errors, hangs.
    pub fails: bool,
    /// `once`, `quarantine`, switches.
    pub changes: bool,
}

pub const CLOSURES: &[Kind] = &[Kind::Wrap, Kind::Wrap, Kind::Now, Kind::Closure, Kind::Async];
pub const ASYNC: &[Kind] = &[Kind::Wrap];
pub const LINKED: &[Kind] = &[Kind::Macro, Kind::MacroAsync, Kind::Keeps, Kind::KeepsAsync, Kind::Wrap];
pub const ALL: &[Kind] = &[
    Kind::Closure,
    Kind::Async,
    Kind::Now,
    Kind::Wrap,
    Kind::Macro,
    Kind::MacroAsync,
    Kind::Keeps,
    Kind::KeepsAsync,
];

fn some_of<T: std::fmt::Debug + 'static>(mut all: Vec<(u32, BoxedStrategy<T>)>) -> Union<BoxedStrategy<T>> {
    all.retain(|(weight, _)| *weight > 0);
    Union::new_weighted(all)
}

fn step(parts: Parts) -> impl Strategy<Value = Step> {
    let fails = u32::from(parts.fails);
    some_of(vec![
        (3, Just(Step::Say).boxed()),
        (3, Just(Step::Wait).boxed()),
        (8, Just(Step::Next).boxed()),
        (3, (0..9u8).prop_map(Step::With).boxed()),
        (2, Just(Step::Cut).boxed()),
        (3, Just(Step::Begin).boxed()),
        (3, (0..9u8).prop_map(Step::Answer).boxed()),
        (1, Just(Step::Stop).boxed()),
        (1, Just(Step::End).boxed()),
        (fails, Just(Step::Err).boxed()),
        (3 * fails, Just(Step::Panic).boxed()),
        (fails, Just(Step::PanicLate).boxed()),
        (fails, Just(Step::Hang).boxed()),
    ])
}

fn desc(parts: Parts) -> impl Strategy<Value = Desc> {
    let kinds: Vec<Kind> =
        parts.kinds.iter().copied().filter(|kind| !cfg!(miri) || !kind.is_linked()).collect();
    let fails = prop_oneof![Just(1u32), Just(2), Just(u32::MAX)];
    (select(kinds), -2..3i32, 0..10u8, option::weighted(0.3, 1..3u32), vec(step(parts), 0..5), fails, 0..12u8)
        .prop_map(move |(kind, priority, once, quarantine, steps, fails, drops)| Desc {
            uid: 0,
            kind,
            priority,
            once: once < 2 && parts.changes,
            quarantine: quarantine.filter(|_| parts.changes),
            steps,
            fails,
            drop_panics: drops == 11 && parts.fails,
        })
}

fn act(parts: Parts) -> impl Strategy<Value = Act> {
    let how = select(&[How::Around, How::Around, How::Now, How::Handle, How::HandleNow, How::Dropped]);
    let panics = option::weighted(0.15, (0..3u32, any::<bool>()));
    let work = (0..3u8, panics)
        .prop_map(move |(waits, panics)| Work { waits, panics: panics.filter(|_| parts.fails) });
    let changes = u32::from(parts.changes);
    some_of(vec![
        (8, (how, work).prop_map(|(how, work)| Act::Around(how, work)).boxed()),
        (changes, (0..5usize).prop_map(Act::Disable).boxed()),
        (changes, (0..5usize).prop_map(Act::Enable).boxed()),
        (changes, (0..5usize).prop_map(Act::Off).boxed()),
        (changes, (0..5usize).prop_map(Act::On).boxed()),
    ])
}

pub fn cases(parts: Parts) -> impl Strategy<Value = Case> {
    (vec(desc(parts), 1..5), vec(act(parts), 1..5)).prop_map(|(hooks, acts)| sensible(hooks, acts))
}

/// Makes a case of which the outcome is certain.
fn sensible(mut hooks: Vec<Desc>, mut acts: Vec<Act>) -> Case {
    let mut linked = BTreeSet::new();
    for (uid, hook) in hooks.iter_mut().enumerate() {
        hook.uid = uid;
        if hook.kind.is_linked() && !linked.insert(hook.kind) {
            hook.kind = if hook.kind.is_async() { Kind::Wrap } else { Kind::Now };
        }
        // A second error would let the first go, which is then the hook's own affair.
        let mut errors = 0;
        hook.steps.retain(|step| {
            errors += usize::from(*step == Step::Err);
            *step != Step::Err || errors == 1
        });
        if !hook.kind.is_async() {
            hook.steps.retain(|step| *step != Step::Hang);
        }
    }
    if hooks.iter().any(|hook| hook.steps.contains(&Step::Hang)) {
        // A hook's millisecond may be over before it is asked for: nobody looks whether it is ready at once.
        for hook in &mut hooks {
            hook.kind = match hook.kind {
                Kind::Now | Kind::Macro | Kind::Keeps => Kind::Wrap,
                kind => kind,
            };
            let hangs = hook.steps.contains(&Step::Hang);
            hook.steps
                .retain(|step| !(matches!(step, Step::Cut | Step::Begin) || hangs && *step == Step::Wait));
        }
        for act in &mut acts {
            if let Act::Around(how @ How::Dropped, _) = act {
                *how = How::Around;
            }
        }
    }
    let count = hooks.len();
    acts.retain(|act| match act {
        Act::Disable(uid) | Act::Enable(uid) | Act::Off(uid) | Act::On(uid) => *uid < count,
        Act::Around(..) => true,
    });
    Case { hooks, acts }
}
