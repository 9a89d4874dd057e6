//! From a description to a real hook.

use std::future::{pending, poll_fn};
use std::sync::Arc;
use std::task::Poll;

use hookspec::hooks::{BoxError, BoxFuture, Cause, JsonEvent, JsonOutcome, JsonResult, Outcome};
use hookspec::point::Verdict;
use hookspec::{Flow, Gate, Message, Session};

use crate::build;
use crate::case::{At, Broken, Desc, Kind, Payload, State, Step};
use crate::points::{self, Face};
use crate::said;
use crate::world::{Bomb, Odd, World, world};

fn panic(payload: Payload) -> ! {
    match payload {
        Payload::Text => panic!("model: text"),
        Payload::Owned => std::panic::panic_any(String::from("model: owned")),
        Payload::Bomb => std::panic::panic_any(Bomb(true)),
    }
}

/// One thing that a hook says.
pub enum Item {
    Message(String),
    Gate(Gate),
    Value(String),
    Flow(Flow),
    Error(BoxError),
    Panic(Payload),
}

/// Tells what every point takes; gives back the rest.
pub fn plain<V: Verdict>(item: Item, out: &mut Outcome<V>) -> Option<Item> {
    match item {
        Item::Message(text) => out.message(Message::system(text)),
        Item::Flow(flow) => out.flow(flow),
        Item::Error(error) => out.fail(error),
        Item::Panic(payload) => panic(payload),
        rest => return Some(rest),
    }
    None
}

