//! Models of what hands work from thread to thread: every order that threads may take, within a bound.
//!
//! The files of the library are included as they are; `sync` is loom's here. A waiter that nobody wakes is a deadlock,
//! which loom reports with the path that led there.

#![allow(unreachable_pub, clippy::unwrap_used)]

mod alarms;
mod background;
#[path = "../../src/base/by_type.rs"]
mod by_type;
mod chain;
#[path = "../../src/base/guard.rs"]
#[allow(dead_code)]
mod guard;
#[path = "../../src/base/json.rs"]
#[allow(dead_code, unused_imports)]
mod json;
mod oneshot;
#[path = "../../src/registry/seen.rs"]
mod seen;
mod session;
mod spawn;
mod state;
#[path = "../../src/plain/state_key.rs"]
#[allow(dead_code)]
mod state_key;
mod switches;
mod sync;
mod waiting;

mod boxed {
    pub(crate) use hookspec::hooks::BoxFuture;
}

mod options {
    pub(crate) use hookspec::hooks::Origin;
}

/// The library's files name each other by their layers.
mod base {
    pub(crate) use crate::{boxed, by_type, guard, json, sync};
}

mod plain {
    pub(crate) use crate::{options, state_key};
}

mod machinery {
    pub(crate) use crate::{chain, spawn};
}

/// Runs a model: all orders in which threads are interrupted at most so often where they need not be.
fn model(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(model);
}
