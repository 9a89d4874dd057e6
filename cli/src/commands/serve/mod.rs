//! `hookspec serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use hookspec::registry::Plugin;
use hookspec::session::Clock;
use hookspec_agent::engine::Limits;
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use hookspec_server::{Bounds, Brought, Options, Server, Tokens};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::output::{self, BOLD, DIM, paint};
use crate::settings::{Common, Settings};

mod projects;

use self::projects::Projects;
use super::CommandResult;
use super::list::in_shadow;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Where to listen. Anywhere but on this machine itself needs --token-file.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:5700")]
    listen: SocketAddr,
    /// Who may come in: one `NAME TOKEN` a line. Without it a fresh token is printed as a link.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The database; in the data folder unless given.
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// The model of conversations that name none, as provider/name.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// A further model that clients may name; needed for replay:SCRIPT.jsonl only.
    #[arg(long, value_name = "MODEL")]
    also_model: Vec<String>,
    /// The provider's address, for any endpoint that is compatible.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// A name under which the server is called, beside localhost: what clients send as Host.
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,
    /// A page of another place that may use the server, as https://HOST.
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,
    /// End sessions that nobody has used for so many minutes.
    #[arg(long, value_name = "MINUTES", default_value_t = 30)]
    idle: u64,
}

#[derive(Debug, thiserror::Error)]
enum ServeError {
    #[error(
        "{0} can be reached from other machines, and a token that is printed here is not enough for that: give --token-file, or listen on 127.0.0.1"
    )]
    Reachable(SocketAddr),
    #[error(
        "{} is no regular file, and a server reads its configuration for each session that is opened; name one that is with --config",
        .0.display()
    )]
    Config(PathBuf),
    #[error("there is no runtime for the hooks; this is a bug")]
    Runtime,
    #[error("cannot listen on {address}: {source}; choose another address with --listen")]
    Listen { address: SocketAddr, source: std::io::Error },
}

impl Serve {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        if !self.listen.ip().is_loopback() && self.token_file.is_none() {
            return Err(ServeError::Reachable(self.listen).into());
        }
        if let Some(file) = common.config.as_ref().filter(|file| !file.is_file()) {
            return Err(ServeError::Config(file.clone()).into());
        }
        // What it warns of is told when the sessions' hooks are looked up.
        let (settings, errors) = Settings::read(common)?;
        if let Some(error) = errors.into_iter().next() {
            return Err(error.into());
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let code = runtime.block_on(self.serve(common, plugins, &settings))?;
        runtime.shutdown_timeout(std::time::Duration::from_secs(1));
        Ok(code)
    }

    async fn serve(
        &self,
        common: &Common,
        plugins: &[&'static Plugin],
        settings: &Settings,
    ) -> CommandResult {
        let spawn = TokioSpawn::current().ok_or(ServeError::Runtime)?;
        let projects = Projects::new(common, plugins, Arc::new(spawn));
        // As sessions will name it; one that is not there is told by the server itself.
        let root = settings.workspace.canonicalize().unwrap_or_else(|_| settings.workspace.clone());
        let Brought { hooks, lend, .. } = projects.look(&root)?;
        for warning in &hooks.load().report().warnings {
            output::warning(warning);
        }
        if let Some(tried) = in_shadow(&hooks.list()) {
            output::warning(format!("in shadow: {tried}"));
        }
        let (tokens, fresh) = match &self.token_file {
            Some(file) => (Tokens::read(file)?, None),
            None => Tokens::fresh().map(|(tokens, token)| (tokens, Some(token)))?,
        };
        let defaults = Limits::default();
        let options = Options {
            hooks,
            database: self.database.clone().unwrap_or_else(|| settings.paths.data_dir.join("server.sqlite")),
            root: settings.workspace.clone(),
            model: self.model.clone().or_else(|| settings.agent.model.clone()),
            models: self.also_model.clone(),
            model_options: ModelOptions {
                base_url: self.base_url.clone().or_else(|| settings.agent.base_url.clone()),
                ..ModelOptions::default()
            },
            limits: Limits {
                steps: settings.agent.steps.unwrap_or(defaults.steps),
                retries: settings.agent.retries.unwrap_or(defaults.retries),
                ..defaults
            },
            clock: Clock::system(),
            tokens,
            names: self.host_name.clone(),
            origins: self.origin.clone(),
            lend,
            projects: hookspec_server::Projects::new(move |workspace| Ok(projects.look(workspace)?)),
            bounds: Bounds {
                idle: std::time::Duration::from_secs(self.idle.saturating_mul(60).max(1)),
                ..Bounds::default()
            },
        };
        let signals = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let listener = TcpListener::bind(self.listen)
            .await
            .map_err(|source| ServeError::Listen { address: self.listen, source })?;
        let address = listener.local_addr()?;
        let server = Server::new(options, listener)?;
        match &fresh {
            // The part after # stays in the browser: it is in no request and in nobody's log.
            Some(token) => output::line(format!("http://{address}/#token={}", token.reveal())),
            None => output::line(format!("http://{address}/")),
        }
        if self.model.is_none() && settings.agent.model.is_none() {
            output::warning(
                "there is no model: each conversation must name its own, or start again with --model",
            );
        }
        output::note(paint(DIM, "Ctrl-C ends all sessions and then the server; twice, at once"));
        run(server, signals).await;
        Ok(ExitCode::SUCCESS)
    }
}

/// Runs until the first signal, and through the sessions' end unless there is a second one.
async fn run(server: Server, (mut interrupt, mut terminate): (Signal, Signal)) {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let mut running = std::pin::pin!(server.run(async {
        // A sender that is gone means the same.
        let _ = stopped.await;
    }));
    tokio::select! {
        () = &mut running => return,
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    output::note(paint(BOLD, "ending the sessions"));
    drop(stop);
    tokio::select! {
        () = &mut running => {}
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
