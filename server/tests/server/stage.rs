//! A running server on a port that the system chose, and clients of it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use hookspec::points::CACHE_INVALIDATED;
use hookspec::registry::RegistryBuilder;
use hookspec::session::Clock;
use hookspec::{Config, Hook, Hooks, Mode, Registry};
use hookspec_agent::engine::Limits;
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use hookspec_server::{Bounds, Lend, Options, Projects, Server, Tokens};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub const TOKEN: &str = "ann-ann-ann-ann-ann";
pub const OTHER: &str = "ben-ben-ben-ben-ben";
/// Nothing here takes long; a test that waits for longer has failed.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Stage {
    pub folder: TempDir,
    pub base: String,
    pub port: u16,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
    token: &'static str,
    client: Client,
}

/// What a stage is set up with.
pub struct Setting {
    pub builder: RegistryBuilder,
    pub bounds: Bounds,
    pub origins: Vec<String>,
    pub limits: Limits,
    pub projects: Projects,
}

/// What hooks noted.
pub type Notes = Arc<Mutex<Vec<String>>>;

pub fn note(notes: &Notes, text: impl Into<String>) {
    notes.lock().unwrap().push(text.into());
}

pub fn say(text: &str) -> Value {
    json!({ "text": text })
}

/// An answer that streams for about `pieces` times `delay_ms`.
pub fn slowly(text: &str, delay_ms: u64) -> Value {
    json!({ "text": text, "chunk_size": 4, "delay_ms": delay_ms })
}

pub fn call(tool: &str, arguments: Value) -> Value {
    json!({ "text": "On it.", "tool_calls": [{ "tool": tool, "kwargs": arguments }] })
}

pub fn builder() -> RegistryBuilder {
    allowing(["trial", "tool.*"])
}

pub fn allowing<const N: usize>(names: [&str; N]) -> RegistryBuilder {
    Registry::builder()
        .mode(Mode::Server)
        .plugins(hookspec::plugins![hookspec_agent, hookspec_builtins])
        // So that the allowlist's `trial` is somebody also where a test brings no hook.
        .register(Hook::new(CACHE_INVALIDATED, "trial.nothing", |_, _| ()))
        .allow(names)
}

pub fn config(text: &str) -> Config {
    let mut config = Config::new();
    config.add_toml("trial.toml", text, &[]).unwrap();
    config
}

impl Default for Setting {
    fn default() -> Self {
        let settle = Duration::from_millis(20);
        let bounds = Bounds { requests_per_second: 10_000, settle, ..Bounds::default() };
        Self {
            builder: builder(),
            bounds,
            origins: Vec::new(),
            limits: Limits::default(),
            projects: Projects::default(),
        }
    }
}

impl From<RegistryBuilder> for Setting {
    fn from(builder: RegistryBuilder) -> Self {
        Self { builder, ..Self::default() }
    }
}

impl From<Bounds> for Setting {
    fn from(bounds: Bounds) -> Self {
        Self { bounds, ..Self::default() }
    }
}

impl Stage {
    pub async fn new(script: &[Value]) -> Self {
        Self::with(script, Setting::default()).await
    }

