//! Lifecycle hooks for AI agents.
//!
//! A hook is a plain function with one attribute. It names its hook point and asks, by name, for what it
//! needs of the point's event; the compiler checks both.
//!
//! ```
//! use std::path::Path;
//! use hookspec::{hook, points::FILE_POST_SAVE, Message};
//!
//! /// Greets every new file.
//! #[hook(FILE_POST_SAVE, priority = 5, name = "doc.greet")]
//! fn greet(path: &Path, created: bool) -> Option<Message> {
//!     created.then(|| Message::system(format!("hello, {}", path.display())))
//! }
//! ```
//!
//! A host selects hooks into a [`Registry`], opens a [`Session`] and fires points:
//!
//! ```
//! use std::path::Path;
//! use hookspec::{fire_now, points::FILE_POST_SAVE, Hook, Hooks, Message, Registry, Session};
//!
//! let registry = Registry::builder()
//!     .linked(false) // take only what is registered here
//!     .register(Hook::new(FILE_POST_SAVE, "doc.size", |event, _| {
//!         Message::system(format!("{} bytes", event.content.len()))
//!     }))
//!     .build()?;
//! let session = Session::builder(&Hooks::new(registry), "demo").build();
//! let fired = fire_now!(session, FILE_POST_SAVE {
//!     path: Path::new("/tmp/a"), content: "abc", created: true,
//! });
//! assert_eq!(fired.messages()[0].content, "3 bytes");
//! # Ok::<(), hookspec::registry::BuildError>(())
//! ```
//!
//! | to | look at |
//! |---|---|
//! | write a hook | [`macro@hook`], [`IntoOutcome`](crate::hooks::IntoOutcome) for what it may return |
//! | see the moments there are | [`points`] |
//! | declare a moment of your own | [`hook_point!`] |
//! | make a crate of hooks | [`plugin!`], [`plugins!`] |
//! | add a tool | [`macro@tool`] |
//! | choose what runs | [`RegistryBuilder`](crate::registry::RegistryBuilder), [`Config`] |
//! | fire points | [`fire!`], [`fire_now!`], [`Handle`](crate::registry::Handle) |
//! | let hooks wrap work | [`around!`], [`around_now!`], [`Next`](crate::hooks::Next) for the hooks |
//!
//! What is promised: hooks of a point run by priority (high first), then by name; a hook sees what earlier
//! ones emitted; a hook that panics, fails or overruns costs only itself, and a gate that does so denies;
//! nothing that a hook emitted is lost. What is not promised: anything about the order of different points'
//! hooks beyond the order in which the host fires the points.
//!
//! Core knows no built-in, no model, no tool, no network and no async runtime.
//!
//! # Features
//!
//! All are on unless you say `default-features = false`. Each only adds; with none there are points, hooks, registries, dispatch
//! and sessions, on linkme, serde, thiserror and tracing. `docs/hosting.md` has what each costs.
//!
//! | feature | adds |
//! |---|---|
//! | `json` | events, states and hooks as JSON; the points of an agent's life, tools, what models are asked; "did you mean" in errors |
//! | `schema` | JSON Schemas of points and tools (with `json`) |
//! | `config` | `hookspec.toml`, environment variables, `settings: &T` of hooks (with `json`) |
//! | `time` | times of messages, a session's clock, observers and the timeline (with `json`) |
//! | `live` | hooks that are registered, replaced, removed and swapped while the host runs |

#![cfg_attr(docsrs, feature(doc_cfg))]
// With all features on, what nobody uses is a mistake; a smaller set leaves helpers and imports without a user.
#![cfg_attr(
    not(all(feature = "config", feature = "json", feature = "live", feature = "schema", feature = "time")),
    allow(dead_code, unused_imports, unreachable_pub)
)]

#[doc(hidden)]
pub mod __private;

mod base;
pub mod data;
mod declared;
mod dispatch;
mod machinery;
mod plain;
mod point_of;
#[cfg(feature = "json")]
#[allow(unsafe_code)] // their rows are placed in a section, which other crates need not allow
pub mod points;
pub mod prelude;
pub mod registry;
pub mod session;
mod set;

