//! The server under load: many open sessions, some of them streaming; clients and server share the machine.
//!
//! `cargo bench -p hookspec-benches --bench server -- [open] [streaming]`; 1000 and 200 unless given. The delay of an
//! event is from the moment when the engine has the piece of text to the moment when the client has read it.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // a measurement that cannot go on has failed; its output is its point

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookspec::points::GENERATION_CHUNK;
use hookspec::{Clock, Hook, Hooks, Mode, Registry};
use hookspec_agent::engine::Limits;
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use hookspec_server::{Bounds, Lend, Options, Projects, Server, Tokens};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

const TOKEN: &str = "bench-bench-bench-bench";
/// Pieces of each answer, and the time between two.
const PIECES: usize = 200;
const PAUSE_MS: u64 = 20;
/// Characters of a piece: enough to be sent as one event.
const WIDTH: usize = 24;

type Sent = Arc<Mutex<HashMap<(String, u32), Instant>>>;

async fn ask(address: &str, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let head = format!(
        "{method} /api/v2{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    answer
}

/// Memory of this process that is in use, in KiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn at(sorted: &[Duration], share: f64) -> Duration {
    // A place in a list that fits into memory.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let place = (sorted.len() as f64 * share) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}

/// Listens to one turn; gives each event's delay.
async fn listen(
    address: String,
    id: String,
    sent: Sent,
    ready: tokio::sync::oneshot::Sender<()>,
) -> Vec<Duration> {
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "GET /api/v2/conversations/{id}/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let (mut delays, mut ready) = (Vec::new(), Some(ready));
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.contains(r#""type":"connected""#) {
            ready.take().map(|ready| ready.send(()));
        } else if let Some((_, rest)) = line.split_once(r#""token":"piece"#) {
            let index: u32 = rest.get(..5).and_then(|digits| digits.parse().ok()).unwrap_or_default();
            let began = sent.lock().unwrap().remove(&(id.clone(), index));
            delays.push(began.map_or(Duration::ZERO, |began| began.elapsed()));
        } else if line.contains(r#""type":"rested""#) {
            break;
        }
    }
    delays
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<usize>().ok());
    let (open, streaming) = (numbers.next().unwrap_or(1000), numbers.next().unwrap_or(200));
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..PIECES).map(|index| format!("{:.<WIDTH$}", format!("piece{index:05} "))).collect();
    let script = folder.path().join("script.jsonl");
    let line = serde_json::json!({ "text": text, "chunk_size": WIDTH, "delay_ms": PAUSE_MS, "repeat": true });
    std::fs::write(&script, line.to_string()).unwrap();
    std::fs::create_dir(folder.path().join("root")).unwrap();
    let sent: Sent = Arc::default();
    let noted = Arc::clone(&sent);
    let registry = Registry::builder()
        .mode(Mode::Server)
        .plugins(hookspec::plugins![hookspec_agent, hookspec_builtins])
        .register(Hook::new(GENERATION_CHUNK, "bench.sent", move |event, session| {
            noted.lock().unwrap().insert((session.id().to_owned(), event.index), Instant::now());
        }))
        .build()
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let options = Options {
        hooks: Hooks::with_spawn(registry, Arc::new(TokioSpawn::current().unwrap())),
        database: folder.path().join("server.sqlite"),
        root: folder.path().join("root"),
        model: Some(format!("replay:{}", script.display())),
        models: Vec::new(),
        model_options: ModelOptions::default(),
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
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));

    ask(&address, "GET", "/version", "").await;
    let before = memory();
    let began = Instant::now();
    for id in 0..open {
        ask(
            &address,
            "PUT",
            &format!("/conversations/c{id}"),
            r#"{"messages":[{"role":"user","content":"hello"}]}"#,
        )
        .await;
    }
    let took = began.elapsed();
    let each = memory().saturating_sub(before) as f64 / open as f64;
    println!(
        "{open} sessions opened, each with a message on disk: {:.0} a second",
        open as f64 / took.as_secs_f64()
    );
    println!("memory of an open session that is idle: {each:.1} KiB");

    let began = Instant::now();
    let reads = 2000;
    for number in 0..reads {
        ask(&address, "GET", &format!("/conversations/c{}", number % open), "").await;
    }
    println!(
        "reads, one after the other, each on a connection of its own: {:.0} a second",
        f64::from(reads as u32) / began.elapsed().as_secs_f64()
    );

    let mut clients = Vec::new();
    for id in 0..streaming.min(open) {
        let (ready, is_ready) = tokio::sync::oneshot::channel();
        clients.push(tokio::spawn(listen(address.clone(), format!("c{id}"), Arc::clone(&sent), ready)));
        is_ready.await.unwrap();
    }
    let began = Instant::now();
    for id in 0..streaming.min(open) {
        ask(&address, "POST", &format!("/conversations/c{id}/step"), "{}").await;
    }
    let mut delays = Vec::new();
    for client in clients {
        delays.extend(client.await.unwrap());
    }
    let took = began.elapsed();
    delays.sort_unstable();
    assert_eq!(delays.len(), streaming.min(open) * PIECES, "every event arrived");
    println!(
        "{} sessions streaming a piece every {PAUSE_MS} ms: {:.0} events a second",
        streaming.min(open),
        delays.len() as f64 / took.as_secs_f64()
    );
    println!("delay of an event: p50 {:?}, p99 {:?}", at(&delays, 0.5), at(&delays, 0.99));
    drop(stop);
    running.await.unwrap();
}
