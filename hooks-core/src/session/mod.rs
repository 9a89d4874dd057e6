//! Sessions: one conversation each, with its log, its states, and what was seen of it.

mod builder;
mod conversation;
mod drain;
mod extensions;
mod interrupt;
#[cfg(test)]
mod interrupt_tests;
mod log;
mod notices;
mod off;
mod once;
mod once_run;
mod state;
mod state_dir;
#[cfg(test)]
#[path = "state/tests.rs"]
mod state_tests;
mod states;
mod ticket;
pub(crate) mod timeline;

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::base::boxed::BoxFuture;
use crate::base::guard::guarded;
use crate::base::instant::Instant;
use crate::machinery::background::Pending;
use crate::machinery::spawn::{self, BlockingError};
#[cfg(feature = "time")]
pub use crate::plain::clock::Clock;
#[cfg(not(feature = "time"))]
use crate::plain::clock::Clock;
use crate::plain::options::Origin;
#[cfg(feature = "config")]
use crate::plain::settings::HookSettings;
use crate::session::timeline::{Observer, Recorded};
use crate::set::Hooks;

pub use crate::machinery::background::Unfinished;
pub use builder::SessionBuilder;

use extensions::Extensions;
use interrupt::Interrupt;
use log::Log;
use notices::Notices;
use off::Off;
use once::Once;

pub use interrupt::InterruptReason;
pub use log::{LogFault, LogIter, LogPart, LogPlace, LogSink, LogView};
pub(crate) use once_run::OnceRun;
pub use state::{HookState, PATIENCE, StateError, StateGuard};
pub(crate) use state::{States, Taken};
pub use state_dir::StateDir;
pub(crate) use ticket::Ticket;

