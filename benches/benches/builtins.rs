//! What the built-ins cost in an agent's life: microseconds for one tool call and for the rest of its step,
//! hook by hook and all together, with 100 processes alive and a log of 2 000 messages.
//!
//! All groups run in turn, many rounds; a figure is the median of its rounds, after a warm-up. Beside them
//! gptme's own hooks on the same tool call, where gptme is installed.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookspec::model::{FinishReason, Request, Usage};
use hookspec::points::{
    FILE_POST_SAVE, FILE_PRE_SAVE, GENERATION_POST, GENERATION_PRE, MESSAGE_POST_PROCESS, MESSAGE_TRANSFORM,
    STEP_POST, STEP_PRE, TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE, TOOL_RESULT_TRANSFORM, TOOL_TRANSFORM,
};
use hookspec::tool::ToolStatus;
use hookspec::{Hooks, Message, Mode, Registry, Session, ToolUse, fire_now};
use hookspec_builtins::models::Models;
use hookspec_process::Program;
use serde_json::{Map, json};

const WARM_UP: usize = 20;
const ROUNDS: usize = 200;

/// Processes that only sleep, ended when dropped.
struct Sleepers(Vec<Child>);

impl Sleepers {
    fn start(count: usize) -> Self {
        Self((0..count).map(|_| Command::new("sleep").arg("3600").spawn().unwrap()).collect())
    }
}

impl Drop for Sleepers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A session with some of the built-ins, in the middle of its life.
struct Stage {
    session: Session,
    file: PathBuf,
    request: Request,
    calls: u64,
}

impl Stage {
    fn new(workspace: &Path, groups: Option<&str>) -> Self {
        let mut builder = Registry::builder().mode(Mode::Cli).interactive(true);
        if let Some(group) = groups {
            builder = builder.allow([group]);
        }
        let log: Vec<Message> = (0..1_000)
            .flat_map(|number| {
                let text = format!("message {number}: {}", "some words of a conversation, ".repeat(16));
                [Message::user(&text), Message::assistant(&text)]
            })
            .collect();
        let request = Request { messages: log.clone(), model: "openai/gpt-5".into(), ..Request::default() };
        let session = Session::builder(&Hooks::new(builder.build().unwrap()), "bench")
            .workspace(workspace)
            .model("openai/gpt-5")
            .log(log, None)
            .extension(Arc::new(Models::builtin().unwrap()))
            .build();
        Self { session, file: workspace.join("src").join("a.py"), request, calls: 0 }
    }

