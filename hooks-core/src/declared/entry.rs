//! Entries: what `#[hook]` leaves for the linker, and what `register` takes instead.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::base::boxed::BoxFuture;
use crate::declared::around::{AroundCall, Next};
use crate::declared::failure::Failure;
use crate::declared::json_call::{JsonOnce, JsonWork};
use crate::declared::outcome::{IntoOutcome, Outcome};
use crate::declared::point::{AroundPoint, Point};
use crate::plain::json_settings::JsonSettings;
use crate::plain::options::{Options, Origin};
use crate::plain::settings::SettingsSpec;
use crate::plain::state_key::StateSpec;
use crate::session::Session;

/// A hook as the dispatcher calls it.
pub type SyncCall<P> =
    for<'a, 'e> fn(&'a <P as Point>::Event<'e>, &'a Session, &'a mut Outcome<<P as Point>::Verdict>);
/// An `async fn` hook as the dispatcher calls it. `None`: the outcome says why it does not run, for it failed or must wait for its
/// state first.
pub type AsyncCall<P> = for<'a> fn(
    <P as Point>::Event<'a>,
    &'a Session,
    &'a mut Outcome<<P as Point>::Verdict>,
) -> Option<BoxFuture<'a, ()>>;
/// A closure hook.
pub type ClosureCall<P> = dyn for<'a, 'e> Fn(&'a <P as Point>::Event<'e>, &'a Session, &'a mut Outcome<<P as Point>::Verdict>)
    + Send
    + Sync;

/// The ways to call a hook.
pub enum Call<P: Point> {
    /// A plain function.
    Sync(SyncCall<P>),
    /// An `async fn`.
    Async(AsyncCall<P>),
    /// A closure, registered at run time.
    Closure(Arc<ClosureCall<P>>),
    /// A function from JSON to JSON: what a [`JsonHook`](crate::hooks::JsonHook) is.
    Json(Arc<JsonWork>),
    /// One that is given the rest of the chain.
    Around(AroundCall<P>),
}

/// A hook that wants `next` where there is nothing to wrap.
#[derive(Debug, thiserror::Error)]
#[error(
    "the hook takes `next`, and its point wraps nothing; or it was to run beside the chain, where nothing is left to wrap"
)]
struct NotAround;

impl<P: Point> Call<P> {
    /// Whether it gives a future, so that it can be cut off wherever it runs.
    pub(crate) fn is_async(&self) -> bool {
        match self {
            Self::Async(_) | Self::Around(AroundCall::Async(_) | AroundCall::AsyncClosure(_)) => true,
            Self::Json(work) => work.is_async(),
            Self::Sync(_) | Self::Closure(_) | Self::Around(_) => false,
        }
    }

    /// `sync`, `async` or `closure`.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Sync(_) | Self::Around(AroundCall::Sync(_)) => "sync",
            Self::Async(_) | Self::Around(AroundCall::Async(_)) => "async",
            Self::Json(work) if work.is_async() => "async",
            Self::Closure(_)
            | Self::Json(_)
            | Self::Around(AroundCall::Closure(_) | AroundCall::AsyncClosure(_)) => "closure",
        }
    }

    /// Calls one that is not async. `json` is where the event is made JSON once for all hooks of a firing.
    #[inline]
    pub(crate) fn now(
        &self,
        event: &P::Event<'_>,
        json: &mut JsonOnce,
        session: &Session,
        out: &mut Outcome<P::Verdict>,
    ) {
        match self {
            Self::Sync(call) => call(event, session, out),
            Self::Closure(call) => call(event, session, out),
            Self::Json(work) => work.call(event, json, session, out),
            Self::Around(_) => out.fail(NotAround),
            Self::Async(_) => {}
        }
    }

    /// Begins one that is async; `None` for one that is not, and where the outcome says why it does not run.
    #[inline]
    pub(crate) fn begin<'a>(
        &self,
        event: P::Event<'a>,
        json: &mut JsonOnce,
        session: &'a Session,
        out: &'a mut Outcome<P::Verdict>,
    ) -> Option<BoxFuture<'a, ()>> {
        match self {
            Self::Async(call) => call(event, session, out),
            Self::Json(work) => work.begin(&event, json, session, out),
            Self::Sync(_) | Self::Closure(_) | Self::Around(_) => None,
        }
    }
}

impl<P: Point> Clone for Call<P> {
    fn clone(&self) -> Self {
        match self {
            Self::Sync(call) => Self::Sync(*call),
            Self::Async(call) => Self::Async(*call),
            Self::Closure(call) => Self::Closure(Arc::clone(call)),
            Self::Json(work) => Self::Json(Arc::clone(work)),
            Self::Around(call) => Self::Around(call.clone()),
        }
    }
}

impl<P: Point> fmt::Debug for Call<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sync(_) => "Sync",
            Self::Async(_) => "Async",
            Self::Closure(_) => "Closure",
            Self::Json(_) => "Json",
            Self::Around(_) => "Around",
        })
    }
}

/// What `#[hook]` leaves for the linker. Flat, and what few hooks have behind a pointer: a thousand of these are checked by the
/// compiler, field by field.
pub struct Entry<P: Point> {
    #[doc(hidden)]
    pub function: &'static str,
    #[doc(hidden)]
    pub module: &'static str,
    #[doc(hidden)]
    pub package: &'static str,
    #[doc(hidden)]
    pub file: &'static str,
    #[doc(hidden)]
    pub line: u32,
    #[doc(hidden)]
    pub docs: &'static str,
    #[doc(hidden)]
    pub priority: i32,
    #[doc(hidden)]
    pub call: Call<P>,
    #[doc(hidden)]
    pub more: Option<&'static More>,
}

