//! A server on this machine that plays the model: it answers each request from a script and keeps what was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// What a client asked: path and body.
pub(crate) type Asked = (String, Value);

/// Turns what was asked, and how often the model was asked before, into an answer: content type and body.
pub(crate) type Script = dyn Fn(&Asked, usize) -> (&'static str, String) + Send + Sync;

pub(crate) struct Model {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    over: Arc<AtomicBool>,
}

impl Model {
    pub(crate) fn start(script: Arc<Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, over) = (Arc::<Mutex<Vec<Asked>>>::default(), Arc::new(AtomicBool::new(false)));
        let (held, ended) = (Arc::clone(&asked), Arc::clone(&over));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::Acquire) {
                    return;
                }
                let (held, script) = (Arc::clone(&held), Arc::clone(&script));
                std::thread::spawn(move || {
                    // A client that breaks off shows in what it asked.
                    let _ = stream.map(|stream| serve(stream, &held, &*script));
                });
            }
        });
        Self { port, asked, over }
    }

    /// All requests to the model so far.
    pub(crate) fn asked(&self) -> Vec<Value> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(_, body)| !body.is_null()).map(|(_, body)| body.clone()).collect()
    }

    pub(crate) fn forget(&self) {
        self.asked.lock().unwrap().clear();
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        // Wakes the listener.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn serve(stream: TcpStream, asked: &Mutex<Vec<Asked>>, script: &Script) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let (mut length, mut chunked) = (0, false);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            length = line.strip_prefix("content-length:").map_or(length, |n| n.trim().parse().unwrap_or(0));
            chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
        }
        let mut body = vec![0; length];
        if chunked {
            body = unchunked(&mut reader)?;
        } else {
            reader.read_exact(&mut body)?;
        }
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let request = (path, body);
        let before = asked.lock().unwrap().iter().filter(|(_, body)| !body.is_null()).count();
        let (kind, text) = script(&request, before);
        asked.lock().unwrap().push(request);
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        )?;
        stream.flush()?;
    }
}

fn unchunked(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        let mut part = vec![0; size];
        reader.read_exact(&mut part)?;
        body.extend(part);
        reader.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}
