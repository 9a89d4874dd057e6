//! From a description to a real hook, and the work that it wraps.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use hookspec::hooks::{BoxError, BoxFuture, Call, Entry, IntoOutcome, Outcome, Timeout};
use hookspec::{Around, Flow, Fold, Hook, Message, Options, Session, hook, hook_point};
use serde::{Deserialize, Serialize};

use crate::case::{Case, Desc, Kind, Step, Work};

hook_point! {
    /// Work.
    pub WRAP("model.around") -> Around<String> {
        /// The input.
        #[fold]
        text: &str,
    }
}

pub type Verdict = (Around<String>, Fold<String>);

/// What hooks of a case share, lent to them by the session.
#[derive(Default)]
pub struct World {
    pub case: Case,
    runs: Mutex<Vec<u32>>,
    pub work: Mutex<Vec<String>>,
    pub cut: Mutex<usize>,
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn world(session: &Session) -> Arc<World> {
    session.extension().unwrap()
}

impl World {
    pub fn of(case: Case) -> Arc<Self> {
        let runs = Mutex::new(vec![0; case.hooks.len()]);
        Arc::new(Self { case, runs, ..Self::default() })
    }

    fn begin(&self, uid: usize) -> (Vec<Step>, Bomb) {
        let nth = {
            let mut runs = lock(&self.runs);
            runs[uid] += 1;
            runs[uid] - 1
        };
        let desc = &self.case.hooks[uid];
        (desc.script(nth), Bomb(desc.drops_badly(nth)))
    }

    fn linked(&self, kind: Kind) -> usize {
        self.case.hooks.iter().find(|desc| desc.kind == kind).unwrap().uid
    }
}

/// Panics when dropped, if it is a live one.
struct Bomb(bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0 && !std::thread::panicking() {
            panic!("model: drop");
        }
    }
}

enum Item {
    Message(String),
    Answer(String),
    Flow(Flow),
    Error,
    Panic,
}

