//! Hermes's plugin hooks, here.
//!
//! Hermes has hooks by name, and callbacks that return dictionaries. This crate has both, made of nothing but what
//! hookspec gives to everybody:
//!
//! - [`TABLE`]: each of its names that concerns one agent, and where it happens here. Most are aliases of core points;
//!   what core has no moment for is a point of this crate, fired by its hooks in every host that links it, or by a
//!   host that says so ([`hosts`]).
//! - [`lower`]: what a callback's return means; [`Together`]: what several mean together.
//! - [`Callbacks`]: callbacks registered by Hermes's names, in the order of their registration.
//!
//! ```
//! use hookspec::Registry;
//! use hookspec_hermes::Callbacks;
//! use serde_json::{Value, json};
//!
//! let callbacks = Callbacks::new()
//!     .on("pre_tool_call", "no_push", |told, _session| {
//!         let pushes = told["args"]["command"].as_str().is_some_and(|command| command.contains("git push"));
//!         Ok(if pushes { json!({ "action": "block", "message": "I push." }) } else { Value::Null })
//!     })?
//!     .on("on_session_end", "count", |told, _session| {
//!         eprintln!("turn {} is over", told["turn_id"]);
//!         Ok(Value::Null)
//!     })?;
//! let registry = callbacks.register(Registry::builder()).build()?;
//! assert!(registry.hook("hermes_plugins.pre_tool_call").is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

hookspec::plugin!();

mod approvals;
mod callbacks;
mod directive;
pub mod hosts;
mod injection;
mod kwargs;
mod outcome;
mod points;
mod seen;
mod settle;
mod spill;
mod streams;
mod table;
mod terminal;
mod tools;
mod turns;

pub use callbacks::{Callback, Callbacks};
pub use directive::{Directive, LowerError, Together, UnknownHook, known, lower};
pub use points::*;
pub use spill::Spill;
pub use table::{COMMON, Category, ELSEWHERE, Row, TABLE, find, markdown};
