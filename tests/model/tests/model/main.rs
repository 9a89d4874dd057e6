//! Every path of core gives what the model says.
//!
//! [`model`] is the meaning; [`cases`] makes hooks and what a host does with them at random; [`paths`] runs them on
//! core in every way there is. `PROPTEST_CASES=10000` makes more of them; under Miri there are those that
//! no linker has to gather, on plain threads.

#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)] // a test that cannot go on has failed

#[cfg(not(miri))] // its hooks are linked
mod apart;
mod build;
mod case;
mod cases;
#[cfg(not(miri))]
mod concurrent;
#[cfg(not(miri))]
mod crowd;
mod hooks;
mod linked;
mod live;
mod model;
mod order;
mod paths;
mod points;
mod said;
mod seen;
mod world;

use std::sync::Once;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use case::Case;
use cases::Parts;
use model::Unsaid;
use paths::Path;

/// Panics that a case asks for are not printed.
fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // Hooks run on threads without names; the tests' own have theirs.
            let thread = std::thread::current();
            if thread.name().is_some_and(|name| !name.starts_with("tokio") && !name.starts_with("hookspec")) {
                loud(info);
            }
        }));
    });
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    for path in Path::all() {
        let mut wanted = match model::foretell(case, path.may_wait()) {
            Ok(wanted) => wanted,
            Err(Unsaid::TooLong) => return Ok(()),
            Err(Unsaid::WaitsWithin) => continue,
        };
        if !path.observed {
            wanted.timeline.clear();
            wanted.beside.clear();
        }
        let problem = match paths::run(case, path) {
            Ok(given) => seen::difference(&wanted, &given),
            Err(problem) => Some(problem),
        };
        if let Some(problem) = problem {
            return Err(TestCaseError::fail(format!("on {path:?}\n{case:?}\n{problem}")));
        }
    }
    Ok(())
}

fn hold(parts: Parts, cases: u32) {
    quiet();
    let cases =
        if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { cases };
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 3000,
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new(config);
    if let Err(error) = runner.run(&cases::cases(parts), |case| check(&case)) {
        // What is left after making it smaller, and nothing else.
        panic!("{}", error.to_string().split("minimal failing input").next().unwrap_or_default());
    }
}

const PLAIN: Parts = Parts {
    kinds: cases::PLAIN,
    places: cases::INLINE,
    fails: false,
    nested: false,
    changes: false,
    rules: false,
};

#[test]
fn plain_hooks() {
    hold(PLAIN, 200);
}

#[test]
fn plain_hooks_that_fail() {
    hold(Parts { fails: true, ..PLAIN }, 400);
}

#[test]
fn plain_hooks_that_fire() {
    hold(Parts { fails: true, nested: true, ..PLAIN }, 400);
}

#[test]
fn plain_hooks_that_are_changed() {
    hold(Parts { fails: true, nested: true, changes: true, ..PLAIN }, 600);
}

#[test]
fn hooks_of_the_fast_loop() {
    hold(Parts { kinds: cases::FAST, fails: true, nested: true, changes: true, ..PLAIN }, 600);
}

#[test]
fn hooks_in_order_filtered_and_in_shadow() {
    hold(Parts { rules: true, fails: true, nested: true, ..PLAIN }, 400);
}

#[test]
fn hooks_in_order_filtered_and_in_shadow_that_are_changed() {
    hold(Parts { kinds: cases::FAST, rules: true, fails: true, nested: true, changes: true, ..PLAIN }, 400);
}

#[test]
fn async_hooks_in_order_filtered_and_in_shadow() {
    hold(Parts { kinds: cases::ASYNC, rules: true, fails: true, nested: true, ..PLAIN }, 300);
}

#[test]
fn hooks_on_other_threads_in_order_filtered_and_in_shadow() {
    hold(Parts { places: cases::PLACES, rules: true, fails: true, ..PLAIN }, 200);
}

#[test]
fn async_hooks() {
    hold(Parts { kinds: cases::ASYNC, ..PLAIN }, 200);
}

#[test]
fn async_hooks_that_fail_and_fire() {
    hold(Parts { kinds: cases::ASYNC, fails: true, nested: true, ..PLAIN }, 400);
}

#[test]
fn hooks_on_other_threads() {
    hold(Parts { places: cases::PLACES, ..PLAIN }, 200);
}

#[test]
fn hooks_on_other_threads_that_fail() {
    hold(Parts { places: cases::PLACES, fails: true, ..PLAIN }, 200);
}

#[test]
#[cfg_attr(miri, ignore = "states are asked for by linked hooks")]
fn hooks_with_state() {
    hold(Parts { kinds: cases::STATES, ..PLAIN }, 200);
}

#[test]
#[cfg_attr(miri, ignore = "states are asked for by linked hooks")]
fn hooks_with_state_that_fail_and_fire() {
    hold(Parts { kinds: cases::STATES, fails: true, nested: true, ..PLAIN }, 400);
}

#[test]
fn hooks_on_other_threads_that_are_changed() {
    let parts = Parts { kinds: cases::KINDS, places: cases::PLACES, fails: true, changes: true, ..PLAIN };
    hold(parts, 300);
}

#[test]
fn all_hooks() {
    let places = cases::PLACES;
    hold(Parts { kinds: cases::KINDS, places, fails: true, nested: true, changes: true, rules: true }, 600);
}
