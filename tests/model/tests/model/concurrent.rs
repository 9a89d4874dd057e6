//! Several fires of one session at once.
//!
//! Nothing here is decided by time: what must happen side by side meets at a barrier, and what must not happen would hang.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use hookspec::hooks::Cause;
use hookspec::point::Fired;
use hookspec::session::HookState;
use hookspec::spawn::{Spawn, Threads};
use hookspec::timeline::Timeline;
use hookspec::{Gate, Hook, Hooks, Message, Registry, Session, fire, fire_now};
use hookspec_agent::spawn::TokioSpawn;
use tokio::runtime::{Builder, Runtime};

use crate::crowd::{Count, Left, Lent, Right, only, session};
use crate::paths::{Kept, block_on};
use crate::points::{ASKED, BRIEF, GUARDED, TALK};
use crate::world::lock;

fn current() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn workers() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn tokio() -> TokioSpawn {
    TokioSpawn::current().unwrap()
}

fn saved(session: &Session, last: &str) -> u64 {
    let states = session.save_states();
    states.iter().find(|(key, _)| key.ends_with(last)).and_then(|(_, value)| value.as_u64()).unwrap()
}

/// What came out at the gate: nobody failed, and the numbers are those of one after the other.
fn in_turn(mut fired: Vec<Fired<Gate>>) {
    assert!(fired.iter().all(|fired| fired.failures().is_empty() && fired.gate().is_none()), "{fired:?}");
    let mut numbers: Vec<u64> =
        fired.drain(..).map(|fired| fired.messages()[0].content.parse().unwrap()).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=8));
}

#[test]
fn fires_that_share_a_state_over_an_await_take_turns_on_one_thread() {
    current().block_on(async {
        let session = session(only(&["holds"]), tokio(), &Arc::default());
        let fire = || async { fire!(session, ASKED { path: "".as_ref() }).await };
        let (a, b, c, d) = tokio::join!(fire(), fire(), fire(), fire());
        let (e, f, g, h) = tokio::join!(fire(), fire(), fire(), fire());
        in_turn(vec![a, b, c, d, e, f, g, h]);
        assert_eq!(saved(&session, "Count"), 8);
    });
}

#[test]
fn fires_that_share_a_state_over_an_await_take_turns_on_two_workers() {
    workers().block_on(async {
        let session = session(only(&["holds"]), tokio(), &Arc::default());
        let fires: Vec<_> = (0..8)
            .map(|_| {
                let session = session.clone();
                tokio::spawn(async move { fire!(session, ASKED { path: "".as_ref() }).await })
            })
            .collect();
        let mut fired = Vec::new();
        for fire in fires {
            fired.push(fire.await.unwrap());
        }
        in_turn(fired);
    });
}

#[test]
fn fires_that_share_a_state_over_an_await_take_turns_on_threads() {
    let session = session(only(&["holds"]), Threads::default(), &Arc::default());
    let fires: Vec<_> = (0..8)
        .map(|number| {
            let session = session.clone();
            thread::spawn(move || match number % 2 {
                0 => fire_now!(session, ASKED { path: "".as_ref() }),
                _ => block_on(fire!(session, ASKED { path: "".as_ref() })),
            })
        })
        .collect();
    in_turn(fires.into_iter().map(|fire| fire.join().unwrap()).collect());
}

#[test]
fn two_chains_that_wait_for_each_others_states_are_told_so() {
    for runtime in [current(), workers()] {
        let meet = Some(tokio::sync::Barrier::new(2));
        let lend = Arc::new(Lent { meet, ..Lent::default() });
        runtime.block_on(async {
            let session = session(only(&["left", "right", "wants_left", "wants_right"]), tokio(), &lend);
            let (one, two) = (session.clone(), session.clone());
            let one = tokio::spawn(async move {
                fire!(one, ASKED { path: "".as_ref() }).await.messages()[0].content.clone()
            });
            let two = tokio::spawn(async move {
                fire!(two, GUARDED { path: "".as_ref() }).await.messages()[0].content.clone()
            });
            let (left, right) = (one.await.unwrap(), two.await.unwrap());
            // One of the two is told, the other gets what it waits for.
            let (told, went_on) = if left.is_empty() { (&right, &left) } else { (&left, &right) };
            assert_eq!(went_on, "");
            let wanted = if left.is_empty() {
                ["crowd.wants_left", "crowd.left"]
            } else {
                ["crowd.wants_right", "crowd.right"]
            };
            assert!(wanted.iter().all(|hook| told.contains(hook)), "{told}");
            let sum = saved(&session, "Left") + saved(&session, "Right");
            assert_eq!(sum, 3, "each counted its own, and one the other's");
        });
    }
}