pub use declared::entry::Hook;
pub use declared::outcome::Each;
#[cfg(feature = "config")]
pub use machinery::config::Config;
pub use plain::flow::Flow;
pub use plain::message::{Message, Role};
pub use plain::options::{Mode, Options};
#[cfg(feature = "json")]
pub use plain::tool_use::ToolUse;
pub use plain::verdict::{Around, First, Fold, Gate};
#[doc(inline)]
pub use session::Session;
pub use set::{Hooks, Registry};

/// Questions to the user and their answers.
#[cfg(feature = "json")]
pub mod ask {
    pub use crate::plain::ask::{
        Answer, Confirmation, Continue, ElicitKind, Elicitation, FieldAnswer, FieldKind, FormField, Secret,
        Why,
    };
}

/// What a configuration may say, and how it is refused.
pub mod config {
    pub use crate::machinery::background::{BackgroundSettings, WhenFull};
    #[cfg(feature = "config")]
    pub use crate::machinery::config::{ConfigError, Foreign, Named};
}

/// Hooks: how they are called, what they may say, what they are given, and how they fail.
pub mod hooks {
    pub use crate::base::boxed::{BoxError, BoxFuture};
    pub use crate::declared::around::{
        AroundAsync, AroundAsyncClosure, AroundCall, AroundClosure, AroundSync, CannotWait, Next, Repeatable,
        Running, Within,
    };
    pub use crate::declared::entry::{AsyncCall, Call, ClosureCall, Entry, SyncCall};
    pub use crate::declared::failure::{Cause, Failure};
    #[cfg(feature = "json")]
    pub use crate::declared::json_call::{JsonAsyncCall, JsonCall, JsonEvent, JsonOutcome, JsonResult};
    pub use crate::declared::outcome::{BackgroundReturn, InPlace, IntoOutcome, Outcome};
    #[cfg(feature = "config")]
    pub use crate::plain::hook_info::Setting;
    pub use crate::plain::hook_info::{HookInfo, HookRow, Ruled};
    pub use crate::plain::options::{Origin, Placement, Timeout};
    #[cfg(feature = "config")]
    pub use crate::plain::settings::{HookSettings, SettingsSpec};
    pub use crate::plain::shadow::Shadowed;
    pub use crate::plain::state_key::StateSpec;
    #[cfg(feature = "json")]
    pub use crate::registry::json_hook::JsonHook;
}

/// What goes to a model and what comes back.
#[cfg(feature = "json")]
pub mod model {
    pub use crate::plain::model::{
        ChunkKind, FaultClass, FinishReason, GenerationFault, GenerationResult, Parameters, Request, Response,
    };
    pub use crate::plain::usage::{Metadata, MicroDollars, Timings, Usage};
}

/// Hook points: their declarations, their verdicts, and what firing one comes to.
pub mod point {
    pub use crate::declared::around::{Lost, Wrapped};
    #[cfg(feature = "json")]
    pub use crate::declared::fired::FiredJson;
    pub use crate::declared::fired::{Fired, Folded, Gated};
    pub use crate::declared::point::{AroundPoint, FiredPoint, Point};
    pub use crate::plain::point_info::{FieldInfo, FireSite, PointInfo, fire_sites};
    pub use crate::plain::verdict::{AroundVerdict, ChangedInput, FiredVerdict, Messages, Never, Verdict};
    pub use crate::point_of::SchemaIfAny;
    pub use crate::registry::any_point::{AnyPoint, find_point, points as all_points};
}

/// Threads and timers, which the host may bring.
pub mod spawn {
    pub use crate::machinery::spawn::{BlockingError, Job, Spawn, SpawnError, Threads};
}

/// What happened at the points of a session.
#[cfg(feature = "time")]
pub mod timeline {
    pub use crate::session::timeline::{
        AroundRecord, HookRun, Observer, Recorded, RecordedFire, RecordedRun, Timeline, TimelineEntry,
    };
}

/// The serde and the schemars that generated code uses, for who writes out what [`macro@data`] writes.
// Not listed in the docs: once serde's modules can be reached by a path that is, rustc writes `std::option::Option` for `Option`
// in every error of every hook.
#[doc(hidden)]
pub mod reexports {
    #[cfg(feature = "schema")]
    pub use schemars;
    pub use serde;
}

#[cfg(feature = "json")]
pub use declared::tool;
#[cfg(feature = "json")]
pub use hookspec_macros::tool;
pub use hookspec_macros::{data, hook};

