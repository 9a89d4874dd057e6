//! A stage: the real engine, a model that plays a script, the real tools, a folder of logs.

#![allow(dead_code, unreachable_pub)] // each test file uses its part

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hookspec::ask::Confirmation;
use hookspec::model::Request;
use hookspec::points::{GENERATION_PRE, TOOL_CONFIRM};
use hookspec::registry::RegistryBuilder;
use hookspec::session::{Clock, SessionBuilder};
use hookspec::timeline::Observer;
use hookspec::{First, Hook, Hooks, Message, Mode, Registry, Role};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Frontend, Limits, Opening};
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

pub type Told = Arc<Mutex<Vec<(String, Map<String, Value>)>>>;

/// What a frontend was shown as the model's answers.
#[derive(Debug, Default)]
pub struct Answers(pub Mutex<Vec<String>>);

impl Frontend for Answers {
    fn answered(&self, message: &Message) {
        self.0.lock().unwrap().push(message.content.clone());
    }
}

pub struct Stage {
    folder: TempDir,
    pub answers: Arc<Answers>,
    /// The requests that went out.
    pub requests: Arc<Mutex<Vec<Request>>>,
    /// What the user answers when asked; nobody is there where it is nothing.
    pub user: Arc<Mutex<Option<Confirmation>>>,
}

pub fn say(text: &str) -> String {
    json!({ "text": text }).to_string()
}

/// A reply with one native call.
pub fn call(tool: &str, arguments: Value) -> String {
    json!({ "text": "On it.", "tool_calls": [{ "tool": tool, "kwargs": arguments }] }).to_string()
}

pub fn save(path: &str, content: &str) -> String {
    call("save", json!({ "path": path, "content": content }))
}

impl Stage {
    pub fn new(script: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        std::fs::write(folder.path().join("script.jsonl"), script.join("\n")).unwrap();
        Self {
            folder,
            answers: Arc::default(),
            requests: Arc::default(),
            user: Arc::new(Mutex::new(Some(Confirmation::Confirm))),
        }
    }

    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace").canonicalize().unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program's hooks: this crate, the engine's tools, a user.
    pub fn builder(&self) -> RegistryBuilder {
        let (requests, user) = (Arc::clone(&self.requests), Arc::clone(&self.user));
        Registry::builder()
            .plugins(hookspec::plugins![hookspec_hermes, hookspec_agent])
            .mode(Mode::Cli)
            .strict(true)
            .fires(hookspec_agent::FIRES.iter().copied())
            .fires(hookspec::point::fire_sites().iter().map(|site| site.point))
            .register(
                Hook::new(GENERATION_PRE, "stage.sent", move |event, _| {
                    requests.lock().unwrap().push(event.request.clone());
                })
                .priority(-2000),
            )
            .register(Hook::new(TOOL_CONFIRM, "stage.user", move |_, _| {
                user.lock().unwrap().clone().map(First)
            }))
    }

    pub async fn open_with(
        &self,
        builder: RegistryBuilder,
        begin: Begin,
        observer: Option<Arc<dyn Observer>>,
        extend: impl FnOnce(SessionBuilder) -> SessionBuilder,
    ) -> Agent {
        let spawn = TokioSpawn::current().unwrap();
        let opening = Opening {
            hooks: Hooks::with_spawn(builder.build().unwrap(), Arc::new(spawn)),
            begin,
            logs: self.path("logs"),
            workspace: self.workspace(),
            model: Some(format!("replay:{}", self.path("script.jsonl").display())),
            model_options: ModelOptions::default(),
            frontend: self.answers.clone(),
            limits: Limits::default(),
            clock: Clock::system(),
            observer,
        };
        Agent::open(opening, extend).await.unwrap()
    }

    pub async fn open(&self, builder: RegistryBuilder) -> Agent {
        self.open_with(builder, Begin::New("test".into()), None, |session| session).await
    }

    pub async fn resume(&self, builder: RegistryBuilder) -> Agent {
        self.open_with(builder, Begin::Resume("test".into()), None, |session| session).await
    }
}

/// Adds callbacks that only remember what they were told.
pub fn listening(
    mut callbacks: hookspec_hermes::Callbacks,
    names: &[&str],
    told: &Told,
) -> hookspec_hermes::Callbacks {
    for name in names {
        let (told, hook) = (Arc::clone(told), (*name).to_owned());
        let keep = move |kwargs: &Map<String, Value>, _: &hookspec::Session| {
            told.lock().unwrap().push((hook.clone(), kwargs.clone()));
            Ok(Value::Null)
        };
        callbacks = callbacks.on(name, "listen", keep).unwrap();
    }
    callbacks
}

/// The names of what was told, in order.
pub fn names(told: &Told) -> Vec<String> {
    told.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
}

/// The contents of a session's messages of this role.
pub fn said(agent: &Agent, role: Role) -> Vec<String> {
    let log = agent.session().log();
    log.iter().filter(|message| message.role == role).map(|message| message.content.clone()).collect()
}
