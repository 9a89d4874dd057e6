//! The task of a live conversation.

use std::path::PathBuf;
use std::sync::Arc;

use hookspec::points::{EndReason, TurnOutcome};
use hookspec::session::InterruptReason;
use hookspec::timeline::Observer;
use hookspec::{Message, Role};
use hookspec_agent::engine::{Agent, Begin, Opening, TurnEnd};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use crate::brought::Brought;
use crate::events::Event;
use crate::host::Host;
use crate::store::{Kept, Opened};

use super::during::{During, Ending, confirm_beforehand, switch_hook};
use super::record::Record;
use super::show::Show;
use super::{Change, Command, Live, Open, Posted, Refusal};

/// An open engine and what belongs to it.
struct Engine {
    agent: Agent,
    kept: Kept,
    record: Arc<Record>,
    hooks_off: Vec<String>,
    _permit: OwnedSemaphorePermit,
}

struct Actor {
    host: Arc<Host>,
    live: Arc<Live>,
    engine: Option<Engine>,
    /// Whether the task is to end.
    stop: bool,
}

/// Takes the marks of a running task away, however it ends.
struct Gone(Arc<Host>, Arc<Live>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.1.set_running(false);
        self.1.set_open(None);
        self.0.live.forget(&self.1);
        // Who still reads, after a fault or a deletion, learns that there is no more.
        self.1.feed.close();
    }
}

/// Serves commands until the conversation is idle and unwatched.
pub(crate) async fn run(host: Arc<Host>, live: Arc<Live>, mut commands: mpsc::Receiver<Command>) {
    let _gone = Gone(Arc::clone(&host), Arc::clone(&live));
    let mut actor = Actor { host, live, engine: None, stop: false };
    while !actor.stop {
        let idle = actor.host.bounds.idle;
        match tokio::time::timeout(idle, commands.recv()).await {
            Ok(Some(command)) if actor.live.is_ending() && !matches!(command, Command::End { .. }) => {
                refuse(command);
            }
            Ok(Some(command)) => actor.take(command, &mut commands).await,
            Ok(None) => break,
            Err(_) => {
                actor.end(EndReason::Idle).await;
                // Under the map's lock nobody can be given this task any more.
                if actor.live.feed.readers() == 0 && actor.host.live.retire(&actor.live, &mut commands) {
                    break;
                }
            }
        }
    }
    commands.close();
    while let Ok(command) = commands.try_recv() {
        refuse(command);
    }
    actor.end(EndReason::Exit).await;
}

/// Answers a command that comes too late.
fn refuse(command: Command) {
    let ending = || Err(Refusal::Ending);
    // Whoever asked may be gone; then nobody minds.
    match command {
        Command::Post { reply, .. } => drop(reply.send(Err(Refusal::Ending))),
        Command::Step { reply, .. }
        | Command::Edit { reply, .. }
        | Command::Rerun { reply }
        | Command::Model { reply, .. }
        | Command::Beforehand { reply, .. }
        | Command::Hook { reply, .. } => drop(reply.send(ending())),
        Command::End { reply, .. } => drop(reply.send(Ok(()))),
    }
}

impl Actor {
    /// Carries out a command while no turn runs.
    async fn take(&mut self, command: Command, commands: &mut mpsc::Receiver<Command>) {
        match command {
            Command::Post { message, reply } => {
                let posted = self.post(*message).await;
                let _ = reply.send(posted);
            }
            Command::Step { model, beforehand, reply } => match self.begin_step(model, beforehand).await {
                Ok(()) => {
                    self.begin_turn();
                    let _ = reply.send(Ok(()));
                    self.turns(commands).await;
                }
                Err(refusal) => drop(reply.send(Err(refusal))),
            },
            Command::Edit { index, change, truncate, reply } => {
                let _ = reply.send(self.edit(index, change, truncate).await);
            }
            Command::Rerun { reply } => match self.ready().await {
                Ok(()) => {
                    self.begin_turn();
                    let _ = reply.send(Ok(()));
                    self.rerun(commands).await;
                }
                Err(refusal) => drop(reply.send(Err(refusal))),
            },
            Command::Model { model, reply } => {
                let _ = reply.send(self.set_model(&model).await);
            }
            Command::Beforehand { count, reply } => {
                let confirmed = match self.engine().await {
                    Ok(engine) => confirm_beforehand(engine.agent.session(), count),
                    Err(refusal) => Err(refusal),
                };
                let _ = reply.send(confirmed);
            }
            Command::Hook { hook, on, reply } => {
                let switched = match self.engine().await {
                    Ok(engine) => switch(engine, &hook, on),
                    Err(refusal) => Err(refusal),
                };
                let _ = reply.send(switched);
            }
            Command::End { reason, stop, reply } => {
                self.stop |= stop;
                self.end(reason).await;
                let _ = reply.send(Ok(()));
            }
        }
        if self.engine.as_ref().is_some_and(|engine| engine.agent.ending().is_some()) {
            self.end(EndReason::Exit).await;
        }
    }

