//! States: who asked has it in turn, whoever else gives up, is cut off, or saves meanwhile.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use loom::future::block_on;
use loom::thread::spawn;
use serde::{Deserialize, Serialize};

use crate::chain;
use crate::model;
use crate::session::Session;
use crate::session::state::{StateError, StateGuard, Taken, Who};
use crate::session::ticket::turn;
use crate::state_key::Keys;

#[derive(Default, Serialize, Deserialize)]
struct Count(u32);
#[derive(Default, Serialize, Deserialize)]
struct Other(u32);

fn who() -> Who {
    Who::Place(std::panic::Location::caller())
}

fn count(session: &Session) -> impl Future<Output = Result<StateGuard<'_, Count>, StateError>> {
    turn(session, who(), Keys::default)
}

fn now(session: &Session) -> Option<StateGuard<'_, Count>> {
    match session.states().take(who(), None, false, Keys::default) {
        Taken::Now(guard) => Some(guard),
        _ => None,
    }
}

#[test]
fn all_who_ask_have_it_in_turn() {
    model(|| {
        let session = Session::default();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let session = session.clone();
                spawn(move || block_on(count(&session)).unwrap().0 += 1)
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(now(&session).unwrap().0, 2);
    });
}

#[test]
fn who_gives_up_takes_nobodys_turn() {
    model(|| {
        let session = Session::default();
        let held = now(&session).unwrap();
        let (first, second) = (session.clone(), session.clone());
        let goes = spawn(move || {
            // Asks, and goes, whether it was its turn by then or not.
            let _ = pin!(count(&first)).poll(&mut Context::from_waker(Waker::noop()));
        });
        let waits = spawn(move || block_on(count(&second)).unwrap().0 += 1);
        drop(held);
        goes.join().unwrap();
        waits.join().unwrap();
        assert_eq!(now(&session).unwrap().0, 1);
    });
}

#[test]
fn who_waits_for_one_that_is_cut_off_learns_it_or_has_it_later() {
    model(|| {
        let session = Session::default();
        let (holder, waiter) = (session.clone(), session.clone());
        chain::enter(7);
        let run = chain::CutOff::begin();
        let held = now(&session).unwrap();
        let waits = spawn(move || {
            chain::enter(8);
            match block_on(count(&waiter)) {
                Ok(_) | Err(StateError::CutOff { .. }) => {}
                Err(other) => panic!("{other}"),
            }
        });
        let cuts = spawn(move || {
            run.set();
            holder.states().cut_off();
        });
        cuts.join().unwrap();
        drop(held);
        waits.join().unwrap();
        assert!(now(&session).is_some(), "it is free again");
    });
}

#[test]
fn two_that_wait_for_each_other_are_told() {
    model(|| {
        let session = Session::default();
        let other = session.clone();
        let second = spawn(move || {
            chain::enter(2);
            let held = block_on(turn::<Other>(&other, who(), Keys::default));
            let wanted = block_on(count(&other)).map(drop);
            drop(held);
            wanted
        });
        chain::enter(1);
        let held = block_on(count(&session));
        let wanted = block_on(turn::<Other>(&session, who(), Keys::default)).map(drop);
        drop(held);
        for ended in [wanted, second.join().unwrap()] {
            match ended {
                Ok(()) | Err(StateError::Circle { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    });
}

#[test]
fn what_is_saved_meanwhile_is_neither_lost_nor_made_anew() {
    model(|| {
        let session = Session::default();
        now(&session).unwrap().0 = 1;
        let other = session.clone();
        let saves = spawn(move || other.states().save());
        block_on(count(&session)).unwrap().0 += 1;
        saves.join().unwrap();
        assert_eq!(session.states().save().into_values().collect::<Vec<_>>(), [2]);
    });
}

#[test]
fn what_is_promised_is_not_saved_away() {
    model(|| {
        let session = Session::default();
        let mut held = now(&session).unwrap();
        held.0 = 1;
        let (waiter, saver) = (session.clone(), session.clone());
        let waits = spawn(move || {
            let mut wanted = pin!(count(&waiter));
            // It is looked at from two places; the last one counts.
            let first = wanted.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            match first {
                Poll::Ready(had) => had.unwrap().0 += 1,
                Poll::Pending => block_on(wanted).unwrap().0 += 1,
            }
        });
        let saves = spawn(move || saver.states().save());
        drop(held);
        waits.join().unwrap();
        saves.join().unwrap();
        assert_eq!(now(&session).unwrap().0, 2);
    });
}
