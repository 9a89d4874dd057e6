//! A point behind a pointer: all that needs its types.

use std::fmt;
#[cfg(feature = "json")]
use std::sync::Arc;

#[cfg(feature = "json")]
use serde::Deserialize;
#[cfg(feature = "json")]
use serde_json::Value;

use crate::declared::fired::FiredJson;
#[cfg(feature = "json")]
use crate::declared::json_call::{JsonAsyncCall, JsonCall, JsonForm};
use crate::declared::point::{AroundPoint, FiredPoint, Point};
#[cfg(feature = "json")]
use crate::declared::untyped::Untyped;
use crate::dispatch::{around_nothing, fire_now};
use crate::plain::point_info::PointInfo;
use crate::registry::any_point::sealed;
#[cfg(feature = "json")]
use crate::registry::json_hook::JsonHook;
use crate::registry::{AnyPoint, ByHand, Gathering, Listed};
use crate::session::Session;
use crate::set::Registry;

/// The [`AnyPoint`] of `P`.
pub struct PointOf<P: Point> {
    fire: fn(&Session, P::Event<'_>) -> FiredJson,
}

impl<P: Point> PointOf<P> {
    /// That of a point that fires.
    #[must_use]
    pub const fn new() -> Self
    where
        P: FiredPoint,
    {
        Self { fire: |session, event| fire_now::<P>(session, event).into_json() }
    }

    /// That of a point around work.
    #[must_use]
    pub const fn around() -> Self
    where
        P: AroundPoint,
    {
        Self { fire: around_nothing::<P> }
    }
}

#[cfg(feature = "json")]
impl<P: Point> PointOf<P> {
    fn check_wire(&self) -> Result<(), serde_json::Error> {
        if P::INFO.local { Err(no_wire_form(P::INFO.name)) } else { Ok(()) }
    }
}

impl<P: FiredPoint> Default for PointOf<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Point> fmt::Debug for PointOf<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(P::INFO.name)
    }
}

impl<P: Point<Owned: SchemaIfAny>> sealed::Sealed for PointOf<P> {}

impl<P: Point<Owned: SchemaIfAny>> AnyPoint for PointOf<P> {
    fn info(&self) -> &'static PointInfo {
        P::INFO
    }

    #[cfg(feature = "json")]
    fn schema(&self) -> Option<Value> {
        if P::INFO.local { None } else { P::Owned::schema() }
    }

    #[cfg(feature = "json")]
    fn fire_json(&self, session: &Session, event: Value) -> Result<FiredJson, serde_json::Error> {
        self.check_wire()?;
        let owned: P::Owned = serde_json::from_value(event)?;
        Ok((self.fire)(session, P::lend(&owned)))
    }

    #[cfg(feature = "json")]
    fn check_json(&self, event: &Value) -> Result<(), serde_json::Error> {
        self.check_wire()?;
        P::Owned::deserialize(event).map(drop)
    }

    fn is_heard(&self, registry: &Registry) -> bool {
        registry.find::<P>().is_some_and(|handle| !handle.is_empty())
    }

    fn gather(&self, gathering: &mut Gathering<'_>) {
        gathering.add::<P>();
    }

    #[cfg(feature = "json")]
    fn register_json(&self, by_hand: &mut ByHand, hook: Untyped) {
        if P::INFO.local {
            by_hand.refuse(hook.at_local_point(P::INFO));
        } else {
            by_hand.add(hook.typed::<P>());
        }
    }

    fn linked_hooks(&self) -> Vec<Listed> {
        crate::declared::linked::hooks::<P>().map(Listed::of).collect()
    }
}

/// Why an event of a `local` point is not written down, and none is read.
pub fn no_wire_form<E: serde::ser::Error>(point: &str) -> E {
    E::custom(format_args!(
        "`{point}` is a `local` point: its events hold what has no form outside of this process"
    ))
}

#[cfg(feature = "json")]
impl JsonHook {
    /// A hook at a point that the program knows by its type, linked or not.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hookspec::{hooks::{JsonHook, JsonOutcome}, points::FILE_POST_SAVE};
    ///
    /// let hook = JsonHook::at(FILE_POST_SAVE, "audit.saved", Arc::new(|_, _| Ok(JsonOutcome::default())));
    /// ```
    #[track_caller]
    pub fn at<P: FiredPoint>(_point: P, name: impl Into<String>, call: Arc<JsonCall>) -> Self
    where
        PointOf<P>: AnyPoint,
    {
        Self::of(const { &PointOf::<P>::new() }, name.into(), JsonForm::Now(call))
    }

    /// The same for a hook that gives a future.
    #[track_caller]
    pub fn at_async<P: FiredPoint>(_point: P, name: impl Into<String>, call: Arc<JsonAsyncCall>) -> Self
    where
        PointOf<P>: AnyPoint,
    {
        Self::of(const { &PointOf::<P>::new() }, name.into(), JsonForm::Later(call))
    }
}

/// A type with a JSON Schema where the `schema` feature is on, any type where it is off.
pub trait SchemaIfAny {
    /// The schema.
    #[cfg(feature = "json")]
    fn schema() -> Option<Value>;
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> SchemaIfAny for T {
    fn schema() -> Option<Value> {
        Some(schemars::schema_for!(T).to_value())
    }
}

#[cfg(not(feature = "schema"))]
impl<T> SchemaIfAny for T {
    #[cfg(feature = "json")]
    fn schema() -> Option<Value> {
        None
    }
}