/// What a hook returns: all that it said.
pub struct Returned(Vec<Item>, #[allow(dead_code)] Bomb);

impl IntoOutcome<Verdict> for Returned {
    fn into_outcome(self, out: &mut Outcome<Verdict>) {
        for item in self.0 {
            match item {
                Item::Message(text) => Message::system(text).into_outcome(out),
                Item::Answer(text) => Around(text).into_outcome(out),
                Item::Flow(flow) => flow.into_outcome(out),
                Item::Error => out.fail(BoxError::from("model: error")),
                Item::Panic => panic!("model: late"),
            }
        }
    }
}

type Next<'a> = WRAP::Next<'a>;

/// What a step says; what it does beside is its caller's.
fn say(step: Step, text: &str, seen: Option<&String>) -> Option<Item> {
    Some(match step {
        Step::Say => Item::Message(format!("{text}: {}", seen.map_or("nothing", String::as_str))),
        Step::Answer(number) => Item::Answer(format!("{}={number}", seen.map_or("", String::as_str))),
        Step::Stop => Item::Flow(Flow::Stop),
        Step::End => Item::Flow(Flow::end_session("end")),
        Step::Err => Item::Error,
        Step::PanicLate => Item::Panic,
        Step::Panic => panic!("model: panic"),
        _ => return None,
    })
}

fn input(step: Step, text: &str) -> Option<String> {
    if let Step::With(number) = step { Some(format!("{text}+{number}")) } else { None }
}

/// A hook that is a plain function.
fn plainly(session: &Session, uid: usize, text: &str, next: Option<Next<'_>>) -> Returned {
    let (steps, bomb) = world(session).begin(uid);
    let mut next = Runs::of(next, &steps);
    let (mut seen, mut items, mut waits) = (None, Vec::new(), false);
    for step in steps {
        if step.is_next() && !waits {
            let ran = match (&mut next, input(step, text)) {
                (Runs::None, _) => continue,
                (Runs::Once(next), None) => next.take().map(Next::run_now),
                (Runs::Once(next), Some(input)) => next.take().map(|next| next.with(input).run_now()),
                (Runs::Again(next), None) => Some(next.run_now()),
                (Runs::Again(next), Some(input)) => Some(next.run_now_with(input)),
            };
            match ran {
                Some(Ok(value)) => seen = Some(value),
                Some(Err(_)) => waits = true,
                None => {}
            }
        }
        items.extend(say(step, text, seen.as_ref()));
        if step == Step::PanicLate {
            break;
        }
    }
    Returned(items, bomb)
}

/// Either way to the rest: that of who runs it once, and that of who asks for more.
enum Runs<'a> {
    None,
    Once(Option<Next<'a>>),
    Again(hookspec::hooks::Repeatable<'a, Verdict>),
}

impl<'a> Runs<'a> {
    fn of(next: Option<Next<'a>>, steps: &[Step]) -> Self {
        match next {
            None => Runs::None,
            Some(next) if steps.iter().filter(|step| step.is_next()).count() == 1 => Runs::Once(Some(next)),
            Some(next) => Runs::Again(next.repeatable()),
        }
    }

    fn run(&mut self, input: Option<String>) -> Option<hookspec::hooks::Running<'_, Verdict>> {
        match self {
            Runs::None => None,
            Runs::Once(next) => {
                let next = next.take()?;
                Some(match input {
                    Some(input) => next.with(input).run(),
                    None => next.run(),
                })
            }
            Runs::Again(next) => Some(match input {
                Some(input) => next.run_with(input),
                None => next.run(),
            }),
        }
    }
}

/// A hook that gives a future.
async fn asynchronously(session: &Session, uid: usize, text: &str, next: Option<Next<'_>>) -> Returned {
    let (steps, bomb) = world(session).begin(uid);
    let mut next = Runs::of(next, &steps);
    let (mut seen, mut items) = (None, Vec::new());
    let mut steps = steps.into_iter();
    while let Some(step) = steps.next() {
        if step.is_next()
            && let Some(mut running) = next.run(input(step, text))
        {
            match step {
                Step::Cut | Step::Begin => match once(&mut running).await {
                    Poll::Ready(value) => seen = Some(value),
                    Poll::Pending if step == Step::Cut => drop(running),
                    Poll::Pending => {
                        // It holds the run to its end, whatever it does meanwhile.
                        for step in steps {
                            if wait_or_say(step, text, seen.as_ref(), &mut items).await {
                                break;
                            }
                        }
                        drop(running);
                        return Returned(items, bomb);
                    }
                },
                _ => seen = Some(running.await),
            }
        }
        if wait_or_say(step, text, seen.as_ref(), &mut items).await {
            return Returned(items, bomb);
        }
    }
    Returned(items, bomb)
}

/// Whether nothing comes after it.
async fn wait_or_say(step: Step, text: &str, seen: Option<&String>, items: &mut Vec<Item>) -> bool {
    match step {
        Step::Wait => once_pending().await,
        Step::Hang => std::future::pending().await,
        step => items.extend(say(step, text, seen)),
    }
    step == Step::PanicLate
}

/// Polls once.
async fn once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    poll_fn(|cx| Poll::Ready(Pin::new(&mut *future).poll(cx))).await
}

