//! `hookspec bridge CLIENT`: one event of another agent, answered by our hooks.
//!
//! The client starts this program for each event and gives it the event on standard input. The answer goes to
//! standard output, alone; hooks' own prints and the log go to standard error. Whatever goes wrong on the way, what
//! waits for a permission is refused.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clap::{Args, ValueEnum};
use hookspec::hooks::BoxFuture;
use hookspec::point::PointInfo;
use hookspec::registry::Plugin;
use hookspec::session::Clock;
use hookspec::spawn::{Job, Spawn, SpawnError, Threads};
use hookspec::{Hooks, Mode, Registry};
use hookspec_agent::paths::{Paths, PathsError};
use hookspec_agent::spawn::TokioSpawn;
use hookspec_bridge::bridge::{Bridge, Event};
use hookspec_bridge::client::Client;
use hookspec_bridge::input;
use hookspec_bridge::moment::points_of;
use hookspec_bridge::resident::{self, Resident, reside};
use hookspec_bridge::serve::serve;
use hookspec_bridge::store::Store;
use serde_json::json;

use crate::hooks::{Asking, Host, host_builder, lend};
use crate::output;
use crate::settings::{Common, Settings};

use super::CommandResult;

/// The clients, as arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientArg(pub(crate) Client);

impl ValueEnum for ClientArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [ClientArg; 7] = [
            ClientArg(Client::Codex),
            ClientArg(Client::Claude),
            ClientArg(Client::Gemini),
            ClientArg(Client::Cursor),
            ClientArg(Client::Copilot),
            ClientArg(Client::Goose),
            ClientArg(Client::Hermes),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

const HELP: &str =
    "Standard input holds one event of the client; standard output gets its answer, or nothing.
`hookspec install CLIENT` writes this command into the client's configuration.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct BridgeCommand {
    /// The agent whose event it is.
    client: ClientArg,
    /// The event's name, for clients that do not tell it, and for events that cannot be read.
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Seconds that the hooks of one event may take together; must be less than the client's own limit.
    #[arg(long, value_name = "SECONDS", default_value_t = 25.0)]
    deadline: f64,
    /// Let a process that stays answer, if one is there; otherwise answer here, and start one for the next event.
    #[arg(long)]
    resident: bool,
    /// Seconds without an event after which the process that stays ends.
    #[arg(long, value_name = "SECONDS", default_value_t = 900, requires = "resident")]
    idle: u64,
    /// Seconds to wait for the process that stays while it is busy with another event.
    #[arg(long, value_name = "SECONDS", default_value_t = resident::PATIENCE.as_secs_f64(), requires = "resident")]
    patience: f64,
    /// Be the process that stays, at this socket.
    #[arg(long, value_name = "SOCKET", hide = true)]
    reside: Option<PathBuf>,
}

impl BridgeCommand {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        // One for all events: to end a runtime would wait for hooks that were left behind.
        let spawn = Arc::new(Lazy::default());
        let bridge = |event: &Event| bridge(event, common, plugins, self.deadline(), Arc::clone(&spawn));
        if let Some(socket) = &self.reside {
            reside(socket, Duration::from_secs(self.idle), bridge)?;
            std::process::exit(0);
        }
        let (client, name) = (self.client.0, self.event.as_deref());
        let code = match self.resident.then(|| self.resident()).transpose() {
            Ok(Some(resident)) => resident::serve(client, name, &resident, bridge),
            Ok(None) => serve(client, name, bridge),
            Err(error) => {
                tracing::warn!(%error, "there is no place for a resident process");
                serve(client, name, bridge)
            }
        };
        // Hooks that were left behind, and a runtime's threads, must not keep the client waiting.
        std::process::exit(i32::from(code));
    }

    fn resident(&self) -> Result<Resident, PathsError> {
        let folder = Resident::folder(&Paths::discover()?.state_dir);
        let mut start: Vec<OsString> = std::env::args_os().skip(1).collect();
        start.push("--reside".into());
        let patience = Duration::try_from_secs_f64(self.patience).unwrap_or(resident::PATIENCE);
        Ok(Resident { folder, start, deadline: self.deadline(), patience })
    }

    fn deadline(&self) -> Duration {
        Duration::try_from_secs_f64(self.deadline).unwrap_or(Bridge::DEADLINE)
    }
}

