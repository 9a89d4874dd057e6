//! Hooks that wait for hooks, from more threads than a pool has.

#![allow(clippy::unwrap_used)]

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use hookspec::hooks::Placement;
use hookspec::point::Point;
use hookspec::spawn::Threads;
use hookspec::{Hook, Hooks, Message, Options, Registry, Session, fire_now, hook_point};

hook_point! {
    /// Fired by the host.
    pub OUTER("pool.outer") -> Messages {
        /// Which event it is.
        number: u32,
    }

    /// Fired by a hook of the outer one.
    pub MIDDLE("pool.middle") -> Messages {
        /// Which event it is.
        number: u32,
    }

    /// Fired by a hook of the middle one.
    pub INNER("pool.inner") -> Messages {
        /// Which event it is.
        number: u32,
    }
}

/// So long that only what hangs takes it.
const LONG: Duration = Duration::from_secs(60);
const EVENTS: u32 = 3 * Threads::MOST as u32;

fn on<P: Point>(hook: Hook<P>, placement: Placement) -> Hook<P> {
    hook.options(Options { placement, ..Options::DEFAULT })
}

/// Three points, each with a hook that blocks; the first one's runs where it is told.
fn session(outer: Placement) -> Session {
    let first = Hook::new(OUTER, "test.outer", |event, session: &Session| {
        let _ = fire_now!(session, MIDDLE { number: event.number });
    });
    let second = Hook::new(MIDDLE, "test.middle", |event, session: &Session| {
        let _ = fire_now!(session, INNER { number: event.number });
    });
    let third = Hook::new(INNER, "test.inner", |event, _| Message::system(event.number.to_string()));
    let registry = Registry::builder()
        .linked(false)
        .register(on(first, outer))
        .register(on(second, Placement::Blocking))
        .register(on(third, Placement::Blocking));
    Session::builder(&Hooks::new(registry.build().unwrap()), "s").build()
}

fn said(session: &Session) -> Vec<u32> {
    let mut said: Vec<u32> = session.log().iter().map(|message| message.content.parse().unwrap()).collect();
    said.sort_unstable();
    said
}

#[test]
fn blocking_hooks_that_wait_for_blocking_hooks_that_do_too_all_end() {
    let session = session(Placement::Blocking);
    let (done, ended) = mpsc::channel();
    for number in 0..EVENTS {
        let (session, done) = (session.clone(), done.clone());
        thread::spawn(move || {
            let fired = fire_now!(session, OUTER { number });
            done.send(fired.failures().len()).unwrap();
        });
    }
    for _ in 0..EVENTS {
        assert_eq!(ended.recv_timeout(LONG), Ok(0));
    }
    assert_eq!(said(&session), (0..EVENTS).collect::<Vec<_>>());
}

#[test]
fn background_hooks_that_wait_for_blocking_hooks_all_end() {
    let session = session(Placement::Background);
    for number in 0..EVENTS {
        let _ = fire_now!(session, OUTER { number });
    }
    assert_eq!(session.drain_now(LONG), []);
    assert_eq!(said(&session), (0..EVENTS).collect::<Vec<_>>());
}