/// Pending once, and woken at once.
async fn once_pending() {
    let mut asked = false;
    poll_fn(|cx| {
        if asked {
            return Poll::Ready(());
        }
        asked = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[derive(Default, Serialize, Deserialize)]
pub struct Tally(u64);

mod linked {
    use super::*;

    #[hook(WRAP)]
    fn plain(next: WRAP::Next<'_>, text: &str, session: &Session) -> Returned {
        plainly(session, world(session).linked(Kind::Macro), text, Some(next))
    }

    #[hook(WRAP)]
    async fn plain_async(next: WRAP::Next<'_>, text: &str, session: &Session) -> Returned {
        asynchronously(session, world(session).linked(Kind::MacroAsync), text, Some(next)).await
    }

    #[hook(WRAP)]
    fn keeps(text: &str, session: &Session, state: &mut Tally, next: WRAP::Next<'_>) -> Returned {
        state.0 += 1;
        plainly(session, world(session).linked(Kind::Keeps), text, Some(next))
    }

    #[hook(WRAP)]
    async fn keeps_async(next: WRAP::Next<'_>, text: &str, session: &Session, state: &mut Tally) -> Returned {
        state.0 += 1;
        asynchronously(session, world(session).linked(Kind::KeepsAsync), text, Some(next)).await
    }
}

fn linked_call(function: &str) -> Call<WRAP::Point> {
    let entry = |entry: &&Entry<WRAP::Point>| entry.origin().function == function;
    hookspec::__private::hooks::<WRAP::Point>().find(entry).map(|entry| entry.call().clone()).unwrap()
}

/// A function without `next` that gives a future.
fn by_hand<'a, const UID: usize>(
    event: Wrap<'a>,
    session: &'a Session,
    out: &'a mut Outcome<Verdict>,
) -> Option<BoxFuture<'a, ()>> {
    Some(Box::pin(async move { asynchronously(session, UID, event.text, None).await.into_outcome(out) }))
}

pub fn hook_of(desc: &Desc) -> Hook<WRAP::Point> {
    let (uid, name) = (desc.uid, desc.name());
    let hook = match desc.kind {
        Kind::Closure => Hook::new(WRAP, name, move |event, session| plainly(session, uid, event.text, None)),
        Kind::Now => Hook::around_now(WRAP, name, move |event, session, next| {
            plainly(session, uid, event.text, Some(next))
        }),
        Kind::Wrap => Hook::around(WRAP, name, move |event, session, next| {
            Box::pin(asynchronously(session, uid, event.text, Some(next)))
        }),
        Kind::Async => Hook::from_call(
            name,
            Call::<WRAP::Point>::Async(match uid {
                0 => by_hand::<0>,
                1 => by_hand::<1>,
                2 => by_hand::<2>,
                3 => by_hand::<3>,
                _ => by_hand::<4>,
            }),
        ),
        Kind::Macro => Hook::from_call(name, linked_call("plain")),
        Kind::MacroAsync => Hook::from_call(name, linked_call("plain_async")),
        Kind::Keeps => Hook::from_call(name, linked_call("keeps")),
        Kind::KeepsAsync => Hook::from_call(name, linked_call("keeps_async")),
    };
    let hangs = desc.steps.contains(&Step::Hang);
    hook.options(Options {
        priority: desc.priority,
        once: desc.once,
        quarantine: desc.quarantine,
        timeout: if hangs { Timeout::After(std::time::Duration::from_millis(1)) } else { Timeout::Host },
        ..Options::DEFAULT
    })
}

/// Counts what is dropped before it is over.
struct Counts(Arc<World>, bool);

impl Drop for Counts {
    fn drop(&mut self) {
        if !self.1 {
            *lock(&self.0.cut) += 1;
        }
    }
}

fn begin_work(world: &World, from: usize, text: &str) -> u32 {
    let mut work = lock(&world.work);
    work.push(text.to_owned());
    u32::try_from(work.len() - 1 - from).unwrap()
}

/// The work of an act, before which there were so many runs of work.
pub async fn work(world: Arc<World>, from: usize, work: Work, text: &str) -> String {
    let nth = begin_work(&world, from, text);
    let panics = work.panics.filter(|(number, _)| *number == nth).map(|(_, late)| late);
    assert!(panics != Some(false), "model: work");
    let mut counts = Counts(world, true);
    for _ in 0..work.waits {
        counts.1 = false;
        once_pending().await;
    }
    counts.1 = true;
    assert!(panics.is_none(), "model: work");
    format!("{text}#{nth}")
}

pub fn work_now(world: &World, from: usize, work: Work, text: &str) -> String {
    let nth = begin_work(world, from, text);
    assert!(work.panics.is_none_or(|(number, _)| number != nth), "model: work");
    format!("{text}#{nth}")
}
