//! What generated code touches. Not for people; changes without notice.

pub use linkme;
#[cfg(feature = "schema")]
pub use schemars;
pub use serde;
pub use serde_json;

pub use crate::dispatch::{fire, fire_now};
pub use crate::point::{AnyPoint, PointOf};
pub use hookspec_macros::{essays_impl, hook_point_impl, plugins_impl};

use crate::outcome::{IntoOutcome, Outcome};
use crate::point::{FireSite, Point};
use crate::verdict::{Messages, Verdict};

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

/// A hook's return value where the type cannot be written out.
#[inline]
pub fn convert<V: Verdict, R: IntoOutcome<V>>(returned: R, out: &mut Outcome<V>) {
    returned.into_outcome(out);
}

/// A background hook's return value: observations only, whatever the point's verdict.
pub fn convert_background<P: Point, R: IntoOutcome<Messages>>(returned: R, out: &mut Outcome<P::Verdict>) {
    let mut observed = Outcome::<Messages>::silent();
    returned.into_outcome(&mut observed);
    if let Some(said) = observed.take() {
        said.messages.into_iter().for_each(|message| out.message(message));
        out.flow(said.flow);
        if let Some(error) = said.error {
            out.fail(error);
        }
    }
}

/// A point that async hooks may listen at.
#[diagnostic::on_unimplemented(
    message = "`async fn` hooks cannot listen at this hook point",
    label = "this point is fired by hosts without an async runtime",
    note = "make the hook a plain `fn`"
)]
pub trait AllowsAsync {}

/// Checks the above, once per async hook.
pub const fn allows_async<P: AllowsAsync>() {}

/// The JSON Schema of a tool's arguments.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema<T: schemars::JsonSchema>() -> serde_json::Value {
    schemars::schema_for!(T).to_value()
}

/// The JSON Schema of a tool's arguments; without the `schema` feature, any object.
#[cfg(not(feature = "schema"))]
#[must_use]
pub fn schema<T>() -> serde_json::Value {
    no_arguments()
}

/// The JSON Schema of a tool without arguments.
#[must_use]
pub fn no_arguments() -> serde_json::Value {
    serde_json::json!({ "type": "object", "properties": {} })
}