/// Declares hook points.
///
/// ```
/// use hookspec::hook_point;
///
/// hook_point! {
///     /// Before the dough goes into the oven.
///     pub BAKE_PRE("bake.pre", aliases = ["pre_bake"]) -> Gate {
///         /// Oven temperature in °C.
///         degrees: u32,
///         /// What is baked.
///         recipe: &str,
///     }
/// }
/// # fn main() {}
/// ```
///
/// Write it at module level, or in a function's body. From one declaration come the event `BakePre<'a>` and its owned twin `BakePreOwned`, the constant and module
/// `BAKE_PRE` for `#[hook]` and `fire!`, a row in [`all_points`](crate::point::all_points), and the JSON Schema.
///
/// - Behind the arrow stands the verdict: `Messages`, `Gate`, `First<T>`, `Fold<T>`, `Gate + Fold<T>` or `Around<T>`.
/// - A fold marks the field that it replaces: `#[fold] message: &Message`. Around work the mark is for what hooks may change on
///   the way in, and may be left out.
/// - Fields are `Copy`: references, or small values. `session`, `state`, `settings`, `event` and `next` are reserved.
/// - Beside `aliases`: `transient` (messages go to the caller and not into the log), `sync` (only plain
///   `fn` hooks may listen) and `local`.
///
/// A `local` point's fields may be of any types, as long as they are lent or `Copy`, and may go to another thread (`Sync`): a
/// `&Editor` of the host's own, a `&dyn Trait`. Its events have no form outside of this process: there is no owned twin and no
/// schema, nothing is read from JSON, and hooks that need a copy (`blocking`, `background`) are refused. What hooks hand back is
/// data all the same: the `T` of `Fold<T>` and `First<T>`.
///
/// ```
/// use hookspec::{Gate, Hook, Hooks, Registry, Session, fire_now, hook_point};
///
/// pub struct Oven { door_open: bool }
///
/// hook_point! {
///     /// Before the oven is switched on.
///     pub OVEN_ON("oven.on", local) -> Gate { oven: &Oven }
/// }
///
/// # fn main() -> Result<(), hookspec::registry::BuildError> {
/// let hook = Hook::new(OVEN_ON, "kitchen.door", |event, _| {
///     event.oven.door_open.then(|| Gate::deny("the door is open"))
/// });
/// let registry = Registry::builder().register(hook).build()?;
/// let session = Session::builder(&Hooks::new(registry), "demo").build();
/// let fired = fire_now!(session, OVEN_ON { oven: &Oven { door_open: true } });
/// assert_eq!(fired.denied(), Some(("the door is open", "kitchen.door")));
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! hook_point {
    ($($declaration:tt)*) => {
        $crate::__private::hook_point_impl! { [$crate] $($declaration)* }
    };
}

/// Fires a point: `fire!(session, FILE_POST_SAVE { path, content, created }).await`.
///
/// Gives a [`Fired`](crate::point::Fired). The future is ready at once unless an async or blocking hook is selected. The place
/// is recorded in [`fire_sites`](crate::point::fire_sites), so that a point which nobody fires shows.
#[macro_export]
macro_rules! fire {
    ($session:expr, $($point:ident)::+ { $($fields:tt)* }) => {
        $crate::__fire!(fire, $session, [$($point)::+] { $($fields)* })
    };
}

/// Fires a point on this thread, for hosts without an async runtime.
#[macro_export]
macro_rules! fire_now {
    ($session:expr, $($point:ident)::+ { $($fields:tt)* }) => {
        $crate::__fire!(fire_now, $session, [$($point)::+] { $($fields)* })
    };
}

/// Runs work with the hooks of a point around it: `around!(session, BAKE { recipe }, async |event| bake(event.recipe).await).await`.
///
/// Gives a [`Wrapped`](crate::point::Wrapped). The work gets the event as the hooks made it, and may be run again, so it is a closure that can be called
/// more than once: `async |event| …`, or `|event| async move { … }`. It and its future may go to another thread.
///
/// What the hooks decide about is decided before: fire the gates first. The place is recorded in [`fire_sites`](crate::point::fire_sites).
#[macro_export]
macro_rules! around {
    ($session:expr, $($point:ident)::+ { $($fields:tt)* }, $work:expr $(,)?) => {{
        use $($point)::+ as __point;
        $crate::__fire_site!();
        $($point)::+! { @around future $crate::__private::around::<__point::Point, _>(
            &$session,
            __point::Event { $($fields)* },
            |__event, _| ::std::boxed::Box::pin($crate::__private::apply(__event, $work)),
        ) }
    }};
}

