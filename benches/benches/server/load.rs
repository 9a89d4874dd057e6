//! The load, the same for each server: what is opened, read and streamed, and how it is measured.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::model::{PAUSE_MS, PIECES, Sent};

pub(crate) const TOKEN: &str = "bench-bench-bench-bench";
const READS: usize = 1000;
/// Who posts beside the streams in the last part.
const WRITERS: usize = 8;
/// How long a client listens; an answer is 4 s long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server under load.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) address: String,
    pub(crate) process: u32,
}

/// The status and the text of an answer.
pub(crate) async fn ask(
    address: &str,
    method: &str,
    path: &str,
    body: &str,
) -> std::io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(address).await?;
    let length = body.len();
    let head = format!(
        "{method} /api/v2{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Ok((status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default()))
}

async fn must(address: &str, method: &str, path: &str, body: &str) -> String {
    let (status, text) = ask(address, method, path, body).await.unwrap();
    assert_eq!(status, 200, "{method} {path}: {text}");
    text
}

/// Memory of a process that is in use, in KiB.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn at(sorted: &[Duration], share: f64) -> Duration {
    // A place in a list that fits into memory.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let place = (sorted.len() as f64 * share) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}

#[allow(clippy::cast_precision_loss)] // small counts
fn per_second(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}

/// Listens to one turn; gives the delay of each piece from the model server to here.
async fn listen(
    address: String,
    id: String,
    session: String,
    sent: Sent,
    ready: oneshot::Sender<()>,
) -> Vec<Duration> {
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "GET /api/v2/conversations/{id}/events?session_id={session} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let (mut delays, mut ready, mut text) = (Vec::new(), Some(ready), String::new());
    let patience = tokio::time::sleep(PATIENCE);
    tokio::pin!(patience);
    // A client that comes back may be told of the turn before, whose pieces do not count.
    while delays.len() < PIECES {
        let line = tokio::select! {
            line = lines.next_line() => line,
            () = &mut patience => break,
        };
        let Ok(Some(line)) = line else { break };
        let Some(event) = line.strip_prefix("data: ") else { continue };
        let Ok(event) = serde_json::from_str::<serde_json::Value>(event) else { continue };
        match event["type"].as_str() {
            Some("connected") => {
                ready.take().map(|ready| ready.send(()));
            }
            // One event a piece, or one a character.
            Some("generation_complete") => text.clear(),
            Some("generation_progress") => {
                text.push_str(event["token"].as_str().unwrap_or_default());
                while let Some(number) = next(&mut text) {
                    let began = sent.lock().unwrap().remove(&(id.clone(), number));
                    delays.extend(began.map(|began| began.elapsed()));
                }
            }
            Some("error") => break,
            _ => {}
        }
    }
    delays
}

/// The number of the next whole piece, which is taken out of the text.
fn next(text: &mut String) -> Option<u32> {
    let at = text.find("piece")?;
    let number = text.get(at + 5..at + 10)?.parse().ok();
    text.drain(..at + 10);
    number
}

pub(crate) async fn run(target: &Target, sent: &Sent, open: usize, streaming: usize) {
    let Target { name, address, process } = target;
    println!("\n{name}");
    let before = memory(*process);
    let began = Instant::now();
    let mut sessions = Vec::new();
    for id in 0..open {
        let body = format!(r#"{{"messages":[{{"role":"user","content":"hello :c{id}:"}}]}}"#);
        let made = must(address, "PUT", &format!("/conversations/c{id}"), &body).await;
        let made: serde_json::Value = serde_json::from_str(made.trim()).unwrap_or_default();
        sessions.push(made["session_id"].as_str().unwrap_or_default().to_owned());
    }
    println!("  {:.0} sessions opened a second, {open} in all", per_second(open, began.elapsed()));
    #[allow(clippy::cast_precision_loss)] // KiB of one process
    let each = memory(*process).saturating_sub(before) as f64 / open as f64;
    println!("  {each:.1} KiB for each that is open and idle");
    let began = Instant::now();
    for number in 0..READS {
        must(address, "GET", &format!("/conversations/c{}", number % open), "").await;
    }
    println!("  {:.0} reads a second, each on a connection of its own", per_second(READS, began.elapsed()));
    let streaming = streaming.min(open);
    // A server that has not got through the first part is still at it.
    if stream(target, sent, &sessions[..streaming], 0).await {
        stream(target, sent, &sessions[..streaming], WRITERS).await;
    }
}

/// Sessions that stream at once, while some clients post messages to other sessions without a pause: each post is on disk
/// before it is answered. Whether all pieces arrived.
async fn stream(target: &Target, sent: &Sent, sessions: &[String], writers: usize) -> bool {
    let address = &target.address;
    sent.lock().unwrap().clear();
    let mut clients = Vec::new();
    for (id, session) in sessions.iter().enumerate() {
        let (ready, is_ready) = oneshot::channel();
        let client = listen(address.clone(), format!("c{id}"), session.clone(), Arc::clone(sent), ready);
        clients.push(tokio::spawn(client));
        is_ready.await.unwrap();
    }
    let began = Instant::now();
    let posting: Vec<_> = (0..writers)
        .map(|writer| {
            let (address, path) = (address.clone(), format!("/conversations/c{}", sessions.len() + writer));
            tokio::spawn(async move {
                let mut posts = 0;
                while began.elapsed() < Duration::from_millis(PAUSE_MS * PIECES as u64) {
                    must(&address, "POST", &path, r#"{"role":"user","content":"more"}"#).await;
                    posts += 1;
                }
                posts
            })
        })
        .collect();
    for (id, session) in sessions.iter().enumerate() {
        let again = format!(r#"{{"role":"user","content":"hello :c{id}:"}}"#);
        must(address, "POST", &format!("/conversations/c{id}"), &again).await;
        let body = format!(r#"{{"session_id":"{session}"}}"#);
        must(address, "POST", &format!("/conversations/c{id}/step"), &body).await;
    }
    let mut delays = Vec::new();
    for client in clients {
        delays.extend(client.await.unwrap());
    }
    let took = began.elapsed();
    let mut posts = 0;
    for client in posting {
        posts += client.await.unwrap();
    }
    delays.sort_unstable();
    let (whole, count) = (sessions.len() * PIECES, sessions.len());
    println!(
        "  {count} streaming, a piece each {PAUSE_MS} ms, {posts} messages posted meanwhile: {:.0} pieces a second, {} of {whole} arrived in {PATIENCE:?}",
        per_second(delays.len(), took),
        delays.len()
    );
    let [half, most, longest] = [0.5, 0.99, 1.0].map(|share| at(&delays, share).as_secs_f64() * 1000.0);
    println!("  delay of a piece, ms: p50 {half:.2}, p99 {most:.2}, longest {longest:.2}");
    delays.len() == whole
}
