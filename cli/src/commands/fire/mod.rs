//! `hookspec fire`: the hooks of one point on one event, one JSON line for each hook that ran.
//!
//! The hooks are those that a chat would run, in the same order, with the same settings; only the event, and if
//! wanted the time and the conversation, come from outside. A hook that fails or denies is data, not a failure of
//! the command.

mod kept;
mod text;

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use hookspec::hooks::HookInfo;
use hookspec::point::PointInfo;
use hookspec::registry::Plugin;
use hookspec::session::{Clock, Unfinished};
use hookspec::timeline::{HookRun, Timeline};
use hookspec::{Flow, Hooks, Message, Registry, Session};
use hookspec_agent::spawn::TokioSpawn;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::hooks::{Asking, builder, lend};
use crate::names;
use crate::output;
use crate::progress::Progress;
use crate::settings::{Common, Settings};

use super::CommandResult;
use super::bridge::{ClientArg, show};
use kept::Kept;

const HELP: &str = "One JSON line for each hook that ran:
  {\"hook\", \"point\", \"messages\": […], \"verdict\", \"error\", \"duration_us\"}
`verdict` is null, or holds what the hook said of: \"gate\" (with \"reason\"), \"fold\", \"first\",
\"flow\" (with \"session_end\", the reason, where the hook ends the session).
At a point around work there is no work here: a hook runs until it asks for it, and \"around\" says
how often it asked and whether it answered.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Fire {
    /// The point, by any of its names.
    #[arg(required_unless_present = "client")]
    point: Option<String>,
    /// Show what this client would be answered; the event is one of its own, as JSON, a file or `-`.
    #[arg(long, conflicts_with_all = ["point", "log", "only", "text"])]
    client: Option<ClientArg>,
    /// The event as JSON, or `-` to read it from standard input.
    #[arg(long, value_name = "JSON")]
    event: String,
    /// The conversation that the hooks see, one message a line; it is only read.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The session; its hooks' states are kept between calls.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Run only these hooks.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    only: Vec<String>,
    /// The time that the hooks see, as RFC 3339.
    #[arg(long, value_name = "TIME")]
    clock: Option<Timestamp>,
    /// Print what the hooks said as text instead.
    #[arg(long, conflicts_with = "json")]
    text: bool,
}

#[derive(Debug, thiserror::Error)]
enum FireError {
    #[error("the event is not JSON: {0}")]
    NotJson(serde_json::Error),
    #[error("this is no event of {point}: {error}; `hookspec points {point} --schema` shows what is wanted")]
    BadEvent { point: &'static str, error: serde_json::Error },
    #[error("{path}, line {line}: {error}")]
    BadMessage { path: PathBuf, line: usize, error: serde_json::Error },
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("no hook of --only runs at {point}: {why}")]
    NotThere { point: &'static str, why: String },
}

impl Fire {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let clock = self.clock.map_or_else(Clock::system, Clock::manual);
        if let Some(ClientArg(client)) = self.client {
            return show(client, &self.event, self.session.as_deref(), clock, common, plugins);
        }
        let settings = Settings::load(common)?;
        let point = names::point(self.point.as_deref().unwrap_or_default())?;
        let info = point.info();
        let event = self.event()?;
        let bad_event = |error| FireError::BadEvent { point: info.name, error };
        point.check_json(&event).map_err(bad_event)?;
        settings.check_workspace()?;
        let workspace = std::path::absolute(&settings.workspace)?;
        let messages = self.messages()?;
        // Whether this program fires the point by itself does not matter: here it is fired by hand.
        let mut registry = builder(&settings, common, plugins, Asking::choose(false, false)).strict(false);
        if !self.only.is_empty() {
            registry = registry.allow(self.only.iter().cloned());
        }
        let registry = registry.build()?;
        self.check_only(&registry, info)?;
        let kept = self.session.as_deref().map(|id| Kept::open(&settings.paths.state_dir, id)).transpose()?;
        let states = kept.as_ref().map(Kept::load).transpose()?.unwrap_or_default();

        // Async hooks may count on the runtime that they have in a chat.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let entered = runtime.enter();
        let hooks = match TokioSpawn::current() {
            Some(spawn) => Hooks::with_spawn(registry, Arc::new(spawn)),
            None => Hooks::new(registry),
        };
        for row in hooks.list() {
            // An allowlist leaves confirmations in; `--only` means it.
            if row.on && row.info.confirmation && !self.is_meant(&row.info) {
                hooks.disable(&row.info.name)?;
            }
        }
        let timeline = Arc::new(Timeline::new(10_000));
        let described = Session::builder(&hooks, self.session.as_deref().unwrap_or("fire"))
            .workspace(workspace)
            .model(settings.agent.model.clone().unwrap_or_default())
            .clock(clock)
            .log(messages, None)
            .states(states)
            .observer(Arc::<Timeline>::clone(&timeline));
        let session = lend(described, &settings).build();
        let before = session.log().len();
        // A hook that asks has the terminal to itself: nothing may be written over its question.
        let asks = hooks.list().iter().any(|row| {
            row.on && row.info.confirmation && row.info.point.name == info.name && self.is_meant(&row.info)
        });
        let progress = (!asks).then(|| Progress::start(format!("the hooks of {} run", info.name)));
        let fired = point.fire_json(&session, event).map_err(bad_event)?;
        let left = session.drain_now(hooks.drain_time());
        drop(progress);
        if !left.is_empty() {
            let left = Unfinished::text(&left);
            output::warning(format!("background hooks were still busy and are left behind: {left}"));
        }
        let emitted: Vec<Message> = if info.transient {
            fired.messages
        } else {
            session.log().iter().skip(before).map(|message| (**message).clone()).collect()
        };
        // Before printing, since the hooks have run even if nobody reads what they said; told after it.
        let saved = kept.map_or(Ok(()), |kept| kept.save(&session.save_states()));
        let runs = timeline.runs();
        if runs.is_empty() {
            output::note(format!("no hook ran at {}; `hookspec list` shows who listens where", info.name));
        }
        for run in runs {
            let said = said(&run, &emitted);
            if self.text {
                output::line(text::text(&run, &said));
            } else {
                output::json(&row(&run, &said))?;
            }
        }
        saved?;
        drop(entered);
        // A hook that was abandoned must not keep the program waiting.
        runtime.shutdown_background();
        Ok(ExitCode::SUCCESS)
    }

    /// Whether `--only` spells this hook out, by a name of its own or of its group.
    fn is_meant(&self, hook: &HookInfo) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| hook.answers_to(name))
    }

    /// Tells a hook that was named and cannot run here apart from one that ran and was silent.
    fn check_only(&self, registry: &Registry, info: &'static PointInfo) -> Result<(), FireError> {
        let rows = registry.list();
        let mut on = rows.iter().filter(|row| row.on && (!row.info.confirmation || self.is_meant(&row.info)));
        if self.only.is_empty() || on.clone().any(|row| row.info.point.name == info.name) {
            return Ok(());
        }
        let off = rows.iter().find(|row| !row.on && self.is_meant(&row.info));
        let why = match (on.next(), off) {
            (Some(row), _) => format!("`{}` listens at {}", row.info.name, row.info.point.name),
            (None, Some(row)) => format!("`{}` is off: {}", row.info.name, row.why),
            (None, None) => "it names tools, not hooks".to_owned(),
        };
        Err(FireError::NotThere { point: info.name, why })
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
        let mut messages = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(message) => messages.push(message),
                // Somebody is just writing the last line, or died while doing so.
                Err(error) if index + 1 == text.lines().count() && !text.ends_with('\n') => {
                    let path = path.display();
                    output::warning(format!("{path}, line {} is torn and left out: {error}", index + 1));
                }
                Err(error) => {
                    return Err(FireError::BadMessage { path: path.clone(), line: index + 1, error });
                }
            }
        }
        Ok(messages)
    }
}

