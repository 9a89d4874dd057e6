//! Hooks around tools and calls to the model, in the engine: what they may do, what stays as it is, and the three built-ins.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on has failed

mod common;

#[path = "around/built_ins.rs"]
mod built_ins;
#[path = "around/generations.rs"]
mod generations;
#[path = "around/tools.rs"]
mod tools;

use std::sync::{Arc, Mutex};

use hookspec::model::{ChunkKind, Metadata, MicroDollars};
use hookspec::point::Point;
use hookspec::points::{
    ERROR, EndReason, GENERATION_INTERRUPT, GENERATION_POST, GENERATION_PRE, STEP_POST, TOOL_POST_EXECUTE,
    TOOL_PRE_EXECUTE, TurnOutcome,
};
use hookspec::registry::RegistryBuilder;
use hookspec::timeline::Timeline;
use hookspec::{Config, Hook, Message, Mode, Registry, Session, ToolUse};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Frontend, Opening, Prices, TurnEnd};

use common::Stage;

const RESTED: TurnEnd = TurnEnd::Rested(TurnOutcome::Complete);

/// Texts in the order in which they came.
#[derive(Clone, Debug, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn count(&self, part: &str) -> usize {
        self.all().iter().filter(|text| text.contains(part)).count()
    }
}

/// What a user would see; the first notice that contains a text of the test's interrupts the session.
#[derive(Debug, Default)]
struct Screen {
    notes: Notes,
    stops_at: Option<&'static str>,
    session: Mutex<Option<Session>>,
}

impl Frontend for Screen {
    fn generating(&self, attempt: u32) {
        self.notes.add(format!("generating {attempt}"));
    }
    fn chunk(&self, text: &str, _kind: ChunkKind) {
        self.notes.add(format!("+ {text}"));
    }
    fn called(&self, call: &ToolUse, _seen: bool) {
        self.notes.add(format!("called {}", call.tool));
    }
    fn tool(&self, call: &ToolUse) {
        self.notes.add(format!("tool {}", call.tool));
    }
    fn notice(&self, text: &str) {
        self.notes.add(format!("! {text}"));
        if self.stops_at.is_some_and(|part| text.contains(part))
            && let Some(session) = &*self.session.lock().unwrap()
        {
            session.interrupt(hookspec::session::InterruptReason::User);
        }
    }
}

/// An agent on a stage, and everything that can be seen of it.
struct Play {
    stage: Stage,
    agent: Agent,
    screen: Notes,
    /// A line for each moment that hooks are told of.
    told: Notes,
    timeline: Arc<Timeline>,
}

/// What a test sets up.
struct Setup {
    script: Vec<String>,
    builder: RegistryBuilder,
    stops_at: Option<&'static str>,
    runs: Arc<built_ins::Runs>,
}

/// Everything is confirmed beforehand; hooks are those of the group `stage`, and of `groups`.
fn setup(script: &[String], groups: &[&str], settings: &str) -> Setup {
    let mut config = Config::new();
    config.add_toml("t.toml", settings, &[]).unwrap();
    let builder = Registry::builder()
        .plugins(hookspec::plugins![hookspec_agent, hookspec_builtins])
        .mode(Mode::Cli)
        .no_confirm(true)
        .config(config)
        .allow(["stage", "tool.*"].into_iter().chain(groups.iter().copied()));
    Setup { script: script.to_vec(), builder, stops_at: None, runs: Arc::default() }
}

impl Setup {
    fn with<P: Point>(mut self, hook: Hook<P>) -> Self {
        self.builder = self.builder.register(hook);
        self
    }

    fn stops_at(self, text: &'static str) -> Self {
        Self { stops_at: Some(text), ..self }
    }

    async fn open(self) -> Play {
        let stage = Stage::new(&self.script);
        let (screen, told) = (Notes::default(), Notes::default());
        let timeline = Arc::new(Timeline::new(10_000));
        let frontend =
            Arc::new(Screen { notes: screen.clone(), stops_at: self.stops_at, session: Mutex::default() });
        let opening = Opening {
            frontend: frontend.clone(),
            observer: Some(timeline.clone()),
            ..stage.opening(telling(self.builder, &told), Begin::New("test".into()))
        };
        // A token costs a cent with the first model, a dollar with any other.
        let prices = Prices::new(|model, usage| {
            let each = if model.ends_with("script.jsonl") { 10_000 } else { 1_000_000 };
            Some(MicroDollars(usage.total() * each))
        });
        let agent = Agent::open(opening, |session| session.extension(Arc::new(prices)).extension(self.runs))
            .await
            .unwrap();
        *frontend.session.lock().unwrap() = Some(agent.session().clone());
        Play { stage, agent, screen, told, timeline }
    }