    /// The engine, opened where it is not.
    async fn engine(&mut self) -> Result<&mut Engine, Refusal> {
        if self.engine.is_none() {
            let engine = self.open().await?;
            self.engine = Some(engine);
        }
        self.engine.as_mut().ok_or(Refusal::Ending)
    }

    async fn open(&self) -> Result<Engine, Refusal> {
        let host = &self.host;
        let permit = Arc::clone(&host.open_sessions)
            .try_acquire_owned()
            .map_err(|_| Refusal::Full(host.bounds.open_sessions))?;
        let (owner, id) = (self.live.owner.clone(), self.live.id.clone());
        let opened = host.store(move |store| store.open_conversation(&owner, &id)).await?;
        let Opened { kept, loaded, reason, inbox, hooks_off } = opened;
        let workspace = loaded.config.chat.workspace.clone().unwrap_or_else(|| host.root.clone());
        let workspace = host.inside(&workspace)?;
        let Brought { hooks, lend, warnings } = host.brought(&workspace).await?;
        let record = Arc::<Record>::default();
        let show =
            Show::new(Arc::clone(&self.live.feed), Arc::clone(&self.live.names), hooks.clone(), kept.clone());
        let opening = Opening {
            hooks,
            begin: Begin::Stored { storage: Arc::new(kept.clone()), loaded: Box::new(loaded), reason },
            logs: PathBuf::new(),
            workspace,
            model: None,
            model_options: host.model_options.clone(),
            frontend: Arc::new(show),
            limits: host.limits.clone(),
            clock: host.clock.clone(),
            observer: Some(Arc::clone(&record) as Arc<dyn Observer>),
        };
        let off = hooks_off.clone();
        let live = Arc::clone(&self.live);
        let mut agent =
            Agent::open(opening, move |builder| live.lend(lend.to(builder)).disabled(off)).await?;
        for warning in &warnings {
            self.live.feed.publish(&Event::Notice { text: warning });
        }
        kept.mark_opened()?;
        self.live.set_open(Some(Open {
            session: agent.session().clone(),
            queue: agent.queue(),
            warnings: warnings.into(),
        }));
        // What was acknowledged before a crash enters the log now; it is answered when somebody asks for that.
        take_in(&mut agent, &kept, inbox).await?;
        Ok(Engine { agent, kept, record, hooks_off, _permit: permit })
    }

    async fn post(&mut self, message: Message) -> Result<Posted, Refusal> {
        self.ready().await?;
        let agent = &mut self.engine().await?.agent;
        let stored = if message.role == Role::User {
            agent.post(message).await.map_err(refused)?
        } else {
            let shown = message.role == Role::System; // the engine shows those itself
            let stored = agent.session().store(message).await.map_err(|fault| {
                tracing::error!(%fault, "a posted message is refused");
                Refusal::NotStored
            })?;
            if !shown {
                self.live.feed.publish(&Event::MessageAdded { message: &stored });
            }
            stored
        };
        Ok(Posted::Stored(stored))
    }

    async fn begin_step(&mut self, model: Option<String>, beforehand: Option<u32>) -> Result<(), Refusal> {
        if let Some(model) = model {
            self.set_model(&model).await?;
        }
        self.ready().await?;
        let session = self.engine().await?.agent.session();
        beforehand.map_or(Ok(()), |count| confirm_beforehand(session, count))
    }

    /// Clears an interrupt of an earlier turn; one that is to end the task stands.
    async fn ready(&mut self) -> Result<(), Refusal> {
        self.engine().await?.agent.session().resume();
        if !self.live.is_ending() {
            return Ok(());
        }
        self.live.interrupt(InterruptReason::Shutdown);
        Err(Refusal::Ending)
    }

    fn begin_turn(&self) {
        self.live.set_running(true);
        self.live.feed.begin_turn();
    }

    async fn set_model(&mut self, model: &str) -> Result<(), Refusal> {
        let engine = self.engine().await?;
        if engine.agent.session().model() == model {
            return Ok(());
        }
        engine.agent.set_model(model).await?;
        let config = serde_json::json!({ "chat": { "model": model } });
        self.live.feed.publish(&Event::ConfigChanged { config, changed_fields: &["model"] });
        Ok(())
    }

