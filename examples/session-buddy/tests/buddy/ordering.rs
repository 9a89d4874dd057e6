//! The original's hooks manager, row by row, on ours.

use std::sync::atomic::{AtomicUsize, Ordering};

use hookspec::hooks::Failure;
use hookspec::point::Fired;
use hookspec::{Fold, Hook, Hooks, Registry, Session, fire_now};
use hookspec_session_buddy::ordering::rank;
use hookspec_session_buddy::points::{POST_CHECKPOINT, PRE_SEARCH_QUERY};
use hookspec_session_buddy::search::Sought;

type Search = PRE_SEARCH_QUERY::Point;

/// A hook that adds its letter to the query, so that the order shows.
fn letter(name: &str, theirs: u16, nth: u16, letter: char) -> Hook<Search> {
    Hook::new(PRE_SEARCH_QUERY, name, move |event, _| Fold(format!("{}{letter}", event.query)))
        .priority(rank(theirs, nth))
}

fn session(hooks: impl IntoIterator<Item = Hook<Search>>) -> Session {
    let builder = hooks
        .into_iter()
        .fold(Registry::builder().linked(false), hookspec::registry::RegistryBuilder::register);
    Session::builder(&Hooks::new(builder.build().unwrap()), "s").build()
}

fn search(session: &Session) -> String {
    let mut fired = fire_now!(session, PRE_SEARCH_QUERY { query: "", sought: Sought::Errors });
    fired.take_value().unwrap_or_default()
}

#[test]
fn the_lowest_of_theirs_runs_first_and_equals_in_the_order_of_registration() {
    let order = session([letter("t.c", 100, 0, 'c'), letter("t.a", 10, 0, 'a'), letter("t.b", 50, 0, 'b')]);
    assert_eq!(search(&order), "abc", "each sees what the ones before made of the value");
    // Against their names.
    let equal = session([letter("t.z", 50, 0, 'z'), letter("t.y", 50, 1, 'y'), letter("t.x", 50, 2, 'x')]);
    assert_eq!(search(&equal), "zyx");
    assert_eq!(
        (rank(0, 0), rank(1000, 0), rank(2000, 5000)),
        (1_000_000, 0, -999),
        "and what is out of range is held"
    );
}

#[test]
fn a_replaced_hook_is_one_and_moves_to_its_new_place() {
    let session = session([letter("t.a", 10, 0, 'a'), letter("t.b", 50, 0, 'b')]);
    session.hooks().replace(letter("t.a", 100, 0, 'A')).unwrap();
    assert_eq!(search(&session), "bA");
    let error = session.hooks().register(letter("t.b", 1, 0, 'x')).unwrap_err();
    assert!(error.to_string().contains("`t.b` at `search.query.pre` already"), "{error}");
}

#[test]
fn disabled_hooks_are_skipped_and_listed() {
    let session = session([letter("t.a", 10, 0, 'a'), letter("t.b", 50, 0, 'b')]);
    session.hooks().disable("t.a").unwrap();
    assert_eq!(search(&session), "b");
    let rows: Vec<(String, i32, bool)> = session
        .hooks()
        .list()
        .into_iter()
        .map(|row| (row.info.name.clone(), row.info.priority, row.on))
        .collect();
    assert_eq!(rows, [("t.a".to_owned(), rank(10, 0), false), ("t.b".to_owned(), rank(50, 0), true)]);
    session.hooks().enable("t.a").unwrap();
    assert_eq!(search(&session), "ab");
}

static HANDLED: AtomicUsize = AtomicUsize::new(0);

fn counts(_: &Failure, _: &Session) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

fn panics(_: &Failure, _: &Session) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
    panic!("the handler fails too");
}

fn fails(name: &str, theirs: u16) -> Hook<Search> {
    Hook::new(PRE_SEARCH_QUERY, name, |_, _| Err::<(), _>("no luck")).priority(rank(theirs, 0))
}

#[test]
fn a_failure_is_told_handled_and_contained() {
    let session = session([
        fails("t.error", 10).on_error(counts),
        fails("t.worse", 20).on_error(panics),
        letter("t.last", 30, 0, 'l'),
    ]);
    let fired: Fired<_> = fire_now!(session, PRE_SEARCH_QUERY { query: "", sought: Sought::Errors });
    let told: Vec<(&str, String)> =
        fired.failures().iter().map(|failure| (&*failure.hook, failure.to_string())).collect();
    assert_eq!(told.len(), 2);
    assert!(told[0].0 == "t.error" && told[0].1.contains("no luck"), "{told:?}");
    assert_eq!(fired.value().map(String::as_str), Some("l"), "the next runs");
    assert_eq!(HANDLED.load(Ordering::Relaxed), 2);
}

#[test]
fn hooks_of_this_crates_points_are_found_by_their_old_names() {
    for (alias, wire) in [("pre_search_query", "search.query.pre"), ("POST_CHECKPOINT", "checkpoint.post")] {
        assert_eq!(hookspec::point::find_point(alias).unwrap().info().wire, wire);
    }
    let _ = POST_CHECKPOINT;
}
