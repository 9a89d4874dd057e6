//! The keeper: one thread that owns the server and is in exactly one phase.
//!
//! ```text
//!             Want                 ready
//!   Stopped ────────▶ Starting ────────────▶ Ready
//!      ▲                 │ fails, is given up,  │ Stop, another Want,
//!      │                 ▼ nobody waits         ▼ idle, ends by itself
//!      └──────────────────────────── Stopping ◀─┘
//!        ended, or killed after the mercy
//! ```
//!
//! A thread and not a task: a start must go on when the turn that asked for it is dropped and another one waits for it as well,
//! and it must not depend on the runtime of one host. It never waits for anything longer than a probe: orders that come
//! while a server is being stopped are taken up when it is gone, and all who want the same server share its one start.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

use crate::error::StartError;
use crate::launch::Launch;
use crate::probe::{Health, Prober};
use crate::process;
use crate::up::Up;
use crate::users::Users;

/// How long things may take, beside what the file says.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Between being asked to end and being killed.
    pub mercy: Duration,
    /// After the first failed start; doubled with each further one.
    pub back_off: Duration,
    /// The longest such wait.
    pub longest_back_off: Duration,
    /// Between two looks at a server that starts.
    pub probe: Duration,
    /// Between two words to the user about a wait.
    pub tell: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            mercy: Duration::from_secs(5),
            back_off: Duration::from_secs(10),
            longest_back_off: Duration::from_secs(300),
            probe: Duration::from_millis(200),
            tell: Duration::from_secs(10),
        }
    }
}

/// How often the keeper looks at a server that it does not wait for.
const TICK: Duration = Duration::from_millis(50);

/// What the keeper is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// There is no server.
    #[default]
    Stopped,
    /// A server was started and is not ready.
    Starting,
    /// The server serves its model.
    Ready,
    /// The server was asked to end.
    Stopping,
    /// There is no server, since the last one failed.
    Failed,
}

/// What there is, for everybody to see.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Status {
    /// What the keeper is about.
    pub phase: Phase,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The name under which the server reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The server's process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Where it is asked, as a base URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// While it starts: what it did when it was last asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    /// Why the last one failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A server that is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serving {
    /// The model.
    pub key: String,
    /// What the host calls it.
    pub model: String,
    /// Where it is asked, as a base URL.
    pub endpoint: String,
    /// The size of its context.
    pub context: u32,
    /// Its process.
    pub pid: u32,
}

pub(crate) type Reply = oneshot::Sender<Result<Serving, StartError>>;

/// What the keeper is told.
#[derive(Debug)]
pub(crate) enum Order {
    Want { launch: Arc<Launch>, reply: Reply },
    Stop { reply: oneshot::Sender<()> },
}

enum State {
    Stopped,
    Starting { up: Up, since: Instant, next_probe: Instant, waiting: Vec<Reply>, last: String },
    Ready { up: Up },
    Stopping { up: Up, kill_at: Instant },
}

/// A start that failed: it is not tried again at once.
struct Failed {
    launch: Arc<Launch>,
    error: StartError,
    times: u32,
    until: Instant,
}

pub(crate) struct Keeper {
    orders: Receiver<Order>,
    status: watch::Sender<Status>,
    users: Arc<Mutex<Users>>,
    place: PathBuf,
    times: Times,
    prober: Prober,
    state: State,
    /// Taken up when the server that is being stopped is gone.
    later: VecDeque<(Arc<Launch>, Reply)>,
    stops: Vec<oneshot::Sender<()>>,
    failed: Option<Failed>,
}

impl Keeper {
    pub(crate) fn new(
        orders: Receiver<Order>,
        status: watch::Sender<Status>,
        users: Arc<Mutex<Users>>,
        place: PathBuf,
        times: Times,
    ) -> Self {
        Self {
            orders,
            status,
            users,
            place,
            times,
            prober: Prober::new(),
            state: State::Stopped,
            later: VecDeque::new(),
            stops: Vec::new(),
            failed: None,
        }
    }

