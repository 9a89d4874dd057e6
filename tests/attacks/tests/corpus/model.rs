//! Models behind HTTP, one for each row: it says what the row says, and keeps what it was sent.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

/// What a row's model has still to say, and what it was sent.
#[derive(Debug, Default)]
struct Played {
    replies: std::collections::VecDeque<Value>,
    seen: Vec<Vec<u8>>,
}

/// The server; its threads end with the process.
#[derive(Clone, Debug)]
pub struct Models {
    address: SocketAddr,
    rows: Arc<Mutex<HashMap<String, Played>>>,
    strays: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Models {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let models =
            Self { address: listener.local_addr().unwrap(), rows: Arc::default(), strays: Arc::default() };
        let serving = models.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let models = serving.clone();
                std::thread::spawn(move || models.serve(stream));
            }
        });
        models
    }

    /// Gives a row its script; what `--base-url` is then.
    pub fn script(&self, row: &str, replies: Vec<Value>) -> String {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.entry(row.to_owned()).or_default().replies = replies.into();
        format!("http://{}/{row}/v1/", self.address)
    }

    /// What the row's model was sent, and nothing twice.
    pub fn seen(&self, row: &str) -> Vec<Vec<u8>> {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.get_mut(row).map(|played| std::mem::take(&mut played.seen)).unwrap_or_default()
    }

    /// What came to no row: what other programs sent, with the heads of their requests.
    pub fn strays(&self) -> Vec<Vec<u8>> {
        self.strays.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn serve(&self, stream: TcpStream) -> Option<()> {
        let mut head = Vec::new();
        let served = self.answer(stream, &mut head);
        if served.is_none() || head.windows(5).any(|part| part == b"-web/") {
            self.strays.lock().unwrap_or_else(PoisonError::into_inner).push(head);
        }
        served
    }

    fn answer(&self, stream: TcpStream, head: &mut Vec<u8>) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        head.extend_from_slice(line.as_bytes());
        let path = line.split(' ').nth(1)?.to_owned();
        let mut length = 0;
        loop {
            line.clear();
            reader.read_line(&mut line).ok()?;
            head.extend_from_slice(line.as_bytes());
            let header = line.trim_end();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let row = path.split('/').nth(1)?;
        let reply = {
            let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
            let played = rows.get_mut(row)?;
            played.seen.push(body);
            played.replies.pop_front().unwrap_or_else(|| json!({ "text": "That is all." }))
        };
        let frames = frames(&reply);
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{frames}",
            frames.len()
        )
        .ok()
    }
}

fn frames(reply: &Value) -> String {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let chunk = |delta: Value, finish: Option<&str>| {
        let chunk = json!({
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "attack",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
        });
        format!("data: {chunk}\n\n")
    };
    let mut frames = chunk(json!({ "role": "assistant", "content": reply["text"] }), None);
    let calls = reply["tool_calls"].as_array().cloned().unwrap_or_default();
    for (index, call) in calls.iter().enumerate() {
        let function = json!({ "name": call["tool"], "arguments": call["kwargs"].to_string() });
        let number = CALLS.fetch_add(1, Ordering::Relaxed);
        let id = call["id"].as_str().map_or_else(|| format!("call_{number}"), str::to_owned);
        let call = json!({ "index": index, "id": id, "type": "function", "function": function });
        frames.push_str(&chunk(json!({ "tool_calls": [call] }), None));
    }
    frames.push_str(&chunk(json!({}), Some(if calls.is_empty() { "stop" } else { "tool_calls" })));
    frames.push_str("data: [DONE]\n\n");
    frames
}
