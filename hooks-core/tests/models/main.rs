//! Models of what hands work from thread to thread: every order that threads may take, within a bound.
//!
//! The files of the library are included as they are; `sync` is loom's here. A waiter that nobody wakes is a deadlock,
//! which loom reports with the path that led there.

#![allow(unreachable_pub, clippy::unwrap_used)]

mod alarms;
mod background;
#[path = "../../src/by_type.rs"]
mod by_type;
#[path = "../../src/guard.rs"]
#[allow(dead_code)]
mod guard;
mod oneshot;
#[path = "../../src/registry/seen.rs"]
mod seen;
mod session;
mod spawn;
mod state;
mod switches;
mod sync;
mod waiting;

mod entry {
    pub(crate) use hookspec::{BoxFuture, Origin};
}

mod dispatch {
    pub(crate) mod chain;
}

/// What says how states are saved; there are no hooks here.
#[allow(dead_code)]
mod registry {
    pub(crate) struct Aliases;

    impl Aliases {
        pub(crate) fn of_group(&self, _: &str) -> impl Iterator<Item = &str> {
            std::iter::empty()
        }
    }

    pub(crate) struct Listed {
        pub(crate) name: String,
        pub(crate) state: Option<crate::session::state::StateSpec>,
    }
}

/// Runs a model: all orders in which threads are interrupted at most so often where they need not be.
fn model(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(model);
}