    /// All points of one call of `save`, as the engine fires them.
    fn tool_call(&mut self) {
        self.calls += 1;
        let content = format!("# {}\n{}", self.calls, "print('hello, world')\n".repeat(200));
        let arguments =
            Map::from_iter([("path".to_owned(), json!("src/a.py")), ("content".to_owned(), json!(content))]);
        let call = ToolUse::native("save", format!("c{}", self.calls), arguments);
        let (session, path, content) = (&self.session, self.file.as_path(), content.as_str());
        let _ = black_box(fire_now!(session, TOOL_TRANSFORM { tool_use: &call }));
        let _ = black_box(fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call }));
        let _ = black_box(fire_now!(session, FILE_PRE_SAVE { path, content }));
        let _ = black_box(fire_now!(session, FILE_POST_SAVE { path, content, created: false }));
        let result = [Message::system(format!("Saved {} ({} bytes).", path.display(), content.len()))];
        let _ = black_box(fire_now!(
            session,
            TOOL_POST_EXECUTE {
                tool_use: &call,
                result: &result,
                status: ToolStatus::Ok,
                duration: Duration::from_millis(3),
            }
        ));
        let _ = black_box(fire_now!(session, TOOL_RESULT_TRANSFORM { tool_use: &call, result: &result }));
        let [result] = result;
        session.append(result).unwrap();
    }

    /// All other points of a step.
    fn step(&mut self) {
        let session = &self.session;
        let answer = Message::assistant("I shall save the file. ".repeat(40));
        let usage = Usage { input_tokens: 9_000, output_tokens: 300, ..Usage::default() };
        let _ = black_box(fire_now!(session, STEP_PRE { step: 3 }));
        let _ = black_box(fire_now!(session, GENERATION_PRE { request: &self.request, attempt: 0 }));
        let _ = black_box(fire_now!(
            session,
            GENERATION_POST {
                response: &answer,
                usage: Some(&usage),
                cost: None,
                duration: Duration::from_secs(2),
                finish_reason: FinishReason::Stop,
                model: "openai/gpt-5",
            }
        ));
        let _ = black_box(fire_now!(session, MESSAGE_TRANSFORM { message: &answer }));
        let _ = black_box(fire_now!(session, MESSAGE_POST_PROCESS { message: &answer }));
        let _ = black_box(fire_now!(session, STEP_POST { step: 3, tool_calls: 1, usage: Some(&usage) }));
        session.append(answer).unwrap();
    }

    /// Microseconds of a tool call, and of the rest of its step.
    fn round(&mut self) -> [f64; 2] {
        let began = Instant::now();
        self.tool_call();
        let call = began.elapsed();
        let began = Instant::now();
        self.step();
        [call, began.elapsed()].map(|time| time.as_secs_f64() * 1e6)
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// The groups of built-ins that are on when nothing is said.
fn groups() -> BTreeSet<String> {
    let registry = Registry::builder().mode(Mode::Cli).interactive(true).build().unwrap();
    let rows = registry.list();
    rows.iter().filter(|row| row.on).map(|row| row.info.group().to_owned()).collect()
}

fn main() {
    // `cargo test` runs benches too, to see that they build: there is nothing to measure then.
    if std::env::args().any(|argument| argument == "--test") || cfg!(debug_assertions) {
        return;
    }
    let _linked: Vec<_> = hookspec::plugins![hookspec_builtins].collect();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    let workspace = folder.path().canonicalize().unwrap();
    let _sleepers = Sleepers::start(100);

    let mut names = vec!["nothing".to_owned()];
    names.extend(groups());
    let mut stages: Vec<Stage> = names
        .iter()
        .map(|name| {
            // A group that no hook has: the engine's own cost of making events and firing at nobody.
            if name == "nothing" { Stage::bare(&workspace) } else { Stage::new(&workspace, Some(name)) }
        })
        .collect();
    names.push("all defaults".to_owned());
    stages.push(Stage::new(&workspace, None));

    let mut figures = vec![[Vec::new(), Vec::new()]; stages.len()];
    for round in 0..WARM_UP + ROUNDS {
        for (stage, figures) in stages.iter_mut().zip(&mut figures) {
            let times = stage.round();
            if round >= WARM_UP {
                figures.iter_mut().zip(times).for_each(|(figures, time)| figures.push(time));
            }
        }
    }
    println!("microseconds, median of {ROUNDS}; 2 000 messages in the log, 100 processes alive");
    println!("{:<28} {:>12} {:>14}", "group", "tool call", "rest of step");
    let medians: Vec<[f64; 2]> = figures.into_iter().map(|figures| figures.map(median)).collect();
    let [call, step] = medians[0];
    for (name, times) in names.iter().zip(&medians) {
        let own = if name == "nothing" { [0.0, 0.0] } else { [call, step] };
        println!("{name:<28} {:>12.1} {:>14.1}", times[0] - own[0], times[1] - own[1]);
    }
    peer();
}

impl Stage {
    fn bare(workspace: &Path) -> Self {
        let bare = Self::new(workspace, None);
        let hooks = Hooks::new(Registry::builder().linked(false).build().unwrap());
        let log: Vec<Message> = bare.session.log().iter().map(|message| (**message).clone()).collect();
        let session = Session::builder(&hooks, "bare").workspace(workspace).log(log, None).build();
        Self { session, ..bare }
    }
}

/// gptme's default hooks on the same call, where it is installed.
fn peer() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join("gptme_builtins.py");
    match Program::new("python3").arg(script).deadline(Duration::from_secs(60)).run() {
        Ok(ended) if ended.status.success() => println!("\ngptme: {}", ended.stdout.text().trim_end()),
        Ok(ended) => {
            let error = ended.stderr.text();
            println!("\ngptme: not measured: {}", error.lines().last().unwrap_or("it failed"));
        }
        Err(error) => println!("\ngptme: not measured: {error}"),
    }
}
