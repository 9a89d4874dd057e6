//! Callbacks as Hermes has them, on the real dispatcher and in the real engine.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;
mod directives;
mod engine;
mod injection;
mod moments;
mod readme;
mod sessions;
mod warnings;
