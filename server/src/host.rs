//! What all sessions of a server share.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookspec::Hooks;
use hookspec::points::EndReason;
use hookspec::session::Clock;
use hookspec_agent::engine::Limits;
use hookspec_agent::models::ModelOptions;
use tokio::sync::{Semaphore, mpsc};

use crate::brought::{Brought, Projects};
use crate::guard::{Origins, Rates};
use crate::live::{self, Command, Live, Refusal, Reply};
use crate::random::random_text;
use crate::serve::Lend;
use crate::store::{Owner, Store, StoreError};
use crate::tokens::Tokens;

/// How much a server takes before it refuses.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Open sessions.
    pub open_sessions: usize,
    /// Conversations that are watched or worked in, open or not.
    pub live: usize,
    /// Connections.
    pub connections: usize,
    /// Event streams of one owner.
    pub streams: usize,
    /// Bytes of a request's body.
    pub body: usize,
    /// Bytes of an imported conversation.
    pub import: usize,
    /// Until a request's head has come.
    pub head_time: Duration,
    /// Until a request is answered; event streams may go on.
    pub request_time: Duration,
    /// Requests of one owner, each second; five times as many may come at once.
    pub requests_per_second: u32,
    /// Wrong tokens of one address, each minute.
    pub failures_per_minute: u32,
    /// Until a session that nobody uses is ended.
    pub idle: Duration,
    /// How long a shutdown waits for sessions to end.
    pub shutdown: Duration,
    /// How long a step waits for the turn before it to rest: clients take the answer for the turn's end, and hooks
    /// may still be at work then.
    pub settle: Duration,
    /// Between two signs of life in an event stream.
    pub ping: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            open_sessions: 4096,
            live: 8192,
            connections: 4096,
            streams: 2048,
            body: 1 << 20,
            import: 64 << 20,
            head_time: Duration::from_secs(10),
            request_time: Duration::from_secs(30),
            requests_per_second: 200,
            failures_per_minute: 20,
            idle: Duration::from_secs(30 * 60),
            shutdown: Duration::from_secs(20),
            settle: Duration::from_secs(1),
            ping: Duration::from_secs(15),
        }
    }
}

/// The server's state.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) store: Arc<Store>,
    pub(crate) hooks: Hooks,
    pub(crate) projects: Projects,
    /// No session works outside of this directory tree. Canonical.
    pub(crate) root: PathBuf,
    pub(crate) model: Option<String>,
    /// Models that clients may name beside the default, in full.
    pub(crate) models: Vec<String>,
    pub(crate) model_options: ModelOptions,
    pub(crate) limits: Limits,
    pub(crate) lend: Lend,
    pub(crate) clock: Clock,
    pub(crate) bounds: Bounds,
    pub(crate) open_sessions: Arc<Semaphore>,
    pub(crate) live: LiveMap,
    pub(crate) tokens: Tokens,
    /// The name of the page's cookie; cookies do not tell ports apart, so the port is in it.
    pub(crate) cookie: String,
    /// Event streams of each owner.
    pub(crate) streams: Mutex<HashMap<Owner, usize>>,
    pub(crate) origins: Origins,
    pub(crate) rates: Rates,
}

