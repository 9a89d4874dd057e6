//! A server on 127.0.0.1 that plays the model, for both wire formats that the clients speak.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Uri, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::client;

/// What is said to each request: as many commands as there were results, then that it is done.
struct Script {
    commands: &'static [&'static str],
    requests: Mutex<Vec<Value>>,
}

pub(crate) struct Model {
    /// `http://127.0.0.1:PORT`
    pub(crate) address: String,
    script: Arc<Script>,
    server: JoinHandle<()>,
}

impl Model {
    pub(crate) async fn start(commands: &'static [&'static str]) -> Self {
        let script = Arc::new(Script { commands, requests: Mutex::default() });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().fallback(answer).with_state(Arc::clone(&script));
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { address, script, server }
    }

    /// The generations that were asked for, in order.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.script.requests.lock().unwrap().clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(State(script): State<Arc<Script>>, uri: Uri, body: Bytes) -> impl IntoResponse {
    let (path, request) = (uri.path(), serde_json::from_slice::<Value>(&body).unwrap_or_default());
    let plain = |body: Value| ([(header::CONTENT_TYPE, "application/json")], body.to_string());
    let (client, generation) = match path {
        path if path.ends_with("/responses") => (client::codex(), true),
        path => (client::gemini(), path.ends_with("eneratecontent") || path.ends_with("enerateContent")),
    };
    if !generation {
        return plain(json!({ "data": [], "models": [], "totalTokens": 5 }));
    }
    let done = client.results(&request).len();
    script.requests.lock().unwrap().push(request);
    let events = match script.commands.get(done) {
        Some(command) => (client.call)(done, command),
        None => (client.text)("done"),
    };
    let event = |event: &Value| match event["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    ([(header::CONTENT_TYPE, "text/event-stream")], events.iter().map(event).collect())
}