    /// Opens it and takes one turn.
    async fn play(self) -> (Play, TurnEnd) {
        let mut play = self.open().await;
        let end = play.agent.prompt(Message::user("go")).await;
        (play, end)
    }
}

/// Hooks that note what they are told.
fn telling(builder: RegistryBuilder, told: &Notes) -> RegistryBuilder {
    let notes = || told.clone();
    let (pre, post, cut, step, gate, ran, error) =
        (notes(), notes(), notes(), notes(), notes(), notes(), notes());
    builder
        .register(Hook::new(GENERATION_PRE, "stage.told", move |event, _| {
            pre.add(format!("pre {} {}", event.attempt, last_of(&event.request.model)));
        }))
        .register(Hook::new(GENERATION_POST, "stage.told", move |event, _| {
            let tokens = event.usage.map(hookspec::model::Usage::total);
            let cost = event.cost.map(|cost| cost.0);
            post.add(format!("post {} {tokens:?} {cost:?} {}", last_of(event.model), event.response.content));
        }))
        .register(Hook::new(GENERATION_INTERRUPT, "stage.told", move |event, _| {
            cut.add(format!("interrupt {:?} {}", event.reason, event.partial));
        }))
        .register(Hook::new(STEP_POST, "stage.told", move |event, _| {
            step.add(format!("step used {:?}", event.usage.map(hookspec::model::Usage::total)));
        }))
        .register(Hook::new(TOOL_PRE_EXECUTE, "stage.told", move |event, _| {
            gate.add(format!("gate {} {}", event.tool_use.tool, command(event.tool_use)));
        }))
        .register(Hook::new(TOOL_POST_EXECUTE, "stage.told", move |event, _| {
            let result = event.result.first().map_or("", |message| message.content.as_str());
            ran.add(format!("ran {} {:?} {result}", command(event.tool_use), event.status));
        }))
        .register(Hook::new(ERROR, "stage.told", move |event, _| {
            error.add(format!(
                "error {:?} {} {} {}",
                event.source, event.retryable, event.attempt, event.error
            ));
        }))
}

/// The name of a script's file.
fn last_of(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

fn command(call: &ToolUse) -> String {
    call.text("command").or_else(|| call.text("path")).unwrap_or_default().into_owned()
}

impl Play {
    /// The conversation without its prompt and the user's message.
    fn log(&self) -> Vec<String> {
        self.agent.session().log().iter().skip(2).map(|message| message.content.clone()).collect()
    }

    /// What is noted of the message with that text.
    fn metadata(&self, text: &str) -> Metadata {
        let log = self.agent.session().log();
        let message = log.iter().find(|message| message.content == text);
        message.and_then(|message| message.metadata.clone()).map_or_else(Metadata::default, |data| *data)
    }

    /// What hooks around something did: their names, how often they ran it, whether they answered.
    fn around(&self) -> Vec<(String, u32, bool)> {
        let runs = self.timeline.runs().into_iter();
        runs.filter_map(|run| run.around.map(|around| (run.hook, around.runs, around.answered))).collect()
    }

    async fn prompt(&mut self, text: &str) -> TurnEnd {
        self.agent.prompt(Message::user(text)).await
    }

    async fn end(self) {
        self.agent.end(EndReason::Exit).await;
    }
}

/// An answer that used so many tokens.
fn used(text: &str, tokens: u64) -> String {
    serde_json::json!({ "text": text, "usage": { "input_tokens": tokens, "output_tokens": 0 } }).to_string()
}

/// A failure of the model, perhaps behind the beginning of an answer.
fn fails(kind: &str, text: &str) -> String {
    let text = (!text.is_empty()).then_some(text);
    serde_json::json!({ "text": text, "error": { "kind": kind } }).to_string()
}
