//! Live conversations: one task each, which owns the engine while a session is open.
//!
//! Clients talk to a [`Live`]: it has the feed, the desk with what waits for an answer, and a bounded queue of
//! commands to the task. The engine is opened by the first command that needs one and ended when the session has been
//! idle for a while; the feed stays as long as somebody reads it, so watching opens nothing.

mod actor;
mod board;
mod during;
mod record;
mod show;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookspec::points::EndReason;
use hookspec::session::{InterruptReason, SessionBuilder, StateError};
use hookspec::{Hooks, Message, Session};
use hookspec_agent::engine::{OpenError, Queue};
use hookspec_agent::log::LogError;
use hookspec_agent::models::ModelError;
use hookspec_builtins::desk::Desk;
use tokio::sync::{mpsc, oneshot, watch};

use crate::events::{PendingElicitation, PendingTool};
use crate::feed::Feed;
use crate::store::{Owner, StoreError};

pub(crate) use actor::run;
use board::{Shown, ShownQuestion, shown_question};
use show::CallNames;

/// Commands that may wait for the task; more are refused.
const COMMANDS: usize = 64;

/// Why a session does not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Refusal {
    /// A turn runs.
    #[error("A turn is running: wait until the session rests, or interrupt it.")]
    Running,
    /// A hook refused the message.
    #[error("The message was refused by the hook `{hook}`: {reason}")]
    Message {
        /// The hook.
        hook: String,
        /// Why.
        reason: String,
    },
    /// The message could not be stored.
    #[error("The message could not be stored; see the server's log, and send it again.")]
    NotStored,
    /// There is no message of that index.
    #[error("The conversation has {0} messages, so there is none of that index.")]
    NoMessage(usize),
    /// The workspace is not where it may be.
    #[error("{} is not a directory inside the server's workspace root: name one that is.", .0.display())]
    Outside(std::path::PathBuf),
    /// What the workspace brings cannot be used.
    #[error("The session cannot begin, since a file that its workspace brings cannot be used: {0}.")]
    Workspace(String),
    /// There is no such hook.
    #[error("No selected hook is called `{0}`: list the hooks to see their names.")]
    NoHook(String),
    /// Too many sessions are open.
    #[error("{0} sessions are open, which is as many as this server takes: end some, or try again later.")]
    Full(usize),
    /// Too many commands wait.
    #[error("The session is busy, and too many requests wait for it already: try again later.")]
    Busy,
    /// The session is being ended or deleted.
    #[error("The session is just being ended: try again.")]
    Ending,
    /// The server is being ended.
    #[error("The server is being ended.")]
    Closing,
    /// The session cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A hook's state.
    #[error(transparent)]
    State(#[from] StateError),
}

pub(crate) type Reply<T> = oneshot::Sender<Result<T, Refusal>>;

/// A message that was taken.
#[derive(Clone, Debug)]
pub(crate) enum Posted {
    /// It is in the log.
    Stored(Arc<Message>),
    /// It is stored, and enters the log when the running turn rests.
    Waits(Message),
}

/// A change to what was said.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Another text.
    Content(String),
    /// The message is taken away.
    Remove,
}

#[derive(Debug)]
pub(crate) enum Command {
    /// Takes a message.
    Post { message: Box<Message>, reply: Reply<Posted> },
    /// Takes turns until the agent rests. Answered when they have begun.
    Step { model: Option<String>, beforehand: Option<u32>, reply: Reply<()> },
    /// Changes a message, and with `truncate` takes away what followed.
    Edit { index: usize, change: Change, truncate: bool, reply: Reply<()> },
    /// Runs the tool calls of the last answer again.
    Rerun { reply: Reply<()> },
    /// Uses another model.
    Model { model: String, reply: Reply<()> },
    /// Confirms so many further tool calls beforehand.
    Beforehand { count: u32, reply: Reply<()> },
    /// Switches a hook on or off.
    Hook { hook: String, on: bool, reply: Reply<()> },
    /// Ends the session, if it is open; with `stop`, the task too.
    End { reason: EndReason, stop: bool, reply: Reply<()> },
}

/// What an open engine lends to those outside its task.
#[derive(Clone, Debug)]
struct Open {
    session: Session,
    queue: Queue,
    /// What of its workspace is not in force.
    warnings: Arc<[String]>,
}