/// The messages of one run.
fn said(run: &HookRun, emitted: &[Message]) -> Vec<Message> {
    if run.background || run.shadow {
        // What such a hook says goes nowhere but into the timeline, as text.
        let message = |text| Message::system(text).said_by(&*run.hook);
        return run.messages.iter().map(message).collect();
    }
    emitted.iter().filter(|message| message.hook.as_deref() == Some(&run.hook)).cloned().collect()
}

fn row(run: &HookRun, messages: &[Message]) -> Value {
    let mut row = json!({
        "hook": run.hook,
        "point": run.point,
        "messages": messages,
        "verdict": verdict(run),
        "error": run.error,
        "duration_us": run.duration_us,
    });
    if run.shadow {
        row["shadow"] = true.into();
    }
    if let Some(around) = run.around {
        row["around"] = json!({ "runs": around.runs, "answered": around.answered });
    }
    row
}

/// All that a hook said beside messages; a hook at a gate may also rewrite, and end the chain.
fn verdict(run: &HookRun) -> Value {
    let mut all = Map::new();
    if let Some(gate) = &run.gate
        && let Value::Object(gate) = json!(gate)
    {
        all.extend(gate);
    }
    let mut put = |name: &str, value: Value| all.insert(name.to_owned(), value);
    if let Some(value) = &run.fold {
        put("fold", value.clone());
    }
    if let Some(value) = &run.first {
        put("first", value.clone());
    }
    match &run.flow {
        Some(Flow::Stop) => {
            put("flow", json!("stop"));
        }
        Some(Flow::EndSession(reason)) => {
            put("flow", json!("end_session"));
            put("session_end", json!(reason));
        }
        Some(Flow::Continue) | None => {}
    }
    if all.is_empty() { Value::Null } else { Value::Object(all) }
}
