//! A session with this plugin: a workspace, a state folder, a clock that stands still; and an agent with a scripted model.

#![allow(unreachable_pub)] // one binary, and each file uses its part

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookspec::registry::RegistryBuilder;
use hookspec::session::{Clock, SessionBuilder, StateDir};
use hookspec::timeline::Timeline;
use hookspec::{Config, First, Hook, Hooks, Message, Mode, Registry, Session, ToolUse};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Frontend, Limits, Opening};
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use hookspec_process::Program;
use hookspec_session_buddy::points::QUALITY_MEASURE;
use hookspec_session_buddy::quality::{Part, Quality};
use hookspec_session_buddy::store::Store;
use serde_json::{Value, json};

pub struct Stage {
    folder: tempfile::TempDir,
    pub clock: Clock,
    pub settings: String,
}

#[derive(Debug)]
struct Silent;
impl Frontend for Silent {}

/// Hooks of this plugin only, and everything confirmed beforehand.
pub fn builder() -> RegistryBuilder {
    Registry::builder()
        .plugins(hookspec::plugins![hookspec_session_buddy, hookspec_agent, hookspec_builtins])
        .mode(Mode::Cli)
        .no_confirm(true)
        .allow(["buddy", "test", "auto_confirm", "tool.*"])
}

pub fn quality(score: u8) -> Quality {
    let part = Part {
        name: "all".into(),
        most: 100,
        points: Some(score.into()),
        found: "as the test says".into(),
        raise: "better work".into(),
    };
    Quality::of(vec![part])
}

/// Measures in the place of the workspace's.
pub fn scored(score: u8) -> Hook<QUALITY_MEASURE::Point> {
    Hook::new(QUALITY_MEASURE, "test.score", move |_, _| First(quality(score))).priority(10)
}

pub fn say(text: &str) -> String {
    json!({ "text": text }).to_string()
}

pub fn call(tool: &str, arguments: Value) -> String {
    json!({ "text": "On it.", "tool_calls": [{ "tool": tool, "kwargs": arguments }] }).to_string()
}

pub fn shell(command: &str) -> String {
    call("shell", json!({ "command": command }))
}

impl Stage {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        let clock = Clock::manual("2026-03-31T12:00:00Z".parse().unwrap());
        Self { folder, clock, settings: String::new() }
    }

    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace").canonicalize().unwrap()
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.workspace().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn git(&self, args: &[&str]) -> String {
        let who = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
        let ended = Program::new("git").args(who).args(args).cwd(self.workspace()).run().unwrap();
        assert!(ended.status.success(), "{args:?}: {}", ended.stderr.text());
        ended.stdout.text().trim().to_owned()
    }

    pub fn store(&self) -> Store {
        Store::open(&self.folder.path().join("state/session-buddy.sqlite")).unwrap()
    }

    fn configured(&self, builder: RegistryBuilder) -> Registry {
        let mut config = Config::new();
        config
            .add_toml("test.toml", &format!("[hooks.buddy]\ntime_zone = 'UTC0'\n{}", self.settings), &[])
            .unwrap();
        builder.config(config).build().unwrap()
    }

    pub fn session(&self, builder: RegistryBuilder, id: &str) -> Session {
        self.lent(builder, id, |session| session)
    }

    /// A session to which the host lends something more.
    pub fn lent(
        &self,
        builder: RegistryBuilder,
        id: &str,
        lend: impl FnOnce(SessionBuilder) -> SessionBuilder,
    ) -> Session {
        let session = Session::builder(&Hooks::new(self.configured(builder)), id)
            .workspace(self.workspace())
            .clock(self.clock.clone())
            .extension(Arc::new(StateDir(self.folder.path().join("state"))));
        lend(session).build()
    }

    pub async fn agent(
        &self,
        builder: RegistryBuilder,
        name: &str,
        script: &[String],
    ) -> (Agent, Arc<Timeline>) {
        self.opened(builder, Begin::New(name.into()), name, script).await
    }

    /// Goes on with a session, as the next process would.
    pub async fn resumed(&self, builder: RegistryBuilder, name: &str, script: &[String]) -> Agent {
        self.opened(builder, Begin::Resume(name.into()), name, script).await.0
    }

    async fn opened(
        &self,
        builder: RegistryBuilder,
        begin: Begin,
        name: &str,
        script: &[String],
    ) -> (Agent, Arc<Timeline>) {
        let file = self.folder.path().join(format!("{name}.jsonl"));
        std::fs::write(&file, script.join("\n")).unwrap();
        let timeline = Arc::new(Timeline::new(10_000));
        let opening = Opening {
            hooks: Hooks::with_spawn(self.configured(builder), Arc::new(TokioSpawn::current().unwrap())),
            begin,
            logs: self.folder.path().join("logs"),
            workspace: self.workspace(),
            model: Some(format!("replay:{}", file.display())),
            model_options: ModelOptions::default(),
            frontend: Arc::new(Silent),
            limits: Limits::default(),
            clock: self.clock.clone(),
            observer: Some(timeline.clone()),
        };
        let state = Arc::new(StateDir(self.folder.path().join("state")));
        (Agent::open(opening, |session| session.extension(state)).await.unwrap(), timeline)
    }
}

pub async fn run(session: &Session, tool: &str, arguments: Value) -> Result<String, String> {
    let registry = session.hooks().load();
    let call = ToolUse::native(tool, "c1", arguments.as_object().unwrap().clone());
    let ended = (registry.tools().get(tool).unwrap().run)(&call, session).await;
    ended.map(|output| texts(&output.messages).join("\n")).map_err(|error| error.to_string())
}

pub fn texts(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.content.clone()).collect()
}

pub fn log(agent: &Agent) -> Vec<String> {
    agent.session().log().iter().map(|message| message.content.clone()).collect()
}