    async fn edit(&mut self, index: usize, change: Change, truncate: bool) -> Result<(), Refusal> {
        let agent = &mut self.engine().await?.agent;
        let mut messages = agent.session().log().to_messages();
        let count = messages.len();
        let message = messages.get_mut(index).ok_or(Refusal::NoMessage(count))?;
        match change {
            Change::Content(content) => {
                message.content = content;
                if truncate {
                    messages.truncate(index + 1);
                }
            }
            Change::Remove if truncate => messages.truncate(index),
            Change::Remove => drop(messages.remove(index)),
        }
        agent.edit(messages).await?;
        let log = agent.session().log().to_messages();
        let (owner, id) = (self.live.owner.clone(), self.live.id.clone());
        let branches = self.host.store(move |store| store.branches(&owner, &id)).await?;
        self.live.feed.publish(&Event::ConversationEdited {
            index,
            truncated: truncate,
            log: &log,
            branches: crate::http::branches_json(branches),
        });
        Ok(())
    }

    /// Takes turns until the agent rests and nothing waits, and serves commands meanwhile.
    async fn turns(&mut self, commands: &mut mpsc::Receiver<Command>) {
        loop {
            let Some(mut engine) = self.engine.take() else { break };
            let Engine { agent, kept, record, hooks_off, .. } = &mut engine;
            let during = During::new(agent, kept, hooks_off);
            let (end, ending) = during.watch(agent.run(), commands, record).await;
            let outcome = match end {
                TurnEnd::Rested(outcome) => Some(outcome),
                TurnEnd::Refused { .. } | TurnEnd::NotStored { .. } => None,
            };
            if let Some(more) = self.after(engine, outcome, ending).await
                && more
            {
                continue;
            }
            break;
        }
    }

    async fn rerun(&mut self, commands: &mut mpsc::Receiver<Command>) {
        let Some(mut engine) = self.engine.take() else { return };
        let Engine { agent, kept, record, hooks_off, .. } = &mut engine;
        let during = During::new(agent, kept, hooks_off);
        let (outcome, ending) = during.watch(agent.rerun(), commands, record).await;
        let outcome = outcome.unwrap_or_else(|error| {
            self.live.feed.publish(&Event::Error { error: &error.to_string() });
            Some(TurnOutcome::Error)
        });
        if outcome.is_none() && ending.is_none() {
            // The calls are answered: the turn goes on with the model.
            self.engine = Some(engine);
            self.turns(commands).await;
        } else if self.after(engine, outcome, ending).await == Some(true) {
            self.turns(commands).await;
        }
    }

    /// Takes in what waited while a turn ran. Gives whether that is to be answered; `None`: the session is over.
    async fn after(
        &mut self,
        mut engine: Engine,
        outcome: Option<TurnOutcome>,
        ending: Option<Ending>,
    ) -> Option<bool> {
        let interrupted =
            outcome == Some(TurnOutcome::Interrupted) || engine.agent.session().interrupted().is_some();
        // What waits is in the inbox, and stays there while the log takes nothing.
        drop(engine.agent.queue().take());
        let left = match engine.agent.is_unstored() {
            true => Vec::new(),
            false => engine.kept.inbox().unwrap_or_default(),
        };
        let mut waited = !left.is_empty();
        if let Err(refusal) = take_in(&mut engine.agent, &engine.kept, left).await {
            waited = false;
            self.live.feed.publish(&Event::Error { error: &refusal.to_string() });
        }
        engine.record.keep(&engine.kept).await;
        let over = engine.agent.ending().is_some();
        self.engine = Some(engine);
        if waited && !interrupted && !over && ending.is_none() {
            return Some(true);
        }
        self.live.set_running(false);
        self.live.feed.publish(&Event::Rested { outcome });
        let Some(Ending { reason, stop, replies }) = ending else { return Some(false) };
        self.stop |= stop;
        self.end(reason).await;
        for reply in replies {
            let _ = reply.send(Ok(()));
        }
        None
    }

    /// Ends the session, if it is open.
    async fn end(&mut self, reason: EndReason) {
        let Some(Engine { agent, kept, record, .. }) = self.engine.take() else { return };
        agent.end(reason).await;
        self.live.set_open(None);
        record.keep(&kept).await;
    }
}

/// Puts messages that waited into the log.
async fn take_in(agent: &mut Agent, kept: &Kept, messages: Vec<Message>) -> Result<(), Refusal> {
    for message in messages {
        if agent.ending().is_some() {
            break; // they wait for the session to be opened again
        }
        let id = message.id.clone().unwrap_or_default();
        match agent.post(message).await {
            Ok(_) => {}
            // It waits on, with those behind it.
            Err(TurnEnd::NotStored { .. }) => return Err(Refusal::NotStored),
            Err(_) => kept.refuse(&id)?,
        }
    }
    Ok(())
}

fn refused(end: TurnEnd) -> Refusal {
    match end {
        TurnEnd::Refused { reason, hook } => Refusal::Message { hook, reason },
        TurnEnd::NotStored { .. } | TurnEnd::Rested(_) => Refusal::NotStored,
    }
}

fn switch(engine: &mut Engine, hook: &str, on: bool) -> Result<(), Refusal> {
    switch_hook(engine.agent.session(), &engine.kept, &mut engine.hooks_off, hook, on)
}
