//! The server's life: from a listener to the last session's end.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::ConnectInfo;
use hookspec::Hooks;
use hookspec::session::{Clock, SessionBuilder};
use hookspec_agent::engine::Limits;
use hookspec_agent::models::ModelOptions;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt;

use crate::brought::Projects;
use crate::guard::{Origins, Rates};
use crate::host::{Bounds, Host, LiveMap};
use crate::http;
use crate::store::{Store, StoreError};
use crate::tokens::Tokens;

/// What a server needs to start.
#[derive(Debug)]
pub struct Options {
    /// The hooks and tools of sessions whose workspace brings nothing.
    pub hooks: Hooks,
    /// What workspaces bring.
    pub projects: Projects,
    /// The database's file.
    pub database: PathBuf,
    /// No session works outside of this directory tree.
    pub root: PathBuf,
    /// The model of conversations that name none.
    pub model: Option<String>,
    /// Further models that clients may name: needed for replays, which read a file of this machine.
    pub models: Vec<String>,
    /// Keys and addresses of models.
    pub model_options: ModelOptions,
    /// How far the engine goes.
    pub limits: Limits,
    /// The time as hooks see it.
    pub clock: Clock,
    /// Who may come in.
    pub tokens: Tokens,
    /// Names under which the server is called beside those of the machine itself.
    pub names: Vec<String>,
    /// Pages of other places that may use it.
    pub origins: Vec<String>,
    /// What hooks of this host's sessions need beside the desk: folders, prices.
    pub lend: Lend,
    /// How much it takes.
    pub bounds: Bounds,
}

/// Lends things to each session that is opened.
#[derive(Clone)]
pub struct Lend(Arc<dyn Fn(SessionBuilder) -> SessionBuilder + Send + Sync>);

impl Lend {
    /// Adds to each session what `lend` adds.
    pub fn new(lend: impl Fn(SessionBuilder) -> SessionBuilder + Send + Sync + 'static) -> Self {
        Self(Arc::new(lend))
    }

    pub(crate) fn to(&self, session: SessionBuilder) -> SessionBuilder {
        (self.0)(session)
    }
}

impl Default for Lend {
    /// Lends nothing.
    fn default() -> Self {
        Self::new(|session| session)
    }
}

impl std::fmt::Debug for Lend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lend").finish_non_exhaustive()
    }
}

/// A server that cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The workspace root.
    #[error("The workspace root {} cannot be used: {source}. Name an existing directory.", .path.display())]
    Root {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The listener.
    #[error("The listener cannot be used: {0}. Name another address with --listen.")]
    Listener(std::io::Error),
}

/// A server that is ready to take connections.
#[derive(Debug)]
pub struct Server {
    host: Arc<Host>,
    listener: TcpListener,
}

fn root(path: &Path) -> Result<PathBuf, ServeError> {
    let failed = |source| ServeError::Root { path: path.to_owned(), source };
    let path = path.canonicalize().map_err(failed)?;
    std::fs::read_dir(&path).map_err(failed)?;
    Ok(path)
}

impl Server {
    /// Opens the database and takes the listener over.
    ///
    /// # Errors
    /// If the database or the workspace root cannot be used.
    pub fn new(options: Options, listener: TcpListener) -> Result<Self, ServeError> {
        let port = listener.local_addr().map_err(ServeError::Listener)?.port();
        let bounds = options.bounds;
        let store = Store::open(&options.database, options.clock.clone())?;
        let host = Host {
            store: Arc::new(store),
            hooks: options.hooks,
            projects: options.projects,
            root: root(&options.root)?,
            model: options.model,
            models: options.models,
            model_options: options.model_options,
            limits: options.limits,
            clock: options.clock,
            open_sessions: Arc::new(Semaphore::new(bounds.open_sessions)),
            live: LiveMap::default(),
            tokens: options.tokens,
            cookie: format!("hookspec-{port}"),
            streams: std::sync::Mutex::default(),
            lend: options.lend,
            origins: Origins::new(port, &options.names, &options.origins),
            rates: Rates::new(&bounds),
            bounds,
        };
        Ok(Self { host: Arc::new(host), listener })
    }

    /// Takes connections until `stop` completes; then ends every session and returns.
    ///
    /// A connection that cannot be accepted (no file handles left, say) is logged and the next one awaited.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { host, listener } = self;
        let service = http::router(&host);
        let places = Arc::new(Semaphore::new(host.bounds.connections));
        let (closing, _) = tokio::sync::watch::channel(false);
        let mut connections = tokio::task::JoinSet::new();
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stop => break,
                Some(_) = connections.join_next() => continue,
                accepted = accept(&listener, &places) => accepted,
            };
            let (stream, from, place) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                    continue;
                }
            };
            let connection = serve(Arc::clone(&host), service.clone(), stream, from, closing.subscribe());
            connections.spawn(async move {
                connection.await;
                drop(place);
            });
        }
        drop(listener);
        host.shut_down().await;
        // The feeds are closed, so streams end by themselves; requests that are being answered may finish.
        let _ = closing.send(true);
        let all = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(std::time::Duration::from_secs(2), all).await.is_err() {
            tracing::info!("connections were still open and are cut");
        }
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    // A place first: more connections than that wait in the system's queue.
    let place = Arc::clone(places).acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, from) = listener.accept().await?;
    Ok((stream, from, place))
}

async fn serve(
    host: Arc<Host>,
    router: axum::Router,
    stream: TcpStream,
    from: SocketAddr,
    mut closing: tokio::sync::watch::Receiver<bool>,
) {
    // Events are small and wanted at once.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection may delay small events");
    }
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(from));
        router.clone().oneshot(request)
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(host.bounds.head_time)
        .max_buf_size(64 * 1024)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let closed = tokio::select! {
        closed = &mut connection => closed,
        () = async { drop(closing.wait_for(|closing| *closing).await) } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = closed {
        tracing::debug!(%error, "a connection ended badly");
    }
}
