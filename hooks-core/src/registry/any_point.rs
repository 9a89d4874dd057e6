//! Hook points behind pointers, and those that are linked into a program.

use std::fmt;

#[cfg(feature = "json")]
use serde_json::Value;

use crate::base::gathered::list;
#[cfg(feature = "json")]
use crate::declared::fired::FiredJson;
#[cfg(feature = "json")]
use crate::declared::untyped::Untyped;
use crate::plain::point_info::PointInfo;
use crate::session::Session;
use crate::set::Registry;

use super::by_hand::ByHand;
use super::gather::Gathering;
use super::listed::Listed;

/// A hook point behind a pointer: what tools that list, check or drive all points work with.
pub trait AnyPoint: sealed::Sealed + Send + Sync + fmt::Debug {
    /// The declaration.
    fn info(&self) -> &'static PointInfo;
    /// JSON Schema of the event; `None` without the `schema` feature, and at a `local` point.
    #[cfg(feature = "json")]
    fn schema(&self) -> Option<Value>;
    /// Fires the point on an event given as JSON and tells what each hook said.
    ///
    /// At a point around work there is no work here: each hook runs until it asks for it, and `first` is the answer of one that
    /// does not ask.
    ///
    /// # Errors
    /// If the JSON is not an event of this point.
    #[cfg(feature = "json")]
    fn fire_json(&self, session: &Session, event: Value) -> Result<FiredJson, serde_json::Error>;
    /// An example event would parse: used to check files before anything runs.
    ///
    /// # Errors
    /// If the JSON is not an event of this point.
    #[cfg(feature = "json")]
    fn check_json(&self, event: &Value) -> Result<(), serde_json::Error>;
    /// Whether any hook of a registry listens here: a host that has the event in another form asks before it
    /// converts it.
    fn is_heard(&self, registry: &Registry) -> bool;
    #[doc(hidden)]
    fn gather(&self, gathering: &mut Gathering<'_>);
    #[cfg(feature = "json")]
    #[doc(hidden)]
    fn register_json(&self, by_hand: &mut ByHand, hook: Untyped);
    #[doc(hidden)]
    fn linked_hooks(&self) -> Vec<Listed>;
}

/// What can be done with a point grows; so only core's [`PointOf`](crate::__private::PointOf) is one.
pub(crate) mod sealed {
    pub trait Sealed {}
}

list! {
    /// Every declared point.
    POINTS: &'static dyn AnyPoint;
}

pub(crate) fn linked_points() -> &'static [&'static dyn AnyPoint] {
    &POINTS
}

/// Every hook point that is linked into this program, by wire name.
///
/// Under Miri, which gathers nothing, the list is empty, and a point is known only once a hook is registered at it.
#[must_use]
pub fn points() -> Vec<&'static dyn AnyPoint> {
    let mut all: Vec<_> = linked_points().to_vec();
    all.sort_by_key(|point| point.info().wire);
    all
}

/// The point of that name: the name in code, the wire name or an alias.
#[must_use]
pub fn find_point(name: &str) -> Option<&'static dyn AnyPoint> {
    linked_points().iter().copied().find(|point| point.info().is_called(name))
}