/// One of two chains that a hook begins at once waits in a ring, the other for somebody else.
async fn forked<T: HookState>(last: &str) {
    let names = ["forks", "wants_right", "wants_count", "wants_left", last];
    let session = session(only(&names), tokio(), &Arc::default());
    let elsewhere = session.try_state::<T>().unwrap();
    let last = async {
        let fired = fire!(session, GUARDED { path: "".as_ref() }).await;
        drop(elsewhere);
        fired.messages()[0].content.clone()
    };
    let (told, forks) = tokio::join!(last, async { fire!(session, ASKED { path: "".as_ref() }).await });
    assert!(told.contains("`crowd.wants_left`") && told.contains("`crowd.forks`"), "{told}");
    assert!(forks.failures().is_empty(), "{forks:?}");
}

#[test]
fn a_ring_through_one_of_two_waits_is_seen() {
    current().block_on(forked::<Count>("right_asks_last"));
    current().block_on(forked::<Right>("count_asks_last"));
}

/// Begins each job at once, on the thread that gives it.
#[derive(Debug)]
struct AtOnce(Threads);

impl Spawn for AtOnce {
    fn run(&self, job: hookspec::spawn::Job) -> Result<(), hookspec::spawn::SpawnError> {
        job();
        Ok(())
    }
    fn sleep(&self, duration: Duration) -> hookspec::hooks::BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
    fn block_on(&self, future: hookspec::hooks::BoxFuture<'_, ()>) {
        self.0.block_on(future);
    }
}

#[test]
fn what_runs_beside_a_chain_waits_for_a_state_that_the_chain_holds() {
    let lend = Arc::<Lent>::default();
    let session = session(only(&["fires_on", "runs_beside"]), AtOnce(Threads::default()), &lend);
    let fired = fire_now!(session, ASKED { path: "".as_ref() });
    assert!(fired.failures().is_empty() && session.drain_now(Duration::MAX).is_empty());
    assert_eq!((lend.runs.load(SeqCst), saved(&session, "Left")), (1, 2));
}

#[test]
fn a_state_that_is_held_is_not_waited_for_where_nobody_may_wait() {
    current().block_on(async {
        let session = session(only(&["comes_after", "wants_left", "holds"]), tokio(), &Arc::default());
        let (left, count) = (session.try_state::<Left>().unwrap(), session.try_state::<Count>().unwrap());
        let fired = fire_now!(session, BRIEF { path: "".as_ref() });
        let causes: Vec<_> = fired.failures().iter().map(|failure| failure.cause.clone()).collect();
        assert_eq!(causes, [Cause::CannotWait, Cause::CannotWait]);
        assert_eq!(fire_now!(session, ASKED { path: "".as_ref() }).failures()[0].cause, Cause::CannotWait);
        drop((left, count));
        // No place in the queue is left behind.
        assert!(fire_now!(session, BRIEF { path: "".as_ref() }).failures().is_empty());
    });
}

#[test]
fn the_log_the_sink_and_the_observer_have_one_order() {
    let (timeline, kept) = (Arc::new(Timeline::new(100_000)), Kept::default());
    let says = |name: &str| {
        Hook::new(TALK, name, |event, _| {
            vec![
                Message::system(format!("{} 1", crate::points::text(event.path))),
                Message::system(crate::points::text(event.path)),
            ]
        })
    };
    let registry = Registry::builder().linked(false).register(says("x.one")).register(says("x.two"));
    let hooks = Hooks::new(registry.build().unwrap());
    let session = Session::builder(&hooks, "s")
        .observer(timeline.clone())
        .log([], Some(Box::new(kept.clone())))
        .build();
    let begin = Arc::new(Barrier::new(4));
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let (session, begin) = (session.clone(), Arc::clone(&begin));
            thread::spawn(move || {
                begin.wait();
                for number in 0..250 {
                    let text = &*format!("{thread} {number}");
                    assert_eq!(fire_now!(session, TALK { path: text.as_ref() }).messages().len(), 4);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let said = |message: &Message| (message.hook.clone().unwrap(), message.content.clone());
    let log: Vec<_> = session.log().iter().map(|message| said(message)).collect();
    let told = timeline
        .runs()
        .into_iter()
        .flat_map(|run| run.messages.into_iter().map(move |text| (run.hook.clone(), text)));
    assert_eq!(log.len(), 4000);
    assert!(log == *lock(&kept.0), "the sink has another order");
    assert!(log == told.collect::<Vec<_>>(), "the observer has another order");
}
