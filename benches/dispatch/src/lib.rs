//! What firing a point costs, by everything that a point's hooks may be, beside the same work by hand and by others.
//!
//! All contestants run in turn, many short rounds; a figure is the median of its rounds. So a machine whose speed drifts
//! cannot favour anybody.

#![allow(clippy::unwrap_used, missing_docs, missing_debug_implementations)]

hookspec::plugin!();

pub mod by_hand;
pub mod hooks;
pub mod measure;
pub mod observers;
pub mod ours;
#[cfg(feature = "rivals")]
pub mod rivals;
pub mod work;