/// The bridge with the hooks that are selected where the event happened.
fn bridge(
    event: &Event,
    common: &Common,
    plugins: &[&'static Plugin],
    deadline: Duration,
    spawn: Arc<Lazy>,
) -> Result<Bridge, Box<dyn std::error::Error>> {
    let incoming = &event.incoming;
    let here = incoming.workspace.as_ref().or(incoming.cwd.as_ref());
    let common = Common { workspace: common.workspace.clone().or_else(|| here.cloned()), ..common.clone() };
    let settings = Settings::load(&common)?;
    let registry = registry(&settings, &common, plugins, incoming.client)?;
    let store = store(&settings.paths);
    let bridge = Bridge::new(Hooks::with_spawn(registry, spawn)).remembering(store);
    Ok(Bridge { deadline, prepare: Arc::new(move |session| lend(session, &settings)), ..bridge })
}

/// Where the sessions of clients are remembered.
fn store(paths: &Paths) -> Store {
    Store::new(paths.state_dir.join("bridge"))
}

/// The hooks that run in a client. That a hook's point cannot fire there is no mistake: the same selection serves
/// other hosts; `hookspec doctor` tells of it.
pub(crate) fn registry(
    settings: &Settings,
    common: &Common,
    plugins: &[&'static Plugin],
    client: Client,
) -> Result<Registry, hookspec::registry::BuildError> {
    host_builder(settings, common, plugins, Host::Bridge, Asking::Nobody)
        .mode(Mode::Bridge)
        .fires(fires(client))
        .strict(false)
        .build()
}

/// The points that can fire in a client: those that it tells of, and what hooks declare and fire themselves.
pub(crate) fn fires(client: Client) -> Vec<&'static PointInfo> {
    let by_hooks = hookspec::point::fire_sites().iter().filter(|site| site.point.package != "hookspec");
    points_of(client).into_iter().chain(by_hooks.map(|site| site.point)).collect()
}

/// `hookspec fire --client`: what a client would be answered, without its memory unless a session is named.
pub(crate) fn show(
    client: Client,
    event: &str,
    session: Option<&str>,
    clock: Clock,
    common: &Common,
    plugins: &[&'static Plugin],
) -> CommandResult {
    let (bytes, name) = match event {
        "-" => (read_all(Path::new("/dev/stdin"))?, "standard input".to_owned()),
        text if text.trim_start().starts_with('{') => (text.as_bytes().to_vec(), "--event".to_owned()),
        path => (read_all(Path::new(path))?, path.to_owned()),
    };
    let map = input::parse(&bytes).map_err(|error| ShowError::Event { name, error })?;
    let mut event = Event::read(client, map, None);
    if event.incoming.name.is_empty() {
        return Err(ShowError::Nameless.into());
    }
    event.incoming.session = session.unwrap_or_default().to_owned();
    let mut bridge = bridge(&event, common, plugins, Bridge::DEADLINE, Arc::default())?;
    bridge.clock = clock;
    let answer = bridge.answer(&event);
    if common.json {
        let losses: Vec<String> = answer.losses.iter().map(ToString::to_string).collect();
        output::json(&json!({
            "event": event.incoming.name, "stdout": answer.body, "stderr": answer.stderr,
            "code": answer.code, "losses": losses, "held": answer.held,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let kind = event.incoming.moment.kind();
    let points: Vec<&str> = kind.points().iter().map(|point| point.name).collect();
    output::line(format!("event:  {}", event.incoming.name));
    output::line(format!(
        "points: {}",
        if points.is_empty() { "none".to_owned() } else { points.join(", ") }
    ));
    let body = answer.stdout();
    output::code(format!("stdout: {}", if body.is_empty() { "(nothing)" } else { &body }));
    output::line(format!("exit:   {}", answer.code));
    for line in answer.stderr.lines() {
        output::line(format!("stderr: {line}"));
    }
    for loss in &answer.losses {
        output::line(format!("lost:   {loss}"));
    }
    for text in &answer.held {
        output::line(format!("later:  {text}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn read_all(path: &Path) -> Result<Vec<u8>, ShowError> {
    std::fs::read(path).map_err(|source| ShowError::Read { path: path.to_owned(), source })
}

#[derive(Debug, thiserror::Error)]
enum ShowError {
    #[error("{path} cannot be read: {source}; --event takes JSON, a file or `-`")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{name}: {error}")]
    Event { name: String, error: input::InputError },
    #[error("the event does not tell its name: add `hook_event_name`, as the client would")]
    Nameless,
}

/// A runtime that is made when the first hook needs one: most events need none, and it costs more than they do.
#[derive(Debug, Default)]
struct Lazy(OnceLock<Made>);

#[derive(Debug)]
enum Made {
    Tokio { spawn: TokioSpawn, _runtime: tokio::runtime::Runtime },
    Threads(Threads),
}

impl Lazy {
    fn made(&self) -> &dyn Spawn {
        let made = self.0.get_or_init(|| {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => {
                    tracing::error!(%error, "no runtime for async hooks: plain threads serve them");
                    return Made::Threads(Threads::default());
                }
            };
            let entered = runtime.enter();
            let spawn = TokioSpawn::current();
            drop(entered);
            match spawn {
                Some(spawn) => Made::Tokio { spawn, _runtime: runtime },
                None => Made::Threads(Threads::default()),
            }
        });
        match made {
            Made::Tokio { spawn, .. } => spawn,
            Made::Threads(threads) => threads,
        }
    }
}

impl Spawn for Lazy {
    fn run(&self, job: Job) -> Result<(), SpawnError> {
        self.made().run(job)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.made().sleep(duration)
    }

    fn block_on(&self, future: BoxFuture<'_, ()>) {
        self.made().block_on(future);
    }

    fn may_block(&self) -> bool {
        self.made().may_block()
    }
}
