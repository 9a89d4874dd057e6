//! The switch: what sessions share. It reads the file, knows who uses the server, and gives the keeper its orders.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookspec::Session;
use tokio::sync::{oneshot, watch};

use crate::config::Config;
use crate::error::StartError;
use crate::keeper::{Keeper, Order, Phase, Reply, Serving, Status, Times};
use crate::launch::Launch;
use crate::source::{Reading, Source};
use crate::users::Users;

/// One file of local models, and the one server that it stands for.
///
/// Clones are the same. When the last one goes, the server is stopped. A host that wants a switch of its own, as tests do, lends it to
/// its sessions as an extension; sessions without one share the process's (`docs/decisions/0013-llm-switch.md`).
#[derive(Clone, Debug)]
pub struct Switch(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    source: Mutex<Source>,
    users: Arc<Mutex<Users>>,
    /// Counts the changes of `users`.
    changes: watch::Sender<u64>,
    status: watch::Receiver<Status>,
    orders: mpsc::Sender<Order>,
    tell: Duration,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Switch {
    /// A switch for this file (an absolute path), with logs and notes in `place`.
    ///
    /// # Errors
    /// If the thread that keeps the server cannot be started.
    pub fn new(
        file: impl Into<PathBuf>,
        place: impl Into<PathBuf>,
        times: Times,
    ) -> Result<Self, std::io::Error> {
        let (orders, taken) = mpsc::channel();
        let (shown, status) = watch::channel(Status::default());
        let users = Arc::<Mutex<Users>>::default();
        let keeper = Keeper::new(taken, shown, Arc::clone(&users), place.into(), times);
        std::thread::Builder::new().name("llm-switch".to_owned()).spawn(move || keeper.run())?;
        let path = file.into();
        let source = Mutex::new(Source::new(path.clone()));
        let changes = watch::Sender::new(0);
        Ok(Self(Arc::new(Shared { path, source, users, changes, status, orders, tell: times.tell })))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// What the file says now.
    pub(crate) fn read(&self) -> Reading {
        lock(&self.0.source).read()
    }

    /// What there is now.
    #[must_use]
    pub fn status(&self) -> Status {
        self.0.status.borrow().clone()
    }

    /// Between two words to the user about a wait.
    pub(crate) fn tell(&self) -> Duration {
        self.0.tell
    }

    /// Follows what there is.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Status> {
        self.0.status.clone()
    }

    fn change<T>(&self, change: impl FnOnce(&mut Users) -> T) -> T {
        let changed = change(&mut lock(&self.0.users));
        self.0.changes.send_modify(|count| *count = count.wrapping_add(1));
        changed
    }

    /// Gives the session the server of the model `key`, started where it does not run; waits until it is ready.
    ///
    /// Not cancelled by an interrupt of the session: whoever calls this drops it then.
    pub(crate) async fn ensure(
        &self,
        session: &Session,
        config: &Config,
        key: &str,
    ) -> Result<Serving, StartError> {
        let Some((key, entry)) = config.models.get_key_value(key) else { return Err(StartError::Gone) };
        let folder = self.path().parent().unwrap_or(Path::new("/"));
        let launch = Arc::new(Launch::of(config, (key, entry), folder, session.workspace()));
        if session.parent().is_some() && !self.runs(&launch) {
            return Err(StartError::NotTopLevel { key: key.clone() });
        }
        let answer = self.claim(session, &launch).await?;
        answer.await.unwrap_or(Err(StartError::Gone))
    }

    fn runs(&self, launch: &Launch) -> bool {
        let status = self.0.status.borrow();
        matches!(status.phase, Phase::Starting | Phase::Ready) && status.key.as_ref() == Some(&launch.key)
    }

    /// Waits until no other session works with another server, at most as long as a start may take, and orders the server.
    async fn claim(
        &self,
        session: &Session,
        launch: &Arc<Launch>,
    ) -> Result<oneshot::Receiver<Result<Serving, StartError>>, StartError> {
        let mut changes = self.0.changes.subscribe();
        let mut patience = session.sleep(launch.patience);
        loop {
            // Marked as seen before it is looked at: a change that comes after the look is not missed.
            changes.borrow_and_update();
            let (reply, answer) = oneshot::channel();
            let Err((other_session, other)) = self.order(session, launch, reply) else { return Ok(answer) };
            let busy = StartError::Busy { key: launch.key.clone(), other, session: other_session };
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return Err(StartError::Gone) },
                () = &mut patience => return Err(busy),
            }
        }
    }

    /// Makes the session a user and orders the server. Both under one lock: an order to stop, given by the last of the users before,
    /// must not come after it. A keeper that is gone shows when its answer is awaited.
    fn order(&self, session: &Session, launch: &Arc<Launch>, reply: Reply) -> Result<(), (String, String)> {
        let mut users = lock(&self.0.users);
        users.claim(session.id(), launch)?;
        let _ = self.0.orders.send(Order::Want { launch: Arc::clone(launch), reply });
        drop(users);
        self.0.changes.send_modify(|count| *count = count.wrapping_add(1));
        Ok(())
    }

    /// The session's turn is over.
    pub(crate) fn rest(&self, session: &Session) {
        self.change(|users| users.rest(session.id()));
    }

    /// The session has gone to a model that is not local; the server stays until it is idle for too long.
    pub(crate) fn leave(&self, session: &Session) {
        self.change(|users| users.leave(session.id()));
    }

    /// The session is at its end. The server of the last one is stopped, and this waits for it.
    pub(crate) async fn end(&self, session: &Session) {
        let stopped = self.change(|users| {
            users.leave(session.id());
            users.nobody().then(|| self.order_stop())
        });
        if let Some(stopped) = stopped {
            // A keeper that has failed has taken its server with it.
            let _ = stopped.await;
        }
    }

    /// Stops the server, unless another session works with it.
    pub(crate) async fn stop(&self, session: &Session) -> Result<(), StartError> {
        let stopped = self.change(|users| {
            if let Some((session, key)) = users.other_at_work(session.id()) {
                return Err(StartError::InUse { key, session });
            }
            users.leave(session.id());
            Ok(self.order_stop())
        })?;
        let _ = stopped.await;
        Ok(())
    }

    fn order_stop(&self) -> oneshot::Receiver<()> {
        let (reply, stopped) = oneshot::channel();
        let _ = self.0.orders.send(Order::Stop { reply });
        stopped
    }
}
