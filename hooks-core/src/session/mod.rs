//! Sessions.

mod builder;
mod extensions;
mod interrupt;
#[cfg(test)]
mod interrupt_tests;
mod log;
mod notices;
mod off;
mod once;
mod settings;
mod state;
mod state_dir;
#[cfg(test)]
#[path = "state/tests.rs"]
mod state_tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::background::{Pending, Unfinished};
use crate::clock::Clock;
use crate::entry::{BoxFuture, Origin};
use crate::guard::guarded;
use crate::message::Message;
use crate::point::Point;
use crate::registry::Hooks;
use crate::spawn::{self, BlockingError};
use crate::timeline::{Observer, Recorded};

pub use builder::SessionBuilder;

use extensions::Extensions;
use interrupt::Interrupt;
use log::Log;
use notices::Notices;
use off::Off;
use once::Once;

pub use interrupt::InterruptReason;
pub use log::{LogFault, LogIter, LogSink, LogView};
pub(crate) use once::OnceRun;
pub(crate) use settings::AllSettings;
pub use settings::{HookSettings, SettingsSpec};
pub use state::{HookState, PATIENCE, StateError, StateGuard, StateSpec};
use state::{Keys, Who};
pub(crate) use state::{StateClash, StateKeys, States, Taken, Ticket};
pub use state_dir::StateDir;

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
/// # Ok::<(), hookspec::BuildError>(())
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
    /// Starts to describe a session.
    pub fn builder(hooks: &Hooks, id: impl Into<String>) -> SessionBuilder {
        SessionBuilder::new(hooks.clone(), id.into())
    }

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

    /// The conversation so far, with what earlier hooks of a running chain emitted.
    #[must_use]
    pub fn log(&self) -> LogView {
        self.0.log.view()
    }

    /// Stores a message at the end of the conversation and returns it as it is there: it has its place now, and its id where
    /// the log's sink gives one. A sink that only queues it stores it later: what must not be lost is followed by
    /// [`flush`](Self::flush), or goes by [`store`](Self::store).
    ///
    /// # Errors
    /// If the sink did not take it. It is not in the log then. The next [`flush`](Self::flush) tells it too, so a caller
    /// without a better answer may leave it to the host.
    pub fn append(&self, message: Message) -> Result<Arc<Message>, LogFault> {
        self.0.log.append(&self.0.id, message)
    }

    /// Appends the messages of one hook, up to the first that cannot be stored, and gives those that were.
    ///
    /// `then` gets them before anybody else may append: what it records is in the log's order.
    pub(crate) fn append_all(
        &self,
        messages: Vec<Message>,
        then: impl FnOnce(&[Arc<Message>]),
    ) -> (Vec<Arc<Message>>, Option<LogFault>) {
        self.0.log.append_all(&self.0.id, messages, then)
    }

    /// The barrier: completes when everything that was appended is stored. A host passes it before it calls a model, runs a
    /// tool or acknowledges something. Ready at once where nothing was appended since the last time, or the sink stores at once.
    ///
    /// # Errors
    /// If something could not be stored, since this was last called: also what an [`append`](Self::append) told
    /// its caller, or a hook said. The log holds what is stored and nothing else then, and the next call starts
    /// afresh. Every call that waits meanwhile has the same error.
    pub async fn flush(&self) -> Result<(), LogFault> {
        self.0.log.flush(&self.0.id).await
    }

    /// [`append`](Self::append), and complete when it is stored: the same as `append` and [`flush`](Self::flush), also where
    /// others flush the session meanwhile.
    ///
    /// # Errors
    /// As for [`flush`](Self::flush).
    pub async fn store(&self, message: Message) -> Result<Arc<Message>, LogFault> {
        self.0.log.store(&self.0.id, message).await
    }

    /// Tells the user something that the conversation need not keep: that a wait goes on, and what for. A host that has no place
    /// for it gets it as a line of its log.
    pub fn notice(&self, text: &str) {
        self.0.notices.show(&self.0.id, text);
    }

    /// Puts another conversation in place of this one, in memory: after a compaction or an undo that the
    /// host has stored. Flush the session before you store that: what is still queued would come behind it.
    pub fn replace_log(&self, messages: LogView) {
        self.0.log.replace(messages);
    }

    /// This session's value of type `T`, made on first use. Waits, without a thread, while a hook holds it; who asked first has it
    /// first. Hooks usually take `state: &mut T` instead, which waits too.
    ///
    /// # Errors
    /// If the wait could never end: see [`StateError`].
    #[track_caller]
    pub fn state<T: HookState>(&self) -> impl Future<Output = Result<StateGuard<'_, T>, StateError>> + Send {
        let who = Who::Place(std::panic::Location::caller());
        state::turn(self, who, || self.state_keys::<T>())
    }

    /// The same for code that cannot wait: the value if nobody holds it right now.
    ///
    /// # Errors
    /// If somebody holds it.
    #[track_caller]
    pub fn try_state<T: HookState>(&self) -> Result<StateGuard<'_, T>, StateError> {
        let who = Who::Place(std::panic::Location::caller());
        match self.0.states.take(who, None, false, || self.state_keys::<T>()) {
            Taken::Now(guard) => Ok(guard),
            Taken::Never(error) => Err(error),
            Taken::Later(_) => unreachable!("no place in the queue was asked for"),
        }
    }

    /// The same for code on a thread that may block: where somebody holds the value this thread waits for it, up to
    /// [`PATIENCE`]. On a thread that may not, for it drives an async runtime that has no other, it does not wait.
    ///
    /// A hook that takes `state: &mut T` needs no thread to wait with.
    ///
    /// # Errors
    /// If the value could not be had.
    #[track_caller]
    pub fn state_now<T: HookState>(&self) -> Result<StateGuard<'_, T>, StateError> {
        let held = match self.try_state() {
            Err(held @ StateError::Held { .. }) if self.0.hooks.spawn().may_block() => held,
            had => return had,
        };
        let spawn = self.0.hooks.spawn();
        let (mut had, wanted) = (Err(held), self.state());
        let (patience, given) = (spawn.sleep(PATIENCE), &mut had);
        spawn.block_on(Box::pin(async move {
            let (mut wanted, mut patience) = (pin!(wanted), patience);
            poll_fn(|cx| match wanted.as_mut().poll(cx) {
                Poll::Ready(had) => {
                    *given = had;
                    Poll::Ready(())
                }
                Poll::Pending => patience.as_mut().poll(cx),
            })
            .await;
        }));
        had
    }

    pub(crate) fn take_state<T: HookState>(
        &self,
        hook: &'static Origin,
        ticket: Option<Ticket>,
    ) -> Taken<'_, T> {
        self.0.states.take(Who::Hook(hook), ticket, true, || self.state_keys::<T>())
    }

    fn state_keys<T: HookState>(&self) -> Keys {
        self.0.hooks.borrow().states.get::<T>()
    }

    pub(crate) fn states(&self) -> &States {
        &self.0.states
    }

    /// Begins the one run of a once-only hook; `None` if it ran already.
    pub(crate) fn begin_once(&self, point: &'static str, hook: &str) -> Option<OnceRun> {
        OnceRun::begin(self, point, hook)
    }

    pub(crate) fn once(&self) -> &Once {
        &self.0.once
    }

    /// All states, to be kept with the session. Of one that a hook holds right now this is its last saved form.
    #[must_use]
    pub fn save_states(&self) -> BTreeMap<String, Value> {
        let mut states = self.0.states.save();
        self.0.once.save(&mut states);
        states
    }

    /// The settings of type `T`, of the group of hooks that takes them; of the first by name where several do. Hooks
    /// usually take `settings: &T` instead, which are their own group's.
    #[must_use]
    pub fn settings<T: HookSettings>(&self) -> Arc<T> {
        self.0.hooks.load().settings().get()
    }

    /// The settings of type `T` of the group that a hook belongs to: what `settings: &T` is.
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

    /// Whether any hook listens to a point: a host asks before it computes a costly event.
    #[must_use]
    pub fn listens<P: Point>(&self, point: P) -> bool {
        self.0.observer.is_some() || !self.0.hooks.load().handle(point).is_empty()
    }

    /// Waits until the background work of this session is done, at most `deadline`; tells who is not done by then.
    ///
    /// ```
    /// # use hookspec::{Hooks, Registry, Session, Unfinished};
    /// # use std::time::Duration;
    /// # async fn end(session: &Session) {
    /// let left = session.drain(session.hooks().drain_time()).await;
    /// if !left.is_empty() {
    ///     eprintln!("left behind: {}", Unfinished::text(&left)); // left behind: `a.b` (2 runs), `c.d`
    /// }
    /// # }
    /// ```
    pub async fn drain(&self, deadline: Duration) -> Vec<Unfinished> {
        let mut done = pin!(self.0.pending.done());
        let mut alarm = None;
        poll_fn(|cx| {
            if done.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            alarm.get_or_insert_with(|| self.sleep(deadline)).as_mut().poll(cx)
        })
        .await;
        self.0.pending.left()
    }

    /// [`drain`](Self::drain) for threads that may wait. On one that may not, [`Spawn::may_block`](crate::Spawn::may_block), it
    /// does not wait and tells who is not done now.
    pub fn drain_now(&self, deadline: Duration) -> Vec<Unfinished> {
        let left = self.0.pending.left();
        let spawn = self.0.hooks.spawn();
        if left.is_empty() || !spawn.may_block() {
            return left;
        }
        let mut left = left;
        spawn.block_on(Box::pin(async { left = self.drain(deadline).await }));
        left
    }

    pub(crate) fn pending(&self) -> &Arc<Pending> {
        &self.0.pending
    }

    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.0.watched.load(Ordering::Acquire)
    }

    /// Whether a hook at this point is switched off for this session.
    pub(crate) fn has_off_at<P: Point>(&self) -> bool {
        self.0.off.is_at(std::any::TypeId::of::<P>(), &self.0.hooks)
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
