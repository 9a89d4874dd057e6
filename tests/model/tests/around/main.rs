//! Hooks around work give what the model says, on every path.
//!
//! [`model`] is the meaning; [`cases`] makes hooks, work and what a host does with them at random; [`run`] runs them on core in
//! every way there is. `PROPTEST_CASES=10000` makes more of them; under Miri there are those that no linker has to gather.

#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)] // a test that cannot go on has failed

mod case;
mod cases;
mod hooks;
mod model;
mod run;
mod seen;

use std::sync::Once;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use case::Case;
use cases::Parts;
use run::Path;

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
        let Some(mut wanted) = model::foretell(case, path.may_wait()) else { return Ok(()) };
        if !path.observed {
            wanted.timeline.clear();
        }
        let problem = match run::run(case, path) {
            Ok(given) => seen::difference(&wanted, &given),
            Err(problem) => Some(problem),
        };
        if let Some(problem) = problem {
            return Err(TestCaseError::fail(format!("on {path:?}\n{case:#?}\n{problem}")));
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

#[test]
fn async_wrappers() {
    hold(Parts { kinds: cases::ASYNC, fails: false, changes: false }, 150);
}

#[test]
fn async_wrappers_that_fail() {
    hold(Parts { kinds: cases::ASYNC, fails: true, changes: false }, 300);
}

#[test]
fn closures() {
    hold(Parts { kinds: cases::CLOSURES, fails: false, changes: false }, 150);
}

#[test]
fn closures_that_fail_and_are_switched() {
    hold(Parts { kinds: cases::CLOSURES, fails: true, changes: true }, 400);
}

#[test]
#[cfg_attr(miri, ignore = "they are linked")]
fn linked_hooks_with_state() {
    hold(Parts { kinds: cases::LINKED, fails: true, changes: false }, 250);
}

#[test]
fn all_kinds() {
    hold(Parts { kinds: cases::ALL, fails: true, changes: true }, 400);
}
