use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::session::Session;
use crate::{Hooks, Registry};

#[derive(Default, Serialize, Deserialize, Debug, PartialEq)]
struct Count(u32);
#[derive(Default, Serialize, Deserialize)]
struct Other(String);

fn session(states: impl IntoIterator<Item = (&'static str, Value)>) -> Session {
    let hooks = Hooks::new(Registry::builder().linked(false).build().unwrap());
    let states = states.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Session::builder(&hooks, "s").states(states).build()
}

fn ready<F: Future>(future: F) -> Option<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

#[test]
fn one_value_per_type_is_kept_and_saved_under_its_crate_and_name() {
    let first = session([]);
    first.try_state::<Count>().unwrap().0 += 2;
    first.try_state::<Other>().unwrap().0.push('x');
    assert_eq!(*first.try_state::<Count>().unwrap(), Count(2));
    let saved = first.save_states();
    assert_eq!(saved["hookspec.Count"], json!(2));

    let hooks = first.hooks().clone();
    let again = Session::builder(&hooks, "s").states(saved.clone()).build();
    assert_eq!(*again.try_state::<Count>().unwrap(), Count(2));
    assert_eq!(again.save_states(), saved, "unused values survive a second save");
}

#[test]
fn what_was_saved_by_the_whole_name_of_its_type_is_found_and_moves() {
    let session = session([(std::any::type_name::<Count>(), json!(7))]);
    assert_eq!(*session.try_state::<Count>().unwrap(), Count(7));
    assert_eq!(
        session.save_states().into_iter().collect::<Vec<_>>(),
        [("hookspec.Count".to_owned(), json!(7))]
    );
}

#[test]
fn a_saved_value_of_another_shape_is_kept_aside() {
    let session =
        session([("hookspec.Count", json!("seven")), ("hookspec.Count (kept aside)", json!("six"))]);
    assert_eq!(*session.try_state::<Count>().unwrap(), Count(0));
    let saved = session.save_states();
    assert_eq!(saved["hookspec.Count"], json!(0));
    assert_eq!(saved["hookspec.Count (kept aside)"], json!("six"));
    assert_eq!(saved["hookspec.Count (kept aside 2)"], json!("seven"));
}

#[test]
fn a_value_that_is_held_is_had_in_the_order_of_asking() {
    let session = session([]);
    let held = session.try_state::<Count>().unwrap();
    let error = session.try_state::<Count>().unwrap_err();
    assert!(error.to_string().contains("state/tests.rs:"), "{error}");
    let (mut second, mut third) = (Box::pin(session.state::<Count>()), Box::pin(session.state::<Count>()));
    assert!(ready(second.as_mut()).is_none() && ready(third.as_mut()).is_none());
    drop(held);
    assert!(session.try_state::<Count>().is_err(), "it is promised");
    assert!(ready(third.as_mut()).is_none(), "the second is first");
    let Some(Ok(mut value)) = ready(second.as_mut()) else { panic!("its turn") };
    value.0 = 9;
    drop(value);
    assert_eq!(ready(third.as_mut()).unwrap().unwrap().0, 9);
}

#[test]
fn who_gives_up_passes_its_turn_on() {
    let session = session([]);
    let held = session.try_state::<Count>().unwrap();
    let (mut second, mut third) = (Box::pin(session.state::<Count>()), Box::pin(session.state::<Count>()));
    let mut fourth = Box::pin(session.state::<Count>());
    assert!(ready(second.as_mut()).is_none() && ready(third.as_mut()).is_none());
    assert!(ready(fourth.as_mut()).is_none());
    drop(third); // while it waits
    drop(held);
    drop(second); // when it was promised to it
    assert!(ready(fourth.as_mut()).unwrap().is_ok());
    assert!(session.try_state::<Count>().is_ok());
}

#[test]
fn a_panicking_holder_gives_the_value_back() {
    let session = session([]);
    let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut count = session.try_state::<Count>().unwrap();
        count.0 = 9;
        panic!("while holding it");
    }));
    assert!(broken.is_err());
    assert_eq!(session.try_state::<Count>().unwrap().0, 9);
}

#[derive(Serialize, Deserialize)]
struct Unwilling(u8);
impl Default for Unwilling {
    fn default() -> Self {
        panic!("no value to begin with");
    }
}

#[test]
fn a_value_that_cannot_be_made_leaves_the_place_free() {
    let session = session([]);
    for _ in 0..2 {
        let made = std::panic::AssertUnwindSafe(|| session.try_state::<Unwilling>().map(drop));
        assert!(std::panic::catch_unwind(made).is_err(), "it panics each time, and is never taken");
    }
    assert!(session.save_states().is_empty());
}

#[test]
fn what_is_held_while_it_is_saved_is_saved_as_it_was() {
    let session = session([]);
    session.try_state::<Count>().unwrap().0 = 1;
    assert_eq!(session.save_states()["hookspec.Count"], json!(1));
    let mut held = session.try_state::<Count>().unwrap();
    held.0 = 2;
    assert_eq!(session.save_states()["hookspec.Count"], json!(1));
    drop(held);
    assert_eq!(session.save_states()["hookspec.Count"], json!(2));
}