    /// Runs until nobody can give orders any more, and then stops the server.
    pub(crate) fn run(mut self) {
        loop {
            let order = match self.state {
                State::Stopped => self.orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
                _ => self.orders.recv_timeout(TICK),
            };
            match order {
                Ok(Order::Want { launch, reply }) => self.want(launch, reply),
                Ok(Order::Stop { reply }) => self.stop(reply),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.look();
        }
        self.go_down("the program ends");
        while matches!(self.state, State::Stopping { .. }) {
            std::thread::sleep(TICK);
            self.look();
        }
    }

    fn want(&mut self, launch: Arc<Launch>, reply: Reply) {
        self.look_at_ready();
        match &mut self.state {
            State::Stopped => self.start(launch, reply),
            State::Starting { up, waiting, .. } if up.launch.same_server(&launch) => waiting.push(reply),
            State::Ready { up } if up.launch.same_server(&launch) => answer(reply, Ok(up.serving(&launch))),
            State::Stopping { .. } => self.later.push_back((launch, reply)),
            State::Starting { .. } | State::Ready { .. } => {
                self.later.push_back((launch, reply));
                self.go_down("another model is wanted");
            }
        }
    }

    fn stop(&mut self, reply: oneshot::Sender<()>) {
        for (launch, waiting) in std::mem::take(&mut self.later) {
            answer(waiting, Err(given_up(&launch, "the server was stopped")));
        }
        self.go_down("the server was stopped");
        if matches!(self.state, State::Stopped) {
            // Nobody may be there to hear it.
            let _ = reply.send(());
        } else {
            self.stops.push(reply);
        }
    }

    /// Starts a server where there is none.
    fn start(&mut self, launch: Arc<Launch>, reply: Reply) {
        if let Some(failed) = &self.failed
            && failed.launch.as_written(&launch)
            && let Some(left) = failed.until.checked_duration_since(Instant::now())
        {
            let (error, seconds) = (Box::new(failed.error.clone()), left.as_secs().max(1));
            return answer(reply, Err(StartError::TooSoon { error, seconds }));
        }
        match Up::start(&launch, &self.place, self.times.mercy) {
            Ok(up) => {
                tracing::info!(
                    key = launch.key,
                    address = up.address,
                    pid = up.running.pid(),
                    "a model server starts"
                );
                let now = Instant::now();
                self.state = State::Starting {
                    up,
                    since: now,
                    next_probe: now,
                    waiting: vec![reply],
                    last: "it did not answer".to_owned(),
                };
                self.show(Phase::Starting);
            }
            Err(error) => {
                self.note_failure(launch, error.clone());
                answer(reply, Err(error));
            }
        }
    }

    /// Looks at what there is and moves on.
    fn look(&mut self) {
        self.look_at_start();
        self.look_at_ready();
        self.look_at_end();
    }

    fn look_at_start(&mut self) {
        let State::Starting { up, since, next_probe, waiting, last } = &mut self.state else { return };
        if let Some(error) = up.ended_by_itself() {
            return self.failed(error);
        }
        waiting.retain(|reply| !reply.is_closed());
        if waiting.is_empty() {
            return self.go_down("nobody waits for it any more");
        }
        let now = Instant::now();
        if now < *next_probe {
            return;
        }
        *next_probe = now + self.times.probe;
        let found = self.prober.ask(&up.address, &up.launch.alias);
        // Who answered is our child only if that is alive still.
        if let Some(error) = up.ended_by_itself() {
            return self.failed(error);
        }
        match found {
            Health::Ready => return self.ready(),
            Health::Other(served) => {
                let served = if served.is_empty() { "nothing".to_owned() } else { served.join(", ") };
                let (address, alias) = (up.address.clone(), up.launch.alias.clone());
                return self.failed(StartError::WrongModel { address, served, alias });
            }
            Health::Starting => *last = "it did not answer".to_owned(),
            Health::Loading => *last = "it was loading the model".to_owned(),
            Health::Odd(what) => *last = what,
        }
        let doing = Some(last.clone());
        self.status.send_if_modified(|status| {
            let news = status.doing != doing;
            status.doing = doing;
            news
        });
        if since.elapsed() > up.launch.patience {
            let error = StartError::Slow {
                key: up.launch.key.clone(),
                seconds: up.launch.patience.as_secs(),
                last: last.clone(),
                log: up.log.clone(),
                lines: process::last_lines(&up.log),
            };
            self.failed(error);
        }
    }

    fn ready(&mut self) {
        if let State::Starting { up, since, waiting, .. } = std::mem::replace(&mut self.state, State::Stopped)
        {
            tracing::info!(key = up.launch.key, took = ?since.elapsed(), "the model server is ready");
            let serving = up.serving(&up.launch);
            self.state = State::Ready { up };
            self.failed = None;
            // What is shown is so before anybody is told of it.
            self.show(Phase::Ready);
            for reply in waiting {
                answer(reply, Ok(serving.clone()));
            }
        }
    }

    /// A start failed: tells those who wait, and stops what there is of the server.
    fn failed(&mut self, error: StartError) {
        if let State::Starting { up, waiting, .. } = std::mem::replace(&mut self.state, State::Stopped) {
            let launch = Arc::clone(&up.launch);
            self.end(up);
            self.note_failure(launch, error.clone());
            for reply in waiting {
                answer(reply, Err(error.clone()));
            }
        }
    }

    fn note_failure(&mut self, launch: Arc<Launch>, error: StartError) {
        let before = self
            .failed
            .take()
            .filter(|failed| failed.launch.as_written(&launch))
            .map_or(0, |failed| failed.times);
        let wait = self.times.back_off.saturating_mul(1 << before.min(16)).min(self.times.longest_back_off);
        // Those who wait are told, and tell it.
        tracing::debug!(key = launch.key, "{error}");
        self.failed = Some(Failed { launch, error, times: before + 1, until: Instant::now() + wait });
        self.show(if matches!(self.state, State::Stopped) { Phase::Failed } else { Phase::Stopping });
    }

    fn look_at_ready(&mut self) {
        let State::Ready { up } = &mut self.state else { return };
        if let Some(error) = up.ended_by_itself() {
            tracing::warn!("{error}");
            // It did start: the next turn may try again at once.
            let launch = Arc::clone(&up.launch);
            self.failed = Some(Failed { launch, error, times: 0, until: Instant::now() });
            return self.go_down("it ended by itself");
        }
        let idle = up.launch.idle;
        let unused = self.users.lock().unwrap_or_else(PoisonError::into_inner).unused_for();
        if idle.zip(unused).is_some_and(|(most, unused)| unused >= most) {
            tracing::info!(
                key = up.launch.key,
                "the model server was not used for long enough and is stopped"
            );
            self.go_down("it was not used");
        }
    }

    fn look_at_end(&mut self) {
        let State::Stopping { up, kill_at } = &mut self.state else { return };
        let ended = !matches!(up.running.ended(), Ok(None));
        if !ended && Instant::now() < *kill_at {
            return;
        }
        // Also where it ended in peace: what it has started may be there still.
        up.running.kill();
        self.state = State::Stopped;
        self.show(if self.failed.is_some() { Phase::Failed } else { Phase::Stopped });
        for reply in std::mem::take(&mut self.stops) {
            let _ = reply.send(());
        }
        for (launch, reply) in std::mem::take(&mut self.later) {
            self.want(launch, reply);
        }
    }

    /// Asks the server to end, if there is one.
    fn go_down(&mut self, why: &'static str) {
        let (up, waiting) = match std::mem::replace(&mut self.state, State::Stopped) {
            State::Stopped => return,
            State::Starting { up, waiting, .. } => (up, waiting),
            State::Ready { up } => (up, Vec::new()),
            stopping @ State::Stopping { .. } => {
                self.state = stopping;
                return;
            }
        };
        let error = given_up(&up.launch, why);
        self.end(up);
        self.show(Phase::Stopping);
        for reply in waiting {
            answer(reply, Err(error.clone()));
        }
    }

    fn end(&mut self, up: Up) {
        up.running.ask_to_end();
        self.state = State::Stopping { up, kill_at: Instant::now() + self.times.mercy };
    }

    fn show(&self, phase: Phase) {
        let up = match &self.state {
            State::Stopped => None,
            State::Starting { up, .. } | State::Ready { up } | State::Stopping { up, .. } => Some(up),
        };
        let error = self.failed.as_ref().map(|failed| failed.error.to_string());
        self.status.send_replace(Status {
            phase,
            key: up.map(|up| up.launch.key.clone()),
            alias: up.map(|up| up.launch.alias.clone()),
            pid: up.map(|up| up.running.pid()),
            endpoint: up.map(Up::endpoint),
            doing: None,
            error: error.filter(|_| phase != Phase::Ready),
        });
    }
}

fn answer(reply: Reply, said: Result<Serving, StartError>) {
    // A turn that was interrupted does not listen any more.
    let _ = reply.send(said);
}

fn given_up(launch: &Launch, why: &'static str) -> StartError {
    StartError::GivenUp { key: launch.key.clone(), why }
}
