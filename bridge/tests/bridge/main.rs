//! Events of other agents, in and out.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod clients;
mod common;
mod events;
mod files;
mod inputs;
mod pages;
