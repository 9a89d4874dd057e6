//! `hookspec fire`.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use hookspec::{Clock, HookRun, Hooks, Message, Plugin, Session, Timeline};
use hookspec_agent::log::write_whole;
use hookspec_builtins::cli_confirm::Terminal;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::hooks::{Asking, builder};
use crate::output;
use crate::settings::{Common, Settings};

use super::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct Fire {
    /// The point, by any of its names.
    point: String,
    /// The event as JSON, or `-` to read it from standard input.
    #[arg(long, value_name = "JSON")]
    event: String,
    /// The conversation that the hooks see, one message a line.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The session; its hooks' states are kept between calls.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Run only these hooks.
    #[arg(long, value_name = "NAME", num_args = 1..)]
    only: Vec<String>,
    /// The time that the hooks see, as RFC 3339.
    #[arg(long, value_name = "TIME")]
    clock: Option<Timestamp>,
}

#[derive(Debug, thiserror::Error)]
enum FireError {
    #[error("no hook point is called `{0}`; `hookspec points` lists them")]
    UnknownPoint(String),
    #[error("the event is not JSON: {0}")]
    NotJson(serde_json::Error),
    #[error("this is no event of {point}: {error}; `hookspec points {point} --schema` shows what is wanted")]
    BadEvent { point: &'static str, error: serde_json::Error },
    #[error("{path}, line {line}: {error}")]
    BadMessage { path: PathBuf, line: usize, error: serde_json::Error },
    #[error("`{0}` cannot be a session's id: use letters, digits, `-`, `_` and `.`, not beginning with `.`")]
    BadSession(String),
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Store(#[from] hookspec_agent::log::LogError),
}

impl Fire {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let settings = Settings::load(common)?;
        let point =
            hookspec::find_point(&self.point).ok_or_else(|| FireError::UnknownPoint(self.point.clone()))?;
        let event = self.event()?;
        let mut registry = builder(&settings, common, plugins, Asking::choose(false, false));
        if !self.only.is_empty() {
            registry = registry.allow(self.only.iter().cloned());
        }
        let hooks = Hooks::new(registry.build()?);
        let kept = self.session.as_deref().map(|id| Kept::open(&settings.paths.state_dir, id)).transpose()?;
        let timeline = Arc::new(Timeline::new(10_000));
        let workspace = std::path::absolute(&settings.workspace)?;
        let session = Session::builder(&hooks, self.session.as_deref().unwrap_or("fire"))
            .workspace(workspace)
            .clock(self.clock.map_or_else(Clock::system, Clock::manual))
            .log(self.messages()?, None)
            .states(kept.as_ref().map(Kept::load).unwrap_or_default())
            .extension(Arc::new(Terminal::real()))
            .observer(Arc::<Timeline>::clone(&timeline))
            .build();
        let before = session.log().len();
        let info = point.info();
        let fired = point
            .fire_json(&session, event)
            .map_err(|error| FireError::BadEvent { point: info.name, error })?;
        let left = session.drain(hooks.drain_time());
        if left > 0 {
            output::note(format!("{left} background hooks were still busy and are left behind"));
        }
        let emitted: Vec<Message> = if info.transient {
            fired.messages
        } else {
            session.log().iter().skip(before).map(|message| (**message).clone()).collect()
        };
        for run in timeline.runs() {
            output::json(&row(&run, &emitted))?;
        }
        if let Some(kept) = kept {
            kept.save(&session.save_states())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn event(&self) -> Result<Value, FireError> {
        let mut text = self.event.clone();
        if text == "-" {
            text.clear();
            let io = |source| FireError::Io { path: "standard input".into(), source };
            std::io::stdin().read_to_string(&mut text).map_err(io)?;
        }
        serde_json::from_str(&text).map_err(FireError::NotJson)
    }

    fn messages(&self) -> Result<Vec<Message>, FireError> {
        let Some(path) = &self.log else { return Ok(Vec::new()) };
        let io = |source| FireError::Io { path: path.clone(), source };
        let text = std::fs::read_to_string(path).map_err(io)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(index, line)| {
                serde_json::from_str(line).map_err(|error| FireError::BadMessage {
                    path: path.clone(),
                    line: index + 1,
                    error,
                })
            })
            .collect()
    }
}

fn row(run: &HookRun, emitted: &[Message]) -> Value {
    let messages: Vec<Value> = if run.background {
        run.messages.iter().map(|text| json!({ "content": text })).collect()
    } else {
        let own = emitted.iter().filter(|message| message.hook.as_deref() == Some(&run.hook));
        own.map(|message| json!(message)).collect()
    };
    let verdict = run
        .gate
        .as_ref()
        .map(|gate| json!(gate))
        .or_else(|| run.fold.as_ref().map(|value| json!({ "fold": value })))
        .or_else(|| run.first.as_ref().map(|value| json!({ "first": value })))
        .or_else(|| run.flow.as_ref().map(|flow| json!(flow)));
    json!({
        "hook": run.hook,
        "point": run.point,
        "messages": messages,
        "verdict": verdict,
        "error": run.error,
        "duration_us": run.duration_us,
    })
}

/// The states of a session that lives only from call to call.
struct Kept {
    path: PathBuf,
    /// One call at a time; the system lets go of it when this process ends.
    _lock: std::fs::File,
}

impl Kept {
    fn open(folder: &Path, id: &str) -> Result<Self, FireError> {
        let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if id.is_empty() || id.len() > 128 || id.starts_with('.') || !id.chars().all(good) {
            return Err(FireError::BadSession(id.to_owned()));
        }
        let folder = folder.join("fire");
        let io = |source| FireError::Io { path: folder.clone(), source };
        std::fs::create_dir_all(&folder).map_err(io)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(format!("{id}.lock")))
            .map_err(io)?;
        lock.lock().map_err(io)?;
        Ok(Self { path: folder.join(format!("{id}.json")), _lock: lock })
    }

    fn load(&self) -> BTreeMap<String, Value> {
        let Ok(bytes) = std::fs::read(&self.path) else { return BTreeMap::new() };
        serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            output::note(format!("{} is damaged ({error}); the hooks start afresh", self.path.display()));
            BTreeMap::new()
        })
    }

    fn save(&self, states: &BTreeMap<String, Value>) -> Result<(), FireError> {
        let bytes = serde_json::to_vec_pretty(states).map_err(FireError::NotJson)?;
        Ok(write_whole(&self.path, &bytes)?)
    }
}
