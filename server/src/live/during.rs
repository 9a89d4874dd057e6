//! A turn that runs, and what clients may do meanwhile.

use std::sync::Arc;
use std::time::Duration;

use hookspec::points::EndReason;
use hookspec::session::InterruptReason;
use hookspec::{Message, Role, Session};
use hookspec_agent::engine::{Agent, Queue};
use hookspec_builtins::beforehand::{Beforehand, Further};
use tokio::sync::mpsc;

use crate::store::Kept;

use super::record::Record;
use super::{Command, Posted, Refusal, Reply};

/// How often a timeline is stored while a turn runs.
const KEEP: Duration = Duration::from_secs(2);

/// What is to happen once the turn rests.
pub(super) struct Ending {
    pub(super) reason: EndReason,
    pub(super) stop: bool,
    pub(super) replies: Vec<Reply<()>>,
}

/// A count replaces an earlier one, and none takes back whatever was confirmed.
pub(super) fn confirm_beforehand(session: &Session, count: u32) -> Result<(), Refusal> {
    // Not waited for: what holds it may be the very turn that goes on when this returns.
    let mut beforehand = session.try_state::<Beforehand>()?;
    match count {
        0 => beforehand.reset(),
        count => beforehand.allow(Further::Count(count)),
    }
    Ok(())
}

/// Switches a hook on or off in a session, and keeps that.
pub(super) fn switch_hook(
    session: &Session,
    kept: &Kept,
    off: &mut Vec<String>,
    hook: &str,
    on: bool,
) -> Result<(), Refusal> {
    let mut changed: Vec<String> = off.iter().filter(|name| *name != hook).cloned().collect();
    if !on {
        changed.push(hook.to_owned());
    }
    if !session.set_hook_enabled(hook, on) {
        return Err(Refusal::NoHook(hook.to_owned()));
    }
    kept.set_hooks_off(&changed)?;
    *off = changed;
    Ok(())
}

/// Stores the timeline now and then, until it is dropped.
struct Keeping(tokio::task::JoinHandle<()>);

impl Keeping {
    fn begin(record: Arc<Record>, kept: Kept) -> Self {
        Self(tokio::spawn(async move {
            loop {
                tokio::time::sleep(KEEP).await;
                record.keep(&kept).await;
            }
        }))
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What can be done while the engine is busy with a turn.
pub(super) struct During<'a> {
    session: Session,
    queue: Queue,
    kept: Kept,
    hooks_off: &'a mut Vec<String>,
    ending: Option<Ending>,
}

impl<'a> During<'a> {
    pub(super) fn new(agent: &Agent, kept: &Kept, hooks_off: &'a mut Vec<String>) -> Self {
        Self {
            session: agent.session().clone(),
            queue: agent.queue(),
            kept: kept.clone(),
            hooks_off,
            ending: None,
        }
    }

    /// Serves commands until the work is done.
    pub(super) async fn watch<T>(
        mut self,
        work: impl Future<Output = T>,
        commands: &mut mpsc::Receiver<Command>,
        record: &Arc<Record>,
    ) -> (T, Option<Ending>) {
        let mut work = std::pin::pin!(work);
        let _keeping = Keeping::begin(Arc::clone(record), self.kept.clone());
        loop {
            tokio::select! {
                biased;
                done = &mut work => return (done, self.ending),
                Some(command) = commands.recv() => self.take(command),
            }
        }
    }

    fn take(&mut self, command: Command) {
        // Whoever asked may be gone; then nobody minds.
        match command {
            Command::Post { message, reply } => drop(reply.send(self.wait(*message))),
            Command::Beforehand { count, reply } => {
                drop(reply.send(confirm_beforehand(&self.session, count)));
            }
            Command::Hook { hook, on, reply } => {
                let switched = switch_hook(&self.session, &self.kept, self.hooks_off, &hook, on);
                drop(reply.send(switched));
            }
            Command::End { reason, stop, reply } => {
                drop(self.queue.take()); // they are in the store's inbox
                // Whatever the reason: no hook keeps a session going that is to end.
                self.session.interrupt(InterruptReason::Shutdown);
                let ending = self.ending.get_or_insert_with(|| Ending { reason, stop, replies: Vec::new() });
                ending.stop |= stop;
                ending.replies.push(reply);
            }
            Command::Step { reply, .. }
            | Command::Edit { reply, .. }
            | Command::Rerun { reply }
            | Command::Model { reply, .. } => drop(reply.send(Err(Refusal::Running))),
        }
    }

    /// Stores a message that came while a turn runs, and queues it.
    fn wait(&self, mut message: Message) -> Result<Posted, Refusal> {
        if message.role != Role::User {
            return Err(Refusal::Running); // only what a user says can wait for its turn
        }
        self.kept.enqueue(&mut message)?;
        self.queue.push(message.clone());
        Ok(Posted::Waits(message))
    }
}
