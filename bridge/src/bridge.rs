//! One event from end to end: read, judged, answered.
//!
//! A refusal always arrives. What cannot be read, judged, remembered or finished in time is refused where
//! something waits for a permission, and passed over in silence, with a word on standard error, where nothing does.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use hookspec::point::find_point;
use hookspec::session::{Clock, SessionBuilder, Unfinished};
use hookspec::{Hooks, Session};
use serde_json::{Map, Value};

use crate::client::Client;
use crate::events::{Spelling, copilot};
use crate::input::{InputError, names_in};
use crate::lower::{Answer, can, lower};
use crate::moment::{Incoming, Kind, Moment};
use crate::outcome::Outcome;
use crate::run::run;
use crate::store::{Memory, Place, Store, StoreError};

/// What a host adds to each session: its extensions.
pub type Prepare = dyn Fn(SessionBuilder) -> SessionBuilder + Send + Sync;

/// Answers a client's events with these hooks.
#[derive(Clone)]
pub struct Bridge {
    /// The hooks.
    pub hooks: Hooks,
    /// Where sessions are remembered; without one each event stands alone.
    pub store: Option<Store>,
    /// The time that hooks see.
    pub clock: Clock,
    /// How long hooks may take together. A client's own limit must be longer, since most of them let things
    /// pass when it is over.
    pub deadline: Duration,
    /// Adds to each session.
    pub prepare: Arc<Prepare>,
}

impl fmt::Debug for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bridge")
            .field("store", &self.store)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

/// An event that was read.
#[derive(Clone, Debug)]
pub struct Event {
    /// What happened.
    pub incoming: Incoming,
    /// How its fields were spelled.
    pub spelling: Spelling,
}

impl Event {
    /// Reads an event. `name` is used where it does not tell its own.
    #[must_use]
    pub fn read(client: Client, map: Map<String, Value>, name: Option<&str>) -> Self {
        let spelling = if client == Client::Copilot { copilot::spelling(&map) } else { Spelling::Snake };
        Self { incoming: Incoming::read(client, map, name), spelling }
    }

    /// The answer where hooks cannot be run: a refusal at a gate, nothing elsewhere.
    #[must_use]
    pub fn failed(&self, why: &str) -> Answer {
        let gate = self.incoming.moment.kind().is_gate();
        let outcome = if gate { Outcome::deny(why) } else { Outcome::default() };
        let mut answer = lower(&self.incoming, self.spelling, outcome);
        if answer.refusal.is_none() {
            answer.stderr.push_str(&format!("{why}\n"));
        }
        answer
    }
}

impl Event {
    /// The answer where no hook listens.
    pub(crate) fn unheard(&self) -> Answer {
        lower(&self.incoming, self.spelling, Outcome::default())
    }

    /// The answer where hooks were not done in time.
    #[must_use]
    pub fn overdue(&self, deadline: Duration) -> Answer {
        self.failed(&format!(
            "the hooks were not done after {deadline:?}, or others of this session were not; a gate that overruns denies"
        ))
    }
}

/// The answer to what is no event. `name` is the event that it was meant to be, where that is known from elsewhere.
#[must_use]
pub fn unreadable(client: Client, name: Option<&str>, bytes: &[u8], error: &InputError) -> Answer {
    let why = format!("{error}; an event that cannot be read is refused where it waits for a permission");
    let mut names = names_in(bytes);
    names.extend(name.map(str::to_owned));
    let is_gate = |name: &String| Kind::of(client, &canonical(client, name)).is_gate();
    match names.iter().find(|name| is_gate(name)).or(names.last()) {
        None => Answer::bare_refusal(&why),
        Some(name) => {
            let incoming = Incoming {
                client,
                name: canonical(client, name),
                session: String::new(),
                cwd: None,
                workspace: None,
                model: None,
                moment: if is_gate(name) { Moment::Unreadable("it cannot be read") } else { Moment::Other },
            };
            Event { incoming, spelling: Spelling::Snake }.failed(&why)
        }
    }
}

/// Copilot spells its events in two ways.
fn canonical(client: Client, name: &str) -> String {
    if client != Client::Copilot {
        return name.to_owned();
    }
    Incoming::read(client, Map::new(), Some(name)).name
}

impl Bridge {
    /// How long hooks may take together unless it is said otherwise.
    pub const DEADLINE: Duration = Duration::from_secs(25);

    /// A bridge that remembers nothing from event to event.
    #[must_use]
    pub fn new(hooks: Hooks) -> Self {
        Self {
            hooks,
            store: None,
            clock: Clock::system(),
            deadline: Self::DEADLINE,
            prepare: Arc::new(|session| session),
        }
    }