/// What a hook returns that says all at its end.
pub struct Returned(std::vec::IntoIter<Item>, #[allow(dead_code)] Bomb);

impl Iterator for Returned {
    type Item = Item;
    fn next(&mut self) -> Option<Item> {
        self.0.next()
    }
}

/// What one step says; what it does beside is done. Waiting, firing and hanging are its caller's.
fn say(session: &Session, desc: &Desc, step: Step, text: &str, count: Option<&mut u64>) -> Option<Item> {
    Some(match step {
        Step::Say => Item::Message(format!("{text}: said")),
        Step::Count => match count {
            Some(count) => {
                *count += 1;
                Item::Message(format!("{text}: {:?} {count}", desc.kind.state()))
            }
            None if desc.kind.state() == State::Settings => {
                Item::Message(format!("{text}: {}", session.settings::<crate::linked::Words>().greeting))
            }
            None => return None,
        },
        Step::Answer(number) => match desc.at {
            At::Gate => Item::Gate(said::answer(number)),
            At::Both if number % 4 < 3 => Item::Gate(said::answer(number)),
            At::Both | At::Fold => Item::Value(format!("{text}+{number}")),
            At::First => Item::Value(format!("{text}={number}")),
            At::Say | At::Brief => return None,
        },
        Step::Stop => Item::Flow(Flow::Stop),
        Step::End => Item::Flow(Flow::end_session("end")),
        Step::Err(Broken::Elsewhere) => Item::Error(Cause::Panic("model: elsewhere".into()).into()),
        Step::Err(broken) => Item::Error(Box::new(Odd(broken))),
        Step::PanicLate(payload) => Item::Panic(payload),
        Step::Panic(payload) => panic(payload),
        Step::Change(change) => {
            build::apply(&world(session), session, change);
            return None;
        }
        Step::Wait | Step::Fire(_) | Step::Hang => return None,
    })
}

/// A hook that says as it goes: each step is taken when what it says is asked for.
pub struct Lazy {
    session: Session,
    world: Arc<World>,
    uid: usize,
    text: String,
    steps: std::vec::IntoIter<Step>,
    #[allow(dead_code)] // for its drop
    bomb: Bomb,
}

pub fn lazily(session: &Session, uid: usize, text: &str) -> Lazy {
    let world = world(session);
    let (_, steps, bomb) = world.begin(uid);
    Lazy { session: session.clone(), uid, text: text.to_owned(), steps: steps.into_iter(), world, bomb }
}

impl Iterator for Lazy {
    type Item = Item;
    fn next(&mut self) -> Option<Item> {
        for step in self.steps.by_ref() {
            let desc = &self.world.case.hooks[self.uid];
            match step {
                Step::PanicLate(payload) => panic(payload),
                Step::Hang => {
                    self.world.hang();
                    return None;
                }
                Step::Fire(at) => points::fire_now_at(&self.session, at, &format!("h{}", desc.name)),
                step => {
                    if let Some(item) = say(&self.session, desc, step, &self.text, None) {
                        return Some(item);
                    }
                }
            }
        }
        None
    }
}

/// A `#[hook]` function: all is said when it returns.
pub fn at_the_end(
    session: &Session,
    at: At,
    kind: Kind,
    text: &str,
    mut count: Option<&mut u64>,
) -> Returned {
    let world = world(session);
    let (desc, steps, bomb) = world.begin(world.linked(at, kind));
    let mut items = Vec::new();
    for step in steps {
        match step {
            Step::Hang => {
                world.hang();
                break;
            }
            Step::Fire(at) => points::fire_now_at(session, at, &format!("h{}", desc.name)),
            step => items.extend(say(session, desc, step, text, count.as_deref_mut())),
        }
        if matches!(step, Step::PanicLate(_)) {
            break;
        }
    }
    Returned(items.into_iter(), bomb)
}

/// The same for an `async fn`.
pub async fn at_the_end_async(
    session: &Session,
    at: At,
    kind: Kind,
    text: &str,
    count: Option<&mut u64>,
) -> Returned {
    let uid = world(session).linked(at, kind);
    let mut items = Vec::new();
    let bomb = asynchronously(session, uid, text, count, |item| items.push(item)).await;
    Returned(items.into_iter(), bomb)
}

async fn asynchronously(
    session: &Session,
    uid: usize,
    text: &str,
    mut count: Option<&mut u64>,
    mut tell: impl FnMut(Item) + Send,
) -> Bomb {
    let world = world(session);
    let (desc, steps, bomb) = world.begin(uid);
    for step in steps {
        match step {
            Step::Wait => once_pending().await,
            Step::Hang => pending().await,
            Step::Fire(at) => {
                // Boxed, since hooks fire points whose hooks do.
                let inner: BoxFuture<'_, ()> =
                    Box::pin(async { points::fire_at(session, at, &format!("h{}", desc.name)).await });
                inner.await;
            }
            step => {
                if let Some(item) = say(session, desc, step, text, count.as_deref_mut()) {
                    tell(item);
                }
            }
        }
        let fails_here = desc.kind.is_json() && matches!(step, Step::Err(_));
        if fails_here || matches!(step, Step::PanicLate(_)) {
            break;
        }
    }
    bomb
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

/// A plain function, one for each number.
pub fn by_hand<P: Face, const UID: usize>(
    event: &P::Event<'_>,
    session: &Session,
    out: &mut Outcome<P::Verdict>,
) {
    for item in lazily(session, UID, P::text(event)) {
        P::tell(item, out);
    }
}

/// A function that gives a future, one for each number.
pub fn by_hand_async<'a, P: Face, const UID: usize>(
    event: P::Event<'a>,
    session: &'a Session,
    out: &'a mut Outcome<P::Verdict>,
) -> Option<BoxFuture<'a, ()>> {
    Some(Box::pin(async move {
        let text = P::text(&event);
        drop(asynchronously(session, UID, text, None, |item| P::tell(item, out)).await);
    }))
}

/// What a JSON hook answers.
pub fn as_json(session: &Session, uid: usize, text: &str) -> JsonResult {
    answered(world(session).case.hooks[uid].at, lazily(session, uid, text))
}

/// The same for one that gives a future.
pub async fn as_json_async(session: Session, uid: usize, event: JsonEvent) -> JsonResult {
    let mut items = Vec::new();
    let text = event["path"].as_str().unwrap_or_default();
    drop(asynchronously(&session, uid, text, None, |item| items.push(item)).await);
    answered(world(&session).case.hooks[uid].at, items)
}

fn answered(at: At, items: impl IntoIterator<Item = Item>) -> JsonResult {
    let mut outcome = JsonOutcome::default();
    for item in items {
        match item {
            Item::Message(text) => outcome.messages.push(Message::system(text)),
            Item::Gate(gate) => {
                let strictest = outcome.gate.iter().all(|old| said::rank(&gate) > said::rank(old));
                outcome.gate = if strictest { Some(gate) } else { outcome.gate };
            }
            Item::Value(value) if at == At::First => outcome.first = Some(value.into()),
            Item::Value(value) => outcome.fold = Some(value.into()),
            Item::Flow(flow) => outcome.flow = flow,
            Item::Error(error) => return Err(error),
            Item::Panic(payload) => panic(payload),
        }
    }
    Ok(outcome)
}
