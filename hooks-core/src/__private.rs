//! What generated code touches. Not for people; changes without notice.

#[cfg(feature = "schema")]
pub use schemars;
pub use serde;
#[cfg(feature = "json")]
pub use serde_json;

pub use crate::base::absent::{Nobody, absent};
pub use crate::base::boxed::BoxFuture;
#[cfg(all(target_family = "wasm", not(miri)))]
pub use crate::base::gathered::{List, Node};
pub use crate::declared::around::{AroundCall, Next, Wrapped};
pub use crate::declared::entry::More;
pub use crate::declared::entry::{Call, Entry};
pub use crate::declared::failure::Failure;
pub use crate::declared::json_call::JsonWork;
pub use crate::declared::linked::{HOOKS, Linked, hooks};
pub use crate::declared::outcome::{BackgroundReturn, InPlace, IntoOutcome, Outcome};
pub use crate::declared::plugin::{CrateWithoutPlugin, Plugin, PluginCrate};
pub use crate::declared::point::Point;
#[cfg(feature = "json")]
pub use crate::declared::tool::IntoToolError;
#[cfg(feature = "json")]
pub use crate::declared::tool::TOOLS;
#[cfg(feature = "json")]
pub use crate::declared::tool::no_arguments;
pub use crate::dispatch::{around, around_now, fire, fire_now, must_fire};
pub use crate::plain::filter::Subject;
pub use crate::plain::options::{Origin, Placement, Timeout};
pub use crate::plain::point_info::FIRE_SITES;
pub use crate::plain::point_info::{FieldInfo, FireSite, PointInfo};
#[cfg(feature = "config")]
pub use crate::plain::settings::SettingsSpec;
pub use crate::plain::state_key::StateSpec;
pub use crate::plain::verdict::{Around, First, Fold, Gate, Messages, Never, Verdict};
pub use crate::point_of::{PointOf, no_wire_form};
pub use crate::registry::any_point::AnyPoint;
pub use crate::registry::any_point::POINTS;
pub use crate::registry::by_hand::ByHand;
pub use hookspec_macros::{essays_impl, hook_point_impl, no_field_impl, placed, plugins_impl, refusal_impl};

/// The type that a hook's `next` was given by its author, which is that of the point's.
#[diagnostic::on_unimplemented(
    message = "`next` is a `{T}` here, and the parameter a `{Self}`",
    label = "write `POINT::Next<'_>` here, with the hook's point before the `::`"
)]
pub trait GivenNext<T>: Sized {
    /// The same.
    fn given(next: T) -> Self;
}
#[diagnostic::do_not_recommend]
impl<T> GivenNext<T> for T {
    #[inline(always)]
    fn given(next: T) -> T {
        next
    }
}
// A second way, from a type that no value has: with one alone rustc would take it before it looked at the value.
#[diagnostic::do_not_recommend]
impl<T> GivenNext<(Nobody, T)> for T {
    fn given(_: (Nobody, T)) -> T {
        absent()
    }
}

/// Calls work on an event, so that the work's type is known by that of the event.
pub fn apply<E, R>(event: E, work: impl FnOnce(E) -> R) -> R {
    work(event)
}

crate::__parameter! {
    pub SessionParameter
    "the session is `&Session`, and here it is taken as `{Self}`" "write `session: &Session`"
    "any hook may take `session: &hookspec::Session`"
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

/// A field of an event, asked whether it tells what the event is about: [`Tells`] where it does, [`Silent`] where a type of the
/// same name is another.
#[derive(Debug)]
pub struct Field<T>(pub T);

pub trait Tells<'s> {
    fn tell(&self, subject: &mut Subject<'s>);
}

#[cfg(feature = "json")]
impl<'s> Tells<'s> for Field<&'s crate::plain::tool_use::ToolUse> {
    fn tell(&self, subject: &mut Subject<'s>) {
        subject.tool = Some(&self.0.tool);
    }
}

impl<'s> Tells<'s> for Field<&'s std::path::Path> {
    fn tell(&self, subject: &mut Subject<'s>) {
        subject.path = Some(self.0);
    }
}

impl<'s> Tells<'s> for Field<&'s [std::path::PathBuf]> {
    fn tell(&self, subject: &mut Subject<'s>) {
        subject.paths = Some(self.0);
    }
}

pub trait Silent {
    fn tell(&self, _: &mut Subject<'_>) {}
}

impl<T> Silent for &Field<T> {}