/// What few hooks have.
#[doc(hidden)]
#[derive(Debug)]
pub struct More {
    pub name: Option<&'static str>,
    /// The options; the priority stands in the entry.
    pub options: Options,
    pub settings: Option<SettingsSpec>,
    pub state: Option<StateSpec>,
    pub on_error: Option<fn(&Failure, &Session)>,
}

impl More {
    pub const NONE: Self =
        Self { name: None, options: Options::DEFAULT, settings: None, state: None, on_error: None };
}

impl<P: Point> Entry<P> {
    /// Where it stands in the source.
    #[must_use]
    pub fn origin(&self) -> Origin {
        let Self { function, module, package, file, line, docs, .. } = *self;
        Origin { function, name: self.more().name, module, package, file, line, docs }
    }

    /// Its options.
    #[must_use]
    pub fn options(&self) -> Options {
        Options { priority: self.priority, ..self.more().options }
    }

    pub(crate) fn more(&self) -> &'static More {
        self.more.unwrap_or(const { &More::NONE })
    }

    /// How it is called: for who registers it by hand, with options of his own.
    #[doc(hidden)]
    pub fn call(&self) -> &Call<P> {
        &self.call
    }
}

impl<P: Point> fmt::Debug for Entry<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("point", &P::INFO.name)
            .field("origin", &self.origin())
            .field("options", &self.options())
            .finish_non_exhaustive()
    }
}

/// A hook that is registered at run time: a closure, or a hook in a program that the linker cannot serve
/// (Miri, a host loaded as a dynamic library).
///
/// ```
/// use hookspec::{points::FILE_POST_SAVE, Hook, Message, Registry};
///
/// let registry = Registry::builder()
///     .register(Hook::new(FILE_POST_SAVE, "notes.saved", |event, _session| {
///         event.created.then(|| Message::system(format!("new file {}", event.path.display())))
///     }))
///     .build()?;
/// assert!(registry.hook("notes.saved").is_some());
/// # Ok::<(), hookspec::registry::BuildError>(())
/// ```
pub struct Hook<P: Point> {
    pub(crate) name: String,
    pub(crate) package: Cow<'static, str>,
    pub(crate) module: Cow<'static, str>,
    pub(crate) docs: Cow<'static, str>,
    pub(crate) options: Options,
    /// The settings that it declares, with their defaults.
    pub(crate) settings: Option<Arc<JsonSettings>>,
    /// Why it may not run, whatever the lists say.
    pub(crate) barred: Option<String>,
    pub(crate) call: Call<P>,
    pub(crate) on_error: Option<fn(&Failure, &Session)>,
    pub(crate) at: &'static std::panic::Location<'static>,
    /// The configuration file and line that it comes from, where it comes from one.
    pub(crate) place: Option<(String, u32)>,
}

impl<P: Point> Hook<P> {
    /// A hook from a closure over the event and the session.
    #[track_caller]
    pub fn new<F, R>(_point: P, name: impl Into<String>, hook: F) -> Self
    where
        F: for<'a, 'e> Fn(&'a P::Event<'e>, &'a Session) -> R + Send + Sync + 'static,
        R: IntoOutcome<P::Verdict>,
    {
        Self::from_call(
            name,
            Call::Closure(Arc::new(move |event, session, out| hook(event, session).into_outcome(out))),
        )
    }

    /// A hook around the host's work, from a closure over the event, the session and the rest of the chain that gives a future:
    /// `|event, session, next| Box::pin(async move { … })`.
    #[track_caller]
    pub fn around<F, R>(_point: P, name: impl Into<String>, hook: F) -> Self
    where
        P: AroundPoint,
        F: for<'a> Fn(P::Event<'a>, &'a Session, Next<'a, P::Verdict>) -> BoxFuture<'a, R>
            + Send
            + Sync
            + 'static,
        R: IntoOutcome<P::Verdict> + 'static,
    {
        Self::from_call(
            name,
            Call::Around(AroundCall::AsyncClosure(Arc::new(move |event, session, next, out| {
                let running = hook(event, session, next);
                Box::pin(async move { running.await.into_outcome(out) })
            }))),
        )
    }

    /// The same from a closure that gives no future.
    #[track_caller]
    pub fn around_now<F, R>(_point: P, name: impl Into<String>, hook: F) -> Self
    where
        P: AroundPoint,
        F: for<'a, 'e> Fn(&'a P::Event<'e>, &'a Session, Next<'a, P::Verdict>) -> R + Send + Sync + 'static,
        R: IntoOutcome<P::Verdict>,
    {
        Self::from_call(
            name,
            Call::Around(AroundCall::Closure(Arc::new(move |event, session, next, out| {
                hook(event, session, next).into_outcome(out);
            }))),
        )
    }

    /// A hook from any way to call one.
    #[track_caller]
    pub fn from_call(name: impl Into<String>, call: Call<P>) -> Self {
        Self {
            name: name.into(),
            package: Cow::Borrowed(""),
            module: Cow::Borrowed(""),
            docs: Cow::Borrowed(""),
            options: Options::DEFAULT,
            settings: None,
            barred: None,
            call,
            on_error: None,
            at: std::panic::Location::caller(),
            place: None,
        }
    }

    /// Higher runs first.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.options.priority = priority;
        self
    }

    /// All options at once.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Called with each failure of this hook.
    #[must_use]
    pub fn on_error(mut self, handler: fn(&Failure, &Session)) -> Self {
        self.on_error = Some(handler);
        self
    }
}

impl<P: Point> fmt::Debug for Hook<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook")
            .field("point", &P::INFO.name)
            .field("name", &self.name)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
