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
//! # Ok::<(), hookspec::BuildError>(())
//! ```
//!
//! | to | look at |
//! |---|---|
//! | write a hook | [`macro@hook`], [`IntoOutcome`] for what it may return |
//! | see the moments there are | [`points`] |
//! | declare a moment of your own | [`hook_point!`] |
//! | make a crate of hooks | [`plugin!`], [`plugins!`] |
//! | add a tool | [`macro@tool`] |
//! | choose what runs | [`RegistryBuilder`], [`Config`] |
//! | fire points | [`fire!`], [`fire_now!`], [`Handle`] |
//!
//! What is promised: hooks of a point run by priority (high first), then by name; a hook sees what earlier
//! ones emitted; a hook that panics, fails or overruns costs only itself, and a gate that does so denies;
//! nothing that a hook emitted is lost. What is not promised: anything about the order of different points'
//! hooks beyond the order in which the host fires the points.
//!
//! Core knows no built-in, no model, no tool, no network and no async runtime.

#[doc(hidden)]
pub mod __private;

mod ask;
mod background;
#[cfg(doctest)]
mod book;
mod by_type;
mod clock;
mod config;
mod dispatch;
mod entry;
mod failure;
mod fired;
mod flow;
mod guard;
mod json_hook;
mod message;
mod model;
mod outcome;
mod plugin;
mod point;
pub mod points;
mod registry;
mod session;
mod spawn;
mod sync;
mod timeline;
mod tool;
mod verdict;

pub use ask::{
    Answer, Confirmation, Continue, ElicitKind, Elicitation, FieldAnswer, FieldKind, FormField, Secret, Why,
};
pub use background::{BackgroundSettings, Unfinished, WhenFull};
pub use clock::Clock;
pub use config::{Config, ConfigError, Foreign, Named};
pub use entry::{
    AsyncCall, BoxFuture, Call, ClosureCall, Entry, Hook, Mode, Options, Origin, Placement, SyncCall, Timeout,
};
pub use failure::{Cause, Failure};
pub use fired::{Fired, FiredJson, Folded, Gated};
pub use flow::Flow;
pub use json_hook::{JsonCall, JsonHook, JsonOutcome};
pub use message::{Message, Role};
pub use model::{ChunkKind, FinishReason, Metadata, MicroDollars, Parameters, Request, Timings, Usage};
pub use outcome::{BackgroundReturn, BoxError, Each, InPlace, IntoOutcome, Outcome};
pub use plugin::Plugin;
#[doc(hidden)]
pub use plugin::{CrateWithoutPlugin, PluginCrate};
pub use point::{
    AnyPoint, FieldInfo, FireSite, Point, PointInfo, SchemaIfAny, find_point, fire_sites,
    points as all_points,
};
pub use registry::{
    BuildError, Gathering, Handle, HookInfo, HookRow, Hooks, Listed, LiveError, PluginRow, Problem, Registry,
    RegistryBuilder, Report, Setting,
};
pub use session::{
    HookSettings, HookState, InterruptReason, LogFault, LogIter, LogSink, LogView, PATIENCE, Session,
    SessionBuilder, SettingsSpec, StateDir, StateError, StateGuard, StateSpec,
};
pub use spawn::{BlockingError, Job, Spawn, SpawnError, Threads};
pub use timeline::{HookRun, Observer, Recorded, RecordedFire, RecordedRun, Timeline, TimelineEntry};
#[doc(hidden)]
pub use tool::IntoToolError;
pub use tool::{
    ArgumentNames, CallFormat, IntoToolOutput, ToolArguments, ToolEntry, ToolError, ToolFuture, ToolOutput,
    ToolSet, ToolSpec, ToolStatus, ToolUse,
};
pub use verdict::{First, Fold, Gate, Messages, Never, Verdict};

pub use hookspec_macros::{hook, tool};

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
/// `BAKE_PRE` for `#[hook]` and `fire!`, a row in [`all_points`], and the JSON Schema.
///
/// - Behind the arrow stands the verdict: `Messages`, `Gate`, `First<T>`, `Fold<T>` or `Gate + Fold<T>`.
/// - A fold marks the field that it replaces: `#[fold] message: &Message`.
/// - Fields are `Copy`: references, or small values. `session`, `state`, `settings` and `event` are reserved.
/// - Beside `aliases`: `transient` (messages go to the caller and not into the log) and `sync` (only plain
///   `fn` hooks may listen).
#[macro_export]
macro_rules! hook_point {
    ($($declaration:tt)*) => {
        $crate::__private::hook_point_impl! { [$crate] $($declaration)* }
    };
}

/// Fires a point: `fire!(session, FILE_POST_SAVE { path, content, created }).await`.
///
/// Gives a [`Fired`]. The future is ready at once unless an async or blocking hook is selected. The place
/// is recorded in [`fire_sites`], so that a point which nobody fires shows.
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

#[doc(hidden)]
#[macro_export]
macro_rules! __fire {
    ($how:ident, $session:expr, [$($point:ident)::+] { $($fields:tt)* }) => {{
        use $($point)::+ as __point;
        const _: () = {
            $crate::__gathered!([$crate::__private::FIRE_SITES] $crate::FireSite = $crate::FireSite {
                point: <__point::Point as $crate::Point>::INFO,
                file: file!(),
                line: line!(),
                package: env!("CARGO_PKG_NAME"),
            });
        };
        $crate::__private::$how::<__point::Point>(&$session, __point::Event { $($fields)* })
    }};
}

/// A static that the linker gathers. A macro of ours, so that nothing of it is expanded, and complained about,
/// where the hook point itself is unknown.
#[doc(hidden)]
#[macro_export]
macro_rules! __gathered {
    ([$($slice:tt)*] $type:ty = $value:expr) => {
        #[cfg_attr(not(miri), $crate::__private::linkme::distributed_slice($($slice)*))]
        #[cfg_attr(not(miri), linkme(crate = $crate::__private::linkme))]
        #[cfg_attr(miri, allow(dead_code))]
        static __ENTRY: $type = $value;
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
