//! Local model servers, started, asked and ended: with real processes.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;
mod config;
mod engine;
mod host;
mod processes;
mod sessions;