/// A conversation that somebody watches or works in.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) owner: Owner,
    pub(crate) id: String,
    pub(crate) session_id: String,
    pub(crate) feed: Arc<Feed>,
    /// What waits for an answer.
    pub(crate) desk: Arc<Desk>,
    names: Arc<CallNames>,
    commands: mpsc::Sender<Command>,
    running: watch::Sender<bool>,
    /// Set before the task is told to end, so that what waits in the queue before that is refused.
    ending: AtomicBool,
    open: Mutex<Option<Open>>,
}

impl Live {
    pub(crate) fn new(
        owner: Owner,
        id: String,
        session_id: String,
        epoch: String,
    ) -> (Arc<Self>, mpsc::Receiver<Command>) {
        let (commands, received) = mpsc::channel(COMMANDS);
        let (feed, names) = (Arc::new(Feed::new(epoch)), Arc::<CallNames>::default());
        let desk = Desk::new(Shown { feed: Arc::clone(&feed), names: Arc::clone(&names) });
        let live = Self {
            owner,
            id,
            session_id,
            feed,
            desk: Arc::new(desk),
            names,
            commands,
            running: watch::Sender::new(false),
            ending: AtomicBool::new(false),
            open: Mutex::default(),
        };
        (Arc::new(live), received)
    }

    /// Whether a turn runs.
    pub(crate) fn is_running(&self) -> bool {
        *self.running.borrow()
    }

    /// Waits until no turn runs, for a while.
    pub(crate) async fn rests_within(&self, patience: Duration) {
        let mut running = self.running.subscribe();
        // Whether it did is what the next command finds.
        let _ = tokio::time::timeout(patience, running.wait_for(|running| !running)).await;
    }

    fn set_running(&self, running: bool) {
        self.running.send_replace(running);
    }

    fn set_open(&self, open: Option<Open>) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = open;
    }

    fn opened(&self) -> Option<Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lends the session what its hooks need of this host.
    fn lend(&self, builder: SessionBuilder) -> SessionBuilder {
        builder.extension(Arc::clone(&self.desk))
    }

    /// What waits for an answer, as clients see it.
    pub(crate) fn pending(&self) -> (Vec<PendingTool>, Vec<PendingElicitation>) {
        let (mut tools, mut elicitations) = (Vec::new(), Vec::new());
        for pending in self.desk.pending(&self.id) {
            match shown_question(&pending) {
                ShownQuestion::Tool(tool) => tools.push(tool),
                ShownQuestion::Elicitation(question) => elicitations.push(question),
            }
        }
        (tools, elicitations)
    }

    /// The hooks of the open engine, and what of its workspace is not in force.
    pub(crate) fn hooks(&self) -> Option<(Hooks, Arc<[String]>)> {
        self.opened().map(|open| (open.session.hooks().clone(), open.warnings))
    }

    /// Whether an engine is open.
    pub(crate) fn is_open(&self) -> bool {
        self.opened().is_some()
    }

    /// Cuts short what the session is doing; messages that wait enter the log and are not answered.
    pub(crate) fn interrupt(&self, reason: InterruptReason) {
        if let Some(Open { session, queue, .. }) = self.opened() {
            drop(queue.take()); // they are in the store's inbox
            session.interrupt(reason);
        }
    }

    /// Ends the session and the task, however many commands wait; what runs or asks is cut short.
    pub(crate) async fn end(&self, reason: EndReason) -> Result<(), Refusal> {
        self.ending.store(true, Ordering::SeqCst);
        self.interrupt(InterruptReason::Shutdown);
        let (reply, ended) = oneshot::channel();
        // A task that is gone has ended its session.
        if self.commands.send(Command::End { reason, stop: true, reply }).await.is_err() {
            return Ok(());
        }
        ended.await.unwrap_or(Ok(()))
    }

    fn is_ending(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }

    /// Sends a command and waits for its answer. `None`: the task is gone and has not seen it.
    pub(crate) async fn ask<T>(
        &self,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Option<Result<T, Refusal>> {
        let (reply, answer) = oneshot::channel();
        match self.commands.try_send(command(reply)) {
            // A task that is gone before it answered may have begun: asking another would do it twice.
            Ok(()) => Some(answer.await.unwrap_or(Err(Refusal::Ending))),
            Err(mpsc::error::TrySendError::Full(_)) => Some(Err(Refusal::Busy)),
            Err(mpsc::error::TrySendError::Closed(_)) => None,
        }
    }
}
