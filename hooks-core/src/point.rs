//! Hook points: named moments in an agent's life.
//!
//! A point is declared once, with [`hook_point!`](crate::hook_point), in any crate. From that declaration come the event
//! struct and its owned twin, the slice that the linker fills, the handle used by `#[hook]` and `fire!`,
//! the row in [`points`], and the JSON Schema. There is no second list to keep in step.

use std::fmt;
use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::entry::Entry;
use crate::fired::FiredJson;
use crate::json_hook::JsonHook;
use crate::registry::{Gathering, Listed, Registry, RegistryBuilder};
use crate::session::Session;
use crate::verdict::Verdict;

/// The type-level face of a hook point. `hook_point!` implements it; nobody writes it by hand.
pub trait Point: Copy + Send + Sync + fmt::Debug + 'static {
    /// What a hook sees: a struct of borrowed or `Copy` fields.
    type Event<'e>: Copy + Serialize + Send + Sync + fmt::Debug;
    /// The event without borrows: for background hooks, for the wire, for replay.
    type Owned: Serialize + DeserializeOwned + Send + Sync + fmt::Debug + 'static;
    /// How the hooks' results combine.
    type Verdict: Verdict;
    /// The declaration as data.
    const INFO: &'static PointInfo;

    /// Copies an event out of its borrows.
    fn own(event: &Self::Event<'_>) -> Self::Owned;
    /// Borrows an owned event.
    fn lend(owned: &Self::Owned) -> Self::Event<'_>;
    /// The event with the folded value in place of the original, where there is one.
    fn with<'s, 'l: 's>(
        event: &Self::Event<'l>,
        value: Option<&'s <Self::Verdict as Verdict>::Fold>,
    ) -> Self::Event<'s>;
    /// The hooks that the linker gathered, in no particular order.
    fn linked() -> &'static [Entry<Self>];
}

/// A hook point as data.
#[derive(Debug, Serialize)]
pub struct PointInfo {
    /// The name in code, `FILE_POST_SAVE`.
    pub name: &'static str,
    /// The name on the wire and in configuration, `file.save.post`.
    pub wire: &'static str,
    /// Other systems' names for the same moment.
    pub aliases: &'static [&'static str],
    /// What it means and when it fires.
    pub docs: &'static str,
    /// How the hooks' results combine, as written in the declaration.
    pub verdict: &'static str,
    /// What a hook may ask for.
    pub fields: &'static [FieldInfo],
    /// Whether messages emitted here go to the caller only and not into the conversation.
    pub transient: bool,
    /// Whether only sync hooks may listen.
    pub sync: bool,
    /// The package that declares it.
    pub package: &'static str,
    /// Where it is declared.
    pub file: &'static str,
    /// Where it is declared.
    pub line: u32,
}

impl PointInfo {
    /// Whether `name` is one of the point's names: in code, on the wire, or an alias.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.wire == name || self.aliases.contains(&name)
    }
}

/// One field of a point's event.
#[derive(Debug, Serialize)]
pub struct FieldInfo {
    /// Name, which is also the parameter's name in a hook.
    pub name: &'static str,
    /// Type, as written in the declaration.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// What it holds.
    pub docs: &'static str,
}

/// A hook point behind a pointer: what tools that list, check or drive all points work with.
pub trait AnyPoint: Send + Sync + fmt::Debug {
    /// The declaration.
    fn info(&self) -> &'static PointInfo;
    /// JSON Schema of the event; `None` without the `schema` feature.
    fn schema(&self) -> Option<Value>;
    /// Fires the point on an event given as JSON and tells what each hook said.
    ///
    /// # Errors
    /// If the JSON is not an event of this point.
    fn fire_json(&self, session: &Session, event: Value) -> Result<FiredJson, serde_json::Error>;
    /// An example event would parse: used to check files before anything runs.
    ///
    /// # Errors
    /// If the JSON is not an event of this point.
    fn check_json(&self, event: &Value) -> Result<(), serde_json::Error>;
    /// Whether any hook of a registry listens here: a host that has the event in another form asks before it
    /// converts it.
    fn is_heard(&self, registry: &Registry) -> bool;
    #[doc(hidden)]
    fn gather(&self, gathering: &mut Gathering<'_>);
    #[doc(hidden)]
    fn register_json(&self, builder: RegistryBuilder, hook: JsonHook) -> RegistryBuilder;
    #[doc(hidden)]
    fn linked_hooks(&self) -> Vec<Listed>;
}

/// The [`AnyPoint`] of `P`.
pub struct PointOf<P>(PhantomData<fn() -> P>);

impl<P: Point> PointOf<P> {
    /// The only value there is.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<P: Point> Default for PointOf<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Point> fmt::Debug for PointOf<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(P::INFO.name)
    }
}

impl<P: Point<Owned: SchemaIfAny>> AnyPoint for PointOf<P> {
    fn info(&self) -> &'static PointInfo {
        P::INFO
    }

    fn schema(&self) -> Option<Value> {
        P::Owned::schema()
    }

    fn fire_json(&self, session: &Session, event: Value) -> Result<FiredJson, serde_json::Error> {
        let owned: P::Owned = serde_json::from_value(event)?;
        Ok(crate::dispatch::fire_now::<P>(session, P::lend(&owned)).into_json())
    }

    fn check_json(&self, event: &Value) -> Result<(), serde_json::Error> {
        P::Owned::deserialize(event).map(drop)
    }

    fn is_heard(&self, registry: &Registry) -> bool {
        registry.find::<P>().is_some_and(|handle| !handle.is_empty())
    }

    fn gather(&self, gathering: &mut Gathering<'_>) {
        gathering.add::<P>();
    }

    fn register_json(&self, builder: RegistryBuilder, hook: JsonHook) -> RegistryBuilder {
        builder.register(hook.typed::<P>())
    }

    fn linked_hooks(&self) -> Vec<Listed> {
        P::linked().iter().map(|entry| Listed::of::<P>(entry)).collect()
    }
}

/// A type with a JSON Schema where the `schema` feature is on, any type where it is off.
#[cfg(feature = "schema")]
pub trait SchemaIfAny {
    /// The schema.
    fn schema() -> Option<Value>;
}

/// A type with a JSON Schema where the `schema` feature is on, any type where it is off.
#[cfg(not(feature = "schema"))]
pub trait SchemaIfAny {
    /// The schema.
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
    fn schema() -> Option<Value> {
        None
    }
}

/// Every hook point that is linked into this program, by wire name.
///
/// Without link-time registration (Miri, wasm) the list is empty and points are known only once a hook is
/// registered at them.
#[must_use]
pub fn points() -> Vec<&'static dyn AnyPoint> {
    let mut all: Vec<_> = crate::__private::points().to_vec();
    all.sort_by_key(|point| point.info().wire);
    all
}

/// The point of that name: the name in code, the wire name or an alias.
#[must_use]
pub fn find_point(name: &str) -> Option<&'static dyn AnyPoint> {
    crate::__private::points().iter().copied().find(|point| point.info().is_called(name))
}

/// One place in a host's code where a point is fired.
#[derive(Debug, Serialize)]
pub struct FireSite {
    /// The point.
    pub point: &'static PointInfo,
    /// Source file.
    pub file: &'static str,
    /// Source line.
    pub line: u32,
    /// The package that fires it.
    pub package: &'static str,
}

/// Every fire site that is linked into this program.
#[must_use]
pub fn fire_sites() -> &'static [FireSite] {
    crate::__private::fire_sites()
}
