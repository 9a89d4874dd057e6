//! A stage for the tests: a file of local models that start the fake server, a switch, and sessions on it.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each file uses its part; a test that cannot go on has failed

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookspec::model::{Request, Usage};
use hookspec::points::{EndReason, GENERATION_PRE, SESSION_END, TURN_POST, TurnOutcome};
use hookspec::registry::RegistryBuilder;
use hookspec::session::SessionBuilder;
use hookspec::tool::ToolError;
use hookspec::{Hooks, Message, Registry, Session, ToolUse, fire};
use hookspec_agent::spawn::TokioSpawn;
use hookspec_llm_switch::{Phase, Status, Switch, Times};
use serde_json::Value;
use tempfile::TempDir;

pub const FAKE: &str = env!("CARGO_BIN_EXE_fake-model-server");

/// A start that fails is not tried again in a test's time, unless the file changes.
pub const TIMES: Times = Times {
    mercy: Duration::from_millis(500),
    back_off: Duration::from_secs(3600),
    longest_back_off: Duration::from_secs(3600),
    probe: Duration::from_millis(20),
    tell: Duration::from_millis(100),
};

pub struct Stage {
    folder: TempDir,
    pub switch: Arc<Switch>,
    hooks: Hooks,
}

pub fn builder() -> RegistryBuilder {
    Registry::builder()
        .plugins(hookspec::plugins![hookspec_llm_switch])
        .fires(hookspec_agent::FIRES.iter().copied())
}

impl Stage {
    /// With `server` and then the models, in TOML; each start leaves a line in a file.
    pub fn new(server: &str, models: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["workspace", "models"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        for name in ["write.gguf", "code.gguf"] {
            std::fs::write(folder.path().join("models").join(name), "").unwrap();
        }
        let (file, place) = (folder.path().join("models.toml"), folder.path().join("state/llm-switch"));
        let switch = Arc::new(Switch::new(file, place, TIMES).unwrap());
        let registry = builder().strict(true).build().unwrap();
        let hooks = Hooks::with_spawn(registry, Arc::new(TokioSpawn::current().unwrap()));
        let stage = Self { folder, switch, hooks };
        stage.write(server, models);
        stage
    }

    /// One model, `write`, with these words for the fake server.
    pub fn one(fake: &[&str]) -> Self {
        Self::new("", &[("write", &words(fake))])
    }

    pub fn write(&self, server: &str, models: &[(&str, &str)]) {
        let mut text = self.server(server);
        for (key, more) in models {
            text.push_str(&format!("[models.{key}]\n"));
            if !more.contains("gguf") {
                text.push_str(&format!("gguf = '{key}.gguf'\n"));
            }
            text.push_str(more);
            text.push('\n');
        }
        std::fs::write(self.switch.path(), text).unwrap();
    }

    fn server(&self, server: &str) -> String {
        let mut text = format!("[server]\nmodels_dir = '{}'\n{server}\n", self.path("models").display());
        let starts = self.path("starts");
        for (key, line) in [
            ("binary", format!("binary = '{FAKE}'")),
            ("port", "port = 0".to_owned()),
            ("args", format!("args = ['--fake', 'starts={}']", starts.display())),
        ] {
            if !server.lines().any(|line| line.starts_with(key)) {
                text.push_str(&format!("{line}\n"));
            }
        }
        text
    }

    /// Where logs and notes are; the same as the process's own switch has with this folder as `HOOKSPEC_HOME`.
    pub fn place(&self) -> PathBuf {
        self.path("state/llm-switch")
    }

    /// A session of a host that lends it no switch.
    pub fn bare(&self, id: &str) -> Session {
        Session::builder(&self.hooks, id).workspace(self.path("workspace")).model("ollama/write").build()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The aliases of all starts so far, and the pids.
    pub fn starts(&self) -> Vec<(String, i32)> {
        let text = std::fs::read_to_string(self.path("starts")).unwrap_or_default();
        let read = |line: &str| {
            let (alias, pid) = line.split_once(' ').unwrap();
            (alias.to_owned(), pid.parse().unwrap())
        };
        text.lines().map(read).collect()
    }

    pub fn build(&self, id: &str, more: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Session {
        let session = Session::builder(&self.hooks, id)
            .workspace(self.path("workspace"))
            .model("ollama/write")
            .extension(Arc::clone(&self.switch));
        more(session).build()
    }

    pub fn session(&self, id: &str) -> Session {
        self.build(id, |session| session)
    }

    pub fn status(&self) -> Status {
        self.switch.status()
    }

    /// Waits for a phase; bounded, so that a failure does not hang.
    pub async fn reaches(&self, phase: Phase) -> Status {
        let mut watch = self.switch.watch();
        let reached =
            tokio::time::timeout(Duration::from_secs(20), watch.wait_for(|now| now.phase == phase)).await;
        reached.unwrap_or_else(|_| panic!("never {phase:?}: {:?}", self.switch.status())).unwrap().clone()
    }
}

/// The fake server's words as a model's `args`.
pub fn words(fake: &[&str]) -> String {
    let words: Vec<String> = fake.iter().map(|word| format!("'--fake', '{word}'")).collect();
    format!("args = [{}]", words.join(", "))
}

/// A call to the session's model is about to go out. `Err`: it must not, and why.
pub async fn call(session: &Session) -> Result<(), String> {
    let request = Request {
        model: session.model(),
        messages: session.log().iter().map(|message| (**message).clone()).collect(),
        ..Request::default()
    };
    let fired = fire!(session, GENERATION_PRE { request: &request, attempt: 0 }).await;
    match fired.failures().first() {
        Some(failure) => {
            assert!(session.interrupted().is_some(), "the call would go out: {failure}");
            session.resume();
            Err(failure.to_string())
        }
        None => Ok(()),
    }
}

/// The turn is over.
pub async fn rest(session: &Session) {
    let (steps, changed, usage, outcome) = (1, &[], &Usage::default(), TurnOutcome::Complete);
    let fired = fire!(session, TURN_POST { steps, changed, usage, outcome }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
}

/// A whole turn of one call.
pub async fn turn(session: &Session) {
    call(session).await.unwrap();
    rest(session).await;
}

pub async fn end(session: &Session) {
    let fired = fire!(session, SESSION_END { reason: EndReason::Exit }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
}

/// The tool, as a model calls it.
pub async fn switch_local_llm(session: &Session, model: &str) -> Result<Value, ToolError> {
    let registry = session.hooks().load();
    let tool = registry.tools().get("switch_local_llm").unwrap();
    let arguments = serde_json::json!({ "model": model });
    let call = ToolUse::native("switch_local_llm", "c1", arguments.as_object().unwrap().clone());
    let output = (tool.run)(&call, session).await?;
    Ok(serde_json::from_str(&output.messages[0].content).unwrap())
}

pub fn texts(session: &Session) -> Vec<String> {
    session.log().iter().map(|message: &Arc<Message>| message.content.clone()).collect()
}

/// Whether a process runs; one that has ended and was not collected does not.
pub fn runs(pid: i32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => !matches!(stat.rsplit(") ").next().and_then(|rest| rest.chars().next()), Some('Z' | 'X')),
        Err(_) if Path::new("/proc/self").exists() => false,
        Err(_) => rustix::process::test_kill_process(pid_of(pid)).is_ok(),
    }
}

pub fn pid_of(pid: i32) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(pid).unwrap()
}

/// Waits until something is so; bounded.
pub async fn until(what: &str, so: impl Fn() -> bool) {
    for _ in 0..800 {
        if so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("never: {what}");
}
