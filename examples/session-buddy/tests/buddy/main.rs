//! The plugin as hosts run it.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod chains;
mod checkpoints;
#[cfg(feature = "commands")]
mod commands;
mod format;
mod measured;
mod metrics;
mod ordering;
mod points;
mod processes;
mod session;
mod stage;