/// The same on this thread, for hosts without an async runtime: the work gives its result at once.
#[macro_export]
macro_rules! around_now {
    ($session:expr, $($point:ident)::+ { $($fields:tt)* }, $work:expr $(,)?) => {{
        use $($point)::+ as __point;
        $crate::__fire_site!();
        $($point)::+! { @around value $crate::__private::around_now::<__point::Point, _>(
            &$session,
            __point::Event { $($fields)* },
            $work,
        ) }
    }};
}

/// Notes that the point called `__point` is fired here.
#[doc(hidden)]
#[macro_export]
macro_rules! __fire_site {
    () => {
        const _: () = {
            $crate::__gathered!([$crate::__private::FIRE_SITES] $crate::__private::FireSite = $crate::__private::FireSite {
                point: <__point::Point as $crate::__private::Point>::INFO,
                file: file!(),
                line: line!(),
                package: env!("CARGO_PKG_NAME"),
            });
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __fire {
    ($how:ident, $session:expr, [$($point:ident)::+] { $($fields:tt)* }) => {{
        use $($point)::+ as __point;
        const _: () = {
            $crate::__gathered!([$crate::__private::FIRE_SITES] $crate::__private::FireSite = $crate::__private::FireSite {
                point: <__point::Point as $crate::__private::Point>::INFO,
                file: file!(),
                line: line!(),
                package: env!("CARGO_PKG_NAME"),
            });
        };
        $crate::__private::must_fire::<__point::Point>();
        $crate::__private::$how::<__point::Point>(&$session, __point::Event { $($fields)* })
    }};
}

/// The settings that a hook asks for.
#[cfg(feature = "config")]
#[doc(hidden)]
#[macro_export]
macro_rules! __settings {
    ($type:ty) => {
        ::core::option::Option::Some($crate::__private::SettingsSpec::of::<$type>())
    };
}

/// The settings that a hook asks for.
#[cfg(not(feature = "config"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __settings {
    ($type:ty) => {
        ::core::compile_error!(
            "`settings` are read from configuration files, and the feature `config` of `hookspec` is off: turn it on, or lend the hook what it needs as a field of the point or by `session.extension()`"
        )
    };
}

/// A type of one's own with what it needs; with a schema where the feature is on.
#[cfg(feature = "schema")]
#[doc(hidden)]
#[macro_export]
macro_rules! __data {
    ([$($std:ident)*] [$($serde:ident)* $serde_text:literal] [$($schema:ident)* $schemars_text:literal] $($item:tt)*) => {
        #[derive($($std,)* $($crate::__private::serde::$serde,)* $($crate::__private::schemars::$schema,)*)]
        #[serde(crate = $serde_text)]
        #[schemars(crate = $schemars_text)]
        $($item)*
    };
}

/// A type of one's own with what it needs; with a schema where the feature is on.
#[cfg(not(feature = "schema"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __data {
    ([$($std:ident)*] [$($serde:ident)* $serde_text:literal] [$($schema:ident)* $schemars_text:literal] $($item:tt)*) => {
        #[derive($($std,)* $($crate::__private::serde::$serde,)*)]
        #[serde(crate = $serde_text)]
        $($item)*
    };
}

/// The owned twin of an event; with a schema where the feature is on.
#[cfg(feature = "schema")]
#[doc(hidden)]
#[macro_export]
macro_rules! __owned_twin {
    ([{ $($serde:tt)* } { $($schemars:tt)* } $serde_text:literal $schemars_text:literal] $($item:tt)*) => {
        #[derive(Clone, Debug)]
        #[derive($($serde)*::Serialize, $($serde)*::Deserialize, $($schemars)*::JsonSchema)]
        #[serde(crate = $serde_text)]
        #[schemars(crate = $schemars_text)]
        $($item)*
    };
}

/// The owned twin of an event; with a schema where the feature is on.
#[cfg(not(feature = "schema"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __owned_twin {
    ([{ $($serde:tt)* } { $($schemars:tt)* } $serde_text:literal $schemars_text:literal] $($item:tt)*) => {
        #[derive(Clone, Debug)]
        #[derive($($serde)*::Serialize, $($serde)*::Deserialize)]
        #[serde(crate = $serde_text)]
        $($item)*
    };
}
