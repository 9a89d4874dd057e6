//! A stage for engine tests: a workspace, a scripted model, a folder of logs.

#![allow(dead_code, unreachable_pub)] // each test file uses its part

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hookspec::registry::RegistryBuilder;
use hookspec::session::Clock;
use hookspec::timeline::Observer;
use hookspec::{Hooks, Message, Registry, Session};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Frontend, Limits, OpenError, Opening};
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What a frontend was shown.
#[derive(Debug, Default)]
pub struct Shown(pub Mutex<Vec<String>>);

impl Frontend for Shown {
    fn message(&self, message: &Message) {
        self.0.lock().unwrap().push(message.content.clone());
    }
    fn notice(&self, text: &str) {
        self.0.lock().unwrap().push(format!("! {text}"));
    }
}

pub struct Stage {
    folder: TempDir,
    pub shown: Arc<Shown>,
}

pub fn say(text: &str) -> String {
    json!({ "text": text }).to_string()
}

/// A reply with one native call.
pub fn call(tool: &str, arguments: Value) -> String {
    json!({ "text": "On it.", "tool_calls": [{ "tool": tool, "kwargs": arguments }] }).to_string()
}

impl Stage {
    pub fn new(script: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        let stage = Self { folder, shown: Arc::default() };
        stage.script(script);
        stage
    }

    pub fn script(&self, lines: &[String]) {
        std::fs::write(self.folder.path().join("script.jsonl"), lines.join("\n")).unwrap();
    }

    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace").canonicalize().unwrap()
    }

    pub fn logs(&self) -> PathBuf {
        self.folder.path().join("logs")
    }

    pub fn model(&self) -> String {
        format!("replay:{}", self.folder.path().join("script.jsonl").display())
    }

    pub fn opening(&self, builder: RegistryBuilder, begin: Begin) -> Opening {
        let spawn = TokioSpawn::current().unwrap();
        Opening {
            hooks: Hooks::with_spawn(builder.build().unwrap(), Arc::new(spawn)),
            begin,
            logs: self.logs(),
            workspace: self.workspace(),
            model: Some(self.model()),
            model_options: ModelOptions::default(),
            frontend: self.shown.clone(),
            limits: Limits::default(),
            clock: Clock::system(),
            observer: None,
        }
    }

    pub async fn open(&self, builder: RegistryBuilder, observer: Option<Arc<dyn Observer>>) -> Agent {
        let opening = Opening { observer, ..self.opening(builder, Begin::New("test".into())) };
        Agent::open(opening, |session| session).await.unwrap()
    }

    pub async fn resume(&self, builder: RegistryBuilder) -> Result<Agent, OpenError> {
        Agent::open(self.opening(builder, Begin::Resume("test".into())), |session| session).await
    }

    pub fn log_text(&self) -> String {
        std::fs::read_to_string(self.logs().join("test/conversation.jsonl")).unwrap()
    }
}

/// The visible texts of a session's log, without the system prompt.
pub fn texts(agent: &Agent) -> Vec<String> {
    agent.session().log().iter().skip(1).map(|message| message.content.clone()).collect()
}

pub fn bare_session() -> Session {
    let registry = Registry::builder().linked(false).build().unwrap();
    Session::builder(&Hooks::new(registry), "bare").build()
}
