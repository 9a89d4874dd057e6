//! A server on 127.0.0.1 that plays Claude Code's model: a command for each result so far, then that it is done.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

pub(crate) struct Model {
    /// `http://127.0.0.1:PORT`
    pub(crate) address: String,
    seen: Arc<Mutex<Vec<Value>>>,
    ended: Arc<AtomicBool>,
    server: Option<JoinHandle<()>>,
}

impl Model {
    pub(crate) fn start(commands: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (seen, ended) = (Arc::<Mutex<Vec<Value>>>::default(), Arc::<AtomicBool>::default());
        let (results, over) = (Arc::clone(&seen), Arc::clone(&ended));
        let server = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    break;
                }
                // A client that goes away in the middle is its own business.
                let results = Arc::clone(&results);
                std::thread::spawn(move || {
                    stream.ok().and_then(|stream| answer(stream, commands, &results).ok())
                });
            }
        });
        Self { address, seen, ended, server: Some(server) }
    }

    /// The results of tools that the last request of the agent held, in order.
    pub(crate) fn results(&self) -> Vec<Value> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address.trim_start_matches("http://"));
        let _ = self.server.take().map(JoinHandle::join);
    }
}

fn answer(mut stream: TcpStream, commands: &[&str], seen: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while reader.read_line(&mut head)? > 2 {}
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = head.split(' ').nth(1).unwrap_or_default();
    let generation =
        head.starts_with("POST") && path.starts_with("/v1/messages") && !path.contains("count_tokens");
    let (kind, body) = if generation {
        ("text/event-stream", events(&generated(&request, commands, seen)))
    } else {
        ("application/json", json!({ "input_tokens": 5, "data": [] }).to_string())
    };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body.as_bytes())
}

/// What the model says: a text, and perhaps a call.
fn generated(request: &Value, commands: &[&str], seen: &Mutex<Vec<Value>>) -> Vec<Value> {
    let has_shell = request["tools"].as_array().into_iter().flatten().any(|tool| tool["name"] == "Bash");
    if !has_shell {
        return vec![json!({ "type": "text", "text": "A push" })]; // a side call, for a title
    }
    let messages = request["messages"].as_array().into_iter().flatten();
    let parts = messages.filter_map(|message| message["content"].as_array()).flatten();
    let results: Vec<Value> = parts.filter(|part| part["type"] == "tool_result").cloned().collect();
    let done = results.len();
    *seen.lock().unwrap() = results;
    match commands.get(done) {
        Some(command) => {
            let input = json!({ "command": command, "description": "Push" });
            vec![json!({ "type": "tool_use", "id": format!("toolu_{done}"), "name": "Bash", "input": input })]
        }
        None => vec![json!({ "type": "text", "text": "It was denied." })],
    }
}

/// The events of a streamed answer.
fn events(parts: &[Value]) -> String {
    let usage = json!({ "input_tokens": 5, "output_tokens": 5 });
    let mut all = vec![json!({ "type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "played", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage } })];
    let mut why = "end_turn";
    for (index, part) in parts.iter().enumerate() {
        let (mut begin, mut delta) = (part.clone(), json!({ "type": "text_delta", "text": part["text"] }));
        if part["type"] == "tool_use" {
            why = "tool_use";
            delta = json!({ "type": "input_json_delta", "partial_json": part["input"].to_string() });
            begin["input"] = json!({});
        } else {
            begin["text"] = json!("");
        }
        all.push(json!({ "type": "content_block_start", "index": index, "content_block": begin }));
        all.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        all.push(json!({ "type": "content_block_stop", "index": index }));
    }
    all.push(json!({ "type": "message_delta", "delta": { "stop_reason": why, "stop_sequence": null }, "usage": usage }));
    all.push(json!({ "type": "message_stop" }));
    all.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect()
}
