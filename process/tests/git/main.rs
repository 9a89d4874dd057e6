//! Git in hostile repositories: nothing that they name is run, and nothing elsewhere is touched. Each trap is shown to work.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod commits;
mod keys;
mod ours;
mod places;
mod stage;
