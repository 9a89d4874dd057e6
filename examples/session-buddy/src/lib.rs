//! A plugin that watches over sessions, after the hooks of session-buddy, with hookspec's public API only.
//!
//! - [`checkpoint`]: a score of the workspace's [`quality`], a gate that refuses what is too low, history, a commit or tag.
//! - [`errors`]: what was tried against an error and what fixed it, and the fix offered when the error comes back.
//! - [`patterns`] and [`skills`]: what good checkpoints have in common.
//! - [`metrics`]: how sessions go, one by one and over time, as figures and as a picture.
//! - [`format`](mod@format): a file is formatted after it was changed.
//! - [`search`]: lessons in the model's words.
//!
//! The moments that it adds to an agent's life are in [`points`], with the table of the original's; its settings are
//! `[hooks.buddy]`, see [`settings::Settings`]. `use hookspec_session_buddy as _;` links all of it; with the feature `commands`
//! (on by default) a program made of `hookspec_cli` also gets `checkpoint` and `buddy`.

#[cfg(feature = "commands")]
mod commands;
mod git;
mod lifecycle;

pub mod checkpoint;
pub mod errors;
pub mod format;
pub mod metrics;
pub mod ordering;
pub mod patterns;
pub mod points;
pub mod quality;
pub mod search;
pub mod settings;
pub mod skills;
pub mod store;
pub mod timeline;

hookspec::plugin!();

/// The page's example compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