    pub async fn with(script: &[Value], setting: impl Into<Setting>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("root")).unwrap();
        let lines: Vec<String> = script.iter().map(Value::to_string).collect();
        std::fs::write(folder.path().join("script.jsonl"), lines.join("\n")).unwrap();
        Self::on(folder, setting.into()).await
    }

    /// A server on a folder that another one left.
    pub async fn on(folder: TempDir, setting: Setting) -> Self {
        let tokens = folder.path().join("tokens");
        std::fs::write(&tokens, format!("ann {TOKEN}\nben {OTHER}\n")).unwrap();
        std::fs::set_permissions(&tokens, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let spawn = TokioSpawn::current().unwrap();
        let options = Options {
            hooks: Hooks::with_spawn(setting.builder.build().unwrap(), Arc::new(spawn)),
            database: folder.path().join("server.sqlite"),
            root: folder.path().join("root"),
            model: Some(format!("replay:{}", folder.path().join("script.jsonl").display())),
            models: Vec::new(),
            model_options: ModelOptions::default(),
            limits: setting.limits,
            clock: Clock::system(),
            tokens: Tokens::read(&tokens).unwrap(),
            names: Vec::new(),
            origins: setting.origins,
            lend: Lend::default(),
            projects: setting.projects,
            bounds: setting.bounds,
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server::new(options, listener).unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        Self {
            folder,
            base: format!("http://127.0.0.1:{port}"),
            port,
            stop: Some(stop),
            task: Some(task),
            token: TOKEN,
            client: Client::builder().timeout(PATIENCE).build().unwrap(),
        }
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root").canonicalize().unwrap()
    }

    /// Lets the database take no more messages, as a full disk does, or takes that back.
    pub fn set_full(&self, full: bool) {
        let database = rusqlite::Connection::open(self.folder.path().join("server.sqlite")).unwrap();
        database.busy_timeout(PATIENCE).unwrap();
        let change = match full {
            true => {
                "CREATE TRIGGER full BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
            }
            false => "DROP TRIGGER full",
        };
        database.execute_batch(change).unwrap();
    }

    /// Stops the server as SIGTERM does, and waits for it.
    pub async fn stop(mut self) -> TempDir {
        drop(self.stop.take());
        tokio::time::timeout(PATIENCE, self.task.take().unwrap()).await.unwrap().unwrap();
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }

    /// The same server to somebody else.
    pub fn raw(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.raw(method, &format!("/api/v2{path}")).bearer_auth(self.token)
    }

    async fn ok(request: RequestBuilder) -> Value {
        let response = request.send().await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        assert!(status.is_success(), "{status}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    pub async fn get(&self, path: &str) -> Value {
        Self::ok(self.request(Method::GET, path)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Value {
        Self::ok(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Value {
        Self::ok(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Value {
        Self::ok(self.request(Method::PATCH, path).json(&body)).await
    }

    pub async fn delete(&self, path: &str) -> Value {
        Self::ok(self.request(Method::DELETE, path)).await
    }

    /// A request that is to be refused with this status, as a problem.
    pub async fn refused(&self, request: RequestBuilder, status: u16) -> Value {
        problem(request.send().await.unwrap(), status).await
    }

    /// Creates a conversation.
    pub async fn create(&self, id: &str) -> String {
        let made = self.put(&format!("/conversations/{id}"), json!({})).await;
        made["session_id"].as_str().unwrap().to_owned()
    }

    /// Posts and lets the agent go on.
    pub async fn prompt(&self, id: &str, text: &str) {
        self.post(&format!("/conversations/{id}"), json!({ "role": "user", "content": text })).await;
        self.post(&format!("/conversations/{id}/step"), json!({})).await;
    }

    pub async fn log(&self, id: &str) -> Vec<Value> {
        self.get(&format!("/conversations/{id}")).await["log"].as_array().unwrap().clone()
    }

    /// The texts that a person would see.
    pub async fn texts(&self, id: &str) -> Vec<String> {
        let log = self.log(id).await;
        let visible = log.iter().filter(|message| message["hide"] != true);
        visible.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }

    /// The points that fired, in order.
    pub async fn points(&self, id: &str) -> Vec<String> {
        let timeline = self.get(&format!("/conversations/{id}/timeline?limit=5000")).await;
        let entries = timeline["entries"].as_array().unwrap();
        let fired = entries.iter().filter(|entry| entry["what"] == "fired");
        fired.map(|entry| entry["point"].as_str().unwrap().to_owned()).collect()
    }

    pub async fn listen(&self, id: &str) -> Events {
        self.listen_from(id, "", None).await
    }

    pub async fn listen_from(&self, id: &str, query: &str, last: Option<&str>) -> Events {
        // Without the client's deadline: a stream has no end.
        let client = Client::new();
        let mut request = client
            .get(format!("{}/api/v2/conversations/{id}/events{query}", self.base))
            .bearer_auth(self.token);
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut events = Events::new(response);
        let connected = events.next().await.unwrap();
        assert_eq!(connected["type"], "connected", "{connected}");
        events.connected = connected;
        events
    }
}

pub async fn problem(response: Response, status: u16) -> Value {
    let found = response.status();
    let kind = response.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    let text = response.text().await.unwrap();
    assert_eq!(found, status, "{text}");
    assert_eq!(kind.as_deref(), Some("application/problem+json"), "{text}");
    let problem: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(problem["status"], status);
    assert_eq!(problem["error"], problem["detail"]);
    assert!(!problem["detail"].as_str().unwrap().is_empty());
    problem
}

/// An event stream.
pub struct Events {
    body: std::pin::Pin<Box<dyn futures_util::Stream<Item = reqwest::Result<Vec<u8>>> + Send>>,
    text: String,
    pub connected: Value,
    pub last_id: Option<String>,
    /// Everything that came, as it came.
    pub raw: String,
}

impl Events {
    fn new(response: Response) -> Self {
        let body = Box::pin(response.bytes_stream().map(|piece| piece.map(|piece| piece.to_vec())));
        Self { body, text: String::new(), connected: Value::Null, last_id: None, raw: String::new() }
    }

    /// The next event but pings; `None` when the stream has ended.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                let field =
                    |name: &str| event.lines().find_map(|line| line.strip_prefix(name).map(str::trim));
                if let Some(id) = field("id:") {
                    self.last_id = Some(id.to_owned());
                }
                let data: Value = serde_json::from_str(field("data:").unwrap()).unwrap();
                if data["type"] != "ping" {
                    return Some(data);
                }
                continue;
            }
            let piece =
                tokio::time::timeout(PATIENCE, self.body.next()).await.expect("no event came")?.ok()?;
            let piece = String::from_utf8(piece).unwrap();
            self.raw.push_str(&piece);
            self.text.push_str(&piece);
        }
    }

    /// All events up to the first of this type, with it.
    pub async fn until(&mut self, kind: &str) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("no {kind} came: {events:#?}"));
            let found = event["type"] == kind;
            events.push(event);
            if found {
                return events;
            }
            assert!(events.len() < 100_000);
        }
    }

    /// The event of this type that comes next.
    pub async fn expect(&mut self, kind: &str) -> Value {
        self.until(kind).await.pop().unwrap()
    }
}

/// The types of events, with repetitions taken out.
pub fn types(events: &[Value]) -> Vec<&str> {
    let mut types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    types.dedup();
    types
}

/// What streamed.
pub fn streamed(events: &[Value]) -> String {
    let progress = events.iter().filter(|event| event["type"] == "generation_progress");
    progress.map(|event| event["token"].as_str().unwrap()).collect()
}

/// Waits until something holds, for a while.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..600 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it never happened that {what}");
}
