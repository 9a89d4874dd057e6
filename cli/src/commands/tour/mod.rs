//! `hookspec tour`: a scripted session with hooks at work.
//!
//! The model is a script; everything else is real: the engine, the tools, the hooks, the workspace (a
//! temporary git repository), the linter (an example plugin, pointed at a small script), and another
//! agent's process (a stand-in that only sleeps, under a name that `workspace_agents` knows).

mod hooks;
mod stage;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use hookspec::points::EndReason;
use hookspec::{Clock, Config, Hooks, Message, Mode, Plugin, Registry, TimelineEntry};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Limits, Opening};
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;

use crate::output::{self, ACCENT, BOLD, DIM, paint};
use crate::settings::{Common, Settings};
use crate::show::Show;

use super::CommandResult;
use stage::Stage;

#[derive(Debug, Args)]
pub(crate) struct Tour {}

const HOOKS: [&str; 5] = ["tour", "linter", "time_awareness", "workspace_agents", "cwd_awareness"];

impl Tour {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let stage = Stage::build()?;
        let mut config = Config::new();
        config.add_toml("the tour's settings", &stage.config(), &[])?;
        let registry = hooks::register(Registry::builder())
            .plugins(plugins.iter().copied())
            .config(config)
            .allow(HOOKS)
            .mode(Mode::Cli)
            .no_confirm(true)
            .fires(hookspec_agent::FIRES.iter().copied())
            .build()?;
        // Where there is no home to write to, the session is gone with the stage; the tour goes on.
        let logs = Settings::load(common).ok().map(|settings| settings.paths.logs_dir);
        let logs =
            logs.filter(|logs| std::fs::create_dir_all(logs).is_ok() && tempfile::tempfile_in(logs).is_ok());
        let kept = logs.is_some();
        let logs = logs.unwrap_or_else(|| stage.folder("logs"));
        let id = format!("tour-{}", jiff::Timestamp::now().strftime("%Y-%m-%d-%H%M%S"));

        output::line(paint(BOLD, "A scripted session, with hooks at work"));
        output::line(paint(
            DIM,
            format!(
                "workspace {} · {} hooks selected of {}\n",
                stage.workspace().display(),
                registry.report().selected,
                registry.report().found
            ),
        ));
        // A panic is part of the show: its message is enough, without advice about backtraces.
        std::panic::set_hook(Box::new(|_| {}));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let entries = runtime.block_on(play(registry, &stage, logs.clone(), id.clone()))?;
        let _ = std::panic::take_hook();
        // What follows may be cut off (`| head`), which ends the program at once.
        drop(stage);

        output::line("");
        super::trace::print(&id, &entries);
        finish(&id, kept);
        Ok(ExitCode::SUCCESS)
    }
}

async fn play(
    registry: Registry,
    stage: &Stage,
    logs: std::path::PathBuf,
    id: String,
) -> Result<Vec<TimelineEntry>, Box<dyn std::error::Error>> {
    let hooks = match TokioSpawn::current() {
        Some(spawn) => Hooks::with_spawn(registry, Arc::new(spawn)),
        None => Hooks::new(registry),
    };
    let agent = Agent::open(
        Opening {
            hooks,
            begin: Begin::New(id.clone()),
            logs: logs.clone(),
            workspace: stage.workspace(),
            model: Some(format!("replay:{}", stage.script().display())),
            model_options: ModelOptions::default(),
            frontend: Arc::new(Show),
            limits: Limits::default(),
            clock: Clock::shifted(),
            observer: None,
        },
        |builder| builder,
    )
    .await?;
    let mut agent = agent;
    for message in agent.session().log().iter().filter(|message| message.hook.is_some()) {
        let hook = message.hook.as_deref().unwrap_or_default();
        output::line(format!(
            "  {} {}",
            paint(ACCENT, format!("⚑ {hook} (for the model only)")),
            message.content.replace('\n', "\n    ")
        ));
    }
    let prompt = "Write greet.py, tidy up the settings, and look around.";
    output::line(format!("\n{} {prompt}", paint(BOLD, ">")));
    agent.prompt(Message::user(prompt)).await;
    let hidden: Vec<_> =
        agent.session().log().iter().filter(|m| m.hide && m.content.contains("UTC")).cloned().collect();
    agent.end(EndReason::Complete).await;
    for message in hidden {
        let hook = message.hook.as_deref().unwrap_or_default();
        output::line(format!(
            "  {} {}",
            paint(ACCENT, format!("⚑ {hook} (for the model only)")),
            message.content
        ));
    }
    let text = std::fs::read_to_string(logs.join(&id).join("timeline.jsonl"))?;
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn finish(id: &str, kept: bool) {
    output::line(format!("\n{}", paint(BOLD, "What you saw")));
    for (what, why) in [
        ("linter.lint", "an example plugin, linted the file that was saved"),
        ("tour.guard", "a gate, denied a patch; the model read why"),
        ("tour.fragile", "has a bug and panicked; the session went on"),
        ("tour.report", "ran in the background; nobody waited"),
        ("time_awareness, workspace_agents", "told the model the time, and who else is here"),
    ] {
        output::line(format!("  {}  {why}", paint(ACCENT, what)));
    }
    output::line(format!("\n{}", paint(BOLD, "What to type next")));
    let trace = format!("hookspec trace {id} --svg tour.svg");
    let mut next = vec![
        ("hookspec list", "the hooks that are on, and why"),
        ("hookspec points FILE_POST_SAVE", "what a hook can ask for"),
        ("hookspec new my-hooks", "a plugin crate with a hook, a test and a program of its own"),
        ("hookspec chat --model ollama/llama3.2", "an agent, with your model"),
    ];
    if kept {
        next.insert(0, (trace.as_str(), "this session as a picture"));
    }
    for (command, what) in next {
        output::line(format!("  {command:<46} {}", paint(DIM, what)));
    }
    output::line(paint(DIM, "\nFrom a checkout, `hookspec` is `cargo run --release -p hookspec-cli --`."));
}
