//! Attacks on the guards, as data: `rows/` has a file a kind, `ordinary/` the work that must not be disturbed.
//!
//! `tests/corpus` plays each row against the program as users have it (`src/main.rs`): a process, a workspace with real
//! files and a repository, a home, a model behind HTTP that says what the row says. The plugin here is what the corpus adds to that
//! program: [`probe`] stands for the person and writes down what happened to each call, [`tools`] for tools of other servers.

pub mod probe;
pub mod tools;

hookspec::plugin!();
