//! Hooks that meet, hold, hang and overrun, for the tests that no single chain can be.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::task::Poll;

use hookspec::registry::RegistryBuilder;
use hookspec::spawn::Spawn;
use hookspec::{Hooks, Message, Registry, Session, fire, hook};
use serde::{Deserialize, Serialize};

use crate::points::{ASKED, BRIEF, GUARDED, SHAPED, TALK};
use crate::world::lock;

#[derive(Default, Serialize, Deserialize)]
pub struct Count(u64);
#[derive(Default, Serialize, Deserialize)]
pub struct Left(u64);
#[derive(Default, Serialize, Deserialize)]
pub struct Right(u64);

/// What a test lends to its hooks.
#[derive(Debug, Default)]
pub struct Lent {
    /// How often something ran.
    pub runs: AtomicUsize,
    /// Where two chains meet.
    pub meet: Option<tokio::sync::Barrier>,
    /// Holds hooks that hang until the test is over.
    pub open: (Mutex<bool>, Condvar),
}

impl Lent {
    pub fn wait(&self) {
        let mut open = lock(&self.open.0);
        while !*open {
            open = self.open.1.wait(open).unwrap();
        }
    }

    pub fn open(&self) {
        *lock(&self.open.0) = true;
        self.open.1.notify_all();
    }
}

pub fn lent(session: &Session) -> Arc<Lent> {
    session.extension().unwrap()
}

async fn yield_often() {
    for _ in 0..20 {
        let mut asked = false;
        poll_fn(|cx| {
            cx.waker().wake_by_ref();
            if std::mem::replace(&mut asked, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

#[hook(ASKED)]
async fn holds(state: &mut Count) -> Message {
    let before = state.0;
    yield_often().await;
    state.0 = before + 1;
    Message::system(format!("{}", state.0))
}

/// Holds one state while the chain that it begins asks for the other.
#[hook(ASKED)]
async fn left(session: &Session, state: &mut Left) -> Message {
    lent(session).meet.as_ref().unwrap().wait().await;
    state.0 += 1;
    let fired = fire!(session, TALK { path: "left".as_ref() }).await;
    Message::system(fired.failures().iter().map(ToString::to_string).collect::<String>())
}

#[hook(TALK)]
async fn wants_right(path: &std::path::Path, state: &mut Right) {
    state.0 += u64::from(path == "left");
}

#[hook(GUARDED)]
async fn right(session: &Session, state: &mut Right) -> Message {
    lent(session).meet.as_ref().unwrap().wait().await;
    state.0 += 1;
    let fired = fire!(session, BRIEF { path: "right".as_ref() }).await;
    Message::system(fired.failures().iter().map(ToString::to_string).collect::<String>())
}

#[hook(BRIEF)]
async fn wants_left(path: &std::path::Path, state: &mut Left) {
    state.0 += u64::from(path == "right");
}

/// Is cut off, and goes on all the same.
#[hook(ASKED, blocking, timeout = "1ms")]
fn overruns(session: &Session, state: &mut Left) {
    state.0 += 1;
    lent(session).runs.fetch_add(1, SeqCst);
    lent(session).wait();
}

#[hook(BRIEF)]
fn comes_after(state: &mut Left) -> Message {
    Message::system(format!("{}", state.0))
}

#[hook(TALK)]
async fn never_ends(state: &mut Count) {
    state.0 += 1;
    pending::<()>().await;
}

#[hook(BRIEF)]
fn counts(state: &mut Count) -> Message {
    Message::system(format!("{}", state.0))
}

pub fn session(registry: RegistryBuilder, spawn: impl Spawn + 'static, lend: &Arc<Lent>) -> Session {
    let hooks = Hooks::with_spawn(registry.build().unwrap(), Arc::new(spawn));
    Session::builder(&hooks, "s").extension(Arc::clone(lend)).build()
}

pub fn only(names: &[&str]) -> RegistryBuilder {
    Registry::builder().allow(names.iter().map(|name| format!("crowd.{name}")))
}

async fn until(session: &Session, step: usize) {
    let lent = lent(session);
    poll_fn(|cx| {
        cx.waker().wake_by_ref();
        if lent.runs.load(SeqCst) >= step { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Holds one state while two chains that it begins ask for two others.
#[hook(ASKED)]
async fn forks(session: &Session, state: &mut Left) {
    until(session, 1).await;
    state.0 += 1;
    let mut one = pin!(fire!(session, TALK { path: "".as_ref() }));
    let mut other = pin!(fire!(session, SHAPED { path: "".as_ref() }));
    let (mut first, mut second) = (false, false);
    poll_fn(|cx| {
        first = first || one.as_mut().poll(cx).is_ready();
        second = second || other.as_mut().poll(cx).is_ready();
        lent(session).runs.store(2, SeqCst);
        if first && second { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[hook(SHAPED)]
async fn wants_count(state: &mut Count) {
    state.0 += 1;
}

async fn asks_last(session: &Session) -> Message {
    lent(session).runs.store(1, SeqCst);
    until(session, 2).await;
    let fired = fire!(session, BRIEF { path: "".as_ref() }).await;
    Message::system(fired.failures().iter().map(ToString::to_string).collect::<String>())
}

#[hook(GUARDED)]
async fn right_asks_last(session: &Session, state: &mut Right) -> Message {
    state.0 += 1;
    asks_last(session).await
}

#[hook(GUARDED)]
async fn count_asks_last(session: &Session, state: &mut Count) -> Message {
    state.0 += 1;
    asks_last(session).await
}

/// Holds a state while it fires; who runs beside that chain waits for it.
#[hook(ASKED)]
async fn fires_on(session: &Session, state: &mut Left) {
    state.0 += 1;
    drop(fire!(session, SHAPED { path: "".as_ref() }).await);
}

#[hook(SHAPED, background)]
fn runs_beside(session: &Session, state: &mut Left) {
    state.0 += 1;
    lent(session).runs.fetch_add(1, SeqCst);
}
