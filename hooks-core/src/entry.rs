//! Entries: what `#[hook]` leaves for the linker, and what `register` takes instead.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::failure::Failure;
use crate::outcome::{IntoOutcome, Outcome};
use crate::point::Point;
use crate::session::{Session, SettingsSpec, StateSpec};

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

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
}

impl<P: Point> Clone for Call<P> {
    fn clone(&self) -> Self {
        match self {
            Self::Sync(call) => Self::Sync(*call),
            Self::Async(call) => Self::Async(*call),
            Self::Closure(call) => Self::Closure(Arc::clone(call)),
        }
    }
}

impl<P: Point> fmt::Debug for Call<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sync(_) => "Sync",
            Self::Async(_) => "Async",
            Self::Closure(_) => "Closure",
        })
    }
}

/// What kind of host a hook is for, and what kind of host this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A program in a terminal.
    Cli,
    /// A server with many sessions.
    Server,
    /// One process per event, for another agent.
    Bridge,
    /// Somebody else's program.
    Embedded,
    /// A person sits at the terminal and may be asked.
    Interactive,
    /// The user said beforehand that nothing need be confirmed (`-y`).
    NoConfirm,
}

/// Where a hook runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// In the chain.
    #[default]
    Inline,
    /// In the chain, on a pool thread that may block; abandoned when it overruns its timeout.
    Blocking,
    /// Beside the chain, from a bounded queue, on an owned copy of the event.
    Background,
}

/// How long a hook may take before it is cut off, if it can be: an async, blocking or background one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timeout {
    /// As long as the host lets hooks take that say nothing: 30 s, unless it set something else. A hook that asks the user
    /// (`confirmation`) is then not cut off.
    #[default]
    Host,
    /// It is not cut off.
    Never,
    /// This long.
    After(Duration),
}

impl Timeout {
    /// What holds for hooks that say nothing in a host that says nothing.
    pub const DEFAULT: Duration = Duration::from_secs(30);

    /// The limit of a hook, where `host` is the host's for hooks that say nothing.
    pub(crate) fn limit<P: Point>(
        self,
        call: &Call<P>,
        options: &Options,
        host: Option<Duration>,
    ) -> Option<Duration> {
        let inline = options.placement == Placement::Inline && !matches!(call, Call::Async(_));
        match self {
            _ if inline => None,
            Self::Host if options.confirmation => None,
            Self::Host => host,
            Self::Never => None,
            Self::After(limit) => Some(limit),
        }
    }
}

impl From<Duration> for Timeout {
    fn from(limit: Duration) -> Self {
        Self::After(limit)
    }
}

/// What may stand in `#[hook(POINT, …)]` beside the point.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Higher runs first; ties run in the order of their names. 0 unless said otherwise.
    pub priority: i32,
    /// Other names that lists, priorities and tables of settings may call it by: `group`, which is another name of its
    /// group, or `group.name`. A name that another group of the program really has is that group's.
    pub aliases: &'static [&'static str],
    /// Whether it is on when nobody says anything.
    pub enabled: bool,
    /// The hosts it is for; all when empty.
    pub modes: &'static [Mode],
    /// Whether it runs at most once a session.
    pub once: bool,
    /// Where it runs.
    pub placement: Placement,
    /// How long an async, blocking or background hook may take before it is cut off.
    pub timeout: Timeout,
    /// How long it may take before a warning names it.
    pub budget: Option<Duration>,
    /// Whether a failure of this gate hook lets things pass instead of denying them.
    pub fail_open: bool,
    /// After how many failures it is taken out of service.
    pub quarantine: Option<u32>,
    /// The tool it belongs to: it is selected exactly when the tool is.
    pub tool: Option<&'static str>,
    /// Whether it is a host's way to ask the user. The mode selects such a hook; an allowlist does not
    /// remove it.
    pub confirmation: bool,
}

impl Options {
    /// What holds when nothing is said.
    pub const DEFAULT: Self = Self {
        priority: 0,
        aliases: &[],
        enabled: true,
        modes: &[],
        once: false,
        placement: Placement::Inline,
        timeout: Timeout::Host,
        budget: None,
        fail_open: false,
        quarantine: None,
        tool: None,
        confirmation: false,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Where a hook stands in the source.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The function.
    pub function: &'static str,
    /// `name = "…"`, where it was given.
    pub name: Option<&'static str>,
    /// The module.
    pub module: &'static str,
    /// The package.
    pub package: &'static str,
    /// The file.
    pub file: &'static str,
    /// The line.
    pub line: u32,
    /// The function's documentation.
    pub docs: &'static str,
}

impl Origin {
    /// `group.function`: the group is the module, or the crate at its root; `name = "…"` overrides.
    #[must_use]
    pub fn full_name(&self) -> String {
        if let Some(name) = self.name {
            return name.to_owned();
        }
        format!("{}.{}", self.group(), self.function)
    }

    /// The part of the full name before the first dot.
    #[must_use]
    pub fn group(&self) -> &'static str {
        match self.name {
            Some(name) => name.split('.').next().unwrap_or(name),
            None => self.module.rsplit("::").next().unwrap_or(self.module),
        }
    }
}

/// What `#[hook]` leaves for the linker.
pub struct Entry<P: Point> {
    pub(crate) origin: Origin,
    pub(crate) options: Options,
    pub(crate) call: Call<P>,
    pub(crate) settings: Option<SettingsSpec>,
    pub(crate) state: Option<StateSpec>,
    pub(crate) on_error: Option<fn(&Failure, &Session)>,
}

impl<P: Point> Entry<P> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        origin: Origin,
        options: Options,
        call: Call<P>,
        settings: Option<SettingsSpec>,
        state: Option<StateSpec>,
        on_error: Option<fn(&Failure, &Session)>,
    ) -> Self {
        Self { origin, options, call, settings, state, on_error }
    }

    /// Where it stands in the source.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Its options.
    pub fn options(&self) -> &Options {
        &self.options
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
            .field("origin", &self.origin)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// A hook that is registered at run time: a closure, or a hook in a program that the linker cannot serve
/// (Miri, wasm, a host loaded as a dynamic library).
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
/// # Ok::<(), hookspec::BuildError>(())
/// ```
pub struct Hook<P: Point> {
    pub(crate) name: String,
    pub(crate) package: &'static str,
    pub(crate) docs: Cow<'static, str>,
    pub(crate) options: Options,
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

    /// A hook from any way to call one.
    #[track_caller]
    pub fn from_call(name: impl Into<String>, call: Call<P>) -> Self {
        Self {
            name: name.into(),
            package: "",
            docs: Cow::Borrowed(""),
            options: Options::DEFAULT,
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