impl Host {
    /// Asks the store on a thread that may wait for the disk.
    pub(crate) async fn store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Arc<Store>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = Arc::clone(&self.store);
        let done = tokio::task::spawn_blocking(move || work(&store)).await;
        done.unwrap_or_else(|error| Err(StoreError::Panicked(error.to_string())))
    }

    /// A directory inside the root, with its links resolved.
    pub(crate) fn inside(&self, path: &Path) -> Result<PathBuf, Refusal> {
        let outside = || Refusal::Outside(path.to_owned());
        let resolved = self.root.join(path).canonicalize().map_err(|_| outside())?;
        if resolved.starts_with(&self.root) && resolved.is_dir() { Ok(resolved) } else { Err(outside()) }
    }

    /// The hooks of sessions that work in this directory.
    pub(crate) async fn brought(&self, workspace: &Path) -> Result<Brought, Refusal> {
        let (projects, place) = (self.projects.clone(), workspace.to_owned());
        let looked = tokio::task::spawn_blocking(move || projects.look(&place)).await;
        match looked {
            Ok(None) => {
                Ok(Brought { hooks: self.hooks.clone(), lend: self.lend.clone(), warnings: Vec::new() })
            }
            Ok(Some(Ok(brought))) => Ok(brought),
            Ok(Some(Err(error))) => Err(Refusal::Workspace(error.to_string())),
            Err(error) => Err(Refusal::Workspace(error.to_string())),
        }
    }

    /// The live conversation; started where it is not.
    pub(crate) async fn live(self: &Arc<Self>, owner: &Owner, id: &str) -> Result<Arc<Live>, Refusal> {
        if let Some(live) = self.live.get(owner, id)? {
            return Ok(live);
        }
        let (whose, which) = (owner.clone(), id.to_owned());
        let session = self.store(move |store| store.session(&whose, &which)).await?;
        let epoch = random_text(4).map_err(StoreError::from)?;
        let mut map = self.live.lock();
        map.check(owner, id)?;
        if let Some(live) = map.live.get(&(owner.clone(), id.to_owned())) {
            return Ok(Arc::clone(live));
        }
        if map.live.len() >= self.bounds.live {
            return Err(Refusal::Full(map.live.len()));
        }
        let (live, commands) = Live::new(owner.clone(), id.to_owned(), session, epoch);
        map.live.insert((owner.clone(), id.to_owned()), Arc::clone(&live));
        drop(map);
        tokio::spawn(live::run(Arc::clone(self), Arc::clone(&live), commands));
        Ok(live)
    }

    /// Sends a command to a conversation's task.
    pub(crate) async fn ask<T>(
        self: &Arc<Self>,
        owner: &Owner,
        id: &str,
        mut command: impl FnMut(Reply<T>) -> Command,
    ) -> Result<T, Refusal> {
        // A task may retire between being looked up and being asked; twice in a row is already unlikely.
        for _ in 0..3 {
            let live = self.live(owner, id).await?;
            if let Some(answer) = live.ask(&mut command).await {
                return answer;
            }
            tokio::task::yield_now().await;
        }
        Err(Refusal::Ending)
    }

    /// Ends and deletes a conversation.
    pub(crate) async fn delete(self: &Arc<Self>, owner: &Owner, id: &str) -> Result<(), Refusal> {
        let key = (owner.clone(), id.to_owned());
        let live = {
            let mut map = self.live.lock();
            if !map.deleting.insert(key.clone()) {
                return Err(Refusal::Ending);
            }
            map.live.get(&key).cloned()
        };
        // Taken away however this ends, also when the client goes away in the middle of it.
        let _deleting = Deleting(Arc::clone(self), key);
        if let Some(live) = live {
            live.end(EndReason::Deleted).await?;
        }
        let (whose, which) = (owner.clone(), id.to_owned());
        self.store(move |store| store.delete(&whose, &which)).await?;
        Ok(())
    }

    /// Ends every session and refuses new ones.
    pub(crate) async fn shut_down(&self) {
        let all: Vec<_> = {
            let mut map = self.live.lock();
            map.closing = true;
            map.live.values().cloned().collect()
        };
        let ends = all.iter().map(|live| live.end(EndReason::Shutdown));
        let ended = tokio::time::timeout(self.bounds.shutdown, futures_util::future::join_all(ends)).await;
        if ended.is_err() {
            tracing::warn!(after = ?self.bounds.shutdown, "sessions were still busy and are left behind");
        }
    }
}

struct Deleting(Arc<Host>, (Owner, String));

impl Drop for Deleting {
    fn drop(&mut self) {
        self.0.live.lock().deleting.remove(&self.1);
    }
}

/// The live conversations.
#[derive(Debug, Default)]
pub(crate) struct LiveMap(Mutex<Map>);

#[derive(Debug, Default)]
pub(crate) struct Map {
    live: HashMap<(Owner, String), Arc<Live>>,
    deleting: HashSet<(Owner, String)>,
    closing: bool,
}

impl Map {
    fn check(&self, owner: &Owner, id: &str) -> Result<(), Refusal> {
        if self.closing {
            return Err(Refusal::Closing);
        }
        let deleting = self.deleting.contains(&(owner.clone(), id.to_owned()));
        if deleting { Err(Refusal::Ending) } else { Ok(()) }
    }
}

impl LiveMap {
    fn lock(&self) -> MutexGuard<'_, Map> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A conversation that is live already.
    pub(crate) fn get(&self, owner: &Owner, id: &str) -> Result<Option<Arc<Live>>, Refusal> {
        let map = self.lock();
        map.check(owner, id)?;
        Ok(map.live.get(&(owner.clone(), id.to_owned())).cloned())
    }

    /// An owner's live conversations.
    pub(crate) fn of(&self, owner: &Owner) -> Vec<Arc<Live>> {
        self.lock().live.values().filter(|live| live.owner == *owner).cloned().collect()
    }

    /// Forgets a conversation whose task is over.
    pub(crate) fn forget(&self, live: &Arc<Live>) {
        let key = (live.owner.clone(), live.id.clone());
        let mut map = self.lock();
        if map.live.get(&key).is_some_and(|held| Arc::ptr_eq(held, live)) {
            map.live.remove(&key);
        }
    }

    /// Forgets a conversation that nobody watches or has asked anything; `false` if somebody has.
    pub(crate) fn retire(&self, live: &Arc<Live>, commands: &mut mpsc::Receiver<Command>) -> bool {
        let mut map = self.lock();
        if !commands.is_empty() || live.feed.readers() > 0 {
            return false;
        }
        commands.close();
        map.live.remove(&(live.owner.clone(), live.id.clone()));
        true
    }
}
