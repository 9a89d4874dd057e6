//! Describing a session.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use crate::base::instant::Instant;
use crate::base::json::Value;

use crate::plain::clock::Clock;
use crate::plain::message::Message;
use crate::session::timeline::Observer;
use crate::set::Hooks;

use super::extensions::Extensions;
use super::interrupt::Interrupt;
use super::log::Log;
use super::notices::Notices;
use super::off::Off;
use super::once::Once;
use super::state::States;
use super::{Inner, LogSink, LogView, Session};

/// Describes a session; made by [`Session::builder`].
#[derive(Debug)]
pub struct SessionBuilder {
    hooks: Hooks,
    id: String,
    parent: Option<String>,
    clock: Clock,
    workspace: Option<PathBuf>,
    cwd: Option<PathBuf>,
    model: String,
    messages: LogView,
    sink: Sink,
    notices: Notices,
    states: BTreeMap<String, Value>,
    extensions: Extensions,
    observer: Option<Arc<dyn Observer>>,
    disabled: BTreeSet<String>,
}

struct Sink(Option<Box<dyn LogSink>>);

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Some(LogSink)" } else { "None" })
    }
}

impl SessionBuilder {
    fn new(hooks: Hooks, id: String) -> Self {
        Self {
            hooks,
            id,
            parent: None,
            clock: Clock::system(),
            workspace: None,
            cwd: None,
            model: String::new(),
            messages: LogView::default(),
            sink: Sink(None),
            notices: Notices::default(),
            states: BTreeMap::new(),
            extensions: Extensions::default(),
            observer: None,
            disabled: BTreeSet::new(),
        }
    }

    /// The directory tree it works in; also its first current directory.
    #[must_use]
    pub fn workspace(mut self, workspace: impl Into<PathBuf>) -> Self {
        self.workspace = Some(workspace.into());
        self
    }

    /// Its first current directory, where that is not the workspace.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// The session that starts this one.
    #[must_use]
    pub fn parent(mut self, parent: &Session) -> Self {
        self.parent = Some(parent.id().to_owned());
        self
    }

    /// The model it begins with.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = model.into();
        self
    }

    /// The time as its hooks see it.
    #[cfg(feature = "time")]
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The conversation so far, and where it is kept.
    #[must_use]
    pub fn log(
        mut self,
        messages: impl IntoIterator<Item = Message>,
        sink: Option<Box<dyn LogSink>>,
    ) -> Self {
        self.messages = messages.into_iter().collect();
        self.sink = Sink(sink);
        self
    }

    /// How [`Session::notice`] reaches the user.
    #[must_use]
    pub fn notices(mut self, show: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.notices = Notices(Some(Box::new(show)));
        self
    }

    /// The states that [`Session::save_states`] gave when the session was last open.
    #[cfg(feature = "json")]
    #[must_use]
    pub fn states(mut self, states: BTreeMap<String, Value>) -> Self {
        self.states = states;
        self
    }

    /// Lends something to hooks, by its type.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        self.extensions.insert(value);
        self
    }

    /// Hooks that are off in it from the start, by a full name that they go by.
    #[must_use]
    pub fn disabled(mut self, hooks: impl IntoIterator<Item = String>) -> Self {
        self.disabled.extend(hooks);
        self
    }

    /// Who is told of every point that fires and every hook that runs.
    #[cfg(feature = "time")]
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// The session.
    #[must_use]
    pub fn build(mut self) -> Session {
        let once = Once::restored(&mut self.states);
        let registry = self.hooks.load();
        // By their full names, whatever they were called.
        let disabled: BTreeSet<String> = self
            .disabled
            .into_iter()
            .flat_map(|name| {
                let names = registry.full_names(&name);
                if names.is_empty() { vec![name] } else { names }
            })
            .collect();
        let cwd = self.cwd.or_else(|| self.workspace.clone()).unwrap_or_else(|| PathBuf::from("."));
        Session(Arc::new(Inner {
            opened: Instant::now(),
            id: self.id,
            parent: self.parent,
            hooks: self.hooks,
            clock: self.clock,
            workspace: self.workspace,
            cwd: Mutex::new(cwd),
            model: Mutex::new(self.model),
            addresses: Mutex::default(),
            log: Log::new(self.messages, self.sink.0, self.observer.is_some()),
            notices: self.notices,
            states: States::restored(self.states),
            once,
            extensions: self.extensions,
            watched: AtomicBool::new(self.observer.is_some() || !disabled.is_empty()),
            observer: self.observer,
            off: Off::new(disabled),
            interrupt: Interrupt::default(),
            pending: Arc::default(),
        }))
    }
}

impl Session {
    /// Starts to describe a session.
    pub fn builder(hooks: &Hooks, id: impl Into<String>) -> SessionBuilder {
        SessionBuilder::new(hooks.clone(), id.into())
    }
}
