//! The server under load: many open sessions, some of them streaming; clients, servers and the model share the machine.
//!
//! `cargo bench -p hookspec-benches --bench server -- [open] [streaming]`; 1000 and 200 unless given. With `GPTME_SERVER`,
//! the path of gptme's own server (`pip install 'gptme[server]'`), the same load is put on that too. The delay of a piece
//! of text is from the moment when the model has sent it to the moment when the client has read it.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // a measurement that cannot go on has failed; its output is its point

mod load;
mod model;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookspec::session::Clock;
use hookspec::{Hooks, Mode, Registry};
use hookspec_agent::engine::Limits;
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use hookspec_server::{Bounds, Lend, Options, Projects, Server, Tokens};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use load::{TOKEN, Target, ask};
use model::Sent;

#[tokio::main(worker_threads = 2)]
async fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<usize>().ok());
    let (open, streaming) = (numbers.next().unwrap_or(1000), numbers.next().unwrap_or(200));
    let folder = tempfile::tempdir().unwrap();
    let sent = Sent::default();
    let models = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let model = format!("http://{}/v1", models.local_addr().unwrap());
    tokio::spawn(model::serve(models, Arc::clone(&sent)));

    let (target, stop, running) = ours(folder.path(), &model).await;
    load::run(&target, &sent, open, streaming).await;
    let _ = stop.send(());
    running.await.unwrap();

    match std::env::var_os("GPTME_SERVER") {
        None => println!("\ngptme's server takes no part: GPTME_SERVER does not say where it is"),
        Some(program) => {
            let peer = Peer::start(Path::new(&program), folder.path(), &model).await;
            load::run(&peer.target, &sent, open, streaming).await;
        }
    }
}

/// Our server, in this process; its clients keep nothing for a session that is idle.
async fn ours(folder: &Path, model: &str) -> (Target, oneshot::Sender<()>, JoinHandle<()>) {
    let plugins = hookspec::plugins![hookspec_agent, hookspec_builtins];
    let registry = Registry::builder().mode(Mode::Server).plugins(plugins).build().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::fs::create_dir(folder.join("root")).unwrap();
    let options = Options {
        hooks: Hooks::with_spawn(registry, Arc::new(TokioSpawn::current().unwrap())),
        database: folder.join("server.sqlite"),
        root: folder.join("root"),
        model: Some("ollama/bench".to_owned()),
        models: Vec::new(),
        model_options: ModelOptions { base_url: Some(model.to_owned()), ..ModelOptions::default() },
        limits: Limits::default(),
        clock: Clock::system(),
        tokens: Tokens::sole(TOKEN),
        names: Vec::new(),
        origins: Vec::new(),
        lend: Lend::default(),
        projects: Projects::default(),
        bounds: Bounds { requests_per_second: 1_000_000, ..Bounds::default() },
    };
    let server = Server::new(options, listener).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(async move {
        server
            .run(async {
                let _ = stopped.await;
            })
            .await;
    });
    let target = Target { name: "hookspec", address, process: std::process::id() };
    must_answer(&target.address).await;
    (target, stop, running)
}

/// gptme's server, a process of its own that is ended with this value.
struct Peer {
    child: Child,
    target: Target,
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer {
    async fn start(program: &Path, folder: &Path, model: &str) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let child = Command::new(program)
            .args(["serve", "--host", "127.0.0.1", "--port", &free.to_string(), "--model", "local/bench"])
            .args(["--tools", "none"])
            .current_dir(folder)
            .env("HOME", folder)
            .env("OPENAI_BASE_URL", model)
            .env("OPENAI_API_KEY", "none")
            .env("GPTME_SERVER_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let target = Target { name: "gptme", address: format!("127.0.0.1:{free}"), process: child.id() };
        let peer = Self { child, target };
        must_answer(&peer.target.address).await;
        peer
    }
}

/// Waits for a server for a minute at most.
async fn must_answer(address: &str) {
    let began = Instant::now();
    while !ask(address, "GET", "/conversations", "").await.is_ok_and(|(status, _)| status == 200) {
        assert!(began.elapsed() < Duration::from_secs(60), "{address} does not answer");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
