//! A server that gives prepared answers, one a connection, and keeps what it was asked.

use std::collections::HashMap;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// One prepared answer.
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    pieces: Vec<Vec<u8>>,
    end: End,
}

enum End {
    /// As HTTP wants it.
    Proper,
    /// The connection is closed in the middle of the body.
    Cut,
    /// Nothing more comes; the client has to leave.
    Hold,
}

impl Answer {
    /// A stream, still empty.
    pub(crate) fn stream(content_type: &str) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".into(), content_type.into())],
            pieces: Vec::new(),
            end: End::Proper,
        }
    }

    /// An answer in one piece.
    pub(crate) fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, ..Self::stream("application/json").piece(body) }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Adds a piece of the body; each is sent on its own.
    pub(crate) fn piece(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.pieces.push(bytes.into());
        self
    }

    pub(crate) fn cut(mut self) -> Self {
        self.end = End::Cut;
        self
    }

    pub(crate) fn hold(mut self) -> Self {
        self.end = End::Hold;
        self
    }
}

/// What a client sent.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Value,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: mpsc::UnboundedReceiver<Seen>,
    left: mpsc::UnboundedReceiver<()>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts a server that gives `answers` in their order.
    pub(crate) async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answers: Vec<Answer> = answers.into_iter().collect();
        let (tell, seen) = mpsc::unbounded_channel();
        let (tell_left, left) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            for answer in answers {
                let (stream, _) = listener.accept().await.unwrap();
                serve(stream, answer, &tell, &tell_left).await;
            }
        });
        Self { address, seen, left, task }
    }

    /// The next request.
    pub(crate) async fn seen(&mut self) -> Seen {
        self.seen.recv().await.expect("a request should have come")
    }

    /// Whether a request has come that [`seen`](Self::seen) has not returned.
    pub(crate) fn was_asked(&mut self) -> bool {
        self.seen.try_recv().is_ok()
    }

    /// Waits until the client has left a connection that was held.
    pub(crate) async fn left(&mut self) {
        self.left.recv().await.expect("the client should leave");
    }
}

async fn serve(
    mut stream: TcpStream,
    answer: Answer,
    seen: &mpsc::UnboundedSender<Seen>,
    left: &mpsc::UnboundedSender<()>,
) {
    let request = read(&mut stream).await;
    let _ = seen.send(request);
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("transfer-encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    for piece in &answer.pieces {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        // The client may leave while it is written to.
        if stream.write_all(&chunk).await.is_err() || stream.flush().await.is_err() {
            break;
        }
        tokio::task::yield_now().await;
    }
    match answer.end {
        End::Proper => {
            let _ = stream.write_all(b"0\r\n\r\n").await;
            let _ = stream.shutdown().await;
        }
        End::Cut => {
            let _ = stream.shutdown().await;
        }
        End::Hold => {
            let mut rest = [0; 64];
            while matches!(stream.read(&mut rest).await, Ok(count) if count > 0) {}
            let _ = left.send(());
        }
    }
}

async fn read(stream: &mut TcpStream) -> Seen {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        let count = stream.read(&mut buffer).await.unwrap();
        assert!(count > 0, "the request should have a whole head");
        bytes.extend_from_slice(&buffer[..count]);
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut lines = head.lines();
    let path = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap();
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers["content-length"].parse().unwrap();
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length {
        let count = stream.read(&mut buffer).await.unwrap();
        assert!(count > 0, "the request should have a whole body");
        body.extend_from_slice(&buffer[..count]);
    }
    Seen { path: path.to_owned(), body: serde_json::from_slice(&body).unwrap(), headers }
}