/// One conversation, and everything that hooks may know about it.
///
/// A cheap handle; clones are the same session. Nothing in it belongs to a thread, a path or the process: two
/// sessions in one workspace, or one that moves between threads, behave as one alone.
///
/// ```
/// use hookspec::{Hooks, Registry, Session};
/// let hooks = Hooks::new(Registry::builder().build()?);
/// let session = Session::builder(&hooks, "demo").workspace("/tmp").build();
/// assert_eq!(session.id(), "demo");
/// # Ok::<(), hookspec::registry::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    id: String,
    parent: Option<String>,
    hooks: Hooks,
    clock: Clock,
    workspace: Option<PathBuf>,
    cwd: Mutex<PathBuf>,
    model: Mutex<String>,
    addresses: Mutex<BTreeMap<String, String>>,
    log: Log,
    notices: Notices,
    states: States,
    once: Once,
    extensions: Extensions,
    observer: Option<Arc<dyn Observer>>,
    opened: Instant,
    /// Set while firing must look at more than the hooks: an observer, or hooks switched off for this
    /// session. One load on the dispatch path.
    watched: AtomicBool,
    off: Off,
    pub(crate) interrupt: Interrupt,
    pending: Arc<Pending>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// Its id, unique in the host.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The session that started this one, if it is a sub-agent's.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        self.0.parent.as_deref()
    }

    /// The hooks that are live in it.
    #[must_use]
    pub fn hooks(&self) -> &Hooks {
        &self.0.hooks
    }

    /// The directory tree it works in, absolute.
    #[must_use]
    pub fn workspace(&self) -> Option<&Path> {
        self.0.workspace.as_deref()
    }

    /// Its own current directory: tools run here. The process's directory is never changed.
    #[must_use]
    pub fn cwd(&self) -> PathBuf {
        lock(&self.0.cwd).clone()
    }

    /// Moves the session to another directory.
    pub fn set_cwd(&self, cwd: impl Into<PathBuf>) {
        *lock(&self.0.cwd) = cwd.into();
    }

    /// The model that the next generation uses.
    #[must_use]
    pub fn model(&self) -> String {
        lock(&self.0.model).clone()
    }

    /// Changes the model from the next generation on.
    pub fn set_model(&self, model: impl Into<String>) {
        *lock(&self.0.model) = model.into();
    }

    /// Where a model is to be reached in this session, if a hook or a tool said so.
    #[must_use]
    pub fn model_address(&self, model: &str) -> Option<String> {
        lock(&self.0.addresses).get(model).cloned()
    }

    /// Says where a model is to be reached, as a base URL, in place of its provider's address; `None` takes it back.
    ///
    /// For hooks that start a model's server themselves. Other models of the same provider stay where they are, and
    /// no key of the user's is sent there.
    pub fn set_model_address(&self, model: impl Into<String>, address: Option<String>) {
        let mut addresses = lock(&self.0.addresses);
        match address {
            Some(address) => addresses.insert(model.into(), address),
            None => addresses.remove(&model.into()),
        };
    }

    /// The time as hooks see it.
    #[cfg(feature = "time")]
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Completes after `duration`, by the host's own timer: for hooks that wait for something.
    #[must_use]
    pub fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.hooks.spawn().sleep(duration)
    }

    /// Runs work on one of the host's threads that may block, and gives what it returns: for tools and async hooks that
    /// read files, start programs or ask a database. It is not cut off when nobody waits for it any more, but does
    /// not begin then either. Points that it fires count in the chain of the hook that asks for it.
    ///
    /// # Errors
    /// If no thread can be had for it, or it panics.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, BlockingError> {
        spawn::blocking(self.0.hooks.spawn(), work).await
    }

    /// Time since this process opened the session, by the machine's clock: what a timeline shows.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.0.opened.elapsed()
    }

    pub(crate) fn states(&self) -> &States {
        &self.0.states
    }

    pub(crate) fn once(&self) -> &Once {
        &self.0.once
    }

    /// For a program that does not compile: the macro says that there are no settings.
    #[cfg(not(feature = "config"))]
    #[doc(hidden)]
    #[must_use]
    pub fn settings_of<T>(&self, _: &Origin) -> Arc<T> {
        crate::__private::absent()
    }

    #[cfg(not(feature = "time"))]
    pub(crate) fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// The settings of type `T`, of the group of hooks that takes them; of the first by name where several do. Hooks
    /// usually take `settings: &T` instead, which are their own group's.
    #[cfg(feature = "config")]
    #[must_use]
    pub fn settings<T: HookSettings>(&self) -> Arc<T> {
        self.0.hooks.load().settings().get()
    }

    /// The settings of type `T` of the group that a hook belongs to: what `settings: &T` is.
    #[cfg(feature = "config")]
    #[must_use]
    pub fn settings_of<T: HookSettings>(&self, origin: &Origin) -> Arc<T> {
        self.0.hooks.borrow().settings().of(origin)
    }

    /// What the host lends by type.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.extensions.get()
    }

    /// Cuts short what the session is doing. The first reason stands until [`resume`](Self::resume).
    pub fn interrupt(&self, reason: InterruptReason) {
        self.0.interrupt.raise(reason);
    }

    /// Why the session is to stop, if it is.
    #[must_use]
    pub fn interrupted(&self) -> Option<InterruptReason> {
        self.0.interrupt.reason()
    }

    /// Completes when the session is interrupted.
    pub async fn until_interrupted(&self) -> InterruptReason {
        self.0.interrupt.raised().await
    }

    /// Clears an interrupt that has been dealt with.
    pub fn resume(&self) {
        self.0.interrupt.clear();
    }

    /// Switches a hook on or off for this session only.
    ///
    /// Returns whether a selected hook has that name.
    pub fn set_hook_enabled(&self, hook: &str, enabled: bool) -> bool {
        let names = self.0.hooks.load().full_names(hook);
        if names.is_empty() {
            return false;
        }
        let some_off = self.0.off.set(names, enabled);
        self.0.watched.store(self.0.observer.is_some() || some_off, Ordering::Release);
        true
    }

    pub(crate) fn pending(&self) -> &Arc<Pending> {
        &self.0.pending
    }

    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.0.watched.load(Ordering::Acquire)
    }

    /// Whether a hook at this point is switched off for this session.
    pub(crate) fn has_off_at(&self, point: TypeId) -> bool {
        self.0.off.is_at(point, &self.0.hooks)
    }

    /// The hooks that are switched off for this session, where there are any.
    pub(crate) fn off_names(&self) -> Option<Arc<BTreeSet<String>>> {
        if self.is_watched() { self.0.off.names() } else { None }
    }

    pub(crate) fn age_at(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.0.opened)
    }

    pub(crate) fn is_observed(&self) -> bool {
        self.0.observer.is_some()
    }

    /// Tells the observer, who must not harm anybody.
    pub(crate) fn observe(&self, record: Recorded) {
        if let Some(observer) = &self.0.observer
            && let Err(panic) = guarded(|| observer.record(record))
        {
            tracing::error!(session = self.id(), panic, "the observer of this session panicked");
        }
    }

    pub(crate) fn same(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.0.id)
            .field("workspace", &self.0.workspace)
            .finish_non_exhaustive()
    }
}