    /// The same, remembering sessions in a store.
    #[must_use]
    pub fn remembering(mut self, store: Store) -> Self {
        self.store = Some(store);
        self
    }

    /// Runs the hooks of an event on this thread and gives the client's answer, however long they take:
    /// [`serve`](crate::serve::serve) watches the deadline.
    #[must_use]
    pub fn answer_here(&self, event: &Event) -> Answer {
        if !self.is_heard(event) {
            return event.unheard();
        }
        self.work(event).unwrap_or_else(|error| event.failed(&error.to_string()))
    }

    /// Runs the hooks of an event on a thread of their own and gives the client's answer, within the deadline.
    #[must_use]
    pub fn answer(&self, event: &Event) -> Answer {
        let (done, result) = channel();
        let (bridge, owned) = (self.clone(), event.clone());
        let worker = std::thread::Builder::new().name("hookspec-event".into()).spawn(move || {
            // Nobody listens any more when the deadline is over.
            let _ = done.send(bridge.answer_here(&owned));
        });
        if let Err(error) = worker {
            return event.failed(&format!("no thread could be had to run hooks on: {error}"));
        }
        match result.recv_timeout(self.deadline) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => event.overdue(self.deadline),
            Err(RecvTimeoutError::Disconnected) => event.failed("the hooks ended without an answer"),
        }
    }

    /// Whether anything is to be done: a hook listens, or something is held back that can go out now.
    pub(crate) fn is_heard(&self, event: &Event) -> bool {
        let incoming = &event.incoming;
        let kind = incoming.moment.kind();
        if matches!(incoming.moment, Moment::Unreadable(_)) {
            return true;
        }
        let registry = self.hooks.load();
        let mut points = kind.points().iter().chain(kind.prepares());
        points.any(|point| find_point(point.wire).is_some_and(|point| point.is_heard(&registry)))
            || can(incoming).context
                && self.store.as_ref().is_some_and(|store| store.knows(incoming.client, &incoming.session))
    }

    fn work(&self, event: &Event) -> Result<Answer, StoreError> {
        let began = Instant::now();
        let incoming = &event.incoming;
        let store = self.store.as_ref().filter(|_| !incoming.session.is_empty());
        let mut place = store.map(|store| store.open(incoming.client, &incoming.session)).transpose()?;
        let mut memory = place.as_mut().map_or_else(|| Ok(Memory::default()), Place::load)?;
        let session = self.session(incoming, &mut memory);
        let can = can(incoming);
        let mut outcome = run(&session, incoming, &mut memory.notes);
        if can.context {
            let mut context = std::mem::take(&mut memory.notes.held);
            context.append(&mut outcome.context);
            outcome.context = context;
        }
        let mut answer = lower(incoming, event.spelling, outcome);
        let dropped = memory.notes.hold(std::mem::take(&mut answer.held));
        if dropped > 0 {
            tracing::warn!(dropped, "hooks said more than this client could be told, and the oldest is lost");
        }
        let left = self.deadline.saturating_sub(began.elapsed());
        let waiting = session.drain_now(self.hooks.drain_time().min(left / 2));
        if !waiting.is_empty() {
            let hooks = Unfinished::text(&waiting);
            tracing::warn!(hooks, "background hooks were still busy and are left behind");
        }
        memory.states = session.save_states();
        if let Some(mut place) = place {
            // The hooks have spoken: what they said stands, though the next event will not know of it.
            if let Err(error) = place.save(&memory) {
                tracing::error!(%error);
            }
        }
        if let (Moment::SessionStart(_), Some(store)) = (&incoming.moment, store) {
            store.prune(incoming.client);
        }
        Ok(answer)
    }

    fn session(&self, incoming: &Incoming, memory: &mut Memory) -> Session {
        let here = incoming.workspace.clone().or_else(|| incoming.cwd.clone());
        let workspace = memory.notes.workspace.clone().or(here);
        memory.notes.workspace.clone_from(&workspace);
        let id = if incoming.session.is_empty() { incoming.client.name() } else { &incoming.session };
        let mut builder = Session::builder(&self.hooks, id)
            .clock(self.clock.clone())
            .states(std::mem::take(&mut memory.states));
        if let Some(workspace) = workspace {
            builder = builder.workspace(workspace);
        }
        if let Some(cwd) = &incoming.cwd {
            builder = builder.cwd(cwd.clone());
        }
        if let Some(model) = &incoming.model {
            builder = builder.model(model.clone());
        }
        (self.prepare)(builder).build()
    }
}
