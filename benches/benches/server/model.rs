//! A model server on this machine: one answer for everybody, piece by piece, and the moment when each piece was sent.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Pieces of each answer, and the time between two.
pub(crate) const PIECES: usize = 200;
pub(crate) const PAUSE_MS: u64 = 20;
/// Characters of a piece: enough to be sent as one event.
const WIDTH: usize = 24;

/// When a piece was sent, by conversation and number.
pub(crate) type Sent = Arc<Mutex<HashMap<(String, u32), Instant>>>;

pub(crate) fn piece(number: usize) -> String {
    format!("{:.<WIDTH$}", format!("piece{number:05} "))
}

/// Answers as an OpenAI-compatible server does, until the program ends. The conversation is the word `c…` that the last
/// message has between colons.
pub(crate) async fn serve(listener: TcpListener, sent: Sent) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, Arc::clone(&sent)));
    }
}

async fn answer(stream: TcpStream, sent: Sent) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    let body = String::from_utf8_lossy(&body).into_owned();
    let id = body.rsplit(':').find(|word| is_id(word)).unwrap_or_default().to_owned();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let mut pace = tokio::time::interval(Duration::from_millis(PAUSE_MS));
    for number in 0..PIECES {
        pace.tick().await;
        let chunk = json!({
            "id": "b", "object": "chat.completion.chunk", "created": 0, "model": "bench",
            "choices": [{ "index": 0, "delta": { "role": "assistant", "content": piece(number) }, "finish_reason": null }]
        });
        sent.lock().unwrap().insert((id.clone(), u32::try_from(number).unwrap_or(0)), Instant::now());
        stream.write_all(format!("data: {chunk}\n\n").as_bytes()).await?;
    }
    let end = json!({
        "id": "b", "object": "chat.completion.chunk", "created": 0, "model": "bench",
        "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }]
    });
    stream.write_all(format!("data: {end}\n\ndata: [DONE]\n\n").as_bytes()).await
}

fn is_id(word: &str) -> bool {
    word.strip_prefix('c')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}
