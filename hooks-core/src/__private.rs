//! What generated code touches. Not for people; changes without notice.

pub use linkme;
#[cfg(feature = "schema")]
pub use schemars;
pub use serde;
pub use serde_json;

pub use crate::dispatch::{fire, fire_now};
pub use crate::point::{AnyPoint, PointOf};
pub use hookspec_macros::{essays_impl, hook_point_impl, no_field_impl, placed, plugins_impl, refusal_impl};

use crate::point::FireSite;

/// Every declared point.
#[allow(unsafe_code)] // the attribute places the list in a section of its own; core's one reasoned place
#[cfg(not(miri))]
#[linkme::distributed_slice]
pub static POINTS: [&'static dyn AnyPoint];

/// Every fire site.
#[allow(unsafe_code)]
#[cfg(not(miri))]
#[linkme::distributed_slice]
pub static FIRE_SITES: [FireSite];

/// Every tool.
#[allow(unsafe_code)]
#[cfg(not(miri))]
#[linkme::distributed_slice]
pub static TOOLS: [crate::tool::ToolEntry];

#[cfg(not(miri))]
pub(crate) fn points() -> &'static [&'static dyn AnyPoint] {
    &POINTS
}
#[cfg(not(miri))]
pub(crate) fn fire_sites() -> &'static [FireSite] {
    &FIRE_SITES
}
#[cfg(not(miri))]
pub(crate) fn tools() -> &'static [crate::tool::ToolEntry] {
    &TOOLS
}

// Miri cannot read what the linker gathers; hooks are registered by hand there.
#[cfg(miri)]
pub(crate) fn points() -> &'static [&'static dyn AnyPoint] {
    &[]
}
#[cfg(miri)]
pub(crate) fn fire_sites() -> &'static [FireSite] {
    &[]
}
#[cfg(miri)]
pub(crate) fn tools() -> &'static [crate::tool::ToolEntry] {
    &[]
}

/// A type without values.
#[derive(Debug)]
pub enum Nobody {}

/// Stands where a value would, in a program that does not compile.
///
/// # Panics
/// Always.
#[must_use]
pub fn absent<T>() -> T {
    unreachable!("the macro reported an error here")
}

/// The future of an `async` hook, which may go on in another thread.
pub fn an_async_hook_must_be_send<F: Future + Send>(future: F) -> F {
    future
}

/// The future of a tool, which may go on in another thread.
pub fn an_async_tool_must_be_send<F: Future + Send>(future: F) -> F {
    future
}

/// Whether a module's path is a crate's root.
#[must_use]
pub const fn is_root(module: &str) -> bool {
    let bytes = module.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b':' {
            return false;
        }
        at += 1;
    }
    true
}

/// The JSON Schema of a tool without arguments.
#[must_use]
pub fn no_arguments() -> serde_json::Value {
    serde_json::json!({ "type": "object", "properties": {} })
}
